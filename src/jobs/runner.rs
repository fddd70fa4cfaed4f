//! The threads that do the work.

use crate::extract::{Engine, Rules};
use crate::memory::{Indexer, JobOutcome, Memory, MemoryError};
use crate::model::NamespaceName;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a worker sleeps when nothing wakes it: also the beat of idle sealing.
const BEAT: Duration = Duration::from_secs(5);
/// How long a worker that is asked to end may take: an engine cannot be interrupted. What it was
/// at is not written then, and begun anew at the next start.
const PATIENCE: Duration = Duration::from_secs(3);

/// The background workers of one memory; they end when it is dropped.
pub struct Runner {
    memory: Memory,
    threads: Vec<JoinHandle<()>>,
    indexer: Option<Indexer>,
}

impl Runner {
    /// Starts the workers. Namespaces with outstanding work are opened, so that what a crash
    /// interrupted goes on.
    ///
    /// # Errors
    /// When the folder cannot be read or a thread cannot be started.
    pub fn start(memory: &Memory) -> Result<Self, MemoryError> {
        memory.allow_work();
        let indexer = Indexer::start(memory)?;
        for name in memory.names()? {
            if let Err(error) = memory.get(&name) {
                tracing::error!(namespace = %name, %error, "a namespace could not be opened");
            }
        }
        let jobs = spawn("jobs", memory, |memory| work(memory, &Rules))?;
        let threads = vec![jobs, spawn("beat", memory, beat)?];
        Ok(Self { memory: memory.clone(), threads, indexer: Some(indexer) })
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.memory.stop_work();
        let until = Instant::now() + PATIENCE;
        let mut all_ended = true;
        for thread in self.threads.drain(..) {
            while !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            if !thread.is_finished() {
                all_ended = false;
                tracing::warn!("a worker did not end in {} s and is left", PATIENCE.as_secs());
            } else if thread.join().is_err() {
                tracing::error!("a worker thread had panicked");
            }
        }
        drop(self.indexer.take());
        if all_ended {
            self.memory.allow_work();
        }
    }
}

fn spawn(
    name: &str,
    memory: &Memory,
    run: impl FnOnce(&Memory) + Send + 'static,
) -> Result<JoinHandle<()>, MemoryError> {
    let memory = memory.clone();
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || run(&memory))
        .map_err(|error| MemoryError::Unavailable(format!("starting a worker: {error}")))
}

fn work(memory: &Memory, engine: &dyn Engine) {
    let mut seen = 0;
    while !memory.is_stopping() {
        if !run_one_each(memory, engine) {
            seen = memory.wait(seen, BEAT);
        }
    }
}

/// Tries one job of each namespace that has one; says whether there was any.
fn run_one_each(memory: &Memory, engine: &dyn Engine) -> bool {
    let mut worked = false;
    for namespace in memory.open_namespaces() {
        if memory.is_stopping() {
            return false;
        }
        let Some(job) = namespace.next_job() else { continue };
        let started = Instant::now();
        match namespace.run_job(&job, engine) {
            Ok(outcome) => {
                worked = true;
                tracing::debug!(
                    namespace = %namespace.name, job.kind = job.kind.as_str(),
                    block.id = %job.block, ?outcome,
                    duration_ms = started.elapsed().as_millis() as u64, "ran a job"
                );
                if !matches!(outcome, JobOutcome::Gone | JobOutcome::Left)
                    && let Ok(card) = namespace.job(&job.id)
                {
                    memory.tell_job(&namespace.name, card);
                }
            }
            Err(error) => {
                tracing::error!(namespace = %namespace.name, %error, "a job could not be run");
                // It can be opened again only when nobody holds it.
                let name = namespace.name.clone();
                drop(namespace);
                memory.reopen_if_broken(&name);
            }
        }
    }
    worked
}

fn beat(memory: &Memory) {
    while !memory.is_stopping() {
        memory.open_waiting();
        memory.tidy();
        for namespace in memory.open_namespaces() {
            // Answers come without the indexes too, only slower.
            if let Err(error) = namespace.warm() {
                tracing::error!(namespace = %namespace.name, %error, "an index could not be read");
            }
            let sealed = namespace.seal_idle().map(|blocks| blocks.len());
            let due = namespace.refresh_due();
            for error in [sealed.err(), due.err()].into_iter().flatten() {
                tracing::error!(namespace = %namespace.name, %error, "the beat failed");
            }
        }
        // Short steps, so that stopping does not wait for a whole beat.
        let until = Instant::now() + BEAT;
        while Instant::now() < until && !memory.is_stopping() {
            rest(memory);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Lets every store that has much in memory write its files.
fn rest(memory: &Memory) {
    for namespace in memory.open_namespaces() {
        if let Err(error) = namespace.rest_store() {
            tracing::error!(namespace = %namespace.name, %error, "the store could not be flushed");
        }
    }
}

/// Waits until a namespace has no pending job and everything in it is searchable. Says whether it
/// came to that in time.
///
/// # Errors
/// When the namespace does not exist.
pub fn settle(
    memory: &Memory,
    name: &NamespaceName,
    timeout: Duration,
) -> Result<bool, MemoryError> {
    let until = Instant::now() + timeout;
    loop {
        if memory.get(name)?.is_settled() {
            return Ok(true);
        }
        if Instant::now() >= until {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
