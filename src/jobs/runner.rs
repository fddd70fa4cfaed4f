//! The threads that do the work.

use crate::extract::{Engine, Rules};
use crate::memory::{Indexer, JobOutcome, Memory, MemoryError};
use crate::model::NamespaceName;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a worker sleeps when nothing wakes it: also the beat of idle sealing.
const BEAT: Duration = Duration::from_secs(5);

/// The background workers of one memory; they end when it is dropped.
pub struct Runner {
    stop: Arc<AtomicBool>,
    memory: Memory,
    threads: Vec<JoinHandle<()>>,
    // Dropped last: the index catches up before the folder is let go.
    _indexer: Indexer,
}

impl Runner {
    /// Starts the workers. Namespaces with outstanding work are opened, so that what a crash
    /// interrupted goes on.
    ///
    /// # Errors
    /// When the folder cannot be read or a thread cannot be started.
    pub fn start(memory: &Memory) -> Result<Self, MemoryError> {
        let stop = Arc::new(AtomicBool::new(false));
        let indexer = Indexer::start(memory)?;
        for name in memory.names()? {
            if let Err(error) = memory.get(&name) {
                tracing::error!(namespace = %name, %error, "a namespace could not be opened");
            }
        }
        let mut threads = Vec::new();
        threads.push(spawn("jobs", memory, &stop, |memory, stop| {
            let engine = Rules;
            work(memory, &engine, stop);
        })?);
        threads.push(spawn("beat", memory, &stop, beat)?);
        Ok(Self { stop, memory: memory.clone(), threads, _indexer: indexer })
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.memory.wake();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a worker thread had panicked");
            }
        }
    }
}

fn spawn(
    name: &str,
    memory: &Memory,
    stop: &Arc<AtomicBool>,
    run: impl FnOnce(&Memory, &AtomicBool) + Send + 'static,
) -> Result<JoinHandle<()>, MemoryError> {
    let (memory, stop) = (memory.clone(), stop.clone());
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || run(&memory, &stop))
        .map_err(|error| MemoryError::Unavailable(format!("starting a worker: {error}")))
}

fn work(memory: &Memory, engine: &dyn Engine, stop: &AtomicBool) {
    let mut seen = 0;
    while !stop.load(Ordering::SeqCst) {
        if !run_one_each(memory, engine, stop) {
            seen = memory.wait(seen, BEAT);
        }
    }
}

/// Tries one job of each namespace that has one; says whether there was any.
fn run_one_each(memory: &Memory, engine: &dyn Engine, stop: &AtomicBool) -> bool {
    let mut worked = false;
    for namespace in memory.open_namespaces() {
        if stop.load(Ordering::SeqCst) {
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
                if outcome != JobOutcome::Gone
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

fn beat(memory: &Memory, stop: &AtomicBool) {
    while !stop.load(Ordering::SeqCst) {
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
        while Instant::now() < until && !stop.load(Ordering::SeqCst) {
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
