//! Blocks at their levels, and what stands in for a thread's history.

use super::caches::BlockIndex;
use super::change::Change;
use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::{BlockCard, BlockFilter, Context, ExpandTo, Page, PlacedMessage};
use super::writer::Planned;
use crate::decay::{self, Lambda};
use crate::model::{Block, BlockId, BlockState, Level, Message, Role, ThreadId, estimate_tokens};
use crate::store::{BlockMeta, StoredMessage, Tx};
use crate::views::{self, BlockSource};
use std::collections::HashSet;

/// Weight, age and level of a Block at present.
struct Standing {
    weight: f64,
    age: u64,
    level: Level,
}

impl Namespace {
    fn lambda(&self) -> Result<Lambda, MemoryError> {
        let lambda = self.with_hot(|hot, _| hot.settings.lambda);
        Lambda::new(lambda).map_err(|error| MemoryError::invalid("lambda", error.to_string()))
    }

    fn standing(index: &BlockIndex, meta: &BlockMeta, lambda: Lambda) -> Standing {
        // A Block that is not ready takes no part in decay: it is shown as it is.
        if meta.state != BlockState::Ready {
            return Standing { weight: 1.0, age: 0, level: meta.anchor_level };
        }
        let age = index.age(meta);
        Standing {
            weight: decay::weight(lambda, age),
            age,
            level: decay::level_at(meta.anchor_level, lambda, age),
        }
    }

    fn block_card(
        &self,
        tx: &Tx<'_>,
        meta: &BlockMeta,
        standing: &Standing,
        level: Level,
    ) -> Result<BlockCard, MemoryError> {
        let block = tx.block(&meta.id)?.ok_or_else(|| self.no_block(&meta.id))?;
        let summary = tx.summary(&meta.id)?;
        let messages = block_messages(tx, &block)?;
        let before = super::engines::messages_before(tx, &block)?;
        // What the Block may begin by answering: the last thing that a person or a model said.
        let before =
            before.iter().rev().find(|message| !matches!(message.role, Role::Tool | Role::System));
        let source = BlockSource { messages: &messages, before };
        let rendered = views::render(source, level, summary.as_ref());
        Ok(BlockCard {
            id: block.id,
            thread: block.thread,
            seq: block.seq,
            state: meta.state,
            level: rendered.level_shown,
            weight: standing.weight,
            age: standing.age,
            tokens: rendered.tokens,
            text: rendered.text,
            turns: block.turns,
            messages: block.messages,
            sealed_at: block.sealed_at,
            title: summary.as_ref().map(|summary| summary.title.clone()),
            tags: summary.map(|summary| summary.tags).unwrap_or_default(),
        })
    }

    fn no_block(&self, id: &BlockId) -> MemoryError {
        self.not_found("block", id.as_str())
    }

    /// Names a thing that is not there.
    pub(super) fn not_found(&self, what: &'static str, id: &str) -> MemoryError {
        MemoryError::NotFound { what, id: id.to_owned(), namespace: self.name.as_str().to_owned() }
    }

    /// Shows a Block at its present level, or at the level asked for.
    pub fn block(&self, id: &BlockId, level: Option<Level>) -> Result<BlockCard, MemoryError> {
        let lambda = self.lambda()?;
        let found = self.with_blocks(|index| {
            index.get(id).map(|meta| (meta.clone(), Self::standing(index, meta, lambda)))
        })?;
        let (meta, standing) = found.ok_or_else(|| self.no_block(id))?;
        let tx = self.store.begin()?;
        let level = level.unwrap_or(standing.level);
        self.block_card(&tx, &meta, &standing, level)
    }

    /// Lists Blocks at their present levels.
    pub fn blocks(&self, filter: &BlockFilter) -> Result<Page<BlockCard>, MemoryError> {
        let lambda = self.lambda()?;
        let limit = super::page_limit(filter.page.limit);
        let after = super::cursor_parts(filter.page.cursor.as_deref(), 2)?;
        let after = match after.as_slice() {
            [thread, seq] => {
                let seq: u64 = seq
                    .parse()
                    .map_err(|_| MemoryError::invalid("cursor", "is not one we gave"))?;
                Some((ThreadId(thread.clone()), seq))
            }
            _ => None,
        };
        let rows: Vec<(BlockMeta, Standing)> = self.with_blocks(|index| {
            index
                .all()
                .filter(|meta| filter.thread.as_ref().is_none_or(|t| *t == meta.thread))
                .filter(|meta| filter.state.is_none_or(|state| state == meta.state))
                .filter(|meta| {
                    after
                        .as_ref()
                        .is_none_or(|(thread, seq)| (&meta.thread, meta.seq) > (thread, *seq))
                })
                .take(limit + 1)
                .map(|meta| (meta.clone(), Self::standing(index, meta, lambda)))
                .collect()
        })?;
        let next = (rows.len() > limit).then(|| {
            let (last, _) = &rows[limit - 1];
            super::cursor(&[last.thread.as_str(), &last.seq.to_string()])
        });
        let tx = self.store.begin()?;
        let mut items = Vec::new();
        for (meta, standing) in rows.iter().take(limit) {
            items.push(self.block_card(&tx, meta, standing, standing.level)?);
        }
        Ok(Page { items, next })
    }

