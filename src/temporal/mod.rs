//! Temporal rules: from the claims of one Slot to its timeline, on two clocks.
#![doc = include_str!("README.md")]

mod certainty;
mod change;
mod corrections;
mod diff;
mod fold;
mod generation;
mod order;
mod plans;
mod reconcile;
mod replay;
mod rule;
mod sequence;
mod slot_claim;
mod state;

pub use certainty::{Certainty, certainty};
pub use change::{
    ClosingWithdrawn, ConflictOpened, ConflictResolved, FactClosed, FactOpened, FactRetracted,
    SlotChange, SourcesChanged, apply,
};
pub use diff::{Clock, SlotDiff, SlotDifference, diff};
pub use fold::{FoldedClosing, FoldedConflict, FoldedFact, SlotTimeline, fold};
pub use reconcile::reconcile;
pub use replay::{Arrival, replay};
pub use rule::Rule;
pub use slot_claim::{Position, SlotClaim};
pub use state::{
    FactEnd, SlotState, end_of, history_as_known, holds_at, is_known, is_taken_back, state_at,
    status_of,
};

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
