//! Background work on Blocks: summarise, extract, project.
//!
//! An attempt is noted before it begins, so that a crash counts as one. The engine runs outside
//! every lock and transaction; what it gives is checked and written as one record, together with
//! the jobs that follow from it.

use super::change::{Change, JobRun, RetriedJob};
use super::engines::BlockMaterial;
use super::error::MemoryError;
use super::hot::PendingJob;
use super::namespace::{Attempt, Namespace};
use super::project;
use super::slots::SlotCache;
use super::types::{JobCard, JobFilter, Page};
use super::writer::{Parted, PlanView, Planned, lock};
use crate::extract::{Engine, Extraction, RejectedItem};
use crate::model::{BlockSummary, Event, JobId};
use crate::store::{JobKind, JobRow, JobState, Tx};
use chrono::{DateTime, Duration, Utc};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Times a job is tried before it is given up.
const MAX_ATTEMPTS: u32 = 5;

/// What became of an attempt at a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    /// It is done.
    Done,
    /// It will be tried again.
    Retry,
    /// It was given up, visibly.
    Failed,
    /// It was no longer there to be done.
    Gone,
    /// The workers are to end: the rest of it is left for the next start.
    Left,
}

/// Events in one record of a job: few enough that a capture need not wait long for it.
const EVENTS_A_RECORD: usize = 4;

/// What of a job's result is still to be written.
enum Parts {
    Summary(Option<BlockSummary>),
    Events {
        events: VecDeque<Event>,
        /// Gone once the last record is written.
        rejected: Option<Vec<RejectedItem>>,
    },
    Projection {
        /// Read from the store when the first record is planned.
        events: Option<VecDeque<Event>>,
        rejected: Vec<RejectedItem>,
    },
}

impl Parts {
    /// Plans the next record; `None` after the last.
    fn next(
        &mut self,
        tx: &Tx<'_>,
        slots: &mut SlotCache,
        now: DateTime<Utc>,
        run: &JobRun,
    ) -> Result<Option<Change>, MemoryError> {
        let run = run.clone();
        match self {
            Self::Summary(summary) => {
                Ok(summary.take().map(|summary| Change::Summarised { run, summary }))
            }
            Self::Events { events, rejected } => {
                if rejected.is_none() {
                    return Ok(None);
                }
                let mut new = Vec::new();
                while let Some(event) = events.pop_front() {
                    // The same words cut another way give the same Event: it is there.
                    if tx.event(&event.id)?.is_none() {
                        new.push(event);
                    }
                    if new.len() == EVENTS_A_RECORD {
                        break;
                    }
                }
                let partial = !events.is_empty();
                let told = if partial { None } else { rejected.take() };
                let rejected = told.unwrap_or_default();
                Ok(Some(Change::Extracted { run, events: new, rejected, partial }))
            }
            Self::Projection { events, rejected } => {
                let left = match events {
                    None => events.insert(project::events_of_block(tx, &run.block)?.into()),
                    Some(left) if left.is_empty() => return Ok(None),
                    Some(left) => left,
                };
                let some: Vec<Event> = left.drain(..left.len().min(EVENTS_A_RECORD)).collect();
                let mut change = project::plan(tx, slots, &some, now, run)?;
                if let Change::Projected { rejected: new, partial, .. } = &mut change {
                    rejected.append(new);
                    *partial = !left.is_empty();
                    if !*partial {
                        new.append(rejected);
                    }
                }
                Ok(Some(change))
            }
        }
    }
}

/// What an engine gave.
enum Made {
    Summary(BlockSummary),
    Events(Extraction),
    /// The projection is planned when it is written: it depends on what the store says.
    Projection,
}

impl Namespace {
    /// Returns the oldest job that may be tried now.
    pub fn next_job(&self) -> Option<PendingJob> {
        let pending: Vec<PendingJob> =
            self.with_hot(|hot, _| hot.pending.values().take(16).cloned().collect());
        let now = Utc::now();
        let attempts = lock(&self.attempts);
        pending.into_iter().find(|job| {
            // A wait longer than the longest was noted by a clock that has been set back since.
            attempts.get(job.id.as_str(), now).is_none_or(|attempt| {
                attempt.not_before <= now || attempt.not_before > now + longest_wait()
            })
        })
    }

