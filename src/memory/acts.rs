//! Acts of an operator: what a person in charge decides beside what the conversation says.
//!
//! An act never changes an Event. It sets claims aside, brings them back, makes claims of its own
//! or moves them to another Slot; then every touched Slot is folded anew. So the present is always
//! what the Events and the acts give, and undoing an act is giving back what it took.

use super::change::{Change, PlacedChange, PlacedClaim};
use super::error::MemoryError;
use super::namespace::Namespace;
use super::project::{Resolver, slot_change};
use super::slots::SlotContents;
use super::types::{ActRequest, Page, PageRequest};
use super::writer::{PlanView, Planned};
use crate::model::{
    ClaimOp, ConflictId, Entity, EntityId, EntityKind, EntityRef, EventId, Fact, FactId, FactValue,
    Precision, Reason, Slot, SlotId, TxTime, ValidTime, ValueKind, property,
};
use crate::store::{ActEffects, ActKind, ActRow, ClaimRef, StoredAct, Tx, Withdrawn};
use crate::temporal::SlotClaim;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Longest note of an act, in characters.
const MAX_NOTE_CHARS: usize = 1_000;
/// Ordinals below this are an Event's own; those of moved claims begin above.
const MOVED: usize = 1_000_000;

/// An act that is being planned.
struct Plan<'a> {
    view: &'a PlanView<'a>,
    withdrawn: Withdrawn,
    row: ActRow,
    claims: Vec<PlacedClaim>,
    entities: Vec<Entity>,
    participants: Vec<(EventId, Vec<EntityId>)>,
    slots: BTreeMap<SlotId, Slot>,
}

impl<'a> Plan<'a> {
    fn new(
        view: &'a PlanView<'a>,
        kind: ActKind,
        targets: Vec<String>,
        note: Option<String>,
    ) -> Result<Self, MemoryError> {
        Ok(Self {
            view,
            withdrawn: view.tx.withdrawn()?,
            row: ActRow {
                seq: view.seq,
                kind,
                targets,
                note,
                undoes: None,
                set_aside: Vec::new(),
                brought_back: Vec::new(),
                added: Vec::new(),
                merged: None,
                retracted: None,
                effects: ActEffects::default(),
            },
            claims: Vec::new(),
            entities: Vec::new(),
            participants: Vec::new(),
            slots: BTreeMap::new(),
        })
    }

    fn tx(&self) -> &'a Tx<'a> {
        &self.view.tx
    }

    fn act(&self) -> EventId {
        EventId::of_act(self.row.seq)
    }

    fn touch(&mut self, id: &SlotId) -> Result<Slot, MemoryError> {
        if let Some(slot) = self.slots.get(id) {
            return Ok(slot.clone());
        }
        let slot = self.tx().slot(id)?;
        let slot = slot.ok_or_else(|| MemoryError::Corrupt(format!("there is no slot {id}")))?;
        self.slots.insert(id.clone(), slot.clone());
        Ok(slot)
    }

    fn set_aside(&mut self, claim: ClaimRef) -> Result<(), MemoryError> {
        self.touch(&claim.slot)?;
        self.withdrawn.set_aside(&claim);
        self.row.set_aside.push(claim);
        Ok(())
    }

    fn bring_back(&mut self, claim: ClaimRef) -> Result<(), MemoryError> {
        self.touch(&claim.slot)?;
        self.withdrawn.bring_back(&claim);
        self.row.brought_back.push(claim);
        Ok(())
    }

    fn add(&mut self, slot: Slot, claim: SlotClaim) {
        let id = slot.id();
        self.row.added.push(ClaimRef {
            slot: id.clone(),
            event: claim.event.clone(),
            ordinal: claim.ordinal,
        });
        self.slots.insert(id, slot.clone());
        self.claims.push(PlacedClaim { slot, claim });
    }

    /// The claims of a Slot that count.
    fn live_claims(&self, slot: &SlotId) -> Result<Vec<SlotClaim>, MemoryError> {
        let mut claims = self.tx().claims_of(slot)?;
        claims.retain(|claim| self.withdrawn.keeps(claim));
        Ok(claims)
    }

