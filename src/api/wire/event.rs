//! Events.

use super::message::{basis, offset};
use super::{texts, time};
use crate::memory::EventCard;
use crate::model::{EntityRef, Occurrence, Quote, Relation, to_rfc3339};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An Event with what is recorded beside it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventBody {
    /// Its id.
    pub id: String,
    /// A short title.
    pub title: String,
    /// One or two sentences.
    pub summary: String,
    /// `decision`, `plan`, `change`, `result`, `problem`, `preference`, `state`, `constraint`,
    /// `request`, `habit`, `proposal` or `other`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the conversation asserted: `occurred`, `ongoing`, `planned`, `tentative`,
    /// `cancelled`, `negated`, `rejected` or `unknown`.
    pub status: String,
    /// Tags.
    pub tags: Vec<String>,
    /// The words it rests on.
    pub quotes: Vec<QuoteBody>,
    /// The entities that take part.
    pub participants: Vec<ParticipantBody>,
    /// Its thread.
    pub thread: String,
    /// The Block it was extracted from.
    pub source_block: String,
    /// Its source messages' ids, in order; never empty.
    pub source_messages: Vec<String>,
    /// When the conversation spoke of it.
    pub mentioned_at: String,
    /// The offset of the mention.
    pub mentioned_offset: String,
    /// `given`, `offset_assumed` or `assumed`.
    pub mentioned_basis: String,
    /// When it happened or is planned.
    pub occurred: OccurrenceBody,
    /// `user`, `project` or `session`.
    pub scope: String,
    /// `routine`, `preference`, `identity` or `safety`.
    pub criticality: String,
    /// Links to earlier Events.
    pub relations: Vec<RelationBody>,
    /// Who said it.
    pub speaker: String,
    /// Why it happened, in the source's words.
    pub reason: Option<String>,
    /// The engine that made it.
    pub extractor: ExtractorBody,
    /// Present weight, 0 to 1.
    pub weight: f64,
    /// Times it was really used in an answer.
    pub adoptions: u64,
    /// Later Events that replaced what it said.
    pub superseded_by: Vec<String>,
    /// Events in open conflict with it.
    pub conflicts_with: Vec<String>,
    /// When it was recorded.
    pub recorded_at: String,
    /// The journal record that holds it.
    pub revision: u64,
    /// Pinned by an operator.
    pub pinned: bool,
    /// Forgotten by an operator.
    pub forgotten: bool,
    /// Since when an operator has taken it back.
    pub retracted_at: Option<String>,
}

/// A span of a source message.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct QuoteBody {
    /// The message's id.
    pub message: String,
    /// The span's text.
    pub text: String,
    /// Its first character (Unicode code point), from 0.
    pub start: usize,
    /// One past its last character.
    pub end: usize,
}

/// An entity that takes part.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ParticipantBody {
    /// The entity's id.
    pub id: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name as written.
    pub label: String,
}

/// When something happened or is planned.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OccurrenceBody {
    /// Start, inclusive, in UTC; null when unknown or open.
    pub from: Option<String>,
    /// End, exclusive, in UTC; null when unknown or open.
    pub to: Option<String>,
    /// First calendar day in the message's own offset.
    pub local_from: Option<String>,
    /// Last calendar day in the message's own offset, inclusive.
    pub local_to: Option<String>,
    /// `instant`, `day`, `week`, `month`, `quarter`, `season`, `year`, `range`, `deadline`,
    /// `open_end` or `unknown`.
    pub precision: String,
    /// The original wording.
    pub expression: Option<String>,
    /// `explicit`, `relative`, `inferred` or `unknown`.
    pub basis: String,
    /// Whether the wording itself says "about".
    pub approx: bool,
}

/// A link to an earlier Event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RelationBody {
    /// `supersedes`, `conflicts_with`, `fulfils`, `refines`, `same_as`, `before` or `after`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The earlier Event's id.
    pub event: String,
}

/// The engine that made an Event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ExtractorBody {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl From<EventCard> for EventBody {
    fn from(card: EventCard) -> Self {
        let event = card.event;
        Self {
            id: event.id.0,
            title: event.title,
            summary: event.summary,
            kind: event.kind.as_str().to_owned(),
            status: event.status.as_str().to_owned(),
            tags: event.tags,
            quotes: event.quotes.into_iter().map(Into::into).collect(),
            participants: event.participants.iter().map(Into::into).collect(),
            thread: event.thread.0,
            source_block: event.block.0,
            source_messages: texts(&event.sources),
            mentioned_at: time(event.mentioned_at.utc),
            mentioned_offset: offset(&event.mentioned_at),
            mentioned_basis: basis(&event.mentioned_at).to_owned(),
            occurred: event.occurred.into(),
            scope: event.scope.as_str().to_owned(),
            criticality: event.criticality.as_str().to_owned(),
            relations: event.relations.into_iter().map(Into::into).collect(),
            speaker: event.speaker,
            reason: event.reason,
            extractor: ExtractorBody {
                name: event.extractor.name,
                version: event.extractor.version,
            },
            weight: card.weight,
            adoptions: card.adoptions,
            superseded_by: texts(&card.superseded_by),
            conflicts_with: texts(&card.conflicts_with),
            recorded_at: time(card.recorded_at.0),
            revision: card.revision,
            pinned: card.pinned,
            forgotten: card.forgotten,
            retracted_at: card.retracted_at.map(|at| time(at.0)),
        }
    }
}

impl From<Quote> for QuoteBody {
    fn from(quote: Quote) -> Self {
        Self { message: quote.message.0, text: quote.text, start: quote.start, end: quote.end }
    }
}

impl From<&EntityRef> for ParticipantBody {
    fn from(entity: &EntityRef) -> Self {
        Self {
            id: entity.id().0,
            kind: entity.kind.as_str().to_owned(),
            label: entity.name.clone(),
        }
    }
}

impl From<Occurrence> for OccurrenceBody {
    fn from(occurred: Occurrence) -> Self {
        Self {
            from: occurred.from.map(to_rfc3339),
            to: occurred.to.map(to_rfc3339),
            local_from: occurred.local_from.map(|day| day.to_string()),
            local_to: occurred.local_to.map(|day| day.to_string()),
            precision: occurred.precision.as_str().to_owned(),
            expression: occurred.expression,
            basis: occurred.basis.as_str().to_owned(),
            approx: occurred.approx,
        }
    }
}

impl From<Relation> for RelationBody {
    fn from(relation: Relation) -> Self {
        Self { kind: relation.kind.as_str().to_owned(), event: relation.target.0 }
    }
}
