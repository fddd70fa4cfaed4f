//! Cues: what a text visibly holds (a time, a number, a question), and what a question asks for.
//!
//! They move a candidate a little up or down; they never make or break a match.

use super::lexer::{Lexeme, fold};
use std::collections::HashSet;
use std::sync::LazyLock;

/// The text holds words of time.
pub(super) const TIME: u64 = 1;
/// The text holds a number.
pub(super) const NUMBER: u64 = 2;
/// The text only asks.
pub(super) const QUESTION: u64 = 4;

const TIME_WORDS: &str = "yesterday today tonight tomorrow week weeks weekend month months year \
    years day days ago last next recently monday tuesday wednesday thursday friday saturday sunday \
    january february march april june july august september october november december morning \
    evening afternoon night hour hours since summer winter spring autumn fall";
const TIME_RUNS: [&str; 24] = [
    "昨", "今", "明天", "后天", "前天", "上周", "下周", "上个", "下个", "星期", "周", "月", "年",
    "号", "日", "刚才", "最近", "以前", "小时", "分钟", "어제", "오늘", "내일", "昨日",
];
const NUMBER_WORDS: &str = "one two three four five six seven eight nine ten eleven twelve twenty \
    hundred thousand dozen couple several once twice first second third";

static TIME_SET: LazyLock<HashSet<&str>> =
    LazyLock::new(|| TIME_WORDS.split_whitespace().collect());
static NUMBER_SET: LazyLock<HashSet<&str>> =
    LazyLock::new(|| NUMBER_WORDS.split_whitespace().collect());

/// Returns the cues of a document's text.
pub(super) fn of_text(text: &str, lexemes: &[Lexeme], has_date: bool) -> u64 {
    let mut cues = if has_date { TIME } else { 0 };
    for lexeme in lexemes {
        match lexeme {
            Lexeme::Word { parts, .. } => {
                for part in parts {
                    if TIME_SET.contains(part.as_str()) {
                        cues |= TIME;
                    }
                    if part.bytes().any(|b| b.is_ascii_digit())
                        || NUMBER_SET.contains(part.as_str())
                    {
                        cues |= NUMBER;
                    }
                }
            }
            Lexeme::Run { chars, .. } => {
                let run: String = chars.iter().collect();
                if TIME_RUNS.iter().any(|word| run.contains(word)) {
                    cues |= TIME;
                }
                if chars.iter().any(|c| "一二两三四五六七八九十百千几半".contains(*c))
                {
                    cues |= NUMBER;
                }
            }
            Lexeme::Emoji { .. } => {}
        }
    }
    if only_asks(text) {
        cues |= QUESTION;
    }
    cues
}

/// A text that ends in a question and says little before it.
fn only_asks(text: &str) -> bool {
    let text = text.trim_end();
    if !text.ends_with(['?', '？']) {
        return false;
    }
    let said: usize = text
        .split_inclusive(['.', '!', '?', '。', '！', '？'])
        .filter(|sentence| !sentence.trim_end().ends_with(['?', '？']))
        .map(|sentence| sentence.split_whitespace().count().max(sentence.chars().count() / 6))
        .sum();
    said <= 8
}

/// Returns the cues that a question asks for.
pub(super) fn asked(query: &str) -> u64 {
    let folded = fold(query);
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let pair = |first: &str, seconds: &[&str]| {
        words.windows(2).any(|pair| pair[0] == first && seconds.contains(&pair[1]))
    };
    let has_any = |runs: &[&str]| runs.iter().any(|run| folded.contains(run));
    let mut cues = 0;
    if words.contains(&"when")
        || pair("how", &["long", "recently"])
        || pair("what", &["date", "day", "time", "year", "month"])
        || pair("which", &["date", "day", "year", "month", "week"])
        || has_any(&["什么时候", "哪天", "哪一天", "几号", "何时", "多久", "いつ", "언제"])
    {
        cues |= TIME;
    }
    if pair("how", &["many", "much", "old", "far", "often"])
        || has_any(&["多少", "几个", "几次", "いくつ", "몇"])
    {
        cues |= NUMBER;
    }
    cues
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lexer::lex;

    fn cues(text: &str) -> u64 {
        of_text(text, &lex(text), false)
    }

    #[test]
    fn texts_show_their_cues() {
        assert_eq!(cues("I moved last week."), TIME);
        assert_eq!(cues("We have 3 cats"), NUMBER);
        assert_eq!(cues("What do you do? And why?"), QUESTION);
        assert_eq!(cues("I moved to the coast with my old friends and their dog. You?"), 0);
        assert_eq!(cues("昨天搬家了"), TIME);
    }

    #[test]
    fn questions_ask_for_cues() {
        assert_eq!(asked("When did Ana move?"), TIME);
        assert_eq!(asked("how many cats"), NUMBER);
        assert_eq!(asked("什么时候搬家"), TIME);
        assert_eq!(asked("whenever"), 0);
    }
}
