//! The graph job: from the claims of a Block's Events to Facts. Engines proposed; here the rules
//! decide.

use super::change::{Change, JobRun, PlacedChange, PlacedClaim};
use super::error::MemoryError;
use super::slots::{SlotCache, SlotContents};
use crate::extract::RejectedItem;
use crate::model::{
    BlockId, Claim, ClaimOp, ClaimValue, Entity, EntityId, EntityKind, EntityRef, Event,
    EventStatus, FactValue, Slot, SlotId, TxTime, normalise_name, property,
};
use crate::store::{Tx, Withdrawn};
use crate::temporal::{self, SlotClaim};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Returns the Events of a Block in the order of their mention.
pub fn events_of_block(tx: &Tx<'_>, block: &BlockId) -> Result<Vec<Event>, MemoryError> {
    let mut events = Vec::new();
    for id in tx.events_of_block(block)? {
        events.extend(tx.event(&id)?.map(|stored| stored.event));
    }
    events.sort_by(|a, b| (a.mentioned_at.utc, &a.id).cmp(&(b.mentioned_at.utc, &b.id)));
    Ok(events)
}

/// Plans the projection of some Events of a Block from a snapshot that has every change of the
/// graph so far.
pub fn plan(
    tx: &Tx<'_>,
    slots: &mut SlotCache,
    events: &[Event],
    now: DateTime<Utc>,
    run: JobRun,
) -> Result<Change, MemoryError> {
    let mut resolver = Resolver::new(tx);
    let mut claims = Vec::new();
    let mut participants = Vec::new();
    let mut rejected = Vec::new();
    for event in events {
        let mut taking_part: BTreeSet<EntityId> = BTreeSet::new();
        for entity in &event.participants {
            taking_part.extend(resolver.resolve(entity)?);
        }
        let index = first_position(tx, event)?;
        for (ordinal, claim) in event.claims.iter().enumerate() {
            match place(event, ordinal, claim, index, &mut resolver)? {
                Ok(placed) => {
                    taking_part.insert(placed.slot.entity.clone());
                    if let Some(FactValue::Entity(value)) = &placed.claim.value {
                        taking_part.insert(value.clone());
                    }
                    claims.push(placed);
                }
                Err(reason) => rejected.push(RejectedItem {
                    item: format!(
                        "{} {} of event {}",
                        claim.subject.name, claim.property, event.id
                    ),
                    reason,
                }),
            }
        }
        participants.push((event.id.clone(), taking_part.into_iter().collect()));
    }
    let entities = resolver.into_changed();
    let changes = changes(tx, slots, &claims, TxTime(now))?;
    let partial = false;
    Ok(Change::Projected { run, entities, participants, claims, changes, rejected, partial })
}

fn first_position(tx: &Tx<'_>, event: &Event) -> Result<Option<u64>, MemoryError> {
    let Some(first) = event.sources.first() else { return Ok(None) };
    Ok(tx.message(&event.thread, first)?.map(|stored| stored.position))
}

/// Finds the Slot and value of a claim, or says why it is not kept.
fn place(
    event: &Event,
    ordinal: usize,
    claim: &Claim,
    index: Option<u64>,
    resolver: &mut Resolver<'_>,
) -> Result<Result<PlacedClaim, String>, MemoryError> {
    let Some(property) = property(&claim.property) else {
        return Ok(Err(format!("the property {:?} is not known", claim.property)));
    };
    let Some(claim) = held_to_its_event(event, claim) else {
        let status = event.status.as_str();
        return Ok(Err(format!("a {status} event states nothing that holds")));
    };
    let Some(subject) = resolver.resolve(&claim.subject)? else {
        return Ok(Err("its subject has no name".to_owned()));
    };
    let value = match &claim.value {
        ClaimValue::Entity(entity) => match resolver.resolve(entity)? {
            Some(id) => Some(FactValue::Entity(id)),
            None => return Ok(Err("its value has no name".to_owned())),
        },
        ClaimValue::Text(text) if text.trim().is_empty() => {
            return Ok(Err("its value is empty".to_owned()));
        }
        ClaimValue::Text(text) => Some(FactValue::Text(text.clone())),
        ClaimValue::Date(day) => Some(FactValue::Date(*day)),
        ClaimValue::Any if claim.op == ClaimOp::End => None,
        ClaimValue::Any => return Ok(Err("it asserts no value".to_owned())),
    };
    let slot = Slot {
        entity: subject,
        property: property.name.to_owned(),
        qualifier: claim.qualifier.as_deref().map(normalise_name).filter(|q| !q.is_empty()),
    };
    let claim = SlotClaim::from_claim(event, ordinal, &claim, value, index);
    Ok(Ok(PlacedClaim { slot, claim }))
}

/// Properties that a plan may set at once: who does it and by when are decided, even though the
/// thing itself is not done.
const SET_BY_PLANS: [&str; 6] =
    ["owner", "deadline", "date", "start_date", "end_date", "recipient"];

/// Holds a claim to what its Event asserts: a plan is not a fact, and what was cancelled, denied
/// or refused never was one.
fn held_to_its_event(event: &Event, claim: &Claim) -> Option<Claim> {
    let mut claim = claim.clone();
    match event.status {
        EventStatus::Occurred | EventStatus::Ongoing | EventStatus::Unknown => Some(claim),
        EventStatus::Planned => {
            let may_hold = SET_BY_PLANS.contains(&claim.property.as_str());
            claim.planned |= !may_hold;
            Some(claim)
        }
        EventStatus::Tentative => {
            claim.planned = true;
            Some(claim)
        }
        // That something is off is itself a state ("not booked, dropped"); an end stays an end.
        EventStatus::Cancelled | EventStatus::Negated | EventStatus::Rejected => {
            (claim.op == ClaimOp::End || claim.property == "status").then_some(claim)
        }
    }
}

