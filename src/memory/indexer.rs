//! Keeping the text index behind the store: which documents a change touches, how they are built
//! from the store, and the thread that commits them in batches.
//!
//! A document is always built from the store as it is, so that the order and the number of times
//! do not matter: catching up after a crash is touching the same documents again.

use super::change::Change;
use super::error::MemoryError;
use super::events;
use super::index_queue::{Due, Touched, touched};
use super::namespace::Namespace;
use super::pool::Memory;
use super::types::AsOf;
use super::writer::lock;
use crate::model::{BlockId, EventId, Fact, FactStatus, Level, ThreadId, ValidTime};
use crate::store::{NamespaceStore, StoredMessage, Tx};
use crate::text::{Doc, DocKey, DocKind, date_words, words_beside};
use crate::views::{self, BlockSource};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the first change of a batch waits for others: a commit costs about the same for one
/// document and for hundreds.
const GATHER: Duration = Duration::from_millis(100);
/// How long the last pass before the end goes on to further namespaces.
const LAST_PASS: Duration = Duration::from_secs(1);
/// Documents built and sent at once.
const CHUNK: usize = 500;
/// Messages before and after one whose words are indexed beside it (see [`words_beside`]).
const LOOK_BACK: u64 = 3;
const LOOK_AHEAD: u64 = 2;
/// A writer that has had nothing to do for this long is closed and frees its memory.
const CLOSE_AFTER: Duration = Duration::from_secs(60);

impl Namespace {
    /// Sends what has been touched to the index. Says whether there was anything.
    ///
    /// # Errors
    /// When the store, the journal or the index fails; nothing is lost, it is done again.
    pub fn index_pending(&self) -> Result<bool, MemoryError> {
        let _sending = lock(&self.index_queue.sending);
        let mut due = self.index_queue.take();
        let indexed = self.index_queue.indexed();
        if due.is_empty() && due.through <= indexed {
            return Ok(false);
        }
        let outcome = if due.rebuild || self.index.needs_rebuild() {
            self.send_everything(due.through).map(|_| ())
        } else {
            self.send(&mut due, indexed)
        };
        match &outcome {
            Ok(()) => self.index_queue.note_sent(due.through),
            Err(_) => self.index_queue.give_back(due),
        }
        outcome.map(|()| true)
    }

    fn send(&self, due: &mut Due, indexed: u64) -> Result<(), MemoryError> {
        if due.gap && due.through > indexed {
            for record in self.journal.read_from(indexed + 1) {
                let record = record?;
                let change: Change = serde_json::from_slice(&record.body)
                    .map_err(|error| MemoryError::Corrupt(error.to_string()))?;
                due.touched.extend(touched(&change));
                if record.seq >= due.through {
                    break;
                }
            }
        }
        if due.touched.is_empty() {
            // Nothing to find: the sequence is committed with the next batch.
            return Ok(());
        }
        self.send_touched(due.touched.iter().cloned())?;
        self.index.commit(due.through)?;
        Ok(())
    }

    fn send_touched(&self, touched: impl Iterator<Item = Touched>) -> Result<(), MemoryError> {
        let tx = self.store.begin()?;
        let mut builder = DocBuilder::new(self, &tx)?;
        let mut docs = Vec::with_capacity(CHUNK);
        let mut gone = Vec::new();
        let mut threads: BTreeMap<ThreadId, BTreeSet<u64>> = BTreeMap::new();
        let mut others = Vec::new();
        for item in touched {
            let Touched::Message(thread, id) = &item else {
                others.push(item);
                continue;
            };
            let Some(place) = tx.position_of(thread, id)? else { continue };
            let first = place.saturating_sub(LOOK_AHEAD).max(1);
            threads.entry(thread.clone()).or_default().extend(first..=place);
        }
        let mut send = |doc| {
            docs.push(doc);
            if docs.len() >= CHUNK {
                self.send_chunk(&mut docs)?;
            }
            Ok(())
        };
        builder.messages(&threads, &mut send)?;
        for item in others {
            builder.build(&item, &mut docs, &mut gone)?;
            if docs.len() >= CHUNK {
                self.send_chunk(&mut docs)?;
            }
        }
        self.index.upsert(&docs)?;
        self.index.delete(&gone)?;
        Ok(())
    }

    /// Sends documents, unless the workers are to end: then nothing of this is committed, and all
    /// of it is done again at the next start.
    fn send_chunk(&self, docs: &mut Vec<Doc>) -> Result<(), MemoryError> {
        if self.signal.is_stopping() {
            let reason = "the service stops; the index catches up at the next start";
            return Err(MemoryError::Unavailable(reason.to_owned()));
        }
        self.index.upsert(docs)?;
        docs.clear();
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
        let _sending = lock(&self.index_queue.sending);
        let through = self.index_queue.applied();
        let count = self.send_everything(through)?;
        self.index_queue.note_sent(through);
        Ok(count)
    }

    /// Frees the memory of an index writer that has nothing to do.
    fn rest_index(&self) -> Result<(), MemoryError> {
        let idle = self.index_queue.last_sent().elapsed() > CLOSE_AFTER;
        if idle && self.index.is_writer_open() {
            self.index.close_writer()?;
        }
        Ok(())
    }
}

/// Builds documents from one snapshot, each at most once.
struct DocBuilder<'a> {
    tx: &'a Tx<'a>,
    forgotten: HashSet<EventId>,
    namespace: &'a Namespace,
    built: HashSet<DocKey>,
}

