//! What a journal record says: one accepted write with its whole result, so that replaying it
//! never runs a rule or a model again.

use super::types::Settings;
use crate::extract::RejectedItem;
use crate::model::{
    Block, BlockId, BlockSummary, Entity, Event, EventId, JobId, Level, Slot, TxTime,
};
use crate::store::{ActRow, AdoptionRow, AssessmentRow, CapturedTurn, JobKind};
use crate::temporal::{SlotChange, SlotClaim};
use serde::{Deserialize, Serialize};

/// A claim with the Slot that its entity and property resolved to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedClaim {
    /// The Slot.
    pub slot: Slot,
    /// The claim.
    pub claim: SlotClaim,
}

/// What changed in one Slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedChange {
    /// The Slot.
    pub slot: Slot,
    /// The change.
    pub change: SlotChange,
}

/// How a finished job was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRun {
    /// The job.
    pub job: JobId,
    /// Its kind.
    pub kind: JobKind,
    /// The Block.
    pub block: BlockId,
    /// Engine and version.
    pub engine: String,
    /// Times tried, this one included.
    pub attempts: u32,
}

/// A job that is to run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetriedJob {
    /// The job.
    pub job: JobId,
    /// Its kind.
    pub kind: JobKind,
    /// The Block.
    pub block: BlockId,
    /// Whether it had failed (else it was cancelled).
    pub was_failed: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for this form")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// One accepted write. The variants' names are the journal's record kinds: stored data, never
/// renamed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "changes are few and short-lived")]
pub enum Change {
    /// The namespace was made, in this stored form.
    Created {
        /// Its settings.
        settings: Settings,
        /// The stored form.
        format: u32,
    },
    /// Its settings changed.
    Configured {
        /// The settings from now on.
        settings: Settings,
    },
    /// The stored form was migrated.
    Migrated {
        /// The form reached.
        format: u32,
    },
    /// Turns came in; full Blocks were sealed with them.
    Captured {
        /// The turns.
        turns: Vec<CapturedTurn>,
        /// The Blocks they completed.
        blocks: Vec<Block>,
    },
    /// Open tails were sealed.
    Sealed {
        /// The Blocks.
        blocks: Vec<Block>,
    },
    /// A Block was summarised.
    Summarised {
        /// The run.
        run: JobRun,
        /// L0 to L2.
        summary: BlockSummary,
    },
    /// Events were extracted from a Block.
    Extracted {
        /// The run.
        run: JobRun,
        /// The new Events.
        events: Vec<Event>,
        /// Items that were not kept.
        rejected: Vec<RejectedItem>,
        /// Whether more of the same job follows in records of their own.
        #[serde(default, skip_serializing_if = "is_false")]
        partial: bool,
    },
    /// A Block's Events became Facts.
    Projected {
        /// The run.
        run: JobRun,
        /// New entities, and known ones with new names.
        entities: Vec<Entity>,
        /// Which entities take part in which Event.
        participants: Vec<(EventId, Vec<crate::model::EntityId>)>,
        /// The claims as placed.
        claims: Vec<PlacedClaim>,
        /// What changed.
        changes: Vec<PlacedChange>,
        /// Claims that were not kept.
        rejected: Vec<RejectedItem>,
        /// Whether more of the same job follows in records of their own.
        #[serde(default, skip_serializing_if = "is_false")]
        partial: bool,
    },
    /// A job gave up.
    JobFailed {
        /// The run.
        run: JobRun,
        /// The last error.
        error: String,
    },
    /// An operator lets a job run again.
    JobRetried {
        /// Which job, and how it stood.
        run: RetriedJob,
    },
    /// An operator cancelled a job.
    JobCancelled {
        /// The job.
        job: JobId,
    },
    /// A Block's view was expanded.
    Expanded {
        /// The Block.
        block: BlockId,
        /// The level it decays from now.
        level: Level,
        /// The position it decays from now.
        position: u64,
    },
    /// An operator pinned or unpinned an Event.
    Pinned {
        /// The Event.
        event: EventId,
        /// Whether it is pinned now.
        pinned: bool,
    },
    /// An operator forgot an Event.
    Forgotten {
        /// The Event.
        event: EventId,
        /// What that changed.
        changes: Vec<PlacedChange>,
    },
    /// An operator restored a forgotten Event.
    Restored {
        /// The Event.
        event: EventId,
        /// What that changed.
        changes: Vec<PlacedChange>,
    },
    /// An operator resolved, corrected, retracted, merged, split or undid.
    Acted {
        /// The act.
        act: ActRow,
        /// New entities.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        entities: Vec<Entity>,
        /// Which entities take part in which Event from now on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        participants: Vec<(EventId, Vec<crate::model::EntityId>)>,
        /// The claims it makes or moves, as placed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        claims: Vec<PlacedClaim>,
        /// What that changed.
        changes: Vec<PlacedChange>,
    },
    /// A batch was assessed.
    Assessed {
        /// The assessment with its batch.
        assessment: AssessmentRow,
    },
    /// Events were adopted.
    Adopted {
        /// The adoption.
        adoption: AdoptionRow,
    },
}

impl Change {
    /// Says that all of it is recorded at `at`.
    pub fn stamp(&mut self, at: TxTime) {
        if let Self::Projected { changes, .. } = self {
            for placed in changes {
                placed.change.stamp(at);
            }
        }
    }

    /// Returns the record kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Created { .. } => "created",
            Self::Configured { .. } => "configured",
            Self::Migrated { .. } => "migrated",
            Self::Captured { .. } => "captured",
            Self::Sealed { .. } => "sealed",
            Self::Summarised { .. } => "summarised",
            Self::Extracted { .. } => "extracted",
            Self::Projected { .. } => "projected",
            Self::JobFailed { .. } => "job_failed",
            Self::JobRetried { .. } => "job_retried",
            Self::JobCancelled { .. } => "job_cancelled",
            Self::Expanded { .. } => "expanded",
            Self::Pinned { .. } => "pinned",
            Self::Forgotten { .. } => "forgotten",
            Self::Restored { .. } => "restored",
            Self::Acted { .. } => "acted",
            Self::Assessed { .. } => "assessed",
            Self::Adopted { .. } => "adopted",
        }
    }
}