/// Folds every touched Slot with its new claims and says what has to be recorded.
fn changes(
    tx: &Tx<'_>,
    kept: &mut SlotCache,
    new: &[PlacedClaim],
    now: TxTime,
) -> Result<Vec<PlacedChange>, MemoryError> {
    let withdrawn = tx.withdrawn()?;
    let mut slots: BTreeMap<SlotId, (&Slot, Vec<&SlotClaim>)> = BTreeMap::new();
    for placed in new {
        slots
            .entry(placed.slot.id())
            .or_insert_with(|| (&placed.slot, Vec::new()))
            .1
            .push(&placed.claim);
    }
    let mut changes = Vec::new();
    for (_, (slot, claims)) in slots {
        let contents = kept.get(tx, &slot.id())?;
        let change = slot_change(contents, slot, &claims, &withdrawn, now);
        if !change.is_empty() {
            changes.push(PlacedChange { slot: slot.clone(), change });
        }
    }
    Ok(changes)
}

/// Folds one Slot: its stored claims that count, and new ones.
pub(super) fn slot_change(
    contents: &SlotContents,
    slot: &Slot,
    new: &[&SlotClaim],
    withdrawn: &Withdrawn,
    now: TxTime,
) -> temporal::SlotChange {
    let mut claims = contents.claims.clone();
    claims.extend(new.iter().map(|claim| (*claim).clone()));
    claims.retain(|claim| withdrawn.keeps(claim));
    claims.sort_by(|a, b| (&a.event, a.ordinal).cmp(&(&b.event, b.ordinal)));
    claims.dedup_by(|a, b| a.event == b.event && a.ordinal == b.ordinal);
    let functional = property(&slot.property).is_some_and(|property| property.functional);
    let folded = temporal::fold(functional, &claims);
    temporal::reconcile(slot, &folded, &contents.facts, &contents.conflicts, now)
}

/// Finds the entity that a name means, or makes one.
pub(super) struct Resolver<'a> {
    tx: &'a Tx<'a>,
    known: BTreeMap<EntityId, Entity>,
    changed: BTreeSet<EntityId>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(tx: &'a Tx<'a>) -> Self {
        Self { tx, known: BTreeMap::new(), changed: BTreeSet::new() }
    }

    pub(super) fn resolve(&mut self, entity: &EntityRef) -> Result<Option<EntityId>, MemoryError> {
        let key = normalise_name(&entity.name);
        if key.is_empty() {
            return Ok(None);
        }
        let id = if let Some(id) = self.find(entity, &key)? {
            id
        } else {
            let id = entity.id();
            let new = Entity {
                id: id.clone(),
                kind: entity.kind,
                label: entity.name.trim().to_owned(),
                aliases: Vec::new(),
            };
            self.known.insert(id.clone(), new);
            self.changed.insert(id.clone());
            id
        };
        self.add_names(&id, entity);
        // Since an operator's merge the name means the other one.
        Ok(Some(self.tx.standing_for(&id)?))
    }

    /// Exact match on kind and normalised name or alias. A thing of no particular kind is the one
    /// entity of that name, if there is just one.
    fn find(&mut self, entity: &EntityRef, key: &str) -> Result<Option<EntityId>, MemoryError> {
        let id = entity.id();
        if self.known.contains_key(&id) {
            return Ok(Some(id));
        }
        let mut named = self.tx.entities_named(key)?;
        for known in self.known.values() {
            let names = std::iter::once(&known.label).chain(&known.aliases);
            if names.into_iter().any(|name| normalise_name(name) == key)
                && !named.contains(&known.id)
            {
                named.push(known.id.clone());
            }
        }
        for id in &named {
            if !self.known.contains_key(id)
                && let Some(stored) = self.tx.entity(id)?
            {
                self.known.insert(id.clone(), stored);
            }
        }
        if named.contains(&id) {
            return Ok(Some(id));
        }
        let same_kind: Vec<&EntityId> = named
            .iter()
            .filter(|id| self.known.get(*id).is_some_and(|known| known.kind == entity.kind))
            .collect();
        Ok(match (same_kind.as_slice(), named.as_slice()) {
            ([one], _) => Some((*one).clone()),
            ([], [one]) if entity.kind == EntityKind::Thing => Some(one.clone()),
            _ => None,
        })
    }

    /// Keeps spellings that the entity is not known by yet.
    fn add_names(&mut self, id: &EntityId, entity: &EntityRef) {
        let Some(known) = self.known.get_mut(id) else { return };
        let mut keys: HashSet<String> = std::iter::once(&known.label)
            .chain(&known.aliases)
            .map(|name| normalise_name(name))
            .collect();
        for name in std::iter::once(&entity.name).chain(&entity.aliases) {
            let name = name.trim();
            let key = normalise_name(name);
            if !key.is_empty() && keys.insert(key) {
                known.aliases.push(name.to_owned());
                self.changed.insert(id.clone());
            }
        }
    }

    pub(super) fn into_changed(self) -> Vec<Entity> {
        let Self { mut known, changed, .. } = self;
        changed.iter().filter_map(|id| known.remove(id)).collect()
    }
}
