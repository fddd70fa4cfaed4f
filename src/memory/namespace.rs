//! One open namespace: its journal, store, index and side files, and how they come to agree.

use super::apply;
use super::caches::{BlockIndex, EventIndex};
use super::change::Change;
use super::error::MemoryError;
use super::hot::Hot;
use super::index_queue::IndexQueue;
use super::slots::SlotCache;
use super::types::Settings;
use super::writer::{QueuedCapture, Writer};
use crate::clock::Clock;
use crate::journal::{Journal, JournalReader, Record, SideLog};
use crate::model::{NamespaceName, TxTime};
use crate::store::{FORMAT_VERSION, NamespaceStore};
use crate::text::{TextIndex, TextOptions};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

/// Records applied in one transaction while replaying: few enough to bound memory, enough to be
/// fast.
const REPLAY_CHUNK: usize = 64;
/// Bytes of records after which the store is asked to write its own files. Until then it keeps
/// what they became in memory, about twelve times as much.
const FLUSH_AFTER_BYTES: u64 = 3 * 1024 * 1024;
/// Most bytes the notes on attempts take; a job's note goes when the job ends.
const MAX_ATTEMPTS_BYTES: u64 = 8 * 1024 * 1024;

/// What an attempt at a job leaves behind, before it ends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attempt {
    /// Times begun.
    pub attempts: u32,
    /// The last error, or that the process ended.
    pub last_error: Option<String>,
    /// When it may be tried again.
    pub not_before: DateTime<Utc>,
}

/// See the module's documentation.
pub struct Namespace {
    /// Its name.
    pub name: NamespaceName,
    pub(super) folder: PathBuf,
    pub(super) clock: Clock,
    pub(super) store: NamespaceStore,
    pub(super) journal: JournalReader,
    pub(super) index: TextIndex,
    pub(super) index_queue: IndexQueue,
    pub(super) queue: Mutex<Vec<QueuedCapture>>,
    /// Held by whoever changes anything but the conversation: always taken before the writer.
    pub(super) graph: Mutex<SlotCache>,
    pub(super) writer: Mutex<Writer>,
    /// Whether writes are stopped: what [`Writer::broken`] says, without waiting for the writer.
    stopped: AtomicBool,
    pub(super) batches: Mutex<SideLog<super::batch::Batch>>,
    pub(super) attempts: Mutex<SideLog<Attempt>>,
    pub(super) blocks: RwLock<Option<BlockIndex>>,
    pub(super) events: RwLock<Option<EventIndex>>,
    /// Commits of this process: tells whether one came in between.
    pub(super) commits: AtomicU64,
    /// Bytes of the records applied by this process.
    pub(super) applied_bytes: AtomicU64,
    /// How many of them the store has written to its own files.
    flushed_bytes: AtomicU64,
    /// The number of turns, for weights. The store has it too, but there everyone who reads would
    /// step over the remains of all earlier numbers.
    turns: AtomicU64,
    /// Wakes the workers.
    pub(super) signal: Arc<super::signal::Signal>,
    /// When the newest record was written, in microseconds since 1970.
    newest: AtomicI64,
    /// When the namespace was last used, in milliseconds since 1970.
    pub(super) last_used: AtomicI64,
}

/// The folders inside a namespace's folder.
pub(super) mod folders {
    pub const JOURNAL: &str = "journal";
    pub const STORE: &str = "store";
    pub const INDEX: &str = "index";
    pub const SIDE: &str = "side";
    pub const NAME: &str = "namespace.json";
}

