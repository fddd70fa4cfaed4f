//! `stratagate stale`

use crate::api::wire::{ListBody, StaleBody};
use crate::cli::output::{add, when};
use crate::cli::session::{Session, with_params};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
An answer is listed when it used an event whose statement has since been superseded or withdrawn.

Examples:
  stratagate stale
  stratagate stale --entity tideline
  stratagate stale --known-at 2026-06-01 --json")]
pub struct Args {
    /// Only this entity
    #[arg(long, value_name = "ENTITY")]
    entity: Option<String>,
    /// As known at this time: a date or an RFC 3339 time
    #[arg(long, value_name = "TIME")]
    known_at: Option<String>,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let params = [("entity", args.entity.as_deref()), ("known_at", args.known_at.as_deref())];
    let reply = door.get(&with_params(&session.path("/possibly_stale"), params)).await?;
    door.close().await;
    session.show(&reply, |list: ListBody<StaleBody>| render(&list.items))?;
    Ok(ExitCode::SUCCESS)
}

fn render(items: &[StaleBody]) -> String {
    if items.is_empty() {
        return "nothing rests on a state that has ended".to_owned();
    }
    let mut text = String::new();
    let day = |time: &Option<String>| time.as_deref().map_or_else(|| "-".to_owned(), when);
    for item in items {
        add!(text, "{} {} of {}\n", item.kind, item.dependant, day(&item.rested_at));
        add!(text, "  rested on  {} = {} ({})\n", item.property, item.value, item.event);
        let next = item.next.as_deref().map(|next| format!(", now {next}")).unwrap_or_default();
        add!(text, "  which      {} {}{next}\n", item.reason, day(&item.ended_known_at));
    }
    text
}
