//! Checking a namespace: journal, store, current state and index must agree.

use super::apply::refresh_slot;
use super::error::MemoryError;
use super::namespace::Namespace;
use super::project::slot_change;
use super::slots::SlotContents;
use super::types::Finding;
use super::writer::lock;
use crate::model::{Conflict, Fact, FactId, Slot, TxTime, ValidTime, property};
use crate::store::{NamedQuery, QueryOptions};
use crate::temporal;
use std::collections::{BTreeMap, BTreeSet};

/// The Facts that the present shows, by how they stand.
fn in_view(state: &temporal::SlotState<'_>) -> Vec<Vec<FactId>> {
    [&state.current, &state.conflict, &state.planned, &state.upcoming]
        .into_iter()
        .map(|facts| {
            let mut ids: Vec<FactId> = facts.iter().map(|fact| fact.id.clone()).collect();
            ids.sort();
            ids
        })
        .collect()
}

/// What the view `integrity_pairs` finds in a Slot, without comparing every Fact with every other:
/// a Fact that follows itself, and two values of a functional Slot that hold at once.
fn broken_pairs(
    slot: &Slot,
    facts: &[Fact],
    conflicts: &[Conflict],
) -> Vec<(&'static str, FactId, FactId)> {
    let mut broken = Vec::new();
    let next: BTreeMap<&FactId, &FactId> = facts
        .iter()
        .filter_map(|fact| Some((&fact.id, fact.closing(None)?.superseded_by.as_ref()?)))
        .collect();
    let mut done: BTreeSet<&FactId> = BTreeSet::new();
    for start in next.keys() {
        let mut seen: BTreeSet<&FactId> = BTreeSet::new();
        let mut at = *start;
        while !done.contains(at) && seen.insert(at) {
            let Some(follower) = next.get(at) else { break };
            if seen.contains(follower) {
                let rule = "a Fact follows itself in a circle";
                broken.push((rule, at.clone(), (*follower).clone()));
            }
            at = follower;
        }
        done.extend(seen);
    }
    let functional = property(&slot.property).is_some_and(|known| known.functional);
    if !functional && slot.qualifier.is_none() {
        return broken;
    }
    let ends = |fact: &Fact| fact.valid_to(None);
    let mut holding: Vec<&Fact> = facts
        .iter()
        .filter(|fact| !fact.planned && fact.retracted_at.is_none())
        .filter(|fact| ends(fact).is_none_or(|end| fact.valid_from.is_none_or(|from| from < end)))
        .collect();
    holding.sort_by_key(|fact| fact.valid_from);
    let mut open: Vec<&Fact> = Vec::new();
    for fact in holding {
        open.retain(|earlier| {
            ends(earlier).is_none_or(|end| fact.valid_from.is_none_or(|from| from < end))
        });
        for earlier in &open {
            let both = |conflict: &&Conflict| {
                [&fact.id, &earlier.id].iter().all(|id| conflict.candidates.contains(id))
            };
            if !conflicts.iter().any(|conflict| both(&conflict)) {
                let rule = "two values of one Slot hold at once";
                broken.push((rule, earlier.id.clone(), fact.id.clone()));
            }
        }
        open.push(fact);
    }
    broken
}

impl Namespace {
    /// Checks everything that can be checked. No finding means clean.
    ///
    /// # Errors
    /// When something cannot even be read.
    pub fn check(&self) -> Result<Vec<Finding>, MemoryError> {
        let mut findings = Vec::new();
        let mut find = |check, detail: String| findings.push(Finding { check, detail });
        let writer = self.lock_writer();
        let verification = writer.journal.verify()?;
        for damage in &verification.findings {
            find("journal_damaged", damage.to_string());
        }
        let last = writer.journal.last_seq();
        drop(writer);
        let tx = self.store.begin()?;
        let applied = tx.applied()?;
        if applied < last {
            find("store_behind", format!("the store has applied {applied} of {last} records"));
        }
        self.check_slots(&tx, &mut find)?;
        Self::check_sources(&tx, &mut find)?;
        drop(tx);
        if let Some(view) = NamedQuery::find("integrity") {
            let mut arguments = BTreeMap::new();
            view.with_clocks_at(&mut arguments, self.now());
            let query = view
                .bind(self.store.names().base(), &arguments)
                .map_err(|error| MemoryError::Unavailable(error.to_string()))?;
            let options = QueryOptions {
                timeout: std::time::Duration::from_secs(600),
                max_rows: 100,
                results: crate::store::ResultsFormat::Csv,
                ..QueryOptions::default()
            };
            let answer = self.store.run_prepared(query, &options)?;
            let text = String::from_utf8_lossy(&answer.body);
            for line in text.lines().skip(1) {
                find("integrity", line.to_owned());
            }
        }
        let lag = self.info()?.index_lag;
        if lag == 0 {
            let wanted = super::indexer::document_count(&self.store)?;
            let held = self.index.doc_count();
            if held < wanted {
                let detail =
                    format!("the index holds {held} documents, the store at least {wanted}");
                find("index_differs", detail);
            }
        }
        Ok(findings)
    }

