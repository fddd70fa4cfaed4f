//! From a change to quads: the same for a write that is happening and for a replay.

use super::change::{Change, JobRun, PlacedChange};
use super::error::MemoryError;
use super::slots::SlotCache;
use crate::extract::RejectedItem;
use crate::model::{
    Block, BlockId, BlockState, Conflict, EventId, Fact, FactId, JobId, Slot, SlotId, TxTime,
    ValidTime,
};
use crate::store::{
    ActEffects, ActKind, ActRow, Counters, EventWeights, JobKind, JobRow, JobState, MessageKey,
    SlotPresent, Tx,
};
use crate::temporal::{self, SlotChange};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// What an applied change adds to the counters, and when Slots change by themselves.
#[derive(Debug, Default)]
pub struct Delta {
    /// New entities.
    pub entities: u64,
    /// New Facts.
    pub facts: u64,
    /// The next instant at which time alone changes each touched Slot.
    pub due: BTreeMap<SlotId, Option<DateTime<Utc>>>,
}

impl Delta {
    /// Adds to counters what the change brought.
    pub fn count(&self, change: &Change, counters: &mut Counters) {
        match change {
            Change::Captured { turns, blocks } => {
                counters.turns += turns.len() as u64;
                counters.messages +=
                    turns.iter().map(|turn| turn.turn.messages.len() as u64).sum::<u64>();
                counters.blocks += blocks.len() as u64;
            }
            Change::Sealed { blocks } => counters.blocks += blocks.len() as u64,
            Change::Extracted { events, .. } => counters.events += events.len() as u64,
            _ => {}
        }
        counters.entities += self.entities;
        counters.facts += self.facts;
    }
}

