//! `stratagate blast-radius`

use crate::api::wire::{ListBody, TouchedBody};
use crate::cli::output::{add, when};
use crate::cli::session::{Session, with_params};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate blast-radius m12
  stratagate blast-radius m12 --thread support --json")]
pub struct Args {
    /// The message's id
    message: String,
    /// Its thread [default: main]
    #[arg(long, value_name = "THREAD")]
    thread: Option<String>,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let params = [("message", Some(args.message.as_str())), ("thread", args.thread.as_deref())];
    let reply = door.get(&with_params(&session.path("/blast_radius"), params)).await?;
    door.close().await;
    session.show(&reply, |list: ListBody<TouchedBody>| render(&list.items))?;
    Ok(ExitCode::SUCCESS)
}

fn render(items: &[TouchedBody]) -> String {
    if items.is_empty() {
        return "no event rests on this message".to_owned();
    }
    let mut text = String::new();
    for item in items {
        let only = if item.only_source { ", its only source" } else { "" };
        add!(text, "event {} \"{}\"{only}\n", item.event, item.title);
        for answer in &item.answers {
            let at = answer.at.as_deref().map_or_else(|| "-".to_owned(), when);
            add!(text, "  used in answer {} of {at}", answer.receipt);
            if let Some(query) = &answer.query {
                add!(text, " to \"{query}\"");
            }
            text.push('\n');
        }
        if item.answers.is_empty() {
            text.push_str("  used in no answer\n");
        }
    }
    text
}
