//! What can go wrong in this room.

use std::path::PathBuf;

/// A failure of the text index. The index is never the truth: the caller can always rebuild it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// A file of the index could not be read, made or removed.
    #[error("the text index at {path} cannot be used: {source}")]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process or handle holds the writer lock of the folder.
    #[error("the text index at {0} has another writer")]
    Locked(PathBuf),
    /// The writer failed and was dropped; everything after `committed_seq` must be sent again.
    #[error(
        "the text index writer failed and was closed: {reason}; resend from sequence {committed_seq:?}"
    )]
    Writer {
        /// What the engine said.
        reason: String,
        /// The last sequence that is safely in the index.
        committed_seq: Option<u64>,
    },
    /// Reading the index failed.
    #[error("the text index could not be searched: {0}")]
    Search(String),
}

impl From<tantivy::TantivyError> for TextError {
    fn from(error: tantivy::TantivyError) -> Self {
        Self::Search(error.to_string())
    }
}

impl From<std::io::Error> for TextError {
    fn from(error: std::io::Error) -> Self {
        Self::Search(error.to_string())
    }
}
