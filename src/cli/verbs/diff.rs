//! `stratagate diff`

use super::facts;
use crate::api::wire::{DiffBody, DiffEntryBody};
use crate::cli::output::{add, line};
use crate::cli::session::{Session, with_params};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate diff 2026-05-06 2026-05-09
  stratagate diff 2026-05-01 2026-06-01 --clock known --json")]
pub struct Args {
    /// The earlier point: a date or an RFC 3339 time
    from: String,
    /// The later point
    to: String,
    /// `valid`: what changed in the world; `known`: what changed in what we know
    #[arg(long, default_value = "valid", value_parser = ["valid", "known"])]
    clock: String,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let params = [
        ("from", Some(args.from.as_str())),
        ("to", Some(args.to.as_str())),
        ("clock", Some(args.clock.as_str())),
    ];
    let reply = door.get(&with_params(&session.path("/diff"), params)).await?;
    door.close().await;
    session.show(&reply, |answer: DiffBody| render(&answer))?;
    Ok(ExitCode::SUCCESS)
}

fn render(diff: &DiffBody) -> String {
    let sections: [(&str, &str, &[DiffEntryBody]); 4] = [
        ("+", "added", &diff.added),
        ("-", "ended", &diff.ended),
        ("~", "corrected", &diff.corrected),
        ("?", "conflicted", &diff.conflicted),
    ];
    let mut text = String::new();
    for (mark, title, entries) in sections {
        if entries.is_empty() {
            continue;
        }
        add!(text, "{title}\n");
        for entry in entries {
            add!(text, "  {mark} {}\n", facts::sentence(&entry.fact));
            let said = entry.cause_text.as_deref().map(|said| format!("\"{}\" ", line(said, 160)));
            let cause = entry.cause.as_deref().unwrap_or("no event");
            add!(text, "    by {}({cause})\n", said.unwrap_or_default());
        }
    }
    if text.is_empty() { "nothing changed".to_owned() } else { text }
}
