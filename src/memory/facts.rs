//! Facts as the doors show them: seen from a point on both clocks, with labels, without what was
//! forgotten.

use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::{AsOf, ConflictCard, FactCard};
use crate::model::{
    Conflict, EventId, Fact, FactStatus, FactValue, Slot, SlotId, TxTime, ValidTime, property,
};
use crate::store::{SlotPresent, Tx};
use crate::temporal::{self, Arrival, SlotClaim, SlotState};
use std::collections::{BTreeMap, HashSet};

/// One Slot with its Facts, as they may be shown.
pub struct SlotView {
    /// The Slot.
    pub slot: Slot,
    /// Its Facts, without those that rest on forgotten Events only.
    pub facts: Vec<Fact>,
    /// Its conflicts.
    pub conflicts: Vec<Conflict>,
}

impl SlotView {
    /// Reads a Slot as it is to be shown at a point of transaction time; `None` when there is none
    /// of that id.
    ///
    /// What was forgotten since must not show through what it had once ended or contested. So an
    /// earlier point is played again as if it had never been heard.
    pub fn read(
        tx: &Tx<'_>,
        id: &SlotId,
        forgotten: &HashSet<EventId>,
        known_at: Option<TxTime>,
    ) -> Result<Option<Self>, MemoryError> {
        let Some(slot) = tx.slot(id)? else { return Ok(None) };
        if known_at.is_some() && !forgotten.is_empty() {
            let claims = tx.claims_of(id)?;
            if claims.iter().any(|claim| forgotten.contains(&claim.event)) {
                let (facts, conflicts) = Self::played_without(tx, &slot, claims, forgotten)?;
                return Ok(Some(Self { slot, facts, conflicts }));
            }
        }
        let (facts, conflicts) = tx.contents_of(id)?;
        Ok(Some(Self { slot, facts: shown(facts, forgotten), conflicts }))
    }

    /// The Facts and conflicts of a Slot as they would be recorded had some Events never come.
    fn played_without(
        tx: &Tx<'_>,
        slot: &Slot,
        claims: Vec<SlotClaim>,
        forgotten: &HashSet<EventId>,
    ) -> Result<(Vec<Fact>, Vec<Conflict>), MemoryError> {
        let mut arrivals: BTreeMap<TxTime, Vec<SlotClaim>> = BTreeMap::new();
        for claim in claims.into_iter().filter(|claim| !forgotten.contains(&claim.event)) {
            let at = match claim.event.act() {
                Some(act) => tx.act(act)?.map(|act| TxTime(act.at)),
                None => tx.event_recorded_at(&claim.event)?,
            };
            if let Some(at) = at {
                arrivals.entry(at).or_default().push(claim);
            }
        }
        let arrivals: Vec<Arrival> = arrivals
            .into_iter()
            .map(|(at, heard)| Arrival { at, heard, gone: Vec::new() })
            .collect();
        let functional = property(&slot.property).is_some_and(|property| property.functional);
        Ok(temporal::replay(slot, functional, &arrivals))
    }

    /// Reads what of a Slot can matter from a point on both clocks: for the present that is kept
    /// apart and costs nothing of the history.
    pub fn read_for(
        tx: &Tx<'_>,
        id: &SlotId,
        forgotten: &HashSet<EventId>,
        as_of: AsOf,
    ) -> Result<Option<Self>, MemoryError> {
        if as_of == AsOf::default()
            && let Some(SlotPresent { slot, facts, conflicts }) = tx.present(id)?
        {
            return Ok(Some(Self { slot, facts: shown(facts, forgotten), conflicts }));
        }
        Self::read(tx, id, forgotten, as_of.known_at)
    }

    /// Sorts the Facts by how they stand.
    pub fn state(&self, as_of: AsOf, now: ValidTime) -> SlotState<'_> {
        let valid_at = as_of.valid_at.unwrap_or(now);
        temporal::state_at(&self.facts, &self.conflicts, valid_at, as_of.known_at)
    }
}

/// Leaves out what was forgotten.
fn shown(mut facts: Vec<Fact>, forgotten: &HashSet<EventId>) -> Vec<Fact> {
    facts.retain(|fact| !is_hidden(fact, forgotten));
    for fact in &mut facts {
        fact.events.retain(|event| !forgotten.contains(event));
    }
    facts
}

