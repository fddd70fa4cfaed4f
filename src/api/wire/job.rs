//! Jobs.

use super::time;
use crate::memory::JobCard;
use crate::model::to_rfc3339;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A job and how it stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct JobBody {
    /// Its id.
    pub id: String,
    /// `summarise`, `extract` or `project`.
    pub kind: String,
    /// The Block it works on.
    pub block: String,
    /// `pending`, `running`, `done`, `failed` or `cancelled`.
    pub state: String,
    /// Times tried.
    pub attempts: u32,
    /// The last error.
    pub last_error: Option<String>,
    /// Engine and version, once done.
    pub engine: Option<String>,
    /// When it was enqueued.
    pub enqueued_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// Items that were not kept, with reasons.
    pub rejected: Vec<String>,
}

impl From<JobCard> for JobBody {
    fn from(card: JobCard) -> Self {
        Self {
            id: card.id.0,
            kind: card.kind,
            block: card.block.0,
            state: card.state,
            attempts: card.attempts,
            last_error: card.last_error,
            engine: card.engine,
            enqueued_at: time(card.enqueued_at),
            ended_at: card.ended_at.map(to_rfc3339),
            rejected: card.rejected,
        }
    }
}
