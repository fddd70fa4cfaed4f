//! Waiting for background work.

use super::door::Door;
use super::output::{Progress, count};
use super::session::namespace_path;
use crate::api::wire::NamespaceBody;
use crate::jobs::{self, Runner};
use crate::memory::{Memory, MemoryError};
use crate::model::NamespaceName;
use anyhow::Context;
use std::time::Duration;

/// How often progress is shown.
const STEP: Duration = Duration::from_millis(400);

/// Runs the namespace's pending jobs to the end where the memory is open in this process; a server
/// does that by itself. Failed jobs are named on stderr: their sources are safe.
pub async fn finish_jobs(door: &Door, namespace: &str) -> anyhow::Result<()> {
    let Some(memory) = door.local() else { return Ok(()) };
    let runner = Runner::start(memory)?;
    let name = NamespaceName::new(namespace)?;
    let mut progress = Progress::new();
    while !settled(memory.clone(), name.clone()).await? {
        let info = info(door, namespace).await?;
        let jobs = usize::try_from(info.pending_jobs).unwrap_or(usize::MAX);
        progress.show(&format!("{} to do", count(jobs, "job")));
    }
    drop(progress);
    tokio::task::spawn_blocking(move || drop(runner)).await.context("stopping failed")?;
    report_failures(&info(door, namespace).await?);
    Ok(())
}

/// Waits until a namespace has no pending job, wherever it is.
pub async fn wait(door: &Door, namespace: &str) -> anyhow::Result<NamespaceBody> {
    if door.local().is_some() {
        finish_jobs(door, namespace).await?;
        return info(door, namespace).await;
    }
    let mut progress = Progress::new();
    loop {
        let info = info(door, namespace).await?;
        if info.pending_jobs == 0 && info.index_lag == 0 {
            return Ok(info);
        }
        let jobs = usize::try_from(info.pending_jobs).unwrap_or(usize::MAX);
        progress.show(&format!("{} to do", count(jobs, "job")));
        tokio::time::sleep(STEP).await;
    }
}

/// Makes everything searchable where the memory is open in this process: no worker has run that
/// would have done it. A server does it by itself.
pub async fn catch_up(door: &Door, namespace: &str) -> anyhow::Result<()> {
    let Some(memory) = door.local().cloned() else { return Ok(()) };
    let name = NamespaceName::new(namespace)?;
    let done = tokio::task::spawn_blocking(move || match memory.get(&name) {
        Ok(namespace) => namespace.index_pending().map(|_| ()),
        // The verb itself says that there is no such namespace.
        Err(MemoryError::UnknownNamespace(_)) => Ok(()),
        Err(error) => Err(error),
    });
    done.await.context("indexing failed inside")?.map_err(Into::into)
}

async fn settled(memory: Memory, namespace: NamespaceName) -> anyhow::Result<bool> {
    tokio::task::spawn_blocking(move || jobs::settle(&memory, &namespace, STEP))
        .await
        .context("the background work failed inside")?
        .map_err(Into::into)
}

async fn info(door: &Door, namespace: &str) -> anyhow::Result<NamespaceBody> {
    door.get(&namespace_path(namespace, "")).await?.json()
}

fn report_failures(info: &NamespaceBody) {
    if info.failed_jobs > 0 {
        let jobs = usize::try_from(info.failed_jobs).unwrap_or(usize::MAX);
        eprintln!(
            "stratagate: {} gave up; nothing is lost: see `stratagate jobs --state failed`",
            count(jobs, "job")
        );
    }
}
