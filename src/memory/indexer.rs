//! Keeping the text index behind the store: which documents a change touches, how they are built
//! from the store, and the thread that commits them in batches.
//!
//! A document is always built from the store as it is, so that the order and the number of times
//! do not matter: catching up after a crash is touching the same documents again.

use super::change::Change;
use super::error::MemoryError;
use super::events;
use super::namespace::Namespace;
use super::pool::Memory;
use super::writer::lock;
use crate::model::{
    BlockId, EventId, Fact, FactId, FactStatus, Level, MessageId, SlotId, ThreadId,
};
use crate::store::{NamespaceStore, StoredMessage, Tx};
use crate::temporal::SlotChange;
use crate::text::{Doc, DocKey, DocKind, date_words};
use crate::views::{self, BlockSource};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the first change of a batch waits for others: a commit costs about the same for one
/// document and for hundreds.
const GATHER: Duration = Duration::from_millis(100);
/// Documents built and sent at once.
const CHUNK: usize = 500;
/// Touched documents kept in memory; beyond, the journal is read again.
const MAX_QUEUED: usize = 200_000;
/// A writer that has had nothing to do for this long is closed and frees its memory.
const CLOSE_AFTER: Duration = Duration::from_secs(60);

/// A document that has to be built again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touched {
    /// A message.
    Message(ThreadId, MessageId),
    /// A Block.
    Block(BlockId),
    /// An Event.
    Event(EventId),
    /// A Fact.
    Fact(FactId),
    /// A Fact, and the Events it rests on: their state is that of what they said.
    Changed(FactId),
    /// All Facts of a Slot, and the Events they rest on.
    Slot(SlotId),
}

/// What waits for the index.
pub struct IndexQueue {
    indexed: AtomicU64,
    queue: Mutex<Queue>,
}

struct Queue {
    /// Touched documents, up to `through`.
    touched: BTreeSet<Touched>,
    /// The newest journal sequence whose documents are in `touched` or in the index.
    through: u64,
    /// Whether some changes have to be read from the journal again.
    gap: bool,
    /// When a batch was last committed.
    last_commit: Instant,
}

impl IndexQueue {
    /// Starts behind what the index has committed; the gap is read from the journal.
    pub fn new(committed: u64) -> Self {
        let queue = Queue {
            touched: BTreeSet::new(),
            through: committed,
            gap: true,
            last_commit: Instant::now(),
        };
        Self { indexed: AtomicU64::new(committed), queue: Mutex::new(queue) }
    }

    /// Returns the newest sequence that is searchable.
    pub fn indexed(&self) -> u64 {
        self.indexed.load(Ordering::SeqCst)
    }

    /// Notes what a change touches.
    pub fn push(&self, seq: u64, change: &Change) {
        let mut queue = lock(&self.queue);
        if queue.gap {
            return;
        }
        if queue.touched.len() > MAX_QUEUED {
            queue.gap = true;
            return;
        }
        queue.touched.extend(touched(change));
        queue.through = seq;
    }

    /// Notes Slots whose Facts changed their state by time alone.
    pub fn touch_slots(&self, slots: &[SlotId]) {
        lock(&self.queue).touched.extend(slots.iter().cloned().map(Touched::Slot));
    }
}

/// Says which documents a change touches.
fn touched(change: &Change) -> Vec<Touched> {
    let mut touched = Vec::new();
    match change {
        Change::Captured { turns, blocks } => {
            for captured in turns {
                let thread = &captured.turn.thread;
                for message in &captured.turn.messages {
                    touched.push(Touched::Message(thread.clone(), message.id.clone()));
                }
            }
            touched.extend(blocks.iter().map(|block| Touched::Block(block.id.clone())));
        }
        Change::Sealed { blocks } => {
            touched.extend(blocks.iter().map(|block| Touched::Block(block.id.clone())));
        }
        Change::Summarised { run, .. } => touched.push(Touched::Block(run.block.clone())),
        Change::Extracted { events, .. } => {
            touched.extend(events.iter().map(|event| Touched::Event(event.id.clone())));
        }
        Change::Projected { participants, changes, .. } => {
            touched.extend(participants.iter().map(|(event, _)| Touched::Event(event.clone())));
            for placed in changes {
                touch_change(&placed.slot.id(), &placed.change, &mut touched);
            }
        }
        Change::Forgotten { event, changes } | Change::Restored { event, changes } => {
            touched.push(Touched::Event(event.clone()));
            for placed in changes {
                touch_change(&placed.slot.id(), &placed.change, &mut touched);
            }
        }
        Change::Pinned { event, .. } => touched.push(Touched::Event(event.clone())),
        Change::Created { .. }
        | Change::Configured { .. }
        | Change::Migrated { .. }
        | Change::JobFailed { .. }
        | Change::JobRetried { .. }
        | Change::JobCancelled { .. }
        | Change::Expanded { .. }
        | Change::Assessed { .. }
        | Change::Adopted { .. } => {}
    }
    touched
}

