//! Frozen states of a store, for readers.

use crate::store::{NamespaceStore, QueryError};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The folder of checkpoints, beside the store's own.
const FOLDER: &str = "reader";

/// One frozen state; its files go with it.
pub struct Checkpoint {
    /// Keeps the folder until nobody reads it.
    folder: tempfile::TempDir,
    /// Commits of the store when it was made.
    commits: u64,
}

impl Checkpoint {
    /// Where its files are.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Whether it is one of the checkpoints in this folder.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.folder.path().parent() == other.folder.path().parent()
    }
}

/// The checkpoints of one store.
#[derive(Default)]
pub struct Checkpoints {
    folder: PathBuf,
    newest: Mutex<Weak<Checkpoint>>,
}

impl Checkpoints {
    /// Checkpoints beside a store's folder. What an earlier process left there is removed.
    pub fn beside(store: &Path) -> Self {
        let folder = store.with_file_name(FOLDER);
        if let Err(error) = std::fs::remove_dir_all(&folder)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(folder = %folder.display(), %error, "old checkpoints stay");
        }
        Self { folder, newest: Mutex::default() }
    }

    /// The store as it is now: the newest checkpoint where nothing was written since.
    ///
    /// # Errors
    /// When none can be made.
    pub fn current(&self, store: &NamespaceStore) -> Result<Arc<Checkpoint>, QueryError> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        // Read before the checkpoint is made: it may hold more than it says, never less.
        let commits = store.commits.load(Ordering::SeqCst);
        if let Some(checkpoint) = newest.upgrade().filter(|newest| newest.commits == commits) {
            return Ok(checkpoint);
        }
        let failed = |error: &dyn std::fmt::Display| {
            QueryError::Internal(format!("no checkpoint could be made: {error}"))
        };
        std::fs::create_dir_all(&self.folder).map_err(|error| failed(&error))?;
        let folder = tempfile::Builder::new()
            .prefix("checkpoint-")
            .tempdir_in(&self.folder)
            .map_err(|error| failed(&error))?;
        let checkpoint = Arc::new(Checkpoint { folder, commits });
        store.backup(&checkpoint.folder()).map_err(|error| failed(&error))?;
        *newest = Arc::downgrade(&checkpoint);
        Ok(checkpoint)
    }
}
