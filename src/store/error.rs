//! What can go wrong in the store.

use std::time::Duration;

/// Why the store could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The engine reports an error.
    #[error("the graph store failed: {0}")]
    Storage(#[from] oxigraph::store::StorageError),
    /// Something that must be there is not, or is not what it must be.
    #[error("the graph store is damaged: {0}")]
    Corrupt(String),
    /// The stored form is newer than this program.
    #[error(
        "the store of {namespace:?} has form {stored}, this program knows up to {known}; use a newer program"
    )]
    Newer {
        /// The namespace.
        namespace: String,
        /// The stored form's version.
        stored: u32,
        /// The newest version this program knows.
        known: u32,
    },
    /// A migration failed.
    #[error("migration {name} of {namespace:?} failed: {reason}")]
    Migration {
        /// The namespace.
        namespace: String,
        /// The migration.
        name: String,
        /// Why.
        reason: String,
    },
    /// A file could not be written or read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// Why a query gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// It is no SPARQL query.
    #[error("the query is not valid SPARQL 1.1: {0}")]
    Syntax(String),
    /// It is valid but not allowed here.
    #[error("the query was refused: {0}")]
    Refused(String),
    /// It ran into its deadline.
    #[error("the query was stopped after {:.1} s; narrow it or raise `timeout` (at most 30 s)", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It needed more memory than one query may take, in bytes.
    #[error("the query needed more than {} MiB of memory and was ended; narrow it, group less or sort fewer rows, or raise `query_memory_mib`", .0 / (1024 * 1024))]
    OutOfMemory(u64),
    /// All places for ad-hoc queries are taken.
    #[error("too many queries are running; try again in a moment")]
    Busy,
    /// There is no view of that name.
    #[error("no named query {0:?}; GET …/queries lists them")]
    UnknownQuery(String),
    /// A parameter of a view is not acceptable.
    #[error("parameter {name}: {reason}")]
    BadParameter {
        /// The parameter.
        name: String,
        /// Why.
        reason: String,
    },
    /// The engine failed.
    #[error("the query failed: {0}")]
    Internal(String),
}
