//! Jobs, assessments, adoptions and operator acts as PROV activities in the ledger graph.

use super::tx::{Node, Tx, instant};
use super::{StoreError, pred_type};
use crate::model::{AssessmentId, BlockId, EventId, JobId, ReceiptId};
use crate::vocab::{prov, sg};
use chrono::{DateTime, Utc};
use oxigraph::model::{Literal, NamedNode};

/// What a job does.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Make the views L0 to L2 of a Block.
    Summarise,
    /// Find the Events of a Block.
    Extract,
    /// Turn a Block's Events into Facts.
    Project,
}

impl JobKind {
    /// All kinds, in the order in which they run.
    pub const ALL: [Self; 3] = [Self::Summarise, Self::Extract, Self::Project];

    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Summarise => "summarise",
            Self::Extract => "extract",
            Self::Project => "project",
        }
    }

    /// Finds a kind by its contract word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Returns the id of this kind of job on a Block.
    pub fn job_id(self, block: &BlockId) -> JobId {
        JobId(format!("j_{}", crate::model::content_hash([self.as_str(), block.as_str()])))
    }
}

/// How a job stands, as the store knows it. A running job is a pending one with a lease, which is
/// side data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// To be done.
    Pending,
    /// Done.
    Done,
    /// Gave up; visible and retryable.
    Failed,
    /// Cancelled by an operator.
    Cancelled,
}

impl JobState {
    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Finds a state by its contract word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Pending, Self::Done, Self::Failed, Self::Cancelled]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

/// A job as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// Its id.
    pub id: JobId,
    /// What it does.
    pub kind: JobKind,
    /// The Block it works on.
    pub block: BlockId,
    /// How it stands.
    pub state: JobState,
    /// Times tried, as of the last recorded change.
    pub attempts: u32,
    /// The last error.
    pub last_error: Option<String>,
    /// Engine and version.
    pub engine: Option<String>,
    /// When it was enqueued.
    pub enqueued_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Items that were not kept, with reasons.
    pub rejected: Vec<String>,
}

/// An assessment with its batch, as journaled.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AssessmentRow {
    /// Its id.
    pub id: AssessmentId,
    /// The batch's id.
    pub batch: String,
    /// The batch's query.
    pub query: String,
    /// The verdict that stands.
    pub verdict: String,
    /// Accepted refs with the Events behind them.
    pub accepted: Vec<(String, Vec<EventId>)>,
    /// Rejected refs with reasons.
    pub rejected: Vec<(String, String)>,
    /// What fits.
    pub fit: String,
    /// What is missing.
    pub missing: String,
    /// The next step that stands.
    pub next_strategy: String,
    /// Why it stands or was lowered.
    pub reason: String,
}

/// An adoption, as journaled.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AdoptionRow {
    /// The caller's key.
    pub receipt: ReceiptId,
    /// The assessment it rests on.
    pub assessment: AssessmentId,
    /// The refs, sorted.
    pub refs: Vec<String>,
    /// The Events reinforced, sorted.
    pub events: Vec<EventId>,
}