    /// Sets aside what a Fact rests on in its Slot.
    fn set_aside_claims_of(&mut self, fact: &Fact) -> Result<usize, MemoryError> {
        let slot = fact.slot.id();
        let key = fact.value.key();
        let mut number = 0;
        for claim in self.live_claims(&slot)? {
            let says_it = claim.op == ClaimOp::Assert
                && claim.planned == fact.planned
                && claim.value.as_ref().is_some_and(|value| value.key() == key)
                && fact.events.contains(&claim.event);
            if says_it {
                self.set_aside(claim_ref(&slot, &claim))?;
                number += 1;
            }
        }
        Ok(number)
    }

    /// Moves claims that name an entity to another one, as subject or value. `of` says which.
    fn move_claims(
        &mut self,
        from: &EntityId,
        to: &EntityId,
        of: impl Fn(&SlotClaim) -> bool,
    ) -> Result<BTreeSet<EventId>, MemoryError> {
        let tx = self.tx();
        let mut slots: BTreeSet<SlotId> = tx.slots_of(from)?.into_iter().collect();
        slots.extend(tx.slots_with_value(from)?);
        let mut moved = BTreeSet::new();
        for id in slots {
            let slot = self.touch(&id)?;
            for claim in self.live_claims(&id)?.into_iter().filter(|claim| of(claim)) {
                let is_value = claim.value == Some(FactValue::Entity(from.clone()));
                if slot.entity != *from && !is_value {
                    continue;
                }
                let mut target = slot.clone();
                if target.entity == *from {
                    target.entity = to.clone();
                }
                let mut copy = claim.clone();
                if is_value {
                    copy.value = Some(FactValue::Entity(to.clone()));
                }
                copy.ordinal = moved_ordinal(&claim, &target, copy.value.as_ref());
                self.set_aside(claim_ref(&id, &claim))?;
                moved.insert(claim.event.clone());
                self.place_moved(target, copy)?;
            }
        }
        Ok(moved)
    }

    /// Places a moved claim; where it was moved to that very place before, it counts again.
    fn place_moved(&mut self, slot: Slot, claim: SlotClaim) -> Result<(), MemoryError> {
        let id = slot.id();
        let is_there =
            |there: &SlotClaim| there.event == claim.event && there.ordinal == claim.ordinal;
        if self.tx().claims_of(&id)?.iter().any(is_there) {
            return self.bring_back(claim_ref(&id, &claim));
        }
        self.add(slot, claim);
        Ok(())
    }

    /// Folds what was touched and makes the record.
    fn finish(mut self, reason: Reason) -> Result<Planned<()>, MemoryError> {
        let act = self.act();
        let mut changes = Vec::new();
        for (id, slot) in &self.slots {
            let contents = SlotContents::load(self.tx(), id)?;
            let own = self.claims.iter().filter(|placed| placed.slot.id() == *id);
            let new: Vec<&SlotClaim> = own.map(|placed| &placed.claim).collect();
            let now = TxTime(self.view.now);
            let mut change = slot_change(&contents, slot, &new, &self.withdrawn, now);
            change.attribute(&act, reason);
            if !change.is_empty() {
                changes.push(PlacedChange { slot: slot.clone(), change });
            }
        }
        let effects = &mut self.row.effects;
        for PlacedChange { change, .. } in &changes {
            effects.opened.extend(change.opened.iter().map(|opened| opened.fact.id.clone()));
            effects.closed.extend(change.closed.iter().map(|closed| closed.fact.clone()));
            let reopened = change.reopened.iter();
            effects.reopened.extend(reopened.map(|r| (r.fact.clone(), r.closing.clone())));
            effects.retracted.extend(change.retracted.iter().map(|gone| gone.fact.clone()));
            effects.resolved.extend(change.resolved.iter().map(|gone| gone.conflict.clone()));
        }
        let change = Change::Acted {
            act: self.row,
            entities: self.entities,
            participants: self.participants,
            claims: self.claims,
            changes,
        };
        Ok(Planned::write(change, ()))
    }
}

