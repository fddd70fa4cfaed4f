//! Properties of what is recorded while claims arrive, are forgotten and come back.

use super::super::testing::{Memory, known, may, says, slot, word};
use super::super::{
    Arrival, Clock, FoldedFact, SlotClaim, SlotDiff, SlotDifference, SlotState, SlotTimeline, diff,
    holds_at, is_known, is_taken_back, reconcile, replay, state_at,
};
use super::random::{any_claim, claims, instants};
use crate::model::{EventId, Fact, FactId, ValidTime};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_never_becomes_current((functional, steps) in life()) {
        for memory in live(functional, steps) {
            for at in instants() {
                let state = state_at(&memory.facts, &memory.conflicts, at, None);
                prop_assert!(state.current.iter().chain(&state.conflict).all(|f| !f.planned));
            }
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
                    state_at(&then.facts, &then.conflicts, at, None);
                let looked_back = state_at(
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
            let state = state_at(&memory.facts, &memory.conflicts, at, None);
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

    /// What holds later and did not before was added; what held before and does not later ended.
    #[test]
    fn a_difference_explains_what_differs(
        (functional, steps) in life(), from in 0..34_usize, length in 0..20_usize,
    ) {
        let Some(memory) = live(functional, steps).pop() else { return Ok(()) };
        let all = instants();
        let (from, to) = (all[from], all[(from + length).min(34)]);
        let found =
            diff(&memory.facts, &memory.conflicts, from.0, to.0, Clock::Valid);
        let listed = |list: &[SlotDifference]| -> BTreeSet<FactId> {
            list.iter().map(|difference| difference.fact.clone()).collect()
        };
        let (added, ended) = (listed(&found.added), listed(&found.ended));
        for fact in &memory.facts {
            let before = holds_at(fact, from, None);
            let after = holds_at(fact, to, None);
            prop_assert!(before || !after || added.contains(&fact.id));
            prop_assert!(!before || after || ended.contains(&fact.id));
            prop_assert!(!before || !added.contains(&fact.id));
            prop_assert!(!after || !ended.contains(&fact.id));
        }
    }

    #[test]
    fn adjoining_differences_of_the_world_add_up(
        (functional, steps) in life(), mut days in prop::array::uniform3(0..20_i64),
    ) {
        let Some(memory) = live(functional, steps).pop() else { return Ok(()) };
        days.sort_unstable();
        let between = |from: i64, to: i64| {
            diff(&memory.facts, &memory.conflicts, may(from), may(to), Clock::Valid)
        };
        let mut parts = between(days[0], days[1]);
        let rest = between(days[1], days[2]);
        let mut whole = between(days[0], days[2]);
        parts.added.extend(rest.added);
        parts.ended.extend(rest.ended);
        parts.corrected.extend(rest.corrected);
        parts.conflicted.extend(rest.conflicted);
        for diff in [&mut parts, &mut whole] {
            let SlotDiff { added, ended, corrected, conflicted } = diff;
            for list in [added, ended, corrected, conflicted] {
                list.sort_by(|a, b| (a.at, &a.fact).cmp(&(b.at, &b.fact)));
            }
        }
        prop_assert_eq!(parts, whole);
    }

    /// Where the Slot shows the same at two times of knowledge, nothing was added in between that
    /// was not known; where a value is new, it was added.
    #[test]
    fn a_difference_of_knowledge_names_new_values(
        (functional, steps) in life(), from in 0..12_i64, length in 0..12_i64,
    ) {
        let Some(memory) = live(functional, steps).pop() else { return Ok(()) };
        let (from, to) = (known(from), known(from + length));
        let found = diff(&memory.facts, &memory.conflicts, from.0, to.0, Clock::Known);
        let values_at = |at| -> BTreeSet<(String, bool)> {
            let facts = memory.facts.iter().filter(|fact| is_known(fact, Some(at)));
            facts.map(|fact| (fact.value.key(), fact.planned)).collect()
        };
        let (before, after) = (values_at(from), values_at(to));
        let added: BTreeSet<(String, bool)> = memory
            .facts
            .iter()
            .filter(|fact| found.added.iter().any(|difference| difference.fact == fact.id))
            .map(|fact| (fact.value.key(), fact.planned))
            .collect();
        prop_assert!(after.difference(&before).all(|value| added.contains(value)));
        prop_assert!(added.is_subset(&after));
    }

    #[test]
    fn a_replay_of_the_arrivals_is_what_is_stored(
        functional: bool, all in claims(any_claim(), 8), gone in 0..8_usize,
    ) {
        let mut memory = Memory { functional, ..Memory::default() };
        let mut arrivals = Vec::new();
        for (claim, now) in all.into_iter().zip(1..) {
            memory.hear(claim.clone(), now);
            arrivals.push(Arrival { at: known(now), heard: vec![claim], gone: Vec::new() });
        }
        memory.forget(&format!("e{gone}"), 50);
        let gone = vec![EventId(format!("e{gone}"))];
        arrivals.push(Arrival { at: known(50), heard: Vec::new(), gone });
        let (facts, conflicts) = replay(&slot(), functional, &arrivals);
        prop_assert_eq!((facts, conflicts), (memory.facts, memory.conflicts));
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
