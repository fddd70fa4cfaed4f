//! `stratagate eval`: how well the memory finds and understands, on dialogues with known answers.

mod gold;
mod locomo;
mod retrieval;

use crate::cli::args::Global;
use crate::memory::HitKind;
use crate::telemetry::{self, LogForm};
use anyhow::{Context, bail};
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Everything goes in through the same door as a user's turns, background work runs to its end, and
every question goes through the same search. A temporary folder is used unless --data names one;
STRATAGATE_DATA is not looked at.

Examples:
  stratagate eval locomo conv-26.json conv-30.json
  stratagate eval gold dialogues/*.json --json")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Retrieval on LoCoMo conversations: recall at k and mean reciprocal rank
    Locomo(locomo::Args),
    /// The built-in engine on gold dialogues, and retrieval and abstention end to end
    Gold(gold::Args),
}

pub async fn run(global: &Global, args: Args) -> anyhow::Result<ExitCode> {
    telemetry::start_logs("error", LogForm::Text);
    let global = global.clone();
    // Everything here blocks: files, the store, background work.
    let done = tokio::task::spawn_blocking(move || match args.what {
        What::Locomo(args) => locomo::run(&global, &args),
        What::Gold(args) => gold::run(&global, &args),
    });
    done.await.context("the evaluation failed inside")??;
    Ok(ExitCode::SUCCESS)
}

/// Reads the kinds that `--in` names.
fn kinds(words: &[String]) -> anyhow::Result<Vec<HitKind>> {
    words
        .iter()
        .map(|word| match word.as_str() {
            "events" => Ok(HitKind::Event),
            "facts" => Ok(HitKind::Fact),
            "messages" => Ok(HitKind::Message),
            "blocks" => Ok(HitKind::Block),
            _ => bail!("--in {word:?}: use events, facts, messages or blocks"),
        })
        .collect()
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
