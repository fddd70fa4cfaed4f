//! Blocks and what stands in for a history.

use super::{MessageBody, time};
use crate::memory::{BlockCard, Context};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A Block at a level.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BlockBody {
    /// Its id.
    pub id: String,
    /// Its thread.
    pub thread: String,
    /// Its place among the Blocks of its thread, from 1.
    pub seq: u64,
    /// `sealed`, `summarised`, `ready` or `failed`.
    pub state: String,
    /// The level of `text`, `L0` (title) to `L5` (source).
    pub level: String,
    /// Short-term weight, 0 to 1.
    pub weight: f64,
    /// Ready Blocks of the thread after its anchor.
    pub age: u64,
    /// The view.
    pub text: String,
    /// Estimated tokens of the view.
    pub tokens: usize,
    /// Its turns in order.
    pub turns: Vec<String>,
    /// Its messages in order.
    pub messages: Vec<String>,
    /// When it was sealed.
    pub sealed_at: String,
    /// Its title, where it is summarised.
    pub title: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
}

/// What stands in for a thread's history.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ContextBody {
    /// Ready Blocks, oldest first, at their present levels.
    pub blocks: Vec<BlockBody>,
    /// Messages that no ready Block stands in for.
    pub tail: Vec<MessageBody>,
    /// Estimated tokens of all of it.
    pub tokens: usize,
}

/// Which thread is sealed.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct SealBody {
    /// One thread; all when absent.
    #[serde(default)]
    pub thread: Option<String>,
}

/// The Blocks that were sealed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BlocksSealedBody {
    /// Their ids; empty when there was nothing to seal.
    pub blocks: Vec<String>,
}

/// How far a view is expanded.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ExpandBody {
    /// `next`, or a level `L0` to `L5`.
    pub to: String,
}

impl From<BlockCard> for BlockBody {
    fn from(card: BlockCard) -> Self {
        Self {
            id: card.id.0,
            thread: card.thread.0,
            seq: card.seq,
            state: card.state.as_str().to_owned(),
            level: card.level.to_string(),
            weight: card.weight,
            age: card.age,
            text: card.text,
            tokens: card.tokens,
            turns: super::texts(&card.turns),
            messages: super::texts(&card.messages),
            sealed_at: time(card.sealed_at),
            title: card.title,
            tags: card.tags,
        }
    }
}

impl From<Context> for ContextBody {
    fn from(context: Context) -> Self {
        Self {
            blocks: context.blocks.into_iter().map(Into::into).collect(),
            tail: context.tail.into_iter().map(Into::into).collect(),
            tokens: context.tokens,
        }
    }
}