/// A change of a Slot touches the Facts it names, and not the rest of a long history. Only a
/// conflict that is decided names none: then all of the Slot is touched.
fn touch_change(slot: &SlotId, change: &SlotChange, touched: &mut Vec<Touched>) {
    if !change.resolved.is_empty() {
        touched.push(Touched::Slot(slot.clone()));
    }
    let facts = change
        .opened
        .iter()
        .map(|opened| &opened.fact.id)
        .chain(change.retracted.iter().map(|retracted| &retracted.fact))
        .chain(change.reopened.iter().map(|reopened| &reopened.fact))
        .chain(change.closed.iter().map(|closed| &closed.fact))
        .chain(change.sources.iter().map(|sources| &sources.fact))
        .chain(change.conflicts.iter().flat_map(|opened| &opened.conflict.candidates));
    touched.extend(facts.cloned().map(Touched::Changed));
    let removed = change.sources.iter().flat_map(|sources| &sources.removed);
    touched.extend(removed.cloned().map(Touched::Event));
}

impl Namespace {
    /// Sends what has been touched to the index. Says whether there was anything.
    ///
    /// # Errors
    /// When the store, the journal or the index fails; nothing is lost, it is done again.
    pub fn index_pending(&self) -> Result<bool, MemoryError> {
        let last = self.journal.last_seq();
        let (mut batch, through, gap) = {
            let mut queue = lock(&self.index_queue.queue);
            let gap = queue.gap;
            // From here on changes are noted again; those up to `last` are read from the journal.
            queue.gap = false;
            if gap {
                queue.through = last;
            }
            (std::mem::take(&mut queue.touched), queue.through, gap)
        };
        let indexed = self.index_queue.indexed();
        if batch.is_empty() && !gap && through <= indexed {
            return Ok(false);
        }
        let outcome = self.send(&mut batch, indexed, through, gap);
        match &outcome {
            Ok(()) => {
                self.index_queue.indexed.store(through, Ordering::SeqCst);
                lock(&self.index_queue.queue).last_commit = Instant::now();
            }
            // The journal knows what was touched; it is read again at the next try.
            Err(_) => lock(&self.index_queue.queue).gap = true,
        }
        outcome.map(|()| true)
    }

    fn send(
        &self,
        batch: &mut BTreeSet<Touched>,
        indexed: u64,
        through: u64,
        gap: bool,
    ) -> Result<(), MemoryError> {
        if self.index.needs_rebuild() {
            return self.send_everything(through).map(|_| ());
        }
        if gap && through > indexed {
            for record in self.journal.read_from(indexed + 1) {
                let record = record?;
                let change: Change = serde_json::from_slice(&record.body)
                    .map_err(|error| MemoryError::Corrupt(error.to_string()))?;
                batch.extend(touched(&change));
                if record.seq >= through {
                    break;
                }
            }
        }
        if batch.is_empty() {
            // Nothing to find: the sequence is committed with the next batch.
            return Ok(());
        }
        self.send_touched(batch.iter().cloned())?;
        self.index.commit(through)?;
        Ok(())
    }

    fn send_touched(&self, touched: impl Iterator<Item = Touched>) -> Result<(), MemoryError> {
        let tx = self.store.begin()?;
        let mut builder = DocBuilder::new(self, &tx)?;
        let mut docs = Vec::with_capacity(CHUNK);
        let mut gone = Vec::new();
        for item in touched {
            builder.build(&item, &mut docs, &mut gone)?;
            if docs.len() >= CHUNK {
                self.index.upsert(&docs)?;
                docs.clear();
            }
        }
        self.index.upsert(&docs)?;
        self.index.delete(&gone)?;
        Ok(())
    }

