//! Events: cards that say what happened, with their sources. Never edited.

use super::{
    BlockId, Claim, EntityRef, EventId, MessageId, Occurrence, Stamp, ThreadId, content_hash,
    normalise_name,
};
use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[allow(missing_docs, reason = "the variants are the words of the contract")]
        pub enum $name { $($variant),+ }

        impl $name {
            /// All values in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the contract word.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Finds a value by its contract word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// What kind of thing happened.
    EventKind {
        Decision = "decision", Plan = "plan", Change = "change", Result = "result",
        Problem = "problem", Preference = "preference", State = "state",
        Constraint = "constraint", Request = "request", Habit = "habit",
        Proposal = "proposal", Other = "other",
    }
}

words! {
    /// What the conversation asserted. Supersession is never a status.
    EventStatus {
        Occurred = "occurred", Ongoing = "ongoing", Planned = "planned",
        Tentative = "tentative", Cancelled = "cancelled", Negated = "negated",
        Rejected = "rejected", Unknown = "unknown",
    }
}

words! {
    /// How much forgetting would hurt; sets the floor of the weight.
    Criticality {
        Routine = "routine", Preference = "preference", Identity = "identity", Safety = "safety",
    }
}

words! {
    /// Whom an Event concerns.
    Scope { User = "user", Project = "project", Session = "session" }
}

words! {
    /// How an Event stands to an earlier one.
    RelationKind {
        Supersedes = "supersedes", ConflictsWith = "conflicts_with", Fulfils = "fulfils",
        Refines = "refines", SameAs = "same_as", Before = "before", After = "after",
    }
}

/// A span of a source message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// The message, in the Event's own thread.
    pub message: MessageId,
    /// The span's text, exactly as in the message.
    pub text: String,
    /// First character (Unicode code point), from 0.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
}

/// A link to an earlier Event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// How the two stand to each other.
    pub kind: RelationKind,
    /// The earlier Event.
    pub target: EventId,
}

/// The engine that made an Event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extractor {
    /// The engine's name, as in `rules`.
    pub name: String,
    /// The engine's version.
    pub version: String,
}

/// What happened, with its sources. Immutable: supersession, conflict, retraction and forgetting
/// are recorded beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The id, from sources, type and normalised statement.
    pub id: EventId,
    /// A short title.
    pub title: String,
    /// One or two sentences.
    pub summary: String,
    /// What kind of thing happened.
    pub kind: EventKind,
    /// What the conversation asserted.
    pub status: EventStatus,
    /// Tags.
    pub tags: Vec<String>,
    /// The words it rests on.
    pub quotes: Vec<Quote>,
    /// The entities that take part.
    pub participants: Vec<EntityRef>,
    /// The thread of its Block.
    pub thread: ThreadId,
    /// The Block it was extracted from.
    pub block: BlockId,
    /// Its source messages, in order; never empty.
    pub sources: Vec<MessageId>,
    /// When the conversation spoke of it: the time of the first source.
    pub mentioned_at: Stamp,
    /// When it happened or is planned.
    pub occurred: Occurrence,
    /// Whom it concerns.
    pub scope: Scope,
    /// How much forgetting would hurt.
    pub criticality: Criticality,
    /// Links to earlier Events.
    pub relations: Vec<Relation>,
    /// Who said it: a name where one is known, else the role.
    pub speaker: String,
    /// Why it happened, in the source's words.
    pub reason: Option<String>,
    /// The engine that made it.
    pub extractor: Extractor,
    /// The statements it makes about entities.
    pub claims: Vec<Claim>,
}

impl Event {
    /// Returns the id for an Event with these sources, kind and statement. The Block plays no
    /// part, so another cut of the same conversation gives the same ids.
    pub fn id_for(
        thread: &ThreadId,
        sources: &[MessageId],
        kind: EventKind,
        statement: &str,
    ) -> EventId {
        let statement = normalise_name(statement);
        let mut parts = vec![thread.as_str(), kind.as_str(), statement.as_str()];
        parts.extend(sources.iter().map(MessageId::as_str));
        EventId(format!("e_{}", content_hash(parts)))
    }
}
