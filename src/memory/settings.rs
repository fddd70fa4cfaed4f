//! Settings and how a namespace stands.

use super::change::Change;
use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::{Counts, NamespaceInfo, Settings, SettingsPatch};
use super::writer::Planned;
use super::zone::Zone;
use crate::decay::Lambda;

/// Applies a change of settings, checking each.
pub(super) fn patched(settings: &Settings, patch: &SettingsPatch) -> Result<Settings, MemoryError> {
    let mut new = settings.clone();
    if let Some(turns) = patch.block_turns {
        if !(1..=1_000).contains(&turns) {
            return Err(MemoryError::invalid("block_turns", "must be between 1 and 1000"));
        }
        new.block_turns = turns;
    }
    if let Some(lambda) = patch.lambda {
        Lambda::new(lambda).map_err(|error| MemoryError::invalid("lambda", error.to_string()))?;
        new.lambda = lambda;
    }
    if let Some(engine) = &patch.engine {
        if engine != "rules" {
            let reason = format!("unknown engine {engine:?}; this program has: rules");
            return Err(MemoryError::invalid("engine", reason));
        }
        new.engine.clone_from(engine);
    }
    if let Some(timezone) = &patch.timezone {
        Zone::parse(timezone).map_err(|reason| MemoryError::invalid("timezone", reason))?;
        new.timezone.clone_from(timezone);
    }
    if let Some(minutes) = patch.seal_after_idle_minutes {
        if minutes > 525_600 {
            let reason = "must be at most 525600 (a year); 0 = never";
            return Err(MemoryError::invalid("seal_after_idle_minutes", reason));
        }
        new.seal_after_idle_minutes = minutes;
    }
    Ok(new)
}

impl Namespace {
    /// Changes settings; the same settings again change nothing.
    pub(super) fn configure(&self, patch: &SettingsPatch) -> Result<(), MemoryError> {
        self.write(|view| {
            let settings = patched(&view.hot.settings, patch)?;
            if settings == view.hot.settings {
                return Ok(Planned::nothing(()));
            }
            Ok(Planned::write(Change::Configured { settings }, ()))
        })?;
        Ok(())
    }

    /// Returns settings, counts and what is outstanding.
    ///
    /// # Errors
    /// None at present; a store that needs reading may fail.
    pub fn info(&self) -> Result<NamespaceInfo, MemoryError> {
        let name = self.name.clone();
        let indexed = self.index_queue.indexed();
        Ok(self.with_hot(|hot, revision| NamespaceInfo {
            name,
            settings: hot.settings.clone(),
            counts: Counts {
                threads: hot.threads.len() as u64,
                turns: hot.counters.turns,
                messages: hot.counters.messages,
                open_turns: hot.open_turns(),
                blocks: hot.counters.blocks,
                events: hot.counters.events,
                entities: hot.counters.entities,
                facts: hot.counters.facts,
            },
            revision,
            pending_jobs: hot.pending.len() as u64,
            failed_jobs: hot.failed,
            index_lag: revision.saturating_sub(indexed),
            problem: None,
        }))
    }

    /// Compacts the store's files.
    ///
    /// # Errors
    /// When the store fails.
    pub fn optimize(&self) -> Result<(), MemoryError> {
        Ok(self.store.optimize()?)
    }

    /// Counts the quads of the store: a walk through all of them.
    ///
    /// # Errors
    /// When the store fails.
    pub fn quads(&self) -> Result<u64, MemoryError> {
        Ok(self.store.quads()?)
    }

    /// Says whether no job is pending and everything is searchable.
    pub fn is_settled(&self) -> bool {
        let indexed = self.index_queue.indexed();
        self.with_hot(|hot, revision| hot.pending.is_empty() && indexed >= revision)
            && !self.index_queue.is_waiting()
    }
}
