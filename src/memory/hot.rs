//! What a namespace's writer keeps at hand: the open tails, counters and outstanding jobs. All of
//! it is read from the store at opening and follows every applied change.

use super::change::Change;
use super::types::Settings;
use crate::model::{
    Block, BlockId, JobId, MessageId, SealCause, SlotId, ThreadId, TurnId, content_hash,
};
use crate::store::{Counters, JobKind, JobState, NamespaceStore, StoreError};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};

/// How a thread stands.
#[derive(Debug, Clone, Default)]
pub struct ThreadState {
    /// Turns in no Block yet, with their messages.
    pub open: Vec<(TurnId, Vec<MessageId>)>,
    /// Messages so far.
    pub messages: u64,
    /// Blocks so far.
    pub blocks: u64,
    /// When the newest turn was recorded.
    pub last_at: Option<DateTime<Utc>>,
}

/// A job to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingJob {
    /// Its id.
    pub id: JobId,
    /// What it does.
    pub kind: JobKind,
    /// The Block it works on.
    pub block: BlockId,
    /// When it was enqueued.
    pub enqueued_at: DateTime<Utc>,
}

/// See the module's documentation.
#[derive(Debug, Clone)]
pub struct Hot {
    /// The settings in force.
    pub settings: Settings,
    /// How many things there are.
    pub counters: Counters,
    /// How every thread stands.
    pub threads: BTreeMap<ThreadId, ThreadState>,
    /// Jobs to be done, by the order in which they were enqueued.
    pub pending: BTreeMap<u64, PendingJob>,
    /// The place of each job in `pending`.
    order: HashMap<JobId, u64>,
    last_order: u64,
    /// Jobs that gave up.
    pub failed: u64,
    /// Slots whose state changes by itself, with the instant.
    pub due: BTreeMap<SlotId, DateTime<Utc>>,
}

impl Hot {
    /// Reads the state from a store.
    pub fn load(store: &NamespaceStore) -> Result<Self, StoreError> {
        let tx = store.begin()?;
        let settings = match tx.settings()? {
            None => Settings::default(),
            Some(json) => serde_json::from_str(&json)
                .map_err(|error| StoreError::Corrupt(format!("the settings: {error}")))?,
        };
        let mut threads = BTreeMap::new();
        for row in tx.threads()? {
            let mut open = Vec::with_capacity(row.open_turns.len());
            for turn in row.open_turns {
                let messages = tx.message_ids_of_turn(&turn)?;
                open.push((turn, messages));
            }
            let state = ThreadState {
                open,
                messages: row.messages,
                blocks: row.blocks,
                last_at: row.last_at,
            };
            threads.insert(row.thread, state);
        }
        let mut hot = Self {
            settings,
            counters: tx.counters()?,
            threads,
            pending: BTreeMap::new(),
            order: HashMap::new(),
            last_order: 0,
            failed: tx.jobs_in(JobState::Failed)?.len() as u64,
            due: tx.due_slots()?.into_iter().collect(),
        };
        for job in tx.jobs_in(JobState::Pending)? {
            hot.enqueue(job.kind, &job.block, job.enqueued_at);
        }
        Ok(hot)
    }

    /// Makes the Block that the first `turns` turns of a thread's open tail would become.
    pub fn next_block(
        &self,
        thread: &ThreadId,
        turns: usize,
        cause: SealCause,
        now: DateTime<Utc>,
    ) -> Option<Block> {
        let state = self.threads.get(thread)?;
        let cut = &state.open[..turns.min(state.open.len())];
        if cut.is_empty() {
            return None;
        }
        let turn_ids: Vec<TurnId> = cut.iter().map(|(turn, _)| turn.clone()).collect();
        let parts = std::iter::once(thread.as_str()).chain(turn_ids.iter().map(TurnId::as_str));
        Some(Block {
            id: BlockId(format!("b_{}", content_hash(parts))),
            thread: thread.clone(),
            seq: state.blocks + 1,
            turns: turn_ids,
            messages: cut.iter().flat_map(|(_, messages)| messages.clone()).collect(),
            sealed_at: now,
            cause,
        })
    }

    /// Takes a Block's turns off the open tail and enqueues its jobs.
    pub fn absorb_block(&mut self, block: &Block) {
        if let Some(state) = self.threads.get_mut(&block.thread) {
            state.open.drain(..block.turns.len().min(state.open.len()));
            state.blocks += 1;
        }
        self.counters.blocks += 1;
        for kind in [JobKind::Summarise, JobKind::Extract] {
            self.enqueue(kind, &block.id, block.sealed_at);
        }
    }

    /// Follows a change that is being written. Captured turns are followed while they are
    /// planned, because the turns of one group build on each other.
    pub fn absorb(&mut self, change: &Change, now: DateTime<Utc>) {
        match change {
            Change::Created { settings, .. } | Change::Configured { settings } => {
                self.settings = settings.clone();
            }
            Change::Sealed { blocks } => {
                for block in blocks {
                    self.absorb_block(block);
                }
            }
            Change::Summarised { run, .. } | Change::Projected { run, partial: false, .. } => {
                self.finish(&run.job);
            }
            Change::Extracted { run, events, partial, .. } => {
                self.counters.events += events.len() as u64;
                if !partial {
                    self.finish(&run.job);
                    self.enqueue(JobKind::Project, &run.block, now);
                }
            }
            Change::JobFailed { run, .. } => {
                self.finish(&run.job);
                self.failed += 1;
            }
            Change::JobCancelled { job } => self.finish(job),
            Change::JobRetried { run } => {
                self.failed = self.failed.saturating_sub(u64::from(run.was_failed));
                self.enqueue(run.kind, &run.block, now);
            }
            Change::Captured { .. }
            | Change::Projected { .. }
            | Change::Migrated { .. }
            | Change::Expanded { .. }
            | Change::Pinned { .. }
            | Change::Forgotten { .. }
            | Change::Restored { .. }
            | Change::Acted { .. }
            | Change::Assessed { .. }
            | Change::Adopted { .. } => {}
        }
    }

    /// Adds a job to those to be done.
    pub fn enqueue(&mut self, kind: JobKind, block: &BlockId, now: DateTime<Utc>) {
        self.last_order += 1;
        let job =
            PendingJob { id: kind.job_id(block), kind, block: block.clone(), enqueued_at: now };
        self.order.insert(job.id.clone(), self.last_order);
        self.pending.insert(self.last_order, job);
    }

    /// Says whether a job is to be done.
    pub fn is_pending(&self, job: &JobId) -> bool {
        self.order.contains_key(job)
    }

    /// Takes a job from those to be done.
    fn finish(&mut self, job: &JobId) {
        if let Some(order) = self.order.remove(job) {
            self.pending.remove(&order);
        }
    }

    /// Counts turns in no Block yet.
    pub fn open_turns(&self) -> u64 {
        self.threads.values().map(|thread| thread.open.len() as u64).sum()
    }
}
