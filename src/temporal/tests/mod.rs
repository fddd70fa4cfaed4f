//! Tests of the room as a whole, each rule by name.

mod corrections;
mod plans;
mod recording;
mod succession;
