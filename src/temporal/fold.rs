//! From the claims of one Slot to its timeline.

use super::corrections::{ClaimKey, Corrected, claim_key, settle};
use super::order::{Item, in_order_of_mention};
use super::plans::{Follower, Plan, Signal, fold_plans};
use super::rule::Rule;
use super::sequence::{Run, Sequence};
use super::slot_claim::SlotClaim;
use crate::model::{ClaimOp, EventId, FactValue, Precision, Reason, ValidTime};
use std::collections::{BTreeMap, BTreeSet};

/// What the claims of one Slot come to: a pure function of their set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotTimeline {
    /// The values over time, earliest start first.
    pub facts: Vec<FoldedFact>,
    /// Candidates that nothing decides between.
    pub conflicts: Vec<FoldedConflict>,
}

/// One value over one interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedFact {
    /// The value, as its opening claim writes it.
    pub value: FactValue,
    /// Start; `None` = before anything we know.
    pub valid_from: Option<ValidTime>,
    /// How exactly the start is known.
    pub precision: Precision,
    /// An end that the source mentioned last states.
    pub known_end: Option<ValidTime>,
    /// Rests on plans only.
    pub planned: bool,
    /// Taken back by a correction: it never held.
    pub withdrawn: bool,
    /// The Events it rests on, the opening one first.
    pub events: Vec<EventId>,
    /// The rule by which it begins.
    pub rule: Rule,
    /// What ended it.
    pub closed: Option<FoldedClosing>,
}

/// The end of a folded fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedClosing {
    /// When it stopped holding.
    pub valid_to: ValidTime,
    /// How exactly the end is known.
    pub precision: Precision,
    /// The Event that says so.
    pub cause: EventId,
    /// Why.
    pub reason: Reason,
    /// The rule that decided.
    pub rule: Rule,
    /// The fact that follows, as an index into [`SlotTimeline::facts`].
    pub superseded_by: Option<usize>,
}

/// Facts that begin at one instant with different values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedConflict {
    /// The candidates, as indices into [`SlotTimeline::facts`].
    pub candidates: Vec<usize>,
    /// The Event that decides the present, where one does. The past stays undecided.
    pub decided_by: Option<EventId>,
}

/// Folds all live claims of one Slot into its timeline. The order of `claims` does not matter.
///
/// `functional` says whether the Slot holds one value at a time, so that a later one supersedes;
/// otherwise every value has a timeline of its own. Claims of forgotten or retracted Events are
/// left out by the caller.
pub fn fold(functional: bool, claims: &[SlotClaim]) -> SlotTimeline {
    let mut timeline = SlotTimeline::default();
    if functional {
        extend(&mut timeline, in_order_of_mention(claims), Rule::FirstValue);
    } else {
        let keys: BTreeSet<String> = claims
            .iter()
            .filter(|claim| claim.op == ClaimOp::Assert)
            .filter_map(|claim| claim.value.as_ref().map(FactValue::key))
            .collect();
        for key in keys {
            let own = claims.iter().filter(|claim| claim.is_about(&key));
            extend(&mut timeline, in_order_of_mention(own), Rule::ValuesCoexist);
        }
    }
    in_order_of_start(timeline)
}

/// Adds the facts and conflicts of one line of values.
fn extend(timeline: &mut SlotTimeline, items: Vec<Item<'_>>, first_rule: Rule) {
    let (standing, corrected) = settle(items);
    let sequence = Sequence::build(&standing, first_rule);
    let base = timeline.facts.len();
    let corrected_base = base + sequence.runs.len();
    let plan_base = corrected_base + corrected.len();

    let mut fact_of: BTreeMap<ClaimKey<'_>, usize> = BTreeMap::new();
    for (index, run) in sequence.runs.iter().enumerate() {
        fact_of.extend(run.items.iter().map(|item| (claim_key(item), base + index)));
    }
    let signals = signals_to_plans(&standing, &sequence, &fact_of);
    for (index, taken) in corrected.iter().enumerate() {
        fact_of.extend(taken.items.iter().map(|item| (claim_key(item), corrected_base + index)));
    }

    let plans = fold_plans(&standing, &signals);
    timeline.facts.extend(sequence.runs.iter().map(|run| from_run(run, base)));
    timeline.facts.extend(corrected.iter().map(|taken| from_corrected(taken, &fact_of)));
    timeline.facts.extend(plans.iter().map(|plan| from_plan(plan, plan_base)));
    timeline.conflicts.extend(sequence.conflicts.iter().map(|conflict| FoldedConflict {
        candidates: conflict.runs.iter().map(|run| base + run).collect(),
        decided_by: conflict.decided_by.cloned(),
    }));
}

