//! Decay: pure arithmetic for Block levels and Event weights.
//!
//! Short-term decay lowers the view that a Block is shown at as the conversation moves on
//! ([`level_at`], [`Anchor`]); an expansion raises it and starts the count anew ([`Expansion`]).
//! The long-term weight ranks Events ([`event_weight`]) and grows by adoption alone.
//!
//! Invariants: nothing here reads a clock, and no level rises without an expansion.
#![doc = include_str!("choices.md")]

mod event_weight;
mod expansion;
mod lambda;
mod level;

#[cfg(test)]
mod properties;

pub use event_weight::{SUPERSEDED_CAP, Standing, event_weight, floor};
pub use expansion::{Expansion, UnknownExpansion, expand};
pub use lambda::{InvalidLambda, Lambda};
pub use level::{Anchor, age_after, level_at, levels_dropped, weight};
