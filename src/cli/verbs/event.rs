//! `stratagate event`

use crate::api::wire::{EventBody, OccurrenceBody};
use crate::cli::door::{Door, encode};
use crate::cli::output::{add, count, line, when};
use crate::cli::session::Session;
use std::process::ExitCode;

/// Other Events that are told in words; of a longer list the rest are told by id.
const MOST_OTHERS: usize = 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate event e_0a1b2c3d4e5f60718293
  stratagate event e_0a1b2c3d4e5f60718293 --json")]
pub struct Args {
    /// An event's id
    id: String,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let reply = door.get(&path(session, &args.id)).await?;
    if session.json {
        door.close().await;
        session.show(&reply, |_: EventBody| String::new())?;
        return Ok(ExitCode::SUCCESS);
    }
    let event: EventBody = reply.json()?;
    let others = Others {
        superseding: said(session, &door, &event.superseded_by).await?,
        conflicting: said(session, &door, &event.conflicts_with).await?,
    };
    door.close().await;
    crate::cli::output::text(&render(&event, &others))?;
    Ok(ExitCode::SUCCESS)
}

fn path(session: &Session, id: &str) -> String {
    session.path(&format!("/events/{}", encode(id)))
}

/// What other Events say, with their ids.
struct Others {
    superseding: Vec<String>,
    conflicting: Vec<String>,
}

async fn said(session: &Session, door: &Door, ids: &[String]) -> anyhow::Result<Vec<String>> {
    let mut said = Vec::with_capacity(ids.len());
    for (place, id) in ids.iter().enumerate() {
        if place >= MOST_OTHERS {
            said.push(id.clone());
            continue;
        }
        let other: EventBody = door.get(&path(session, id)).await?.json()?;
        said.push(format!("\"{}\" ({id})", line(&other.summary, 160)));
    }
    Ok(said)
}

fn render(event: &EventBody, others: &Others) -> String {
    let mut text = format!("{} ({})\n", event.title, event.id);
    let mut tell = |name: &str, what: &str| add!(text, "  {name:<10} {what}\n");
    tell("says", &line(&event.summary, 1000));
    let state = match (&others.superseding[..], &others.conflicting[..]) {
        _ if event.forgotten => ", forgotten",
        ([_, ..], _) => ", superseded",
        (_, [_, ..]) => ", in conflict",
        _ => "",
    };
    tell("status", &format!("{}, {}{state}", event.kind, event.status));
    for (name, list) in [("superseded", &others.superseding), ("conflict", &others.conflicting)] {
        for other in list {
            let link = if name == "conflict" { "with" } else { "by" };
            tell(name, &format!("{link} {other}"));
        }
    }
    let place = format!("by {}, in thread {}", event.speaker, event.thread);
    tell("said", &format!("{} {place}", when(&event.mentioned_at)));
    tell("occurred", &occurred(&event.occurred));
    if let Some(reason) = &event.reason {
        tell("reason", &line(reason, 200));
    }
    for quote in &event.quotes {
        tell("quote", &format!("{}: \"{}\"", quote.message, line(&quote.text, 400)));
    }
    let about: Vec<String> =
        event.participants.iter().map(|one| format!("{} ({})", one.label, one.id)).collect();
    if !about.is_empty() {
        tell("about", &about.join(", "));
    }
    let uses = usize::try_from(event.adoptions).unwrap_or(usize::MAX);
    let pinned = if event.pinned { ", pinned" } else { "" };
    tell("weight", &format!("{:.4}, used {}{pinned}", event.weight, count(uses, "time")));
    let engine = format!("{}/{}", event.extractor.name, event.extractor.version);
    let from = format!("from {} by {engine}", event.source_block);
    tell("recorded", &format!("{} {from}", when(&event.recorded_at)));
    text
}

/// When it happened or is planned: the days as the speaker's calendar has them, then the words.
fn occurred(when_it_was: &OccurrenceBody) -> String {
    let from = when_it_was.local_from.clone().or(when_it_was.from.as_deref().map(when));
    let to = when_it_was.local_to.clone().or(when_it_was.to.as_deref().map(when));
    let span = match (from, to) {
        (Some(from), Some(to)) if from == to => from,
        (Some(from), Some(to)) => format!("{from} to {to}"),
        (Some(from), None) => format!("from {from}"),
        (None, Some(to)) => format!("until {to}"),
        (None, None) => return "time unknown".to_owned(),
    };
    let words = when_it_was.expression.as_deref();
    let words = words.map(|words| format!(", \"{}\"", line(words, 80))).unwrap_or_default();
    format!("{span} ({}, {}{words})", when_it_was.precision, when_it_was.basis)
}
