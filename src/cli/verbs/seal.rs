//! `stratagate seal`

use crate::api::wire::{BlocksSealedBody, SealBody};
use crate::cli::output::count;
use crate::cli::session::Session;
use crate::cli::settle::finish_jobs;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate seal
  stratagate -n my-project seal --thread review")]
pub struct Args {
    /// One thread; all when absent
    #[arg(long)]
    thread: Option<String>,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let reply = door.post(&session.path("/seal"), &SealBody { thread: args.thread }).await?;
    finish_jobs(&door, &session.config.namespace).await?;
    door.close().await;
    session.show(&reply, |sealed: BlocksSealedBody| match sealed.blocks.len() {
        0 => "nothing to seal: no turn is open".to_owned(),
        number => format!("{} sealed: {}", count(number, "block"), sealed.blocks.join(", ")),
    })?;
    Ok(ExitCode::SUCCESS)
}
