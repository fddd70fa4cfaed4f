//! Three-valued answers where a time is vague: "in March" begins somewhere in March.

use super::state::end_of;
use crate::model::{Fact, Precision, TxTime, ValidTime};
use chrono::{DateTime, Duration, Months, Utc};

/// Whether a fact holds at an instant, as far as its words tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It holds wherever in its bounds it began and ended.
    Certainly,
    /// It holds for some of them.
    Possibly,
    /// It holds for none.
    Not,
}

impl Certainty {
    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certainly => "certainly",
            Self::Possibly => "possibly",
            Self::Not => "not",
        }
    }
}

/// The first instant that is past every reading of a time with this precision. A time that is
/// exact, or whose width its words do not tell, is its own bound.
fn latest(at: DateTime<Utc>, precision: Precision) -> DateTime<Utc> {
    let months = |count| at.checked_add_months(Months::new(count)).unwrap_or(at);
    match precision {
        Precision::Day => at + Duration::days(1),
        Precision::Week => at + Duration::days(7),
        Precision::Month => months(1),
        Precision::Quarter | Precision::Season => months(3),
        Precision::Year => months(12),
        Precision::Instant
        | Precision::Range
        | Precision::Deadline
        | Precision::OpenEnd
        | Precision::Unknown => at,
    }
}

/// Says whether a fact holds at `valid_at` as known at `known_at` (now where `None`).
///
/// The bounds of a start are its first and last possible instant, those of an end likewise. A start
/// before anything we know is certain only from when the fact was recorded, or from its end back to
/// then, whichever comes first.
pub fn certainty(fact: &Fact, valid_at: ValidTime, known_at: Option<TxTime>) -> Certainty {
    let at = valid_at.0;
    let (begins, has_begun) = match fact.valid_from {
        Some(from) => (from.0 <= at, latest(from.0, fact.precision) <= at.max(from.0)),
        None => (true, fact.recorded_at.0 <= at),
    };
    let has_begun = begins && has_begun;
    let (may_last, lasts) = match end_of(fact, known_at) {
        None => (true, true),
        Some(end) => {
            let precision = end.closing.map_or(Precision::Instant, |closing| closing.precision);
            (at < latest(end.valid_to.0, precision).max(end.valid_to.0), at < end.valid_to.0)
        }
    };
    match (begins && may_last, has_begun && lasts) {
        (false, _) => Certainty::Not,
        (true, true) => Certainty::Certainly,
        (true, false) => Certainty::Possibly,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Closing, ClosingId, EntityId, EventId, FactId, FactValue, Reason, Slot};

    fn day(text: &str) -> ValidTime {
        ValidTime(format!("{text}T00:00:00Z").parse().expect("a date"))
    }

    fn fact(from: Option<&str>, precision: Precision, end: Option<(&str, Precision)>) -> Fact {
        let event = EventId("e".to_owned());
        let closing = end.map(|(to, precision)| Closing {
            id: ClosingId("c".to_owned()),
            valid_to: day(to),
            precision,
            recorded_at: TxTime(day("2026-01-01").0),
            retracted_at: None,
            cause: event.clone(),
            reason: Reason::Changed,
            rule: String::new(),
            superseded_by: None,
        });
        Fact {
            id: FactId("f".to_owned()),
            slot: Slot {
                entity: EntityId("project:p".to_owned()),
                property: "database".to_owned(),
                qualifier: None,
            },
            value: FactValue::Text("x".to_owned()),
            valid_from: from.map(day),
            precision,
            known_end: None,
            planned: false,
            events: vec![event],
            recorded_at: TxTime(day("2026-04-15").0),
            retracted_at: None,
            closings: closing.into_iter().collect(),
        }
    }

    #[test]
    fn a_vague_start_and_a_vague_end_make_answers_of_three_kinds() {
        use Certainty::{Certainly, Not, Possibly};
        // "In March" until "in June".
        let vague =
            fact(Some("2026-03-01"), Precision::Month, Some(("2026-06-01", Precision::Month)));
        let exact =
            fact(Some("2026-03-01"), Precision::Instant, Some(("2026-06-01", Precision::Instant)));
        for (at, of_vague, of_exact) in [
            ("2026-02-28", Not, Not),
            ("2026-03-01", Possibly, Certainly),
            ("2026-03-20", Possibly, Certainly),
            ("2026-04-01", Certainly, Certainly),
            ("2026-05-31", Certainly, Certainly),
            ("2026-06-01", Possibly, Not),
            ("2026-06-30", Possibly, Not),
            ("2026-07-01", Not, Not),
        ] {
            assert_eq!(certainty(&vague, day(at), None), of_vague, "in March to June, at {at}");
            assert_eq!(certainty(&exact, day(at), None), of_exact, "exactly, at {at}");
        }
    }

    #[test]
    fn an_unknown_start_is_certain_only_from_when_it_was_heard_of() {
        let still = fact(None, Precision::Unknown, None);
        assert_eq!(certainty(&still, day("2026-04-01"), None), Certainty::Possibly);
        assert_eq!(certainty(&still, day("2026-04-15"), None), Certainty::Certainly);
    }

    #[test]
    fn an_end_that_was_not_known_yet_ends_nothing() {
        let ended =
            fact(Some("2026-03-01"), Precision::Instant, Some(("2026-06-01", Precision::Instant)));
        let before = TxTime(day("2025-12-31").0);
        assert_eq!(certainty(&ended, day("2026-07-01"), Some(before)), Certainty::Certainly);
    }
}
