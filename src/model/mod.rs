//! The words of the domain as types: conversations, Blocks, Events, entities, facts and the two clocks.
//!
//! Nothing here does I/O, reads a clock, spawns a task or knows a store. The types derive
//! `Serialize` because the journal keeps them inside its versioned envelope
//! ([`crate::journal`]); public JSON has wire types of its own in [`crate::api`], so a
//! public format never changes because a struct did.
//!
//! Start with [`Message`] and [`Turn`] (what comes in), then [`Event`] (what was worth keeping),
//! then [`Claim`] and [`Fact`] (what it says about the world, and for how long).

mod block;
mod claim;
mod conversation;
mod event;
mod fact;
mod ids;
mod property;
mod time;
mod tokens;

pub use block::{Block, BlockState, BlockSummary, Level, SealCause, UnknownLevel};
pub use claim::{Claim, ClaimOp, ClaimValue, EntityKind, EntityRef};
pub use conversation::{Message, Role, ToolCall, Turn};
pub use event::{
    Criticality, Event, EventKind, EventStatus, Extractor, Quote, Relation, RelationKind, Scope,
};
pub use fact::{
    Closing, Conflict, Entity, Fact, FactStatus, FactValue, Reason, Slot, UnknownReason,
};
pub use ids::{
    AssessmentId, BatchId, BlockId, ClosingId, ConflictId, EntityId, EventId, FactId, JobId,
    MessageId, NamespaceName, NamespaceNameError, ReceiptId, SlotId, ThreadId, TurnId,
    content_hash, normalise_name,
};
pub use property::{PROPERTIES, Property, ValueKind, property};
pub use time::{
    Basis, Occurrence, Precision, Stamp, StampBasis, TxTime, ValidTime, parse_instant, to_rfc3339,
};
pub use tokens::estimate_tokens;