/// Applies a change; `turns` is the namespace's number of turns at that point.
pub fn apply(
    tx: &mut Tx<'_>,
    slots: &mut SlotCache,
    seq: u64,
    at: TxTime,
    change: &Change,
    turns: u64,
) -> Result<Delta, MemoryError> {
    let mut delta = Delta::default();
    tx.put_commit(seq, change.kind(), at.0);
    match change {
        Change::Created { settings, .. } | Change::Configured { settings } => {
            let json = serde_json::to_string(settings)
                .map_err(|error| MemoryError::Unavailable(error.to_string()))?;
            tx.set_settings(&json)?;
        }
        Change::Migrated { .. } => {}
        Change::Captured { turns, blocks } => {
            let mut messages: BTreeMap<&crate::model::ThreadId, (u64, u64)> = BTreeMap::new();
            for captured in turns {
                tx.put_turn(captured, seq);
                let thread = &captured.turn.thread;
                tx.put_open_turn(thread, &captured.turn.id);
                let before = captured.first_position - 1;
                let count = before + captured.turn.messages.len() as u64;
                messages.entry(thread).or_insert((before, count)).1 = count;
            }
            for (thread, (before, count)) in messages {
                tx.put_thread_messages(thread, before, count);
            }
            seal(tx, seq, at, blocks);
        }
        Change::Sealed { blocks } => seal(tx, seq, at, blocks),
        Change::Summarised { run, summary } => {
            tx.put_summary(&run.block, summary, &run.job);
            finish(tx, run, at, &[])?;
            advance(tx, &run.block)?;
        }
        Change::Extracted { run, events, rejected, partial } => {
            for event in events {
                tx.put_event(event, &run.job, at, seq);
                let weights = EventWeights { anchor_turn: turns, ..EventWeights::default() };
                tx.set_event_weights(&event.id, weights)?;
            }
            if !partial {
                finish(tx, run, at, &told(rejected))?;
                tx.put_job(JobKind::Project, &run.block, at.0);
                advance(tx, &run.block)?;
            }
        }
        Change::Projected { run, entities, participants, claims, changes, rejected, partial } => {
            for entity in entities {
                delta.entities += u64::from(tx.entity(&entity.id)?.is_none());
                tx.put_entity(entity, at)?;
            }
            for (event, entities) in participants {
                tx.put_participants(event, entities);
            }
            for placed in claims {
                tx.put_slot(&placed.slot);
                tx.put_claim(&placed.slot, &placed.claim);
                slots.claimed(&placed.slot.id(), &placed.claim);
            }
            apply_changes(tx, slots, changes, at, &mut delta)?;
            if !partial {
                finish(tx, run, at, &told(rejected))?;
            }
        }
        Change::JobFailed { run, error } => {
            let row = JobRow {
                state: JobState::Failed,
                attempts: run.attempts,
                last_error: Some(error.clone()),
                engine: Some(run.engine.clone()),
                ended_at: Some(at.0),
                ..need_job(tx, &run.job)?
            };
            tx.set_job(&row)?;
            if run.kind != JobKind::Project {
                tx.set_block_state(&run.block, BlockState::Failed)?;
            }
        }
        Change::JobRetried { run } => {
            let row = JobRow {
                state: JobState::Pending,
                attempts: 0,
                last_error: None,
                ended_at: None,
                ..need_job(tx, &run.job)?
            };
            tx.set_job(&row)?;
            if run.kind != JobKind::Project {
                tx.set_block_state(&run.block, BlockState::Sealed)?;
                advance(tx, &run.block)?;
            }
        }
        Change::JobCancelled { job } => {
            let row = need_job(tx, job)?;
            tx.set_job(&JobRow { state: JobState::Cancelled, ended_at: Some(at.0), ..row })?;
        }
        Change::Expanded { block, level, position } => {
            tx.set_anchor(block, *level, *position)?;
            let note = Some(format!("to {level}"));
            put_act(tx, seq, ActKind::Expand, format!("block:{block}"), note, at)?;
        }
        Change::Pinned { event, pinned } => {
            let weights = EventWeights { pinned: *pinned, ..tx.event_weights(event)? };
            tx.set_event_weights(event, weights)?;
            let kind = if *pinned { ActKind::Pin } else { ActKind::Unpin };
            put_act(tx, seq, kind, format!("event:{event}"), None, at)?;
        }
        Change::Forgotten { event, changes } => {
            let weights = EventWeights { forgotten_at: Some(at.0), ..tx.event_weights(event)? };
            tx.set_event_weights(event, weights)?;
            apply_changes(tx, slots, changes, at, &mut delta)?;
            put_act(tx, seq, ActKind::Forget, format!("event:{event}"), None, at)?;
        }
        Change::Restored { event, changes } => {
            let weights = EventWeights { forgotten_at: None, ..tx.event_weights(event)? };
            tx.set_event_weights(event, weights)?;
            apply_changes(tx, slots, changes, at, &mut delta)?;
            put_act(tx, seq, ActKind::Restore, format!("event:{event}"), None, at)?;
        }
        Change::Acted { act, entities, participants, claims, changes } => {
            for entity in entities {
                delta.entities += u64::from(tx.entity(&entity.id)?.is_none());
                tx.put_entity(entity, at)?;
            }
            for (event, entities) in participants {
                tx.put_participants(event, entities);
            }
            for placed in claims {
                tx.put_slot(&placed.slot);
                tx.put_claim(&placed.slot, &placed.claim);
                slots.claimed(&placed.slot.id(), &placed.claim);
            }
            for claim in &act.set_aside {
                tx.set_aside(claim, seq);
            }
            for claim in &act.brought_back {
                tx.bring_back(claim)?;
            }
            if let Some((entity, into)) = &act.merged {
                tx.set_merged(entity, into.as_ref())?;
            }
            if let Some((event, retracted)) = &act.retracted {
                let since = retracted.then_some(at.0);
                let weights = EventWeights { retracted_at: since, ..tx.event_weights(event)? };
                tx.set_event_weights(event, weights)?;
            }
            tx.put_act(act, at.0)?;
            apply_changes(tx, slots, changes, at, &mut delta)?;
        }
        Change::Assessed { assessment } => tx.put_assessment(assessment, at.0),
        Change::Adopted { adoption } => {
            for event in &adoption.events {
                let before = tx.event_weights(event)?;
                let weights =
                    EventWeights { adoptions: before.adoptions + 1, anchor_turn: turns, ..before };
                tx.set_event_weights(event, weights)?;
            }
            tx.put_adoption(adoption, at.0);
        }
    }
    Ok(delta)
}

