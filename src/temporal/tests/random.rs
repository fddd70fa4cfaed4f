//! Random claims of one Slot.

use super::super::testing::{ends, may, says, valid};
use super::super::{Position, SlotClaim};
use crate::model::{ClaimOp, EventId, ThreadId, ValidTime};
use chrono::Duration;
use proptest::prelude::*;

pub(super) const VALUES: [&str; 3] = ["npm", "pnpm", "yarn"];

/// Noon of each day of interest and the midnights between.
pub(super) fn instants() -> Vec<ValidTime> {
    (0..=34).map(|half| ValidTime(may(0) + Duration::hours(12 * half))).collect()
}

/// An exact, actual assertion or end.
pub(super) fn plain_claim() -> impl Strategy<Value = SlotClaim> {
    (0..VALUES.len(), 1..12_i64, 0..6_u8).prop_map(|(word, day, kind)| match kind {
        0 => ends("", VALUES[word], day),
        1 => ends("", "", day),
        _ => says("", VALUES[word], day),
    })
}

/// Any claim: vague, planned, correcting, ending, with or without a place in a thread.
pub(super) fn any_claim() -> impl Strategy<Value = SlotClaim> {
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

pub(super) fn claims(
    of: impl Strategy<Value = SlotClaim>,
    most: usize,
) -> impl Strategy<Value = Vec<SlotClaim>> {
    (prop::collection::vec(of, 0..=most), prop::bool::weighted(0.3))
        .prop_map(|(claims, shared)| from_events(claims, shared))
}

pub(super) fn shuffled(
    of: impl Strategy<Value = SlotClaim>,
    most: usize,
) -> impl Strategy<Value = (Vec<SlotClaim>, Vec<SlotClaim>)> {
    claims(of, most).prop_flat_map(|claims| (Just(claims.clone()), Just(claims).prop_shuffle()))
}
