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
mod bulk;
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
mod page;
mod pool;
mod project;
mod proposals;
mod recall;
mod recalled;
mod seal;
mod search;
mod settings;
mod signal;
mod slots;
mod sparql;
mod timeline;
pub mod types;
mod why;
mod work;
mod writer;
mod zone;

pub use backup::restore;
pub use bulk::{BulkConversation, BulkTurn};
pub use capture::MAX_MESSAGE_BYTES;
pub use error::MemoryError;
pub use indexer::Indexer;
pub use namespace::Namespace;
pub use pool::{Memory, MemoryOptions};
pub use types::*;
pub use why::REPLACED_LINKS;
pub use work::JobOutcome;

use page::{cursor, cursor_parts, page_limit};
