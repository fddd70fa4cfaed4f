//! Content words, by which statements about one thing are known.

use super::text::is_han;

/// Content words for overlap tests: lower-case stems of Latin words, Han bigrams.
pub(super) fn content_tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut previous_han: Option<char> = None;
    for c in text.chars().chain([' ']) {
        if is_han(c) {
            flush(&mut word, &mut out);
            if let Some(p) = previous_han {
                let pair: String = [p, c].into_iter().collect();
                if !HAN_STOP.contains(&pair.as_str()) {
                    out.push(pair);
                }
            }
            previous_han = Some(c);
            continue;
        }
        previous_han = None;
        if c.is_alphanumeric() || (matches!(c, '-' | '_' | '.' | '+' | '#') && !word.is_empty()) {
            word.extend(c.to_lowercase());
        } else {
            flush(&mut word, &mut out);
        }
    }
    out.sort();
    out.dedup();
    out
}

const HAN_STOP: &[&str] = &[
    "我们", "你们", "他们", "这个", "那个", "项目", "一个", "已经", "现在", "可以", "什么", "怎么",
    "没有", "不是", "就是", "还是", "因为", "所以", "但是", "如果", "今天", "明天", "昨天", "下周",
    "上周", "这周", "好的",
];

fn flush(word: &mut String, out: &mut Vec<String>) {
    let trimmed = word.trim_end_matches(['.', '-', '_']);
    let ordinal = trimmed.len() <= 4
        && trimmed.ends_with(['h', 't', 'd'])
        && trimmed.starts_with(|c: char| c.is_ascii_digit());
    if trimmed.chars().count() > 1 && !ordinal && !STOP.contains(&trimmed) {
        out.push(stem(trimmed));
    }
    word.clear();
}

/// A light stem, enough to let "icons" meet "icon" and "finished" meet "finish".
fn stem(word: &str) -> String {
    if let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return (*base).to_owned();
    }
    for (suffix, least) in [("ing", 4), ("ed", 3), ("es", 4), ("s", 3)] {
        if let Some(base) = word.strip_suffix(suffix)
            && base.len() >= least
            && !base.ends_with(['s', 'u', 'i'])
        {
            return base.trim_end_matches('e').to_owned();
        }
    }
    word.trim_end_matches('e').to_owned()
}

const IRREGULAR: &[(&str, &str)] = &[
    ("sent", "send"),
    ("ran", "run"),
    ("bought", "buy"),
    ("wrote", "writ"),
    ("written", "writ"),
    ("built", "build"),
    ("made", "mak"),
    ("took", "tak"),
    ("taken", "tak"),
    ("went", "go"),
    ("moved", "mov"),
    ("left", "leav"),
    ("sold", "sell"),
    ("paid", "pay"),
    ("met", "meet"),
    ("flew", "fly"),
    ("flying", "fly"),
    ("began", "begin"),
    ("begins", "begin"),
    ("done", "do"),
    ("gave", "giv"),
    ("got", "get"),
    ("chose", "choos"),
    ("running", "run"),
    ("runs", "run"),
    ("shipped", "ship"),
    ("shipping", "ship"),
];

const STOP: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "the",
    "an",
    "and",
    "or",
    "but",
    "so",
    "to",
    "of",
    "in",
    "on",
    "at",
    "by",
    "for",
    "with",
    "from",
    "as",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "am",
    "it",
    "its",
    "it's",
    "this",
    "that",
    "these",
    "those",
    "i",
    "i'm",
    "me",
    "my",
    "we",
    "us",
    "our",
    "you",
    "your",
    "he",
    "she",
    "they",
    "them",
    "his",
    "her",
    "their",
    "do",
    "did",
    "does",
    "done",
    "have",
    "has",
    "had",
    "will",
    "would",
    "can",
    "could",
    "should",
    "must",
    "let",
    "let's",
    "not",
    "no",
    "yes",
    "ok",
    "now",
    "then",
    "also",
    "just",
    "very",
    "too",
    "please",
    "still",
    "again",
    "there",
    "here",
    "what",
    "which",
    "who",
    "when",
    "where",
    "why",
    "how",
    "if",
    "until",
    "since",
    "after",
    "before",
    "next",
    "last",
    "week",
    "month",
    "year",
    "day",
    "today",
    "tomorrow",
    "yesterday",
    "project",
    "got",
    "get",
    "use",
    "going",
    "all",
    "some",
    "any",
    "one",
    "two",
    "new",
    "up",
    "out",
    "about",
    "into",
    "want",
    "need",
    "like",
];

/// How many content tokens two texts share.
pub(super) fn shared_tokens(left: &[String], right: &[String]) -> usize {
    left.iter().filter(|t| right.binary_search(t).is_ok()).count()
}
