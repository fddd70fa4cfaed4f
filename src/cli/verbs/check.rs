//! `stratagate check`

use crate::api::wire::{CheckAnswerBody, MaintenanceBody};
use crate::cli::output::{count, table};
use crate::cli::session::Session;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code 0: nothing was found. Exit code 1: something was found, or the check could not be made.

Examples:
  stratagate check
  stratagate check --only my-project --json")]
pub struct Args {
    /// One namespace; all when absent
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let reply = door.post("/v1/admin/check", &MaintenanceBody { namespace: args.only }).await?;
    door.close().await;
    let clean = reply.json::<CheckAnswerBody>()?.clean;
    session.show(&reply, render)?;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn render(answer: CheckAnswerBody) -> String {
    let checked = count(answer.namespaces.len(), "namespace");
    if answer.clean {
        return format!("{checked} checked, nothing found");
    }
    let found = count(answer.findings.len(), "finding");
    let rows: Vec<Vec<String>> = answer
        .findings
        .into_iter()
        .map(|finding| vec![finding.namespace, finding.check, finding.detail])
        .collect();
    format!("{}{checked} checked, {found}", table(&["namespace", "check", "detail"], &rows))
}
