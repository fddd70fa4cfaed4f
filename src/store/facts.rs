//! Claims, Facts, closings, conflicts and the current graph as quads.
//!
//! The quads of meta are what a Fact is. Beside them, in the ledger, stands a copy of each Fact as
//! one JSON literal, made anew by the very transaction that changes the Fact: reading a Fact from
//! its quads takes about eighty look-ups in the store's dictionary, reading the copy takes four.

use super::entities::property_iri;
use super::names::term;
use super::tx::{Node, Tx, date, instant, literal_text, parse_utc, pred};
use super::{StoreError, pred_type};
use crate::model::{
    ClaimOp, Closing, ClosingId, Conflict, ConflictId, EntityId, EventId, Fact, FactId, FactValue,
    MessageId, Precision, Reason, Slot, SlotId, ThreadId, TxTime, ValidTime, content_hash,
};
use crate::temporal::SlotClaim;
use crate::vocab::{prov, sg, xsd};
use oxigraph::model::{Literal, NamedNode, Term};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};

/// Things in a Slot up to which walking the quads is faster than a query.
const WALKED: usize = 12;

/// A message by thread and id.
pub type MessageKey = (ThreadId, MessageId);

/// What of a Slot can matter from now on: Facts in force, planned, to come or contested, and
/// their conflicts. It is kept whole, so that the present is read at once however long the history.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SlotPresent {
    /// The Slot.
    pub slot: Slot,
    /// Its Facts that have not ended.
    pub facts: Vec<Fact>,
    /// Conflicts between these.
    pub conflicts: Vec<Conflict>,
}

/// The id of a claim: `k_` and a hash of its source and place there.
pub fn claim_id(event: &EventId, ordinal: usize) -> String {
    format!("k_{}", content_hash([event.as_str(), &ordinal.to_string()]))
}

