//! Time words in English and Chinese, resolved against the time of the message that holds them.
//!
//! [`find`] is the whole interface. It reads in two steps: the language files find *atoms* (a day,
//! a calendar unit, a clock time, a length, a rhythm), then [`compose`] joins what belongs
//! together ("July 3rd for two weeks", "from March to May") and reads the small words around them
//! ("by", "until", "since", "之前", "从…起").
//!
//! Invariants: nothing is resolved against today, only against the [`Stamp`] that is handed in;
//! local dates count in its offset; an interval is never reversed; what cannot be fixed keeps its
//! words and stays unknown.

mod calendar;
mod chinese;
mod compose;
mod english;
mod english_calendar;
mod numbers;
mod tense;
mod window;

#[cfg(test)]
mod tests;

use crate::model::{Occurrence, Stamp};
use chrono::NaiveDate;

pub use calendar::Length;
pub(crate) use calendar::{day_occurrence, days_from, open_from, range_occurrence};
pub use tense::Tense;
pub(crate) use tense::tense_of;
pub(crate) use window::words_before;

/// How a time expression bounds what it is said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// It happens then.
    Point,
    /// It must be done by then.
    Deadline,
    /// It holds until then.
    Until,
    /// It holds from then on.
    Since,
    /// It holds from one day to another.
    Range,
    /// A length of time whose start is not said.
    Length,
    /// A rhythm: every Tuesday, three times a week.
    Recurring,
    /// Words about time that fix no date.
    Vague,
    /// Words that name a day which no calendar has: 30 February.
    Impossible,
}

/// One time expression in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeMention {
    /// First character (Unicode code point), from 0.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
    /// The words, as they stand in the text.
    pub expression: String,
    /// What the words mean.
    pub occurrence: Occurrence,
    /// How they bound what they are said of.
    pub shape: Shape,
    /// For [`Shape::Since`]: the unit it begins with, as the month of "from this month on".
    pub unit: Option<Occurrence>,
    /// For [`Shape::Length`]: how long.
    pub length: Option<Length>,
}

/// Finds the time expressions of a text, in order, without overlaps.
///
/// # Examples
/// ```
/// use stratagate::extract::dates::find;
/// use stratagate::model::Stamp;
/// let said = Stamp::given("2026-05-08T14:10:00+08:00".parse().unwrap());
/// let found = find("Finish the prototype next week.", &said);
/// assert_eq!(found[0].expression, "next week");
/// assert_eq!(found[0].occurrence.local_from.unwrap().to_string(), "2026-05-11");
/// assert_eq!(found[0].occurrence.local_to.unwrap().to_string(), "2026-05-17");
/// ```
pub fn find(text: &str, at: &Stamp) -> Vec<TimeMention> {
    find_near(text, at, None)
}

/// Like [`find`], with the day that the conversation spoke of last: "back on the 17th" after
/// "July 3rd" means 17 July.
pub fn find_near(text: &str, at: &Stamp, near: Option<NaiveDate>) -> Vec<TimeMention> {
    if !may_hold_time_words(text) {
        return Vec::new();
    }
    let frame = calendar::Frame::new(*at, near);
    let mut atoms = Vec::new();
    english::find_atoms(text, &frame, &mut atoms);
    english_calendar::find_atoms(text, &frame, &mut atoms);
    if !text.is_ascii() {
        chinese::find_atoms(text, &frame, &mut atoms);
    }
    compose::compose(text, &frame, atoms)
}

/// A cheap gate: most sentences of a conversation hold no time words at all.
fn may_hold_time_words(text: &str) -> bool {
    use regex::Regex;
    use std::sync::LazyLock;
    static GATE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)[0-9天日周月年点号早晚起期季春夏秋冬久近后前昨今明]|day|week|month|year|quarter|morning|afternoon|evening|night|noon|tomorrow|ago|later|soon|recent|once|twice|now|hour|minute|spring|summer|autumn|fall|winter|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ties|some|eventual|moment|礼拜|将来|改天|回头|有空|mon\b|tue|wed|thu|fri\b|sat\b|sun\b|eod|daily|annual|future|long|christmas",
        )
        .expect("the gate is a valid pattern")
    });
    GATE.is_match(text)
}