/// Works out how a Fact stands from itself and its rivals in conflicts. What else its Slot has
/// held does not matter for that, so its history is not read.
pub(super) fn status_beside_rivals(
    tx: &Tx<'_>,
    fact: &Fact,
    valid_at: ValidTime,
    known_at: Option<TxTime>,
) -> Result<Option<FactStatus>, MemoryError> {
    let conflicts = tx.conflicts_with(&fact.id)?;
    let mut rivals = Vec::new();
    for id in conflicts.iter().flat_map(|conflict| &conflict.candidates) {
        if *id != fact.id {
            rivals.extend(tx.fact(id)?);
        }
    }
    Ok(temporal::status_of(fact, &rivals, &conflicts, valid_at, known_at))
}

/// Forgetting hides at every time: a Fact all of whose sources are forgotten is not shown, even
/// as it was known before.
pub fn is_hidden(fact: &Fact, forgotten: &HashSet<EventId>) -> bool {
    let mut events = fact.events.iter();
    fact.events.is_empty() || events.all(|event| forgotten.contains(event))
}

impl Namespace {
    /// Shows a Fact with a status that has been worked out.
    pub(super) fn fact_card(
        tx: &Tx<'_>,
        fact: &Fact,
        status: FactStatus,
        as_of: AsOf,
    ) -> Result<FactCard, MemoryError> {
        let value_label = match &fact.value {
            FactValue::Entity(id) => tx.label(id)?,
            FactValue::Text(text) => text.clone(),
            FactValue::Date(day) => day.to_string(),
        };
        let end = temporal::end_of(fact, as_of.known_at);
        Ok(FactCard {
            value_label,
            status,
            valid_to: end.as_ref().map(|end| end.valid_to),
            superseded_by: end
                .as_ref()
                .and_then(|end| end.closing)
                .and_then(|closing| closing.superseded_by.clone()),
            reason: end.map(|end| end.reason),
            subject_label: tx.label(&fact.slot.entity)?,
            certainty: None,
            fact: fact.clone(),
        })
    }

    /// Shows a Fact as it stands now.
    pub(super) fn fact_card_now(&self, tx: &Tx<'_>, fact: &Fact) -> Result<FactCard, MemoryError> {
        let status = status_beside_rivals(tx, fact, ValidTime(self.now()), None)?;
        // What has not begun yet is shown beside what is planned.
        Self::fact_card(tx, fact, status.unwrap_or(FactStatus::Planned), AsOf::default())
    }

    /// Shows conflicts of a Slot whose candidates are undecided.
    pub(super) fn conflict_cards(
        tx: &Tx<'_>,
        view: &SlotView,
        contested: &[&Fact],
        as_of: AsOf,
    ) -> Result<Vec<ConflictCard>, MemoryError> {
        let mut cards = Vec::new();
        for conflict in &view.conflicts {
            if as_of.known_at.is_some_and(|at| conflict.recorded_at > at) {
                continue;
            }
            let mut candidates = Vec::new();
            for fact in contested.iter().filter(|fact| conflict.candidates.contains(&fact.id)) {
                candidates.push(Self::fact_card(tx, fact, FactStatus::Conflict, as_of)?);
            }
            if candidates.len() > 1 {
                cards.push(ConflictCard {
                    conflict: conflict.clone(),
                    slot: view.slot.clone(),
                    candidates,
                });
            }
        }
        Ok(cards)
    }
}

/// Says a Fact in one sentence, with its interval.
pub fn sentence(card: &FactCard) -> String {
    let fact = &card.fact;
    let label = property(&fact.slot.property)
        .map_or_else(|| fact.slot.property.clone(), |property| property.label_en.to_owned());
    let about = match &fact.slot.qualifier {
        None => label,
        Some(qualifier) => format!("{label} ({qualifier})"),
    };
    let day = |at: ValidTime| at.0.format("%Y-%m-%d").to_string();
    let interval = match (fact.valid_from, card.valid_to) {
        (None, None) => String::new(),
        (Some(from), None) => format!(", since {}", day(from)),
        (None, Some(to)) => format!(", until {}", day(to)),
        (Some(from), Some(to)) => format!(", {} to {}", day(from), day(to)),
    };
    format!("{}: {about} = {}{interval}", card.subject_label, card.value_label)
}
