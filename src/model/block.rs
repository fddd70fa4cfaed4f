//! Blocks and their six views.

use super::{BlockId, MessageId, ThreadId, TurnId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A view of a Block, from `L0` (title and tags) to `L5` (the source).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the levels are defined by the views room")]
pub enum Level {
    L0,
    L1,
    L2,
    L3,
    L4,
    L5,
}

/// A text that names no level.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("unknown level {0:?}: use L0, L1, L2, L3, L4 or L5")]
pub struct UnknownLevel(pub String);

impl Level {
    /// All levels from the most concise to the source.
    pub const ALL: [Self; 6] = [Self::L0, Self::L1, Self::L2, Self::L3, Self::L4, Self::L5];

    /// Returns the level's name.
    pub fn as_str(self) -> &'static str {
        ["L0", "L1", "L2", "L3", "L4", "L5"][self as usize]
    }

    /// Returns the level `steps` below this one, `L0` at the least.
    #[must_use]
    pub fn lowered(self, steps: usize) -> Self {
        Self::ALL[(self as usize).saturating_sub(steps)]
    }

    /// Returns the next more exact level, `L5` at the most.
    #[must_use]
    pub fn raised(self) -> Self {
        Self::ALL[(self as usize + 1).min(5)]
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str() == text)
            .ok_or_else(|| UnknownLevel(text.to_owned()))
    }
}

/// How far a Block has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockState {
    /// L5 to L3 stand; summary and extraction are pending.
    Sealed,
    /// The summary stands; extraction is pending.
    Summarised,
    /// Summary and extraction are done: the Block takes part in decay.
    Ready,
    /// A job gave up; visible and retryable.
    Failed,
}

impl BlockState {
    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Summarised => "summarised",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }

    /// Finds a state by its contract word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Sealed, Self::Summarised, Self::Ready, Self::Failed]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

/// What closed a Block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SealCause {
    /// The open tail reached the namespace's number of turns.
    Size,
    /// The host asked for it.
    Call,
    /// Nothing came for the idle time.
    Idle,
}

impl SealCause {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Call => "call",
            Self::Idle => "idle",
        }
    }
}

/// What the summariser made of a Block: the views L0 to L2.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockSummary {
    /// L0: a title.
    pub title: String,
    /// L0: tags.
    pub tags: Vec<String>,
    /// L1: a short summary.
    pub short: String,
    /// L2: the key facts, one per line.
    pub key_facts: Vec<String>,
}

/// A sealed run of turns of one thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The id, from its thread and turns.
    pub id: BlockId,
    /// The thread it was cut from.
    pub thread: ThreadId,
    /// Its place among the Blocks of its thread, from 1.
    pub seq: u64,
    /// Its turns in order.
    pub turns: Vec<TurnId>,
    /// Its messages in order.
    pub messages: Vec<MessageId>,
    /// When it was sealed.
    pub sealed_at: DateTime<Utc>,
    /// What closed it.
    pub cause: SealCause,
}
