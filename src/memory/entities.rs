//! Entities: finding them, and their state.

use super::error::MemoryError;
use super::facts::SlotView;
use super::namespace::Namespace;
use super::types::{AsOf, EntityFilter, EntityState, EntityView, FactCard, Page};
use crate::model::{
    Entity, EntityId, EntityKind, EventId, FactStatus, TxTime, ValidTime, normalise_name,
};
use crate::store::Tx;
use crate::temporal;
use std::collections::HashSet;

/// Most superseded Facts that an entity's state shows; the timeline has all of them.
const MAX_SUPERSEDED: usize = 500;

impl Namespace {
    /// Finds an entity by id, IRI, or a name that only one entity has; of a merged one, the one
    /// that it stands for.
    pub(super) fn find_entity(&self, tx: &Tx<'_>, asked: &str) -> Result<Entity, MemoryError> {
        let found = self.find_named(tx, asked)?;
        let id = tx.standing_for(&found.id)?;
        if id == found.id {
            return Ok(found);
        }
        tx.entity(&id)?.ok_or_else(|| self.not_found("entity", id.as_str()))
    }

    fn find_named(&self, tx: &Tx<'_>, asked: &str) -> Result<Entity, MemoryError> {
        let id = tx.names.id_of("entity", asked).unwrap_or_else(|| asked.to_owned());
        if let Some(entity) = tx.entity(&EntityId(id))? {
            return Ok(entity);
        }
        // An id written with another spelling of the name is still that entity's.
        if let Some((kind, name)) = asked.split_once(':')
            && EntityKind::parse(kind).is_some()
        {
            let id = EntityId(format!("{kind}:{}", normalise_name(name)));
            if let Some(entity) = tx.entity(&id)? {
                return Ok(entity);
            }
        }
        let mut named = Vec::new();
        for id in tx.entities_named(&normalise_name(asked))? {
            named.push(tx.standing_for(&id)?);
        }
        named.sort();
        named.dedup();
        match named.as_slice() {
            [] => Err(self.not_found("entity", asked)),
            [one] => tx.entity(one)?.ok_or_else(|| self.not_found("entity", asked)),
            several => {
                let ids: Vec<&str> = several.iter().map(EntityId::as_str).collect();
                Err(MemoryError::Conflict(format!(
                    "{asked:?} names {} entities: {}; use one of these ids",
                    several.len(),
                    ids.join(", ")
                )))
            }
        }
    }

    /// Lists entities, by id.
    ///
    /// # Errors
    /// When the cursor is not ours.
    pub fn entities(&self, filter: &EntityFilter) -> Result<Page<Entity>, MemoryError> {
        let limit = super::page_limit(filter.page.limit);
        let after = super::cursor_parts(filter.page.cursor.as_deref(), 1)?.into_iter().next();
        let wanted = filter.q.as_deref().map(normalise_name).filter(|key| !key.is_empty());
        let tx = self.store.begin()?;
        let forgotten = tx.hidden_events(filter.known_at)?;
        let mut items = Vec::new();
        let mut next = None;
        for id in tx.entity_ids()? {
            if after.as_deref().is_some_and(|after| id.as_str() <= after) {
                continue;
            }
            let prefix = filter.kind.map(|kind| format!("{}:", kind.as_str()));
            if prefix.is_some_and(|prefix| !id.as_str().starts_with(&prefix)) {
                continue;
            }
            let Some(entity) = tx.entity(&id)? else { continue };
            // It stands for another one, which is listed.
            if tx.standing_for(&id)? != id {
                continue;
            }
            let fits = wanted.as_ref().is_none_or(|wanted| {
                std::iter::once(&entity.label)
                    .chain(&entity.aliases)
                    .any(|name| normalise_name(name).contains(wanted))
            });
            if !fits || !Self::is_shown(&tx, &id, filter.known_at, &forgotten)? {
                continue;
            }
            if items.len() == limit {
                next = items.last().map(|last: &Entity| super::cursor(&[last.id.as_str()]));
                break;
            }
            items.push(entity);
        }
        Ok(Page { items, next })
    }

