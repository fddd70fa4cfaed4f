//! What happened to an entity, oldest first.
//!
//! A long history is placed whole but put into words only where the page shows it: labels and
//! sentences cost more than places.

use super::error::MemoryError;
use super::events::occurred_at;
use super::facts::{SlotView, sentence};
use super::namespace::Namespace;
use super::types::{AsOf, Page, PageRequest, TimelineEntry};
use crate::model::{Entity, EventId, Fact, FactStatus, ValidTime, to_rfc3339};
use crate::store::{StoredEvent, Tx};
use crate::temporal;
use chrono::{DateTime, SecondsFormat, Utc};
use std::collections::HashSet;

/// An entry that is not yet put into words.
struct Moment<'v> {
    at: DateTime<Utc>,
    what: &'static str,
    of: Of<'v>,
}

enum Of<'v> {
    Fact(&'v Fact, FactStatus),
    Event(EventId),
}

/// Where an Event stands on a timeline.
struct Place {
    id: EventId,
    at: DateTime<Utc>,
    recorded: DateTime<Utc>,
}

impl Moment<'_> {
    /// Where it stands among all of its timeline. No two entries share the id of what they are
    /// about and what became of it.
    fn place(&self) -> (DateTime<Utc>, &'static str, &str) {
        let id = match &self.of {
            Of::Fact(fact, _) => fact.id.as_str(),
            Of::Event(id) => id.as_str(),
        };
        (self.at, self.what, id)
    }

    /// The place as texts that sort as it does.
    fn cursor(&self) -> [String; 3] {
        let (at, what, id) = self.place();
        [at.to_rfc3339_opts(SecondsFormat::Nanos, true), what.to_owned(), id.to_owned()]
    }
}

impl Namespace {
    /// Returns what happened to an entity, oldest first.
    ///
    /// # Errors
    /// When there is no such entity, or several of that name, or the cursor is not ours.
    pub fn timeline(
        &self,
        asked: &str,
        as_of: AsOf,
        page: &PageRequest,
    ) -> Result<(Entity, Page<TimelineEntry>), MemoryError> {
        let limit = super::page_limit(page.limit);
        let after = super::cursor_parts(page.cursor.as_deref(), 3)?;
        let tx = self.store.begin()?;
        let entity = self.find_entity(&tx, asked)?;
        let forgotten = tx.hidden_events(as_of.known_at)?;
        let now = ValidTime(self.now());
        let mut views = Vec::new();
        for slot in tx.slots_of(&entity.id)? {
            views.extend(SlotView::read(&tx, &slot, &forgotten, as_of.known_at)?);
        }
        let mut moments = Vec::new();
        for view in &views {
            moments_of_slot(view, as_of, now, &mut moments);
        }
        let mut events = tx.events_of_entity(&entity.id)?;
        events.retain(|id| !forgotten.contains(id));
        for Place { id, at, recorded } in self.places_of_events(&tx, &events)? {
            if as_of.known_at.is_none_or(|known_at| recorded <= known_at.0) {
                moments.push(Moment { at, what: "event", of: Of::Event(id) });
            }
        }
        if let Some(valid_at) = as_of.valid_at {
            moments.retain(|moment| moment.at <= valid_at.0);
        }
        moments.sort_by(|a, b| a.place().cmp(&b.place()));
        if !after.is_empty() {
            let first = moments.partition_point(|moment| moment.cursor().as_slice() <= &after[..]);
            moments.drain(..first);
        }
        let more = moments.len() > limit;
        moments.truncate(limit);
        let last = moments.last().filter(|_| more).map(Moment::cursor);
        let next = last.map(|[at, what, id]| super::cursor(&[&at, &what, &id]));
        let mut items = Vec::with_capacity(moments.len());
        for moment in moments {
            items.extend(entry(&tx, moment, as_of)?);
        }
        Ok((entity, Page { items, next }))
    }

    /// Where Events stand on a timeline, and when they were recorded: from the Event index, which
    /// need not read them. One that was recorded after `tx` began is not there yet for it.
    fn places_of_events(
        &self,
        tx: &Tx<'_>,
        events: &HashSet<EventId>,
    ) -> Result<Vec<Place>, MemoryError> {
        let indexed = self.with_events_if_loaded(|index| {
            let row = |id: &EventId| index.get(id).map(|row| (row.occurred_at, row.recorded_at));
            events.iter().map(row).collect::<Vec<_>>()
        });
        let indexed = indexed.unwrap_or_else(|| vec![None; events.len()]);
        let mut places = Vec::with_capacity(events.len());
        for (id, row) in events.iter().zip(indexed) {
            if let Some((at, recorded)) = row {
                places.push(Place { id: id.clone(), at, recorded });
            } else if let Some(StoredEvent { event, recorded_at, .. }) = tx.event(id)? {
                let (at, recorded) = (occurred_at(&event), recorded_at.0);
                places.push(Place { id: id.clone(), at, recorded });
            }
        }
        Ok(places)
    }
}

fn moments_of_slot<'v>(
    view: &'v SlotView,
    as_of: AsOf,
    now: ValidTime,
    moments: &mut Vec<Moment<'v>>,
) {
    let state = view.state(as_of, now);
    let lists = [
        (state.current, FactStatus::Current),
        (state.superseded, FactStatus::Superseded),
        (state.corrected, FactStatus::Superseded),
        (state.conflict, FactStatus::Conflict),
        (state.planned, FactStatus::Planned),
        (state.upcoming, FactStatus::Planned),
    ];
    for (facts, status) in lists {
        for fact in facts {
            let end = temporal::end_of(fact, as_of.known_at).map(|end| end.valid_to);
            // What began at no known time stands where we came to know it, but never after its end.
            let recorded = fact.recorded_at.0;
            let unknown = end.map_or(recorded, |to| to.0.min(recorded));
            let at = fact.valid_from.map_or(unknown, |from| from.0);
            let what = if status == FactStatus::Planned { "planned" } else { "fact_began" };
            moments.push(Moment { at, what, of: Of::Fact(fact, status) });
            if let Some(to) = end {
                moments.push(Moment { at: to.0, what: "fact_ended", of: Of::Fact(fact, status) });
            }
        }
    }
}

/// Puts an entry into words.
fn entry(
    tx: &Tx<'_>,
    moment: Moment<'_>,
    as_of: AsOf,
) -> Result<Option<TimelineEntry>, MemoryError> {
    let Moment { at, what, of } = moment;
    let (fact, status) = match of {
        Of::Fact(fact, status) => (fact, status),
        Of::Event(id) => {
            return Ok(tx.event(&id)?.map(|stored| TimelineEntry {
                at,
                what,
                fact: None,
                event: Some(id),
                text: format!(
                    "{} ({}, {}): {}",
                    stored.event.title,
                    stored.event.kind.as_str(),
                    stored.event.status.as_str(),
                    stored.event.summary
                ),
            }));
        }
    };
    let card = Namespace::fact_card(tx, fact, status, as_of)?;
    let (event, text) = match (what, card.reason) {
        ("fact_ended", Some(reason)) => {
            let text = format!(
                "{}: {} no longer {} ({} {})",
                card.subject_label,
                fact.slot.property.replace('_', " "),
                card.value_label,
                reason.as_str(),
                to_rfc3339(at)
            );
            (fact.closing(as_of.known_at).map(|closing| closing.cause.clone()), text)
        }
        _ => (fact.events.first().cloned(), sentence(&card)),
    };
    Ok(Some(TimelineEntry { at, what, event, text, fact: Some(card) }))
}
