//! What changed in one Slot between two points of one clock.

use super::state::{end_of, in_order, is_known, is_taken_back};
use crate::model::{Conflict, EventId, Fact, FactId, Reason, TxTime};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// The clock that a comparison runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The world, as known now.
    Valid,
    /// Our knowledge.
    Known,
}

/// One change of a Slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotDifference {
    /// The fact; for a conflict its first candidate.
    pub fact: FactId,
    /// When, on the clock of the comparison.
    pub at: DateTime<Utc>,
    /// The Event that caused it.
    pub cause: Option<EventId>,
    /// Why, where something ended.
    pub reason: Option<Reason>,
}

/// What changed, each with its cause. A change at `from` itself is not among them, one at `to` is,
/// so that adjoining comparisons neither repeat nor lose any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotDiff {
    /// Facts that began (valid clock) or became known (known clock).
    pub added: Vec<SlotDifference>,
    /// Facts that ended, or whose end became known.
    pub ended: Vec<SlotDifference>,
    /// Facts that were taken back.
    pub corrected: Vec<SlotDifference>,
    /// Conflicts that began or became known.
    pub conflicted: Vec<SlotDifference>,
}

/// Compares a Slot at two points of a clock.
pub fn diff(
    facts: &[Fact],
    conflicts: &[Conflict],
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    clock: Clock,
) -> SlotDiff {
    match clock {
        Clock::Valid => diff_of_world(facts, conflicts, &|at| from < at && at <= to),
        Clock::Known => diff_of_knowledge(facts, conflicts, TxTime(from), TxTime(to)),
    }
}

fn diff_of_world(
    facts: &[Fact],
    conflicts: &[Conflict],
    is_between: &dyn Fn(DateTime<Utc>) -> bool,
) -> SlotDiff {
    let mut diff = SlotDiff::default();
    let began = |fact: &Fact| fact.valid_from.filter(|at| is_between(at.0));
    for fact in in_order(facts).into_iter().filter(|fact| !fact.planned) {
        if is_taken_back(fact) {
            let closing = fact.closing(None).filter(|closing| is_between(closing.valid_to.0));
            diff.corrected.extend(closing.map(|closing| ended(fact, closing.valid_to.0, None)));
        }
        if !is_known(fact, None) {
            continue;
        }
        if let Some(at) = began(fact) {
            diff.added.push(added(fact, at.0));
        }
        if let Some(end) = end_of(fact, None).filter(|end| is_between(end.valid_to.0)) {
            diff.ended.push(ended(fact, end.valid_to.0, None));
        }
    }
    let mut reported: BTreeSet<&FactId> = BTreeSet::new();
    for conflict in conflicts {
        // A conflict that fell away and came back, or grew, is one in the world.
        let standing = candidates_of(conflict, facts, None);
        if let [first, _, ..] = standing[..]
            && standing.iter().all(|fact| !reported.contains(&fact.id))
            && let Some(at) = began(first)
        {
            reported.extend(standing.iter().map(|fact| &fact.id));
            diff.conflicted.push(added(first, at.0));
        }
    }
    diff
}

fn diff_of_knowledge(facts: &[Fact], conflicts: &[Conflict], from: TxTime, to: TxTime) -> SlotDiff {
    let is_between = |at: TxTime| from < at && at <= to;
    let mut diff = SlotDiff::default();
    for fact in in_order(facts) {
        if let Some(gone) = fact.retracted_at.filter(|gone| is_between(*gone)) {
            // A fact that another one replaced as more exact is not taken back.
            let heir = facts.iter().find(|heir| is_known(heir, Some(to)) && is_same(heir, fact));
            if heir.is_none() && fact.recorded_at <= from {
                diff.corrected.push(ended(fact, gone.0, Some(to)));
            }
        }
        if !is_known(fact, Some(to)) {
            continue;
        }
        let known_before = facts.iter().find(|old| is_known(old, Some(from)) && is_same(old, fact));
        if known_before.is_none() {
            diff.added.push(added(fact, fact.recorded_at.0));
        }
        let closing = fact.closing(Some(to)).filter(|closing| {
            let before = known_before.and_then(|old| old.closing(Some(from)));
            before.is_none_or(|before| {
                (before.valid_to, before.reason) != (closing.valid_to, closing.reason)
            })
        });
        if let Some(closing) = closing {
            diff.ended.push(ended(fact, closing.recorded_at.0, Some(to)));
        }
        if !fact.planned && fact.closing(Some(to)).is_none() {
            diff.corrected.extend(end_taken_back(fact, from, &is_between));
        }
    }
    for conflict in conflicts.iter().filter(|conflict| is_between(conflict.recorded_at)) {
        if let [first, _, ..] = candidates_of(conflict, facts, Some(to))[..] {
            diff.conflicted.push(added(first, conflict.recorded_at.0));
        }
    }
    diff
}

/// An end that was known at the first point and has been taken back by the second, without another
/// in its place: the value holds again.
fn end_taken_back(
    fact: &Fact,
    from: TxTime,
    is_between: &dyn Fn(TxTime) -> bool,
) -> Option<SlotDifference> {
    let known = fact.closings.iter().filter(|closing| closing.recorded_at <= from);
    let gone = known.filter_map(|closing| {
        let at = closing.retracted_at.filter(|at| is_between(*at))?;
        Some((at, closing))
    });
    let (at, closing) = gone.max_by_key(|(at, _)| *at)?;
    Some(SlotDifference {
        fact: fact.id.clone(),
        at: at.0,
        cause: Some(closing.cause.clone()),
        reason: Some(closing.reason),
    })
}

/// Whether two facts are records of one statement: the same value on a common source.
fn is_same(a: &Fact, b: &Fact) -> bool {
    a.value.key() == b.value.key()
        && a.planned == b.planned
        && a.events.iter().any(|event| b.events.contains(event))
}

fn candidates_of<'a>(
    conflict: &Conflict,
    facts: &'a [Fact],
    known_at: Option<TxTime>,
) -> Vec<&'a Fact> {
    let known = facts.iter().filter(|fact| is_known(fact, known_at));
    known.filter(|fact| conflict.candidates.contains(&fact.id)).collect()
}

fn added(fact: &Fact, at: DateTime<Utc>) -> SlotDifference {
    let cause = fact.events.first().cloned();
    SlotDifference { fact: fact.id.clone(), at, cause, reason: None }
}

fn ended(fact: &Fact, at: DateTime<Utc>, known_at: Option<TxTime>) -> SlotDifference {
    let end = end_of(fact, known_at);
    SlotDifference {
        fact: fact.id.clone(),
        at,
        cause: end.as_ref().and_then(|end| end.cause().cloned()),
        reason: Some(end.map_or(Reason::Retracted, |end| end.reason)),
    }
}
