//! Tests of the room as a whole, each rule by name.

mod corrections;
mod plans;
mod properties;
mod recording;
mod succession;
