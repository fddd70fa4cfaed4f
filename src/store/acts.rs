//! Acts of an operator as PROV activities, and what they leave beside the history: claims that are
//! set aside, entities that stand for another, Events that are retracted.
//!
//! The act itself is in the ledger and never changes. The marks are in the weights graph, because
//! undoing an act takes them away again.

use super::facts::claim_id;
use super::tx::{Tx, instant, literal_text, parse_utc};
use super::{StoreError, pred_type};
use crate::model::{ClosingId, ConflictId, EntityId, EventId, FactId, SlotId, TxTime};
use crate::temporal::SlotClaim;
use crate::vocab::{prov, sg};
use chrono::{DateTime, Utc};
use oxigraph::model::{Literal, NamedNode, Term};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal),+ $(,)?) => {
        /// What an operator did.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ActKind { $($(#[$doc])* $name),+ }

        impl ActKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Returns the contract word.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// Finds a kind by its contract word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
            }
        }
    };
}

kinds! {
    /// Decided a conflict for one of its candidates.
    Resolve = "resolve",
    /// Put a Fact right: its value, its start or its end.
    Correct = "correct",
    /// Took a Fact or an Event back, from then on.
    Retract = "retract",
    /// Said that two entities are one.
    Merge = "merge",
    /// Said that some Events speak of another entity.
    Split = "split",
    /// Undid another act.
    Undo = "undo",
    /// Hid an Event at every time.
    Forget = "forget",
    /// Brought a forgotten Event back.
    Restore = "restore",
    /// Pinned an Event.
    Pin = "pin",
    /// Let go of a pinned Event.
    Unpin = "unpin",
    /// Expanded a Block's view.
    Expand = "expand",
}

/// One claim, by its Slot, source and place there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClaimRef {
    /// The Slot.
    pub slot: SlotId,
    /// The Event or act that makes it.
    pub event: EventId,
    /// Its place among the claims of that.
    pub ordinal: usize,
}

/// What an act has changed, by ids.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActEffects {
    /// New Facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<FactId>,
    /// Facts that ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<FactId>,
    /// Facts whose end was taken back, with the closing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reopened: Vec<(FactId, ClosingId)>,
    /// Facts that were taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retracted: Vec<FactId>,
    /// Conflicts that are open no longer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<ConflictId>,
}

/// One act as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActRow {
    /// Its record's number, by which it is known.
    pub seq: u64,
    /// What was done.
    pub kind: ActKind,
    /// To what, as `fact:…`, `event:…`, `conflict:…`, `entity:…`, `act:…`.
    pub targets: Vec<String>,
    /// Why, in the operator's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The act that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// Claims that no longer count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<ClaimRef>,
    /// Claims that count again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought_back: Vec<ClaimRef>,
    /// Claims that the act makes itself, or moves to another Slot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<ClaimRef>,
    /// An entity and the one it stands for from now on; `None` = for itself again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<(EntityId, Option<EntityId>)>,
    /// An Event, and whether it is retracted from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted: Option<(EventId, bool)>,
    /// What that changed.
    #[serde(default)]
    pub effects: ActEffects,
}

/// An act with what has become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAct {
    /// The act.
    pub row: ActRow,
    /// When.
    pub at: DateTime<Utc>,
    /// The act that undid it, if one did.
    pub undone_by: Option<u64>,
}

/// What takes no part in folding.
#[derive(Debug, Clone, Default)]
pub struct Withdrawn {
    /// Forgotten and retracted Events.
    pub events: HashSet<EventId>,
    /// Ids of claims that an act has set aside.
    claims: HashSet<String>,
}

impl Withdrawn {
    /// Whether a claim counts.
    pub fn keeps(&self, claim: &SlotClaim) -> bool {
        !self.events.contains(&claim.event)
            && (self.claims.is_empty()
                || !self.claims.contains(&claim_id(&claim.event, claim.ordinal)))
    }

    /// Lets a claim count no longer.
    pub fn set_aside(&mut self, claim: &ClaimRef) {
        self.claims.insert(claim_id(&claim.event, claim.ordinal));
    }

    /// Lets a claim count again.
    pub fn bring_back(&mut self, claim: &ClaimRef) {
        self.claims.remove(&claim_id(&claim.event, claim.ordinal));
    }
}

