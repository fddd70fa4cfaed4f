//! The seam between the memory and whatever extracts.

use super::EngineError;
use crate::model::{
    BlockId, BlockSummary, EntityKind, Event, EventId, EventKind, EventStatus, Message, Occurrence,
    Stamp, ThreadId,
};

/// An entity the namespace already knows, for coreference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntity {
    /// Its kind.
    pub kind: EntityKind,
    /// Its label.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
}

/// An earlier Event of the same thread, for relations and coreference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEvent {
    /// The id a relation points to.
    pub id: EventId,
    /// Its title.
    pub title: String,
    /// Its kind.
    pub kind: EventKind,
    /// Its status.
    pub status: EventStatus,
    /// When it was mentioned.
    pub mentioned_at: Stamp,
    /// When it happened or is planned.
    pub occurred: Occurrence,
    /// The statements it makes.
    pub claims: Vec<crate::model::Claim>,
}

/// One sealed Block and what surrounds it.
#[derive(Debug, Clone)]
pub struct BlockInput<'a> {
    /// The thread.
    pub thread: &'a ThreadId,
    /// The Block.
    pub block: &'a BlockId,
    /// Its messages in order: the only ones that may be sources.
    pub messages: &'a [Message],
    /// The messages just before the Block, oldest first (at most 8), for coreference only.
    pub before: &'a [Message],
    /// Entities of the namespace, best known first (bounded by the caller).
    pub entities: &'a [KnownEntity],
    /// Earlier Events of the thread (bounded by the caller).
    pub events: &'a [KnownEvent],
}

/// An item that was not kept, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RejectedItem {
    /// What it was.
    pub item: String,
    /// Why it was not kept.
    pub reason: String,
}

/// What an engine found in a Block. No Events is a success.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extraction {
    /// Events, each with at least one source message of the Block.
    pub events: Vec<Event>,
    /// Items that were not kept.
    pub rejected: Vec<RejectedItem>,
}

/// Something that can summarise a Block and find Events in it.
///
/// A call may take long and may fail; it never runs inside a transaction or on a reply path.
pub trait Engine: Send + Sync {
    /// Returns the engine's name, as in `rules`.
    fn name(&self) -> &'static str;

    /// Returns the engine's version; it is kept with everything the engine made.
    fn version(&self) -> &str;

    /// Makes the views L0 to L2 of a Block.
    ///
    /// # Errors
    /// See [`EngineError`].
    fn summarise(&self, input: &BlockInput<'_>) -> Result<BlockSummary, EngineError>;

    /// Finds the Events of a Block.
    ///
    /// # Errors
    /// See [`EngineError`].
    fn extract(&self, input: &BlockInput<'_>) -> Result<Extraction, EngineError>;
}
