//! Recording the bundled conversation as it went.

use super::NAMESPACE;
use super::story::Story;
use crate::api::wire::{NamespaceBody, ReceiptBody};
use crate::cli::output::{Progress, count};
use crate::memory::Memory;
use crate::model::NamespaceName;
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::time::Duration;

/// Made for this project; any likeness is accidental.
const CONVERSATION: &str = include_str!("conversation.json");
/// Complete turns to a Block in the demo.
const BLOCK_TURNS: u32 = 6;
/// How long one Block's background work may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Records the conversation turn by turn; work ends after each sealed Block.
pub async fn record(story: &mut Story<'_>, memory: &Memory) -> anyhow::Result<()> {
    let conversation: Value =
        serde_json::from_str(CONVERSATION).context("the bundled conversation is damaged")?;
    let thread = conversation["thread"].as_str().unwrap_or("main").to_owned();
    let turns = conversation["turns"].as_array().cloned().unwrap_or_default();
    let settings = json!({"block_turns": BLOCK_TURNS, "timezone": "+08:00"});
    story.door.send(axum::http::Method::PUT, &Story::path(""), &settings).await?;
    let mut progress = Progress::new();
    let mut messages = 0;
    for (number, turn) in turns.iter().enumerate() {
        let mut turn = turn.clone();
        turn["thread"] = thread.clone().into();
        let receipt: ReceiptBody = story.door.post(&Story::path("/turns"), &turn).await?.json()?;
        messages += receipt.message_ids.len();
        if receipt.sealed_block.is_some() {
            progress.show(&format!("turn {} of {}", number + 1, turns.len()));
            settle(memory).await?;
        }
    }
    settle(memory).await?;
    drop(progress);
    story.thread = thread;
    let info: NamespaceBody = story.door.get(&Story::path("")).await?.json()?;
    let counts = &info.counts;
    story.section(
        "The conversation",
        &serde_json::to_value(&info)?,
        &format!(
            "{} with {} went in one by one, each durable before it was acknowledged.\n\
             Every {BLOCK_TURNS} turns became a Block; in the background each Block was summarised and its\n\
             Events were extracted by the built-in engine, with no model and no network. Times are in UTC.\n\n\
             {} | {} | {} | {} in the open tail",
            count(turns.len(), "turn"),
            count(messages, "message"),
            count_u64(counts.blocks, "Block"),
            count_u64(counts.events, "Event"),
            count_u64(counts.facts, "Fact"),
            count_u64(counts.open_turns, "turn"),
        ),
    )
}

fn count_u64(number: u64, thing: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), thing)
}

async fn settle(memory: &Memory) -> anyhow::Result<()> {
    let (memory, name) = (memory.clone(), NamespaceName::new(NAMESPACE)?);
    let settled =
        tokio::task::spawn_blocking(move || crate::jobs::settle(&memory, &name, PATIENCE))
            .await
            .context("the background work failed inside")??;
    if !settled {
        bail!("the background work did not end in {} s", PATIENCE.as_secs());
    }
    Ok(())
}
