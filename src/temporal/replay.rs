//! The stored form of a Slot, made from scratch out of what arrived when.

use super::change::apply;
use super::fold::fold;
use super::reconcile::reconcile;
use super::slot_claim::SlotClaim;
use crate::model::{Conflict, EventId, Fact, Slot, TxTime};
use std::collections::BTreeSet;

/// What one commit brought to a Slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// When it was committed.
    pub at: TxTime,
    /// Claims that came in, or came back.
    pub heard: Vec<SlotClaim>,
    /// Events that were forgotten or withdrawn.
    pub gone: Vec<EventId>,
}

/// Plays the arrivals, oldest first, and returns the facts and conflicts they leave, recorded at
/// the times of the arrivals.
///
/// A check compares the result with what is stored. Played without the Events that were
/// forgotten, it answers what was known at an earlier time as if they had never been heard.
pub fn replay(slot: &Slot, functional: bool, arrivals: &[Arrival]) -> (Vec<Fact>, Vec<Conflict>) {
    let (mut facts, mut conflicts, mut claims) = (Vec::new(), Vec::new(), Vec::new());
    for arrival in arrivals {
        let gone: BTreeSet<&EventId> = arrival.gone.iter().collect();
        claims.retain(|claim: &SlotClaim| !gone.contains(&claim.event));
        claims.extend(arrival.heard.iter().cloned());
        let folded = fold(functional, &claims);
        let change = reconcile(slot, &folded, &facts, &conflicts, arrival.at);
        apply(&mut facts, &mut conflicts, &change);
    }
    (facts, conflicts)
}