    /// Tries a job once.
    ///
    /// # Errors
    /// When the journal or the store fails; a failing engine is an outcome, not an error.
    pub fn run_job(
        &self,
        job: &PendingJob,
        engine: &dyn Engine,
    ) -> Result<JobOutcome, MemoryError> {
        let before = lock(&self.attempts).get(job.id.as_str(), Utc::now()).cloned();
        let attempts = before.as_ref().map_or(0, |attempt| attempt.attempts) + 1;
        let run = JobRun {
            job: job.id.clone(),
            kind: job.kind,
            block: job.block.clone(),
            engine: format!("{}/{}", engine.name(), engine.version()),
            attempts,
        };
        if attempts > MAX_ATTEMPTS {
            let error = before.and_then(|attempt| attempt.last_error).unwrap_or_else(|| {
                format!("the process ended during each of {MAX_ATTEMPTS} attempts")
            });
            return self.give_up(&JobRun { attempts: MAX_ATTEMPTS, ..run }, error);
        }
        let now = Utc::now();
        let begun = Attempt { attempts, last_error: None, not_before: now };
        self.note_attempt(&job.id, begun)?;
        let made = catch_unwind(AssertUnwindSafe(|| self.make(job, engine)))
            .unwrap_or_else(|panic| Err(panic_text(panic.as_ref())));
        let error = match made {
            Ok(made) => match self.write_made(&run, made) {
                Ok(Parted::Whole) => {
                    lock(&self.attempts).remove(job.id.as_str())?;
                    return Ok(JobOutcome::Done);
                }
                Ok(Parted::Gone) => return Ok(JobOutcome::Gone),
                Ok(Parted::Left) => {
                    self.forget_attempt(&job.id, before)?;
                    return Ok(JobOutcome::Left);
                }
                Err(error @ (MemoryError::Unavailable(_) | MemoryError::Corrupt(_))) => {
                    return Err(error);
                }
                Err(error) => error.to_string(),
            },
            Err(error) => error,
        };
        tracing::warn!(
            namespace = %self.name, job.kind = job.kind.as_str(), block.id = %job.block, attempts,
            error, "a job failed"
        );
        if attempts >= MAX_ATTEMPTS {
            return self.give_up(&run, error);
        }
        let not_before = now + wait_after(attempts);
        self.note_attempt(&job.id, Attempt { attempts, last_error: Some(error), not_before })?;
        Ok(JobOutcome::Retry)
    }

    fn note_attempt(&self, job: &JobId, attempt: Attempt) -> Result<(), MemoryError> {
        // Attempts are kept while their job is pending, so they never expire by themselves.
        lock(&self.attempts).put(job.as_str(), attempt, None)?;
        Ok(())
    }

    /// Being stopped is no failure: the attempt does not count.
    fn forget_attempt(&self, job: &JobId, before: Option<Attempt>) -> Result<(), MemoryError> {
        match before {
            Some(before) => self.note_attempt(job, before),
            None => Ok(lock(&self.attempts).remove(job.as_str()).map(|_| ())?),
        }
    }

    fn give_up(&self, run: &JobRun, error: String) -> Result<JobOutcome, MemoryError> {
        let job = run.job.clone();
        let (there, _) = self.write(|view| {
            if !is_pending(view, &run.job) {
                return Ok(Planned::nothing(false));
            }
            Ok(Planned::write(Change::JobFailed { run: run.clone(), error }, true))
        })?;
        lock(&self.attempts).remove(job.as_str())?;
        Ok(if there { JobOutcome::Failed } else { JobOutcome::Gone })
    }

    /// Runs the engine, outside every lock.
    fn make(&self, job: &PendingJob, engine: &dyn Engine) -> Result<Made, String> {
        if job.kind == JobKind::Project {
            return Ok(Made::Projection);
        }
        let tx = self.store.begin().map_err(|error| error.to_string())?;
        let block = tx
            .block(&job.block)
            .map_err(|error| error.to_string())?
            .ok_or_else(|| format!("no block {}", job.block))?;
        let material =
            BlockMaterial::gather(self, &tx, block).map_err(|error| error.to_string())?;
        drop(tx);
        if job.kind == JobKind::Summarise {
            let summary = engine.summarise(&material.input()).map_err(|error| error.to_string())?;
            return Ok(Made::Summary(summary));
        }
        material.extract(engine).map(Made::Events).map_err(|error| error.to_string())
    }

    /// Writes what was made. What is much goes into several records, so that captures come in
    /// between; a crash in their middle is made good by the next attempt, which finds the first of
    /// them done.
    fn write_made(&self, run: &JobRun, made: Made) -> Result<Parted, MemoryError> {
        let mut parts = match made {
            Made::Summary(summary) => Parts::Summary(Some(summary)),
            Made::Events(extraction) => Parts::Events {
                events: extraction.events.into(),
                rejected: Some(extraction.rejected),
            },
            Made::Projection => Parts::Projection { events: None, rejected: Vec::new() },
        };
        self.write_parts(
            |tx, slots, now| parts.next(tx, slots, now, run),
            |view| is_pending(view, &run.job),
        )
    }

