//! `stratagate search`

use crate::api::wire::{FilterBody, HitBody, OneOrMany, SearchAnswerBody, SearchBody};
use crate::cli::args::AsOf;
use crate::cli::output::{add, count, indent, line, when};
use crate::cli::session::Session;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The words are never parsed as a query language: quotes, brackets and minus signs are just text.

Examples:
  stratagate search pnpm
  stratagate search \"why did CI get faster\" --in events,messages --limit 5
  stratagate search 包管理器 --history --explain --json")]
pub struct Args {
    /// The words
    #[arg(required = true)]
    words: Vec<String>,
    /// What to search: events, facts, messages, blocks
    #[arg(long = "in", value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<String>,
    /// At most this many hits
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// One thread only
    #[arg(long)]
    thread: Option<String>,
    /// Event types
    #[arg(long = "type", value_name = "TYPES", value_delimiter = ',')]
    types: Vec<String>,
    /// Statuses of the hit
    #[arg(long, value_name = "STATUSES", value_delimiter = ',')]
    status: Vec<String>,
    /// Said at or after this time
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Said before this time
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Also what has been superseded
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    as_of: AsOf,
    /// Show every part of each score
    #[arg(long)]
    explain: bool,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let many = |words: Vec<String>| (!words.is_empty()).then_some(OneOrMany::Many(words));
    let body = SearchBody {
        query: args.words.join(" "),
        kinds: (!args.kinds.is_empty()).then_some(args.kinds),
        limit: args.limit,
        thread: args.thread,
        filter: Some(FilterBody {
            kinds: many(args.types),
            status: many(args.status),
            from: args.from,
            to: args.to,
            thread: None,
        }),
        intent: args.history.then(|| "history".to_owned()),
        valid_at: args.as_of.valid_at,
        known_at: args.as_of.known_at,
        explain: Some(args.explain),
    };
    let door = session.door().await?;
    crate::cli::settle::catch_up(&door, &session.config.namespace).await?;
    let reply = door.post(&session.path("/search"), &body).await?;
    door.close().await;
    session.show(&reply, |answer: SearchAnswerBody| render(&answer))?;
    Ok(ExitCode::SUCCESS)
}

fn render(answer: &SearchAnswerBody) -> String {
    let mut text = String::new();
    if answer.hits.is_empty() {
        text.push_str("nothing found\n");
    }
    for hit in &answer.hits {
        text.push_str(&render_hit(hit));
    }
    if !answer.nearest.is_empty() {
        text.push_str("\nnearest, but no hits:\n");
        for hit in &answer.nearest {
            text.push_str(&render_hit(hit));
        }
    }
    if answer.pending > 0 {
        let writes = usize::try_from(answer.pending).unwrap_or(usize::MAX);
        add!(text, "({} not searchable yet)\n", count(writes, "write"));
    }
    add!(text, "batch {}\n", answer.batch);
    text
}

fn render_hit(hit: &HitBody) -> String {
    let mut text = format!(
        "[{}] ({}, {}, score {:.3})\n      {}\n",
        hit.evidence_ref,
        hit.status,
        when(&hit.at),
        hit.score,
        line(&hit.text, 160),
    );
    if let Some(explain) = &hit.explain {
        let parts = serde_json::to_string_pretty(explain).unwrap_or_default();
        text.push_str(&indent(&parts, 6));
        text.push('\n');
    }
    text
}
