//! Settling corrections: which earlier claims a correction takes back, and where it then stands.
//!
//! A correction can only speak of what was said before it, so corrections are settled in order of
//! mention, each against the sequence that the claims mentioned before it make.

use super::order::Item;
use super::rule::Rule;
use super::sequence::{Run, Sequence};
use crate::model::{ClaimOp, EventId, FactValue, Precision, ValidTime};
use std::collections::BTreeSet;

/// Names a claim: its Event and its place there.
pub(super) type ClaimKey<'c> = (&'c EventId, usize);

pub(super) fn claim_key<'c>(item: &Item<'c>) -> ClaimKey<'c> {
    (&item.claim.event, item.claim.ordinal)
}

/// A value that is now known never to have held.
#[derive(Debug)]
pub(super) struct Corrected<'c> {
    pub value: &'c FactValue,
    pub start: Option<ValidTime>,
    pub precision: Precision,
    pub known_end: Option<ValidTime>,
    /// The claims taken back, the opening one first.
    pub items: Vec<Item<'c>>,
    pub rule: Rule,
    /// The correction.
    pub cause: ClaimKey<'c>,
}

/// What one correction does.
struct Verdict<'c> {
    correction: ClaimKey<'c>,
    /// The place it takes over.
    stands_as: Option<Item<'c>>,
    takes_back: Vec<Corrected<'c>>,
}

/// Returns the claims that stand, corrections at their final place, and what was taken back.
pub(super) fn settle<'c>(items: Vec<Item<'c>>) -> (Vec<Item<'c>>, Vec<Corrected<'c>>) {
    let ranks: BTreeSet<usize> =
        items.iter().filter(|item| is_correction(item)).map(|item| item.rank).collect();
    let mut standing = items;
    let mut corrected = Vec::new();
    for rank in ranks {
        let before: Vec<Item<'c>> = standing
            .iter()
            .filter(|item| item.rank < rank || (item.rank == rank && !item.claim.corrects))
            .cloned()
            .collect();
        let base = Sequence::build(&before, Rule::FirstValue);
        // Corrections of one mention do not correct one another: all see the same base.
        let verdicts: Vec<Verdict<'c>> = standing
            .iter()
            .filter(|item| item.rank == rank && is_correction(item))
            .map(|item| judge(item, &base))
            .collect();
        for verdict in verdicts {
            apply(verdict, &mut standing, &mut corrected);
        }
    }
    (standing, corrected)
}

fn is_correction(item: &Item<'_>) -> bool {
    item.claim.corrects && !item.claim.planned
}

fn judge<'c>(item: &Item<'c>, base: &Sequence<'c>) -> Verdict<'c> {
    let mut verdict =
        Verdict { correction: claim_key(item), stands_as: None, takes_back: Vec::new() };
    let holding = base.holding_at(item.by);
    if item.claim.op == ClaimOp::End {
        // "It was never so": nothing takes its place.
        let wrong = holding.iter().map(|index| &base.runs[*index]);
        for run in wrong.filter(|run| item.claim.is_about(&run.key)) {
            verdict.takes_back.extend(taken_back(run, None, item));
        }
        return verdict;
    }
    let key = item.value_key();
    if item.claim.stated {
        let own = base.runs.iter().enumerate().rev().find(|(index, run)| {
            run.key == key && (run.closed.is_none() || holding.contains(index))
        });
        match own {
            // The value was right and its time wrong.
            Some((_, run)) if run.start != item.at => {
                verdict.takes_back.extend(taken_back(run, None, item));
            }
            Some(_) => {}
            None => {
                for index in holding {
                    verdict.takes_back.extend(taken_back(&base.runs[index], Some(item.by), item));
                }
            }
        }
        return verdict;
    }
    let wrong: Vec<&Run<'c>> =
        holding.iter().map(|index| &base.runs[*index]).filter(|run| run.key != key).collect();
    let Some(first) = wrong.first() else { return verdict };
    let opener = &first.items[0];
    verdict.stands_as = Some(Item {
        at: first.start,
        by: opener.by,
        precision: first.precision,
        position: opener.position,
        ..item.clone()
    });
    for run in wrong {
        verdict.takes_back.extend(taken_back(run, None, item));
    }
    verdict
}

/// The claims of a run that a correction takes back: all, or those certain no earlier than `since`.
fn taken_back<'c>(
    run: &Run<'c>,
    since: Option<ValidTime>,
    correction: &Item<'c>,
) -> Option<Corrected<'c>> {
    let items: Vec<Item<'c>> = run
        .items
        .iter()
        .filter(|item| since.is_none_or(|since| item.by >= since))
        .cloned()
        .collect();
    let opener = items.first()?;
    let is_whole = items.len() == run.items.len();
    Some(Corrected {
        value: run.value,
        start: if is_whole { run.start } else { Some(opener.by) },
        precision: if is_whole { run.precision } else { opener.precision },
        known_end: run.known_end(),
        rule: run.rule,
        cause: claim_key(correction),
        items,
    })
}

fn apply<'c>(
    verdict: Verdict<'c>,
    standing: &mut Vec<Item<'c>>,
    corrected: &mut Vec<Corrected<'c>>,
) {
    if let Some(place) = verdict.stands_as
        && let Some(item) = standing.iter_mut().find(|item| claim_key(item) == verdict.correction)
    {
        *item = place;
    }
    for taken in verdict.takes_back {
        let gone: BTreeSet<ClaimKey<'c>> = taken.items.iter().map(claim_key).collect();
        let before = standing.len();
        standing.retain(|item| !gone.contains(&claim_key(item)));
        // A second correction of the same mention finds the claims already taken back.
        if standing.len() < before {
            corrected.push(taken);
        }
    }
}
