//! Small numbers in words.

/// Reads an English number as it stands before a unit of time. `None` for words such as "a few"
/// that fix no number.
pub(crate) fn english_number(words: &str) -> Option<u32> {
    let words = words.trim().to_ascii_lowercase();
    if let Ok(number) = words.parse() {
        return Some(number);
    }
    let value = match words.as_str() {
        "a" | "an" | "one" => 1,
        "two" | "a couple" | "a couple of" | "couple of" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        "thirteen" => 13,
        "fourteen" => 14,
        "fifteen" => 15,
        "sixteen" => 16,
        "eighteen" => 18,
        "twenty" => 20,
        "thirty" => 30,
        "forty" => 40,
        "fifty" => 50,
        "sixty" => 60,
        "ninety" => 90,
        _ => return None,
    };
    Some(value)
}

/// Reads an English ordinal: `third`, `3rd`.
pub(super) fn english_ordinal(word: &str) -> Option<u32> {
    const WORDS: [&str; 12] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth", "eleventh", "twelfth",
    ];
    let word = word.to_ascii_lowercase();
    if let Some(index) = WORDS.iter().position(|w| *w == word) {
        return Some(index as u32 + 1);
    }
    word.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

/// Reads a Chinese or Arabic number up to 9999: `十二`, `两`, `二十八`, `二〇二六`, `12`.
pub(crate) fn chinese_number(word: &str) -> Option<u32> {
    let word = word.trim();
    if word.is_empty() || word.chars().count() > 7 {
        return None;
    }
    if let Ok(number) = word.parse() {
        return Some(number);
    }
    let digit = |c: char| match c {
        '〇' | '零' => Some(0),
        '一' => Some(1),
        '二' | '两' => Some(2),
        '三' => Some(3),
        '四' => Some(4),
        '五' => Some(5),
        '六' => Some(6),
        '七' => Some(7),
        '八' => Some(8),
        '九' => Some(9),
        _ => None,
    };
    if word.chars().all(|c| digit(c).is_some()) {
        // Read digit by digit, as years are.
        return word
            .chars()
            .filter_map(digit)
            .try_fold(0u32, |n, d| n.checked_mul(10)?.checked_add(d));
    }
    let (mut total, mut pending) = (0, None);
    for c in word.chars() {
        match c {
            '十' => total += pending.take().unwrap_or(1) * 10,
            '百' => total += pending.take().unwrap_or(1) * 100,
            '千' => total += pending.take().unwrap_or(1) * 1000,
            c => {
                let value = digit(c)?;
                pending = (value > 0).then_some(value);
            }
        }
    }
    Some(total + pending.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_both_languages() {
        for (word, value) in
            [("十", 10), ("十二", 12), ("二十八", 28), ("两", 2), ("二〇二六", 2026)]
        {
            assert_eq!(chinese_number(word), Some(value), "{word}");
        }
        assert_eq!(chinese_number("一百零五"), Some(105));
        assert_eq!(chinese_number("几"), None);
        assert_eq!(english_number("a couple of"), Some(2));
        assert_eq!(english_number("a few"), None);
        assert_eq!(english_ordinal("3rd"), Some(3));
        assert_eq!(english_ordinal("Twelfth"), Some(12));
    }
}
