//! What changed between two points of one clock.

use super::error::MemoryError;
use super::facts::SlotView;
use super::namespace::Namespace;
use super::types::{AsOf, Diff, DiffClock, Difference};
use crate::model::{EventId, FactStatus, TxTime, ValidTime};
use crate::store::Tx;
use crate::temporal::{self, Clock, SlotDifference};
use chrono::{DateTime, Utc};
use std::collections::HashSet;

/// A change with the instant that orders it.
type Dated = (DateTime<Utc>, Difference);

impl Namespace {
    /// Compares two points of a clock.
    ///
    /// # Errors
    /// When the range is reversed.
    pub fn diff(
        &self,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
        clock: DiffClock,
    ) -> Result<Diff, MemoryError> {
        if from > to {
            let reason = format!("the range is reversed: it begins {from} and ends {to}");
            return Err(MemoryError::invalid("from", reason));
        }
        let tx = self.store.begin()?;
        let forgotten = tx.forgotten_events()?;
        let (which, as_of) = match clock {
            DiffClock::Valid => {
                let at = AsOf { valid_at: Some(ValidTime(to)), known_at: None };
                (Clock::Valid, at)
            }
            DiffClock::Known => (Clock::Known, AsOf { valid_at: None, known_at: Some(TxTime(to)) }),
        };
        let mut diff = Diff::default();
        let mut order: [Vec<Dated>; 4] = Default::default();
        for id in tx.slot_ids()? {
            let Some(view) = SlotView::read(&tx, &id, &forgotten, None)? else { continue };
            let slot_diff = temporal::diff(&view.facts, &view.conflicts, from, to, which);
            let lists =
                [slot_diff.added, slot_diff.ended, slot_diff.corrected, slot_diff.conflicted];
            for (list, into) in lists.into_iter().zip(&mut order) {
                for difference in list {
                    into.extend(self.difference(&tx, &view, difference, as_of, &forgotten)?);
                }
            }
        }
        for list in &mut order {
            list.sort_by(|a, b| (a.0, &a.1.fact.fact.id).cmp(&(b.0, &b.1.fact.fact.id)));
        }
        let [added, ended, corrected, conflicted] = order;
        let strip = |list: Vec<Dated>| list.into_iter().map(|(_, difference)| difference).collect();
        diff.added = strip(added);
        diff.ended = strip(ended);
        diff.corrected = strip(corrected);
        diff.conflicted = strip(conflicted);
        Ok(diff)
    }

    fn difference(
        &self,
        tx: &Tx<'_>,
        view: &SlotView,
        difference: SlotDifference,
        as_of: AsOf,
        forgotten: &HashSet<EventId>,
    ) -> Result<Option<Dated>, MemoryError> {
        let Some(fact) = view.facts.iter().find(|fact| fact.id == difference.fact) else {
            return Ok(None);
        };
        let valid_at = as_of.valid_at.unwrap_or(ValidTime(self.now()));
        let status =
            temporal::status_of(fact, &view.facts, &view.conflicts, valid_at, as_of.known_at);
        let card = Self::fact_card(tx, fact, status.unwrap_or(FactStatus::Planned), as_of)?;
        // What an operator took back names the act.
        let cause = match difference.cause {
            Some(cause) => Some(cause),
            None => tx.retraction_cause(&fact.id)?,
        };
        let cause_text = match &cause {
            Some(cause) if !forgotten.contains(cause) => {
                let stored = tx.event(cause)?;
                stored.map(|stored| stored.event.summary).or(act_text(tx, cause)?)
            }
            _ => None,
        };
        Ok(Some((difference.at, Difference { fact: card, cause, cause_text })))
    }
}

/// Says an operator's act that stands in an Event's place.
fn act_text(tx: &Tx<'_>, cause: &EventId) -> Result<Option<String>, MemoryError> {
    let Some(number) = cause.act() else { return Ok(None) };
    Ok(tx.act(number)?.map(|act| {
        let note = act.row.note.map(|note| format!(": {note}")).unwrap_or_default();
        format!("an operator's act ({}){note}", act.row.kind.as_str())
    }))
}
