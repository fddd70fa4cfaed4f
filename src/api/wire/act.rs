//! Acts of an operator.

use super::search::time_of;
use super::{EntityBody, texts, time};
use crate::api::ApiError;
use crate::memory::{ActRequest, MergeProposal};
use crate::model::{EntityKind, EntityRef, EventId, ValidTime};
use crate::store::{ActKind, StoredAct};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What an operator asks to be done; which fields are needed follows from `kind`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewActBody {
    /// `resolve` (`conflict`, `keep`), `correct` (`fact` and what is right), `retract` (`fact` or
    /// `event`), `merge` (`from`, `into`) or `split` (`entity`, `events`, `into`, `type`).
    pub kind: String,
    /// A conflict's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
    /// The candidate that holds: a fact's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<String>,
    /// A fact's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// An Event's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The right value: a name, an entity's id, a text or a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The right start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// The right end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// The entity that stands for another one from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The other one; of a split the name or id of what the Events speak of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// The entity that is to be split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// The Events that speak of another one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// The type of the new entity, where `into` is a name.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// Why, in at most 1,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Why an act is undone.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UndoBody {
    /// Why, in at most 1,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// An act of an operator.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ActBody {
    /// Its number, which is that of its revision.
    pub id: u64,
    /// `resolve`, `correct`, `retract`, `merge`, `split`, `undo`, `forget`, `restore`, `pin`,
    /// `unpin` or `expand`.
    pub kind: String,
    /// What it was done to, as `fact:…`, `event:…`, `conflict:…`, `entity:…`, `act:…`.
    pub targets: Vec<String>,
    /// Why.
    pub note: Option<String>,
    /// When.
    pub at: String,
    /// The act that this one undoes.
    pub undoes: Option<u64>,
    /// The act that undid this one, if it is undone now.
    pub undone_by: Option<u64>,
    /// Facts that it opened.
    pub opened: Vec<String>,
    /// Facts that it ended.
    pub closed: Vec<String>,
    /// Facts whose end it took back.
    pub reopened: Vec<String>,
    /// Facts that it took back.
    pub retracted: Vec<String>,
    /// Conflicts that it closed.
    pub resolved: Vec<String>,
}

/// Two entities that may be one.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MergeProposalBody {
    /// The one that would stand for the other.
    pub from: EntityBody,
    /// The other.
    pub into: EntityBody,
    /// How near their names are, up to 1.
    pub closeness: f64,
    /// What is near.
    pub reason: String,
}

fn needed(name: &str, value: Option<String>, kind: &str) -> Result<String, ApiError> {
    value
        .filter(|value| !value.trim().is_empty())
        .ok_or_else(|| ApiError::value(name, format!("is missing; {kind} needs it")))
}

impl TryFrom<NewActBody> for ActRequest {
    type Error = ApiError;

    fn try_from(body: NewActBody) -> Result<Self, ApiError> {
        let note = body.note;
        match ActKind::parse(&body.kind) {
            Some(ActKind::Resolve) => Ok(Self::Resolve {
                conflict: needed("conflict", body.conflict, "resolve")?.into(),
                keep: needed("keep", body.keep, "resolve")?.into(),
                note,
            }),
            Some(ActKind::Correct) => Ok(Self::Correct {
                fact: needed("fact", body.fact, "correct")?.into(),
                value: body.value,
                valid_from: time_of("valid_from", body.valid_from.as_deref())?.map(ValidTime),
                valid_to: time_of("valid_to", body.valid_to.as_deref())?.map(ValidTime),
                note,
            }),
            Some(ActKind::Retract) => match (body.fact, body.event) {
                (Some(fact), None) => Ok(Self::RetractFact { fact: fact.into(), note }),
                (None, Some(event)) => Ok(Self::RetractEvent { event: event.into(), note }),
                _ => Err(ApiError::value("fact", "retract needs a fact or an event, and not both")),
            },
            Some(ActKind::Merge) => Ok(Self::Merge {
                from: needed("from", body.from, "merge")?,
                into: needed("into", body.into, "merge")?,
                note,
            }),
            Some(ActKind::Split) => {
                let into = needed("into", body.into, "split")?;
                if body.events.is_empty() {
                    return Err(ApiError::value("events", "is empty; split needs some"));
                }
                Ok(Self::Split {
                    entity: needed("entity", body.entity, "split")?,
                    events: body.events.into_iter().map(EventId).collect(),
                    into: entity_ref(&into, body.entity_type.as_deref())?,
                    note,
                })
            }
            _ => Err(ApiError::value(
                "kind",
                format!(
                    "{:?} is not one of resolve, correct, retract, merge, split; an act is undone \
                     by POST …/acts/{{id}}/undo",
                    body.kind
                ),
            )),
        }
    }
}

/// An id names its type; a name needs it beside it.
fn entity_ref(into: &str, kind: Option<&str>) -> Result<EntityRef, ApiError> {
    if let Some((word, name)) = into.split_once(':')
        && let Some(of_id) = EntityKind::parse(word)
    {
        return Ok(EntityRef::new(of_id, name));
    }
    let words: Vec<&str> = EntityKind::ALL.iter().map(|(_, word)| *word).collect();
    let kind = kind
        .and_then(EntityKind::parse)
        .ok_or_else(|| ApiError::value("type", format!("is one of {}", words.join(", "))))?;
    Ok(EntityRef::new(kind, into))
}

impl From<StoredAct> for ActBody {
    fn from(act: StoredAct) -> Self {
        let StoredAct { row, at, undone_by } = act;
        let effects = row.effects;
        Self {
            id: row.seq,
            kind: row.kind.as_str().to_owned(),
            targets: row.targets,
            note: row.note,
            at: time(at),
            undoes: row.undoes,
            undone_by,
            opened: texts(&effects.opened),
            closed: texts(&effects.closed),
            reopened: effects.reopened.into_iter().map(|(fact, _)| fact.0).collect(),
            retracted: texts(&effects.retracted),
            resolved: texts(&effects.resolved),
        }
    }
}

impl From<MergeProposal> for MergeProposalBody {
    fn from(proposal: MergeProposal) -> Self {
        Self {
            from: proposal.from.into(),
            into: proposal.into.into(),
            closeness: proposal.closeness,
            reason: proposal.reason,
        }
    }
}