    fn job_card(&self, row: JobRow) -> JobCard {
        let attempt = lock(&self.attempts).get(row.id.as_str(), Utc::now()).cloned();
        let pending = row.state == JobState::Pending;
        JobCard {
            kind: row.kind.as_str().to_owned(),
            block: row.block,
            state: row.state.as_str().to_owned(),
            attempts: attempt.as_ref().filter(|_| pending).map_or(row.attempts, |a| a.attempts),
            last_error: attempt.filter(|_| pending).and_then(|a| a.last_error).or(row.last_error),
            engine: row.engine,
            enqueued_at: row.enqueued_at,
            ended_at: row.ended_at,
            rejected: row.rejected,
            id: row.id,
        }
    }

    /// Lists jobs: those to be done and those that gave up first, then the rest.
    ///
    /// # Errors
    /// When a filter is not a state or kind, or the store fails.
    pub fn jobs(&self, filter: &JobFilter) -> Result<Page<JobCard>, MemoryError> {
        let states = match &filter.state {
            None => vec![JobState::Pending, JobState::Failed, JobState::Cancelled, JobState::Done],
            Some(word) => vec![JobState::parse(word).ok_or_else(|| {
                MemoryError::invalid("state", "use pending, done, failed or cancelled")
            })?],
        };
        let kind = match &filter.kind {
            None => None,
            Some(word) => Some(JobKind::parse(word).ok_or_else(|| {
                MemoryError::invalid("kind", "use summarise, extract or project")
            })?),
        };
        let limit = super::page_limit(filter.page.limit);
        let skip: usize = match super::cursor_parts(filter.page.cursor.as_deref(), 1)?.as_slice() {
            [skip] => {
                skip.parse().map_err(|_| MemoryError::invalid("cursor", "is not one we gave"))?
            }
            _ => 0,
        };
        let tx = self.store.begin()?;
        let mut rows = Vec::new();
        for state in states {
            rows.extend(tx.jobs_in(state)?);
        }
        rows.retain(|row| kind.is_none_or(|kind| row.kind == kind));
        let more = rows.len() > skip.saturating_add(limit);
        let items = rows.into_iter().skip(skip).take(limit).map(|row| self.job_card(row)).collect();
        let next = more.then(|| super::cursor(&[&(skip + limit).to_string()]));
        Ok(Page { items, next })
    }

    /// Finds a job.
    ///
    /// # Errors
    /// When there is none of that id.
    pub fn job(&self, id: &JobId) -> Result<JobCard, MemoryError> {
        let row = self.store.begin()?.job(id)?;
        row.map(|row| self.job_card(row)).ok_or_else(|| self.not_found("job", id.as_str()))
    }

    /// Lets a failed or cancelled job run again.
    ///
    /// # Errors
    /// When there is none of that id, or it is pending or done.
    pub fn retry_job(&self, id: &JobId) -> Result<JobCard, MemoryError> {
        self.write(|view| {
            let row = view.tx.job(id)?.ok_or_else(|| self.not_found("job", id.as_str()))?;
            if !matches!(row.state, JobState::Failed | JobState::Cancelled) {
                return Err(MemoryError::Conflict(format!(
                    "job {id} is {}; only a failed or cancelled job can be retried",
                    row.state.as_str()
                )));
            }
            let run = RetriedJob {
                job: id.clone(),
                kind: row.kind,
                block: row.block,
                was_failed: row.state == JobState::Failed,
            };
            Ok(Planned::write(Change::JobRetried { run }, ()))
        })?;
        lock(&self.attempts).remove(id.as_str())?;
        self.job(id)
    }

    /// Cancels a pending job; its source stays, and it can be retried.
    ///
    /// # Errors
    /// When there is none of that id, or it is not pending.
    pub fn cancel_job(&self, id: &JobId) -> Result<JobCard, MemoryError> {
        self.write(|view| {
            let row = view.tx.job(id)?.ok_or_else(|| self.not_found("job", id.as_str()))?;
            if row.state != JobState::Pending {
                return Err(MemoryError::Conflict(format!(
                    "job {id} is {}; only a pending job can be cancelled",
                    row.state.as_str()
                )));
            }
            Ok(Planned::write(Change::JobCancelled { job: id.clone() }, ()))
        })?;
        self.job(id)
    }
}

/// 1, 4, 9, 16 seconds: long enough for a passing trouble, short enough to be waited for.
fn wait_after(attempts: u32) -> Duration {
    Duration::seconds(i64::from(attempts * attempts))
}

fn longest_wait() -> Duration {
    wait_after(MAX_ATTEMPTS)
}

fn is_pending(view: &PlanView<'_>, job: &JobId) -> bool {
    view.hot.is_pending(job)
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    format!("the engine panicked: {text}")
}