    /// Whether an entity was known by a time from an Event that is not forgotten. One that no Event
    /// speaks of is always shown.
    pub(super) fn is_shown(
        tx: &Tx<'_>,
        id: &EntityId,
        known_at: Option<TxTime>,
        forgotten: &HashSet<EventId>,
    ) -> Result<bool, MemoryError> {
        if known_at.is_none() && forgotten.is_empty() {
            return Ok(true);
        }
        let events = tx.events_of_entity(id)?;
        for event in events.iter().filter(|event| !forgotten.contains(*event)) {
            let recorded = tx.event_recorded_at(event)?;
            if known_at.is_none_or(|at| recorded.is_some_and(|recorded| recorded <= at)) {
                return Ok(true);
            }
        }
        Ok(events.is_empty())
    }

    /// Returns what an entity's Facts say from a point on both clocks, all of it or a page of its
    /// Slots.
    ///
    /// # Errors
    /// When there is no such entity, or several of that name, or the cursor is not ours.
    pub fn entity(
        &self,
        asked: &str,
        as_of: AsOf,
        view: &EntityView,
    ) -> Result<EntityState, MemoryError> {
        let after = super::cursor_parts(view.cursor.as_deref(), 1)?.into_iter().next();
        let tx = self.store.begin()?;
        let entity = self.find_entity(&tx, asked)?;
        let forgotten = tx.hidden_events(as_of.known_at)?;
        let now = ValidTime(self.now());
        let mut state = EntityState {
            entity: entity.clone(),
            current: Vec::new(),
            superseded: Vec::new(),
            conflicts: Vec::new(),
            planned: Vec::new(),
            next: None,
        };
        let mut slots = tx.slots_of(&entity.id)?;
        slots.sort();
        slots.retain(|slot| after.as_deref().is_none_or(|after| slot.as_str() > after));
        if let Some(limit) = view.slots.map(|slots| super::page_limit(Some(slots)))
            && slots.len() > limit
        {
            slots.truncate(limit);
            state.next = slots.last().map(|last| super::cursor(&[last.as_str()]));
        }
        let present_only = view.present_only;
        for slot in slots {
            let read = if present_only {
                SlotView::read_for(&tx, &slot, &forgotten, as_of)?
            } else {
                SlotView::read(&tx, &slot, &forgotten, as_of.known_at)?
            };
            let Some(view) = read else { continue };
            let slot_state = view.state(as_of, now);
            let valid_at = as_of.valid_at.unwrap_or(now);
            let card = |fact, status| {
                let certainty = temporal::certainty(fact, valid_at, as_of.known_at);
                let card = Self::fact_card(&tx, fact, status, as_of)?;
                Ok::<_, MemoryError>(FactCard { certainty: Some(certainty), ..card })
            };
            for fact in &slot_state.current {
                state.current.push(card(fact, FactStatus::Current)?);
            }
            let ended = slot_state.superseded.iter().chain(&slot_state.corrected);
            for fact in ended.filter(|_| !present_only) {
                state.superseded.push(card(fact, FactStatus::Superseded)?);
            }
            for fact in &slot_state.planned {
                state.planned.push(card(fact, FactStatus::Planned)?);
            }
            // What has not begun is still to come only when asked about now: seen from an earlier
            // day, a state that has come about since was no plan.
            if as_of.valid_at.is_none() {
                for fact in &slot_state.upcoming {
                    state.planned.push(card(fact, FactStatus::Planned)?);
                }
            }
            state.conflicts.extend(Self::conflict_cards(&tx, &view, &slot_state.conflict, as_of)?);
        }
        let by_property = |a: &super::types::FactCard, b: &super::types::FactCard| {
            let key = |card: &super::types::FactCard| {
                let slot = &card.fact.slot;
                (slot.property.clone(), slot.qualifier.clone(), card.value_label.clone())
            };
            key(a).cmp(&key(b))
        };
        state.current.sort_by(by_property);
        state.planned.sort_by(by_property);
        // The latest to end comes first.
        state.superseded.sort_by(|a, b| (b.valid_to, &a.fact.id).cmp(&(a.valid_to, &b.fact.id)));
        state.superseded.truncate(MAX_SUPERSEDED);
        Ok(state)
    }
}
