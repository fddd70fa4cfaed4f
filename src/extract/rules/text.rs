//! Cutting messages into sentences and clauses.

use regex::Regex;
use std::ops::Range;

/// Compiles a case-insensitive pattern once; `~` is a word boundary that also holds between
/// Latin and Han letters.
macro_rules! cue {
    ($(#[$doc:meta])* $name:ident, $body:expr) => {
        $(#[$doc])*
        pub(super) static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| $crate::extract::rules::text::compile($body));
    };
}
pub(super) use cue;

pub(super) fn compile(body: &str) -> Regex {
    Regex::new(&format!("(?i){}", latin_words(&body.replace('~', r"(?-u:\b)"))))
        .expect("the built-in patterns are valid")
}

/// Narrows `\w` to Latin letters, digits and `_`: the whole of Unicode makes the automata a hundred
/// times larger, and Han is spelled out where it is meant.
pub(crate) fn latin_words(body: &str) -> String {
    const LATIN: &str = "a-zA-Z0-9_\u{c0}-\u{24f}";
    let mut out = String::with_capacity(body.len());
    let (mut in_class, mut chars) = (false, body.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('w') if in_class => out.push_str(LATIN),
                Some('w') => out.extend(["[", LATIN, "]"]),
                Some(other) => out.extend([c, other]),
                None => out.push(c),
            },
            '[' => {
                in_class = true;
                out.push(c);
            }
            ']' => {
                in_class = false;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// A sentence or clause: a byte range of its message.
pub(super) type Span = Range<usize>;

/// One sentence.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    pub span: Span,
    pub is_question: bool,
    pub clauses: Vec<Span>,
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}')
}

/// Whether a text reads as Chinese: a fair share of its letters is Han.
pub(super) fn is_chinese(text: &str) -> bool {
    let (mut han, mut latin_words, mut in_word) = (0usize, 0usize, false);
    for c in text.chars() {
        if is_han(c) {
            han += 1;
        }
        let latin = c.is_ascii_alphabetic();
        if latin && !in_word {
            latin_words += 1;
        }
        in_word = latin || (in_word && (c.is_ascii_alphanumeric() || c == '-' || c == '\''));
    }
    han > 0 && han >= latin_words
}

const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "dr", "mr", "mrs", "ms", "prof", "st", "no", "approx", "inc", "ltd",
    "jr", "sr", "cf", "fig", "vol", "a.m", "p.m",
];

/// Whether the full stop at a byte position ends a sentence.
fn full_stop_ends(text: &str, stop: usize) -> bool {
    let after = &text[stop + 1..];
    if !after.is_empty()
        && !after.starts_with(|c: char| {
            c.is_whitespace() || matches!(c, '"' | ')' | '\'' | '”') || is_han(c)
        })
    {
        return false;
    }
    let word_start =
        text[..stop].rfind(|c: char| c.is_whitespace() || c == '(').map_or(0, |i| i + 1);
    let word_start = (word_start..=stop).find(|i| text.is_char_boundary(*i)).unwrap_or(stop);
    let word = text[word_start..stop].to_ascii_lowercase();
    let next_is_upper = after.trim_start().starts_with(|c: char| c.is_uppercase() || !c.is_ascii());
    if matches!(word.as_str(), "etc" | "a.m" | "p.m" | "no" | "st") {
        return after.trim().is_empty() || next_is_upper;
    }
    if ABBREVIATIONS.contains(&word.as_str()) {
        return after.trim().is_empty();
    }
    // An initial, as in "J. Smith".
    !(word.len() == 1
        && word != "i"
        && word.bytes().all(|b| b.is_ascii_alphabetic())
        && text[word_start..].starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Splits a blanked message into sentences.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        let ends = match c {
            '!' | '?' | '。' | '！' | '？' | '\n' | '…' => true,
            '.' => full_stop_ends(text, index),
            _ => false,
        };
        if !ends {
            continue;
        }
        let mut end = index + c.len_utf8();
        let mut question = matches!(c, '?' | '？');
        while let Some((next, d)) = chars.peek().copied() {
            if !matches!(d, '!' | '?' | '.' | '。' | '！' | '？' | '"' | '”' | ')' | '…') {
                break;
            }
            question |= matches!(d, '?' | '？');
            end = next + d.len_utf8();
            chars.next();
        }
        push_sentence(text, start..end, question, &mut out);
        start = end;
    }
    push_sentence(text, start..text.len(), false, &mut out);
    out
}

