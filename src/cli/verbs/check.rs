//! `stratagate check`

use crate::api::wire::{CheckAnswerBody, CheckBody};
use crate::cli::output::{count, table};
use crate::cli::session::Session;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code 0: nothing was found, or all of it was repaired. Exit code 1: something is left, or the
check could not be made.

Examples:
  stratagate check
  stratagate check --only my-project --json
  stratagate check --repair")]
pub struct Args {
    /// One namespace; all when absent
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Put right what can be derived again: the present and the copies from the facts, the index
    /// from the store, the store from its journal
    #[arg(long)]
    repair: bool,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let reply = door
        .post("/v1/admin/check", &CheckBody { namespace: args.only, repair: args.repair })
        .await?;
    door.close().await;
    let clean = reply.json::<CheckAnswerBody>()?.clean;
    session.show(&reply, render)?;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn render(answer: CheckAnswerBody) -> String {
    let checked = count(answer.namespaces.len(), "namespace");
    if answer.findings.is_empty() {
        return format!("{checked} checked, nothing found");
    }
    let repaired = answer.findings.iter().filter(|finding| finding.repaired).count();
    let found = count(answer.findings.len(), "finding");
    let rows: Vec<Vec<String>> = answer
        .findings
        .into_iter()
        .map(|finding| {
            let state = if finding.repaired { "repaired" } else { "" }.to_owned();
            vec![finding.namespace, finding.check, state, finding.detail]
        })
        .collect();
    format!(
        "{}{checked} checked, {found}, {repaired} repaired",
        table(&["namespace", "check", "state", "detail"], &rows)
    )
}
