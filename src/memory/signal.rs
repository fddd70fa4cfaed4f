//! Waking the background workers.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A counter that workers wait on: a change that happens between two waits is never missed.
#[derive(Debug, Default)]
pub struct Signal {
    generation: Mutex<u64>,
    changed: Condvar,
}

impl Signal {
    /// Wakes whoever waits.
    pub fn notify(&self) {
        let mut generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        *generation += 1;
        drop(generation);
        self.changed.notify_all();
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
