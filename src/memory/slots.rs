//! The Slots worked on last, read once: their claims, Facts and conflicts.
//!
//! Placing a claim folds its whole Slot anew, and a Slot that changes often is folded often. From
//! the store that would cost its history each time; what is kept here follows every applied change
//! instead. Lost at any time without harm.

use super::error::MemoryError;
use crate::model::{Conflict, Fact, SlotId};
use crate::store::Tx;
use crate::temporal::{self, SlotChange, SlotClaim};
use lru::LruCache;

/// Claims, Facts and conflicts kept in all: about forty megabytes of them.
const MAX_ITEMS: usize = 40_000;

/// Everything that stands in one Slot, in the store's order.
#[derive(Debug, Default, PartialEq)]
pub struct SlotContents {
    /// Its claims, those of forgotten Events too, by Event and ordinal.
    pub claims: Vec<SlotClaim>,
    /// Its Facts, by id.
    pub facts: Vec<Fact>,
    /// Its conflicts, by id.
    pub conflicts: Vec<Conflict>,
}

impl SlotContents {
    /// Reads a Slot from the store.
    pub fn load(tx: &Tx<'_>, id: &SlotId) -> Result<Self, MemoryError> {
        let claims = tx.claims_of(id)?;
        let (facts, conflicts) = tx.contents_of(id)?;
        Ok(Self { claims, facts, conflicts })
    }

    fn items(&self) -> usize {
        self.claims.len() + self.facts.len() + self.conflicts.len()
    }

    fn add_claim(&mut self, claim: &SlotClaim) {
        let key = (&claim.event, claim.ordinal);
        match self.claims.binary_search_by(|held| (&held.event, held.ordinal).cmp(&key)) {
            Ok(at) => self.claims[at] = claim.clone(),
            Err(at) => self.claims.insert(at, claim.clone()),
        }
    }

    fn follow(&mut self, change: &SlotChange) {
        temporal::apply(&mut self.facts, &mut self.conflicts, change);
        self.facts.sort_by(|a, b| a.id.cmp(&b.id));
        self.conflicts.sort_by(|a, b| a.id.cmp(&b.id));
        let sources = change.sources.iter().map(|sources| &sources.fact);
        let opened = change.opened.iter().map(|opened| &opened.fact.id);
        let closed = change.closed.iter().map(|closed| &closed.fact);
        for id in sources.chain(opened).chain(closed) {
            let Ok(at) = self.facts.binary_search_by(|fact| fact.id.cmp(id)) else { continue };
            let fact = &mut self.facts[at];
            fact.closings.sort_by(|a, b| (a.recorded_at, &a.id).cmp(&(b.recorded_at, &b.id)));
            // The opening Event stays first.
            if let Some((_, others)) = fact.events.split_first_mut() {
                others.sort();
            }
        }
    }
}

/// See the module's documentation. Whoever holds it is the only one to change Slots.
pub struct SlotCache {
    slots: LruCache<SlotId, SlotContents>,
    items: usize,
}

impl Default for SlotCache {
    fn default() -> Self {
        Self { slots: LruCache::unbounded(), items: 0 }
    }
}

impl SlotCache {
    /// Returns a Slot's contents.
    pub fn get(&mut self, tx: &Tx<'_>, id: &SlotId) -> Result<&SlotContents, MemoryError> {
        if !self.slots.contains(id) {
            self.keep(id, SlotContents::load(tx, id)?);
        }
        self.slots
            .get(id)
            .ok_or_else(|| MemoryError::Unavailable(format!("slot {id} was not kept")))
    }

    fn keep(&mut self, id: &SlotId, contents: SlotContents) {
        self.items += contents.items();
        self.slots.put(id.clone(), contents);
        // The newest stays, however large it is.
        while self.items > MAX_ITEMS && self.slots.len() > 1 {
            if let Some((_, old)) = self.slots.pop_lru() {
                self.items -= old.items();
            }
        }
    }

    /// Follows a claim that has been written into `tx`.
    pub fn claimed(&mut self, id: &SlotId, claim: &SlotClaim) {
        if let Some(contents) = self.slots.get_mut(id) {
            let before = contents.items();
            contents.add_claim(claim);
            self.items += contents.items() - before;
        }
    }

    /// Follows a change that has been written into `tx`; returns the contents after it.
    pub fn changed(
        &mut self,
        tx: &Tx<'_>,
        id: &SlotId,
        change: &SlotChange,
    ) -> Result<&SlotContents, MemoryError> {
        if let Some(contents) = self.slots.get_mut(id) {
            let before = contents.items();
            contents.follow(change);
            self.items += contents.items() - before;
        }
        self.get(tx, id)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the Slots whose contents are not what the store says of them.
    #[cfg(test)]
    pub fn differing(&self, tx: &Tx<'_>) -> Result<Vec<SlotId>, MemoryError> {
        let mut differing = Vec::new();
        for (id, kept) in &self.slots {
            if *kept != SlotContents::load(tx, id)? {
                differing.push(id.clone());
            }
        }
        Ok(differing)
    }
}

#[cfg(test)]
mod tests;
