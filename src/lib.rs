//! StrataGate: a memory service for AI agents.

pub mod api;
pub mod cli;
pub mod clock;
pub mod config;
pub mod decay;
pub mod extract;
pub mod jobs;
pub mod journal;
pub mod memory;
pub mod model;
pub mod store;
pub mod telemetry;
pub mod temporal;
pub mod text;
pub mod views;
pub mod vocab;