impl<'a> DocBuilder<'a> {
    fn new(namespace: &'a Namespace, tx: &'a Tx<'a>) -> Result<Self, MemoryError> {
        Ok(Self { forgotten: tx.forgotten_events()?, tx, namespace, built: HashSet::new() })
    }

    fn build(
        &mut self,
        item: &Touched,
        docs: &mut Vec<Doc>,
        gone: &mut Vec<DocKey>,
    ) -> Result<(), MemoryError> {
        match item {
            // Messages are built by thread, with their neighbours.
            Touched::Message(..) => Ok(()),
            Touched::Block(id) => self.block(id, docs),
            Touched::Event(id) => self.event(id, docs, gone),
            Touched::Fact(id) => match self.tx.fact(id)? {
                Some(fact) => self.fact(&fact, docs, gone),
                None => Ok(()),
            },
            Touched::Changed(id) => match self.tx.fact(id)? {
                Some(fact) => self.fact_with_events(&fact, docs, gone),
                None => Ok(()),
            },
            Touched::Slot(slot) => {
                for fact in self.tx.facts_of(slot)? {
                    self.fact_with_events(&fact, docs, gone)?;
                }
                Ok(())
            }
        }
    }

    fn fact_with_events(
        &mut self,
        fact: &Fact,
        docs: &mut Vec<Doc>,
        gone: &mut Vec<DocKey>,
    ) -> Result<(), MemoryError> {
        for event in &fact.events {
            self.event(event, docs, gone)?;
        }
        self.fact(fact, docs, gone)
    }

    /// The documents of messages with the words beside them. A new message stands beside those
    /// before it, so these are built again.
    fn messages(
        &self,
        touched: &BTreeMap<ThreadId, BTreeSet<u64>>,
        send: &mut impl FnMut(Doc) -> Result<(), MemoryError>,
    ) -> Result<(), MemoryError> {
        for (thread, places) in touched {
            let mut near: BTreeMap<u64, StoredMessage> = BTreeMap::new();
            for &place in places {
                let first = place.saturating_sub(LOOK_BACK).max(1);
                near = near.split_off(&first);
                for at in first..=place + LOOK_AHEAD {
                    if !near.contains_key(&at)
                        && let Some(stored) = self.tx.message_at_position(thread, at)?
                    {
                        near.insert(at, stored);
                    }
                }
                let Some(stored) = near.get(&place) else { continue };
                let texts: Vec<&str> =
                    near.range(first..).map(|(_, stored)| stored.message.text()).collect();
                let at = near.range(first..place).count();
                send(message_doc(stored, &texts, at))?;
            }
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
        let now = ValidTime(self.namespace.now());
        let superseded = events::superseding(self.tx, id, AsOf::default(), now, &self.forgotten)?;
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
        fact: &Fact,
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
        if let Some(property) = crate::model::property(&card.fact.slot.property) {
            doc.tags = vec![property.label_en.to_owned(), property.label_zh.to_owned()];
            property.asked_with.clone_into(&mut doc.context);
        }
        // "What was it before pnpm?" names what came after.
        if let Some(successor) = &card.superseded_by
            && let Some(successor) = self.tx.fact(successor)?
        {
            let successor = self.namespace.fact_card_now(self.tx, &successor)?;
            doc.context.push(' ');
            doc.context.push_str(&successor.value_label);
        }
        doc.date_text = date_words(at.date_naive());
        card.status.as_str().clone_into(&mut doc.status);
        doc.entities = vec![card.fact.slot.entity.0.clone()];
        if let crate::model::FactValue::Entity(value) = &card.fact.value {
            doc.entities.push(value.0.clone());
        }
        docs.push(doc);
        Ok(())
    }
}

fn message_doc(stored: &StoredMessage, texts: &[&str], place: usize) -> Doc {
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
    message.speaker_or_role().clone_into(&mut doc.speaker);
    doc.date_text = date_words(message.at.local_day());
    (doc.context, doc.around) = words_beside(texts, place);
    doc
}

/// The thread that keeps every open index behind its store, until the workers are to end.
pub struct Indexer {
    memory: Memory,
    thread: Option<JoinHandle<()>>,
}

impl Indexer {
    /// Starts the thread.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(memory: &Memory) -> Result<Self, MemoryError> {
        let worker_memory = memory.clone();
        let thread = std::thread::Builder::new()
            .name("index".to_owned())
            .spawn(move || run(&worker_memory))
            .map_err(|error| MemoryError::Unavailable(format!("starting the indexer: {error}")))?;
        Ok(Self { memory: memory.clone(), thread: Some(thread) })
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.memory.stop_work();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the indexer had panicked");
        }
    }
}

fn run(memory: &Memory) {
    let mut seen = 0;
    loop {
        let stopping = memory.is_stopping();
        let until = Instant::now() + LAST_PASS;
        let mut worked = false;
        for namespace in memory.open_namespaces() {
            if stopping && (Instant::now() >= until || !namespace.index_queue.is_short()) {
                continue;
            }
            match namespace.index_pending() {
                Ok(any) => worked |= any,
                Err(error) if memory.is_stopping() => {
                    tracing::debug!(namespace = %namespace.name, %error, "indexing was left");
                }
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
            if !memory.is_stopping() {
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
