//! The one writer of a namespace: validate, append and fsync, apply, acknowledge.
//!
//! Callers queue their turns and then contend for the writer; whoever gets it writes everything
//! that is queued with one fsync and one store transaction (group commit). Writes that depend on
//! what the store says run alone, after the queue has been written.

use super::apply;
use super::capture;
use super::change::Change;
use super::error::MemoryError;
use super::hot::Hot;
use super::namespace::Namespace;
use super::slots::SlotCache;
use super::types::{NewTurn, TurnReceipt};
use crate::journal::{Journal, Record};
use crate::model::TxTime;
use crate::store::{Counters, Tx};
use chrono::{DateTime, Utc};
use std::sync::atomic::Ordering;
use std::sync::mpsc;

/// Long enough for a waiting thread to wake and take the writer.
const LET_OTHERS: std::time::Duration = std::time::Duration::from_micros(100);

/// What a queued capture gets back.
type CaptureResult = Result<Vec<TurnReceipt>, MemoryError>;

/// Turns that wait for the writer.
pub struct QueuedCapture {
    turns: Vec<NewTurn>,
    reply: mpsc::SyncSender<CaptureResult>,
}

/// What only the holder of the writer lock touches.
pub struct Writer {
    pub(super) journal: Journal,
    pub(super) hot: Hot,
    /// Why this writer must not be used any more.
    pub(super) broken: Option<String>,
    /// The counters as the store has them.
    stored: Counters,
    last_at: DateTime<Utc>,
}

/// What a write that depends on the store has decided.
pub struct Planned<T> {
    /// The record to write; `None` changes nothing.
    pub change: Option<Change>,
    /// What the caller is told.
    pub answer: T,
}

impl<T> Planned<T> {
    /// Writes a record.
    pub fn write(change: Change, answer: T) -> Self {
        Self { change: Some(change), answer }
    }

    /// Writes nothing.
    pub fn nothing(answer: T) -> Self {
        Self { change: None, answer }
    }
}

/// How a write in several records ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parted {
    /// All records are written.
    Whole,
    /// It did not hold any more, after some of them.
    Gone,
    /// The workers are to end: the rest is left for the next attempt.
    Left,
}

/// What a plan can see: a snapshot with everything written so far, and the time it would have.
pub struct PlanView<'a> {
    /// The snapshot.
    pub tx: Tx<'a>,
    /// The writer's state.
    pub hot: &'a Hot,
    /// When the write would be recorded.
    pub now: DateTime<Utc>,
    /// The number its record would have.
    pub seq: u64,
}

impl Writer {
    pub(super) fn new(journal: Journal, hot: Hot, last_at: DateTime<Utc>) -> Self {
        Self { stored: hot.counters, journal, hot, broken: None, last_at }
    }

    fn usable(&self) -> Result<(), MemoryError> {
        match &self.broken {
            None => Ok(()),
            Some(reason) => Err(MemoryError::Unavailable(format!(
                "writes to this namespace are stopped until it is reopened: {reason}"
            ))),
        }
    }

    /// Transaction time never runs backwards, whatever the wall clock does.
    fn next_time(&mut self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.last_at = self.last_at.max(now);
        self.last_at
    }

    /// Appends and fsyncs the records, then applies them in one store transaction.
    fn commit(
        &mut self,
        ns: &Namespace,
        slots: &mut SlotCache,
        changes: &[Change],
        at: DateTime<Utc>,
    ) -> Result<u64, MemoryError> {
        let first = self.journal.last_seq() + 1;
        let outcome = self.append_and_apply(ns, slots, changes, first, at);
        if let Err(error) = &outcome {
            // The state in memory may be ahead of the disk, or the disk ahead of the store: only
            // a reopening, which replays the journal, makes them equal again.
            tracing::error!(namespace = %ns.name, %error, "a write failed; stopping writes");
            slots.clear();
            ns.stop_writer(self, &error.to_string());
        }
        outcome
    }

    fn append_and_apply(
        &mut self,
        ns: &Namespace,
        slots: &mut SlotCache,
        changes: &[Change],
        first: u64,
        at: DateTime<Utc>,
    ) -> Result<u64, MemoryError> {
        let mut bodies = Vec::with_capacity(changes.len());
        for change in changes {
            let body = serde_json::to_vec(change)
                .map_err(|error| MemoryError::Unavailable(error.to_string()))?;
            bodies.push(body);
        }
        let records: Vec<Record<'_>> = changes
            .iter()
            .zip(&bodies)
            .map(|(change, body)| Record { recorded_at: at, kind: change.kind(), body })
            .collect();
        self.journal.append(&records)?;
        let mut tx = ns.store.begin()?;
        let before = self.stored;
        for (change, seq) in changes.iter().zip(first..) {
            let delta =
                apply::apply(&mut tx, slots, seq, TxTime(at), change, self.hot.counters.turns)?;
            self.hot.counters.entities += delta.entities;
            self.hot.counters.facts += delta.facts;
            for (slot, due) in delta.due {
                match due {
                    None => self.hot.due.remove(&slot),
                    Some(due) => self.hot.due.insert(slot, due),
                };
            }
        }
        let last = first + changes.len() as u64 - 1;
        tx.replace_counters(before, self.hot.counters);
        tx.replace_applied(first - 1, last);
        tx.commit()?;
        self.stored = self.hot.counters;
        let bytes: u64 = bodies.iter().map(|body| body.len() as u64).sum();
        ns.applied_bytes.fetch_add(bytes, Ordering::SeqCst);
        ns.after_commit(changes, first, at, self.hot.counters.turns);
        Ok(last)
    }
}