impl Namespace {
    /// Opens a namespace's folder: the journal first, then the store, which replays what it has
    /// not applied, then the index, which catches up behind the store. With `create`, a new
    /// namespace gets its first record.
    pub fn open(
        folder: &Path,
        name: NamespaceName,
        clock: Clock,
        signal: Arc<super::signal::Signal>,
        create: Option<Settings>,
    ) -> Result<Self, MemoryError> {
        if create.is_none() && !Journal::exists(folder)? {
            // Its first record was written before its name, so there was one.
            return Err(MemoryError::Corrupt(format!(
                "the journal of namespace {:?} is missing: there is no file in {}; nothing was \
                 changed, put it back or restore a backup",
                name.as_str(),
                folder.join(folders::JOURNAL).display()
            )));
        }
        let side = folder.join(folders::SIDE);
        std::fs::create_dir_all(&side).map_err(|error| io(&side, &error))?;
        let (mut journal, _recovery) = Journal::open(folder, &name)?;
        if let Some(last) = journal.last_recorded_at() {
            clock.observe(last);
        }
        if journal.last_seq() == 0 {
            let settings = create.unwrap_or_default();
            let change = Change::Created { settings, format: FORMAT_VERSION };
            let body = serde_json::to_vec(&change)
                .map_err(|error| MemoryError::Unavailable(error.to_string()))?;
            let recorded_at = clock.now();
            journal.append(&[Record { recorded_at, kind: change.kind(), body: &body }])?;
        }
        let store = NamespaceStore::open(&folder.join(folders::STORE), &name)?;
        store.check_format(name.as_str())?;
        let last_at = replay(&journal, &store, &name)?;
        let hot = Hot::load(&store)?;
        let turns = hot.counters.turns;
        let index = TextIndex::open(folder.join(folders::INDEX), TextOptions::default())?;
        let index_queue = IndexQueue::new(index.committed_seq(), journal.last_seq());
        let (batches, _) = SideLog::open(&side.join("batches.jsonl"), super::batch::MAX_BYTES)?;
        let (attempts, _) = SideLog::open(&side.join("attempts.jsonl"), MAX_ATTEMPTS_BYTES)?;
        let journal_reader = journal.reader();
        let namespace = Self {
            folder: folder.to_owned(),
            store,
            index,
            index_queue,
            queue: Mutex::new(Vec::new()),
            graph: Mutex::default(),
            writer: Mutex::new(Writer::new(journal, hot, last_at)),
            stopped: AtomicBool::new(false),
            journal: journal_reader,
            batches: Mutex::new(batches),
            attempts: Mutex::new(attempts),
            blocks: RwLock::new(None),
            events: RwLock::new(None),
            commits: AtomicU64::new(0),
            applied_bytes: AtomicU64::new(0),
            flushed_bytes: AtomicU64::new(0),
            turns: AtomicU64::new(turns),
            signal,
            newest: AtomicI64::new(last_at.timestamp_micros()),
            last_used: AtomicI64::new(0),
            name,
            clock,
        };
        namespace.refresh_due()?;
        Ok(namespace)
    }

    /// Returns the present instant: never before the newest record, whatever the machine's clock
    /// does. Else a clock that was set back would hide what has just been written.
    pub fn now(&self) -> DateTime<Utc> {
        let newest = self.newest.load(Ordering::SeqCst);
        self.clock.now().max(DateTime::from_timestamp_micros(newest).unwrap_or_default())
    }

    /// Returns the number of turns.
    pub(super) fn turns(&self) -> u64 {
        self.turns.load(Ordering::SeqCst)
    }

    /// Returns the number of journal records that are not searchable yet, without waiting for the
    /// writer.
    pub(super) fn index_lag(&self) -> u64 {
        self.journal.last_seq().saturating_sub(self.index_queue.indexed())
    }

    /// Says whether writes are stopped until the namespace is opened again. Never waits.
    pub fn is_broken(&self) -> bool {
        self.stopped.load(Ordering::SeqCst) || self.writer.is_poisoned()
    }