fn claim_ref(slot: &SlotId, claim: &SlotClaim) -> ClaimRef {
    ClaimRef { slot: slot.clone(), event: claim.event.clone(), ordinal: claim.ordinal }
}

/// The place of a moved claim among its Event's: made from where it comes from and goes to, so
/// that moving it again gives the same.
fn moved_ordinal(claim: &SlotClaim, target: &Slot, value: Option<&FactValue>) -> usize {
    let value = value.map(FactValue::key).unwrap_or_default();
    let text = format!("{} {} {value}", claim.ordinal, target.id());
    let hash = Sha256::digest(text.as_bytes());
    MOVED + u32::from_be_bytes([0, hash[0], hash[1], hash[2]]) as usize
}

impl Namespace {
    /// Carries out an act.
    ///
    /// # Errors
    /// When its target is not there, it cannot be done, or nothing would change.
    pub fn act(&self, request: &ActRequest) -> Result<StoredAct, MemoryError> {
        let note = checked_note(request.note())?;
        let ((), seq) = self.write(|view| match request {
            ActRequest::Resolve { conflict, keep, .. } => self.resolve(view, conflict, keep, note),
            ActRequest::Correct { fact, .. } => self.correct(view, fact, request, note),
            ActRequest::RetractFact { fact, .. } => self.retract_fact(view, fact, note),
            ActRequest::RetractEvent { event, .. } => self.retract_event(view, event, note),
            ActRequest::Merge { from, into, .. } => self.merge(view, from, into, note),
            ActRequest::Split { entity, events, into, .. } => {
                self.split(view, entity, events, into, note)
            }
        })?;
        self.act_of(seq.unwrap_or_default())
    }

    /// Undoes an act: what it took back counts again, and what it said does not.
    ///
    /// # Errors
    /// When there is none of that number, it is undone already, or a later act builds on it.
    pub fn undo(&self, seq: u64, note: Option<&str>) -> Result<StoredAct, MemoryError> {
        let note = checked_note(note)?;
        let stored = self.act_of(seq)?;
        let event = || {
            let target = stored.row.targets.first().and_then(|target| target.split_once(':'));
            EventId(target.map_or_else(String::new, |(_, id)| id.to_owned()))
        };
        match stored.row.kind {
            ActKind::Forget => self.restore(&event()).map(drop)?,
            ActKind::Restore => self.forget(&event()).map(drop)?,
            ActKind::Pin => self.pin(&event(), false).map(drop)?,
            ActKind::Unpin => self.pin(&event(), true).map(drop)?,
            ActKind::Expand => {
                return Err(MemoryError::Conflict(format!(
                    "act {seq} expanded a Block, which decays again by itself; there is nothing to undo"
                )));
            }
            _ => {
                let ((), by) = self.write(|view| self.plan_undo(view, seq, note))?;
                return self.act_of(by.unwrap_or_default());
            }
        }
        // What hides and pins is an act of its own kind, the newest there is.
        let newest = self.store.begin()?.act_ids()?.last().copied();
        self.act_of(newest.unwrap_or_default())
    }

    /// Finds an act.
    ///
    /// # Errors
    /// When there is none of that number.
    pub fn act_of(&self, seq: u64) -> Result<StoredAct, MemoryError> {
        let found = self.store.begin()?.act(seq)?;
        found.ok_or_else(|| self.not_found("act", &seq.to_string()))
    }

    /// Lists acts, the newest first.
    ///
    /// # Errors
    /// When the cursor is not ours.
    pub fn acts(&self, page: &PageRequest) -> Result<Page<StoredAct>, MemoryError> {
        let limit = super::page_limit(page.limit);
        let after = super::cursor_parts(page.cursor.as_deref(), 1)?;
        let before: Option<u64> = match after.first() {
            Some(text) => Some(
                text.parse().map_err(|_| MemoryError::invalid("cursor", "is not one we gave"))?,
            ),
            None => None,
        };
        let tx = self.store.begin()?;
        let ids = tx.act_ids()?;
        let mut items = Vec::new();
        let mut next = None;
        for seq in ids.into_iter().rev().filter(|seq| before.is_none_or(|before| *seq < before)) {
            if items.len() == limit {
                next = items
                    .last()
                    .map(|last: &StoredAct| super::cursor(&[&last.row.seq.to_string()]));
                break;
            }
            items.extend(tx.act(seq)?);
        }
        Ok(Page { items, next })
    }