/// Nobody says a sentence of more bytes; what runs on is pasted matter, read in pieces of this
/// size, so that the work grows with the text and not with its square.
const MAX_SENTENCE_BYTES: usize = 2_000;

fn push_sentence(text: &str, span: Span, is_question: bool, out: &mut Vec<Sentence>) {
    let mut rest = trim(text, span);
    while !rest.is_empty() {
        let end = piece_end(text, &rest);
        let piece = trim(text, rest.start..end);
        rest = trim(text, end..rest.end);
        if text[piece.clone()].chars().any(char::is_alphanumeric) {
            let clauses = clauses(text, &piece);
            // 吗 asks, with or without a mark.
            let is_question = is_question || bare(text, &piece).ends_with('吗');
            out.push(Sentence { span: piece, is_question, clauses });
        }
    }
}

/// Where the first piece of an overlong sentence ends: after a comma, else at a blank.
fn piece_end(text: &str, span: &Span) -> usize {
    if span.len() <= MAX_SENTENCE_BYTES {
        return span.end;
    }
    let mut limit = span.start + MAX_SENTENCE_BYTES;
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let head = &text[span.start..limit];
    let after = |place: usize| place + head[place..].chars().next().map_or(1, char::len_utf8);
    let stop = head.rfind([',', ';', '，', '；', '、']).or_else(|| head.rfind(char::is_whitespace));
    stop.map_or(limit, |place| span.start + after(place))
}

/// Narrows a range to the text without blanks, list marks and closing stops.
pub(super) fn trim(text: &str, span: Span) -> Span {
    let slice = &text[span.clone()];
    let left = slice.trim_start_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '-' | '•' | '·' | ',' | '，' | ';' | '；' | '、' | ':' | '—' | '–')
    });
    let start = span.end - left.len();
    let right = left.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | '，' | ';' | '；' | '、' | ':' | '：' | '—' | '–')
    });
    start..start + right.len()
}

/// The words of a range without its closing stop.
pub(super) fn bare<'t>(text: &'t str, span: &Span) -> &'t str {
    text[span.clone()].trim_end_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | ',' | '，' | '…' | '~' | '～')
    })
}

cue!(
    /// What may stand at the start of a clause of its own after a comma or "and".
    CLAUSE_HEAD,
    r"^(?:(?:and|but|so|then|also|plus|though|yet|because|since|while|whereas|although) )*(?:(?:also|now|then|later|today|yesterday) )?(?:(?:I|we|you|he|she|they|it|there|that|this|who|let's|lets|please|maybe|perhaps|don't|do not|no)(?:'(?:m|re|s|ve|ll|d))?~|(?:the|my|our|his|her|their|your|a|an|this|that|these|those)(?: [\w'-]+){1,4} (?:is|are|was|were|will|has|have|had|can|could|must|should|won't|isn't|doesn't|didn't|[a-z]+(?:s|ed))~|(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z])[\w-]*| from [\w]+| and (?-i:[A-Z])[\w-]*)* (?:is|are|was|were|will|has|have|had|can|must|should|also|now|still|took|takes|left|joined|moved|leads|owns|sent|[a-z]+(?:s|ed))~|(?:staying|living) (?:at|in|with)~|(?:\w+ ){0,2}(?:times|runs|sessions|days) (?:a|per) (?:week|month)|(?:is|are|was|were|will|has|have) (?:now |also )?(?:replaced|moving|taking)|(?:every|each) \w+ (?:I|we|he|she|they)~|(?:[\w'-]+ ){1,3}(?:is|are|was|were|takes?|took|keeps?|fails?|costs?|has|have)~)"
);

fn begins_chinese(rest: &str) -> bool {
    rest.starts_with(is_han) || (rest.chars().any(is_han) && is_chinese(rest))
}

/// Splits a sentence into clauses.
fn clauses(text: &str, sentence: &Span) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let mut start = sentence.start;
    let slice = &text[sentence.clone()];
    for (offset, c) in slice.char_indices() {
        let at = sentence.start + offset;
        let rest_start = at + c.len_utf8();
        let cuts = match c {
            ';' | '；' | '，' => true,
            ',' | '—' | '–' => {
                let rest = text[rest_start..sentence.end].trim_start();
                let after_is_blank =
                    text[rest_start..].starts_with(|d: char| d.is_whitespace() || is_han(d));
                after_is_blank
                    && (rest.starts_with("so ")
                        || CLAUSE_HEAD.is_match(rest)
                        || begins_chinese(rest))
            }
            ' ' if slice[offset..].starts_with(" - ") => true,
            ' ' => {
                let rest = &text[rest_start..sentence.end];
                starts_joined_clause(&slice[..offset], rest)
                    && !text[start..at].trim_end().ends_with([',', ';', '，'])
            }
            _ => false,
        };
        if cuts && at > start {
            let piece = trim(text, start..at);
            if !piece.is_empty() {
                out.push(piece);
            }
            start = rest_start;
        }
    }
    let piece = trim(text, start..sentence.end);
    if !piece.is_empty() {
        out.push(piece);
    }
    if out.len() > 1 && begins_with_time(&text[out[0].clone()]) {
        // "Starting Monday, Priya owns it" is one clause: alone, the second would hold at once.
        out[1].start = out[0].start;
        out.remove(0);
    }
    out
}

