//! `stratagate demo`: the whole story on a bundled conversation, with the built-in engine.
//!
//! Turns are recorded one by one and background work ends after each sealed Block, under a clock
//! that the messages drive, so that "as known on 7 May" means what it would have meant then.

mod prologue;
mod story;

use super::args::Global;
use super::door::Door;
use super::output;
use crate::clock::Clock;
use crate::jobs::Runner;
use crate::memory::MemoryOptions;
use crate::store::reader::ReaderProgram;
use crate::telemetry::{self, LogForm};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use story::Story;

/// The namespace that the demo fills.
const NAMESPACE: &str = "demo";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Uses a temporary folder unless --data names one; STRATAGATE_DATA is not looked at, so that no real
memory is touched. Needs no network and no model.

Examples:
  stratagate demo
  stratagate demo --keep
  stratagate demo --data ./demo-memory && stratagate --data ./demo-memory serve --clock messages")]
pub struct Args {
    /// Keep the temporary folder to explore it
    #[arg(long)]
    keep: bool,
}

/// Where the demo's memory lives.
enum Folder {
    Given(PathBuf),
    Temporary(tempfile::TempDir),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Self::Given(path) => path,
            Self::Temporary(folder) => folder.path(),
        }
    }
}

pub async fn run(global: &Global, args: Args) -> anyhow::Result<ExitCode> {
    telemetry::start_logs("error", LogForm::Text);
    let folder = match &global.data {
        Some(path) => Folder::Given(path.clone()),
        None => Folder::Temporary(
            tempfile::Builder::new()
                .prefix("stratagate-demo-")
                .tempdir()
                .context("cannot make a temporary folder")?,
        ),
    };
    let door = Door::open_here(MemoryOptions {
        data: folder.path().to_owned(),
        clock: Clock::messages(),
        readers: ReaderProgram::this(None),
    })
    .await?;
    let kept = match &folder {
        Folder::Given(path) => Some(path.as_path()),
        Folder::Temporary(folder) if args.keep => Some(folder.path()),
        Folder::Temporary(_) => None,
    };
    let told = tell(&door, global.json, kept).await;
    door.close().await;
    if let (Folder::Temporary(folder), true) = (folder, args.keep && told.is_ok()) {
        // Keeping is what forgets to delete.
        let _ = folder.keep();
    }
    if let Some(answers) = told? {
        output::json(&answers)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells the story; with `json`, returns it instead of printing it.
async fn tell(
    door: &Door,
    json: bool,
    kept: Option<&Path>,
) -> anyhow::Result<Option<serde_json::Value>> {
    let memory = door.local().context("the demo runs in this process")?.clone();
    let mut story = Story::new(door, json);
    if story.is_told_already().await? {
        bail!("this folder holds the namespace {NAMESPACE:?} already; name an empty folder");
    }
    let runner = Runner::start(&memory)?;
    prologue::record(&mut story, &memory).await?;
    story.blocks().await?;
    story.events().await?;
    story.graph_before_and_after().await?;
    let batch = story.recall().await?;
    let decision = story.gate(&batch).await?;
    story.adoption(&decision).await?;
    story.why().await?;
    story.plans().await?;
    story.what_next(kept)?;
    tokio::task::spawn_blocking(move || drop(runner)).await.context("stopping failed")?;
    Ok(json.then(|| story.into_json()))
}