    fn need_fact(&self, tx: &Tx<'_>, id: &FactId) -> Result<Fact, MemoryError> {
        let hidden = tx.hidden_events(None)?;
        let fact = tx.fact(id)?.filter(|fact| !super::facts::is_hidden(fact, &hidden));
        let fact = fact.ok_or_else(|| self.not_found("fact", id.as_str()))?;
        if let Some(at) = fact.retracted_at {
            return Err(MemoryError::Conflict(format!(
                "fact {id} is withdrawn already, since {}",
                crate::model::to_rfc3339(at.0)
            )));
        }
        Ok(fact)
    }

    fn resolve(
        &self,
        view: &PlanView<'_>,
        id: &ConflictId,
        keep: &FactId,
        note: Option<String>,
    ) -> Result<Planned<()>, MemoryError> {
        let conflict = view.tx.conflict(id)?;
        let conflict = conflict.ok_or_else(|| self.not_found("conflict", id.as_str()))?;
        if conflict.resolved_at.is_some() {
            return Err(MemoryError::Conflict(format!("conflict {id} is resolved already")));
        }
        if !conflict.candidates.contains(keep) {
            let ids: Vec<&str> = conflict.candidates.iter().map(FactId::as_str).collect();
            let reason = format!("{keep} is no candidate of {id}; they are {}", ids.join(", "));
            return Err(MemoryError::invalid("keep", reason));
        }
        let targets = vec![format!("conflict:{id}"), format!("fact:{keep}")];
        let mut plan = Plan::new(view, ActKind::Resolve, targets, note)?;
        for candidate in conflict.candidates.iter().filter(|candidate| *candidate != keep) {
            if let Some(fact) = view.tx.fact(candidate)? {
                plan.set_aside_claims_of(&fact)?;
            }
        }
        plan.finish(Reason::Corrected)
    }

    fn retract_fact(
        &self,
        view: &PlanView<'_>,
        id: &FactId,
        note: Option<String>,
    ) -> Result<Planned<()>, MemoryError> {
        let fact = self.need_fact(&view.tx, id)?;
        let mut plan = Plan::new(view, ActKind::Retract, vec![format!("fact:{id}")], note)?;
        plan.set_aside_claims_of(&fact)?;
        plan.finish(Reason::Retracted)
    }

    fn retract_event(
        &self,
        view: &PlanView<'_>,
        id: &EventId,
        note: Option<String>,
    ) -> Result<Planned<()>, MemoryError> {
        if view.tx.event_recorded_at(id)?.is_none() {
            return Err(self.not_found("event", id.as_str()));
        }
        if view.tx.event_weights(id)?.retracted_at.is_some() {
            return Err(MemoryError::Conflict(format!("event {id} is retracted already")));
        }
        let mut plan = Plan::new(view, ActKind::Retract, vec![format!("event:{id}")], note)?;
        plan.row.retracted = Some((id.clone(), true));
        plan.withdrawn.events.insert(id.clone());
        for slot in view.tx.slots_of_event(id)? {
            plan.touch(&slot)?;
        }
        plan.finish(Reason::Retracted)
    }

