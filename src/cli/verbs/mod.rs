//! One file per verb: its arguments, the calls it makes, and how a person reads the answer.

pub mod act;
pub mod backup;
pub mod bench;
pub mod blast;
pub mod block;
pub mod check;
pub mod diff;
pub mod entity;
pub mod eval;
pub mod event;
pub mod export;
mod facts;
pub mod forget;
mod input;
pub mod jobs;
pub mod maintain;
pub mod query;
pub mod reader;
pub mod recall;
pub mod record;
pub mod restore;
pub mod seal;
pub mod search;
pub mod serve;
pub mod stale;
pub mod status;
pub mod timeline;
pub mod why;

pub use why::render as render_why;
