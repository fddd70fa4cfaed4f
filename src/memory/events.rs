//! Events with what is recorded beside them.

use super::caches::EventPlace;
use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::{EventCard, EventFilter, Page};
use crate::decay::{self, Standing};
use crate::model::{Criticality, EventId, RelationKind, TxTime};
use crate::store::{EventWeights, StoredEvent, Tx};
use chrono::{DateTime, Utc};
use std::collections::{BTreeSet, HashSet};

impl Namespace {
    /// Builds an Event's card as known at a time.
    pub(super) fn event_card(
        tx: &Tx<'_>,
        stored: StoredEvent,
        known_at: Option<TxTime>,
        forgotten: &HashSet<EventId>,
        turns: u64,
    ) -> Result<EventCard, MemoryError> {
        let id = stored.event.id.clone();
        let weights = tx.event_weights(&id)?;
        let superseded = superseding(tx, &id, known_at, forgotten)?;
        let conflicts_with = conflicting(tx, &stored, known_at, forgotten)?;
        let card = EventCard {
            weight: weight_of(stored.event.criticality, weights, superseded.entirely, turns),
            adoptions: weights.adoptions,
            superseded_by: superseded.by,
            conflicts_with,
            pinned: weights.pinned,
            forgotten: weights.forgotten_at.is_some(),
            recorded_at: stored.recorded_at,
            revision: stored.revision,
            event: stored.event,
        };
        Ok(card)
    }

    /// Finds an Event.
    ///
    /// # Errors
    /// When there is none of that id; a forgotten one is found, and says so.
    pub fn event(&self, id: &EventId) -> Result<EventCard, MemoryError> {
        let tx = self.store.begin()?;
        let stored = tx.event(id)?.ok_or_else(|| self.not_found("event", id.as_str()))?;
        let forgotten = tx.forgotten_events()?;
        let turns = self.turns();
        Self::event_card(&tx, stored, None, &forgotten, turns)
    }

    /// Lists Events, oldest mention first.
    ///
    /// # Errors
    /// When a range is reversed or the cursor is not ours.
    pub fn events(&self, filter: &EventFilter) -> Result<Page<EventCard>, MemoryError> {
        check_range("from", filter.from, filter.to)?;
        check_range("mentioned_from", filter.mentioned_from, filter.mentioned_to)?;
        let limit = super::page_limit(filter.page.limit);
        let after = match super::cursor_parts(filter.page.cursor.as_deref(), 2)?.as_slice() {
            [at, id] => {
                let at = DateTime::parse_from_rfc3339(at)
                    .map_err(|_| MemoryError::invalid("cursor", "is not one we gave"))?;
                Some((at.with_timezone(&Utc), EventId(id.clone())))
            }
            _ => None,
        };
        let tx = self.store.begin()?;
        let forgotten = tx.forgotten_events()?;
        let turns = self.turns();
        let of_entity = match &filter.entity {
            None => None,
            Some(entity) => Some(tx.events_of_entity(entity)?),
        };
        let mut places: Vec<EventPlace> = self.with_events(|index| {
            index
                .rows_after(after)
                .filter(|row| matches(filter, row))
                .filter(|row| of_entity.as_ref().is_none_or(|events| events.contains(&row.id)))
                .filter(|row| filter.include_forgotten || !forgotten.contains(&row.id))
                .take(limit + 1)
                .map(|row| (row.mentioned_at, row.id.clone()))
                .collect()
        })?;
        let more = places.len() > limit;
        places.truncate(limit);
        let next = places.last().filter(|_| more).map(|(at, id)| {
            let at = at.to_rfc3339_opts(chrono::SecondsFormat::Nanos, true);
            super::cursor(&[&at, id.as_str()])
        });
        let mut items = Vec::with_capacity(places.len());
        for (_, id) in places {
            // The index may be ahead of the snapshot by an Event.
            let Some(stored) = tx.event(&id)? else { continue };
            items.push(Self::event_card(&tx, stored, filter.known_at, &forgotten, turns)?);
        }
        Ok(Page { items, next })
    }
}

fn check_range(
    field: &str,
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
) -> Result<(), MemoryError> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(MemoryError::invalid(
            field,
            format!("the range is reversed: it begins {from} and ends {to}"),
        )),
        _ => Ok(()),
    }
}