    /// Expands a Block's view; that level and the present place become what it decays from.
    pub fn expand(&self, id: &BlockId, to: ExpandTo) -> Result<BlockCard, MemoryError> {
        let lambda = self.lambda()?;
        // The cache follows the change under a write lock of its own, so what the plan needs is
        // read before the plan, from a cache that only writers move.
        self.with_blocks(|_| ())?;
        self.write_aside(|_| {
            let planned = self.with_blocks(|index| {
                let meta = index.get(id)?;
                let shown = Self::standing(index, meta, lambda).level;
                let level = match to {
                    ExpandTo::Next => shown.raised(),
                    // An expansion never lowers a view.
                    ExpandTo::Level(level) => level.max(shown),
                };
                let position = index.newest_ready(&meta.thread).max(meta.seq);
                Some(Change::Expanded { block: id.clone(), level, position })
            })?;
            let change = planned.ok_or_else(|| self.no_block(id))?;
            Ok(Planned::write(change, ()))
        })?;
        self.block(id, None)
    }

    /// Returns what stands in for a thread's history: its Blocks at their levels, oldest first,
    /// and the open tail. With a budget the oldest Blocks give way first, one level at a time.
    pub fn context(
        &self,
        thread: &ThreadId,
        budget: Option<usize>,
    ) -> Result<Context, MemoryError> {
        let lambda = self.lambda()?;
        let open = self.with_hot(|hot, _| hot.threads.get(thread).map(|t| t.open.clone()));
        let open = open.ok_or_else(|| self.not_found("thread", thread.as_str()))?;
        let rows: Vec<(BlockMeta, Standing)> = self.with_blocks(|index| {
            index
                .thread(thread)
                .map(|meta| (meta.clone(), Self::standing(index, meta, lambda)))
                .collect()
        })?;
        let tx = self.store.begin()?;
        let mut tail = Vec::new();
        let mut blocks = Vec::new();
        for (meta, standing) in &rows {
            if meta.state == BlockState::Ready {
                blocks.push(self.block_card(&tx, meta, standing, standing.level)?);
                continue;
            }
            // Only a ready Block may stand in for the words themselves.
            if let Some(block) = tx.block(&meta.id)? {
                for id in &block.messages {
                    tail.extend(tx.message(thread, id)?.map(placed));
                }
            }
        }
        let listed: HashSet<&BlockId> = rows.iter().map(|(meta, _)| &meta.id).collect();
        for (turn, messages) in &open {
            // It may have been sealed since the open turns were read; then its Block speaks for it.
            let sealed = match messages.first() {
                Some(first) => tx.block_of_message(thread, first)?,
                None => None,
            };
            if sealed.is_some_and(|block| listed.contains(&block)) {
                continue;
            }
            tail.extend(tx.messages_of_turn(turn)?.into_iter().map(placed));
        }
        let tail_tokens: usize =
            tail.iter().map(|placed| estimate_tokens(placed.message.text())).sum();
        if let Some(budget) = budget {
            self.fit(&tx, &mut blocks, budget.saturating_sub(tail_tokens), &rows)?;
        }
        let tokens = tail_tokens + blocks.iter().map(|block| block.tokens).sum::<usize>();
        Ok(Context { blocks, tail, tokens })
    }

    /// Lowers views, then drops Blocks, oldest first, until they fit.
    fn fit(
        &self,
        tx: &Tx<'_>,
        blocks: &mut Vec<BlockCard>,
        budget: usize,
        rows: &[(BlockMeta, Standing)],
    ) -> Result<(), MemoryError> {
        let total = |blocks: &[BlockCard]| blocks.iter().map(|b| b.tokens).sum::<usize>();
        let mut at = 0;
        while total(blocks) > budget && at < blocks.len() {
            let card = &blocks[at];
            if card.level == Level::L0 {
                at += 1;
                continue;
            }
            let lower = card.level.lowered(1);
            let row = rows.iter().find(|(meta, _)| meta.id == card.id);
            let Some((meta, standing)) = row else {
                at += 1;
                continue;
            };
            let mut lowered = self.block_card(tx, meta, standing, lower)?;
            if lowered.level > lower {
                // The concise view does not exist: nothing below it does either.
                at += 1;
                continue;
            }
            std::mem::swap(&mut blocks[at], &mut lowered);
        }
        while total(blocks) > budget && !blocks.is_empty() {
            blocks.remove(0);
        }
        Ok(())
    }
}

fn block_messages(tx: &Tx<'_>, block: &Block) -> Result<Vec<Message>, MemoryError> {
    let mut messages = Vec::with_capacity(block.messages.len());
    for id in &block.messages {
        messages.extend(tx.message(&block.thread, id)?.map(|stored| stored.message));
    }
    Ok(messages)
}

/// A stored message in the doors' terms.
pub(super) fn placed(stored: StoredMessage) -> PlacedMessage {
    PlacedMessage { message: stored.message, thread: stored.thread, turn: stored.turn }
}