    fn correct(
        &self,
        view: &PlanView<'_>,
        id: &FactId,
        request: &ActRequest,
        note: Option<String>,
    ) -> Result<Planned<()>, MemoryError> {
        let ActRequest::Correct { value, valid_from, valid_to, .. } = request else {
            return Err(MemoryError::invalid("kind", "is no correction"));
        };
        let fact = self.need_fact(&view.tx, id)?;
        let mut resolver = Resolver::new(&view.tx);
        let new_value = match value {
            Some(text) => corrected_value(&view.tx, &mut resolver, &fact, text)?,
            None => fact.value.clone(),
        };
        let from = valid_from.map_or(fact.valid_from, Some);
        let to = valid_to.map_or(fact.known_end, Some);
        if let (Some(from), Some(to)) = (from, to)
            && from >= to
        {
            let reason = format!("{} is not after its start, {}", to.0, from.0);
            return Err(MemoryError::invalid("valid_to", reason));
        }
        if new_value == fact.value && from == fact.valid_from && to == fact.known_end {
            return Err(MemoryError::invalid(
                "value",
                "nothing would change: give another value, valid_from or valid_to",
            ));
        }
        let mut plan = Plan::new(view, ActKind::Correct, vec![format!("fact:{id}")], note)?;
        plan.set_aside_claims_of(&fact)?;
        plan.entities = resolver.into_changed();
        let now = ValidTime(view.now);
        let claim = SlotClaim {
            event: plan.act(),
            ordinal: 0,
            value: Some(new_value),
            op: ClaimOp::Assert,
            at: from,
            by: from.unwrap_or(now),
            precision: if valid_from.is_some() { Precision::Instant } else { fact.precision },
            stated: true,
            known_end: to,
            planned: fact.planned,
            corrects: false,
            mentioned_at: view.now,
            position: None,
        };
        plan.add(fact.slot.clone(), claim);
        plan.finish(Reason::Corrected)
    }

    fn merge(
        &self,
        view: &PlanView<'_>,
        from: &str,
        into: &str,
        note: Option<String>,
    ) -> Result<Planned<()>, MemoryError> {
        let from = self.find_entity(&view.tx, from)?;
        let into = self.find_entity(&view.tx, into)?;
        if from.id == into.id {
            return Err(MemoryError::Conflict(format!("both are {} already", into.id)));
        }
        let targets = vec![format!("entity:{}", from.id), format!("entity:{}", into.id)];
        let mut plan = Plan::new(view, ActKind::Merge, targets, note)?;
        plan.row.merged = Some((from.id.clone(), Some(into.id.clone())));
        plan.move_claims(&from.id, &into.id, |_| true)?;
        plan.finish(Reason::Refined)
    }

    fn split(
        &self,
        view: &PlanView<'_>,
        entity: &str,
        events: &[EventId],
        into: &EntityRef,
        note: Option<String>,
    ) -> Result<Planned<()>, MemoryError> {
        let from = self.find_entity(&view.tx, entity)?;
        for event in events {
            if view.tx.event_recorded_at(event)?.is_none() {
                return Err(self.not_found("event", event.as_str()));
            }
        }
        let mut resolver = Resolver::new(&view.tx);
        let to = resolver.resolve(into)?;
        let to = to.ok_or_else(|| MemoryError::invalid("into.name", "is empty"))?;
        if to == from.id {
            let reason = format!("{to} is the entity that is to be split");
            return Err(MemoryError::invalid("into", reason));
        }
        let targets = vec![format!("entity:{}", from.id), format!("entity:{to}")];
        let mut plan = Plan::new(view, ActKind::Split, targets, note)?;
        plan.entities = resolver.into_changed();
        let moved = plan.move_claims(&from.id, &to, |claim| events.contains(&claim.event))?;
        if moved.is_empty() {
            let reason = format!("none of them says anything of {}", from.id);
            return Err(MemoryError::invalid("events", reason));
        }
        plan.participants = moved.into_iter().map(|event| (event, vec![to.clone()])).collect();
        plan.finish(Reason::Refined)
    }

