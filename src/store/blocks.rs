//! Blocks, their stored views and their state as quads.

use super::conversation::commit_number;
use super::tx::{Tx, instant, literal_text};
use super::{StoreError, pred_type};
use crate::model::{
    Block, BlockId, BlockState, BlockSummary, JobId, Level, SealCause, ThreadId, TurnId,
};
use crate::vocab::{prov, sg};
use oxigraph::model::{Literal, NamedNode, Term};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

/// What decay needs to know of a Block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockMeta {
    /// Its id.
    pub id: BlockId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its place in the thread, from 1.
    pub seq: u64,
    /// Its state.
    pub state: BlockState,
    /// The level it decays from.
    pub anchor_level: Level,
    /// The place in the thread it decays from.
    pub anchor_position: u64,
}

impl Tx<'_> {
    /// Writes a sealed Block; its turns leave the open tail.
    pub fn put_block(&mut self, block: &Block, revision: u64) {
        let names = self.names;
        let meta = &names.meta;
        let node = names.block(&block.id);
        let thread = names.thread(&block.thread);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::BLOCK), meta);
        self.add(&node, pred_type(), NamedNode::new_unchecked(prov::COLLECTION), meta);
        self.add(&node, sg::IN_THREAD, thread.clone(), meta);
        self.add(&node, sg::SEQUENCE, Literal::from(block.seq), meta);
        for message in &block.messages {
            let message = names.message(&block.thread, message);
            self.add(&node, prov::HAD_MEMBER, message.clone(), meta);
            self.add(&message, sg::IN_BLOCK, node.clone(), meta);
        }
        self.add(&node, sg::SEALED_AT, instant(block.sealed_at), meta);
        self.add(&node, sg::SEAL_CAUSE, Literal::from(block.cause.as_str()), meta);
        self.add(&node, sg::REVISION, names.commit(revision), meta);
        self.add(&node, sg::BLOCK_STATE, Literal::from(BlockState::Sealed.as_str()), &names.ledger);
        for turn in &block.turns {
            self.remove(&thread, sg::OPEN_TURN, names.turn(turn), &names.system);
        }
    }

    /// Moves a Block to a state.
    pub fn set_block_state(&mut self, id: &BlockId, state: BlockState) -> Result<(), StoreError> {
        let names = self.names;
        self.set(
            &names.block(id),
            sg::BLOCK_STATE,
            Some(Literal::from(state.as_str())),
            &names.ledger,
        )
    }

    /// Returns a Block's state.
    pub fn block_state(&self, id: &BlockId) -> Result<Option<BlockState>, StoreError> {
        let names = self.names;
        let state = self.object(&names.block(id), sg::BLOCK_STATE, &names.ledger)?;
        Ok(state.as_ref().and_then(literal_text).and_then(BlockState::parse))
    }

    /// Moves the point that a Block decays from.
    pub fn set_anchor(
        &mut self,
        id: &BlockId,
        level: Level,
        position: u64,
    ) -> Result<(), StoreError> {
        let names = self.names;
        let node = names.block(id);
        self.set(&node, sg::ANCHOR_LEVEL, Some(Literal::from(level.as_str())), &names.weights)?;
        self.set(&node, sg::ANCHOR_POSITION, Some(Literal::from(position)), &names.weights)
    }

    /// Writes the views L0 to L2.
    pub fn put_summary(&mut self, block: &BlockId, summary: &BlockSummary, job: &JobId) {
        let names = self.names;
        let facts = summary.key_facts.join("\n");
        let views = [
            (Level::L0, summary.title.as_str()),
            (Level::L1, summary.short.as_str()),
            (Level::L2, facts.as_str()),
        ];
        for (level, text) in views {
            let view = names.view(block, level);
            let meta = &names.meta;
            self.add(&view, pred_type(), NamedNode::new_unchecked(sg::BLOCK_VIEW), meta);
            self.add(&view, sg::LEVEL, Literal::from(level.as_str()), meta);
            self.add(&view, sg::TEXT, Literal::from(text), meta);
            self.add(&view, prov::WAS_DERIVED_FROM, names.block(block), meta);
            self.add(&view, prov::WAS_GENERATED_BY, names.job(job), meta);
        }
        for tag in &summary.tags {
            let view = names.view(block, Level::L0);
            self.add(&view, sg::TAG, Literal::from(tag.as_str()), &names.meta);
        }
    }

    /// Returns the views L0 to L2, where the Block has been summarised.
    pub fn summary(&self, block: &BlockId) -> Result<Option<BlockSummary>, StoreError> {
        let names = self.names;
        let title = self.node(&names.view(block, Level::L0), &names.meta)?;
        if title.is_empty() {
            return Ok(None);
        }
        let text = |level| -> Result<String, StoreError> {
            let text = self.object(&names.view(block, level), sg::TEXT, &names.meta)?;
            Ok(text.as_ref().and_then(literal_text).unwrap_or_default().to_owned())
        };
        Ok(Some(BlockSummary {
            title: title.need_text(sg::TEXT)?.to_owned(),
            tags: title.texts(sg::TAG),
            short: text(Level::L1)?,
            key_facts: text(Level::L2)?.lines().map(str::to_owned).collect(),
        }))
    }

    /// Finds a Block.
    pub fn block(&self, id: &BlockId) -> Result<Option<Block>, StoreError> {
        Ok(self.shared_block(id)?.map(Arc::unwrap_or_clone))
    }

    /// Finds a Block, among those read last first.
    pub fn shared_block(&self, id: &BlockId) -> Result<Option<Arc<Block>>, StoreError> {
        let kept = self.blocks.map(|blocks| blocks.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(block) = kept.and_then(|mut kept| kept.get(id).cloned()) {
            return Ok(Some(block));
        }
        let Some(block) = self.read_block(id)?.map(Arc::new) else { return Ok(None) };
        if let Some(blocks) = self.blocks {
            let mut kept = blocks.lock().unwrap_or_else(PoisonError::into_inner);
            kept.put(id.clone(), block.clone());
        }
        Ok(Some(block))
    }

    fn read_block(&self, id: &BlockId) -> Result<Option<Block>, StoreError> {
        let names = self.names;
        let node = self.node(&names.block(id), &names.meta)?;
        if node.is_empty() {
            return Ok(None);
        }
        let thread = node.need_iri(sg::IN_THREAD)?;
        let thread = ThreadId(names.id_of("thread", thread).unwrap_or_default());
        let mut members = Vec::new();
        for member in node.iris(prov::HAD_MEMBER) {
            let row = NamedNode::new_unchecked(member);
            let position = self.object(&row, sg::POSITION, &names.meta)?;
            let position = position.as_ref().and_then(literal_text).and_then(|at| at.parse().ok());
            let position: u64 = position.unwrap_or(0);
            let turn = match self.object(&row, sg::IN_TURN, &names.meta)? {
                Some(Term::NamedNode(turn)) => names.id_of("turn", turn.as_str()),
                _ => None,
            };
            let turn = turn.ok_or_else(|| {
                StoreError::Corrupt(format!("{member} has no usable {}", sg::IN_TURN))
            })?;
            let message = names.message_of(member).map(|(_, id)| id);
            members.push((position, TurnId(turn), message));
        }
        members.sort();
        let mut turns: Vec<TurnId> = members.iter().map(|(_, turn, _)| turn.clone()).collect();
        turns.dedup();
        Ok(Some(Block {
            id: id.clone(),
            thread,
            seq: node.integer(sg::SEQUENCE).ok_or_else(|| node.missing(sg::SEQUENCE))?,
            turns,
            messages: members.into_iter().filter_map(|(_, _, id)| id).collect(),
            sealed_at: node.need_instant(sg::SEALED_AT)?,
            cause: match node.text(sg::SEAL_CAUSE) {
                Some("call") => SealCause::Call,
                Some("idle") => SealCause::Idle,
                _ => SealCause::Size,
            },
        }))
    }

    /// Returns the messages of a Block by thread and id, in no order.
    pub fn message_keys_of_block(
        &self,
        id: &BlockId,
    ) -> Result<Vec<super::MessageKey>, StoreError> {
        let members = self.objects(&self.names.block(id), prov::HAD_MEMBER, &self.names.meta)?;
        Ok(members
            .iter()
            .filter_map(|member| match member {
                Term::NamedNode(node) => self.names.message_of(node.as_str()),
                _ => None,
            })
            .collect())
    }

    /// Returns the Block that holds a message, once it is sealed.
    pub fn block_of_message(
        &self,
        thread: &ThreadId,
        id: &crate::model::MessageId,
    ) -> Result<Option<BlockId>, StoreError> {
        let message = self.names.message(thread, id);
        let block = self.object(&message, sg::IN_BLOCK, &self.names.meta)?;
        Ok(match block {
            Some(Term::NamedNode(node)) => self.names.id_of("block", node.as_str()).map(BlockId),
            _ => None,
        })
    }

    /// Returns the commit that sealed a Block.
    pub fn block_revision(&self, id: &BlockId) -> Result<u64, StoreError> {
        let commit = self.object(&self.names.block(id), sg::REVISION, &self.names.meta)?;
        Ok(match commit {
            Some(Term::NamedNode(node)) => commit_number(node.as_str()),
            _ => 0,
        })
    }

    /// Returns what decay needs of a Block.
    pub fn block_meta(&self, id: &BlockId) -> Result<Option<BlockMeta>, StoreError> {
        let names = self.names;
        let node = names.block(id);
        let Some(state) = self.block_state(id)? else { return Ok(None) };
        let thread = match self.object(&node, sg::IN_THREAD, &names.meta)? {
            Some(Term::NamedNode(thread)) => names.id_of("thread", thread.as_str()),
            _ => None,
        };
        let seq = self.object(&node, sg::SEQUENCE, &names.meta)?;
        let seq: u64 =
            seq.as_ref().and_then(literal_text).and_then(|number| number.parse().ok()).unwrap_or(0);
        let anchor = self.node(&node, &names.weights)?;
        Ok(Some(BlockMeta {
            id: id.clone(),
            thread: ThreadId(thread.unwrap_or_default()),
            seq,
            state,
            anchor_level: anchor
                .text(sg::ANCHOR_LEVEL)
                .and_then(|level| level.parse().ok())
                .unwrap_or(Level::L5),
            anchor_position: anchor.integer(sg::ANCHOR_POSITION).unwrap_or(seq),
        }))
    }

    /// Returns what decay needs of every Block: a scan for each property instead of a search for
    /// each Block.
    pub fn block_metas(&self) -> Result<Vec<BlockMeta>, StoreError> {
        let names = self.names;
        let by_node = |pairs: Vec<(NamedNode, Term)>| -> HashMap<NamedNode, String> {
            pairs
                .into_iter()
                .filter_map(|(node, term)| Some((node, literal_text(&term)?.to_owned())))
                .collect()
        };
        let places = by_node(self.pairs(sg::SEQUENCE, &names.meta)?);
        let levels = by_node(self.pairs(sg::ANCHOR_LEVEL, &names.weights)?);
        let anchors = by_node(self.pairs(sg::ANCHOR_POSITION, &names.weights)?);
        let mut metas = Vec::with_capacity(places.len());
        for (node, state) in self.pairs(sg::BLOCK_STATE, &names.ledger)? {
            let Some(id) = names.id_of("block", node.as_str()) else { continue };
            let Some(state) = literal_text(&state).and_then(BlockState::parse) else { continue };
            let thread = match self.object(&node, sg::IN_THREAD, &names.meta)? {
                Some(Term::NamedNode(thread)) => names.id_of("thread", thread.as_str()),
                _ => None,
            };
            let number = |from: &HashMap<NamedNode, String>| -> Option<u64> {
                from.get(&node)?.parse().ok()
            };
            let seq = number(&places).unwrap_or(0);
            metas.push(BlockMeta {
                id: BlockId(id),
                thread: ThreadId(thread.unwrap_or_default()),
                seq,
                state,
                anchor_level: levels
                    .get(&node)
                    .and_then(|level| level.parse().ok())
                    .unwrap_or(Level::L5),
                anchor_position: number(&anchors).unwrap_or(seq),
            });
        }
        Ok(metas)
    }

    /// Returns all Block ids: one index scan.
    pub fn block_ids(&self) -> Result<Vec<BlockId>, StoreError> {
        let states = self.pairs(sg::BLOCK_STATE, &self.names.ledger)?;
        Ok(states
            .iter()
            .filter_map(|(node, _)| self.names.id_of("block", node.as_str()).map(BlockId))
            .collect())
    }
}
