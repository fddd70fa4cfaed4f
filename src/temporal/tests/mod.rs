//! Tests of the room as a whole, each rule by name.

mod corrections;
mod lifetimes;
mod plans;
mod properties;
mod random;
mod recording;
mod succession;
mod times;