    fn plan_undo(
        &self,
        view: &PlanView<'_>,
        seq: u64,
        note: Option<String>,
    ) -> Result<Planned<()>, MemoryError> {
        let stored = view.tx.act(seq)?.ok_or_else(|| self.not_found("act", &seq.to_string()))?;
        if let Some(by) = stored.undone_by {
            return Err(MemoryError::Conflict(format!(
                "act {seq} is undone already, by act {by}; undo that one to do it again"
            )));
        }
        let row = stored.row;
        if let Some(later) = built_upon(&view.tx, &row)? {
            return Err(MemoryError::Conflict(format!(
                "act {later} changed the same claims after act {seq}; undo that one first"
            )));
        }
        let mut plan = Plan::new(view, ActKind::Undo, vec![format!("act:{seq}")], note)?;
        plan.row.undoes = Some(seq);
        for claim in row.added.into_iter().chain(row.brought_back) {
            plan.set_aside(claim)?;
        }
        for claim in row.set_aside {
            plan.bring_back(claim)?;
        }
        if let Some((entity, into)) = row.merged {
            let target = match into {
                Some(_) => None,
                None => view
                    .tx
                    .act(row.undoes.unwrap_or_default())?
                    .and_then(|act| act.row.merged.and_then(|(_, into)| into)),
            };
            plan.row.merged = Some((entity, target));
        }
        if let Some((event, retracted)) = row.retracted {
            if retracted && view.tx.event_weights(&event)?.forgotten_at.is_none() {
                plan.withdrawn.events.remove(&event);
            } else if !retracted {
                plan.withdrawn.events.insert(event.clone());
            }
            for slot in view.tx.slots_of_event(&event)? {
                plan.touch(&slot)?;
            }
            plan.row.retracted = Some((event, !retracted));
        }
        plan.finish(Reason::Retracted)
    }
}

/// A later act in force that touched the same claims.
fn built_upon(tx: &Tx<'_>, row: &ActRow) -> Result<Option<u64>, MemoryError> {
    let claims: BTreeSet<&ClaimRef> =
        row.set_aside.iter().chain(&row.brought_back).chain(&row.added).collect();
    for seq in tx.act_ids()?.into_iter().filter(|seq| *seq > row.seq) {
        let Some(later) = tx.act(seq)? else { continue };
        let in_force = later.undone_by.is_none() && later.row.undoes.is_none();
        let touched = later.row.set_aside.iter().chain(&later.row.brought_back);
        if in_force && touched.into_iter().any(|claim| claims.contains(claim)) {
            return Ok(Some(seq));
        }
    }
    Ok(None)
}

fn checked_note(note: Option<&str>) -> Result<Option<String>, MemoryError> {
    let note = note.map(str::trim).filter(|note| !note.is_empty());
    if note.is_some_and(|note| note.chars().count() > MAX_NOTE_CHARS) {
        let reason = format!("is longer than {MAX_NOTE_CHARS} characters");
        return Err(MemoryError::invalid("note", reason));
    }
    Ok(note.map(str::to_owned))
}

/// Reads a value of the kind that the Fact's property takes.
fn corrected_value(
    tx: &Tx<'_>,
    resolver: &mut Resolver<'_>,
    fact: &Fact,
    text: &str,
) -> Result<FactValue, MemoryError> {
    if text.trim().is_empty() {
        return Err(MemoryError::invalid("value", "is empty"));
    }
    let values = property(&fact.slot.property).map_or(ValueKind::Either, |known| known.values);
    let as_entity = match (values, &fact.value) {
        (ValueKind::Entity, _) | (ValueKind::Either, FactValue::Entity(_)) => true,
        (ValueKind::Date, _) => {
            let day = text.trim().parse().map_err(|_| {
                MemoryError::invalid("value", format!("{text:?} is no date like 2026-05-08"))
            })?;
            return Ok(FactValue::Date(day));
        }
        _ => false,
    };
    if !as_entity {
        return Ok(FactValue::Text(text.trim().to_owned()));
    }
    // An id names its kind; a name alone is of the kind that stands there now.
    if let Some((kind, name)) = text.split_once(':')
        && let Some(kind) = EntityKind::parse(kind)
    {
        let id = resolver.resolve(&EntityRef::new(kind, name))?;
        return id.map(FactValue::Entity).ok_or_else(|| MemoryError::invalid("value", "is empty"));
    }
    let kind = match &fact.value {
        FactValue::Entity(id) => tx.entity(id)?.map_or(EntityKind::Thing, |entity| entity.kind),
        _ => EntityKind::Thing,
    };
    let id = resolver.resolve(&EntityRef::new(kind, text))?;
    id.map(FactValue::Entity).ok_or_else(|| MemoryError::invalid("value", "is empty"))
}