impl Tx<'_> {
    fn value_term(&self, value: &FactValue) -> Term {
        match value {
            FactValue::Entity(id) => self.names.entity(id).into(),
            FactValue::Text(text) => Literal::from(text.as_str()).into(),
            FactValue::Date(day) => date(*day).into(),
        }
    }

    fn read_value(&self, term: &Term) -> Option<FactValue> {
        match term {
            Term::NamedNode(node) => {
                self.names.id_of("entity", node.as_str()).map(|id| FactValue::Entity(EntityId(id)))
            }
            Term::Literal(literal) if literal.datatype().as_str() == xsd::DATE => {
                literal.value().parse().ok().map(FactValue::Date)
            }
            Term::Literal(literal) => Some(FactValue::Text(literal.value().to_owned())),
            Term::BlankNode(_) => None,
        }
    }

    /// Writes a claim on a Slot, and the plain statement it makes into its Event's own graph.
    /// Plans and ends state nothing that holds, so they leave no plain statement.
    pub fn put_claim(&mut self, slot: &Slot, claim: &SlotClaim) {
        let names = self.names;
        let meta = &names.meta;
        let node = names.thing("claim", &claim_id(&claim.event, claim.ordinal));
        let entity = names.entity(&slot.entity);
        let property = property_iri(&slot.property);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::CLAIM), meta);
        self.add(&node, sg::OF_EVENT, names.event(&claim.event), meta);
        self.add(&node, sg::ORDINAL, Literal::from(claim.ordinal as u64), meta);
        self.add(&node, sg::IN_SLOT, names.slot(&slot.id()), meta);
        self.add(&node, sg::ABOUT, entity.clone(), meta);
        self.add(&node, sg::PROPERTY, property.clone(), meta);
        self.add_some(&node, sg::QUALIFIER, slot.qualifier.as_deref().map(Literal::from), meta);
        let value = claim.value.as_ref().map(|value| self.value_term(value));
        self.add_some(&node, sg::VALUE, value.clone(), meta);
        let operation = if claim.op == ClaimOp::Assert { "assert" } else { "end" };
        self.add(&node, sg::OPERATION, Literal::from(operation), meta);
        self.add_some(&node, sg::VALID_FROM, claim.at.map(|at| instant(at.0)), meta);
        self.put_precision(&node, claim.precision);
        self.add_some(&node, sg::KNOWN_END, claim.known_end.map(|at| instant(at.0)), meta);
        self.add(&node, sg::PLANNED, Literal::from(claim.planned), meta);
        self.add(&node, sg::CORRECTS, Literal::from(claim.corrects), meta);
        self.add(&node, sg::MENTIONED_AT, instant(claim.mentioned_at), meta);
        let payload = serde_json::to_string(claim).expect("claims are plain data");
        self.add(&node, sg::PAYLOAD, Literal::from(payload), &names.ledger);
        if let (ClaimOp::Assert, false, Some(value)) = (claim.op, claim.planned, value) {
            self.add_with(&entity, &property, &value, &names.event(&claim.event));
        }
    }

    fn put_precision(&mut self, node: &NamedNode, precision: Precision) {
        let concept = term(&format!("precision-{}", precision.as_str()));
        self.add(node, sg::PRECISION, concept, &self.names.meta);
    }

    /// Returns the claims on a Slot, in a total order.
    pub fn claims_of(&self, slot: &SlotId) -> Result<Vec<SlotClaim>, StoreError> {
        let mut claims: Vec<SlotClaim> = Vec::new();
        for (iri, copy) in self.copies_in(&self.names.slot(slot))? {
            if self.names.id_of("claim", iri.as_str()).is_none() {
                continue;
            }
            let json = copy
                .as_ref()
                .and_then(literal_text)
                .ok_or_else(|| StoreError::Corrupt(format!("{} has no payload", iri.as_str())))?;
            claims.push(serde_json::from_str(json).map_err(|error| {
                StoreError::Corrupt(format!("{} has a broken payload: {error}", iri.as_str()))
            })?);
        }
        claims.sort_by(|a, b| (&a.event, a.ordinal).cmp(&(&b.event, b.ordinal)));
        Ok(claims)
    }

    /// Subjects of one kind that stand in a Slot.
    fn in_slot(&self, slot: &SlotId, kind: &str) -> Result<Vec<NamedNode>, StoreError> {
        let slot = self.names.slot(slot);
        let mut nodes = self.subjects(sg::IN_SLOT, slot.as_ref(), &self.names.meta)?;
        nodes.retain(|node| self.names.id_of(kind, node.as_str()).is_some());
        Ok(nodes)
    }

    /// Writes a new Fact; its closings are written apart.
    pub fn put_fact(&mut self, fact: &Fact, rule: &str, messages: &[MessageKey]) {
        let names = self.names;
        let meta = &names.meta;
        self.changed_facts.insert(fact.id.clone());
        let node = names.fact(&fact.id);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::FACT), meta);
        self.add(&node, pred_type(), NamedNode::new_unchecked(prov::ENTITY), meta);
        self.add(&node, sg::IN_SLOT, names.slot(&fact.slot.id()), meta);
        self.add(&node, sg::ABOUT, names.entity(&fact.slot.entity), meta);
        self.add(&node, sg::PROPERTY, property_iri(&fact.slot.property), meta);
        let qualifier = fact.slot.qualifier.as_deref().map(Literal::from);
        self.add_some(&node, sg::QUALIFIER, qualifier, meta);
        let value = self.value_term(&fact.value);
        self.add(&node, sg::VALUE, value, meta);
        self.add_some(&node, sg::VALID_FROM, fact.valid_from.map(|at| instant(at.0)), meta);
        self.put_precision(&node, fact.precision);
        self.add_some(&node, sg::KNOWN_END, fact.known_end.map(|at| instant(at.0)), meta);
        self.add(&node, sg::PLANNED, Literal::from(fact.planned), meta);
        self.add(&node, sg::RECORDED_AT, instant(fact.recorded_at.0), meta);
        self.add(&node, sg::NOTE, Literal::from(rule), meta);
        if let Some(opener) = fact.events.first() {
            self.add(&node, sg::OPENED_BY, names.event(opener), meta);
        }
        self.add_fact_sources(&fact.id, &fact.events, messages);
    }

    /// Adds Events and messages that a Fact rests on.
    pub fn add_fact_sources(&mut self, fact: &FactId, events: &[EventId], messages: &[MessageKey]) {
        let names = self.names;
        self.changed_facts.insert(fact.clone());
        let node = names.fact(fact);
        for event in events {
            self.add(&node, sg::RESTS_ON, names.event(event), &names.meta);
        }
        for (thread, message) in messages {
            let message = names.message(thread, message);
            self.add(&node, prov::WAS_DERIVED_FROM, message, &names.meta);
        }
    }

    /// Takes an Event away from those that a Fact rests on.
    pub fn remove_fact_source(&mut self, fact: &FactId, event: &EventId) {
        let names = self.names;
        self.changed_facts.insert(fact.clone());
        self.remove(&names.fact(fact), sg::RESTS_ON, names.event(event), &names.meta);
    }

    /// Returns the rule by which a Fact began, in a stable word.
    pub fn fact_rule(&self, fact: &FactId) -> Result<String, StoreError> {
        let rule = self.object(&self.names.fact(fact), sg::NOTE, &self.names.meta)?;
        Ok(rule.as_ref().and_then(literal_text).unwrap_or_default().to_owned())
    }

    /// Withdraws a Fact.
    pub fn retract_fact(
        &mut self,
        fact: &FactId,
        at: TxTime,
        reason: Reason,
        cause: Option<&EventId>,
    ) {
        let names = self.names;
        self.changed_facts.insert(fact.clone());
        let node = names.fact(fact);
        self.add_some(&node, sg::CAUSE, cause.map(|event| names.event(event)), &names.meta);
        self.add(&node, sg::RETRACTED_AT, instant(at.0), &names.meta);
        self.add(&node, sg::REASON, term(&format!("reason-{}", reason.as_str())), &names.meta);
    }

    /// Returns what took a Fact back: an Event or an operator's act.
    pub fn retraction_cause(&self, fact: &FactId) -> Result<Option<EventId>, StoreError> {
        let cause = self.object(&self.names.fact(fact), sg::CAUSE, &self.names.meta)?;
        Ok(match cause {
            Some(Term::NamedNode(node)) => self.names.cause_of(node.as_str()),
            _ => None,
        })
    }

    /// Writes a closing of a Fact.
    pub fn put_closing(&mut self, fact: &FactId, closing: &Closing) -> Result<(), StoreError> {
        let names = self.names;
        let meta = &names.meta;
        self.changed_facts.insert(fact.clone());
        let node = names.closing(&closing.id);
        let fact = names.fact(fact);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::CLOSING), meta);
        self.add(&node, sg::VALID_TO, instant(closing.valid_to.0), meta);
        self.put_precision(&node, closing.precision);
        self.add(&node, sg::RECORDED_AT, instant(closing.recorded_at.0), meta);
        self.add(&node, sg::CAUSE, names.event(&closing.cause), meta);
        let reason = term(&format!("reason-{}", closing.reason.as_str()));
        self.add(&node, sg::REASON, reason, meta);
        self.add(&node, sg::NOTE, Literal::from(closing.rule.as_str()), meta);
        let successor = closing.superseded_by.as_ref().map(|id| names.fact(id));
        self.add_some(&node, sg::SUPERSEDED_BY, successor.clone(), meta);
        self.add(&fact, sg::HAS_CLOSING, node, meta);
        self.set(&fact, sg::VALID_TO, Some(instant(closing.valid_to.0)), meta)?;
        self.set(&fact, sg::SUPERSEDED_BY, successor.clone(), meta)?;
        if let Some(successor) = successor {
            self.add(&successor, prov::WAS_REVISION_OF, fact, meta);
        }
        Ok(())
    }

    /// Withdraws a closing: the Fact is open again, unless another closing follows.
    pub fn retract_closing(
        &mut self,
        fact: &FactId,
        closing: &ClosingId,
        at: TxTime,
    ) -> Result<(), StoreError> {
        let names = self.names;
        let meta = &names.meta;
        self.changed_facts.insert(fact.clone());
        let node = names.closing(closing);
        self.add(&node, sg::RETRACTED_AT, instant(at.0), meta);
        let fact = names.fact(fact);
        if let Some(Term::NamedNode(successor)) = self.object(&node, sg::SUPERSEDED_BY, meta)? {
            self.remove(&successor, prov::WAS_REVISION_OF, fact.clone(), meta);
        }
        self.set(&fact, sg::VALID_TO, None::<Literal>, meta)?;
        self.set(&fact, sg::SUPERSEDED_BY, None::<NamedNode>, meta)
    }

    /// Writes a conflict.
    pub fn put_conflict(&mut self, conflict: &Conflict) {
        let names = self.names;
        let meta = &names.meta;
        let node = names.conflict(&conflict.id);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::CONFLICT), meta);
        self.add(&node, sg::IN_SLOT, names.slot(&conflict.slot), meta);
        for candidate in &conflict.candidates {
            self.add(&node, sg::CANDIDATE, names.fact(candidate), meta);
        }
        self.add(&node, sg::RECORDED_AT, instant(conflict.recorded_at.0), meta);
    }

    /// Records that a conflict was resolved or fell away.
    pub fn resolve_conflict(&mut self, id: &ConflictId, at: TxTime, by: Option<&EventId>) {
        let names = self.names;
        let node = names.conflict(id);
        self.add(&node, sg::RESOLVED_AT, instant(at.0), &names.meta);
        self.add_some(&node, sg::RESOLVED_BY, by.map(|event| names.event(event)), &names.meta);
    }

    /// Has the copy of a Fact made anew when this transaction commits.
    pub fn copy_again(&mut self, id: FactId) {
        self.changed_facts.insert(id);
    }

    /// Makes the copies of the Facts that this transaction has changed.
    pub(super) fn copy_changed_facts(&mut self) -> Result<(), StoreError> {
        for id in std::mem::take(&mut self.changed_facts) {
            let copy = self.fact_from_quads(&id)?.map(|fact| {
                Literal::from(serde_json::to_string(&fact).expect("facts are plain data"))
            });
            let (node, ledger) = (self.names.fact(&id), self.names.ledger.clone());
            self.set(&node, sg::PAYLOAD, copy, &ledger)?;
        }
        Ok(())
    }

    /// Finds a Fact with its closings.
    pub fn fact(&self, id: &FactId) -> Result<Option<Fact>, StoreError> {
        match self.fact_copy(id)? {
            Some(fact) => Ok(Some(fact)),
            None => self.fact_from_quads(id),
        }
    }

    /// Reads the copy of a Fact, where there is one and it is not out of date.
    fn fact_copy(&self, id: &FactId) -> Result<Option<Fact>, StoreError> {
        if self.changed_facts.contains(id) {
            return Ok(None);
        }
        let node = self.names.fact(id);
        let copy = self.object(&node, sg::PAYLOAD, &self.names.ledger)?;
        let Some(json) = copy.as_ref().and_then(literal_text) else { return Ok(None) };
        serde_json::from_str(json).map(Some).map_err(|error| {
            StoreError::Corrupt(format!("{} has a broken payload: {error}", node.as_str()))
        })
    }

    /// Reads a Fact from the quads that it is.
    pub fn fact_from_quads(&self, id: &FactId) -> Result<Option<Fact>, StoreError> {
        let node = self.node(&self.names.fact(id), &self.names.meta)?;
        if node.is_empty() {
            return Ok(None);
        }
        let slot = node.need_iri(sg::IN_SLOT)?;
        let slot = SlotId(self.names.id_of("slot", slot).unwrap_or_default());
        let slot = self
            .slot(&slot)?
            .ok_or_else(|| StoreError::Corrupt(format!("fact {id} has no slot {slot}")))?;
        self.read_fact(id.clone(), &node, slot).map(Some)
    }

    fn read_fact(&self, id: FactId, node: &Node, slot: Slot) -> Result<Fact, StoreError> {
        let value = node.all(sg::VALUE).first().and_then(|term| self.read_value(term));
        let event = |iri: &str| self.names.cause_of(iri);
        let opener = node.iri(sg::OPENED_BY).and_then(event);
        let mut events: Vec<EventId> =
            node.iris(sg::RESTS_ON).into_iter().filter_map(event).collect();
        // The opening Event comes first, the others in id order.
        events.sort_by_key(|id| (Some(id) != opener.as_ref(), id.clone()));
        let mut closings = Vec::new();
        for iri in node.iris(sg::HAS_CLOSING) {
            closings.push(self.read_closing(iri)?);
        }
        closings.sort_by(|a, b| (a.recorded_at, &a.id).cmp(&(b.recorded_at, &b.id)));
        Ok(Fact {
            id,
            slot,
            value: value.ok_or_else(|| node.missing(sg::VALUE))?,
            valid_from: node.instant(sg::VALID_FROM).map(ValidTime),
            precision: read_precision(node),
            known_end: node.instant(sg::KNOWN_END).map(ValidTime),
            planned: node.flag(sg::PLANNED),
            events,
            recorded_at: TxTime(node.need_instant(sg::RECORDED_AT)?),
            retracted_at: node.instant(sg::RETRACTED_AT).map(TxTime),
            closings,
        })
    }

    fn read_closing(&self, iri: &str) -> Result<Closing, StoreError> {
        let node = self.node(&NamedNode::new_unchecked(iri), &self.names.meta)?;
        let cause = node.need_iri(sg::CAUSE)?;
        let id = |kind: &str, iri: &str| self.names.id_of(kind, iri).unwrap_or_default();
        Ok(Closing {
            id: ClosingId(id("closing", iri)),
            valid_to: ValidTime(node.need_instant(sg::VALID_TO)?),
            precision: read_precision(&node),
            recorded_at: TxTime(node.need_instant(sg::RECORDED_AT)?),
            retracted_at: node.instant(sg::RETRACTED_AT).map(TxTime),
            cause: self.names.cause_of(cause).unwrap_or_else(|| EventId(String::new())),
            reason: node
                .concept(sg::REASON, "reason-")
                .and_then(|word| Reason::parse(word).ok())
                .ok_or_else(|| node.missing(sg::REASON))?,
            superseded_by: node.iri(sg::SUPERSEDED_BY).map(|iri| FactId(id("fact", iri))),
            rule: node.text(sg::NOTE).unwrap_or_default().to_owned(),
        })
    }

    /// Returns the Facts of a Slot, in id order.
    pub fn facts_of(&self, slot: &SlotId) -> Result<Vec<Fact>, StoreError> {
        Ok(self.contents_of(slot)?.0)
    }

    /// Returns the conflicts of a Slot, in id order.
    pub fn conflicts_of(&self, slot: &SlotId) -> Result<Vec<Conflict>, StoreError> {
        let mut conflicts = Vec::new();
        for iri in self.in_slot(slot, "conflict")? {
            conflicts.extend(self.conflict_at(&iri)?);
        }
        conflicts.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(conflicts)
    }

    /// Returns the Facts and the conflicts of a Slot, both in id order: one walk for both.
    pub fn contents_of(&self, slot: &SlotId) -> Result<(Vec<Fact>, Vec<Conflict>), StoreError> {
        let slot = self.names.slot(slot);
        let (mut facts, mut conflicts) = (Vec::new(), Vec::new());
        for (iri, copy) in self.copies_in(&slot)? {
            if let Some(id) = self.names.id_of("fact", iri.as_str()).map(FactId) {
                match copy.as_ref().and_then(literal_text) {
                    Some(json) if !self.changed_facts.contains(&id) => {
                        facts.push(serde_json::from_str(json).map_err(|error| {
                            let iri = iri.as_str();
                            StoreError::Corrupt(format!("{iri} has a broken payload: {error}"))
                        })?);
                    }
                    _ => facts.extend(self.fact_from_quads(&id)?),
                }
            } else {
                conflicts.extend(self.conflict_at(&iri)?);
            }
        }
        facts.sort_by(|a: &Fact, b| a.id.cmp(&b.id));
        conflicts.sort_by(|a: &Conflict, b| a.id.cmp(&b.id));
        Ok((facts, conflicts))
    }

    /// What stands in a Slot, with the copies there are of it. Of many as a query, because a query
    /// decodes only what it gives: walking the quads decodes subject, predicate, object and graph
    /// of each, most of them known before. For a few the query would cost more than it saves.
    fn copies_in(&self, slot: &NamedNode) -> Result<Vec<(NamedNode, Option<Term>)>, StoreError> {
        let names = self.names;
        let meta = &names.meta;
        let mut walk = self.quads(None, Some(pred(sg::IN_SLOT)), Some(slot.as_ref().into()), meta);
        let mut few = Vec::new();
        let walked = loop {
            match walk.next().transpose()? {
                Some(quad) => few.extend(named(quad.subject.into())),
                None => break true,
            }
            if few.len() > WALKED {
                break false;
            }
        };
        drop(walk);
        if walked {
            let copy = |iri: NamedNode| {
                let copy = self.object(&iri, sg::PAYLOAD, &names.ledger)?;
                Ok((iri, copy))
            };
            return few.into_iter().map(copy).collect();
        }
        let query = format!(
            "SELECT ?thing ?copy {{ GRAPH {} {{ ?thing <{}> {slot} }} OPTIONAL {{ GRAPH {} {{ ?thing <{}> ?copy }} }} }}",
            names.meta,
            sg::IN_SLOT,
            names.ledger,
            sg::PAYLOAD
        );
        let broken = |error: &dyn std::fmt::Display| {
            StoreError::Corrupt(format!("{} cannot be read: {error}", slot.as_str()))
        };
        let query =
            spargebra::SparqlParser::new().parse_query(&query).map_err(|error| broken(&error))?;
        let results = SparqlEvaluator::new()
            .for_query(query)
            .on_transaction(self.raw())
            .execute()
            .map_err(|error| broken(&error))?;
        let QueryResults::Solutions(solutions) = results else { return Ok(Vec::new()) };
        let mut things = Vec::new();
        for solution in solutions {
            let solution = solution.map_err(|error| broken(&error))?;
            if let Some(Term::NamedNode(thing)) = solution.get("thing") {
                things.push((thing.clone(), solution.get("copy").cloned()));
            }
        }
        Ok(things)
    }

    /// Returns the conflicts that a Fact is a candidate of, in id order.
    pub fn conflicts_with(&self, fact: &FactId) -> Result<Vec<Conflict>, StoreError> {
        let fact = self.names.fact(fact);
        let mut conflicts = Vec::new();
        for iri in self.subjects(sg::CANDIDATE, fact.as_ref(), &self.names.meta)? {
            conflicts.extend(self.conflict_at(&iri)?);
        }
        conflicts.sort_by(|a: &Conflict, b| a.id.cmp(&b.id));
        Ok(conflicts)
    }

    /// Reads a conflict; nothing where the IRI is something else's.
    fn conflict_at(&self, iri: &NamedNode) -> Result<Option<Conflict>, StoreError> {
        let Some(id) = self.names.id_of("conflict", iri.as_str()) else { return Ok(None) };
        let node = self.node(iri, &self.names.meta)?;
        let slot = node.need_iri(sg::IN_SLOT)?;
        let by = node.iri(sg::RESOLVED_BY).and_then(|iri| self.names.cause_of(iri));
        Ok(Some(Conflict {
            id: ConflictId(id),
            slot: SlotId(self.names.id_of("slot", slot).unwrap_or_default()),
            candidates: node
                .iris(sg::CANDIDATE)
                .into_iter()
                .filter_map(|iri| self.names.id_of("fact", iri).map(FactId))
                .collect(),
            recorded_at: TxTime(node.need_instant(sg::RECORDED_AT)?),
            resolved_at: node.instant(sg::RESOLVED_AT).map(TxTime),
            resolved_by: by,
        }))
    }

    /// Finds a conflict.
    pub fn conflict(&self, id: &ConflictId) -> Result<Option<Conflict>, StoreError> {
        let node = self.names.conflict(id);
        if !self.has(&node, sg::IN_SLOT, &self.names.meta)? {
            return Ok(None);
        }
        self.conflict_at(&node)
    }

    /// Returns the Facts that rest on an Event, in id order.
    pub fn facts_resting_on(&self, event: &EventId) -> Result<Vec<FactId>, StoreError> {
        let event = self.names.event(event);
        let subjects = self.subjects(sg::RESTS_ON, event.as_ref(), &self.names.meta)?;
        let mut ids: Vec<FactId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("fact", node.as_str()).map(FactId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the Slots that an Event's claims stand in, in id order.
    pub fn slots_of_event(&self, event: &EventId) -> Result<Vec<SlotId>, StoreError> {
        let event = self.names.event(event);
        let mut slots = Vec::new();
        for claim in self.subjects(sg::OF_EVENT, event.as_ref(), &self.names.meta)? {
            if let Some(Term::NamedNode(slot)) =
                self.object(&claim, sg::IN_SLOT, &self.names.meta)?
            {
                slots.extend(self.names.id_of("slot", slot.as_str()).map(SlotId));
            }
        }
        slots.sort();
        slots.dedup();
        Ok(slots)
    }

    /// Returns the Slots in which a claim gives this entity as its value, in id order.
    pub fn slots_with_value(&self, entity: &EntityId) -> Result<Vec<SlotId>, StoreError> {
        let entity = self.names.entity(entity);
        let mut slots = Vec::new();
        for node in self.subjects(sg::VALUE, entity.as_ref(), &self.names.meta)? {
            if self.names.id_of("claim", node.as_str()).is_none() {
                continue;
            }
            if let Some(Term::NamedNode(slot)) =
                self.object(&node, sg::IN_SLOT, &self.names.meta)?
            {
                slots.extend(self.names.id_of("slot", slot.as_str()).map(SlotId));
            }
        }
        slots.sort();
        slots.dedup();
        Ok(slots)
    }

    /// Returns all Fact ids in order: one index scan.
    pub fn fact_ids(&self) -> Result<Vec<FactId>, StoreError> {
        let class = Term::from(NamedNode::new_unchecked(sg::FACT));
        let subjects = self.subjects(pred_type(), class.as_ref(), &self.names.meta)?;
        let mut ids: Vec<FactId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("fact", node.as_str()).map(FactId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Rewrites what the current graph says of one Slot: the Facts in force and the open
    /// conflicts. Says whether anything changed.
    pub fn set_current(
        &mut self,
        slot: &Slot,
        facts: &[&Fact],
        open_conflicts: &[ConflictId],
        all_facts: &[Fact],
    ) -> Result<bool, StoreError> {
        let names = self.names;
        let graph = &names.current;
        let node = names.slot(&slot.id());
        let entity = names.entity(&slot.entity);
        let property = property_iri(&slot.property);
        let before = self.objects(&node, sg::CURRENT_FACT, graph)?;
        let wanted: Vec<Term> = facts.iter().map(|fact| names.fact(&fact.id).into()).collect();
        let mut changed = false;
        for old in before.iter().filter(|old| !wanted.contains(old)) {
            changed = true;
            self.remove(&node, sg::CURRENT_FACT, old.clone(), graph);
            self.remove(&entity, sg::CURRENT_FACT, old.clone(), graph);
        }
        // A plain triple may be shared: two Slots of one property can hold the same value under
        // different qualifiers. It goes only when no Fact in force needs it any more. Only Facts
        // that were in force until now have one.
        for fact in
            all_facts.iter().filter(|fact| before.contains(&Term::from(names.fact(&fact.id))))
        {
            let gone = !facts.iter().any(|kept| kept.value == fact.value);
            if gone && !self.value_in_force(slot, &fact.value)? {
                let value = self.value_term(&fact.value);
                self.remove_with(&entity, &property, &value, graph);
            }
        }
        for fact in facts {
            let iri = Term::from(names.fact(&fact.id));
            changed |= !before.contains(&iri);
            self.add(&node, sg::CURRENT_FACT, iri.clone(), graph);
            self.add(&entity, sg::CURRENT_FACT, iri, graph);
            let value = self.value_term(&fact.value);
            self.add_with(&entity, &property, &value, graph);
        }
        let open: Vec<Term> = open_conflicts.iter().map(|id| names.conflict(id).into()).collect();
        for old in self.objects(&node, sg::OPEN_CONFLICT, graph)? {
            if !open.contains(&old) {
                changed = true;
                self.remove(&node, sg::OPEN_CONFLICT, old, graph);
            }
        }
        for conflict in open {
            self.add(&node, sg::OPEN_CONFLICT, conflict, graph);
        }
        Ok(changed)
    }

    /// Whether another Slot of the same entity and property holds the value.
    fn value_in_force(&self, slot: &Slot, value: &FactValue) -> Result<bool, StoreError> {
        let own = slot.id();
        for id in self.current_facts_with(&slot.entity, value)? {
            let Some(other) = self.fact(&id)? else { continue };
            if other.slot.property == slot.property
                && other.slot.id() != own
                && other.value == *value
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Facts in force of an entity that have a value. Either may have very many Facts, so both
    /// lists are walked side by side and the shorter one decides how long it takes.
    fn current_facts_with(
        &self,
        entity: &EntityId,
        value: &FactValue,
    ) -> Result<Vec<FactId>, StoreError> {
        let (entity, value) = (self.names.entity(entity), self.value_term(value));
        let (current, meta) = (&self.names.current, &self.names.meta);
        let mut of_entity = self.quads(Some(&entity), Some(pred(sg::CURRENT_FACT)), None, current);
        let mut with_value = self.quads(None, Some(pred(sg::VALUE)), Some(value.as_ref()), meta);
        let (mut held, mut valued) = (Vec::new(), Vec::new());
        let found: Vec<NamedNode> = loop {
            match of_entity.next() {
                Some(quad) => held.push(quad?.object),
                None => break held.into_iter().filter_map(named).collect(),
            }
            match with_value.next() {
                Some(quad) => valued.push(quad?.subject),
                None => break valued.into_iter().filter_map(|node| named(node.into())).collect(),
            }
        };
        let mut facts = Vec::new();
        for node in found {
            if self.holds(&entity, sg::CURRENT_FACT, &node.clone().into(), current)?
                && self.holds(&node, sg::VALUE, &value, meta)?
            {
                facts.extend(self.names.id_of("fact", node.as_str()).map(FactId));
            }
        }
        Ok(facts)
    }

    /// Returns the Facts in force of an entity, from the current graph.
    pub fn current_facts(&self, entity: &EntityId) -> Result<Vec<FactId>, StoreError> {
        let entity = self.names.entity(entity);
        let mut ids: Vec<FactId> = self
            .objects(&entity, sg::CURRENT_FACT, &self.names.current)?
            .iter()
            .filter_map(|term| match term {
                Term::NamedNode(node) => self.names.id_of("fact", node.as_str()).map(FactId),
                _ => None,
            })
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the Facts in force of a Slot, in id order, from the current graph.
    pub fn current_facts_of_slot(&self, slot: &SlotId) -> Result<Vec<FactId>, StoreError> {
        let slot = self.names.slot(slot);
        let mut ids: Vec<FactId> = self
            .objects(&slot, sg::CURRENT_FACT, &self.names.current)?
            .iter()
            .filter_map(|term| match term {
                Term::NamedNode(node) => self.names.id_of("fact", node.as_str()).map(FactId),
                _ => None,
            })
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Keeps what of a Slot can matter from now on.
    pub fn set_present(&mut self, id: &SlotId, present: &SlotPresent) -> Result<(), StoreError> {
        let names = self.names;
        let json = serde_json::to_string(present).expect("facts are plain data");
        self.set(&names.slot(id), sg::PAYLOAD, Some(Literal::from(json)), &names.system)
    }

    /// Returns what of a Slot can matter from now on.
    pub fn present(&self, id: &SlotId) -> Result<Option<SlotPresent>, StoreError> {
        let node = self.names.slot(id);
        let kept = self.object(&node, sg::PAYLOAD, &self.names.system)?;
        let Some(json) = kept.as_ref().and_then(literal_text) else { return Ok(None) };
        serde_json::from_str(json).map(Some).map_err(|error| {
            StoreError::Corrupt(format!("{} has a broken payload: {error}", node.as_str()))
        })
    }

    /// Notes that the state of a Slot changes by itself at an instant, or that it does not.
    pub fn set_due(
        &mut self,
        slot: &SlotId,
        at: Option<chrono::DateTime<chrono::Utc>>,
    ) -> Result<(), StoreError> {
        let names = self.names;
        self.set(&names.slot(slot), sg::KNOWN_END, at.map(instant), &names.system)
    }

    /// Returns the Slots whose state changes by itself, with the instant.
    pub fn due_slots(&self) -> Result<Vec<(SlotId, chrono::DateTime<chrono::Utc>)>, StoreError> {
        Ok(self
            .pairs(sg::KNOWN_END, &self.names.system)?
            .into_iter()
            .filter_map(|(slot, at)| {
                let slot = self.names.id_of("slot", slot.as_str())?;
                Some((SlotId(slot), literal_text(&at).and_then(parse_utc)?))
            })
            .collect())
    }
}

fn named(term: Term) -> Option<NamedNode> {
    match term {
        Term::NamedNode(node) => Some(node),
        _ => None,
    }
}

fn read_precision(node: &Node) -> Precision {
    node.concept(sg::PRECISION, "precision-")
        .and_then(Precision::parse)
        .unwrap_or(Precision::Unknown)
}