    /// Waits for the writer. One whose holder has panicked may be ahead of the journal, so it is
    /// stopped.
    pub(super) fn lock_writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(|poisoned| {
            let mut writer = poisoned.into_inner();
            self.stop_writer(&mut writer, "a write panicked");
            writer
        })
    }

    /// Stops writes for good.
    pub(super) fn stop(&self, reason: &str) {
        self.stop_writer(&mut self.lock_writer(), reason);
    }

    /// Stops writes for good; the first reason stays.
    pub(super) fn stop_writer(&self, writer: &mut Writer, reason: &str) {
        writer.broken.get_or_insert_with(|| reason.to_owned());
        self.stopped.store(true, Ordering::SeqCst);
    }

    /// Notes that the namespace is in use.
    pub fn touch(&self) {
        self.last_used.store(Utc::now().timestamp_millis(), Ordering::Relaxed);
    }

    /// Lets caches and workers know of applied changes.
    pub(super) fn after_commit(
        &self,
        changes: &[Change],
        first: u64,
        at: DateTime<Utc>,
        turns: u64,
    ) {
        self.newest.fetch_max(at.timestamp_micros(), Ordering::SeqCst);
        self.turns.store(turns, Ordering::SeqCst);
        self.follow(changes, at, turns);
        for (change, seq) in changes.iter().zip(first..) {
            self.index_queue.push(seq, change);
        }
        self.signal.notify();
    }

    /// Lets the store write its own files once much has gathered. The journal is what makes
    /// writes durable; this only keeps the next opening short, because the store replays all that
    /// it has not written.
    ///
    /// # Errors
    /// When the store fails.
    pub fn rest_store(&self) -> Result<(), MemoryError> {
        let flushed = self.flushed_bytes.load(Ordering::SeqCst);
        if self.applied_bytes.load(Ordering::SeqCst) - flushed >= FLUSH_AFTER_BYTES {
            self.flush_store()?;
        }
        Ok(())
    }

    fn flush_store(&self) -> Result<(), MemoryError> {
        let applied = self.applied_bytes.load(Ordering::SeqCst);
        if applied > self.flushed_bytes.load(Ordering::SeqCst) {
            self.store.flush()?;
            self.flushed_bytes.fetch_max(applied, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Brings the current graph up to date where time alone has changed a Slot's state.
    pub fn refresh_due(&self) -> Result<usize, MemoryError> {
        let now = self.now();
        let mut kept = super::writer::lock(&self.graph);
        let mut writer = self.lock_writer();
        let due: Vec<_> = writer
            .hot
            .due
            .iter()
            .filter(|(_, at)| **at <= now)
            .map(|(slot, _)| slot.clone())
            .collect();
        if due.is_empty() {
            return Ok(0);
        }
        let mut tx = self.store.begin()?;
        let mut next = Vec::new();
        for id in &due {
            let slot = tx
                .slot(id)?
                .ok_or_else(|| MemoryError::Corrupt(format!("there is no slot {id}")))?;
            let contents = kept.get(&tx, id)?;
            let at =
                apply::refresh_slot(&mut tx, &slot, &contents.facts, &contents.conflicts, now)?;
            next.push((id.clone(), at));
        }
        tx.commit()?;
        for (slot, at) in next {
            match at {
                None => writer.hot.due.remove(&slot),
                Some(at) => writer.hot.due.insert(slot, at),
            };
        }
        self.index_queue.touch_slots(&due);
        self.signal.notify();
        Ok(due.len())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if let Err(error) = self.flush_store() {
            tracing::warn!(namespace = %self.name, %error, "the store could not write its files");
        }
    }
}

/// Applies what the journal has and the store has not. Returns the time of the last record.
fn replay(
    journal: &Journal,
    store: &NamespaceStore,
    name: &NamespaceName,
) -> Result<DateTime<Utc>, MemoryError> {
    let applied = store.begin()?.applied()?;
    if applied > journal.last_seq() {
        return Err(MemoryError::Corrupt(format!(
            "the store of namespace {:?} has applied record {applied}, but its journal ends at {}: \
             the journal has lost records; restore it from a backup",
            name.as_str(),
            journal.last_seq()
        )));
    }
    if applied < journal.last_seq() {
        let missing = journal.last_seq() - applied;
        tracing::info!(namespace = %name, records = missing, "replaying the journal");
    }
    let mut chunk = Vec::with_capacity(REPLAY_CHUNK);
    let mut slots = SlotCache::default();
    for record in journal.read_from(applied + 1) {
        let record = record?;
        let change: Change = serde_json::from_slice(&record.body).map_err(|error| {
            MemoryError::Corrupt(format!(
                "journal record {} of namespace {:?} ({}) is not readable by this program: {error}",
                record.seq,
                name.as_str(),
                record.kind
            ))
        })?;
        // A migration runs transactions of its own, so what came before must be in the store.
        if let Change::Created { format, .. } | Change::Migrated { format } = &change {
            apply_chunk(store, &mut slots, &mut chunk)?;
            store.migrate(name.as_str(), *format)?;
        }
        chunk.push((record.seq, record.recorded_at, change));
        if chunk.len() >= REPLAY_CHUNK {
            apply_chunk(store, &mut slots, &mut chunk)?;
        }
    }
    apply_chunk(store, &mut slots, &mut chunk)?;
    Ok(journal.last_recorded_at().unwrap_or_default())
}

fn apply_chunk(
    store: &NamespaceStore,
    slots: &mut SlotCache,
    chunk: &mut Vec<(u64, DateTime<Utc>, Change)>,
) -> Result<(), MemoryError> {
    let Some((last, _, _)) = chunk.last() else { return Ok(()) };
    let last = *last;
    let mut tx = store.begin()?;
    let (applied, before) = (tx.applied()?, tx.counters()?);
    let mut counters = before;
    for (seq, at, change) in chunk.drain(..) {
        let delta = apply::apply(&mut tx, slots, seq, TxTime(at), &change, counters.turns)?;
        delta.count(&change, &mut counters);
    }
    tx.replace_counters(before, counters);
    tx.replace_applied(applied, last);
    tx.commit()?;
    Ok(())
}

/// Names the path in an I/O error.
pub(super) fn io(path: &Path, error: &std::io::Error) -> MemoryError {
    MemoryError::Unavailable(format!("{}: {error}", path.display()))
}

/// Locks for reading, also after a holder has panicked.
pub(super) fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Locks for writing, also after a holder has panicked.
pub(super) fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(std::sync::PoisonError::into_inner)
}
