//! Settling corrections: which earlier claims a correction takes back, and where it then stands.
//!
//! A correction can only speak of what was said before it, so corrections are settled in order of
//! mention, each against the sequence that the claims mentioned before it make.

use super::order::Item;
use super::rule::Rule;
use super::sequence::{Run, Sequence};
use super::slot_claim::SlotClaim;
use crate::model::{ClaimOp, EventId, FactValue, Precision, ValidTime};
use std::collections::BTreeMap;

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
    /// The place it takes over.
    stands_as: Option<Item<'c>>,
    takes_back: Vec<Corrected<'c>>,
}

/// Returns the claims that stand, corrections at their final place, and what was taken back.
pub(super) fn settle<'c>(items: Vec<Item<'c>>) -> (Vec<Item<'c>>, Vec<Corrected<'c>>) {
    let mut placed = items;
    // The corrections that take each claim back.
    let mut taken: BTreeMap<ClaimKey<'c>, Vec<&'c SlotClaim>> = BTreeMap::new();
    let mut corrected = Vec::new();
    for index in 0..placed.len() {
        if !is_correction(&placed[index]) {
            continue;
        }
        let base = Sequence::build(&said_before(&placed, &taken, index), Rule::FirstValue);
        let verdict = judge(&placed[index], &base);
        if let Some(place) = verdict.stands_as {
            placed[index] = place;
        }
        for back in verdict.takes_back {
            // What an equally old correction has taken back already is listed once.
            let is_new = back.items.iter().any(|item| !taken.contains_key(&claim_key(item)));
            for item in &back.items {
                taken.entry(claim_key(item)).or_default().push(placed[index].claim);
            }
            corrected.extend(is_new.then_some(back));
        }
    }
    placed.retain(|item| !taken.contains_key(&claim_key(item)));
    (placed, corrected)
}

/// The claims that the correction at `index` can speak of. Corrections that are not older than
/// it are left out, and so is what they did.
fn said_before<'c>(
    placed: &[Item<'c>],
    taken: &BTreeMap<ClaimKey<'c>, Vec<&'c SlotClaim>>,
    index: usize,
) -> Vec<Item<'c>> {
    let correction = placed[index].claim;
    let is_earlier = |item: &&Item<'c>| {
        if item.claim.corrects {
            item.claim.is_mentioned_before(correction)
        } else {
            item.claim.mentioned_at <= correction.mentioned_at
                && !correction.is_mentioned_before(item.claim)
        }
    };
    let still_stands = |item: &&Item<'c>| {
        let by = taken.get(&claim_key(item)).into_iter().flatten();
        by.copied().all(|other| !other.is_mentioned_before(correction))
    };
    placed.iter().filter(is_earlier).filter(still_stands).cloned().collect()
}

fn is_correction(item: &Item<'_>) -> bool {
    item.claim.corrects && !item.claim.planned
}

fn judge<'c>(item: &Item<'c>, base: &Sequence<'c>) -> Verdict<'c> {
    let mut verdict = Verdict { stands_as: None, takes_back: Vec::new() };
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
