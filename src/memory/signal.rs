//! Waking the background workers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A counter that workers wait on: a change that happens between two waits is never missed.
#[derive(Debug, Default)]
pub struct Signal {
    generation: Mutex<u64>,
    changed: Condvar,
    stopping: AtomicBool,
}

impl Signal {
    /// Wakes whoever waits.
    pub fn notify(&self) {
        let mut generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        *generation += 1;
        drop(generation);
        self.changed.notify_all();
    }

    /// Asks long work to end where it can be taken up again, or takes that back.
    pub fn set_stopping(&self, stopping: bool) {
        self.stopping.store(stopping, Ordering::SeqCst);
        self.notify();
    }

    /// Says whether long work should end where it can be taken up again.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Waits until something happened after `seen`, or the time is over. Returns what to pass the
    /// next time.
    pub fn wait(&self, seen: u64, timeout: Duration) -> u64 {
        let generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        let (generation, _) = self
            .changed
            .wait_timeout_while(generation, timeout, |now| *now == seen)
            .unwrap_or_else(PoisonError::into_inner);
        *generation
    }
}
