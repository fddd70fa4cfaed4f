//! `stratagate bench`: speed and size on this machine, through the real memory.
//!
//! One namespace is filled, through capture and the background work that every user's turns get,
//! from size to size; at each size everything is measured. Next to it stand baselines of the same
//! minute: a plain fsync, a plain tantivy query, a plain Oxigraph pattern read.

mod baseline;
mod corpus;
mod history;
mod machine;
mod measure;
mod report;

use crate::cli::args::Global;
use crate::cli::measure::Folder;
use crate::cli::output;
use crate::telemetry::{self, LogForm};
use anyhow::{Context, bail};
use std::process::ExitCode;

#[derive(Debug, Clone, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
The conversations are made up by a seeded generator: half of the messages are a user's, each with
two sentences that the built-in engine turns into events and facts, among words of a heavy-tailed
vocabulary. Writes go through the journal with an fsync each, so --data (or the system's temporary
folder) must be on the disk that is to be measured, not in memory. Run a release build.

Examples:
  stratagate bench --quick
  stratagate bench --data /srv/bench --sizes 1000,10000,100000
  stratagate bench --sizes 10000 --json > bench.json
  stratagate bench history --data /srv/bench --facts 100000,1000000"
)]
pub struct Args {
    #[command(subcommand)]
    of: Option<Of>,
    /// Numbers of stored messages at which everything is measured
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1000,10000,100000")]
    sizes: Vec<usize>,
    /// Small sizes and few samples: a look in a minute, not a figure
    #[arg(long)]
    quick: bool,
    /// Samples of each operation
    #[arg(long, value_name = "N", default_value_t = 300)]
    samples: usize,
    /// Seed of the generator
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Keep the temporary folder
    #[arg(long)]
    keep: bool,
}

/// What else can be measured.
#[derive(Debug, Clone, clap::Subcommand)]
enum Of {
    /// Questions about the past at 100,000 and more facts, one entity holding a tenth of them
    History(history::Args),
}

pub async fn run(global: &Global, args: Args) -> anyhow::Result<ExitCode> {
    telemetry::start_logs("error", LogForm::Text);
    let global = global.clone();
    let done = tokio::task::spawn_blocking(move || measure_all(&global, args));
    done.await.context("the benchmark failed inside")??;
    Ok(ExitCode::SUCCESS)
}

fn measure_all(global: &Global, mut args: Args) -> anyhow::Result<()> {
    if let Some(Of::History(of)) = &args.of {
        return history::measure(global, of);
    }
    if args.quick {
        args.sizes = vec![500, 2_000];
        args.samples = args.samples.min(50);
    }
    args.sizes.sort_unstable();
    args.sizes.dedup();
    if args.sizes.first().is_none_or(|size| *size < 100) || args.samples == 0 {
        bail!("--sizes begin at 100 and --samples at 1");
    }
    let folder = Folder::choose(global, "stratagate-bench-")?;
    let measured = measure::run(&folder, &args);
    let kept = folder.path().to_owned();
    if let (Folder::Temporary(folder), true) = (folder, args.keep) {
        // Keeping is what forgets to delete.
        let _ = folder.keep();
        eprintln!("kept {}", kept.display());
    }
    let report = measured?;
    if global.json { output::json(&report.json()) } else { output::text(&report.text()) }
}
