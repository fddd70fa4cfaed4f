//! `stratagate status`

use crate::api::wire::{ListBody, NamespaceBody};
use crate::cli::output::{self, add, table};
use crate::cli::session::Session;
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate status
  stratagate --data ./memory status --json")]
pub struct Args {}

pub async fn run(session: &Session, _args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let reply = door.get("/v1/namespaces").await?;
    let address = door.address().map(str::to_owned);
    door.close().await;
    if session.json {
        let namespaces = reply.json::<Value>()?;
        output::json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "data": session.config.data,
            "server": address,
            "namespaces": namespaces["items"],
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("stratagate {}\n", env!("CARGO_PKG_VERSION"));
    add!(text, "data    {}\n", session.config.data.display());
    add!(text, "server  {}\n\n", address.as_deref().unwrap_or("none is running"));
    let page: ListBody<NamespaceBody> = reply.json()?;
    if page.items.is_empty() {
        text.push_str("no namespaces yet; `stratagate record` makes one\n");
    } else {
        text.push_str(&namespaces(page.items));
    }
    output::text(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn namespaces(items: Vec<NamespaceBody>) -> String {
    let rows: Vec<Vec<String>> = items
        .into_iter()
        .map(|info| {
            let counts = info.counts;
            vec![
                info.name,
                counts.turns.to_string(),
                counts.open_turns.to_string(),
                counts.blocks.to_string(),
                counts.events.to_string(),
                counts.facts.to_string(),
                info.pending_jobs.to_string(),
                info.failed_jobs.to_string(),
                info.index_lag.to_string(),
                info.revision.to_string(),
            ]
        })
        .collect();
    let header = [
        "namespace",
        "turns",
        "open",
        "blocks",
        "events",
        "facts",
        "pending",
        "failed",
        "lag",
        "revision",
    ];
    table(&header, &rows)
}
