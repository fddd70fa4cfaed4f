//! The only room that knows Oxigraph: opening, transactions, the layout of the graphs, mapping
//! between model and quads, SPARQL and the named views.
//!
//! One store per namespace. Oxigraph's RocksDB transactions have no conflict check, so every write
//! goes through the namespace's one writer (see [`crate::memory`]); reads are snapshots and never
//! wait. Start with [`NamespaceStore`] and [`Tx`].

mod acts;
mod blocks;
mod conversation;
mod desk;
mod entities;
mod error;
mod events;
mod export;
mod facts;
mod guard;
mod ledger;
mod migrate;
mod named;
mod names;
mod query;
pub mod reader;
mod service;
mod system;
mod tx;

pub use acts::{ActEffects, ActKind, ActRow, ClaimRef, StoredAct, Withdrawn};
pub use blocks::BlockMeta;
pub use conversation::{CapturedTurn, StoredMessage, TurnRow};
pub use desk::QueryDesk;
pub use entities::property_name;
pub use error::{QueryError, StoreError};
pub use events::{EventWeights, StoredEvent};
pub use export::{GraphName, turtle_as};
pub use facts::{MessageKey, SlotPresent};
pub use guard::MAX_QUERY_BYTES;
pub use ledger::{AdoptionRow, AssessmentRow, JobKind, JobRow, JobState};
pub use migrate::FORMAT_VERSION;
pub use named::{BindError, NamedQuery, Param, ParamKind};
pub use names::{Names, encode_segment};
pub use query::{GraphFormat, PREFIXES, QueryAnswer, QueryForm, QueryOptions, ResultsFormat};
pub use service::{MAX_TEXT_LIMIT, TextHit, TextQuery, TextSearch};
pub use system::{Counters, ThreadRow};
pub use tx::{Node, Tx};

use crate::model::{Block, BlockId, NamespaceName};
use lru::LruCache;
use oxigraph::store::{Store, StoreOptions};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

/// Most files one store keeps open. A file holds 64 MiB, so a store of less than sixty gigabytes
/// never has to open one again; small stores have few.
const MAX_OPEN_FILES: u32 = 1024;
/// Memory that a bulk load may take, about.
const BULK_MEMORY_MIB: usize = 1024;
/// Blocks kept in memory: about three kilobytes each.
const KEPT_BLOCKS: usize = 1024;

/// Blocks read last. They never change, so what is kept is right in every snapshot.
type BlockCache = Arc<Mutex<LruCache<BlockId, Arc<Block>>>>;

pub(crate) const fn pred_type() -> &'static str {
    crate::vocab::rdf::TYPE
}

/// The quads of one namespace.
#[derive(Clone)]
pub struct NamespaceStore {
    store: Store,
    names: Names,
    blocks: BlockCache,
    /// Transactions committed by this process.
    commits: Arc<AtomicU64>,
    checkpoints: Arc<reader::Checkpoints>,
}

impl NamespaceStore {
    /// Opens the store in a folder, or makes an empty one there.
    ///
    /// # Errors
    /// When the folder is locked, damaged or cannot be written.
    pub fn open(folder: &Path, namespace: &NamespaceName) -> Result<Self, StoreError> {
        let options = StoreOptions::default().with_max_open_files(MAX_OPEN_FILES);
        let store = Store::open_with_options(folder, options)?;
        let kept = NonZeroUsize::new(KEPT_BLOCKS).unwrap_or(NonZeroUsize::MIN);
        let blocks = Arc::new(Mutex::new(LruCache::new(kept)));
        Ok(Self {
            store,
            names: Names::new(namespace),
            blocks,
            commits: Arc::default(),
            checkpoints: Arc::new(reader::Checkpoints::beside(folder)),
        })
    }

    /// Returns the namespace's IRIs.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Begins a transaction. For reads it is a stable snapshot; only the namespace's writer may
    /// commit one.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn begin(&self) -> Result<Tx<'_>, StoreError> {
        Ok(Tx::new(self.store.start_transaction()?, &self.names)
            .keeping(&self.blocks, &self.commits))
    }

    /// Makes everything written so far survive a power cut, so that replay starts after it.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn flush(&self) -> Result<(), StoreError> {
        Ok(self.store.flush()?)
    }

    /// Makes an empty store that is in memory only.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn in_memory(namespace: &NamespaceName) -> Result<Self, StoreError> {
        Ok(Self {
            store: Store::new()?,
            names: Names::new(namespace),
            blocks: Arc::new(Mutex::new(LruCache::new(NonZeroUsize::MIN))),
            commits: Arc::default(),
            checkpoints: Arc::default(),
        })
    }

    /// Takes over all quads of other stores by the engine's bulk loader, which checks nothing: only
    /// for stores that were made for it. All of them become visible at once.
    ///
    /// # Errors
    /// The first error of a part, or when the engine fails; then nothing was taken over.
    pub fn bulk_load<E: From<StoreError>>(
        &self,
        parts: impl Iterator<Item = Result<Self, E>>,
    ) -> Result<(), E> {
        let mut failed = None;
        let quads = parts
            .map(|part| Ok::<_, E>(part?.store.iter().collect::<Result<Vec<_>, _>>()))
            .map_while(|part| match part {
                Ok(Ok(quads)) => Some(quads),
                Ok(Err(error)) => {
                    failed = Some(E::from(error.into()));
                    None
                }
                Err(error) => {
                    failed = Some(error);
                    None
                }
            })
            .flatten();
        let loader = self.store.bulk_loader();
        let mut loader = loader.with_max_memory_size_in_megabytes(BULK_MEMORY_MIB);
        loader.load_quads(quads).map_err(StoreError::from)?;
        match failed {
            Some(error) => Err(error),
            None => Ok(loader.commit().map_err(StoreError::from)?),
        }
    }

    /// Counts the quads: a walk through all of them.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn quads(&self) -> Result<u64, StoreError> {
        Ok(self.store.len()? as u64)
    }

    /// Compacts the files.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn optimize(&self) -> Result<(), StoreError> {
        Ok(self.store.optimize()?)
    }

    /// Writes a checkpoint that opens independently.
    ///
    /// # Errors
    /// When the folder exists or cannot be written.
    pub fn backup(&self, folder: &Path) -> Result<(), StoreError> {
        Ok(self.store.backup(folder)?)
    }
}
