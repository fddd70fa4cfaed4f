//! `stratagate act`

use crate::api::wire::{ActBody, ListBody, MergeProposalBody, NewActBody, UndoBody};
use crate::cli::output::add;
use crate::cli::session::Session;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each act has a number and its own record: who asks why a fact changed finds the act and its note.
Ids of facts and conflicts are shown by `stratagate entity` and `stratagate why` with --json.

Examples:
  stratagate act retract e_0a1b2c3d4e5f60718293 --note 'that was a joke'
  stratagate act correct f_0a1b2c3d4e5f60718293 --value pnpm --valid-from 2026-05-08
  stratagate act resolve x_0a1b2c3d4e5f60718293 --keep f_0a1b2c3d4e5f60718293
  stratagate act merge kioskweb --into kiosk-web
  stratagate act proposals
  stratagate act undo 412")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Take a fact or an event back: it no longer counts, and what was known before stays known
    Retract {
        /// A fact's or an event's id
        id: String,
        #[command(flatten)]
        why: Note,
    },
    /// Put a fact right: its value, its start or its end
    Correct {
        /// A fact's id
        fact: String,
        /// The right value: a name, an entity's id, a text or a date
        #[arg(long)]
        value: Option<String>,
        /// The right start: a date or an RFC 3339 time
        #[arg(long, value_name = "TIME")]
        valid_from: Option<String>,
        /// The right end
        #[arg(long, value_name = "TIME")]
        valid_to: Option<String>,
        #[command(flatten)]
        why: Note,
    },
    /// Decide a conflict for one of its candidates
    Resolve {
        /// A conflict's id
        conflict: String,
        /// The candidate that holds: a fact's id
        #[arg(long, value_name = "FACT")]
        keep: String,
        #[command(flatten)]
        why: Note,
    },
    /// Say that two entities are one
    Merge {
        /// The one that stands for the other from now on: an id or an unambiguous name
        from: String,
        /// The other
        #[arg(long, value_name = "ENTITY")]
        into: String,
        #[command(flatten)]
        why: Note,
    },
    /// Say that some events speak of another entity
    Split {
        /// The entity: an id or an unambiguous name
        entity: String,
        /// The events, separated by commas
        #[arg(long, value_delimiter = ',', required = true)]
        events: Vec<String>,
        /// What they speak of: an id such as `person:maya`
        #[arg(long, value_name = "ENTITY")]
        into: String,
        #[command(flatten)]
        why: Note,
    },
    /// Undo an act by its number
    Undo {
        /// The act's number
        act: u64,
        #[command(flatten)]
        why: Note,
    },
    /// List acts, the newest first
    List {
        /// At most this many
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// List entities that may be one
    Proposals,
}

#[derive(Debug, clap::Args)]
struct Note {
    /// Why; it is kept with the act
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let body = match args.what {
        What::List { limit } => {
            let reply = door.get(&session.path(&format!("/acts?limit={limit}"))).await?;
            door.close().await;
            session.show(&reply, |list: ListBody<ActBody>| {
                if list.items.is_empty() {
                    return "no acts".to_owned();
                }
                list.items.iter().map(line).collect::<Vec<_>>().join("\n")
            })?;
            return Ok(ExitCode::SUCCESS);
        }
        What::Proposals => {
            let reply = door.get(&session.path("/merge_proposals")).await?;
            door.close().await;
            session.show(&reply, |list: ListBody<MergeProposalBody>| proposals(&list.items))?;
            return Ok(ExitCode::SUCCESS);
        }
        What::Undo { act, why } => {
            let path = session.path(&format!("/acts/{act}/undo"));
            let reply = door.post(&path, &UndoBody { note: why.note }).await?;
            door.close().await;
            session.show(&reply, |act: ActBody| told(&act))?;
            return Ok(ExitCode::SUCCESS);
        }
        what => new_act(what),
    };
    let reply = door.post(&session.path("/acts"), &body).await?;
    door.close().await;
    session.show(&reply, |act: ActBody| told(&act))?;
    Ok(ExitCode::SUCCESS)
}

fn new_act(what: What) -> NewActBody {
    let of = |kind: &str, why: Note| NewActBody {
        kind: kind.to_owned(),
        note: why.note,
        ..NewActBody::default()
    };
    match what {
        What::Retract { id, why } => {
            // Facts have their own letter; anything else is taken as an Event's id.
            let (fact, event) =
                if id.starts_with("f_") { (Some(id), None) } else { (None, Some(id)) };
            NewActBody { fact, event, ..of("retract", why) }
        }
        What::Correct { fact, value, valid_from, valid_to, why } => {
            NewActBody { fact: Some(fact), value, valid_from, valid_to, ..of("correct", why) }
        }
        What::Resolve { conflict, keep, why } => {
            NewActBody { conflict: Some(conflict), keep: Some(keep), ..of("resolve", why) }
        }
        What::Merge { from, into, why } => {
            NewActBody { from: Some(from), into: Some(into), ..of("merge", why) }
        }
        What::Split { entity, events, into, why } => {
            NewActBody { entity: Some(entity), events, into: Some(into), ..of("split", why) }
        }
        What::Undo { .. } | What::List { .. } | What::Proposals => NewActBody::default(),
    }
}

/// Says an act in one line.
fn line(act: &ActBody) -> String {
    let mut line = format!("{:>6}  {}  {} {}", act.id, act.at, act.kind, act.targets.join(" "));
    if let Some(note) = &act.note {
        add!(line, ": {note}");
    }
    if let Some(by) = act.undone_by {
        add!(line, " (undone by {by})");
    }
    line
}

/// Says an act and what it changed.
fn told(act: &ActBody) -> String {
    let mut text = format!("act {}: {} {}", act.id, act.kind, act.targets.join(" "));
    for (what, facts) in [
        ("opened", &act.opened),
        ("ended", &act.closed),
        ("open again", &act.reopened),
        ("taken back", &act.retracted),
        ("resolved", &act.resolved),
    ] {
        if !facts.is_empty() {
            add!(text, "\n  {what}: {}", facts.join(", "));
        }
    }
    add!(text, "\nundo it with: stratagate act undo {}", act.id);
    text
}

fn proposals(items: &[MergeProposalBody]) -> String {
    if items.is_empty() {
        return "no two names are near".to_owned();
    }
    let mut text = String::new();
    for proposal in items {
        let MergeProposalBody { from, into, closeness, reason } = proposal;
        add!(text, "{closeness:.2}  {} into {}: {reason}\n", from.id, into.id);
    }
    text.push_str("merge two with: stratagate act merge FROM --into INTO");
    text
}
