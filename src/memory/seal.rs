//! Sealing open tails: by call, and when a conversation has gone quiet.

use super::change::Change;
use super::error::MemoryError;
use super::namespace::Namespace;
use super::writer::Planned;
use crate::model::{Block, BlockId, SealCause, ThreadId};
use chrono::Duration;

impl Namespace {
    /// Seals the open tail of a thread, or of every thread, however short.
    ///
    /// # Errors
    /// When the thread does not exist.
    pub fn seal(&self, thread: Option<&ThreadId>) -> Result<Vec<BlockId>, MemoryError> {
        let (ids, _) = self.write_aside(|view| {
            if let Some(thread) = thread
                && !view.hot.threads.contains_key(thread)
            {
                return Err(self.not_found("thread", thread.as_str()));
            }
            let blocks: Vec<Block> = view
                .hot
                .threads
                .keys()
                .filter(|id| thread.is_none_or(|thread| thread == *id))
                .filter_map(|id| view.hot.next_block(id, usize::MAX, SealCause::Call, view.now))
                .collect();
            Ok(planned(blocks))
        })?;
        Ok(ids)
    }

    /// Seals the open tails to which nothing was added for the namespace's idle time.
    pub fn seal_idle(&self) -> Result<Vec<BlockId>, MemoryError> {
        let now = self.now();
        let is_due = self.with_hot(|hot, _| {
            let minutes = hot.settings.seal_after_idle_minutes;
            let idle = Duration::minutes(i64::from(minutes));
            minutes > 0
                && hot.threads.values().any(|thread| {
                    !thread.open.is_empty() && thread.last_at.is_some_and(|at| now - at >= idle)
                })
        });
        if !is_due {
            return Ok(Vec::new());
        }
        let (ids, _) = self.write_aside(|view| {
            let idle = Duration::minutes(i64::from(view.hot.settings.seal_after_idle_minutes));
            let blocks: Vec<Block> = view
                .hot
                .threads
                .iter()
                .filter(|(_, thread)| thread.last_at.is_some_and(|at| view.now - at >= idle))
                .filter_map(|(id, _)| {
                    view.hot.next_block(id, usize::MAX, SealCause::Idle, view.now)
                })
                .collect();
            Ok(planned(blocks))
        })?;
        Ok(ids)
    }
}

fn planned(blocks: Vec<Block>) -> Planned<Vec<BlockId>> {
    let ids = blocks.iter().map(|block| block.id.clone()).collect();
    if blocks.is_empty() {
        Planned::nothing(ids)
    } else {
        Planned::write(Change::Sealed { blocks }, ids)
    }
}
