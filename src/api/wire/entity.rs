//! Entities, facts, conflicts, timelines.

use super::{texts, time};
use crate::memory::{ConflictCard, EntityState, FactCard, TimelineEntry};
use crate::model::{Entity, FactValue, Slot, to_rfc3339};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A thing that facts are kept about.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EntityBody {
    /// Its id: kind and normalised name.
    pub id: String,
    /// `person`, `project`, `organization`, `tool`, `place` or `thing`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name as first written.
    pub label: String,
    /// Other names.
    pub aliases: Vec<String>,
}

/// One statement about an entity that holds over an interval, seen from a point on both clocks.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FactBody {
    /// Its id.
    pub id: String,
    /// The entity it is about.
    pub entity: String,
    /// That entity's label.
    pub entity_label: String,
    /// The property.
    pub property: String,
    /// Tells Slots of one property apart, as the topic of a preference does.
    pub qualifier: Option<String>,
    /// The value: an entity's label, or a literal.
    pub value: String,
    /// The value's entity id, where it is one.
    pub value_entity: Option<String>,
    /// `entity`, `text` or `date`.
    pub value_type: String,
    /// Start of validity, inclusive; null = before anything known.
    pub valid_from: Option<String>,
    /// End of validity, exclusive; null = open.
    pub valid_to: Option<String>,
    /// How exactly the start is known.
    pub precision: String,
    /// In an entity's state, whether it holds at the time asked about: `certainly`, `possibly`
    /// where that time lies within the bounds of a vague start or end, or `not`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<String>,
    /// When it was recorded.
    pub recorded_at: String,
    /// When it was withdrawn.
    pub retracted_at: Option<String>,
    /// `current`, `superseded`, `conflict`, `planned` or `retracted`.
    pub status: String,
    /// The Events it rests on, the opening one first.
    pub events: Vec<String>,
    /// The Fact that followed.
    pub superseded_by: Option<String>,
    /// Why it ended: `changed`, `corrected`, `refined`, `ended`, `retracted` or `expired`.
    pub reason: Option<String>,
}

/// An entity's state from a point on both clocks.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EntityStateBody {
    /// The entity.
    pub entity: EntityBody,
    /// What holds.
    pub current: Vec<FactBody>,
    /// What held.
    pub superseded: Vec<FactBody>,
    /// Open conflicts.
    pub conflicts: Vec<ConflictBody>,
    /// What is only planned.
    pub planned: Vec<FactBody>,
    /// The cursor of the next page of Slots; only where a page was asked for and more follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Candidates that cannot be decided.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ConflictBody {
    /// Its id.
    pub id: String,
    /// The Slot they compete for.
    pub slot: SlotBody,
    /// The candidates.
    pub candidates: Vec<FactBody>,
    /// When it was seen.
    pub recorded_at: String,
    /// When it was resolved.
    pub resolved_at: Option<String>,
    /// The Event that resolved it.
    pub resolved_by: Option<String>,
}

/// Entity and property (and qualifier).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SlotBody {
    /// Its id.
    pub id: String,
    /// The entity.
    pub entity: String,
    /// The property.
    pub property: String,
    /// Tells Slots of one property apart.
    pub qualifier: Option<String>,
}

/// An entity's history in order of valid time.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TimelineBody {
    /// The entity.
    pub entity: EntityBody,
    /// The entries, oldest first.
    pub items: Vec<TimelineEntryBody>,
    /// The `cursor` of the next page; null on the last.
    pub next: Option<String>,
}

/// One entry of a timeline.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TimelineEntryBody {
    /// When, in valid time.
    pub at: String,
    /// `fact_began`, `fact_ended`, `planned` or `event`.
    pub what: String,
    /// The fact concerned.
    pub fact: Option<FactBody>,
    /// The Event concerned.
    pub event: Option<String>,
    /// A sentence.
    pub text: String,
}

impl From<Entity> for EntityBody {
    fn from(entity: Entity) -> Self {
        Self {
            id: entity.id.0,
            kind: entity.kind.as_str().to_owned(),
            label: entity.label,
            aliases: entity.aliases,
        }
    }
}

impl From<FactCard> for FactBody {
    fn from(card: FactCard) -> Self {
        let fact = card.fact;
        let (value_type, value_entity) = match fact.value {
            FactValue::Entity(id) => ("entity", Some(id.0)),
            FactValue::Text(_) => ("text", None),
            FactValue::Date(_) => ("date", None),
        };
        Self {
            id: fact.id.0,
            entity: fact.slot.entity.0,
            entity_label: card.subject_label,
            property: fact.slot.property,
            qualifier: fact.slot.qualifier,
            value: card.value_label,
            value_entity,
            value_type: value_type.to_owned(),
            valid_from: fact.valid_from.map(|at| to_rfc3339(at.0)),
            valid_to: card.valid_to.map(|at| to_rfc3339(at.0)),
            precision: fact.precision.as_str().to_owned(),
            certainty: card.certainty.map(|certainty| certainty.as_str().to_owned()),
            recorded_at: time(fact.recorded_at.0),
            retracted_at: fact.retracted_at.map(|at| to_rfc3339(at.0)),
            status: card.status.as_str().to_owned(),
            events: texts(&fact.events),
            superseded_by: card.superseded_by.map(|id| id.0),
            reason: card.reason.map(|reason| reason.as_str().to_owned()),
        }
    }
}

impl From<EntityState> for EntityStateBody {
    fn from(state: EntityState) -> Self {
        let facts = |cards: Vec<FactCard>| cards.into_iter().map(FactBody::from).collect();
        Self {
            entity: state.entity.into(),
            current: facts(state.current),
            superseded: facts(state.superseded),
            conflicts: state.conflicts.into_iter().map(Into::into).collect(),
            planned: facts(state.planned),
            next: state.next,
        }
    }
}

impl From<ConflictCard> for ConflictBody {
    fn from(card: ConflictCard) -> Self {
        Self {
            id: card.conflict.id.0,
            slot: card.slot.into(),
            candidates: card.candidates.into_iter().map(Into::into).collect(),
            recorded_at: time(card.conflict.recorded_at.0),
            resolved_at: card.conflict.resolved_at.map(|at| to_rfc3339(at.0)),
            resolved_by: card.conflict.resolved_by.map(|id| id.0),
        }
    }
}

impl From<Slot> for SlotBody {
    fn from(slot: Slot) -> Self {
        Self {
            id: slot.id().0,
            entity: slot.entity.0,
            property: slot.property,
            qualifier: slot.qualifier,
        }
    }
}

impl From<TimelineEntry> for TimelineEntryBody {
    fn from(entry: TimelineEntry) -> Self {
        Self {
            at: time(entry.at),
            what: entry.what.to_owned(),
            fact: entry.fact.map(Into::into),
            event: entry.event.map(|id| id.0),
            text: entry.text,
        }
    }
}