/// What the standing actual claims mean for plans.
fn signals_to_plans<'i, 'c>(
    standing: &'i [Item<'c>],
    sequence: &Sequence<'c>,
    fact_of: &BTreeMap<ClaimKey<'c>, usize>,
) -> Vec<(&'i Item<'c>, Signal)> {
    let openers: BTreeSet<ClaimKey<'c>> =
        sequence.runs.iter().map(|run| claim_key(&run.items[0])).collect();
    let signal = |item: &Item<'c>| match item.claim.op {
        ClaimOp::End => Some(Signal::Ended),
        ClaimOp::Assert => fact_of.get(&claim_key(item)).map(|fact| Signal::Stated {
            fact: *fact,
            opens_it: openers.contains(&claim_key(item)),
        }),
    };
    standing
        .iter()
        .filter(|item| !item.claim.planned)
        .filter_map(|item| signal(item).map(|signal| (item, signal)))
        .collect()
}

fn events_of(items: &[Item<'_>]) -> Vec<EventId> {
    let mut seen = BTreeSet::new();
    let events = items.iter().map(|item| &item.claim.event);
    events.filter(|event| seen.insert(*event)).cloned().collect()
}

fn from_run(run: &Run<'_>, base: usize) -> FoldedFact {
    FoldedFact {
        value: run.value.clone(),
        valid_from: run.start,
        precision: run.precision,
        known_end: run.known_end(),
        planned: false,
        withdrawn: false,
        events: events_of(&run.items),
        rule: run.rule,
        closed: run.closed.as_ref().map(|closing| FoldedClosing {
            valid_to: closing.valid_to,
            precision: closing.precision,
            cause: closing.cause.clone(),
            reason: closing.reason,
            rule: closing.rule,
            superseded_by: closing.followed_by.map(|run| base + run),
        }),
    }
}

fn from_corrected<'c>(
    taken: &Corrected<'c>,
    fact_of: &BTreeMap<ClaimKey<'c>, usize>,
) -> FoldedFact {
    FoldedFact {
        value: taken.value.clone(),
        valid_from: taken.start,
        precision: taken.precision,
        known_end: taken.known_end,
        planned: false,
        withdrawn: true,
        events: events_of(&taken.items),
        rule: taken.rule,
        closed: Some(FoldedClosing {
            valid_to: taken.start.unwrap_or(taken.items[0].by),
            precision: taken.precision,
            cause: taken.cause.0.clone(),
            reason: Reason::Corrected,
            rule: Rule::Correction,
            superseded_by: fact_of.get(&taken.cause).copied(),
        }),
    }
}

fn from_plan(plan: &Plan<'_>, plan_base: usize) -> FoldedFact {
    let opener = &plan.items[0];
    FoldedFact {
        value: plan.value.clone(),
        valid_from: opener.at,
        precision: opener.precision,
        known_end: opener.claim.known_end,
        planned: true,
        withdrawn: false,
        events: events_of(&plan.items),
        rule: Rule::PlanStated,
        closed: plan.closed.as_ref().map(|closing| FoldedClosing {
            valid_to: closing.valid_to,
            precision: Precision::Instant,
            cause: closing.cause.clone(),
            reason: closing.reason,
            rule: closing.rule,
            superseded_by: closing.followed_by.map(|follower| match follower {
                Follower::Plan(index) => plan_base + index,
                Follower::Fact(index) => index,
            }),
        }),
    }
}

/// Sorts the facts by start and renumbers what points at them.
fn in_order_of_start(mut timeline: SlotTimeline) -> SlotTimeline {
    let mut order: Vec<usize> = (0..timeline.facts.len()).collect();
    order.sort_by_key(|index| {
        let fact = &timeline.facts[*index];
        (fact.valid_from, fact.planned, fact.withdrawn, *index)
    });
    let mut new_index = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        new_index[*old] = new;
    }
    let mut facts: Vec<FoldedFact> = order.iter().map(|old| timeline.facts[*old].clone()).collect();
    for closing in facts.iter_mut().filter_map(|fact| fact.closed.as_mut()) {
        closing.superseded_by = closing.superseded_by.map(|old| new_index[old]);
    }
    timeline.facts = facts;
    for conflict in &mut timeline.conflicts {
        for candidate in &mut conflict.candidates {
            *candidate = new_index[*candidate];
        }
        conflict.candidates.sort_unstable();
    }
    timeline
}
