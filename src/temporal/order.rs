//! The two orders that the fold needs: by place in valid time, and by mention.

use super::slot_claim::{Position, SlotClaim};
use crate::model::{ClaimOp, FactValue, Precision, ValidTime};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A claim at its place. A correction may stand at another place than its own words say.
#[derive(Debug, Clone)]
pub(super) struct Item<'c> {
    pub claim: &'c SlotClaim,
    pub at: Option<ValidTime>,
    pub by: ValidTime,
    pub precision: Precision,
    /// Breaks ties of the place; only where the mention is the place.
    pub position: Option<&'c Position>,
}

/// The total order of mentions; refines [`SlotClaim::is_mentioned_before`].
pub(super) type MentionKey<'c> =
    (chrono::DateTime<chrono::Utc>, Option<&'c Position>, &'c str, usize);

impl<'c> Item<'c> {
    pub fn is_assert(&self) -> bool {
        self.claim.op == ClaimOp::Assert && self.claim.value.is_some()
    }

    /// The key of its value; empty for "any".
    pub fn value_key(&self) -> String {
        self.claim.value.as_ref().map(FactValue::key).unwrap_or_default()
    }

    pub fn mention_key(&self) -> MentionKey<'c> {
        let claim = self.claim;
        (claim.mentioned_at, claim.position.as_ref(), claim.event.as_str(), claim.ordinal)
    }

    /// Whether both were said in one breath.
    pub fn shares_mention(&self, other: &Self) -> bool {
        self.claim.mentioned_at == other.claim.mentioned_at
            && self.claim.position == other.claim.position
    }
}

/// Puts the claims in order of mention. A claim that is listed twice counts once.
pub(super) fn in_order_of_mention<'c>(
    claims: impl IntoIterator<Item = &'c SlotClaim>,
) -> Vec<Item<'c>> {
    let mut claims: Vec<&SlotClaim> = claims.into_iter().collect();
    claims.sort_by_key(|claim| (claim.event.as_str(), claim.ordinal));
    claims.dedup_by_key(|claim| (claim.event.as_str(), claim.ordinal));
    let mut items: Vec<Item<'c>> = claims
        .into_iter()
        .map(|claim| Item {
            claim,
            at: claim.at,
            by: claim.by,
            precision: claim.precision,
            position: claim.position.as_ref().filter(|_| claim.is_placed_by_mention()),
        })
        .collect();
    items.sort_by(|a, b| a.mention_key().cmp(&b.mention_key()));
    items
}

/// Groups claims that stand at the same place, earliest place first. An unknown start precedes
/// every known one that is certain by the same instant; of one thread's claims at one place the
/// later messages come later, so that only the last word of a thread meets those of others.
pub(super) fn group_by_place<'c>(items: &[Item<'c>]) -> Vec<Vec<Item<'c>>> {
    let mut sorted = items.to_vec();
    sorted.sort_by(|a, b| (a.by, a.at, a.mention_key()).cmp(&(b.by, b.at, b.mention_key())));
    let mut groups = Vec::new();
    for place in sorted.chunk_by(|a, b| (a.by, a.at) == (b.by, b.at)) {
        let mut layered: Vec<(Reverse<usize>, &Item<'c>)> =
            place.iter().map(|item| (Reverse(later_words(item, place)), item)).collect();
        layered.sort_by_key(|(layer, _)| *layer);
        for layer in layered.chunk_by(|(a, _), (b, _)| a == b) {
            groups.push(layer.iter().map(|(_, item)| (*item).clone()).collect());
        }
    }
    groups
}

/// Counts the later messages of the same thread that speak of the same place.
fn later_words(item: &Item<'_>, place: &[Item<'_>]) -> usize {
    let Some(own) = item.position else { return 0 };
    let positions = place.iter().filter_map(|other| other.position);
    let later: BTreeSet<u64> = positions
        .filter(|other| other.thread == own.thread && other.index > own.index)
        .map(|other| other.index)
        .collect();
    later.len()
}
