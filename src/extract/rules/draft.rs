//! Events in the making.

use super::classify::Class;
use super::scene::Line;
use super::text::{Span, bare, chars_before};
use super::tokens::content_tokens;
use crate::extract::dates::{Length, Shape, TimeMention, day_occurrence, days_from, open_from};
use crate::model::{
    Basis, Claim, EntityRef, EventKind as K, EventStatus as S, Occurrence, Precision, Quote, Stamp,
};

/// An Event before it has an id.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub kind: K,
    pub status: S,
    /// The line its statement stands in.
    pub line: usize,
    pub clause: Span,
    pub sentence: Span,
    /// Lines of its sources, ascending.
    pub sources: Vec<usize>,
    pub quotes: Vec<(usize, Span)>,
    pub occurred: Occurrence,
    /// The time words it was dated by.
    pub dated_by: Option<TimeMention>,
    pub statement: String,
    pub reason: Option<String>,
    pub subject: EntityRef,
    pub participants: Vec<EntityRef>,
    pub claims: Vec<Claim>,
    pub tokens: Vec<String>,
    /// Earlier drafts that this one fulfils or supersedes.
    pub fulfils: Vec<usize>,
    pub supersedes: Vec<usize>,
    pub refines: Vec<usize>,
    /// Relations to Events of earlier Blocks.
    pub known: Vec<crate::model::Relation>,
    /// Dropped by a later pass.
    pub dropped: bool,
}

impl Draft {
    pub fn new(
        line_index: usize,
        line: &Line<'_>,
        clause: Span,
        sentence: Span,
        class: Class,
        time: Option<&TimeMention>,
    ) -> Self {
        let statement = bare(line.text, &clause).to_owned();
        Self {
            kind: class.kind,
            status: class.status,
            line: line_index,
            sources: vec![line_index],
            quotes: vec![(line_index, sentence.clone())],
            occurred: occurrence(class.kind, class.status, time, &statement, &line.message.at),
            dated_by: time.cloned(),
            tokens: content_tokens(&statement),
            reason: None,
            subject: line.person(),
            participants: Vec::new(),
            claims: Vec::new(),
            fulfils: Vec::new(),
            supersedes: Vec::new(),
            refines: Vec::new(),
            known: Vec::new(),
            dropped: false,
            statement,
            clause,
            sentence,
        }
    }

    pub fn add_source(&mut self, line: usize) {
        if let Err(place) = self.sources.binary_search(&line) {
            self.sources.insert(place, line);
        }
    }

    pub fn add_quote(&mut self, line: usize, span: Span) {
        self.add_source(line);
        if !self
            .quotes
            .iter()
            .any(|(l, s)| *l == line && s.start <= span.start && span.end <= s.end)
        {
            self.quotes.push((line, span));
        }
    }

    /// Whether it is still to come.
    pub fn is_open(&self) -> bool {
        !self.dropped
            && matches!(self.status, S::Planned | S::Tentative)
            && matches!(self.kind, K::Plan | K::Request | K::Proposal)
    }

