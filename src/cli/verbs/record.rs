//! `stratagate record`

use super::input;
use crate::api::wire::{ReceiptBody, ReceiptsBody};
use crate::cli::output::{self, Progress, add, count};
use crate::cli::session::Session;
use crate::cli::settle::finish_jobs;
use anyhow::Context;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Most turns of one request.
const BATCH_TURNS: usize = 500;
/// About the most bytes of one request.
const BATCH_BYTES: usize = 8 * 1024 * 1024;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A turn is {\"turn_id\": \"…\", \"messages\": [{\"role\": \"user\", \"content\": \"…\", \"at\": \"…\"}, …]}.
A file holds one turn, an array of turns, {\"turns\": […]}, or JSON lines of these. Recording the same
turns again changes nothing.

Examples:
  stratagate record turns.jsonl
  stratagate -n my-project record --thread review conversation.json --seal
  echo '{\"turn_id\":\"t1\",\"messages\":[{\"role\":\"user\",\"content\":\"Use npm for this project.\"}]}' | stratagate record -")]
pub struct Args {
    /// A file, or `-` for stdin
    file: PathBuf,
    /// The thread of turns that name none
    #[arg(long)]
    thread: Option<String>,
    /// Seal the open tail afterwards: the conversation has ended
    #[arg(long)]
    seal: bool,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let bytes = input::read(&args.file)?;
    let turns = input::turns(&bytes, args.thread.as_deref())
        .with_context(|| format!("{} cannot be recorded", args.file.display()))?;
    drop(bytes);
    let door = session.door_or_new().await?;
    let total = turns.len();
    let mut receipts: Vec<ReceiptBody> = Vec::with_capacity(total);
    let mut progress = Progress::new();
    for batch in input::batches(turns, BATCH_TURNS, BATCH_BYTES) {
        let reply = door
            .post(&session.path("/turns:batch"), &json!({"turns": batch}))
            .await
            .with_context(|| {
                format!(
                    "turns {} to {} were refused, {} before them are stored",
                    receipts.len() + 1,
                    receipts.len() + batch.len(),
                    receipts.len()
                )
            })?;
        receipts.extend(reply.json::<ReceiptsBody>()?.items);
        if total > BATCH_TURNS {
            progress.show(&format!("{} of {} turns", receipts.len(), total));
        }
    }
    drop(progress);
    if args.seal {
        door.post(&session.path("/seal"), &json!({})).await?;
    }
    finish_jobs(&door, &session.config.namespace).await?;
    door.close().await;
    if session.json {
        output::json(&serde_json::to_value(ReceiptsBody { items: receipts })?)?;
    } else {
        output::text(&summary(&receipts, &session.config.namespace))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(receipts: &[ReceiptBody], namespace: &str) -> String {
    let repeats = receipts.iter().filter(|receipt| receipt.status == "duplicate").count();
    let mut text = format!("{} stored in {namespace}", count(receipts.len() - repeats, "turn"));
    if repeats > 0 {
        add!(text, ", {} there already", count(repeats, "turn"));
    }
    let sealed = receipts
        .iter()
        .filter(|receipt| receipt.status == "stored" && receipt.sealed_block.is_some())
        .count();
    if sealed > 0 {
        add!(text, ", {} sealed", count(sealed, "block"));
    }
    text
}