impl Namespace {
    /// Records turns; concurrent callers share one fsync.
    pub fn capture(&self, turns: Vec<NewTurn>) -> Result<Vec<TurnReceipt>, MemoryError> {
        let (reply, answer) = mpsc::sync_channel(1);
        lock(&self.queue).push(QueuedCapture { turns, reply });
        let mut writer = self.lock_writer();
        match answer.try_recv() {
            Ok(done) => return done,
            Err(mpsc::TryRecvError::Empty | mpsc::TryRecvError::Disconnected) => {}
        }
        self.drain(&mut writer);
        drop(writer);
        answer.recv().unwrap_or_else(|_| {
            Err(MemoryError::Unavailable("the write was lost before it was begun".to_owned()))
        })
    }

    /// Writes everything that is queued.
    fn drain(&self, writer: &mut Writer) {
        let queued = std::mem::take(&mut *lock(&self.queue));
        if queued.is_empty() {
            return;
        }
        if let Err(error) = writer.usable() {
            for capture in queued {
                // A caller that has gone away needs no answer.
                let _ = capture.reply.send(Err(MemoryError::Unavailable(error.to_string())));
            }
            return;
        }
        let mut changes = Vec::new();
        let mut acknowledged = Vec::new();
        let mut overlay = capture::Overlay::default();
        let at = writer.next_time(self.now());
        let first = writer.journal.last_seq() + 1;
        for QueuedCapture { turns, reply } in queued {
            let revision = first + changes.len() as u64;
            let planned = self.store.begin().map_err(MemoryError::from).and_then(|tx| {
                capture::plan(turns, &tx, &mut writer.hot, &mut overlay, at, revision)
            });
            match planned {
                Ok((None, receipts)) if changes.is_empty() => {
                    let _ = reply.send(Ok(receipts));
                }
                // A repeat of a turn in this very group is acknowledged with the group.
                Ok((change, receipts)) => {
                    changes.extend(change);
                    acknowledged.push((reply, receipts));
                }
                Err(error) => {
                    let _ = reply.send(Err(error));
                }
            }
        }
        if changes.is_empty() {
            return;
        }
        // Turns change no Slot.
        let outcome = writer.commit(self, &mut SlotCache::default(), &changes, at);
        for (reply, receipts) in acknowledged {
            let answer = match &outcome {
                Ok(_) => Ok(receipts),
                Err(error) => Err(MemoryError::Unavailable(error.to_string())),
            };
            let _ = reply.send(answer);
        }
    }

    /// Runs a write that depends on what the store says. The plan sees everything written before
    /// it, and nothing is written between it and its record.
    pub fn write<T>(
        &self,
        plan: impl FnOnce(&PlanView<'_>) -> Result<Planned<T>, MemoryError>,
    ) -> Result<(T, Option<u64>), MemoryError> {
        self.write_in_graph(&mut lock(&self.graph), plan)
    }

    /// Runs a write that changes neither Slots nor Events, and so need not wait for a job that is
    /// writing its result.
    pub fn write_aside<T>(
        &self,
        plan: impl FnOnce(&PlanView<'_>) -> Result<Planned<T>, MemoryError>,
    ) -> Result<(T, Option<u64>), MemoryError> {
        self.write_in_graph(&mut SlotCache::default(), plan)
    }

    /// Writes the records of one long write. Each is planned beside the writer, from a snapshot in
    /// which only what leaves the graph alone can be missing, and captures come in between; nobody
    /// else changes the graph until all are written. Ends early, and says so, when `goes_on` no
    /// longer holds or the workers are to end.
    pub fn write_parts(
        &self,
        mut next: impl FnMut(
            &Tx<'_>,
            &mut SlotCache,
            DateTime<Utc>,
        ) -> Result<Option<Change>, MemoryError>,
        goes_on: impl Fn(&PlanView<'_>) -> bool,
    ) -> Result<Parted, MemoryError> {
        let mut slots = lock(&self.graph);
        loop {
            if self.signal.is_stopping() {
                return Ok(Parted::Left);
            }
            let tx = self.store.begin()?;
            let Some(mut change) = next(&tx, &mut slots, self.now())? else {
                return Ok(Parted::Whole);
            };
            drop(tx);
            let (there, _) = self.write_in_graph(&mut slots, |view| {
                if !goes_on(view) {
                    return Ok(Planned::nothing(false));
                }
                change.stamp(TxTime(view.now));
                Ok(Planned::write(change, true))
            })?;
            if !there {
                return Ok(Parted::Gone);
            }
            if !lock(&self.queue).is_empty() {
                // Whoever waits for the writer gets it only when this thread lets it.
                std::thread::sleep(LET_OTHERS);
            }
        }
    }

    fn write_in_graph<T>(
        &self,
        slots: &mut SlotCache,
        plan: impl FnOnce(&PlanView<'_>) -> Result<Planned<T>, MemoryError>,
    ) -> Result<(T, Option<u64>), MemoryError> {
        let mut writer = self.lock_writer();
        self.drain(&mut writer);
        writer.usable()?;
        let now = writer.next_time(self.now());
        let seq = writer.journal.last_seq() + 1;
        let view = PlanView { tx: self.store.begin()?, hot: &writer.hot, now, seq };
        let Planned { change, answer } = plan(&view)?;
        drop(view);
        let Some(change) = change else { return Ok((answer, None)) };
        writer.hot.absorb(&change, now);
        let seq = writer.commit(self, slots, &[change], now)?;
        Ok((answer, Some(seq)))
    }

    /// Reads the writer's state.
    pub fn with_hot<T>(&self, read: impl FnOnce(&Hot, u64) -> T) -> T {
        let writer = self.lock_writer();
        read(&writer.hot, writer.journal.last_seq())
    }
}

/// Locks, also after a holder has panicked. Not for the writer: see [`Namespace::lock_writer`].
pub(super) fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