fn seal(tx: &mut Tx<'_>, seq: u64, at: TxTime, blocks: &[Block]) {
    for block in blocks {
        tx.put_block(block, seq);
        tx.put_thread_blocks(&block.thread, block.seq);
        for kind in [JobKind::Summarise, JobKind::Extract] {
            tx.put_job(kind, &block.id, at.0);
        }
    }
}

/// Records an act that changes nothing but its target.
fn put_act(
    tx: &mut Tx<'_>,
    seq: u64,
    kind: ActKind,
    target: String,
    note: Option<String>,
    at: TxTime,
) -> Result<(), MemoryError> {
    let row = ActRow {
        seq,
        kind,
        targets: vec![target],
        note,
        undoes: None,
        set_aside: Vec::new(),
        brought_back: Vec::new(),
        added: Vec::new(),
        merged: None,
        retracted: None,
        effects: ActEffects::default(),
    };
    Ok(tx.put_act(&row, at.0)?)
}

fn told(rejected: &[RejectedItem]) -> Vec<String> {
    rejected.iter().map(|item| format!("{}: {}", item.item, item.reason)).collect()
}

fn need_job(tx: &Tx<'_>, id: &JobId) -> Result<JobRow, MemoryError> {
    tx.job(id)?.ok_or_else(|| MemoryError::Corrupt(format!("there is no job {id}")))
}

fn finish(
    tx: &mut Tx<'_>,
    run: &JobRun,
    at: TxTime,
    rejected: &[String],
) -> Result<(), MemoryError> {
    let row = JobRow {
        state: JobState::Done,
        attempts: run.attempts,
        last_error: None,
        engine: Some(run.engine.clone()),
        ended_at: Some(at.0),
        rejected: rejected.to_vec(),
        ..need_job(tx, &run.job)?
    };
    tx.set_job(&row)?;
    Ok(())
}

/// Moves a Block on to what its finished jobs make it. A failed one stays failed until the job
/// that failed is retried.
fn advance(tx: &mut Tx<'_>, block: &BlockId) -> Result<(), MemoryError> {
    let state = |kind: JobKind| -> Result<Option<JobState>, MemoryError> {
        Ok(tx.job(&kind.job_id(block))?.map(|row| row.state))
    };
    let summarise = state(JobKind::Summarise)?;
    let extract = state(JobKind::Extract)?;
    let next = match (summarise, extract) {
        (Some(JobState::Failed), _) | (_, Some(JobState::Failed)) => BlockState::Failed,
        (Some(JobState::Done), Some(JobState::Done)) => BlockState::Ready,
        (Some(JobState::Done), _) => BlockState::Summarised,
        _ => BlockState::Sealed,
    };
    tx.set_block_state(block, next)?;
    Ok(())
}

fn apply_changes(
    tx: &mut Tx<'_>,
    slots: &mut SlotCache,
    changes: &[PlacedChange],
    at: TxTime,
    delta: &mut Delta,
) -> Result<(), MemoryError> {
    for PlacedChange { slot, change } in changes {
        delta.facts += change.opened.len() as u64;
        apply_slot_change(tx, change)?;
        let id = slot.id();
        let contents = slots.changed(tx, &id, change)?;
        let due = refresh_slot(tx, slot, &contents.facts, &contents.conflicts, at.0)?;
        delta.due.insert(id, due);
    }
    Ok(())
}

