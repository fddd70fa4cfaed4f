//! `stratagate timeline`

use crate::api::wire::TimelineBody;
use crate::cli::args::AsOf;
use crate::cli::door::{Door, encode};
use crate::cli::output::{self, add, table, when};
use crate::cli::session::{Session, with_params};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --limit, shows all of it, however long.

Examples:
  stratagate timeline tideline
  stratagate timeline tideline --limit 20
  stratagate timeline person:mei --known-at 2026-05-20 --json")]
pub struct Args {
    /// An entity: its id, or an unambiguous name or alias
    name: String,
    #[command(flatten)]
    as_of: AsOf,
    /// Show at most this many entries
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Go on after an earlier list
    #[arg(long)]
    cursor: Option<String>,
}

/// Entries of one request when all are wanted: as many as a page may have.
const WHOLE_PAGE: &str = "1000";

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let timeline = read(session, &door, &args).await?;
    door.close().await;
    if session.json {
        output::json(&serde_json::to_value(timeline)?)?;
    } else {
        output::text(&render(timeline))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads one page where a limit is given, else all of them as one.
async fn read(session: &Session, door: &Door, args: &Args) -> anyhow::Result<TimelineBody> {
    let path = session.path(&format!("/entities/{}/timeline", encode(&args.name)));
    let page = |cursor: Option<String>| {
        let mut params = args.as_of.params();
        params.push(("limit", args.limit.as_deref().or(Some(WHOLE_PAGE))));
        params.push(("cursor", cursor.as_deref()));
        with_params(&path, params)
    };
    let mut timeline: TimelineBody = door.get(&page(args.cursor.clone())).await?.json()?;
    while args.limit.is_none() && timeline.next.is_some() {
        let more: TimelineBody = door.get(&page(timeline.next.take())).await?.json()?;
        timeline.items.extend(more.items);
        timeline.next = more.next;
    }
    Ok(timeline)
}

fn render(timeline: TimelineBody) -> String {
    let rows: Vec<Vec<String>> = timeline
        .items
        .into_iter()
        .map(|entry| {
            let thing = entry.event.or(entry.fact.map(|fact| fact.id)).unwrap_or_default();
            vec![when(&entry.at), entry.what, entry.text, thing]
        })
        .collect();
    let entity = timeline.entity;
    let mut text = format!("{} ({}, {})\n\n", entity.label, entity.kind, entity.id);
    text.push_str(&table(&["when", "what", "text", "id"], &rows));
    if let Some(next) = timeline.next {
        add!(text, "there are more: --cursor {next}\n");
    }
    text
}
