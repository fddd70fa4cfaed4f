//! Sentences: where they end, which ones ask, and which ones carry nothing.

use std::ops::Range;

/// The sentences that L3 leaves out, stripped of trailing punctuation and in lower case.
pub const FILLERS: [&str; 26] = [
    "ok",
    "okay",
    "got it",
    "thanks",
    "thank you",
    "yes",
    "correct",
    "sure",
    "好",
    "好的",
    "嗯",
    "嗯嗯",
    "明白",
    "收到",
    "谢谢",
    "感谢",
    "辛苦了",
    "是",
    "是的",
    "对",
    "对的",
    "没错",
    "可以",
    "行",
    "同意",
    "就这样",
];

/// Fillers that thank. Beside other words they answer nothing, even after a question.
const COURTESIES: [&str; 5] = ["thanks", "thank you", "谢谢", "感谢", "辛苦了"];

/// Words whose full stop ends no sentence, in lower case and without it.
const ABBREVIATIONS: [&str; 40] = [
    "al", "approx", "apr", "aug", "ave", "cf", "co", "corp", "dec", "dept", "dr", "ed", "est",
    "etc", "feb", "fig", "inc", "jan", "jr", "jul", "jun", "ltd", "max", "min", "mr", "mrs", "ms",
    "mt", "no", "nov", "oct", "prof", "resp", "rev", "sec", "sep", "sr", "st", "vol", "vs",
];

/// Questions that Chinese asks by "verb or not verb", often without a question mark.
const VERB_OR_NOT: [&str; 12] = [
    "要不要",
    "是不是",
    "能不能",
    "可不可以",
    "行不行",
    "好不好",
    "对不对",
    "有没有",
    "会不会",
    "需不需要",
    "该不该",
    "是否",
];

/// Cuts a text into sentences. The ranges cover the whole text; each one includes the white space
/// behind its sentence, so that leaving a range out leaves no hole.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let line_end = line_start + line.len();
        let mut at = line_start;
        while let Some(end) = next_sentence_end(&text[..line_end], line_start, at) {
            let spaces = text[end..line_end].len() - text[end..line_end].trim_start().len();
            at = end + spaces;
            ranges.push(start..at);
            start = at;
        }
        if start < line_end {
            ranges.push(start..line_end);
            start = line_end;
        }
        line_start = line_end;
    }
    ranges
}

/// Finds the end of the sentence that runs at `from`, closing quotes and brackets included.
fn next_sentence_end(text: &str, line_start: usize, from: usize) -> Option<usize> {
    let mut skip_to = from;
    for (at, mark) in text[from..].char_indices().map(|(i, c)| (from + i, c)) {
        if at < skip_to || !is_end_mark(mark) {
            continue;
        }
        let rest = &text[at..];
        let end = at + (rest.len() - rest.trim_start_matches(is_end_or_closer).len());
        skip_to = end;
        let run = &text[at..end];
        if run.contains(['。', '！', '？']) || ends_here(text, line_start, at, end) {
            return Some(end);
        }
    }
    None
}

/// Decides whether ASCII end marks at `at..end` end a sentence: not inside a version, a decimal
/// or a URL, nor behind an abbreviation, an initial or the number of a list item.
fn ends_here(text: &str, line_start: usize, at: usize, end: usize) -> bool {
    let before = text[..at].chars().next_back();
    let is_free = match text[end..].chars().next() {
        None => true,
        Some(next) if next.is_whitespace() => true,
        // Chinese puts no space behind an end mark, not even behind an ASCII one.
        Some(next) => is_wide(next) && before.is_some_and(is_wide),
    };
    is_free && (&text[at..end] != "." || !is_abbreviated(&text[line_start..at]))
}

