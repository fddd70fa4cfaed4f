//! Events, quotes and the state recorded beside them, as quads.
//!
//! An Event never changes. Beside its quads stands a copy of it in the ledger, one JSON literal:
//! reading an Event from its quads takes hundreds of look-ups in the store's dictionary, reading
//! the copy takes four.

use super::names::term;
use super::tx::{Tx, date, instant, literal_text};
use super::{StoreError, pred_type};
use crate::model::{
    BlockId, Criticality, EntityId, Event, EventId, JobId, MessageId, Occurrence, Quote,
    RelationKind, ThreadId, TxTime, content_hash,
};
use crate::vocab::{prov, rdf, sg};
use chrono::{DateTime, Utc};
use oxigraph::model::{Literal, NamedNode, NamedOrBlankNode, Term};
use std::collections::{HashMap, HashSet};

/// An Event as stored.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StoredEvent {
    /// The Event.
    pub event: Event,
    /// When it was recorded.
    pub recorded_at: TxTime,
    /// The commit.
    pub revision: u64,
    /// The job that made it.
    pub job: JobId,
}

/// The mutable numbers beside an Event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventWeights {
    /// Times adopted.
    pub adoptions: u64,
    /// The namespace's turn that its weight decays from.
    pub anchor_turn: u64,
    /// Pinned by an operator.
    pub pinned: bool,
    /// Forgotten by an operator, since.
    pub forgotten_at: Option<DateTime<Utc>>,
    /// Retracted by an operator, since.
    pub retracted_at: Option<DateTime<Utc>>,
}

fn relation_predicate(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Supersedes => sg::SUPERSEDES,
        RelationKind::ConflictsWith => sg::CONFLICTS_WITH,
        RelationKind::Fulfils => sg::FULFILS,
        RelationKind::Refines => sg::REFINES,
        RelationKind::SameAs => sg::SAME_AS,
        RelationKind::Before => sg::BEFORE,
        RelationKind::After => sg::AFTER,
    }
}

fn concept(prefix: &str, word: &str) -> NamedNode {
    term(&format!("{prefix}{word}"))
}

