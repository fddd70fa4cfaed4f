//! Properties over random claims of one Slot.

use super::super::testing::{Memory, ends, known, may, says, slot, valid, value, word, words};
use super::super::{
    FoldedFact, Position, SlotClaim, SlotState, SlotTimeline, fold, holds_at, is_known,
    is_taken_back, reconcile,
};
use crate::model::{ClaimOp, EventId, Fact, FactId, ThreadId, ValidTime};
use chrono::Duration;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const VALUES: [&str; 3] = ["npm", "pnpm", "yarn"];

/// Noon of each day of interest and the midnights between.
fn instants() -> Vec<ValidTime> {
    (0..=34).map(|half| ValidTime(may(0) + Duration::hours(12 * half))).collect()
}

/// An exact, actual assertion or end.
fn plain_claim() -> impl Strategy<Value = SlotClaim> {
    (0..VALUES.len(), 1..12_i64, 0..6_u8).prop_map(|(word, day, kind)| match kind {
        0 => ends("", VALUES[word], day),
        1 => ends("", "", day),
        _ => says("", VALUES[word], day),
    })
}

/// Any claim: vague, planned, correcting, ending, with or without a place in a thread.
fn any_claim() -> impl Strategy<Value = SlotClaim> {
    let shape = (0..6_u8, 1..14_i64, prop::option::weighted(0.2, 1..5_i64));
    let flags = (prop::bool::weighted(0.2), prop::bool::weighted(0.2));
    let position = prop::option::weighted(0.3, 0..3_u64);
    (plain_claim(), shape, flags, position).prop_map(
        |(claim, (shape, day, until), (planned, corrects), index)| {
            let claim = match shape {
                0 => claim.still(),
                1 | 2 => claim.since(day),
                3 if valid(day) < claim.by => claim.within(day),
                _ => claim,
            };
            let known_end = until
                .filter(|_| claim.op == ClaimOp::Assert)
                .map(|days| ValidTime(claim.by.0 + Duration::days(days)));
            let position = index.map(|index| Position { thread: ThreadId::from("t"), index });
            SlotClaim { known_end, planned, corrects, position, ..claim }
        },
    )
}

/// Gives the claims to Events: mostly one each, sometimes two of one.
fn from_events(claims: Vec<SlotClaim>, shared: bool) -> Vec<SlotClaim> {
    let number = claims.len() / 2 + 1;
    let named = claims.into_iter().enumerate().map(|(ordinal, claim)| {
        let event = if shared { ordinal % number } else { ordinal };
        SlotClaim { event: EventId(format!("e{event}")), ordinal, ..claim }
    });
    named.collect()
}

fn claims(
    of: impl Strategy<Value = SlotClaim>,
    most: usize,
) -> impl Strategy<Value = Vec<SlotClaim>> {
    (prop::collection::vec(of, 0..=most), prop::bool::weighted(0.3))
        .prop_map(|(claims, shared)| from_events(claims, shared))
}

fn shuffled(
    of: impl Strategy<Value = SlotClaim>,
    most: usize,
) -> impl Strategy<Value = (Vec<SlotClaim>, Vec<SlotClaim>)> {
    claims(of, most).prop_flat_map(|claims| (Just(claims.clone()), Just(claims).prop_shuffle()))
}

/// A step of a Slot's life.
#[derive(Debug, Clone)]
enum Step {
    Hear(SlotClaim),
    Forget(usize),
    Restore,
}

fn life() -> impl Strategy<Value = (bool, Vec<Step>)> {
    let steps = claims(any_claim(), 8).prop_flat_map(|claims| {
        let number = claims.len();
        let heard = claims.into_iter().map(Step::Hear).collect::<Vec<_>>();
        let acts = prop::collection::vec(
            prop_oneof![(0..number.max(1)).prop_map(Step::Forget), Just(Step::Restore)],
            0..4,
        );
        acts.prop_flat_map(move |acts| {
            let mut steps = heard.clone();
            steps.extend(acts);
            Just(steps).prop_shuffle()
        })
    });
    (any::<bool>(), steps)
}

