//! Bookkeeping in the system graph: what was applied, counters, the open tails, settings.

use super::tx::{Tx, literal_text};
use super::{StoreError, pred_type};
use crate::model::{ThreadId, TurnId};
use crate::vocab::{prov, sg};
use chrono::{DateTime, Utc};
use oxigraph::model::{Literal, NamedNode, Term};

/// How a thread stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadRow {
    /// The thread.
    pub thread: ThreadId,
    /// Turns in no Block yet, oldest first.
    pub open_turns: Vec<TurnId>,
    /// Messages so far.
    pub messages: u64,
    /// Blocks so far.
    pub blocks: u64,
    /// When the newest open turn was recorded.
    pub last_at: Option<DateTime<Utc>>,
}

/// How many things of each kind there are, kept in the same transaction as the things.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field counts what it names")]
pub struct Counters {
    pub turns: u64,
    pub messages: u64,
    pub blocks: u64,
    pub events: u64,
    pub entities: u64,
    pub facts: u64,
}

impl Tx<'_> {
    fn root(&self) -> NamedNode {
        self.names.thing("store", "state")
    }

    fn number(&self, node: &NamedNode, predicate: &'static str) -> Result<u64, StoreError> {
        let term = self.object(node, predicate, &self.names.system)?;
        Ok(term.as_ref().and_then(literal_text).and_then(|n| n.parse().ok()).unwrap_or(0))
    }

    /// Returns the last applied journal sequence.
    pub fn applied(&self) -> Result<u64, StoreError> {
        self.number(&self.root(), sg::APPLIED)
    }

    /// Notes the last applied journal sequence in place of the one before. What changes with
    /// every write is never searched for: the store would step over the remains of every earlier
    /// value until it compacts them away.
    pub fn replace_applied(&mut self, before: u64, seq: u64) {
        let (root, graph) = (self.root(), self.names.system.clone());
        self.replace_number(&root, sg::APPLIED, before, seq, &graph);
    }

    fn replace_number(
        &mut self,
        node: &NamedNode,
        predicate: &'static str,
        before: u64,
        value: u64,
        graph: &NamedNode,
    ) {
        if before != value {
            self.remove(node, predicate, Literal::from(before), graph);
        }
        self.add(node, predicate, Literal::from(value), graph);
    }

    /// Returns the counters.
    pub fn counters(&self) -> Result<Counters, StoreError> {
        let root = self.root();
        Ok(Counters {
            turns: self.number(&root, sg::TURN_COUNT)?,
            messages: self.number(&root, sg::MESSAGE_COUNT)?,
            blocks: self.number(&root, sg::BLOCK_COUNT)?,
            events: self.number(&root, sg::EVENT_COUNT)?,
            entities: self.number(&root, sg::ENTITY_COUNT)?,
            facts: self.number(&root, sg::FACT_COUNT)?,
        })
    }

    /// Writes the counters in place of those before.
    pub fn replace_counters(&mut self, before: Counters, counters: Counters) {
        let (root, graph) = (self.root(), self.names.system.clone());
        let rows = [
            (sg::TURN_COUNT, before.turns, counters.turns),
            (sg::MESSAGE_COUNT, before.messages, counters.messages),
            (sg::BLOCK_COUNT, before.blocks, counters.blocks),
            (sg::EVENT_COUNT, before.events, counters.events),
            (sg::ENTITY_COUNT, before.entities, counters.entities),
            (sg::FACT_COUNT, before.facts, counters.facts),
        ];
        for (predicate, before, value) in rows {
            if before != value {
                self.replace_number(&root, predicate, before, value, &graph);
            }
        }
    }

    /// Returns the settings as their JSON text.
    pub fn settings(&self) -> Result<Option<String>, StoreError> {
        let term = self.object(&self.root(), sg::SETTINGS, &self.names.system)?;
        Ok(term.as_ref().and_then(literal_text).map(str::to_owned))
    }

    /// Writes the settings.
    pub fn set_settings(&mut self, json: &str) -> Result<(), StoreError> {
        let (root, graph) = (self.root(), self.names.system.clone());
        self.set(&root, sg::SETTINGS, Some(Literal::from(json)), &graph)
    }

    /// Returns the version of the stored form; 0 = a store without one.
    pub fn format_version(&self) -> Result<u32, StoreError> {
        Ok(u32::try_from(self.number(&self.root(), sg::FORMAT_VERSION)?).unwrap_or(u32::MAX))
    }

    /// Writes the version of the stored form, and the migration that led to it with its hash.
    pub fn set_format(&mut self, version: u32, migration: &str) -> Result<(), StoreError> {
        let (root, graph) = (self.root(), self.names.system.clone());
        self.set(&root, sg::FORMAT_VERSION, Some(Literal::from(u64::from(version))), &graph)?;
        self.add(&root, sg::MIGRATION, Literal::from(migration), &graph);
        Ok(())
    }

    /// Returns the migrations that have run, each as `name hash`.
    pub fn migrations(&self) -> Result<Vec<String>, StoreError> {
        let terms = self.objects(&self.root(), sg::MIGRATION, &self.names.system)?;
        let mut names: Vec<String> =
            terms.iter().filter_map(|t| literal_text(t).map(str::to_owned)).collect();
        names.sort();
        Ok(names)
    }

    /// Writes how many messages a thread has, in place of the number before.
    pub fn put_thread_messages(&mut self, thread: &ThreadId, before: u64, messages: u64) {
        let (node, names) = (self.names.thread(thread), self.names);
        self.replace_number(&node, sg::MESSAGE_COUNT, before, messages, &names.system);
    }

    /// Writes how many Blocks a thread has: one more than before.
    pub fn put_thread_blocks(&mut self, thread: &ThreadId, blocks: u64) {
        let (node, names) = (self.names.thread(thread), self.names);
        let before = blocks.saturating_sub(1);
        self.replace_number(&node, sg::BLOCK_COUNT, before, blocks, &names.system);
    }

    /// Puts a turn on the open tail of its thread.
    pub fn put_open_turn(&mut self, thread: &ThreadId, turn: &TurnId) {
        let names = self.names;
        self.add(&names.thread(thread), sg::OPEN_TURN, names.turn(turn), &names.system);
    }

    /// Returns how every thread stands.
    pub fn threads(&self) -> Result<Vec<ThreadRow>, StoreError> {
        let names = self.names;
        let class = Term::from(NamedNode::new_unchecked(sg::THREAD));
        let mut rows = Vec::new();
        for node in self.subjects(pred_type(), class.as_ref(), &names.meta)? {
            let Some(id) = names.id_of("thread", node.as_str()) else { continue };
            let state = self.node(&node, &names.system)?;
            let mut open = Vec::new();
            for turn in state.iris(sg::OPEN_TURN) {
                let Some(turn_id) = names.id_of("turn", turn) else { continue };
                let number =
                    self.object(&NamedNode::new_unchecked(turn), sg::TURN_NUMBER, &names.meta)?;
                let number: u64 = number
                    .as_ref()
                    .and_then(literal_text)
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(0);
                open.push((number, TurnId(turn_id)));
            }
            open.sort();
            let last_at = match open.last() {
                Some((_, turn)) => self.turn_recorded_at(turn)?.map(|at| at.0),
                None => None,
            };
            rows.push(ThreadRow {
                thread: ThreadId(id),
                open_turns: open.into_iter().map(|(_, turn)| turn).collect(),
                messages: state.integer(sg::MESSAGE_COUNT).unwrap_or(0),
                blocks: state.integer(sg::BLOCK_COUNT).unwrap_or(0),
                last_at,
            });
        }
        Ok(rows)
    }

    /// Writes the commit resource of a journal record.
    pub fn put_commit(&mut self, seq: u64, kind: &str, at: DateTime<Utc>) {
        let names = self.names;
        let node = names.commit(seq);
        let meta = &names.meta;
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::COMMIT), meta);
        self.add(&node, pred_type(), NamedNode::new_unchecked(prov::ACTIVITY), meta);
        self.add(&node, sg::REVISION_NUMBER, Literal::from(seq), meta);
        self.add(&node, sg::COMMIT_KIND, Literal::from(kind), meta);
        self.add(&node, prov::ENDED_AT_TIME, super::tx::instant(at), meta);
    }
}
