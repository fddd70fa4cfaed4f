//! `stratagate reindex` and `stratagate rebuild-current`: both derive something anew.

use crate::api::wire::{MaintenanceAnswerBody, MaintenanceBody};
use crate::cli::output::table;
use crate::cli::session::Session;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Safe at any time, also while the service runs: what is built anew is derived from the store.

Examples:
  stratagate reindex
  stratagate rebuild-current --only my-project")]
pub struct Args {
    /// One namespace; all when absent
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

pub async fn reindex(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    maintain(session, args, "/v1/admin/reindex", "documents").await
}

pub async fn rebuild_current(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    maintain(session, args, "/v1/admin/rebuild-current", "statements").await
}

async fn maintain(
    session: &Session,
    args: Args,
    path: &str,
    what: &str,
) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let reply = door.post(path, &MaintenanceBody { namespace: args.only }).await?;
    door.close().await;
    session.show(&reply, |done: MaintenanceAnswerBody| {
        let rows: Vec<Vec<String>> = done
            .items
            .into_iter()
            .map(|item| vec![item.namespace, item.count.to_string()])
            .collect();
        if rows.is_empty() {
            "no namespaces".to_owned()
        } else {
            table(&["namespace", what], &rows)
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
