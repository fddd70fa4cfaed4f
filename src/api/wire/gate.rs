//! The evidence gate and adoptions.

use super::texts;
use crate::memory::{AdoptAnswer, AssessAnswer, AssessRequest, Signal};
use crate::model::BatchId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A verdict on a batch.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AssessBody {
    /// The batch that a search or recall gave.
    pub batch: String,
    /// `sufficient`, `partial` or `wrong`.
    pub verdict: String,
    /// At most 8 refs, all from that batch.
    #[serde(default)]
    pub evidence_refs: Vec<String>,
    /// What fits, in at most 160 characters.
    #[serde(default)]
    pub fit: String,
    /// What is missing, in at most 160 characters.
    #[serde(default)]
    pub missing: String,
    /// `answer`, `search_events`, `search_graph`, `search_raw`, `expand_event`, `expand_entity`
    /// or `expand_block`.
    pub next_strategy: String,
}

/// What the gate made of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AssessAnswerBody {
    /// The assessment's id, for adoptions.
    pub assessment: String,
    /// The verdict that stands.
    pub verdict: String,
    /// Accepted refs.
    pub accepted: Vec<String>,
    /// Rejected refs with reasons.
    pub rejected: Vec<RejectedRefBody>,
    /// The next step that stands.
    pub next_strategy: String,
    /// Why the verdict was lowered, or that it stands.
    pub reason: String,
    /// Advice that needs no model.
    pub signals: Vec<SignalBody>,
}

/// A ref that was not accepted.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RejectedRefBody {
    /// The ref.
    #[serde(rename = "ref")]
    pub evidence_ref: String,
    /// Why.
    pub reason: String,
}

/// Advice that needs no model.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SignalBody {
    /// A stable word, as in `planned_not_done`.
    pub signal: String,
    /// What it is about.
    pub detail: String,
    /// The ref concerned.
    #[serde(rename = "ref")]
    pub evidence_ref: Option<String>,
}

/// What was really used in a final answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AdoptionBody {
    /// The caller's key. Sending it again changes nothing.
    pub receipt_id: String,
    /// The assessment.
    pub assessment: String,
    /// Refs that the assessment accepted; an empty list reinforces nothing.
    #[serde(default)]
    pub evidence_refs: Vec<String>,
}

/// What an adoption did.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AdoptionAnswerBody {
    /// `recorded` now, or a `duplicate`.
    pub status: String,
    /// The Events it reinforced.
    pub incremented: Vec<String>,
}

impl From<AssessBody> for AssessRequest {
    fn from(body: AssessBody) -> Self {
        Self {
            batch: BatchId(body.batch),
            verdict: body.verdict,
            evidence_refs: body.evidence_refs,
            fit: body.fit,
            missing: body.missing,
            next_strategy: body.next_strategy,
        }
    }
}

impl From<AssessAnswer> for AssessAnswerBody {
    fn from(answer: AssessAnswer) -> Self {
        Self {
            assessment: answer.assessment.0,
            verdict: answer.verdict,
            accepted: answer.accepted,
            rejected: answer
                .rejected
                .into_iter()
                .map(|(evidence_ref, reason)| RejectedRefBody { evidence_ref, reason })
                .collect(),
            next_strategy: answer.next_strategy,
            reason: answer.reason,
            signals: answer.signals.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Signal> for SignalBody {
    fn from(signal: Signal) -> Self {
        Self {
            signal: signal.signal.to_owned(),
            detail: signal.detail,
            evidence_ref: signal.evidence_ref,
        }
    }
}

impl From<AdoptAnswer> for AdoptionAnswerBody {
    fn from(answer: AdoptAnswer) -> Self {
        Self {
            status: if answer.duplicate { "duplicate" } else { "recorded" }.to_owned(),
            incremented: texts(&answer.incremented),
        }
    }
}