    /// Builds the whole index again from the store. Returns the number of documents.
    fn send_everything(&self, through: u64) -> Result<u64, MemoryError> {
        let tx = self.store.begin()?;
        let mut all = Vec::new();
        for iri in tx.message_iris()? {
            all.extend(tx.names.message_of(iri.as_str()).map(|(t, m)| Touched::Message(t, m)));
        }
        all.extend(tx.block_ids()?.into_iter().map(Touched::Block));
        all.extend(tx.event_ids()?.into_iter().map(Touched::Event));
        all.extend(tx.fact_ids()?.into_iter().map(Touched::Fact));
        drop(tx);
        self.index.clear()?;
        let count = all.len() as u64;
        self.send_touched(all.into_iter())?;
        self.index.commit(through)?;
        Ok(count)
    }

    /// Rebuilds the text index from the store. Returns the number of documents.
    ///
    /// # Errors
    /// When the store or the index fails.
    pub fn reindex(&self) -> Result<u64, MemoryError> {
        let through = self.with_hot(|_, revision| revision);
        let count = self.send_everything(through)?;
        self.index_queue.indexed.fetch_max(through, Ordering::SeqCst);
        Ok(count)
    }

    /// Frees the memory of an index writer that has nothing to do.
    fn rest_index(&self) -> Result<(), MemoryError> {
        let idle = lock(&self.index_queue.queue).last_commit.elapsed() > CLOSE_AFTER;
        if idle && self.index.is_writer_open() {
            self.index.close_writer()?;
        }
        Ok(())
    }
}

/// Messages kept at hand while neighbours are built.
const MESSAGES_AT_HAND: usize = 4_000;

/// Builds documents from one snapshot, each at most once.
struct DocBuilder<'a> {
    tx: &'a Tx<'a>,
    forgotten: HashSet<EventId>,
    namespace: &'a Namespace,
    built: HashSet<DocKey>,
    /// Messages by thread and place: each is wanted for itself and by both neighbours.
    messages: HashMap<(ThreadId, u64), Option<Rc<StoredMessage>>>,
}

impl<'a> DocBuilder<'a> {
    fn new(namespace: &'a Namespace, tx: &'a Tx<'a>) -> Result<Self, MemoryError> {
        Ok(Self {
            forgotten: tx.forgotten_events()?,
            tx,
            namespace,
            built: HashSet::new(),
            messages: HashMap::new(),
        })
    }

    fn build(
        &mut self,
        item: &Touched,
        docs: &mut Vec<Doc>,
        gone: &mut Vec<DocKey>,
    ) -> Result<(), MemoryError> {
        match item {
            Touched::Message(thread, id) => self.message(thread, id, docs),
            Touched::Block(id) => self.block(id, docs),
            Touched::Event(id) => self.event(id, docs, gone),
            Touched::Fact(id) => match self.tx.fact(id)? {
                Some(fact) => self.fact(fact, docs, gone),
                None => Ok(()),
            },
            Touched::Changed(id) => match self.tx.fact(id)? {
                Some(fact) => self.fact_with_events(fact, docs, gone),
                None => Ok(()),
            },
            Touched::Slot(slot) => {
                for fact in self.tx.facts_of(slot)? {
                    self.fact_with_events(fact, docs, gone)?;
                }
                Ok(())
            }
        }
    }

    fn fact_with_events(
        &mut self,
        fact: Fact,
        docs: &mut Vec<Doc>,
        gone: &mut Vec<DocKey>,
    ) -> Result<(), MemoryError> {
        for event in &fact.events {
            self.event(event, docs, gone)?;
        }
        self.fact(fact, docs, gone)
    }

    fn message_at(
        &mut self,
        thread: &ThreadId,
        place: u64,
    ) -> Result<Option<Rc<StoredMessage>>, MemoryError> {
        let key = (thread.clone(), place);
        if let Some(known) = self.messages.get(&key) {
            return Ok(known.clone());
        }
        if self.messages.len() >= MESSAGES_AT_HAND {
            self.messages.clear();
        }
        let found = self.tx.message_at_position(thread, place)?.map(Rc::new);
        self.messages.insert(key, found.clone());
        Ok(found)
    }