impl Tx<'_> {
    /// Writes an Event with its quotes.
    pub fn put_event(&mut self, event: &Event, job: &JobId, recorded_at: TxTime, revision: u64) {
        let names = self.names;
        let meta = &names.meta;
        let node = names.event(&event.id);
        let text = |value: &str| Literal::from(value);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::EVENT), meta);
        self.add(&node, pred_type(), NamedNode::new_unchecked(prov::ENTITY), meta);
        self.add(&node, rdf::LABEL, text(&event.title), meta);
        self.add(&node, sg::SUMMARY, text(&event.summary), meta);
        self.add(&node, sg::EVENT_TYPE, concept("type-", event.kind.as_str()), meta);
        self.add(&node, sg::STATUS_ASSERTED, concept("status-", event.status.as_str()), meta);
        for tag in &event.tags {
            self.add(&node, sg::TAG, text(tag), meta);
        }
        for quote in &event.quotes {
            let iri = self.put_quote(quote, &event.thread);
            self.add(&node, sg::HAS_QUOTE, iri, meta);
        }
        for source in &event.sources {
            self.add(&node, prov::WAS_DERIVED_FROM, names.message(&event.thread, source), meta);
        }
        self.add(&node, sg::IN_THREAD, names.thread(&event.thread), meta);
        self.add(&node, sg::IN_BLOCK, names.block(&event.block), meta);
        self.put_stamp(&node, sg::MENTIONED_AT, &event.mentioned_at, meta);
        self.put_occurrence(&node, &event.occurred);
        self.add(&node, sg::SCOPE, text(event.scope.as_str()), meta);
        let criticality = concept("criticality-", event.criticality.as_str());
        self.add(&node, sg::CRITICALITY, criticality, meta);
        for relation in &event.relations {
            let target = names.event(&relation.target);
            self.add(&node, relation_predicate(relation.kind), target, meta);
        }
        self.add(&node, sg::SPEAKER, text(&event.speaker), meta);
        self.add_some(&node, sg::REASON_TEXT, event.reason.as_deref().map(Literal::from), meta);
        let extractor = format!("{}/{}", event.extractor.name, event.extractor.version);
        self.add(&node, sg::EXTRACTOR, Literal::from(extractor), meta);
        self.add(&node, prov::WAS_GENERATED_BY, names.job(job), meta);
        self.add(&node, sg::RECORDED_AT, instant(recorded_at.0), meta);
        self.add(&node, sg::REVISION, names.commit(revision), meta);
        let stored = StoredEvent { event: event.clone(), recorded_at, revision, job: job.clone() };
        let payload = serde_json::to_string(&stored).expect("events are plain data");
        self.add(&node, sg::PAYLOAD, Literal::from(payload), &names.ledger);
    }

    fn put_quote(&mut self, quote: &Quote, thread: &ThreadId) -> NamedNode {
        let names = self.names;
        let meta = &names.meta;
        let (start, end) = (quote.start.to_string(), quote.end.to_string());
        let id = content_hash([thread.as_str(), quote.message.as_str(), &start, &end]);
        let node = names.thing("quote", &format!("q_{id}"));
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::QUOTE), meta);
        self.add(&node, sg::OF_MESSAGE, names.message(thread, &quote.message), meta);
        self.add(&node, sg::TEXT, Literal::from(quote.text.as_str()), meta);
        self.add(&node, sg::START, Literal::from(quote.start as u64), meta);
        self.add(&node, sg::END, Literal::from(quote.end as u64), meta);
        node
    }

    fn put_occurrence(&mut self, node: &NamedNode, occurred: &Occurrence) {
        let meta = &self.names.meta;
        self.add_some(node, sg::OCCURRED_FROM, occurred.from.map(instant), meta);
        self.add_some(node, sg::OCCURRED_TO, occurred.to.map(instant), meta);
        self.add_some(node, sg::LOCAL_FROM, occurred.local_from.map(date), meta);
        self.add_some(node, sg::LOCAL_TO, occurred.local_to.map(date), meta);
        self.add(node, sg::PRECISION, concept("precision-", occurred.precision.as_str()), meta);
        let expression = occurred.expression.as_deref().map(Literal::from);
        self.add_some(node, sg::TIME_TEXT, expression, meta);
        self.add(node, sg::BASIS, Literal::from(occurred.basis.as_str()), meta);
        self.add(node, sg::APPROX, Literal::from(occurred.approx), meta);
    }

    /// Finds an Event; an act that stands in an Event's place is none.
    pub fn event(&self, id: &EventId) -> Result<Option<StoredEvent>, StoreError> {
        if id.act().is_some() {
            return Ok(None);
        }
        let iri = self.names.event(id);
        let copy = self.object(&iri, sg::PAYLOAD, &self.names.ledger)?;
        copy.as_ref().and_then(literal_text).map(|json| read_copy(iri.as_str(), json)).transpose()
    }

    /// Returns every Event, in no order: one index scan.
    pub fn all_events(&self) -> Result<Vec<StoredEvent>, StoreError> {
        self.pairs(sg::PAYLOAD, &self.names.ledger)?
            .iter()
            .filter(|(node, _)| self.names.id_of("event", node.as_str()).is_some())
            .filter_map(|(node, copy)| Some((node, literal_text(copy)?)))
            .map(|(node, json)| read_copy(node.as_str(), json))
            .collect()
    }

    /// Returns the Events that an entity takes part in, or one that stands for it since a merge.
    pub fn events_of_entity(&self, entity: &EntityId) -> Result<HashSet<EventId>, StoreError> {
        let node = self.names.entity(entity);
        let subjects = self.subjects(sg::PARTICIPANT, node.as_ref(), &self.names.meta)?;
        let mut events: HashSet<EventId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("event", node.as_str()).map(EventId))
            .collect();
        for merged in self.merged_into(entity)? {
            events.extend(self.events_of_entity(&merged)?);
        }
        Ok(events)
    }

    /// Returns the numbers beside every Event: one scan of their graph.
    pub fn all_event_weights(&self) -> Result<HashMap<EventId, EventWeights>, StoreError> {
        let mut all: HashMap<EventId, EventWeights> = HashMap::new();
        for quad in self.quads(None, None, None, &self.names.weights) {
            let quad = quad?;
            let NamedOrBlankNode::NamedNode(node) = &quad.subject else { continue };
            let Some(id) = self.names.id_of("event", node.as_str()) else { continue };
            let Some(text) = literal_text(&quad.object) else { continue };
            let weights = all.entry(EventId(id)).or_default();
            match quad.predicate.as_str() {
                sg::ADOPTION_COUNT => weights.adoptions = text.parse().unwrap_or(0),
                sg::ANCHOR_TURN => weights.anchor_turn = text.parse().unwrap_or(0),
                sg::PINNED => weights.pinned = text == "true",
                sg::FORGOTTEN_AT => weights.forgotten_at = super::tx::parse_utc(text),
                sg::RETRACTED_AT => weights.retracted_at = super::tx::parse_utc(text),
                _ => {}
            }
        }
        Ok(all)
    }

    /// Returns the source messages of an Event.
    pub fn event_sources(&self, id: &EventId) -> Result<Vec<(ThreadId, MessageId)>, StoreError> {
        let sources =
            self.objects(&self.names.event(id), prov::WAS_DERIVED_FROM, &self.names.meta)?;
        let mut keys: Vec<(ThreadId, MessageId)> = sources
            .iter()
            .filter_map(|term| match term {
                Term::NamedNode(node) => self.names.message_of(node.as_str()),
                _ => None,
            })
            .collect();
        keys.sort();
        Ok(keys)
    }

    /// Returns the Events with a relation of this kind to an Event.
    pub fn events_related_to(
        &self,
        kind: RelationKind,
        target: &EventId,
    ) -> Result<Vec<EventId>, StoreError> {
        let target = self.names.event(target);
        let subjects =
            self.subjects(relation_predicate(kind), target.as_ref(), &self.names.meta)?;
        let mut ids: Vec<EventId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("event", node.as_str()).map(EventId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the Events of a Block, in id order.
    pub fn events_of_block(&self, block: &BlockId) -> Result<Vec<EventId>, StoreError> {
        let block = self.names.block(block);
        let subjects = self.subjects(sg::IN_BLOCK, block.as_ref(), &self.names.meta)?;
        let mut ids: Vec<EventId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("event", node.as_str()).map(EventId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns what forgetting an Event would cost.
    pub fn criticality(&self, id: &EventId) -> Result<Criticality, StoreError> {
        let found = self.object(&self.names.event(id), sg::CRITICALITY, &self.names.meta)?;
        let word = match &found {
            Some(Term::NamedNode(node)) => node
                .as_str()
                .strip_prefix(crate::vocab::SG)
                .and_then(|local| local.strip_prefix("criticality-")),
            _ => None,
        };
        Ok(word.and_then(Criticality::parse).unwrap_or(Criticality::Routine))
    }

    /// Returns when an Event was recorded.
    pub fn event_recorded_at(&self, id: &EventId) -> Result<Option<TxTime>, StoreError> {
        let at = self.object(&self.names.event(id), sg::RECORDED_AT, &self.names.meta)?;
        Ok(at.as_ref().and_then(literal_text).and_then(super::tx::parse_utc).map(TxTime))
    }

    /// Links an Event to the entities that take part in it.
    pub fn put_participants(&mut self, event: &EventId, entities: &[EntityId]) {
        let names = self.names;
        for entity in entities {
            self.add(&names.event(event), sg::PARTICIPANT, names.entity(entity), &names.meta);
        }
    }

    /// Returns the entities that take part in an Event, in id order.
    pub fn participants(&self, event: &EventId) -> Result<Vec<EntityId>, StoreError> {
        let node = self.names.event(event);
        let mut ids: Vec<EntityId> = self
            .objects(&node, sg::PARTICIPANT, &self.names.meta)?
            .iter()
            .filter_map(|term| match term {
                Term::NamedNode(node) => self.names.id_of("entity", node.as_str()).map(EntityId),
                _ => None,
            })
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the Events that an operator has forgotten.
    pub fn forgotten_events(&self) -> Result<HashSet<EventId>, StoreError> {
        Ok(self
            .pairs(sg::FORGOTTEN_AT, &self.names.weights)?
            .iter()
            .filter_map(|(node, _)| self.names.id_of("event", node.as_str()).map(EventId))
            .collect())
    }

    /// Returns the Events that an operator has pinned, in id order.
    pub fn pinned_events(&self) -> Result<Vec<EventId>, StoreError> {
        let pinned = self.pairs(sg::PINNED, &self.names.weights)?;
        let mut ids: Vec<EventId> = pinned
            .iter()
            .filter_map(|(node, _)| self.names.id_of("event", node.as_str()).map(EventId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the Events of a criticality, in id order.
    pub fn events_of_criticality(&self, of: Criticality) -> Result<Vec<EventId>, StoreError> {
        let concept = Term::from(concept("criticality-", of.as_str()));
        let subjects = self.subjects(sg::CRITICALITY, concept.as_ref(), &self.names.meta)?;
        let mut ids: Vec<EventId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("event", node.as_str()).map(EventId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the Events that name a message as source, in id order.
    pub fn events_from_message(
        &self,
        thread: &ThreadId,
        id: &MessageId,
    ) -> Result<Vec<EventId>, StoreError> {
        let message = self.names.message(thread, id);
        let subjects = self.subjects(prov::WAS_DERIVED_FROM, message.as_ref(), &self.names.meta)?;
        let mut ids: Vec<EventId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("event", node.as_str()).map(EventId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the numbers beside an Event.
    pub fn event_weights(&self, id: &EventId) -> Result<EventWeights, StoreError> {
        let node = self.node(&self.names.event(id), &self.names.weights)?;
        Ok(EventWeights {
            adoptions: node.integer(sg::ADOPTION_COUNT).unwrap_or(0),
            anchor_turn: node.integer(sg::ANCHOR_TURN).unwrap_or(0),
            pinned: node.flag(sg::PINNED),
            forgotten_at: node.instant(sg::FORGOTTEN_AT),
            retracted_at: node.instant(sg::RETRACTED_AT),
        })
    }

    /// Writes the numbers beside an Event.
    pub fn set_event_weights(
        &mut self,
        id: &EventId,
        weights: EventWeights,
    ) -> Result<(), StoreError> {
        let names = self.names;
        let node = names.event(id);
        let graph = &names.weights;
        let count = Some(Literal::from(weights.adoptions));
        self.set(&node, sg::ADOPTION_COUNT, count, graph)?;
        self.set(&node, sg::ANCHOR_TURN, Some(Literal::from(weights.anchor_turn)), graph)?;
        let pinned = weights.pinned.then(|| Literal::from(true));
        self.set(&node, sg::PINNED, pinned, graph)?;
        self.set(&node, sg::FORGOTTEN_AT, weights.forgotten_at.map(instant), graph)?;
        self.set(&node, sg::RETRACTED_AT, weights.retracted_at.map(instant), graph)
    }

    /// Returns all Event ids: one index scan.
    pub fn event_ids(&self) -> Result<Vec<EventId>, StoreError> {
        let class = Term::from(NamedNode::new_unchecked(sg::EVENT));
        let subjects = self.subjects(pred_type(), class.as_ref(), &self.names.meta)?;
        Ok(subjects
            .iter()
            .filter_map(|node| self.names.id_of("event", node.as_str()).map(EventId))
            .collect())
    }
}

fn read_copy(iri: &str, json: &str) -> Result<StoredEvent, StoreError> {
    serde_json::from_str(json)
        .map_err(|error| StoreError::Corrupt(format!("{iri} has a broken payload: {error}")))
}
