//! Background work: what runs, when, and how often it was tried.
//!
//! One thread runs jobs, oldest first within a namespace and namespaces in turn, so that a Block's
//! Events are found after those of the Block before it. Another seals idle tails, and brings
//! current states up to date where time alone changes them. Both stop when told to, after the part
//! of a job in hand: what is left of it is taken up at the next start. Everything durable is in [`crate::memory`]: this room only decides when.

mod runner;

pub use runner::{Runner, settle};
