//! Whether a clause speaks of the past or of what is to come; bare weekdays and dates without a
//! year depend on it.

use super::window::{WINDOW, floor_boundary};
use regex::Regex;
use std::sync::LazyLock;

/// Which way a clause looks in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    /// It tells what was.
    Past,
    /// It tells what is to be.
    Future,
    /// It tells neither, or both.
    Open,
}

/// Verbs whose past is no `-ed` form. Forms that are also a present or a noun (`put`, `read`,
/// `cut`, `set`, `left` as a side) are kept only where the past is the usual reading.
pub(crate) const IRREGULAR_PAST: &str = "was|were|had|did|went|got|made|came|took|saw|gave|found|told|felt|left|met|ran|sent|spent|bought|brought|built|broke|began|became|chose|caught|drew|drove|ate|fell|flew|forgot|froze|grew|heard|held|kept|knew|lost|paid|rode|rose|said|sold|spoke|stood|swam|taught|thought|threw|understood|woke|wore|won|wrote|slept|led|lent|sang|shot|showed|hid|dealt|sought|fought|bit|blew|shook|stole|stuck|swore|tore|gone|been|done|taken|given|seen|written|broken|chosen|driven|grown|known|shown|spoken|stolen|forgotten|eaten|fallen|overtook|withdrew|rebuilt|rewrote|undid|redid|shipped|cut it";

static PAST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)(?-u:\b)(?:{IRREGULAR_PAST}|[a-z]{{2,}}[a-z]ed|used to|have been|has been|I've|we've)(?-u:\b)|了(?:[^,，。]|$)|过了|已经|已|刚刚|刚才|曾经|完了"
    ))
    .expect("a valid pattern")
});

static FUTURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?-u:\b)(?:will|won't|shall|going to|gonna|about to|plan(?:s|ning)? to|planning|planned for|scheduled|intend|aim(?:ing)?|hop(?:e|ing) to|let's|let us|must|should|needs?|wants?|wanna|please|remind|book|can you|could you|expect(?:s|ed)?|due|deadline|would like|supposed|have to|has to|tomorrow|next|coming|upcoming|until|by|soon)(?-u:\b)|(?-u:\b)(?:I|we|you|he|she|they|it|who|that|there)'ll(?-u:\b)|打算|计划|准备|将|即将|下周|下个|明天|后天|明年|要(?:去|在|把|做|交|开|完成|参加|搬|飞|降|升)|请|提醒|预计|预定|争取|之前|截止",
    )
    .expect("a valid pattern")
});

/// Words that end in `-ed` and are no past.
static FALSE_PAST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:need|speed|feed|seed|indeed|exceed|proceed|succeed|embed|shared|unlimited|red|bed|based|is (?:scheduled|planned|expected|supposed)|are (?:scheduled|planned|expected|supposed)|booked for)(?-u:\b)")
        .expect("a valid pattern")
});

static MOVES_TO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:(?:moved|pushed|shifted|changed) (?:from|the|my|our|it|that|this|his|her|their) .{0,40}|(?:had|have) to (?:postpone|reschedule|delay|move|push) .{0,40}|(?:was|were|been|got|is|are) (?:moved|pushed|shifted)(?: back| forward| up)? |(?:slipped|postponed|rescheduled|delayed|extended|brought forward|pushed back)(?-u:\b).{0,40})(?-u:\b)(?:to|until|till|for)(?: the)? (?:\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|next|tomorrow|later|end|early|mid|late|spring|summer|autumn|fall|winter)|推迟到|提前到|改到|延到|延期到|改期到")
        .expect("a valid pattern")
});

static NO_MORE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"不[^,，。]{1,8}了").expect("a valid pattern"));

/// Reads the tense of a clause.
pub(crate) fn tense_of(clause: &str) -> Tense {
    // "I moved the flight to July 6th" names a day to come; "不加糖了" tells what holds from now.
    if MOVES_TO.is_match(clause) {
        return Tense::Future;
    }
    if NO_MORE.is_match(clause) {
        return Tense::Open;
    }
    let past = PAST.find_iter(clause).any(|m| !FALSE_PAST.is_match(m.as_str()));
    match (past, FUTURE.is_match(clause)) {
        (true, false) => Tense::Past,
        (false, true) => Tense::Future,
        _ => Tense::Open,
    }
}

/// Returns the clause around a byte position: up to the nearest stops, commas included.
fn clause_around(text: &str, position: usize) -> &str {
    let is_stop = |c: char| {
        matches!(c, ',' | ';' | '!' | '?' | '\n' | '，' | '。' | '；' | '！' | '？' | '：')
    };
    let start = after_last(text, position, is_stop);
    let end = before_next(text, position, is_stop);
    let clause = &text[start..end];
    // A bare time phrase between commas ("On Friday, we shipped it") takes the whole sentence.
    let words = clause.split_whitespace().count();
    if clause.chars().count() < 8 || (clause.is_ascii() && words < 4) {
        sentence_around(text, position)
    } else {
        clause
    }
}

fn sentence_around(text: &str, position: usize) -> &str {
    let is_stop = |c: char| matches!(c, '!' | '?' | '\n' | '。' | '！' | '？');
    &text[after_last(text, position, is_stop)..before_next(text, position, is_stop)]
}

/// The byte after the last stop before a position; a full stop counts with the space after it.
fn after_last(text: &str, position: usize, is_stop: impl Fn(char) -> bool) -> usize {
    let before = &text[..position];
    before
        .rfind(is_stop)
        .map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8))
        .max(before.rfind(". ").map_or(0, |i| i + 2))
        .max(before.rfind(": ").map_or(0, |i| i + 2))
        .max(before.rfind(" so ").map_or(0, |i| i + 4))
        .max(before.rfind(" but ").map_or(0, |i| i + 5))
}

fn before_next(text: &str, position: usize, is_stop: impl Fn(char) -> bool) -> usize {
    let after = &text[position..];
    let end = after.find(is_stop).unwrap_or(after.len());
    [". ", ": ", " so ", " but ", " because "]
        .iter()
        .filter_map(|stop| after.find(stop))
        .fold(end, usize::min)
        + position
}

/// Reads the tense of the clause around a byte position.
pub(super) fn tense_around(text: &str, position: usize) -> Tense {
    // A clause of speech ends within the window; in a text without stops each look would else go
    // through all of it.
    let start = floor_boundary(text, position.saturating_sub(WINDOW));
    let end = floor_boundary(text, text.len().min(position + WINDOW));
    tense_of(clause_around(&text[start..end], position - start))
}
