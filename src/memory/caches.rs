//! What lists and ranking are answered from: one row for each Block and each Event. Read from the
//! store in the background after opening, or when first needed, then kept in step with every
//! applied change. Lost at any time without harm.
//!
//! Looking at an index holds up the writer, so no one reads the store meanwhile.

use super::change::Change;
use super::error::MemoryError;
use super::events::occurred_at;
use super::namespace::{Namespace, read, write};
use crate::model::{
    BlockId, BlockState, Criticality, Event, EventId, EventKind, EventStatus, ThreadId,
};
use crate::store::{BlockMeta, EventWeights, NamespaceStore, StoreError, Tx};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::Ordering;

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
        for meta in tx.block_metas()? {
            index.add(meta);
        }
        Ok(index)
    }

    fn add(&mut self, meta: BlockMeta) {
        self.places.insert(meta.id.clone(), (meta.thread.clone(), meta.seq));
        self.threads.entry(meta.thread.clone()).or_default().insert(meta.seq, meta);
    }

    fn reload(&mut self, tx: &Tx<'_>, id: &BlockId) -> Result<(), StoreError> {
        if let Some(meta) = tx.block_meta(id)? {
            self.add(meta);
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

/// What filtering a list of Events and weighing them need.
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
    /// Where it stands on a timeline.
    pub occurred_at: DateTime<Utc>,
    /// What forgetting it would cost.
    pub criticality: Criticality,
    /// Adoptions, anchor and what operators did.
    pub weights: EventWeights,
}

/// A place among Events: by mention, then id.
pub type EventPlace = (DateTime<Utc>, EventId);

/// Every Event, by mention and id.
#[derive(Debug, Default)]
pub struct EventIndex {
    rows: BTreeMap<EventPlace, EventRow>,
    places: HashMap<EventId, DateTime<Utc>>,
    threads: HashMap<ThreadId, BTreeSet<EventPlace>>,
    /// Those that are always candidates of a recall: safety, and pinned ones.
    always: BTreeSet<EventPlace>,
}

impl EventIndex {
    fn load(store: &NamespaceStore) -> Result<Self, StoreError> {
        let tx = store.begin()?;
        let mut weights = tx.all_event_weights()?;
        let mut index = Self::default();
        for stored in tx.all_events()? {
            let weights = weights.remove(&stored.event.id).unwrap_or_default();
            index.add(&stored.event, stored.recorded_at.0, weights);
        }
        Ok(index)
    }

    fn add(&mut self, event: &Event, recorded_at: DateTime<Utc>, weights: EventWeights) {
        let mentioned_at = event.mentioned_at.utc;
        let place = (mentioned_at, event.id.clone());
        self.places.insert(event.id.clone(), mentioned_at);
        self.threads.entry(event.thread.clone()).or_default().insert(place.clone());
        if event.criticality == Criticality::Safety || weights.pinned {
            self.always.insert(place.clone());
        }
        let row = EventRow {
            id: event.id.clone(),
            mentioned_at,
            recorded_at,
            kind: event.kind,
            status: event.status,
            thread: event.thread.clone(),
            from: event.occurred.from,
            to: event.occurred.to,
            occurred_at: occurred_at(event),
            criticality: event.criticality,
            weights,
        };
        self.rows.insert(place, row);
    }

    /// Follows an applied change; `turns` is the namespace's number of turns at that point.
    fn follow(&mut self, change: &Change, recorded_at: DateTime<Utc>, turns: u64) {
        match change {
            Change::Extracted { events, .. } => {
                for event in events {
                    let weights = EventWeights { anchor_turn: turns, ..EventWeights::default() };
                    self.add(event, recorded_at, weights);
                }
            }
            Change::Pinned { event, pinned } => {
                self.weigh(event, |weights| weights.pinned = *pinned);
            }
            Change::Forgotten { event, .. } => {
                self.weigh(event, |weights| weights.forgotten_at = Some(recorded_at));
            }
            Change::Restored { event, .. } => {
                self.weigh(event, |weights| weights.forgotten_at = None);
            }
            Change::Acted { act, .. } => {
                if let Some((event, retracted)) = &act.retracted {
                    let since = retracted.then_some(recorded_at);
                    self.weigh(event, |weights| weights.retracted_at = since);
                }
            }
            Change::Adopted { adoption } => {
                for event in &adoption.events {
                    self.weigh(event, |weights| {
                        weights.adoptions += 1;
                        weights.anchor_turn = turns;
                    });
                }
            }
            _ => {}
        }
    }

    fn weigh(&mut self, id: &EventId, change: impl FnOnce(&mut EventWeights)) {
        let Some(at) = self.places.get(id) else { return };
        let place = (*at, id.clone());
        let Some(row) = self.rows.get_mut(&place) else { return };
        change(&mut row.weights);
        if row.criticality == Criticality::Safety || row.weights.pinned {
            self.always.insert(place);
        } else {
            self.always.remove(&place);
        }
    }

    /// Finds a row.
    pub fn get(&self, id: &EventId) -> Option<&EventRow> {
        self.rows.get(&(*self.places.get(id)?, id.clone()))
    }

    /// Returns the rows after a place, oldest mention first.
    pub fn rows_after(&self, place: Option<EventPlace>) -> impl Iterator<Item = &EventRow> {
        use std::ops::Bound;
        let from = place.map_or(Bound::Unbounded, Bound::Excluded);
        self.rows.range((from, Bound::Unbounded)).map(|(_, row)| row)
    }

    /// Returns the ids of a thread's Events up to a mention, the latest first.
    pub fn latest_of_thread(
        &self,
        thread: &ThreadId,
        up_to: Option<DateTime<Utc>>,
    ) -> impl Iterator<Item = &EventId> {
        let places = self.threads.get(thread).into_iter().flatten().rev();
        places.filter(move |(at, _)| up_to.is_none_or(|up_to| *at <= up_to)).map(|(_, id)| id)
    }

    /// Returns pinned and safety Events, the latest mention first.
    pub fn always(&self) -> impl Iterator<Item = &EventRow> {
        self.always.iter().rev().filter_map(|place| self.rows.get(place))
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

    /// Reads the Event index, loading it first where needed.
    pub fn with_events<T>(&self, look: impl FnOnce(&EventIndex) -> T) -> Result<T, MemoryError> {
        if let Some(index) = read(&self.events).as_ref() {
            return Ok(look(index));
        }
        self.load_events()?;
        let mut slot = write(&self.events);
        // A write came in each time the index was being read: now none can.
        if slot.is_none() {
            *slot = Some(EventIndex::load(&self.store)?);
        }
        slot.as_ref()
            .map(look)
            .ok_or_else(|| MemoryError::Unavailable("the event index is empty".to_owned()))
    }

    /// Reads the Event index where it is there already: an answer need not wait for it.
    pub fn with_events_if_loaded<T>(&self, look: impl FnOnce(&EventIndex) -> T) -> Option<T> {
        read(&self.events).as_ref().map(look)
    }

    /// Loads both indexes, unless they are there.
    ///
    /// # Errors
    /// When the store fails.
    pub fn warm(&self) -> Result<(), MemoryError> {
        self.with_blocks(|_| ())?;
        if read(&self.events).is_none() {
            self.load_events()?;
        }
        Ok(())
    }

    /// Loads the Event index beside running writes. It is kept when nothing was written
    /// meanwhile; else it would have missed that, and is read again, a few times.
    fn load_events(&self) -> Result<(), MemoryError> {
        for _ in 0..3 {
            let before = self.commits.load(Ordering::SeqCst);
            let index = EventIndex::load(&self.store)?;
            let mut slot = write(&self.events);
            if slot.is_some() {
                return Ok(());
            }
            if self.commits.load(Ordering::SeqCst) == before {
                *slot = Some(index);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Keeps the indexes in step with applied changes.
    pub(super) fn follow(&self, changes: &[Change], at: DateTime<Utc>, turns: u64) {
        let mut blocks = write(&self.blocks);
        if let Some(index) = blocks.as_mut() {
            let followed = changes.iter().try_for_each(|c| index.follow(c, &self.store));
            if let Err(error) = followed {
                tracing::warn!(namespace = %self.name, %error, "dropping the block index");
                *blocks = None;
            }
        }
        drop(blocks);
        let mut events = write(&self.events);
        self.commits.fetch_add(1, Ordering::SeqCst);
        if let Some(index) = events.as_mut() {
            for change in changes {
                index.follow(change, at, turns);
            }
        }
    }
}
