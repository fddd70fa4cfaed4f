//! What lists are answered from: one row for each Block and each Event. Read from the store when
//! first needed, then kept in step with every applied change. Lost at any time without harm.

use super::change::Change;
use super::error::MemoryError;
use super::namespace::{Namespace, read, write};
use crate::model::{
    BlockId, BlockState, EntityId, Event, EventId, EventKind, EventStatus, ThreadId,
};
use crate::store::{BlockMeta, NamespaceStore, StoreError, Tx};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Every Block, by thread and place.
#[derive(Debug, Default)]
pub struct BlockIndex {
    threads: BTreeMap<ThreadId, BTreeMap<u64, BlockMeta>>,
    places: HashMap<BlockId, (ThreadId, u64)>,
}

impl BlockIndex {
    fn load(store: &NamespaceStore) -> Result<Self, StoreError> {
        let tx = store.begin()?;
        let mut index = Self::default();
        for id in tx.block_ids()? {
            index.reload(&tx, &id)?;
        }
        Ok(index)
    }

    fn reload(&mut self, tx: &Tx<'_>, id: &BlockId) -> Result<(), StoreError> {
        if let Some(meta) = tx.block_meta(id)? {
            self.places.insert(id.clone(), (meta.thread.clone(), meta.seq));
            self.threads.entry(meta.thread.clone()).or_default().insert(meta.seq, meta);
        }
        Ok(())
    }

    /// Follows an applied change.
    pub fn follow(&mut self, change: &Change, store: &NamespaceStore) -> Result<(), StoreError> {
        let touched: Vec<&BlockId> = match change {
            Change::Captured { blocks, .. } | Change::Sealed { blocks } => {
                blocks.iter().map(|block| &block.id).collect()
            }
            Change::Summarised { run, .. }
            | Change::Extracted { run, .. }
            | Change::JobFailed { run, .. } => vec![&run.block],
            Change::JobRetried { run } => vec![&run.block],
            Change::Expanded { block, .. } => vec![block],
            _ => return Ok(()),
        };
        if touched.is_empty() {
            return Ok(());
        }
        let tx = store.begin()?;
        touched.into_iter().try_for_each(|id| self.reload(&tx, id))
    }

    /// Returns the Blocks of a thread in order.
    pub fn thread(&self, thread: &ThreadId) -> impl DoubleEndedIterator<Item = &BlockMeta> {
        self.threads.get(thread).into_iter().flat_map(BTreeMap::values)
    }

    /// Returns all Blocks, by thread and place.
    pub fn all(&self) -> impl Iterator<Item = &BlockMeta> {
        self.threads.values().flat_map(BTreeMap::values)
    }

    /// Finds a Block.
    pub fn get(&self, id: &BlockId) -> Option<&BlockMeta> {
        let (thread, seq) = self.places.get(id)?;
        self.threads.get(thread)?.get(seq)
    }

    /// Counts the ready Blocks of the thread after the point that a Block decays from.
    pub fn age(&self, meta: &BlockMeta) -> u64 {
        let Some(thread) = self.threads.get(&meta.thread) else { return 0 };
        thread
            .range(meta.anchor_position + 1..)
            .filter(|(_, block)| block.state == BlockState::Ready)
            .count() as u64
    }

    /// Returns the place of the newest ready Block of a thread; 0 = there is none.
    pub fn newest_ready(&self, thread: &ThreadId) -> u64 {
        self.thread(thread)
            .rev()
            .find(|block| block.state == BlockState::Ready)
            .map_or(0, |block| block.seq)
    }
}

/// What filtering a list of Events needs.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// The id.
    pub id: EventId,
    /// When the conversation spoke of it.
    pub mentioned_at: DateTime<Utc>,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// Its kind.
    pub kind: EventKind,
    /// What the conversation asserted.
    pub status: EventStatus,
    /// Its thread.
    pub thread: ThreadId,
    /// Start of the occurrence.
    pub from: Option<DateTime<Utc>>,
    /// End of the occurrence.
    pub to: Option<DateTime<Utc>>,
    /// Entities that take part or that it makes statements about.
    pub entities: Vec<EntityId>,
}

/// Every Event, by mention and id.
#[derive(Debug, Clone, Default)]
pub struct EventIndex {
    rows: BTreeMap<(DateTime<Utc>, EventId), EventRow>,
    places: HashMap<EventId, DateTime<Utc>>,
}

impl EventIndex {
    fn load(store: &NamespaceStore) -> Result<Self, StoreError> {
        let tx = store.begin()?;
        let mut index = Self::default();
        for id in tx.event_ids()? {
            if let Some(stored) = tx.event(&id)? {
                let entities = tx.participants(&id)?;
                index.add(&stored.event, stored.recorded_at.0, entities);
            }
        }
        Ok(index)
    }

    fn add(&mut self, event: &Event, recorded_at: DateTime<Utc>, entities: Vec<EntityId>) {
        let mentioned_at = event.mentioned_at.utc;
        self.places.insert(event.id.clone(), mentioned_at);
        let row = EventRow {
            id: event.id.clone(),
            mentioned_at,
            recorded_at,
            kind: event.kind,
            status: event.status,
            thread: event.thread.clone(),
            from: event.occurred.from,
            to: event.occurred.to,
            entities,
        };
        self.rows.insert((mentioned_at, event.id.clone()), row);
    }

    /// Follows an applied change.
    pub fn follow(&mut self, change: &Change, recorded_at: DateTime<Utc>) {
        match change {
            Change::Extracted { events, .. } => {
                for event in events {
                    self.add(event, recorded_at, Vec::new());
                }
            }
            Change::Projected { participants, .. } => {
                for (event, entities) in participants {
                    let Some(at) = self.places.get(event) else { continue };
                    if let Some(row) = self.rows.get_mut(&(*at, event.clone())) {
                        row.entities.clone_from(entities);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns all rows, oldest mention first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &EventRow> {
        self.rows.values()
    }

    /// Returns the rows after a place, oldest mention first.
    pub fn rows_after(
        &self,
        place: Option<(DateTime<Utc>, EventId)>,
    ) -> impl Iterator<Item = &EventRow> {
        use std::ops::Bound;
        let from = place.map_or(Bound::Unbounded, Bound::Excluded);
        self.rows.range((from, Bound::Unbounded)).map(|(_, row)| row)
    }

    /// Finds the mention time of an Event.
    pub fn mentioned_at(&self, id: &EventId) -> Option<DateTime<Utc>> {
        self.places.get(id).copied()
    }
}

impl Namespace {
    /// Reads the Block index, loading it first where needed.
    pub fn with_blocks<T>(&self, look: impl FnOnce(&BlockIndex) -> T) -> Result<T, MemoryError> {
        if let Some(index) = read(&self.blocks).as_ref() {
            return Ok(look(index));
        }
        let mut slot = write(&self.blocks);
        if slot.is_none() {
            *slot = Some(BlockIndex::load(&self.store)?);
        }
        slot.as_ref()
            .map(look)
            .ok_or_else(|| MemoryError::Unavailable("the block index is empty".to_owned()))
    }

    /// Returns the Event index, loading it first where needed.
    pub fn event_index(&self) -> Result<Arc<EventIndex>, MemoryError> {
        if let Some(index) = read(&self.events).as_ref() {
            return Ok(index.clone());
        }
        let mut slot = write(&self.events);
        if slot.is_none() {
            *slot = Some(Arc::new(EventIndex::load(&self.store)?));
        }
        slot.clone().ok_or_else(|| MemoryError::Unavailable("the event index is empty".to_owned()))
    }
}