cue!(
    TIME_HEAD,
    r"^(?:since|from|as of|starting|beginning|effective|until)~|^从.{1,10}(?:起|开始)$"
);

/// Whether a piece is nothing but words about since when or until when.
fn begins_with_time(piece: &str) -> bool {
    TIME_HEAD.is_match(piece)
        && crate::extract::dates::find(piece, &super::tooling::EPOCH)
            .last()
            .is_some_and(|time| time.end + 2 >= piece.chars().count())
}

cue!(
    /// A conjunction that begins a clause of its own.
    SUBORDINATED,
    r"^(?:because~|'?cause (?:I|we|it|he|she|they|the|my|our)~|until (?:I|we|he|she|they|the [a-z]+ (?:is|are|has))~|(?:since|after|when|while|before|whenever|although|though) (?:I|we|he|she|they|it|my|our)~)"
);

/// "… and I moved", "… so I moved", "… but we keep": a clause joined without a comma.
fn starts_joined_clause(before: &str, rest: &str) -> bool {
    if SUBORDINATED.is_match(rest) && !(rest.starts_with("when") && before.contains("it was")) {
        return true;
    }
    let Some(word) = ["and ", "but ", "so "].into_iter().find(|w| rest.starts_with(w)) else {
        return false;
    };
    let tail = &rest[word.len()..];
    // "Rob and I went": one subject of two.
    let last_start = before.rfind([',', ';', ':', '.', '!', '?']).map_or(0, |i| i + 1);
    if word == "and " && before[last_start..].split_whitespace().count() < 3 {
        return false;
    }
    ["I ", "I'", "we ", "we'", "he ", "she ", "they ", "it's ", "it is "]
        .iter()
        .any(|head| tail.starts_with(head))
        || (word == "and "
            && CLAUSE_HEAD.is_match(tail)
            && tail.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Counts characters of a message up to a byte position.
pub(super) fn chars_before(text: &str, byte: usize) -> usize {
    text[..byte].chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        sentences(text).into_iter().map(|s| text[s.span].to_owned()).collect()
    }

    #[test]
    fn versions_urls_and_abbreviations_stay_whole() {
        assert_eq!(split("We run 2.1.0 now. See docs."), ["We run 2.1.0 now.", "See docs."]);
        assert_eq!(split("Use store.ts, e.g. for tests."), ["Use store.ts, e.g. for tests."]);
        assert_eq!(
            split("Dr. Chen called. 好的。走吧！"),
            ["Dr. Chen called.", "好的。", "走吧！"]
        );
    }

    #[test]
    fn clauses_are_cut_where_a_new_subject_begins() {
        let cut = |text: &str| -> Vec<String> {
            sentences(text)[0].clauses.iter().map(|s| text[s.clone()].to_owned()).collect()
        };
        assert_eq!(
            cut("The contract ended in May, the new one begins in June."),
            ["The contract ended in May", "the new one begins in June."]
        );
        assert_eq!(
            cut("Kevin 走了，Yuki 接手，其他不变。"),
            ["Kevin 走了", "Yuki 接手", "其他不变。"]
        );
        assert_eq!(cut("Red, green and blue lamps."), ["Red, green and blue lamps."]);
    }

    #[test]
    fn a_sentence_without_end_is_read_in_pieces() {
        for piece in ["next week, by Friday, ", "下周五之前，五月六日，", "word ", "字"]
        {
            let text = piece.repeat(200_000 / piece.len());
            let found = sentences(&text);
            assert!(found.len() > 90 && found.len() < 120, "{piece}: {}", found.len());
            assert!(found.iter().all(|s| s.span.len() <= MAX_SENTENCE_BYTES), "{piece}");
            let letters = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).count();
            let kept: usize = found.iter().map(|s| letters(&text[s.span.clone()])).sum();
            assert_eq!(kept, letters(&text), "{piece}");
        }
    }
}