    /// Current state and stored Facts must be what folding the claims gives.
    fn check_slots(
        &self,
        tx: &crate::store::Tx<'_>,
        find: &mut impl FnMut(&'static str, String),
    ) -> Result<(), MemoryError> {
        let withdrawn = tx.withdrawn()?;
        let now = self.now();
        for id in tx.slot_ids()? {
            let Some(slot) = tx.slot(&id)? else { continue };
            let contents = SlotContents::load(tx, &id)?;
            let change = slot_change(&contents, &slot, &[], &withdrawn, TxTime(now));
            if !change.is_empty() {
                find(
                    "facts_differ",
                    format!(
                        "slot {id} ({} {}): its facts are not what its claims give",
                        slot.entity, slot.property
                    ),
                );
            }
            let SlotContents { facts, conflicts, .. } = contents;
            for fact in &facts {
                if tx.fact_from_quads(&fact.id)?.as_ref() != Some(fact) {
                    let detail = format!("fact {}: its copy differs from its quads", fact.id);
                    find("fact_copy_differs", detail);
                }
            }
            for (rule, one, other) in broken_pairs(&slot, &facts, &conflicts) {
                find("integrity", format!("{rule},{one},{other}"));
            }
            let state = temporal::state_at(&facts, &conflicts, ValidTime(now), None);
            if let Some(present) = tx.present(&id)? {
                let kept =
                    temporal::state_at(&present.facts, &present.conflicts, ValidTime(now), None);
                if in_view(&kept) != in_view(&state) {
                    find(
                        "present_differs",
                        format!(
                            "slot {id}: what is kept of the present differs from its facts; run rebuild-current"
                        ),
                    );
                }
            } else if !facts.is_empty() {
                find(
                    "present_differs",
                    format!("slot {id}: nothing is kept of its present; run rebuild-current"),
                );
            }
            let mut wanted: Vec<_> = state.current.iter().map(|fact| fact.id.clone()).collect();
            wanted.sort();
            if tx.current_facts_of_slot(&id)? != wanted {
                find(
                    "current_differs",
                    format!(
                        "slot {id} ({} {}): the current graph differs from its facts; run rebuild-current",
                        slot.entity, slot.property
                    ),
                );
            }
        }
        Ok(())
    }

    /// Every Event and Fact names its sources.
    fn check_sources(
        tx: &crate::store::Tx<'_>,
        find: &mut impl FnMut(&'static str, String),
    ) -> Result<(), MemoryError> {
        for id in tx.event_ids()? {
            let sources = tx.event_sources(&id)?;
            if sources.is_empty() {
                find("event_without_source", format!("event {id} names no source"));
            }
            for (thread, message) in sources {
                if !tx.has_message(&thread, &message)? {
                    find(
                        "dangling_source",
                        format!("event {id} names message {thread}/{message}, which is not there"),
                    );
                }
            }
        }
        Ok(())
    }

    /// Makes the copies of all Facts anew from the quads that they are.
    ///
    /// # Errors
    /// When the store fails.
    pub fn copy_facts(&self) -> Result<(), MemoryError> {
        let _graph = lock(&self.graph);
        let _writer = self.lock_writer();
        let mut tx = self.store.begin()?;
        for id in tx.fact_ids()? {
            tx.copy_again(id);
        }
        Ok(tx.commit()?)
    }

    /// Writes the current graph again from the Facts. Returns the number of Slots.
    ///
    /// # Errors
    /// When the store fails.
    pub fn rebuild_current(&self) -> Result<u64, MemoryError> {
        let now = self.now();
        let _graph = lock(&self.graph);
        let mut writer = self.lock_writer();
        let mut tx = self.store.begin()?;
        let current = tx.names.current.clone();
        tx.clear_graph(&current)?;
        let slots = tx.slot_ids()?;
        let mut due = Vec::new();
        for id in &slots {
            let slot = tx
                .slot(id)?
                .ok_or_else(|| MemoryError::Corrupt(format!("there is no slot {id}")))?;
            let (facts, conflicts) = tx.contents_of(id)?;
            due.push((id.clone(), refresh_slot(&mut tx, &slot, &facts, &conflicts, now)?));
        }
        tx.commit()?;
        writer.hot.due = due.into_iter().filter_map(|(slot, at)| Some((slot, at?))).collect();
        Ok(slots.len() as u64)
    }
}
