//! The use cases: record, seal, expand, recall, adopt, trace, check. The only room that combines
//! the others.
//!
//! Every accepted write goes through [`writer`]: validate against the store and what is pending,
//! append to the journal and fsync, apply in one store transaction, acknowledge. What is written
//! is a [`change::Change`], which carries its whole result, so that replay runs no rule again.
//! Reads are snapshots of the store and change nothing. All calls block.
//!
//! Start with [`Memory`]; each use case is a file that adds methods to [`Namespace`].

mod acts;
mod adopt;
mod apply;
mod backup;
mod batch;
mod caches;
mod capture;
mod change;
mod check;
mod context;
mod dependants;
mod diff;
mod engines;
mod entities;
mod error;
mod events;
mod export;
mod facade;
mod facts;
mod forget;
mod gate;
mod hot;
mod index_queue;
mod indexer;
mod namespace;
mod pool;
mod project;
mod proposals;
mod recall;
mod seal;
mod search;
mod settings;
mod signal;
mod slots;
mod sparql;
pub mod types;
mod why;
mod work;
mod writer;
mod zone;

pub use backup::restore;
pub use capture::MAX_MESSAGE_BYTES;
pub use error::MemoryError;
pub use indexer::Indexer;
pub use namespace::Namespace;
pub use pool::{Memory, MemoryOptions};
pub use types::*;
pub use why::REPLACED_LINKS;
pub use work::JobOutcome;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Most items of one page.
const MAX_PAGE: usize = 1_000;

/// Bounds the size of a page: 100 by default.
fn page_limit(limit: Option<usize>) -> usize {
    limit.unwrap_or(100).clamp(1, MAX_PAGE)
}

/// Packs the place after which the next page begins.
fn cursor(parts: &[&str]) -> String {
    let encoded: Vec<String> =
        parts.iter().map(|part| utf8_percent_encode(part, NON_ALPHANUMERIC).to_string()).collect();
    encoded.join(".")
}

/// Unpacks a cursor; no cursor gives no parts.
fn cursor_parts(cursor: Option<&str>, count: usize) -> Result<Vec<String>, MemoryError> {
    let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else { return Ok(Vec::new()) };
    let parts: Vec<String> = cursor
        .split('.')
        .map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned())
        .collect();
    if parts.len() == count {
        Ok(parts)
    } else {
        Err(MemoryError::invalid("cursor", "is not one we gave"))
    }
}
