//! Filling a namespace with conversations whose Events are known, many times faster than by
//! capture: for measuring at sizes that nobody would wait for.
//!
//! Each conversation is captured, extracted and projected by the same code as ever, but in a store
//! of its own in memory; the records go into the journal with one fsync a conversation, the quads
//! into the namespace's store by the engine's bulk loader. The result is what replaying the
//! journal would give, which a test proves. That only holds where conversations share no Slot, so
//! this is no way in for real ones.

use super::apply::{self, Delta};
use super::capture::{self, Overlay};
use super::change::{Change, JobRun};
use super::error::MemoryError;
use super::hot::Hot;
use super::namespace::Namespace;
use super::project;
use super::slots::SlotCache;
use super::types::NewTurn;
use super::writer::Writer;
use crate::journal::Record;
use crate::model::{Block, BlockSummary, EntityId, Event, TurnId, TxTime};
use crate::store::{Counters, JobKind, NamespaceStore, Tx};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeSet, HashMap};

/// A turn with what is to be found in it.
#[derive(Debug, Clone)]
pub struct BulkTurn {
    /// The turn.
    pub turn: NewTurn,
    /// Its Events; their Block is set when it is cut.
    pub events: Vec<Event>,
}

/// A conversation in a thread of its own, about Slots of its own.
#[derive(Debug, Clone)]
pub struct BulkConversation {
    /// When it is recorded, each Block a minute after the one before: not before what the namespace
    /// has already.
    pub at: DateTime<Utc>,
    /// Its turns, a multiple of a Block's.
    pub turns: Vec<BulkTurn>,
}

/// What holds while a namespace is filled.
struct Filling<'a> {
    ns: &'a Namespace,
    writer: &'a mut Writer,
    counters: Counters,
    entities: BTreeSet<EntityId>,
}

/// One conversation that is being written.
struct Part<'a> {
    tx: Tx<'a>,
    slots: SlotCache,
    first: u64,
    at: DateTime<Utc>,
    records: Vec<Written>,
}

/// A record on its way to the journal.
struct Written {
    at: DateTime<Utc>,
    kind: &'static str,
    body: Vec<u8>,
}

impl Namespace {
    /// Fills a namespace. Writes are stopped afterwards, until it is opened again.
    ///
    /// # Errors
    /// When a conversation is not as it must be, or journal or store fail; then the next opening
    /// replays what the journal has.
    pub fn fill(
        &self,
        conversations: impl Iterator<Item = BulkConversation>,
    ) -> Result<(), MemoryError> {
        let mut writer = self.lock_writer();
        let applied = writer.journal.last_seq();
        let before = writer.hot.counters;
        let mut filling =
            Filling { ns: self, writer: &mut writer, counters: before, entities: BTreeSet::new() };
        let parts = conversations.map(|conversation| filling.conversation(&conversation));
        self.store.bulk_load(parts)?;
        let counters = filling.counters;
        let mut tx = self.store.begin()?;
        tx.replace_counters(before, counters);
        tx.replace_applied(applied, writer.journal.last_seq());
        tx.commit()?;
        self.stop_writer(&mut writer, "it was filled by the bulk path");
        Ok(())
    }
}

impl Filling<'_> {
    /// Writes a conversation into the journal and returns a store with its quads.
    fn conversation(
        &mut self,
        conversation: &BulkConversation,
    ) -> Result<NamespaceStore, MemoryError> {
        let scratch = NamespaceStore::in_memory(&self.ns.name)?;
        self.write(&scratch, conversation)?;
        Ok(scratch)
    }

    fn write(
        &mut self,
        scratch: &NamespaceStore,
        conversation: &BulkConversation,
    ) -> Result<(), MemoryError> {
        let mut hot = Hot::load(scratch)?;
        hot.settings = self.writer.hot.settings.clone();
        hot.counters = self.counters;
        let at = conversation.at;
        let mut part = Part {
            tx: scratch.begin()?,
            slots: SlotCache::default(),
            first: self.writer.journal.last_seq() + 1,
            at,
            records: Vec::new(),
        };
        let events: HashMap<TurnId, &[Event]> = conversation
            .turns
            .iter()
            .map(|turn| (TurnId::from(turn.turn.turn_id.as_str()), turn.events.as_slice()))
            .collect();
        let turns = conversation.turns.iter().map(|turn| turn.turn.clone()).collect();
        let revision = part.first;
        let (captured, _) =
            capture::plan(turns, &part.tx, &mut hot, &mut Overlay::default(), at, revision)?;
        let Some(mut captured) = captured else {
            return Err(MemoryError::invalid("turns", "are all stored already"));
        };
        let blocks = match &captured {
            Change::Captured { blocks, .. } => blocks.clone(),
            _ => Vec::new(),
        };
        self.apply(&mut part, &mut captured)?;
        for block in &blocks {
            self.block(&mut part, block, &events)?;
        }
        let records: Vec<Record<'_>> = part
            .records
            .iter()
            .map(|record| Record { recorded_at: record.at, kind: record.kind, body: &record.body })
            .collect();
        self.writer.journal.append(&records)?;
        part.tx.commit()?;
        Ok(())
    }

    fn block(
        &mut self,
        part: &mut Part<'_>,
        block: &Block,
        events: &HashMap<TurnId, &[Event]>,
    ) -> Result<(), MemoryError> {
        let run = |kind: JobKind| JobRun {
            job: kind.job_id(&block.id),
            kind,
            block: block.id.clone(),
            engine: "bulk/1".to_owned(),
            attempts: 1,
        };
        let found: Vec<Event> = block
            .turns
            .iter()
            .flat_map(|turn| events.get(turn).copied().unwrap_or_default())
            .map(|event| Event { block: block.id.clone(), ..event.clone() })
            .collect();
        let summary = BlockSummary {
            title: found.first().map_or_else(String::new, |event| event.title.clone()),
            tags: Vec::new(),
            short: found.iter().take(3).map(|event| event.summary.as_str()).collect(),
            key_facts: found.iter().map(|event| event.summary.clone()).collect(),
        };
        part.at += TimeDelta::minutes(1);
        let run_summarise = run(JobKind::Summarise);
        self.apply(part, &mut Change::Summarised { run: run_summarise, summary })?;
        let rejected = Vec::new();
        let mut extracted = Change::Extracted {
            run: run(JobKind::Extract),
            events: found.clone(),
            rejected,
            partial: false,
        };
        self.apply(part, &mut extracted)?;
        let run = run(JobKind::Project);
        let mut projected = project::plan(&part.tx, &mut part.slots, &found, part.at, run)?;
        self.apply(part, &mut projected)
    }

    fn apply(&mut self, part: &mut Part<'_>, change: &mut Change) -> Result<(), MemoryError> {
        let mut new = 0;
        if let Change::Projected { entities, .. } = change {
            // A store of its own cannot know which entities other conversations have brought.
            entities.retain(|entity| self.entities.insert(entity.id.clone()));
            new = entities.len() as u64;
        }
        let seq = part.first + part.records.len() as u64;
        let (turns, at) = (self.counters.turns, part.at);
        let delta = apply::apply(&mut part.tx, &mut part.slots, seq, TxTime(at), change, turns)?;
        Delta { entities: new, ..delta }.count(change, &mut self.counters);
        let body = serde_json::to_vec(change)
            .map_err(|error| MemoryError::Unavailable(error.to_string()))?;
        part.records.push(Written { at, kind: change.kind(), body });
        Ok(())
    }
}