    /// Its quotes with character ranges.
    pub fn quotes(&self, lines: &[Line<'_>]) -> Vec<Quote> {
        let mut quotes = self.quotes.clone();
        quotes.sort_by_key(|(line, span)| (*line, span.start, span.end));
        quotes
            .into_iter()
            .filter(|(line, span)| {
                lines[*line].text.get(span.clone()).is_some_and(|t| !t.is_empty())
            })
            .map(|(line, span)| {
                let text = lines[line].text;
                let start = chars_before(text, span.start);
                let quoted = text[span].to_owned();
                Quote {
                    message: lines[line].message.id.clone(),
                    end: start + quoted.chars().count(),
                    start,
                    text: quoted,
                }
            })
            .collect()
    }
}

/// Picks the time words that date a clause: its own, else those that its sentence began with.
pub(super) fn dating(line: &Line<'_>, clause: &Span, sentence: &Span) -> Option<TimeMention> {
    let rank = |m: &TimeMention| match m.shape {
        Shape::Range => 0,
        Shape::Deadline | Shape::Since | Shape::Until => 1,
        Shape::Point => 2,
        Shape::Length => 4,
        Shape::Recurring => 5,
        Shape::Vague | Shape::Impossible => 3,
    };
    let own = line.times_within(clause).iter().min_by_key(|t| (rank(&t.mention), t.span.start));
    if let Some(time) = own {
        return Some(time.mention.clone());
    }
    line.times_within(&(sentence.start..clause.start.max(sentence.start)))
        .iter()
        .rfind(|t| {
            (t.mention.shape == Shape::Since && line.chinese)
                || (t.mention.shape == Shape::Range && t.mention.length.is_some())
        })
        .map(|t| t.mention.clone())
}

/// Dates an Event by its kind and its time words.
pub(super) fn occurrence(
    kind: K,
    status: S,
    time: Option<&TimeMention>,
    statement: &str,
    at: &Stamp,
) -> Occurrence {
    match kind {
        K::Plan | K::Request | K::Proposal => to_come(time, statement, at),
        K::Preference | K::Habit | K::Constraint => lasting(time, Some(at.local_day()), at),
        K::State => lasting(time, begins_now(statement).then(|| at.local_day()), at),
        K::Problem if status == S::Ongoing => lasting(time, Some(at.local_day()), at),
        _ => happened(time, at),
    }
}

fn words(time: Option<&TimeMention>) -> Option<String> {
    time.map(|t| t.expression.clone())
}

/// A state that the words say is new.
fn begins_now(statement: &str) -> bool {
    let lower = statement.to_lowercase();
    ["now ", " now", "new ", "今起", "现在", "刚"].iter().any(|w| lower.contains(w))
        && !lower.contains("still")
}

fn to_come(time: Option<&TimeMention>, statement: &str, at: &Stamp) -> Occurrence {
    let Some(time) = time else { return Occurrence::unknown(None) };
    match (time.shape, time.length) {
        (Shape::Length, Some(length)) if starts_at_once(statement) => from_now(length, time, at),
        _ => time.occurrence.clone(),
    }
}

fn from_now(length: Length, time: &TimeMention, at: &Stamp) -> Occurrence {
    days_from(at.local_day(), length, true, &time.expression, at)
        .unwrap_or_else(|| Occurrence::unknown(Some(time.expression.clone())))
}

/// Whether a length that follows counts from the mention: giving something up does.
fn starts_at_once(statement: &str) -> bool {
    let lower = statement.to_lowercase();
    [
        "戒", "停", "暂停", "休息", "休假", "禁", "no ", "off", "pause", "without", "skip",
        "break", "stop", "for now", "借住", "freeze",
    ]
    .iter()
    .any(|w| lower.contains(w))
}

fn lasting(time: Option<&TimeMention>, start: Option<chrono::NaiveDate>, at: &Stamp) -> Occurrence {
    let expression = words(time);
    let open = |first, basis, approx| Occurrence {
        expression: expression.clone(),
        approx,
        ..open_from(first, basis, at)
    };
    let Some(time) = time else { return open(start, Basis::Inferred, false) };
    let o = &time.occurrence;
    match time.shape {
        Shape::Since | Shape::Impossible => o.clone(),
        Shape::Until | Shape::Range if o.local_to.is_some_and(|d| d >= at.local_day()) => o.clone(),
        // "In the nineties": what held then does not hold since then.
        Shape::Range if !o.approx && o.local_to.is_some() => o.clone(),
        Shape::Point | Shape::Range if o.local_from.is_some_and(|d| d <= at.local_day()) => {
            open(o.local_from, o.basis, o.approx)
        }
        Shape::Point if o.local_from.is_some() => open(o.local_from, o.basis, o.approx),
        _ => open(start, Basis::Inferred, false),
    }
}

fn happened(time: Option<&TimeMention>, at: &Stamp) -> Occurrence {
    let said = || day_occurrence(at, words(time));
    let Some(time) = time else { return said() };
    let o = &time.occurrence;
    let today = at.local_day();
    match time.shape {
        Shape::Since => match &time.unit {
            // "From this week on": the change falls into the unit that has begun.
            Some(unit) if unit.local_from.is_some_and(|d| d <= today) => {
                Occurrence { expression: o.expression.clone(), ..unit.clone() }
            }
            _ => o.clone(),
        },
        Shape::Point | Shape::Range if o.local_from.is_some_and(|d| d <= today) => o.clone(),
        // "I worked there until early 2019": over then, and begun at a time that is not said.
        Shape::Until if o.local_to.is_some_and(|d| d < today) => o.clone(),
        Shape::Vague if looks_back(&time.expression) => o.clone(),
        Shape::Impossible => o.clone(),
        _ => said(),
    }
}

fn looks_back(expression: &str) -> bool {
    let lower = expression.to_lowercase();
    ["ago", "recent", "lately", "other day", "back", "前", "最近", "近"]
        .iter()
        .any(|w| lower.contains(w))
}

/// Whether an occurrence lies wholly after a day.
pub(super) fn is_ahead(occurrence: &Occurrence, today: chrono::NaiveDate) -> bool {
    occurrence.precision == Precision::Deadline || occurrence.local_from.is_some_and(|d| d > today)
}
