//! Views: the fixed rules that render a Block as L3, L4 or L5, and what a Block shows at a level.
//!
//! Invariants: L5 holds every message whole; L3 and L4 depend on nothing but the messages, so the
//! same Block gives the same bytes everywhere; in tokens L3 <= L4 <= L5. Nothing here does I/O,
//! asks a model or reads a clock.
//!
//! Start with [`render`]. Behind it, one file per step: `source` (L5), `entry` (L4) with
//! `tool_record` and `record_line` (what counts as a structured tool record, and its line), and `concise` (L3) with `paragraph`
//! and `sentence`.
#![doc = include_str!("choices.md")]

mod concise;
mod entry;
mod paragraph;
mod record_line;
mod render;
mod sentence;
mod source;
mod tool_record;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod properties;

pub use concise::REPEAT_MARKER;
pub use record_line::RESULT_SUMMARY_CHARS;
pub use render::{BlockSource, View, render};
pub use sentence::FILLERS;