/// Lives the steps, one a day, and returns the memory after each.
fn live(functional: bool, steps: Vec<Step>) -> Vec<Memory> {
    let mut memory = Memory { functional, ..Memory::default() };
    let mut forgotten: Vec<SlotClaim> = Vec::new();
    let mut snapshots = Vec::new();
    for (step, now) in steps.into_iter().zip(1..) {
        match step {
            Step::Hear(claim) => memory.hear(claim, now),
            Step::Forget(event) => forgotten.extend(memory.forget(&format!("e{event}"), now)),
            Step::Restore => {
                memory.claims.append(&mut forgotten);
                memory.update(now);
            }
        }
        snapshots.push(memory.clone());
    }
    snapshots
}

/// What a fact says, without ids and recorded times.
type Saying = (String, Option<ValidTime>, String, bool, bool, BTreeSet<EventId>, Option<String>);

fn sayings_of_folded(timeline: &SlotTimeline) -> Vec<Saying> {
    let name = |fact: &FoldedFact| format!("{} {:?}", word(&fact.value), fact.valid_from);
    let mut sayings: Vec<Saying> = timeline
        .facts
        .iter()
        .map(|fact| {
            let closing = fact.closed.as_ref().map(|closing| {
                let next = closing.superseded_by.map(|next| name(&timeline.facts[next]));
                let (reason, rule) = (closing.reason.as_str(), closing.rule.as_str());
                format!("{:?} {reason} {rule} {} {next:?}", closing.valid_to, closing.cause)
            });
            (
                word(&fact.value),
                fact.valid_from,
                format!("{:?} {:?}", fact.precision, fact.known_end),
                fact.planned,
                fact.withdrawn,
                fact.events.iter().cloned().collect(),
                closing,
            )
        })
        .collect();
    sayings.sort();
    sayings
}

fn sayings_of_stored(facts: &[Fact]) -> Vec<Saying> {
    let name = |id: &FactId| {
        let fact = facts.iter().find(|fact| fact.id == *id);
        fact.map(|fact| format!("{} {:?}", word(&fact.value), fact.valid_from))
    };
    let mut sayings: Vec<Saying> = facts
        .iter()
        .filter(|fact| is_known(fact, None) || is_taken_back(fact))
        .map(|fact| {
            let closing = fact.closing(None).map(|closing| {
                let next = closing.superseded_by.as_ref().and_then(name);
                let (reason, rule) = (closing.reason.as_str(), &closing.rule);
                format!("{:?} {reason} {rule} {} {next:?}", closing.valid_to, closing.cause)
            });
            (
                word(&fact.value),
                fact.valid_from,
                format!("{:?} {:?}", fact.precision, fact.known_end),
                fact.planned,
                is_taken_back(fact),
                fact.events.iter().cloned().collect(),
                closing,
            )
        })
        .collect();
    sayings.sort();
    sayings
}

fn ids(state: &SlotState<'_>) -> Vec<(&'static str, FactId, Option<ValidTime>)> {
    let lists = [
        ("current", &state.current),
        ("conflict", &state.conflict),
        ("planned", &state.planned),
        ("superseded", &state.superseded),
        ("upcoming", &state.upcoming),
        ("corrected", &state.corrected),
    ];
    let entries = lists.into_iter().flat_map(|(name, list)| {
        list.iter().map(move |fact| (name, fact.id.clone(), fact.valid_from))
    });
    entries.collect()
}

/// A second, naive reading of exact claims of a functional Slot: what was stated last before an
/// instant holds there, unless it was ended since.
fn oracle(claims: &[SlotClaim], at: ValidTime) -> BTreeSet<String> {
    let asserted = || claims.iter().filter(|c| c.op == ClaimOp::Assert && c.by <= at);
    let Some(last) = asserted().map(|claim| claim.by).max() else { return BTreeSet::new() };
    let stated = asserted().filter(|claim| claim.by == last);
    let mut held: BTreeSet<String> = stated.filter_map(|c| c.value.as_ref()).map(word).collect();
    for end in claims.iter().filter(|c| c.op == ClaimOp::End && last < c.by && c.by <= at) {
        match &end.value {
            None => held.clear(),
            Some(ended) => {
                held.remove(&word(ended));
            }
        }
    }
    held
}