impl Tx<'_> {
    /// Enqueues a job on a Block.
    pub fn put_job(&mut self, kind: JobKind, block: &BlockId, at: DateTime<Utc>) {
        let names = self.names;
        let node = names.job(&kind.job_id(block));
        let ledger = &names.ledger;
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::JOB), ledger);
        self.add(&node, pred_type(), NamedNode::new_unchecked(prov::ACTIVITY), ledger);
        self.add(&node, sg::JOB_KIND, Literal::from(kind.as_str()), ledger);
        self.add(&node, sg::TARGET, names.block(block), ledger);
        self.add(&node, sg::JOB_STATE, Literal::from(JobState::Pending.as_str()), ledger);
        self.add(&node, prov::STARTED_AT_TIME, instant(at), ledger);
        self.add(&node, sg::ATTEMPTS, Literal::from(0u64), ledger);
    }

    /// Records how a job ended, or that it is pending again.
    pub fn set_job(&mut self, row: &JobRow) -> Result<(), StoreError> {
        let names = self.names;
        let node = names.job(&row.id);
        let ledger = &names.ledger;
        let text = |value: &Option<String>| value.as_deref().map(Literal::from);
        self.set(&node, sg::JOB_STATE, Some(Literal::from(row.state.as_str())), ledger)?;
        self.set(&node, sg::ATTEMPTS, Some(Literal::from(u64::from(row.attempts))), ledger)?;
        self.set(&node, sg::LAST_ERROR, text(&row.last_error), ledger)?;
        self.set(&node, sg::EXTRACTOR, text(&row.engine), ledger)?;
        self.set(&node, prov::ENDED_AT_TIME, row.ended_at.map(instant), ledger)?;
        for item in &row.rejected {
            self.add(&node, sg::REJECTED, Literal::from(item.as_str()), ledger);
        }
        Ok(())
    }

    /// Finds a job.
    pub fn job(&self, id: &JobId) -> Result<Option<JobRow>, StoreError> {
        let node = self.node(&self.names.job(id), &self.names.ledger)?;
        if node.is_empty() {
            return Ok(None);
        }
        self.read_job(id.clone(), &node).map(Some)
    }

    fn read_job(&self, id: JobId, node: &Node) -> Result<JobRow, StoreError> {
        let block = node.need_iri(sg::TARGET)?;
        Ok(JobRow {
            id,
            kind: node
                .text(sg::JOB_KIND)
                .and_then(JobKind::parse)
                .ok_or_else(|| node.missing(sg::JOB_KIND))?,
            block: BlockId(self.names.id_of("block", block).unwrap_or_default()),
            state: node
                .text(sg::JOB_STATE)
                .and_then(JobState::parse)
                .ok_or_else(|| node.missing(sg::JOB_STATE))?,
            attempts: node.integer(sg::ATTEMPTS).unwrap_or(0),
            last_error: node.text(sg::LAST_ERROR).map(str::to_owned),
            engine: node.text(sg::EXTRACTOR).map(str::to_owned),
            enqueued_at: node.need_instant(prov::STARTED_AT_TIME)?,
            ended_at: node.instant(prov::ENDED_AT_TIME),
            rejected: node.texts(sg::REJECTED),
        })
    }

    /// Returns the jobs in a state, oldest first.
    pub fn jobs_in(&self, state: JobState) -> Result<Vec<JobRow>, StoreError> {
        let literal = Literal::from(state.as_str());
        let mut rows = Vec::new();
        for node in self.subjects(sg::JOB_STATE, &literal, &self.names.ledger)? {
            if let Some(id) = self.names.id_of("job", node.as_str()) {
                rows.extend(self.job(&JobId(id))?);
            }
        }
        rows.sort_by(|a, b| {
            (a.enqueued_at, &a.block, a.kind).cmp(&(b.enqueued_at, &b.block, b.kind))
        });
        Ok(rows)
    }

    /// Writes an assessment.
    pub fn put_assessment(&mut self, row: &AssessmentRow, at: DateTime<Utc>) {
        let names = self.names;
        let node = names.assessment(&row.id);
        let ledger = &names.ledger;
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::ASSESSMENT), ledger);
        self.add(&node, pred_type(), NamedNode::new_unchecked(prov::ACTIVITY), ledger);
        self.add(&node, sg::BATCH, Literal::from(row.batch.as_str()), ledger);
        self.add(&node, sg::QUERY, Literal::from(row.query.as_str()), ledger);
        self.add(&node, sg::VERDICT, Literal::from(row.verdict.as_str()), ledger);
        self.add(&node, sg::NOTE, Literal::from(row.reason.as_str()), ledger);
        self.add(&node, prov::ENDED_AT_TIME, instant(at), ledger);
        for (evidence, events) in &row.accepted {
            self.add(&node, sg::EVIDENCE, Literal::from(evidence.as_str()), ledger);
            for event in events {
                self.add(&node, prov::USED, names.event(event), ledger);
            }
        }
        let payload = serde_json::to_string(row).expect("assessments are plain data");
        self.add(&node, sg::PAYLOAD, Literal::from(payload), ledger);
    }

    /// Finds an assessment.
    pub fn assessment(&self, id: &AssessmentId) -> Result<Option<AssessmentRow>, StoreError> {
        self.payload(&self.names.assessment(id))
    }

    /// Writes an adoption.
    pub fn put_adoption(&mut self, row: &AdoptionRow, at: DateTime<Utc>) {
        let names = self.names;
        let node = names.adoption(&row.receipt);
        let ledger = &names.ledger;
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::ADOPTION), ledger);
        self.add(&node, pred_type(), NamedNode::new_unchecked(prov::ACTIVITY), ledger);
        self.add(&node, sg::RECEIPT_ID, Literal::from(row.receipt.as_str()), ledger);
        self.add(&node, sg::OF_ASSESSMENT, names.assessment(&row.assessment), ledger);
        self.add(&node, prov::ENDED_AT_TIME, instant(at), ledger);
        for event in &row.events {
            self.add(&node, sg::ADOPTED, names.event(event), ledger);
        }
        let payload = serde_json::to_string(row).expect("adoptions are plain data");
        self.add(&node, sg::PAYLOAD, Literal::from(payload), ledger);
    }

    /// Finds an adoption by the caller's key.
    pub fn adoption(&self, id: &ReceiptId) -> Result<Option<AdoptionRow>, StoreError> {
        self.payload(&self.names.adoption(id))
    }

    /// Returns the receipts that adopted an Event, in order.
    pub fn adopters(&self, event: &EventId) -> Result<Vec<ReceiptId>, StoreError> {
        let event = self.names.event(event);
        let subjects = self.subjects(sg::ADOPTED, event.as_ref(), &self.names.ledger)?;
        let mut ids: Vec<ReceiptId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("adoption", node.as_str()).map(ReceiptId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    pub(super) fn payload<T: serde::de::DeserializeOwned>(
        &self,
        node: &NamedNode,
    ) -> Result<Option<T>, StoreError> {
        let payload = self.object(node, sg::PAYLOAD, &self.names.ledger)?;
        let Some(json) = payload.as_ref().and_then(super::tx::literal_text) else {
            return Ok(None);
        };
        serde_json::from_str(json).map(Some).map_err(|error| {
            StoreError::Corrupt(format!("{} has a broken payload: {error}", node.as_str()))
        })
    }
}