impl Tx<'_> {
    /// Returns what takes no part in folding.
    pub fn withdrawn(&self) -> Result<Withdrawn, StoreError> {
        let mut events = self.forgotten_events()?;
        for (node, _) in self.pairs(sg::RETRACTED_AT, &self.names.weights)? {
            events.extend(self.names.id_of("event", node.as_str()).map(EventId));
        }
        let claims = self
            .pairs(sg::SET_ASIDE_BY, &self.names.weights)?
            .iter()
            .filter_map(|(node, _)| self.names.id_of("claim", node.as_str()))
            .collect();
        Ok(Withdrawn { events, claims })
    }

    /// Returns the Events that are not shown: forgotten ones at every time, and those that were
    /// retracted by `known_at`, now by default.
    pub fn hidden_events(&self, known_at: Option<TxTime>) -> Result<HashSet<EventId>, StoreError> {
        let mut hidden = self.forgotten_events()?;
        for (node, at) in self.pairs(sg::RETRACTED_AT, &self.names.weights)? {
            let at = literal_text(&at).and_then(parse_utc);
            if known_at.is_none_or(|known| at.is_some_and(|at| at <= known.0)) {
                hidden.extend(self.names.id_of("event", node.as_str()).map(EventId));
            }
        }
        Ok(hidden)
    }

    /// Lets a claim count no longer.
    pub fn set_aside(&mut self, claim: &ClaimRef, act: u64) {
        let names = self.names;
        let node = names.thing("claim", &claim_id(&claim.event, claim.ordinal));
        self.add(&node, sg::SET_ASIDE_BY, names.act(act), &names.weights);
    }

    /// Lets a claim count again.
    pub fn bring_back(&mut self, claim: &ClaimRef) -> Result<(), StoreError> {
        let names = self.names;
        let node = names.thing("claim", &claim_id(&claim.event, claim.ordinal));
        self.set(&node, sg::SET_ASIDE_BY, None::<NamedNode>, &names.weights)
    }

    /// Returns the act that has set one of an Event's claims aside.
    pub fn act_against(&self, event: &EventId) -> Result<Option<u64>, StoreError> {
        let node = self.names.event(event);
        for claim in self.subjects(sg::OF_EVENT, node.as_ref(), &self.names.meta)? {
            if let Some(Term::NamedNode(act)) =
                self.object(&claim, sg::SET_ASIDE_BY, &self.names.weights)?
            {
                return Ok(self.names.cause_of(act.as_str()).and_then(|id| id.act()));
            }
        }
        Ok(None)
    }

    /// Lets an entity stand for another one, or for itself again.
    pub fn set_merged(&mut self, id: &EntityId, into: Option<&EntityId>) -> Result<(), StoreError> {
        let names = self.names;
        let node = names.entity(id);
        self.set(&node, sg::MERGED_INTO, into.map(|into| names.entity(into)), &names.weights)
    }

    /// Returns the entity that this one stands for since a merge; itself where it was in none.
    pub fn standing_for(&self, id: &EntityId) -> Result<EntityId, StoreError> {
        let mut id = id.clone();
        // A merge into an entity that stands for another is refused, so this ends.
        while let Some(Term::NamedNode(into)) =
            self.object(&self.names.entity(&id), sg::MERGED_INTO, &self.names.weights)?
        {
            let Some(next) = self.names.id_of("entity", into.as_str()) else { break };
            id = EntityId(next);
        }
        Ok(id)
    }

    /// Returns the entities that stand for this one, directly.
    pub fn merged_into(&self, id: &EntityId) -> Result<Vec<EntityId>, StoreError> {
        let node = self.names.entity(id);
        let subjects = self.subjects(sg::MERGED_INTO, node.as_ref(), &self.names.weights)?;
        let mut ids: Vec<EntityId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("entity", node.as_str()).map(EntityId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Writes an act.
    pub fn put_act(&mut self, row: &ActRow, at: DateTime<Utc>) -> Result<(), StoreError> {
        let names = self.names;
        let node = names.act(row.seq);
        let ledger = &names.ledger;
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::OPERATOR_ACT), ledger);
        self.add(&node, pred_type(), NamedNode::new_unchecked(prov::ACTIVITY), ledger);
        self.add(&node, sg::OPERATION, Literal::from(row.kind.as_str()), ledger);
        for target in &row.targets {
            if let Some((kind, id)) = target.split_once(':') {
                self.add(&node, sg::TARGET, names.thing(kind, id), ledger);
            }
        }
        self.add_some(&node, sg::NOTE, row.note.as_deref().map(Literal::from), ledger);
        self.add(&node, prov::ENDED_AT_TIME, instant(at), ledger);
        self.add(&node, sg::REVISION, names.commit(row.seq), ledger);
        let payload = serde_json::to_string(row).expect("acts are plain data");
        self.add(&node, sg::PAYLOAD, Literal::from(payload), ledger);
        if let Some(undone) = row.undoes {
            self.add(&node, sg::UNDOES, names.act(undone), ledger);
            let mark = Some(names.act(row.seq));
            self.set(&names.act(undone), sg::UNDONE_BY, mark, &names.weights)?;
            // Whoever undoes an undoing lets the first act count again.
            if let Some(first) = self.act(undone)?.and_then(|act| act.row.undoes) {
                self.set(&names.act(first), sg::UNDONE_BY, None::<NamedNode>, &names.weights)?;
            }
        }
        Ok(())
    }

    /// Finds an act.
    pub fn act(&self, seq: u64) -> Result<Option<StoredAct>, StoreError> {
        let node = self.names.act(seq);
        let Some(row) = self.payload(&node)? else { return Ok(None) };
        let at = self.object(&node, prov::ENDED_AT_TIME, &self.names.ledger)?;
        let at = at.as_ref().and_then(literal_text).and_then(parse_utc);
        let at = at.ok_or_else(|| StoreError::Corrupt(format!("act {seq} has no time")))?;
        let undone_by = match self.object(&node, sg::UNDONE_BY, &self.names.weights)? {
            Some(Term::NamedNode(by)) => self.names.cause_of(by.as_str()).and_then(|id| id.act()),
            _ => None,
        };
        Ok(Some(StoredAct { row, at, undone_by }))
    }

    /// Returns the numbers of all acts, oldest first.
    pub fn act_ids(&self) -> Result<Vec<u64>, StoreError> {
        let class = Term::from(NamedNode::new_unchecked(sg::OPERATOR_ACT));
        let subjects = self.subjects(pred_type(), class.as_ref(), &self.names.ledger)?;
        let mut ids: Vec<u64> =
            subjects.iter().filter_map(|node| self.names.cause_of(node.as_str())?.act()).collect();
        ids.sort_unstable();
        Ok(ids)
    }
}
