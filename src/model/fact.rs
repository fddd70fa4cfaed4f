//! What the rules made of the claims: Slots, Facts, Closings and Conflicts, on two clocks.

use super::{
    ClosingId, ConflictId, EntityId, EntityKind, EventId, FactId, Precision, SlotId, TxTime,
    ValidTime, content_hash,
};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// A thing that facts are kept about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Kind and normalised name.
    pub id: EntityId,
    /// Its kind.
    pub kind: EntityKind,
    /// The name as first written.
    pub label: String,
    /// Other names.
    pub aliases: Vec<String>,
}

/// Entity + property (+ qualifier): the place where values follow one another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// The entity.
    pub entity: EntityId,
    /// The property's contract name.
    pub property: String,
    /// Tells Slots of one property apart.
    pub qualifier: Option<String>,
}

impl Slot {
    /// Returns the content hash that names the Slot.
    pub fn id(&self) -> SlotId {
        let qualifier = self.qualifier.as_deref().unwrap_or("");
        SlotId(format!(
            "s_{}",
            content_hash([self.entity.as_str(), self.property.as_str(), qualifier])
        ))
    }
}

/// The value of a Fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactValue {
    /// Another entity.
    Entity(EntityId),
    /// A literal in words.
    Text(String),
    /// A calendar date.
    Date(NaiveDate),
}

impl FactValue {
    /// Returns the key by which two values are the same: entities by id, texts by normalised form.
    pub fn key(&self) -> String {
        match self {
            Self::Entity(id) => format!("e {id}"),
            Self::Text(text) => format!("t {}", super::normalise_name(text)),
            Self::Date(day) => format!("d {day}"),
        }
    }
}

/// Why a Fact ended or was withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The world changed: another value follows.
    Changed,
    /// An earlier statement was wrong.
    Corrected,
    /// A more exact or earlier statement of the same value took its place.
    Refined,
    /// The value stopped holding and none follows.
    Ended,
    /// Withdrawn as an error or forgotten.
    Retracted,
    /// Its known end has come.
    Expired,
}

/// A text that names no reason.
#[derive(Debug, thiserror::Error)]
#[error("unknown reason {0:?}")]
pub struct UnknownReason(pub String);

impl Reason {
    /// The closed list, with the contract words.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Changed, "changed"),
        (Self::Corrected, "corrected"),
        (Self::Refined, "refined"),
        (Self::Ended, "ended"),
        (Self::Retracted, "retracted"),
        (Self::Expired, "expired"),
    ];

    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(reason, _)| *reason == self).map_or("ended", |(_, word)| word)
    }

    /// Finds a reason by its contract word.
    ///
    /// # Errors
    /// Names the text when it is not in the list.
    pub fn parse(word: &str) -> Result<Self, UnknownReason> {
        Self::ALL
            .iter()
            .find(|(_, w)| *w == word)
            .map(|(reason, _)| *reason)
            .ok_or_else(|| UnknownReason(word.to_owned()))
    }
}

/// One act that ended a Fact. It can itself be withdrawn, so that "as known at" stays exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// From Fact, end and cause.
    pub id: ClosingId,
    /// When the value stopped holding.
    pub valid_to: ValidTime,
    /// How exactly the end is known.
    pub precision: Precision,
    /// When we came to know.
    pub recorded_at: TxTime,
    /// When this closing was withdrawn.
    pub retracted_at: Option<TxTime>,
    /// The Event that caused it.
    pub cause: EventId,
    /// Why.
    pub reason: Reason,
    /// The rule that decided, a word of [`crate::temporal::Rule`].
    #[serde(default)]
    pub rule: String,
    /// The Fact that follows, where one does.
    pub superseded_by: Option<FactId>,
}

impl Closing {
    /// Returns the id for a closing of `fact` at `valid_to` by `cause`.
    pub fn id_for(fact: &FactId, valid_to: ValidTime, cause: &EventId) -> ClosingId {
        let at = super::to_rfc3339(valid_to.0);
        ClosingId(format!("c_{}", content_hash([fact.as_str(), &at, cause.as_str()])))
    }
}

/// How a Fact stands, seen from a point on both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactStatus {
    /// It holds.
    Current,
    /// It held; another value or an end followed.
    Superseded,
    /// It is a candidate of an open conflict.
    Conflict,
    /// It rests on plans only.
    Planned,
    /// It was withdrawn.
    Retracted,
}

impl FactStatus {
    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Superseded => "superseded",
            Self::Conflict => "conflict",
            Self::Planned => "planned",
            Self::Retracted => "retracted",
        }
    }
}

/// One value of a Slot over an interval of valid time, `[valid_from, valid_to)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// From Slot, value and opening Event.
    pub id: FactId,
    /// The Slot it fills.
    pub slot: Slot,
    /// The value.
    pub value: FactValue,
    /// Start of validity; `None` = before anything we know.
    pub valid_from: Option<ValidTime>,
    /// How exactly the start is known.
    pub precision: Precision,
    /// A known future end, stated by the source itself.
    pub known_end: Option<ValidTime>,
    /// Rests on plans only.
    pub planned: bool,
    /// The Events it rests on, the opening one first.
    pub events: Vec<EventId>,
    /// When we came to know it.
    pub recorded_at: TxTime,
    /// When it was withdrawn.
    pub retracted_at: Option<TxTime>,
    /// Acts that ended it, oldest first; at most one is not withdrawn.
    pub closings: Vec<Closing>,
}

impl Fact {
    /// Returns the id for a value of a Slot opened by an Event.
    pub fn id_for(slot: &SlotId, value: &FactValue, opened_by: &EventId) -> FactId {
        FactId(format!("f_{}", content_hash([slot.as_str(), &value.key(), opened_by.as_str()])))
    }

    /// Returns the closing in force as known at `known_at`, or now.
    pub fn closing(&self, known_at: Option<TxTime>) -> Option<&Closing> {
        self.closings.iter().find(|closing| match known_at {
            None => closing.retracted_at.is_none(),
            Some(at) => {
                closing.recorded_at <= at && closing.retracted_at.is_none_or(|gone| gone > at)
            }
        })
    }

    /// Returns the end of validity as known at `known_at`, or now.
    pub fn valid_to(&self, known_at: Option<TxTime>) -> Option<ValidTime> {
        let closed = self.closing(known_at).map(|closing| closing.valid_to);
        match (closed, self.known_end) {
            (Some(closed), Some(end)) => Some(closed.min(end)),
            (closed, end) => closed.or(end),
        }
    }
}

/// Candidates of one Slot that cannot be decided by rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// From the Slot and its candidates.
    pub id: ConflictId,
    /// The Slot.
    pub slot: SlotId,
    /// The candidates, in id order.
    pub candidates: Vec<FactId>,
    /// When it was seen.
    pub recorded_at: TxTime,
    /// When it was resolved or fell away.
    pub resolved_at: Option<TxTime>,
    /// What resolved it.
    pub resolved_by: Option<EventId>,
}
