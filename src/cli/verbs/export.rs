//! `stratagate export`

use crate::cli::door::Call;
use crate::cli::session::{Session, with_params};
use anyhow::Context;
use axum::http::Method;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Equal contents give equal N-Quads, byte for byte. What is written is the memory itself, unredacted.

Examples:
  stratagate export --output memory.nq
  stratagate -n my-project export --format jsonl | jq .
  stratagate export --format trig > memory.trig")]
pub struct Args {
    /// nquads, trig, or jsonl (turns and events)
    #[arg(long, default_value = "nquads", value_parser = ["nquads", "trig", "jsonl"])]
    format: String,
    /// A file; stdout when absent
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let path = with_params(&session.path("/export"), [("format", Some(args.format.as_str()))]);
    let Some(file) = args.output else {
        let mut out = BufWriter::new(std::io::stdout());
        door.call_into(Method::GET, &path, Call::default(), &mut out).await?;
        out.flush()?;
        door.close().await;
        return Ok(ExitCode::SUCCESS);
    };
    // Beside the target first, so that a half-written file is never taken for a whole one.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| std::path::Path::new("."));
    let cannot_write = || format!("cannot write {}", file.display());
    let temporary = tempfile::NamedTempFile::new_in(folder).with_context(cannot_write)?;
    let mut out = BufWriter::new(temporary);
    door.call_into(Method::GET, &path, Call::default(), &mut out).await?;
    door.close().await;
    let temporary = out.into_inner().with_context(cannot_write)?;
    let written: File = temporary.persist(&file).with_context(cannot_write)?;
    let bytes = written.metadata()?.len();
    if session.json {
        let answer = serde_json::json!({"output": file, "format": args.format, "bytes": bytes});
        crate::cli::output::json(&answer)?;
    } else {
        crate::cli::output::text(&format!("{bytes} bytes written to {}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