    /// A message's document, with its neighbours' words beside it; the neighbour before is built
    /// again, because this message is new beside it.
    fn message(
        &mut self,
        thread: &ThreadId,
        id: &MessageId,
        docs: &mut Vec<Doc>,
    ) -> Result<(), MemoryError> {
        let Some(place) = self.tx.position_of(thread, id)? else { return Ok(()) };
        for place in [place.saturating_sub(1), place] {
            let Some(stored) = self.message_at(thread, place)? else { continue };
            let key =
                DocKey::new(DocKind::Message, thread.as_str(), stored.message.id.as_str());
            if !self.built.insert(key) {
                continue;
            }
            let before = self.message_at(thread, place.saturating_sub(1))?;
            let after = self.message_at(thread, place + 1)?;
            docs.push(message_doc(&stored, before.as_deref(), after.as_deref()));
        }
        Ok(())
    }

    fn block(&self, id: &BlockId, docs: &mut Vec<Doc>) -> Result<(), MemoryError> {
        let Some(block) = self.tx.block(id)? else { return Ok(()) };
        let mut messages = Vec::with_capacity(block.messages.len());
        for message in &block.messages {
            messages.extend(self.tx.message(&block.thread, message)?.map(|m| m.message));
        }
        let summary = self.tx.summary(id)?;
        let view = views::render(BlockSource::from(&messages[..]), Level::L3, None);
        let key = DocKey::new(DocKind::Block, block.thread.as_str(), id.as_str());
        let at = messages.first().map_or(block.sealed_at, |message| message.at.utc);
        let mut doc = Doc::new(key, at, view.text);
        if let Some(first) = messages.first() {
            doc.date_text = date_words(first.at.local_day());
        }
        if let Some(summary) = summary {
            doc.title = summary.title;
            doc.tags = summary.tags;
            doc.context = format!("{}\n{}", summary.short, summary.key_facts.join("\n"));
        }
        docs.push(doc);
        Ok(())
    }

    fn event(
        &mut self,
        id: &EventId,
        docs: &mut Vec<Doc>,
        gone: &mut Vec<DocKey>,
    ) -> Result<(), MemoryError> {
        if !self.built.insert(DocKey::new(DocKind::Event, "", id.as_str())) {
            return Ok(());
        }
        let Some(stored) = self.tx.event(id)? else { return Ok(()) };
        let key = DocKey::new(DocKind::Event, stored.event.thread.as_str(), id.as_str());
        if self.forgotten.contains(id) {
            gone.push(key);
            return Ok(());
        }
        let entities = self.tx.participants(id)?;
        let mut names = Vec::new();
        for entity in &entities {
            if let Some(entity) = self.tx.entity(entity)? {
                names.push(entity.label);
                names.extend(entity.aliases);
            }
        }
        let superseded = events::superseding(self.tx, id, None, &self.forgotten)?;
        let event = &stored.event;
        let mut quotes: Vec<&str> = event.quotes.iter().map(|q| q.text.as_str()).collect();
        quotes.extend(event.reason.as_deref());
        let mut days = vec![event.mentioned_at.local_day()];
        days.extend(event.occurred.local_from);
        days.extend(event.occurred.local_to);
        days.sort_unstable();
        days.dedup();
        let mut doc = Doc::new(key, event.mentioned_at.utc, event.summary.clone());
        doc.speaker.clone_from(&event.speaker);
        doc.title.clone_from(&event.title);
        doc.tags.clone_from(&event.tags);
        doc.names = names;
        doc.context = quotes.join("\n");
        doc.date_text = days.into_iter().map(date_words).collect::<Vec<_>>().join(" ");
        doc.status = if superseded.entirely {
            "superseded".to_owned()
        } else {
            event.status.as_str().to_owned()
        };
        doc.entities = entities.into_iter().map(|entity| entity.0).collect();
        docs.push(doc);
        Ok(())
    }

