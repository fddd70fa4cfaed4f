//! `stratagate entity`

use super::facts;
use crate::api::wire::{EntityBody, EntityStateBody, ListBody};
use crate::cli::args::AsOf;
use crate::cli::door::encode;
use crate::cli::output::{add, indent, table};
use crate::cli::session::{Session, with_params};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without a name, lists the entities.

Examples:
  stratagate entity
  stratagate entity --type tool --q npm
  stratagate entity tideline
  stratagate entity project:tideline --valid-at 2026-05-07
  stratagate entity tideline --valid-at 2026-05-09 --known-at 2026-05-07
  stratagate entity tideline --present-only
  stratagate entity tideline --limit 20                  a page of 20 slots")]
pub struct Args {
    /// An id, or an unambiguous name or alias
    name: Option<String>,
    #[command(flatten)]
    as_of: AsOf,
    /// List only this type: person, project, organization, tool, place, thing
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// List only names that contain this
    #[arg(long, value_name = "PART")]
    q: Option<String>,
    /// List at most this many entities; of one entity, show this many slots (default: all)
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Go on after an earlier list
    #[arg(long)]
    cursor: Option<String>,
    /// Show what holds, is planned or contested, without what held before
    #[arg(long)]
    present_only: bool,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let Some(name) = &args.name else {
        let params = [
            ("type", args.kind.as_deref()),
            ("q", args.q.as_deref()),
            ("limit", args.limit.as_deref()),
            ("cursor", args.cursor.as_deref()),
        ];
        let reply = door.get(&with_params(&session.path("/entities"), params)).await?;
        door.close().await;
        session.show(&reply, render_list)?;
        return Ok(ExitCode::SUCCESS);
    };
    let path = session.path(&format!("/entities/{}", encode(name)));
    let mut params = args.as_of.params();
    params.push(("limit", args.limit.as_deref()));
    params.push(("cursor", args.cursor.as_deref()));
    params.push(("present_only", args.present_only.then_some("true")));
    let reply = door.get(&with_params(&path, params)).await?;
    door.close().await;
    session.show(&reply, |state| render(&state, &args.as_of.words()))?;
    Ok(ExitCode::SUCCESS)
}

fn render_list(page: ListBody<EntityBody>) -> String {
    if page.items.is_empty() {
        return "no entities".to_owned();
    }
    let rows: Vec<Vec<String>> = page
        .items
        .into_iter()
        .map(|entity| vec![entity.id, entity.kind, entity.label, entity.aliases.join(", ")])
        .collect();
    let mut text = table(&["id", "type", "label", "aliases"], &rows);
    if let Some(next) = page.next {
        add!(text, "there are more: --cursor {next}\n");
    }
    text
}

/// Shows a state in sections; `point` says from where it is seen.
pub fn render(state: &EntityStateBody, point: &str) -> String {
    let entity = &state.entity;
    let mut text = format!("{} ({}, {}){point}\n", entity.label, entity.kind, entity.id);
    let sections = [
        ("current", &state.current),
        ("planned", &state.planned),
        ("superseded", &state.superseded),
    ];
    for (title, list) in sections {
        if !list.is_empty() {
            add!(text, "\n{title}\n{}\n", indent(&facts::columns(list), 2));
        }
    }
    if !state.conflicts.is_empty() {
        text.push_str("\nconflicts\n");
        for conflict in &state.conflicts {
            add!(text, "{}\n", indent(&facts::conflict(conflict), 2));
        }
    }
    if state.current.is_empty() && state.planned.is_empty() && state.conflicts.is_empty() {
        text.push_str("\nnothing holds\n");
    }
    if let Some(next) = &state.next {
        add!(text, "\nthere are more slots: --cursor {next}\n");
    }
    text
}