/// Writes what a change says of one Slot's Facts, closings and conflicts.
fn apply_slot_change(tx: &mut Tx<'_>, change: &SlotChange) -> Result<(), MemoryError> {
    for opened in &change.opened {
        let messages = messages_of(tx, &opened.fact)?;
        tx.put_fact(&opened.fact, opened.rule.as_str(), &messages);
    }
    for retracted in &change.retracted {
        let cause = retracted.cause.as_ref();
        tx.retract_fact(&retracted.fact, retracted.at, retracted.reason, cause);
    }
    for reopened in &change.reopened {
        tx.retract_closing(&reopened.fact, &reopened.closing, reopened.at)?;
    }
    for closed in &change.closed {
        tx.put_closing(&closed.fact, &closed.closing)?;
    }
    for sources in &change.sources {
        for event in &sources.removed {
            tx.remove_fact_source(&sources.fact, event);
        }
        let mut messages = Vec::new();
        for event in &sources.added {
            messages.extend(sources_of(tx, event)?);
        }
        tx.add_fact_sources(&sources.fact, &sources.added, &messages);
    }
    for opened in &change.conflicts {
        tx.put_conflict(&opened.conflict);
        if let Some(at) = opened.conflict.resolved_at {
            let by = opened.conflict.resolved_by.as_ref();
            tx.resolve_conflict(&opened.conflict.id, at, by);
        }
    }
    for resolved in &change.resolved {
        tx.resolve_conflict(&resolved.conflict, resolved.at, resolved.cause.as_ref());
    }
    Ok(())
}

fn messages_of(tx: &Tx<'_>, fact: &Fact) -> Result<Vec<MessageKey>, MemoryError> {
    let mut messages = Vec::new();
    for event in &fact.events {
        messages.extend(sources_of(tx, event)?);
    }
    messages.sort();
    messages.dedup();
    Ok(messages)
}

/// The messages behind an Event; behind an operator's act, those of what it put right.
fn sources_of(tx: &Tx<'_>, event: &EventId) -> Result<Vec<MessageKey>, MemoryError> {
    let Some(act) = event.act() else { return Ok(tx.event_sources(event)?) };
    let mut messages = Vec::new();
    if let Some(stored) = tx.act(act)? {
        // It can only have set aside what was there before it, so this ends.
        for claim in stored.row.set_aside.iter().filter(|claim| claim.event != *event) {
            messages.extend(sources_of(tx, &claim.event)?);
        }
    }
    Ok(messages)
}

/// Whether a Fact can still be in force, planned or contested from now on.
fn may_matter(fact: &Fact, now: DateTime<Utc>) -> bool {
    fact.retracted_at.is_none() && fact.valid_to(None).is_none_or(|to| to.0 > now)
}

/// Makes the current graph say what a Slot's Facts say at an instant. Returns the next instant
/// at which time alone changes that.
pub fn refresh_slot(
    tx: &mut Tx<'_>,
    slot: &Slot,
    facts: &[Fact],
    conflicts: &[Conflict],
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, MemoryError> {
    let id = slot.id();
    let state = temporal::state_at(facts, conflicts, ValidTime(now), None);
    let contested: Vec<&FactId> = state.conflict.iter().map(|fact| &fact.id).collect();
    let open: Vec<_> = conflicts
        .iter()
        .filter(|conflict| conflict.resolved_at.is_none())
        .filter(|conflict| conflict.candidates.iter().any(|id| contested.contains(&id)))
        .map(|conflict| conflict.id.clone())
        .collect();
    tx.set_current(slot, &state.current, &open, facts)?;
    let due = facts
        .iter()
        .filter(|fact| fact.retracted_at.is_none())
        .flat_map(|fact| [fact.valid_from, fact.valid_to(None)])
        .flatten()
        .map(|at| at.0)
        .filter(|at| *at > now)
        .min();
    tx.set_due(&id, due)?;
    let facts: Vec<Fact> = facts.iter().filter(|fact| may_matter(fact, now)).cloned().collect();
    let lives = |id: &&FactId| facts.iter().any(|fact| fact.id == **id);
    let contested = |conflict: &Conflict| conflict.candidates.iter().filter(lives).count() > 1;
    let conflicts = conflicts.iter().filter(|conflict| contested(conflict)).cloned().collect();
    tx.set_present(&id, &SlotPresent { slot: slot.clone(), facts, conflicts })?;
    Ok(due)
}