    fn fact(
        &mut self,
        fact: Fact,
        docs: &mut Vec<Doc>,
        gone: &mut Vec<DocKey>,
    ) -> Result<(), MemoryError> {
        let key = DocKey::new(DocKind::Fact, "", fact.id.as_str());
        if !self.built.insert(key.clone()) {
            return Ok(());
        }
        let card = self.namespace.fact_card_now(self.tx, fact)?;
        let hidden = card.fact.events.iter().all(|event| self.forgotten.contains(event));
        if hidden || card.status == FactStatus::Retracted {
            gone.push(key);
            return Ok(());
        }
        let at = card.fact.valid_from.map_or(card.fact.recorded_at.0, |from| from.0);
        let mut doc = Doc::new(key, at, super::facts::sentence(&card));
        doc.names = vec![card.subject_label.clone(), card.value_label.clone()];
        doc.date_text = date_words(at.date_naive());
        doc.status = card.status.as_str().to_owned();
        doc.entities = vec![card.fact.slot.entity.0.clone()];
        if let crate::model::FactValue::Entity(value) = &card.fact.value {
            doc.entities.push(value.0.clone());
        }
        docs.push(doc);
        Ok(())
    }
}

fn message_doc(
    stored: &StoredMessage,
    before: Option<&StoredMessage>,
    after: Option<&StoredMessage>,
) -> Doc {
    let message = &stored.message;
    let key = DocKey::new(DocKind::Message, stored.thread.as_str(), message.id.as_str());
    let mut body = message.text().to_owned();
    for call in &message.tool_calls {
        body.push('\n');
        body.push_str(&call.name);
        for value in [&call.arguments, &call.result].into_iter().flatten() {
            body.push(' ');
            body.push_str(&value.to_string());
        }
    }
    let mut doc = Doc::new(key, message.at.utc, body);
    doc.speaker = message.speaker_or_role().to_owned();
    doc.date_text = date_words(message.at.local_day());
    let beside: Vec<&str> = [before, after]
        .into_iter()
        .flatten()
        .map(|stored| stored.message.text())
        .filter(|text| !text.is_empty())
        .collect();
    doc.context = beside.join("\n");
    doc
}

/// The thread that keeps every open index behind its store.
pub struct Indexer {
    stop: Arc<AtomicBool>,
    memory: Memory,
    thread: Option<JoinHandle<()>>,
}

impl Indexer {
    /// Starts the thread.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(memory: &Memory) -> Result<Self, MemoryError> {
        let stop = Arc::new(AtomicBool::new(false));
        let (worker_memory, worker_stop) = (memory.clone(), stop.clone());
        let thread = std::thread::Builder::new()
            .name("index".to_owned())
            .spawn(move || run(&worker_memory, &worker_stop))
            .map_err(|error| MemoryError::Unavailable(format!("starting the indexer: {error}")))?;
        Ok(Self { stop, memory: memory.clone(), thread: Some(thread) })
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.memory.wake();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the indexer had panicked");
        }
    }
}

fn run(memory: &Memory, stop: &AtomicBool) {
    let mut seen = 0;
    loop {
        let stopping = stop.load(Ordering::SeqCst);
        let mut worked = false;
        for namespace in memory.open_namespaces() {
            match namespace.index_pending() {
                Ok(any) => worked |= any,
                Err(error) => {
                    tracing::error!(namespace = %namespace.name, %error, "indexing failed");
                }
            }
            if let Err(error) = namespace.rest_index() {
                tracing::warn!(namespace = %namespace.name, %error, "closing an index writer");
            }
        }
        if stopping {
            return;
        }
        if worked {
            std::thread::sleep(GATHER);
        } else {
            seen = memory.wait(seen, Duration::from_secs(5));
            if !stop.load(Ordering::SeqCst) {
                std::thread::sleep(GATHER);
            }
        }
    }
}

/// The store a document is built from, for checks.
pub(super) fn document_count(store: &NamespaceStore) -> Result<u64, MemoryError> {
    let tx = store.begin()?;
    let forgotten = tx.forgotten_events()?;
    let events = tx.event_ids()?.iter().filter(|id| !forgotten.contains(*id)).count();
    Ok((tx.message_iris()?.len() + tx.block_ids()?.len() + events) as u64)
}
