//! What a Slot says, seen from a point on both clocks.

use super::rule::Rule;
use crate::model::{
    Closing, Conflict, EventId, Fact, FactId, FactStatus, Reason, TxTime, ValidTime,
};
use std::collections::BTreeSet;

/// The facts of one Slot by how they stand at `valid_at` as known at `known_at`. Each fact that
/// is known then is in exactly one list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotState<'a> {
    /// What holds.
    pub current: Vec<&'a Fact>,
    /// Candidates of a conflict that is undecided at this time.
    pub conflict: Vec<&'a Fact>,
    /// Open plans.
    pub planned: Vec<&'a Fact>,
    /// What held before, and plans that are no longer open.
    pub superseded: Vec<&'a Fact>,
    /// What is said to begin later than `valid_at`.
    pub upcoming: Vec<&'a Fact>,
    /// What was taken back by a correction, and so never held.
    pub corrected: Vec<&'a Fact>,
}

/// The end of a fact's validity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactEnd<'a> {
    /// When it stops holding.
    pub valid_to: ValidTime,
    /// Why; `expired` where only the end that its source stated has come.
    pub reason: Reason,
    /// The closing, where one decides.
    pub closing: Option<&'a Closing>,
}

/// Sorts the facts of one Slot by how they stand at `valid_at` as known at `known_at` (now where
/// `None`).
pub fn state_at<'a>(
    facts: &'a [Fact],
    conflicts: &[Conflict],
    valid_at: ValidTime,
    known_at: Option<TxTime>,
) -> SlotState<'a> {
    let mut state = SlotState::default();
    for fact in in_order(facts) {
        if is_taken_back_as_known(fact, known_at) {
            state.corrected.push(fact);
        }
        if !is_known(fact, known_at) {
            continue;
        }
        match status_of(fact, facts, conflicts, valid_at, known_at) {
            Some(FactStatus::Current) => state.current.push(fact),
            Some(FactStatus::Conflict) => state.conflict.push(fact),
            Some(FactStatus::Planned) => state.planned.push(fact),
            Some(FactStatus::Superseded) => state.superseded.push(fact),
            Some(FactStatus::Retracted) => {}
            None => state.upcoming.push(fact),
        }
    }
    state
}

/// Returns how one fact of a Slot stands. `None`: it is not known yet, or does not hold yet.
pub fn status_of(
    fact: &Fact,
    facts: &[Fact],
    conflicts: &[Conflict],
    valid_at: ValidTime,
    known_at: Option<TxTime>,
) -> Option<FactStatus> {
    if known_at.is_some_and(|at| fact.recorded_at > at) {
        return None;
    }
    if !is_known(fact, known_at) {
        return Some(FactStatus::Retracted);
    }
    if fact.planned {
        return Some(status_of_plan(fact, valid_at, known_at));
    }
    if fact.valid_from.is_some_and(|from| from > valid_at) {
        return None;
    }
    if !holds_at(fact, valid_at, known_at) {
        return Some(FactStatus::Superseded);
    }
    let rivals = rivals_of(fact, conflicts, known_at);
    let is_contested =
        facts.iter().any(|other| rivals.contains(&other.id) && holds_at(other, valid_at, known_at));
    Some(if is_contested { FactStatus::Conflict } else { FactStatus::Current })
}

/// A closing ends a plan for good: a replaced plan for July is no longer one in May either.
fn status_of_plan(fact: &Fact, valid_at: ValidTime, known_at: Option<TxTime>) -> FactStatus {
    let is_over = fact.known_end.is_some_and(|end| end <= valid_at);
    if is_over || fact.closing(known_at).is_some() {
        FactStatus::Superseded
    } else {
        FactStatus::Planned
    }
}

/// Returns the other candidates of the conflicts that this fact is part of. A conflict that was
/// decided later still stands for the time before the decision.
fn rivals_of<'a>(
    fact: &Fact,
    conflicts: &'a [Conflict],
    known_at: Option<TxTime>,
) -> BTreeSet<&'a FactId> {
    conflicts
        .iter()
        .filter(|conflict| known_at.is_none_or(|at| conflict.recorded_at <= at))
        .filter(|conflict| conflict.candidates.contains(&fact.id))
        .flat_map(|conflict| &conflict.candidates)
        .filter(|candidate| **candidate != fact.id)
        .collect()
}

/// Returns all facts of the Slot that were believed at `known_at`, earliest start first, together
/// with those that had been taken back by a correction by then.
pub fn history_as_known(facts: &[Fact], known_at: Option<TxTime>) -> Vec<&Fact> {
    in_order(facts)
        .into_iter()
        .filter(|fact| is_known(fact, known_at) || is_taken_back_as_known(fact, known_at))
        .collect()
}

/// Whether the fact is recorded and not withdrawn as known at `known_at`, or now.
pub fn is_known(fact: &Fact, known_at: Option<TxTime>) -> bool {
    match known_at {
        None => fact.retracted_at.is_none(),
        Some(at) => fact.recorded_at <= at && fact.retracted_at.is_none_or(|gone| gone > at),
    }
}

/// Whether the fact is known and its interval covers `valid_at`. Plans never hold.
pub fn holds_at(fact: &Fact, valid_at: ValidTime, known_at: Option<TxTime>) -> bool {
    is_known(fact, known_at)
        && !fact.planned
        && fact.valid_from.is_none_or(|from| from <= valid_at)
        && fact.valid_to(known_at).is_none_or(|to| to > valid_at)
}

/// Returns when and why the fact ends as known at `known_at`, or now.
pub fn end_of(fact: &Fact, known_at: Option<TxTime>) -> Option<FactEnd<'_>> {
    let valid_to = fact.valid_to(known_at)?;
    let closing = fact.closing(known_at).filter(|closing| closing.valid_to <= valid_to);
    let reason = closing.map_or(Reason::Expired, |closing| closing.reason);
    Some(FactEnd { valid_to, reason, closing })
}

impl<'a> FactEnd<'a> {
    /// The Event that ended it; none where it expired.
    pub fn cause(&self) -> Option<&'a EventId> {
        self.closing.map(|closing| &closing.cause)
    }

    /// The rule that decided; none where it expired.
    pub fn rule(&self) -> Option<Rule> {
        self.closing.and_then(|closing| Rule::parse(&closing.rule))
    }
}

/// Whether the fact was taken back by a correction: withdrawn, with a correction as its end.
pub fn is_taken_back(fact: &Fact) -> bool {
    is_taken_back_as_known(fact, None)
}

fn is_taken_back_as_known(fact: &Fact, known_at: Option<TxTime>) -> bool {
    let is_withdrawn = match (fact.retracted_at, known_at) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(gone), Some(at)) => gone <= at,
    };
    is_withdrawn
        && fact.closing(known_at).is_some_and(|closing| closing.reason == Reason::Corrected)
}

/// The facts by start, unknown starts first.
pub(super) fn in_order(facts: &[Fact]) -> Vec<&Fact> {
    let mut ordered: Vec<&Fact> = facts.iter().collect();
    ordered.sort_by(|a, b| {
        let key = |fact: &Fact| (fact.valid_from, fact.planned, fact.value.clone());
        key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
    });
    ordered
}
