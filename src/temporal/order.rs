//! The two orders that the fold needs: by place in valid time, and by mention.

use super::slot_claim::{Position, SlotClaim};
use crate::model::{ClaimOp, Precision, ValidTime};

/// A claim at its place. A correction may stand at another place than its own words say.
#[derive(Debug, Clone)]
pub(super) struct Item<'a> {
    pub claim: &'a SlotClaim,
    pub at: Option<ValidTime>,
    pub by: ValidTime,
    pub precision: Precision,
    /// Rank of the mention among all mentions of the Slot.
    pub rank: usize,
    /// Breaks ties of the place; only where the mention is the place.
    pub position: Option<&'a Position>,
}

impl Item<'_> {
    pub fn is_assert(&self) -> bool {
        self.claim.op == ClaimOp::Assert && self.claim.value.is_some()
    }

    /// The key of its value; empty for "any".
    pub fn value_key(&self) -> String {
        self.claim.value.as_ref().map(crate::model::FactValue::key).unwrap_or_default()
    }

    fn tie_break(&self) -> (chrono::DateTime<chrono::Utc>, Option<&Position>, &str, usize) {
        let claim = self.claim;
        (claim.mentioned_at, claim.position.as_ref(), claim.event.as_str(), claim.ordinal)
    }
}

/// Puts the claims in order of mention and ranks them. A claim that is listed twice counts once;
/// mentions of one instant share a rank unless one thread's order of messages tells them apart.
pub(super) fn rank_by_mention(claims: &[SlotClaim]) -> Vec<Item<'_>> {
    let mut claims: Vec<&SlotClaim> = claims.iter().collect();
    claims.sort_by_key(|claim| (claim.event.as_str(), claim.ordinal));
    claims.dedup_by_key(|claim| (claim.event.as_str(), claim.ordinal));
    let mut items: Vec<Item<'_>> = claims
        .into_iter()
        .map(|claim| Item {
            claim,
            at: claim.at,
            by: claim.by,
            precision: claim.precision,
            rank: 0,
            position: claim.position.as_ref().filter(|_| claim.is_placed_by_mention()),
        })
        .collect();
    items.sort_by(|a, b| a.tie_break().cmp(&b.tie_break()));
    let mut rank = 0;
    for batch in items.chunk_by_mut(|a, b| a.claim.mentioned_at == b.claim.mentioned_at) {
        let share_a_thread = share_a_thread(batch.iter().map(|item| item.claim.position.as_ref()));
        let same_rank =
            |a: &Item<'_>, b: &Item<'_>| !share_a_thread || a.claim.position == b.claim.position;
        for equals in batch.chunk_by_mut(same_rank) {
            for item in equals {
                item.rank = rank;
            }
            rank += 1;
        }
    }
    items
}

/// Groups claims that stand at the same place, earliest place first. An unknown start precedes
/// every known one that is certain by the same instant.
pub(super) fn group_by_place<'a, 'c>(items: &'a mut [Item<'c>]) -> Vec<&'a [Item<'c>]> {
    items.sort_by(|a, b| {
        (a.by, a.at, a.position, a.tie_break()).cmp(&(b.by, b.at, b.position, b.tie_break()))
    });
    let mut groups = Vec::new();
    for group in items.chunk_by(|a, b| (a.by, a.at) == (b.by, b.at)) {
        if share_a_thread(group.iter().map(|item| item.position)) {
            groups.extend(group.chunk_by(|a, b| a.position == b.position));
        } else {
            groups.push(group);
        }
    }
    groups
}

fn share_a_thread<'a>(mut positions: impl Iterator<Item = Option<&'a Position>>) -> bool {
    let Some(Some(first)) = positions.next() else { return false };
    positions.all(|other| other.is_some_and(|other| other.thread == first.thread))
}
