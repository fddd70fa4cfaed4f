//! What an Event says about the world: statements about entities, before any rule has decided
//! which of them hold.

use super::{Occurrence, content_hash, ids::EntityId, normalise_name};
use serde::{Deserialize, Serialize};

/// The kind of thing an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    /// A human being; `user` is the person the agent works for.
    Person,
    /// A project, product, document, task or deliverable: something worked on.
    Project,
    /// A company, team or other group.
    Organization,
    /// A tool, library, language, service or device.
    Tool,
    /// A place.
    Place,
    /// Anything else that facts are kept about.
    Thing,
}

impl EntityKind {
    /// All kinds with their contract words.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Person, "person"),
        (Self::Project, "project"),
        (Self::Organization, "organization"),
        (Self::Tool, "tool"),
        (Self::Place, "place"),
        (Self::Thing, "thing"),
    ];

    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("thing", |(_, word)| word)
    }

    /// Finds a kind by its contract word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, w)| *w == word).map(|(kind, _)| *kind)
    }
}

/// A thing as it was named.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EntityRef {
    /// Its kind.
    pub kind: EntityKind,
    /// The name as written; the label of a new entity.
    pub name: String,
    /// Other names that the same sentence, or the engine's lexicon, gives it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

impl EntityRef {
    /// Names a thing.
    pub fn new(kind: EntityKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), aliases: Vec::new() }
    }

    /// Returns the id that an entity of this kind and name has: kind and normalised name. A name
    /// of more than 80 bytes is cut and told apart by a hash.
    pub fn id(&self) -> EntityId {
        let key = normalise_name(&self.name);
        if key.len() <= 80 {
            return EntityId(format!("{}:{key}", self.kind.as_str()));
        }
        let head: String = key.chars().take(20).collect();
        EntityId(format!("{}:{head}~{}", self.kind.as_str(), content_hash([key.as_str()])))
    }
}

/// The value of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimValue {
    /// Another entity.
    Entity(EntityRef),
    /// A literal in words.
    Text(String),
    /// A calendar date, `YYYY-MM-DD`.
    Date(chrono::NaiveDate),
    /// Whatever the value was; only with [`ClaimOp::End`] ("nobody owns it any more").
    Any,
}

/// What a statement does to its Slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimOp {
    /// The value holds from `valid_from`.
    Assert,
    /// The value (or any value) stops holding at `valid_from`.
    End,
}

/// One statement about an entity that an Event makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// What it is about.
    pub subject: EntityRef,
    /// The property's contract name, as in `package_manager`.
    pub property: String,
    /// Tells Slots of one property apart, as the topic of a preference does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qualifier: Option<String>,
    /// The value.
    pub value: ClaimValue,
    /// Whether it begins or ends.
    pub op: ClaimOp,
    /// The time from (and to) which it holds. `None`: from the mention, open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid: Option<Occurrence>,
    /// Planned or tentative: never part of the current state.
    #[serde(default)]
    pub planned: bool,
    /// The sentence says that an earlier statement was wrong, not that the world changed.
    #[serde(default)]
    pub corrects: bool,
}