fn is_abbreviated(line_so_far: &str) -> bool {
    let word_start = line_so_far
        .rfind(char::is_whitespace)
        .map_or(0, |i| i + line_so_far[i..].chars().next().map_or(1, char::len_utf8));
    let word = line_so_far[word_start..].trim_start_matches(['(', '[', '"', '\'', '“', '（']);
    let is_list_number = !word.is_empty()
        && word.bytes().all(|b| b.is_ascii_digit())
        && line_so_far[..word_start].trim().is_empty();
    let is_dotted = word.contains('.')
        && word
            .split('.')
            .all(|part| part.len() == 1 && part.bytes().all(|b| b.is_ascii_alphabetic()));
    let is_initial = word.len() == 1 && word.bytes().all(|b| b.is_ascii_alphabetic());
    is_list_number
        || is_dotted
        || is_initial
        || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// Tells whether a sentence asks something.
pub(super) fn is_question(sentence: &str) -> bool {
    let sentence = sentence.trim();
    let words = sentence.trim_end_matches(is_trailing_mark);
    sentence[words.len()..].contains(['?', '？'])
        || words.ends_with(['吗', '呢'])
        || VERB_OR_NOT.iter().any(|pattern| words.contains(pattern))
}

/// Tells whether a text asks something anywhere.
pub(super) fn has_question(text: &str) -> bool {
    sentences(text).into_iter().any(|range| is_question(&text[range]))
}

/// Tells whether a sentence is, word for word, one of the [`FILLERS`].
pub(super) fn is_filler(sentence: &str) -> bool {
    !is_question(sentence) && FILLERS.contains(&bare(sentence).as_str())
}

/// Tells whether a sentence only thanks.
pub(super) fn is_courtesy(sentence: &str) -> bool {
    COURTESIES.contains(&bare(sentence).as_str())
}

fn bare(sentence: &str) -> String {
    sentence.trim().trim_end_matches(is_trailing_mark).to_lowercase()
}

fn is_end_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？')
}

fn is_end_or_closer(c: char) -> bool {
    is_end_mark(c)
        || matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '）' | '】' | '」' | '』' | '》')
}

fn is_trailing_mark(c: char) -> bool {
    c.is_whitespace()
        || c.is_ascii_punctuation()
        || is_end_or_closer(c)
        || matches!(c, '，' | '、' | '；' | '：' | '…' | '～' | '—' | '·' | '．' | '｡')
}

fn is_wide(c: char) -> bool {
    !c.is_ascii() && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_sentences(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected);
        assert_eq!(found.concat(), text);
    }

    #[test]
    fn sentences_end_at_marks_and_at_line_ends() {
        check_sentences("One. Two!  Three?\nFour", &["One. ", "Two!  ", "Three?\n", "Four"]);
        check_sentences("一。二！三？四", &["一。", "二！", "三？", "四"]);
        check_sentences("他说“好。”然后走了。", &["他说“好。”", "然后走了。"]);
        check_sentences("Wait... what?! Ok", &["Wait... ", "what?! ", "Ok"]);
        check_sentences("a\r\n\nb", &["a\r\n", "\n", "b"]);
        check_sentences("", &[]);
    }

    #[test]
    fn abbreviations_versions_and_addresses_are_left_whole() {
        for text in [
            "Use e.g. pnpm 9.1.0 or 3.5 s",
            "See Dr. Wong at 10 a.m. on Monday",
            "Open https://example.org/a?b=c.d!e now",
            "1. first item",
            "No. 5 is store.ts",
            "(cf. the notes)",
            "It was J. Ortega again",
        ] {
            check_sentences(text, &[text]);
        }
    }

    #[test]
    fn fillers_match_word_for_word() {
        for filler in ["OK", "ok...", "Got it!", "Thank you. ", "嗯嗯～", "好的。", "就这样"]
        {
            assert!(is_filler(filler), "{filler}");
        }
        for other in ["ok, thanks", "Ok?", "okay then", "不行", "可以吗", "yes 👍", "- ok", ""]
        {
            assert!(!is_filler(other), "{other}");
        }
    }

    #[test]
    fn questions_are_known_by_mark_particle_or_form() {
        for question in
            ["Delete it?", "删掉？", "删掉吗", "日志呢。", "要不要删掉", "(really?)", "What?!"]
        {
            assert!(is_question(question), "{question}");
        }
        for other in ["Delete it.", "删掉吧", "呢子大衣", "https://example.org/?a=b"] {
            assert!(!is_question(other), "{other}");
        }
    }
}
