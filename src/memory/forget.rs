//! Operator acts on Events: pin, forget, restore.

use super::change::{Change, PlacedChange};
use super::error::MemoryError;
use super::namespace::Namespace;
use super::project::slot_change;
use super::slots::SlotContents;
use super::types::{AsOf, EventCard};
use super::writer::{PlanView, Planned};
use crate::model::{EventId, TxTime};

impl Namespace {
    /// Pins an Event, or lets go of it.
    ///
    /// # Errors
    /// When there is none of that id.
    pub fn pin(&self, id: &EventId, pinned: bool) -> Result<EventCard, MemoryError> {
        self.write(|view| {
            self.need_event(view, id)?;
            if view.tx.event_weights(id)?.pinned == pinned {
                return Ok(Planned::nothing(()));
            }
            Ok(Planned::write(Change::Pinned { event: id.clone(), pinned }, ()))
        })?;
        self.event(id, AsOf::default())
    }

    /// Hides an Event on every door, at every time; a Fact that rests on it alone goes with it.
    ///
    /// # Errors
    /// When there is none of that id.
    pub fn forget(&self, id: &EventId) -> Result<EventCard, MemoryError> {
        self.set_forgotten(id, true)
    }

    /// Brings a forgotten Event back, with what rested on it.
    ///
    /// # Errors
    /// When there is none of that id.
    pub fn restore(&self, id: &EventId) -> Result<EventCard, MemoryError> {
        self.set_forgotten(id, false)
    }

    fn need_event(&self, view: &PlanView<'_>, id: &EventId) -> Result<(), MemoryError> {
        let known = view.tx.event_recorded_at(id)?;
        known.map(|_| ()).ok_or_else(|| self.not_found("event", id.as_str()))
    }

    fn set_forgotten(&self, id: &EventId, forget: bool) -> Result<EventCard, MemoryError> {
        self.write(|view| {
            self.need_event(view, id)?;
            if view.tx.event_weights(id)?.forgotten_at.is_some() == forget {
                return Ok(Planned::nothing(()));
            }
            let mut withdrawn = view.tx.withdrawn()?;
            if forget {
                withdrawn.events.insert(id.clone());
            } else if view.tx.event_weights(id)?.retracted_at.is_none() {
                withdrawn.events.remove(id);
            }
            let mut changes = Vec::new();
            for slot_id in view.tx.slots_of_event(id)? {
                let Some(slot) = view.tx.slot(&slot_id)? else { continue };
                let contents = SlotContents::load(&view.tx, &slot_id)?;
                let change = slot_change(&contents, &slot, &[], &withdrawn, TxTime(view.now));
                if !change.is_empty() {
                    changes.push(PlacedChange { slot, change });
                }
            }
            let event = id.clone();
            let change = if forget {
                Change::Forgotten { event, changes }
            } else {
                Change::Restored { event, changes }
            };
            Ok(Planned::write(change, ()))
        })?;
        self.event(id, AsOf::default())
    }
}
