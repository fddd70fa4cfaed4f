//! `stratagate backup`

use crate::api::wire::{BackupAnswerBody, BackupBody};
use crate::cli::session::Session;
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Works while the service runs. The backup is a data folder of its own.

Examples:
  stratagate backup /var/backups/memory-2026-06-01
  stratagate restore /var/backups/memory-2026-06-01 --data ./memory")]
pub struct Args {
    /// A folder that does not exist yet
    to: PathBuf,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    // The server may have another working folder.
    let to = std::path::absolute(&args.to).context("cannot find the folder")?;
    let to = to.to_str().with_context(|| format!("{} is not UTF-8", to.display()))?.to_owned();
    let door = session.door().await?;
    let reply = door.post("/v1/admin/backup", &BackupBody { to }).await?;
    door.close().await;
    session.show(&reply, |done: BackupAnswerBody| {
        format!("{} bytes written to {}", done.bytes, done.to)
    })?;
    Ok(ExitCode::SUCCESS)
}
