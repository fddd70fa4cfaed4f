//! Properties of the fold over random claims.

use super::super::testing::{Memory, value, word, words};
use super::super::{FoldedFact, SlotClaim, SlotTimeline, fold, state_at};
use super::random::{VALUES, any_claim, claims, instants, plain_claim, shuffled};
use crate::model::{ClaimOp, ValidTime};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

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
            let state = state_at(&memory.facts, &memory.conflicts, at, None);
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
}
