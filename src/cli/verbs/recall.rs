//! `stratagate recall`

use crate::api::wire::{RecallAnswerBody, RecallBody};
use crate::cli::args::AsOf;
use crate::cli::output::{add, count};
use crate::cli::session::Session;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate recall \"which package manager do we use?\"
  stratagate recall \"what is planned?\" --thread main --budget 300
  stratagate recall npm --known-at 2026-05-07")]
pub struct Args {
    /// The words of the question
    #[arg(required = true)]
    words: Vec<String>,
    /// The asking thread: what it can still see is left out
    #[arg(long)]
    thread: Option<String>,
    /// Estimated tokens at most [default: 900]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    #[command(flatten)]
    as_of: AsOf,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let body = RecallBody {
        query: args.words.join(" "),
        thread: args.thread,
        budget: args.budget,
        valid_at: args.as_of.valid_at,
        known_at: args.as_of.known_at,
    };
    let door = session.door().await?;
    crate::cli::settle::catch_up(&door, &session.config.namespace).await?;
    let reply = door.post(&session.path("/recall"), &body).await?;
    door.close().await;
    session.show(&reply, |answer: RecallAnswerBody| render(&answer))?;
    Ok(ExitCode::SUCCESS)
}

fn render(answer: &RecallAnswerBody) -> String {
    let mut text = if answer.text.is_empty() {
        "nothing to recall\n".to_owned()
    } else {
        format!("{}\n", answer.text.trim_end())
    };
    if !answer.signals.is_empty() {
        text.push_str("\nsignals:\n");
        for signal in &answer.signals {
            add!(text, "  {}: {}\n", signal.signal, signal.detail);
        }
    }
    if !answer.omitted.is_empty() {
        text.push_str("\nleft out:\n");
        for omitted in &answer.omitted {
            add!(text, "  {}: {}\n", omitted.id, omitted.reason);
        }
    }
    let items = count(answer.items.len(), "item");
    add!(text, "\n{items}, {} tokens, batch {}\n", answer.tokens, answer.batch);
    text
}
