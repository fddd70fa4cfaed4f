//! `stratagate restore`

use crate::api::wire::BackupAnswerBody;
use crate::cli::door::serving_address;
use crate::cli::output;
use crate::cli::session::Session;
use anyhow::{Context, bail};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The data folder must be empty, and no server may hold it.

Examples:
  stratagate restore /var/backups/memory-2026-06-01 --data ./memory")]
pub struct Args {
    /// A backup that `stratagate backup` wrote
    from: PathBuf,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let data = session.config.data.clone();
    if let Some(address) = serving_address(&data)? {
        bail!("the server at {address} holds {}; stop it first", data.display());
    }
    let to = data.display().to_string();
    let bytes = tokio::task::spawn_blocking(move || crate::memory::restore(&args.from, &data))
        .await
        .context("restoring failed inside")??;
    if session.json {
        output::json(&serde_json::to_value(BackupAnswerBody { to, bytes })?)?;
    } else {
        output::text(&format!("{bytes} bytes restored to {to}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
