//! One claim about one Slot, with its time read into a place on the line of valid time.

use crate::model::{
    Basis, Claim, ClaimOp, Event, EventId, FactValue, Occurrence, Precision, Stamp, ThreadId,
    ValidTime,
};
use chrono::{DateTime, Duration, Timelike, Utc};
use serde::{Deserialize, Serialize};

/// Where a message stands in its thread; orders statements that carry the same time of day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The thread.
    pub thread: ThreadId,
    /// Count of the message in it.
    pub index: u64,
}

/// A claim of one Slot, as [`fold`](super::fold) takes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotClaim {
    /// The Event that makes the claim.
    pub event: EventId,
    /// Its place among the Event's claims.
    pub ordinal: usize,
    /// The value; `None` = whatever it was, only with [`ClaimOp::End`].
    pub value: Option<FactValue>,
    /// Whether the value begins or ends.
    pub op: ClaimOp,
    /// The earliest instant it can have begun (or ended); `None` = before anything we know.
    pub at: Option<ValidTime>,
    /// The instant by which it had begun (or ended) for certain. Equal to `at` for an exact time;
    /// the mention for a vague start such as "this week" or "still".
    pub by: ValidTime,
    /// How exactly `at` is known.
    pub precision: Precision,
    /// Whether words of the source gave `at`, rather than the time of the mention.
    pub stated: bool,
    /// An end that the source itself states.
    pub known_end: Option<ValidTime>,
    /// Planned or tentative: never part of the current state.
    pub planned: bool,
    /// Says that an earlier statement was wrong.
    pub corrects: bool,
    /// When the conversation spoke of it.
    pub mentioned_at: DateTime<Utc>,
    /// Where it was said; only breaks ties of the mention.
    pub position: Option<Position>,
}

impl SlotClaim {
    /// Reads the claim `ordinal` of an Event. `value` is the resolved value, `None` for "any".
    ///
    /// `index` is the count of the Event's first source message in its thread, where it is known.
    pub fn from_claim(
        event: &Event,
        ordinal: usize,
        claim: &Claim,
        value: Option<FactValue>,
        index: Option<u64>,
    ) -> Self {
        let time = ClaimTime::read(claim.valid.as_ref(), &event.mentioned_at, claim.planned);
        Self {
            event: event.id.clone(),
            ordinal,
            value,
            op: claim.op,
            at: time.at,
            by: time.by,
            precision: time.precision,
            stated: time.stated,
            known_end: time.known_end.filter(|_| claim.op == ClaimOp::Assert),
            planned: claim.planned,
            corrects: claim.corrects,
            mentioned_at: event.mentioned_at.utc,
            position: index.map(|index| Position { thread: event.thread.clone(), index }),
        }
    }

    /// Whether the mention itself places the claim, so that the order of messages may break a tie.
    pub(super) fn is_placed_by_mention(&self) -> bool {
        self.by.0 == self.mentioned_at
    }

    /// Whether the conversation spoke of this one first: at an earlier time, or at the same time
    /// in an earlier message of the same thread.
    pub(super) fn is_mentioned_before(&self, other: &Self) -> bool {
        let is_earlier_in_thread = || match (&self.position, &other.position) {
            (Some(own), Some(other)) => own.thread == other.thread && own.index < other.index,
            _ => false,
        };
        self.mentioned_at < other.mentioned_at
            || (self.mentioned_at == other.mentioned_at && is_earlier_in_thread())
    }

    /// Whether the claim is about this value: it names it, or is about any.
    pub(super) fn is_about(&self, key: &str) -> bool {
        self.value.as_ref().is_none_or(|value| value.key() == key)
    }
}

/// What a claim's time words come to.
struct ClaimTime {
    at: Option<ValidTime>,
    by: ValidTime,
    precision: Precision,
    stated: bool,
    known_end: Option<ValidTime>,
}

impl ClaimTime {
    fn read(valid: Option<&Occurrence>, mention: &Stamp, planned: bool) -> Self {
        let said = ValidTime(mention.utc);
        let from_mention = Self {
            at: Some(said),
            by: said,
            precision: Precision::Instant,
            stated: false,
            known_end: None,
        };
        let Some(valid) = valid else { return from_mention };
        let known_end = known_end(valid, planned);
        let Some(from) = valid.from else {
            return Self { known_end, ..without_start(valid, said, known_end) };
        };
        // No time words: the message's instant is the start, not the start of its day.
        if valid.basis == Basis::Inferred {
            let known_end = known_end.filter(|end| *end > said);
            return Self { known_end, ..from_mention };
        }
        let is_inside = window_end(valid, from, mention)
            .is_some_and(|end| from <= mention.utc && mention.utc < end)
            && known_end.is_none_or(|end| end > said);
        let at = ValidTime(from);
        Self {
            at: Some(at),
            by: if is_inside { said } else { at },
            precision: valid.precision,
            stated: true,
            known_end,
        }
    }
}

/// A claim whose start is not known ("still", "until Friday"): all that is certain is that it
/// held when it was said, or just before the end it states.
fn without_start(valid: &Occurrence, said: ValidTime, end: Option<ValidTime>) -> ClaimTime {
    let by = match end {
        Some(end) if end <= said => ValidTime(end.0 - Duration::seconds(1)),
        _ => said,
    };
    ClaimTime { at: None, by, precision: valid.precision, stated: false, known_end: end }
}

/// The end that the words state. The far side of a vague start ("since last week") is none, and
/// neither is the day by which a planned thing is due.
fn known_end(valid: &Occurrence, planned: bool) -> Option<ValidTime> {
    let to = valid.to?;
    let states_an_end = match valid.precision {
        Precision::Range => true,
        Precision::Deadline => !planned,
        _ => valid.from.is_none(),
    };
    // An interval that ends before it begins is a misreading: the start stands, the end does not.
    (states_an_end && valid.from.is_none_or(|from| to > from)).then_some(ValidTime(to))
}

/// The first instant by which a vague start is over: the far side of its week or month, or the
/// next midnight where an open interval starts with a whole day.
fn window_end(valid: &Occurrence, from: DateTime<Utc>, mention: &Stamp) -> Option<DateTime<Utc>> {
    match valid.precision {
        Precision::Instant => None,
        Precision::Range | Precision::Deadline | Precision::OpenEnd | Precision::Unknown => {
            let midnight = from.with_timezone(&mention.offset()).num_seconds_from_midnight() == 0;
            midnight.then(|| from + Duration::days(1))
        }
        _ => valid.to.filter(|to| *to > from),
    }
}
