//! Building what an engine is given, and checking what it gives back.

use super::error::MemoryError;
use super::namespace::Namespace;
use super::recalled::without_recalled;
use crate::extract::{BlockInput, Engine, Extraction, KnownEntity, KnownEvent, RejectedItem};
use crate::model::{Block, Event, EventId, Message, MessageId};
use crate::store::Tx;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Messages before a Block that an engine may look back to.
const BEFORE: usize = 8;
/// Earlier Events of the thread that an engine may relate to.
const EARLIER_EVENTS: usize = 40;

/// Everything an engine needs of a Block, owned.
pub struct BlockMaterial {
    /// The Block.
    pub block: Block,
    messages: Vec<Message>,
    before: Vec<Message>,
    entities: Vec<KnownEntity>,
    events: Vec<KnownEvent>,
}

impl BlockMaterial {
    /// Gathers a Block's messages and surroundings.
    pub fn gather(ns: &Namespace, tx: &Tx<'_>, block: Block) -> Result<Self, MemoryError> {
        let mut messages = Vec::with_capacity(block.messages.len());
        for id in &block.messages {
            messages.extend(tx.message(&block.thread, id)?.map(|stored| stored.message));
        }
        let mut before = messages_before(tx, &block)?;
        for message in messages.iter_mut().chain(&mut before) {
            hide_recalled(message);
        }
        let first = messages.first().map(|message| message.at.utc);
        let mut events = Vec::new();
        let earlier: Vec<EventId> = ns.with_events(|index| {
            index.latest_of_thread(&block.thread, first).take(EARLIER_EVENTS).cloned().collect()
        })?;
        for id in earlier {
            let Some(stored) = tx.event(&id)? else { continue };
            if stored.event.block == block.id {
                continue;
            }
            events.push(known_event(stored.event));
        }
        events.reverse();
        let entities = known_entities(&events);
        Ok(Self { block, messages, before, entities, events })
    }

    /// Returns it in the engine's terms.
    pub fn input(&self) -> BlockInput<'_> {
        BlockInput {
            thread: &self.block.thread,
            block: &self.block.id,
            messages: &self.messages,
            before: &self.before,
            entities: &self.entities,
            events: &self.events,
        }
    }

    /// Runs the extraction and keeps what has a valid source; everything else is named with its
    /// reason.
    pub fn extract(&self, engine: &dyn Engine) -> Result<Extraction, crate::extract::EngineError> {
        let mut extraction = engine.extract(&self.input())?;
        let messages: HashMap<&MessageId, &Message> =
            self.messages.iter().map(|message| (&message.id, message)).collect();
        let earlier: HashSet<&EventId> = self.events.iter().map(|event| &event.id).collect();
        let mut kept: Vec<Event> = Vec::new();
        let mut ids = HashSet::new();
        for mut event in std::mem::take(&mut extraction.events) {
            match check_event(&mut event, &messages, &earlier, &ids) {
                Ok(()) => {
                    ids.insert(event.id.clone());
                    event.block = self.block.id.clone();
                    event.thread = self.block.thread.clone();
                    kept.push(event);
                }
                Err(reason) => {
                    extraction.rejected.push(RejectedItem { item: event.title, reason });
                }
            }
        }
        extraction.events = kept;
        Ok(extraction)
    }
}

/// Leaves what was recalled into a message out of what an engine reads of it.
fn hide_recalled(message: &mut Message) {
    if let Some(content) = &mut message.content
        && let Cow::Owned(rest) = without_recalled(content)
    {
        *content = rest;
    }
}

/// Holds an Event to the rules that no engine may break: sources of this Block, quotes that stand
/// in them, relations to Events that exist.
fn check_event(
    event: &mut Event,
    messages: &HashMap<&MessageId, &Message>,
    earlier: &HashSet<&EventId>,
    before: &HashSet<EventId>,
) -> Result<(), String> {
    event.sources.retain(|id| messages.contains_key(id));
    if event.sources.is_empty() {
        return Err("it names no message of its block as source".to_owned());
    }
    if before.contains(&event.id) {
        return Err("the same event was given twice".to_owned());
    }
    event.quotes.retain(|quote| {
        messages.get(&quote.message).is_some_and(|message| {
            let span: String = message
                .text()
                .chars()
                .skip(quote.start)
                .take(quote.end.saturating_sub(quote.start))
                .collect();
            !span.is_empty() && span == quote.text
        })
    });
    if let (Some(from), Some(to)) = (event.occurred.from, event.occurred.to)
        && to < from
    {
        return Err(format!("its occurrence ends ({to}) before it begins ({from})"));
    }
    event.relations.retain(|relation| {
        relation.target != event.id
            && (earlier.contains(&relation.target) || before.contains(&relation.target))
    });
    Ok(())
}

fn known_event(event: Event) -> KnownEvent {
    KnownEvent {
        id: event.id,
        title: event.title,
        kind: event.kind,
        status: event.status,
        mentioned_at: event.mentioned_at,
        occurred: event.occurred,
        claims: event.claims,
    }
}

/// Entities that the earlier Events speak of, the latest first.
fn known_entities(events: &[KnownEvent]) -> Vec<KnownEntity> {
    let mut known: BTreeMap<(usize, String), KnownEntity> = BTreeMap::new();
    let mut seen = HashSet::new();
    for (place, event) in events.iter().rev().enumerate() {
        for claim in &event.claims {
            let value = match &claim.value {
                crate::model::ClaimValue::Entity(entity) => Some(entity),
                _ => None,
            };
            for entity in std::iter::once(&claim.subject).chain(value) {
                if seen.insert(entity.id()) {
                    let row = KnownEntity {
                        kind: entity.kind,
                        name: entity.name.clone(),
                        aliases: entity.aliases.clone(),
                    };
                    known.insert((place, entity.id().0), row);
                }
            }
        }
    }
    known.into_values().collect()
}

/// The messages just before a Block in its thread, oldest first.
pub(super) fn messages_before(tx: &Tx<'_>, block: &Block) -> Result<Vec<Message>, MemoryError> {
    let Some(first) = block.messages.first() else { return Ok(Vec::new()) };
    let Some(first) = tx.message(&block.thread, first)? else { return Ok(Vec::new()) };
    let mut before = Vec::new();
    for position in first.position.saturating_sub(BEFORE as u64)..first.position {
        before.extend(tx.message_at_position(&block.thread, position)?.map(|m| m.message));
    }
    Ok(before)
}
