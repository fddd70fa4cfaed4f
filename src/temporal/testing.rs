//! Builders and a memory of one Slot for the tests of this room.

use super::{SlotClaim, SlotState, SlotTimeline, apply, fold, reconcile, state_at};
use crate::model::{
    ClaimOp, Conflict, EntityId, EventId, Fact, FactValue, Precision, Slot, TxTime, ValidTime,
};
use chrono::{DateTime, Duration, TimeZone, Utc};

/// Noon of a day in May 2026; day 32 is the first of June.
pub(super) fn may(day: i64) -> DateTime<Utc> {
    let first = Utc.with_ymd_and_hms(2026, 5, 1, 12, 0, 0).single().expect("a valid date");
    first + Duration::days(day - 1)
}

pub(super) fn valid(day: i64) -> ValidTime {
    ValidTime(may(day))
}

pub(super) fn known(day: i64) -> TxTime {
    TxTime(may(day))
}

pub(super) fn slot() -> Slot {
    Slot {
        entity: EntityId::from("project:shop"),
        property: "package_manager".to_owned(),
        qualifier: None,
    }
}

pub(super) fn value(word: &str) -> FactValue {
    FactValue::Text(word.to_owned())
}

/// A statement without time words: it holds from its mention.
pub(super) fn says(event: &str, word: &str, day: i64) -> SlotClaim {
    SlotClaim {
        event: EventId::from(event),
        ordinal: 0,
        value: Some(value(word)),
        op: ClaimOp::Assert,
        at: Some(valid(day)),
        by: valid(day),
        precision: Precision::Instant,
        stated: false,
        known_end: None,
        planned: false,
        corrects: false,
        mentioned_at: may(day),
        position: None,
    }
}

/// An end without time words; an empty word ends whatever it was.
pub(super) fn ends(event: &str, word: &str, day: i64) -> SlotClaim {
    let ended = Some(value(word)).filter(|_| !word.is_empty());
    SlotClaim { value: ended, op: ClaimOp::End, ..says(event, word, day) }
}

impl SlotClaim {
    /// Gives the start in words: exact to the day.
    pub(super) fn since(self, day: i64) -> Self {
        let at = valid(day);
        Self { at: Some(at), by: at, precision: Precision::Day, stated: true, ..self }
    }

    /// "Still": begun at an unknown time before the mention.
    pub(super) fn still(self) -> Self {
        Self { at: None, precision: Precision::OpenEnd, ..self }
    }

    /// "This week": begun between a day and the mention.
    pub(super) fn within(self, day: i64) -> Self {
        Self { at: Some(valid(day)), precision: Precision::Week, stated: true, ..self }
    }

    /// States an end.
    pub(super) fn until(self, day: i64) -> Self {
        Self { known_end: Some(valid(day)), ..self }
    }

    /// Makes it a plan.
    pub(super) fn planned(self) -> Self {
        Self { planned: true, ..self }
    }

    /// Says that what was said before was wrong.
    pub(super) fn correcting(self) -> Self {
        Self { corrects: true, ..self }
    }
}

/// The stored form of one Slot, fed claim by claim as the graph job would.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    pub functional: bool,
    pub claims: Vec<SlotClaim>,
    pub facts: Vec<Fact>,
    pub conflicts: Vec<Conflict>,
}

impl Memory {
    pub(super) fn functional() -> Self {
        Self { functional: true, ..Self::default() }
    }

    pub(super) fn hear(&mut self, claim: SlotClaim, now: i64) {
        self.claims.push(claim);
        self.update(now);
    }

    /// Leaves out the claims of an Event, as a forgotten one's are.
    pub(super) fn forget(&mut self, event: &str, now: i64) -> Vec<SlotClaim> {
        let (gone, kept) =
            self.claims.drain(..).partition(|claim: &SlotClaim| claim.event.as_str() == event);
        self.claims = kept;
        self.update(now);
        gone
    }

    pub(super) fn folded(&self) -> SlotTimeline {
        fold(self.functional, &self.claims)
    }

    pub(super) fn update(&mut self, now: i64) {
        let folded = self.folded();
        let change = reconcile(&slot(), &folded, &self.facts, &self.conflicts, known(now));
        apply(&mut self.facts, &mut self.conflicts, &change);
    }

    pub(super) fn state(&self, valid_day: i64, known_day: Option<i64>) -> SlotState<'_> {
        state_at(&self.facts, &self.conflicts, valid(valid_day), known_day.map(known))
    }

    /// The current values on a day, as known now.
    pub(super) fn current(&self, valid_day: i64) -> Vec<String> {
        words(&self.state(valid_day, None).current)
    }
}

pub(super) fn word(value: &FactValue) -> String {
    match value {
        FactValue::Text(text) => text.clone(),
        other => other.key(),
    }
}

pub(super) fn words(facts: &[&Fact]) -> Vec<String> {
    facts.iter().map(|fact| word(&fact.value)).collect()
}

/// One line for each folded fact, as in `npm 6-8 by e2 changed [e1]`.
pub(super) fn lines(timeline: &SlotTimeline) -> Vec<String> {
    timeline.facts.iter().map(|fact| line(timeline, fact)).collect()
}

fn line(timeline: &SlotTimeline, fact: &super::FoldedFact) -> String {
    let day = |at: ValidTime| (at.0 - may(1)).num_days() + 1;
    let from = fact.valid_from.map_or("?".to_owned(), |at| day(at).to_string());
    let closed = fact.closed.as_ref();
    let to = closed.map_or(String::new(), |closing| day(closing.valid_to).to_string());
    let mut parts = vec![format!("{} {from}-{to}", word(&fact.value))];
    parts.extend(fact.known_end.map(|end| format!("until {}", day(end))));
    parts.extend(fact.planned.then(|| "planned".to_owned()));
    parts.extend(fact.withdrawn.then(|| "withdrawn".to_owned()));
    if let Some(closing) = closed {
        parts.push(format!("{} by {}", closing.reason.as_str(), closing.cause));
        let next = closing.superseded_by.map(|next| word(&timeline.facts[next].value));
        parts.extend(next.map(|next| format!("for {next}")));
    }
    let events: Vec<&str> = fact.events.iter().map(EventId::as_str).collect();
    parts.push(format!("[{}]", events.join(" ")));
    parts.join(" ")
}