fn matches(filter: &EventFilter, row: &super::caches::EventRow) -> bool {
    let overlaps = || {
        if filter.from.is_none() && filter.to.is_none() {
            return true;
        }
        // An unknown time is in no range; an open end reaches on.
        if row.from.is_none() && row.to.is_none() {
            return false;
        }
        let begins_before = filter.to.is_none_or(|to| row.from.is_none_or(|from| from < to));
        let ends_after = filter.from.is_none_or(|from| row.to.is_none_or(|to| to > from));
        begins_before && ends_after
    };
    filter.kind.is_none_or(|kind| kind == row.kind)
        && filter.status.is_none_or(|status| status == row.status)
        && filter.thread.as_ref().is_none_or(|thread| *thread == row.thread)
        && filter.mentioned_from.is_none_or(|from| row.mentioned_at >= from)
        && filter.mentioned_to.is_none_or(|to| row.mentioned_at < to)
        && filter.known_at.is_none_or(|known| row.recorded_at <= known.0)
        && overlaps()
}

/// What replaced an Event.
pub(super) struct Superseded {
    /// The Events that did.
    pub by: Vec<EventId>,
    /// Whether nothing that it said still holds.
    pub entirely: bool,
}

/// Finds the Events that replaced something an Event said: by a rule that closed one of its
/// Facts, or by their own words. Forgotten Events replace nothing.
pub(super) fn superseding(
    tx: &Tx<'_>,
    id: &EventId,
    known_at: Option<TxTime>,
    forgotten: &HashSet<EventId>,
) -> Result<Superseded, MemoryError> {
    let mut by: BTreeSet<EventId> = BTreeSet::new();
    let mut holding = 0;
    for fact in tx.facts_resting_on(id)? {
        let Some(fact) = tx.fact(&fact)? else { continue };
        let gone = fact.retracted_at.is_some_and(|at| known_at.is_none_or(|known| at <= known));
        match fact.closing(known_at) {
            Some(closing) if closing.cause != *id => {
                by.insert(closing.cause.clone());
            }
            Some(_) => {}
            None if gone => {}
            None => holding += 1,
        }
    }
    for later in tx.events_related_to(RelationKind::Supersedes, id)? {
        let known = tx.event_recorded_at(&later)?;
        if known_at.is_none_or(|at| known.is_some_and(|recorded| recorded <= at)) {
            by.insert(later);
        }
    }
    by.retain(|event| !forgotten.contains(event));
    let entirely = !by.is_empty() && holding == 0;
    Ok(Superseded { by: by.into_iter().collect(), entirely })
}

/// Finds the Events that contradict an Event: both sides carry an open conflict.
fn conflicting(
    tx: &Tx<'_>,
    stored: &StoredEvent,
    known_at: Option<TxTime>,
    forgotten: &HashSet<EventId>,
) -> Result<Vec<EventId>, MemoryError> {
    let id = &stored.event.id;
    let mut with: BTreeSet<EventId> = BTreeSet::new();
    for fact in tx.facts_resting_on(id)? {
        for conflict in tx.conflicts_with(&fact)? {
            let open = match known_at {
                None => conflict.resolved_at.is_none(),
                Some(at) => {
                    conflict.recorded_at <= at && conflict.resolved_at.is_none_or(|gone| gone > at)
                }
            };
            if !open {
                continue;
            }
            let mut sides = Vec::new();
            for candidate in &conflict.candidates {
                sides.extend(tx.fact(candidate)?.map(|fact| fact.events));
            }
            if sides.iter().any(|events| events.contains(id)) {
                with.extend(sides.into_iter().filter(|events| !events.contains(id)).flatten());
            }
        }
    }
    let own = stored.event.relations.iter().filter(|r| r.kind == RelationKind::ConflictsWith);
    with.extend(own.map(|relation| relation.target.clone()));
    with.extend(tx.events_related_to(RelationKind::ConflictsWith, id)?);
    with.retain(|event| !forgotten.contains(event));
    Ok(with.into_iter().collect())
}

/// Returns an Event's present weight.
pub(super) fn weight_of(
    criticality: Criticality,
    weights: EventWeights,
    superseded: bool,
    turns: u64,
) -> f64 {
    let standing =
        Standing { superseded, pinned: weights.pinned, forgotten: weights.forgotten_at.is_some() };
    decay::event_weight(
        turns.saturating_sub(weights.anchor_turn),
        weights.adoptions,
        criticality,
        standing,
    )
}
