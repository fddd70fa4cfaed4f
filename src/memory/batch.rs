//! Retrieval batches: what an assessment may point to. Side data: bounded, expiring, neither
//! journaled nor exported; an assessment copies what it needs into the journal.

use crate::model::EventId;
use chrono::Duration;
use serde::{Deserialize, Serialize};

/// Most bytes the batches of a namespace take on disk; the oldest go first.
pub const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// How long a batch can be assessed.
pub fn lifetime() -> Duration {
    Duration::days(7)
}

/// One ref of a batch and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchItem {
    /// The evidence ref.
    pub evidence_ref: String,
    /// `event`, `fact`, `message`, `block` or `entity`.
    pub kind: String,
    /// The thing's id.
    pub id: String,
    /// What it says, where the Events behind it do not say it all.
    #[serde(default)]
    pub text: String,
    /// The Events behind it: what an adoption of the ref reinforces.
    pub events: Vec<EventId>,
}

/// One retrieval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The words that were asked.
    pub query: String,
    /// What was found.
    pub items: Vec<BatchItem>,
}