fn end_of(fact: &FoldedFact) -> Option<ValidTime> {
    let closed = fact.closed.as_ref().map(|closing| closing.valid_to);
    [closed, fact.known_end].into_iter().flatten().min()
}

fn covers(fact: &FoldedFact, at: ValidTime) -> bool {
    !fact.withdrawn
        && !fact.planned
        && fact.valid_from.is_none_or(|from| from <= at)
        && end_of(fact).is_none_or(|end| end > at)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_claims_does_not_matter(
        (claims, other_order) in shuffled(any_claim(), 9), functional: bool,
    ) {
        prop_assert_eq!(fold(functional, &claims), fold(functional, &other_order));
    }

    #[test]
    fn a_claim_listed_twice_counts_once(claims in claims(any_claim(), 6), functional: bool) {
        let twice: Vec<SlotClaim> = claims.iter().chain(&claims).cloned().collect();
        prop_assert_eq!(fold(functional, &twice), fold(functional, &claims));
    }

    #[test]
    fn a_functional_slot_says_what_a_naive_reading_says(claims in claims(plain_claim(), 9)) {
        let mut memory = Memory::functional();
        memory.claims.clone_from(&claims);
        memory.update(1);
        for at in instants() {
            let state = super::super::state_at(&memory.facts, &memory.conflicts, at, None);
            let expected = oracle(&claims, at);
            let held: BTreeSet<String> = words(&state.current).into_iter().collect();
            let contested: BTreeSet<String> = words(&state.conflict).into_iter().collect();
            if expected.len() > 1 {
                prop_assert_eq!((&held, &contested), (&BTreeSet::new(), &expected));
            } else {
                prop_assert_eq!((&held, &contested), (&expected, &BTreeSet::new()));
            }
        }
    }

    #[test]
    fn intervals_never_overlap_outside_conflicts_and_are_never_inverted(
        claims in claims(any_claim(), 9),
    ) {
        let folded = fold(true, &claims);
        for (index, fact) in folded.facts.iter().enumerate() {
            if let (Some(from), Some(closing)) = (fact.valid_from, &fact.closed) {
                prop_assert!(from <= closing.valid_to, "{:?}", fact);
            }
            for at in instants().into_iter().filter(|at| covers(fact, *at)) {
                for (other, rival) in folded.facts.iter().enumerate() {
                    let conflict = folded.conflicts.iter().any(|conflict| {
                        conflict.candidates.contains(&index)
                            && conflict.candidates.contains(&other)
                    });
                    prop_assert!(index == other || !covers(rival, at) || conflict);
                }
            }
        }
    }

    #[test]
    fn what_a_claim_is_certain_of_holds_at_that_instant(
        claims in claims(any_claim().prop_map(|c| SlotClaim { corrects: false, ..c }), 8),
    ) {
        let folded = fold(true, &claims);
        for claim in claims.iter().filter(|claim| !claim.planned) {
            let is_alone = claims.iter().filter(|c| c.by == claim.by && !c.planned).count() == 1;
            if !is_alone {
                continue;
            }
            let held: Vec<String> = folded
                .facts
                .iter()
                .filter(|fact| covers(fact, claim.by))
                .map(|fact| fact.value.key())
                .collect();
            match (&claim.value, claim.op) {
                (Some(value), ClaimOp::Assert) => prop_assert_eq!(held, [value.key()]),
                (Some(value), ClaimOp::End) => prop_assert!(!held.contains(&value.key())),
                (None, _) => prop_assert!(held.is_empty()),
            }
        }
    }

    #[test]
    fn no_assertion_is_lost(claims in claims(any_claim(), 9), functional: bool) {
        let folded = fold(functional, &claims);
        for claim in claims.iter().filter(|claim| claim.op == ClaimOp::Assert) {
            let carried = folded.facts.iter().any(|fact| {
                Some(&fact.value) == claim.value.as_ref()
                    && fact.planned == claim.planned
                    && fact.events.contains(&claim.event)
            });
            prop_assert!(carried, "{:?}", claim);
        }
    }

    #[test]
    fn supersession_has_no_cycle(claims in claims(any_claim(), 9), functional: bool) {
        let folded = fold(functional, &claims);
        for start in 0..folded.facts.len() {
            let mut at = start;
            let mut steps = 0;
            while let Some(next) = folded.facts[at].closed.as_ref().and_then(|c| c.superseded_by) {
                at = next;
                steps += 1;
                prop_assert!(steps <= folded.facts.len(), "a cycle through {start}");
            }
        }
    }

    #[test]
    fn plans_change_nothing_of_what_is(claims in claims(any_claim(), 9), functional: bool) {
        let actual: Vec<SlotClaim> =
            claims.iter().filter(|claim| !claim.planned).cloned().collect();
        let mut with_plans = fold(functional, &claims);
        with_plans.facts.retain(|fact| !fact.planned);
        let sayings = |timeline: &SlotTimeline| -> Vec<_> {
            let facts = timeline.facts.iter();
            facts.map(|f| (f.value.clone(), f.valid_from, end_of(f), f.events.clone())).collect()
        };
        prop_assert_eq!(sayings(&with_plans), sayings(&fold(functional, &actual)));
    }

    #[test]
    fn a_plan_never_becomes_current((functional, steps) in life()) {
        for memory in live(functional, steps) {
            for at in instants() {
                let state = super::super::state_at(&memory.facts, &memory.conflicts, at, None);
                prop_assert!(state.current.iter().chain(&state.conflict).all(|f| !f.planned));
            }
        }
    }

    #[test]
    fn values_that_coexist_do_not_know_of_each_other(claims in claims(any_claim(), 9)) {
        let together = fold(false, &claims);
        prop_assert!(together.conflicts.is_empty());
        for word_of in VALUES {
            let own: Vec<SlotClaim> = claims
                .iter()
                .filter(|claim| claim.value.as_ref().is_none_or(|v| *v == value(word_of)))
                .cloned()
                .collect();
            let mut part = together.clone();
            let kept: BTreeMap<usize, usize> = part
                .facts
                .iter()
                .enumerate()
                .filter(|(_, fact)| fact.value == value(word_of))
                .enumerate()
                .map(|(new, (old, _))| (old, new))
                .collect();
            part.facts.retain(|fact| fact.value == value(word_of));
            for closing in part.facts.iter_mut().filter_map(|fact| fact.closed.as_mut()) {
                closing.superseded_by = closing.superseded_by.map(|old| kept[&old]);
            }
            prop_assert_eq!(part, fold(false, &own));
        }
    }

    #[test]
    fn every_way_of_arrival_ends_with_the_timeline_of_the_whole((functional, steps) in life()) {
        for memory in live(functional, steps) {
            let folded = memory.folded();
            prop_assert_eq!(sayings_of_stored(&memory.facts), sayings_of_folded(&folded));
            let open = memory.conflicts.iter().filter(|c| c.resolved_at.is_none()).count();
            let undecided = folded.conflicts.iter().filter(|c| c.decided_by.is_none()).count();
            prop_assert_eq!(open, undecided);
            for fact in &memory.facts {
                let live = fact.closings.iter().filter(|c| c.retracted_at.is_none()).count();
                prop_assert!(live <= 1);
            }
        }
    }

    #[test]
    fn what_is_recorded_already_is_not_recorded_again((functional, steps) in life()) {
        for memory in live(functional, steps) {
            let again = reconcile(
                &slot(), &memory.folded(), &memory.facts, &memory.conflicts, known(99),
            );
            prop_assert!(again.is_empty(), "{:?}", again);
        }
    }

    #[test]
    fn ids_are_recorded_once((functional, steps) in life()) {
        let Some(memory) = live(functional, steps).pop() else { return Ok(()) };
        let mut seen = BTreeSet::new();
        let facts = memory.facts.iter().map(|fact| fact.id.0.clone());
        let closings = memory.facts.iter().flat_map(|fact| &fact.closings).map(|c| c.id.0.clone());
        let conflicts = memory.conflicts.iter().map(|conflict| conflict.id.0.clone());
        for id in facts.chain(closings).chain(conflicts) {
            prop_assert!(seen.insert(id.clone()), "{} is recorded twice", id);
        }
    }

    /// The bitemporal property: looking back at an earlier day of knowledge shows exactly what a
    /// memory showed that had heard nothing since.
    #[test]
    fn as_known_then_is_what_was_shown_then((functional, steps) in life()) {
        let snapshots = live(functional, steps);
        let Some(last) = snapshots.last() else { return Ok(()) };
        for (then, now) in snapshots.iter().zip(1..) {
            for at in instants() {
                let shown =
                    super::super::state_at(&then.facts, &then.conflicts, at, None);
                let looked_back = super::super::state_at(
                    &last.facts, &last.conflicts, at, Some(known(now)),
                );
                prop_assert_eq!(ids(&looked_back), ids(&shown));
            }
            let ends = |memory: &Memory, known_at| -> BTreeMap<FactId, _> {
                let facts = memory.facts.iter().filter(|fact| is_known(fact, known_at));
                facts
                    .map(|fact| {
                        let closing = fact.closing(known_at).map(|c| {
                            (c.valid_to, c.cause.clone(), c.rule.clone(), c.superseded_by.clone())
                        });
                        (fact.id.clone(), closing)
                    })
                    .collect()
            };
            prop_assert_eq!(ends(last, Some(known(now))), ends(then, None));
        }
    }

    #[test]
    fn forgetting_and_restoring_brings_back_the_same(
        claims in claims(any_claim(), 7), functional: bool, event in 0..7_usize,
    ) {
        let mut memory = Memory { functional, claims, ..Memory::default() };
        memory.update(1);
        let before = sayings_of_stored(&memory.facts);
        let gone = memory.forget(&format!("e{event}"), 2);
        let mut without = Memory { functional, claims: memory.claims.clone(), ..Memory::default() };
        without.update(2);
        prop_assert_eq!(sayings_of_stored(&memory.facts), sayings_of_stored(&without.facts));
        memory.claims.extend(gone);
        memory.update(3);
        prop_assert_eq!(sayings_of_stored(&memory.facts), before);
    }

    #[test]
    fn each_known_fact_is_in_exactly_one_list((functional, steps) in life()) {
        let Some(memory) = live(functional, steps).pop() else { return Ok(()) };
        for at in instants() {
            let state = super::super::state_at(&memory.facts, &memory.conflicts, at, None);
            let listed = ids(&state);
            let distinct: BTreeSet<&FactId> = listed.iter().map(|(_, id, _)| id).collect();
            prop_assert_eq!(distinct.len(), listed.len());
            let known_facts = memory.facts.iter().filter(|f| is_known(f, None) || is_taken_back(f));
            prop_assert_eq!(listed.len(), known_facts.count());
            let holding = memory.facts.iter().filter(|fact| holds_at(fact, at, None)).count();
            prop_assert_eq!(holding, state.current.len() + state.conflict.len());
            prop_assert!(!functional || state.current.len() <= 1);
            prop_assert!(state.conflict.len() != 1);
        }
    }
}

/// Four dated values in all 24 orders of arrival.
#[test]
fn every_permutation_of_four_dated_values_gives_one_timeline() {
    let four = [
        says("e1", "npm", 2),
        says("e2", "yarn", 4).still(),
        says("e3", "pnpm", 6).within(3),
        says("e4", "npm", 9),
    ];
    let mut sayings = BTreeSet::new();
    for order in permutations(four.len()) {
        let mut memory = Memory::functional();
        for (index, now) in order.into_iter().zip(10..) {
            memory.hear(four[index].clone(), now);
        }
        sayings.insert(sayings_of_stored(&memory.facts));
    }
    assert_eq!(sayings.len(), 1);
    assert_eq!(sayings.iter().next().map(Vec::len), Some(4));
}

fn permutations(number: usize) -> Vec<Vec<usize>> {
    if number == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for shorter in permutations(number - 1) {
        for place in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(place, number - 1);
            all.push(longer);
        }
    }
    all
}
