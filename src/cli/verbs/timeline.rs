//! `stratagate timeline`

use crate::api::wire::TimelineBody;
use crate::cli::args::AsOf;
use crate::cli::door::encode;
use crate::cli::output::{table, when};
use crate::cli::session::{Session, with_params};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate timeline tideline
  stratagate timeline person:mei --known-at 2026-05-20 --json")]
pub struct Args {
    /// An entity: its id, or an unambiguous name or alias
    name: String,
    #[command(flatten)]
    as_of: AsOf,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let path = session.path(&format!("/entities/{}/timeline", encode(&args.name)));
    let reply = door.get(&with_params(&path, args.as_of.params())).await?;
    door.close().await;
    session.show(&reply, |timeline: TimelineBody| {
        let rows: Vec<Vec<String>> = timeline
            .items
            .into_iter()
            .map(|entry| {
                let thing = entry.event.or(entry.fact.map(|fact| fact.id)).unwrap_or_default();
                vec![when(&entry.at), entry.what, entry.text, thing]
            })
            .collect();
        let entity = timeline.entity;
        let head = format!("{} ({}, {})\n\n", entity.label, entity.kind, entity.id);
        head + &table(&["when", "what", "text", "id"], &rows)
    })?;
    Ok(ExitCode::SUCCESS)
}
