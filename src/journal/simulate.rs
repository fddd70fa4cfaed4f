//! Simulated accidents, for tests of what must survive them.

use std::fs::OpenOptions;

use super::error::JournalError;
use super::format::Record;
use super::writer::{DurableEnd, Journal};

/// Lets a process be killed after it has written a group and before it has synced it. The records
/// are in the file and were never acknowledged.
pub fn kill_before_sync(
    mut journal: Journal,
    records: &[Record<'_>],
) -> Result<DurableEnd, JournalError> {
    journal.write_without_sync(records)?;
    Ok(journal.durable_end())
}

/// Lets the power fail: of the bytes after the durable end, only the first `kept_bytes` have
/// reached the disk. Returns how many were lost.
pub fn power_cut(end: &DurableEnd, kept_bytes: u64) -> Result<u64, JournalError> {
    let file = OpenOptions::new()
        .write(true)
        .open(&end.file)
        .map_err(JournalError::io("open", &end.file))?;
    let len = file.metadata().map_err(JournalError::io("inspect", &end.file))?.len();
    let kept = (end.len + kept_bytes).min(len);
    file.set_len(kept).map_err(JournalError::io("cut", &end.file))?;
    Ok(len - kept)
}
