//! Events with what is recorded beside them.

use super::caches::EventPlace;
use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::{AsOf, EventCard, EventFilter, Page};
use crate::decay::{self, Standing};
use crate::model::{
    Basis, Closing, Criticality, Event, EventId, EventStatus, RelationKind, TxTime, ValidTime,
};
use crate::store::{EventWeights, StoredEvent, Tx};
use chrono::{DateTime, Utc};
use std::collections::{BTreeSet, HashSet};

impl Namespace {
    /// Builds an Event's card as seen from a point on both clocks.
    pub(super) fn event_card(
        &self,
        tx: &Tx<'_>,
        stored: StoredEvent,
        as_of: AsOf,
        forgotten: &HashSet<EventId>,
        turns: u64,
    ) -> Result<EventCard, MemoryError> {
        let id = stored.event.id.clone();
        let weights = tx.event_weights(&id)?;
        let superseded = superseding(tx, &id, as_of, ValidTime(self.now()), forgotten)?;
        let conflicts_with = conflicting(tx, &stored, as_of.known_at, forgotten)?;
        let card = EventCard {
            weight: weight_of(stored.event.criticality, weights, superseded.entirely, turns),
            adoptions: weights.adoptions,
            superseded_by: superseded.by,
            conflicts_with,
            pinned: weights.pinned,
            forgotten: weights.forgotten_at.is_some(),
            retracted_at: weights.retracted_at.map(TxTime),
            recorded_at: stored.recorded_at,
            revision: stored.revision,
            event: stored.event,
        };
        Ok(card)
    }

    /// Finds an Event, as seen from a point on both clocks.
    ///
    /// # Errors
    /// When there is none of that id, or it was not known then; a forgotten one is found, and
    /// says so.
    pub fn event(&self, id: &EventId, as_of: AsOf) -> Result<EventCard, MemoryError> {
        let tx = self.store.begin()?;
        let known = |stored: &StoredEvent| as_of.known_at.is_none_or(|at| stored.recorded_at <= at);
        let stored =
            tx.event(id)?.filter(known).ok_or_else(|| self.not_found("event", id.as_str()))?;
        let forgotten = tx.forgotten_events()?;
        let turns = self.turns();
        self.event_card(&tx, stored, as_of, &forgotten, turns)
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
        let forgotten = tx.hidden_events(filter.as_of.known_at)?;
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
            items.push(self.event_card(&tx, stored, filter.as_of, &forgotten, turns)?);
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
        && filter.as_of.known_at.is_none_or(|known| row.recorded_at <= known.0)
        && overlaps()
}

/// What replaced an Event.
pub(super) struct Superseded {
    /// The Events that did.
    pub by: Vec<EventId>,
    /// Whether nothing that it said still holds.
    pub entirely: bool,
}

/// Whether what an Event tells had begun by a time: a plan begins when it is spoken of.
pub(super) fn had_begun(event: &Event, valid_at: ValidTime) -> bool {
    let begun = match event.status {
        EventStatus::Occurred | EventStatus::Ongoing => occurred_at(event),
        _ => event.mentioned_at.utc,
    };
    begun <= valid_at.0
}

/// Where an Event stands on a timeline: at the words' own time, or where they give none at the
/// mention rather than at the first instant of its day.
pub(super) fn occurred_at(event: &Event) -> DateTime<Utc> {
    match event.occurred.from {
        Some(from) if event.occurred.basis != Basis::Inferred => from,
        _ => event.mentioned_at.utc,
    }
}

/// Finds the Events that replaced something an Event said: by a rule that closed one of its
/// Facts, or by their own words. Forgotten Events replace nothing, and an end that is still to
/// come has replaced nothing yet; a plan that was replaced is over for good.
pub(super) fn superseding(
    tx: &Tx<'_>,
    id: &EventId,
    as_of: AsOf,
    now: ValidTime,
    forgotten: &HashSet<EventId>,
) -> Result<Superseded, MemoryError> {
    let (known_at, valid_at) = (as_of.known_at, as_of.valid_at.unwrap_or(now));
    let mut by: BTreeSet<EventId> = BTreeSet::new();
    let (mut holding, mut stated) = (0, false);
    for fact in tx.facts_resting_on(id)? {
        let Some(fact) = tx.fact(&fact)? else { continue };
        stated = true;
        let gone = fact.retracted_at.is_some_and(|at| known_at.is_none_or(|known| at <= known));
        let in_force = |closing: &&Closing| fact.planned || closing.valid_to <= valid_at;
        match fact.closing(known_at).filter(in_force) {
            Some(closing) if closing.cause != *id => {
                by.insert(closing.cause.clone());
            }
            Some(_) => {}
            None if gone => {}
            None => holding += 1,
        }
    }
    for later in tx.events_related_to(RelationKind::Supersedes, id)? {
        let Some(stored) = tx.event(&later)? else { continue };
        let known = known_at.is_none_or(|at| stored.recorded_at <= at);
        if known && as_of.valid_at.is_none_or(|at| had_begun(&stored.event, at)) {
            by.insert(later);
        }
    }
    by.retain(|event| !forgotten.contains(event));
    if by.is_empty() && holding == 0 && stated {
        // An operator took back what it said.
        by.extend(tx.act_against(id)?.map(EventId::of_act));
    }
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
    // What was taken back weighs as little as what was forgotten.
    let forgotten = weights.forgotten_at.is_some() || weights.retracted_at.is_some();
    let standing = Standing { superseded, pinned: weights.pinned, forgotten };
    decay::event_weight(
        turns.saturating_sub(weights.anchor_turn),
        weights.adoptions,
        criticality,
        standing,
    )
}
