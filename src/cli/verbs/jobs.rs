//! `stratagate jobs`

use crate::api::wire::{JobBody, ListBody, NamespaceBody};
use crate::cli::door::{Call, encode};
use crate::cli::output::{self, line, table, when};
use crate::cli::session::{Session, with_params};
use crate::cli::settle;
use axum::http::Method;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
With --wait, the exit code is 1 when a job gave up.

Examples:
  stratagate jobs --state failed
  stratagate jobs --wait
  stratagate jobs --retry j_0a1b2c3d4e5f60718293")]
pub struct Args {
    /// List only this state: pending, running, done, failed, cancelled
    #[arg(long)]
    state: Option<String>,
    /// List only this kind: summarise, extract, project
    #[arg(long)]
    kind: Option<String>,
    /// List at most this many
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Go on after an earlier list
    #[arg(long)]
    cursor: Option<String>,
    /// Wait until nothing is pending
    #[arg(long, conflicts_with_all = ["retry", "cancel"])]
    wait: bool,
    /// Try a failed or cancelled job again
    #[arg(long, value_name = "JOB", conflicts_with = "cancel")]
    retry: Option<String>,
    /// Cancel a job; its source stays
    #[arg(long, value_name = "JOB")]
    cancel: Option<String>,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    if args.wait {
        let info = settle::wait(&door, &session.config.namespace).await?;
        door.close().await;
        return report(session, &info);
    }
    let act = match (&args.retry, &args.cancel) {
        (Some(id), _) => Some((id, "retry")),
        (None, Some(id)) => Some((id, "cancel")),
        (None, None) => None,
    };
    if let Some((id, verb)) = act {
        let path = session.path(&format!("/jobs/{}/{verb}", encode(id)));
        let reply = door.call(Method::POST, &path, Call::default()).await?;
        settle::finish_jobs(&door, &session.config.namespace).await?;
        door.close().await;
        session.show(&reply, |job: JobBody| render(vec![job]))?;
        return Ok(ExitCode::SUCCESS);
    }
    let params = [
        ("state", args.state.as_deref()),
        ("kind", args.kind.as_deref()),
        ("limit", args.limit.as_deref()),
        ("cursor", args.cursor.as_deref()),
    ];
    let reply = door.get(&with_params(&session.path("/jobs"), params)).await?;
    door.close().await;
    session.show(&reply, |page: ListBody<JobBody>| {
        let next = page.next.map(|next| format!("there are more: --cursor {next}\n"));
        render(page.items) + &next.unwrap_or_default()
    })?;
    Ok(ExitCode::SUCCESS)
}

fn report(session: &Session, info: &NamespaceBody) -> anyhow::Result<ExitCode> {
    if session.json {
        output::json(&serde_json::to_value(info)?)?;
    } else {
        output::text(&format!("nothing is pending, {} jobs gave up", info.failed_jobs))?;
    }
    Ok(if info.failed_jobs == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn render(jobs: Vec<JobBody>) -> String {
    if jobs.is_empty() {
        return "no jobs\n".to_owned();
    }
    let rows: Vec<Vec<String>> = jobs
        .into_iter()
        .map(|job| {
            let note = job.last_error.or(job.engine).unwrap_or_default();
            vec![
                job.id,
                job.kind,
                job.block,
                job.state,
                job.attempts.to_string(),
                when(&job.enqueued_at),
                line(&note, 80),
            ]
        })
        .collect();
    table(&["id", "kind", "block", "state", "tries", "enqueued", "note"], &rows)
}
