//! `stratagate block`

use crate::api::wire::{BlockBody, ExpandBody, ListBody};
use crate::cli::door::encode;
use crate::cli::output::{add, line, table, when};
use crate::cli::session::{Session, with_params};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without an id, lists the Blocks. Looking at a level changes nothing; expanding moves the anchor from
which the Block decays.

Examples:
  stratagate block
  stratagate block --thread main --state ready
  stratagate block b_0a1b2c3d4e5f60718293 --level L5
  stratagate block b_0a1b2c3d4e5f60718293 --expand next")]
pub struct Args {
    /// A Block's id
    id: Option<String>,
    /// Show this level: L0 (title) to L5 (source)
    #[arg(long, requires = "id", conflicts_with = "expand")]
    level: Option<String>,
    /// Expand: `next`, or a level
    #[arg(long, requires = "id", value_name = "TO")]
    expand: Option<String>,
    /// List only this thread
    #[arg(long)]
    thread: Option<String>,
    /// List only this state: sealed, summarised, ready, failed
    #[arg(long)]
    state: Option<String>,
    /// List at most this many
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Go on after an earlier list
    #[arg(long)]
    cursor: Option<String>,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let Some(id) = args.id else {
        let params = [
            ("thread", args.thread.as_deref()),
            ("state", args.state.as_deref()),
            ("limit", args.limit.as_deref()),
            ("cursor", args.cursor.as_deref()),
        ];
        let reply = door.get(&with_params(&session.path("/blocks"), params)).await?;
        door.close().await;
        session.show(&reply, render_list)?;
        return Ok(ExitCode::SUCCESS);
    };
    let path = session.path(&format!("/blocks/{}", encode(&id)));
    let reply = match args.expand {
        Some(to) => door.post(&format!("{path}/expand"), &ExpandBody { to }).await?,
        None => door.get(&with_params(&path, [("level", args.level.as_deref())])).await?,
    };
    door.close().await;
    session.show(&reply, |block: BlockBody| {
        format!(
            "{} {} of thread {}, sealed {}, {}\n{} at weight {:.3}, age {}, {} tokens\n\n{}",
            block.id,
            block.seq,
            block.thread,
            when(&block.sealed_at),
            block.state,
            block.level,
            block.weight,
            block.age,
            block.tokens,
            block.text
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

fn render_list(page: ListBody<BlockBody>) -> String {
    if page.items.is_empty() {
        return "no blocks: a Block is sealed when the open tail is full, or by `stratagate seal`"
            .to_owned();
    }
    let rows: Vec<Vec<String>> = page
        .items
        .into_iter()
        .map(|block| {
            vec![
                block.id,
                block.thread,
                block.seq.to_string(),
                block.state,
                block.level,
                format!("{:.3}", block.weight),
                block.tokens.to_string(),
                line(&block.title.unwrap_or(block.text), 60),
            ]
        })
        .collect();
    let header = ["id", "thread", "seq", "state", "level", "weight", "tokens", "title"];
    let mut text = table(&header, &rows);
    if let Some(next) = page.next {
        add!(text, "there are more: --cursor {next}\n");
    }
    text
}
