//! Messages, turns and threads as quads.

use super::tx::{Node, Tx, instant};
use super::{StoreError, pred_type};
use crate::model::{Message, MessageId, Role, Stamp, StampBasis, ThreadId, ToolCall, Turn, TurnId};
use crate::vocab::{prov, sg};
use oxigraph::model::{Literal, NamedNode, Term};

/// A turn as it is captured: numbered, hashed and placed.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CapturedTurn {
    /// The turn.
    pub turn: Turn,
    /// Its number in the namespace, from 1.
    pub number: u64,
    /// Place of its first message in the thread, from 1.
    pub first_position: u64,
    /// SHA-256 over the content as given, to recognise a repeat.
    pub hash: String,
}

/// What is stored of a turn besides its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRow {
    /// Its number in the namespace.
    pub number: u64,
    /// See [`CapturedTurn::hash`].
    pub hash: String,
    /// Its thread.
    pub thread: ThreadId,
    /// The commit that recorded it.
    pub revision: u64,
}

/// A message where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// The message.
    pub message: Message,
    /// Its thread.
    pub thread: ThreadId,
    /// Its turn.
    pub turn: TurnId,
    /// Its place in the thread, from 1.
    pub position: u64,
}

fn basis_word(basis: StampBasis) -> &'static str {
    match basis {
        StampBasis::Given => "given",
        StampBasis::OffsetAssumed => "offset_assumed",
        StampBasis::Assumed => "assumed",
    }
}

impl Tx<'_> {
    /// Writes a stamp: offset and basis beside the instant.
    pub(super) fn put_stamp(
        &mut self,
        subject: &NamedNode,
        predicate: &'static str,
        stamp: &Stamp,
        graph: &NamedNode,
    ) {
        self.add(subject, predicate, instant(stamp.utc), graph);
        self.add(subject, sg::OFFSET_SECONDS, Literal::from(stamp.offset_seconds), graph);
        self.add(subject, sg::TIME_BASIS, Literal::from(basis_word(stamp.basis)), graph);
    }

    /// Writes a turn with its messages.
    pub fn put_turn(&mut self, captured: &CapturedTurn, revision: u64) {
        let names = self.names;
        let meta = &names.meta;
        let turn = &captured.turn;
        let thread = names.thread(&turn.thread);
        self.add(&thread, pred_type(), NamedNode::new_unchecked(sg::THREAD), meta);
        self.add(&thread, sg::THREAD_ID, Literal::from(turn.thread.as_str()), meta);
        let node = names.turn(&turn.id);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::TURN), meta);
        self.add(&node, sg::TURN_ID, Literal::from(turn.id.as_str()), meta);
        self.add(&node, sg::IN_THREAD, thread.clone(), meta);
        self.add(&node, sg::TURN_NUMBER, Literal::from(captured.number), meta);
        self.add(&node, sg::CONTENT_HASH, Literal::from(captured.hash.as_str()), meta);
        self.add(&node, sg::REVISION, names.commit(revision), meta);
        for (message, position) in turn.messages.iter().zip(captured.first_position..) {
            self.put_message(message, &turn.thread, &node, position);
        }
    }

    fn put_message(
        &mut self,
        message: &Message,
        thread: &ThreadId,
        turn: &NamedNode,
        position: u64,
    ) {
        let names = self.names;
        let meta = &names.meta;
        let node = names.message(thread, &message.id);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::MESSAGE), meta);
        self.add(&node, sg::MESSAGE_ID, Literal::from(message.id.as_str()), meta);
        self.add(&node, sg::IN_THREAD, names.thread(thread), meta);
        self.add(&node, sg::IN_TURN, turn.clone(), meta);
        self.add(&node, sg::POSITION, Literal::from(position), meta);
        // Every thread has a message at place 5: neighbours are found by a key of thread and
        // place, not among the messages of all threads at a place.
        self.add(&names.place(thread, position), sg::OF_MESSAGE, node.clone(), &names.system);
        self.add(&node, sg::ROLE, Literal::from(message.role.as_str()), meta);
        let agent = names.thing("agent", message.speaker_or_role());
        self.add(&agent, pred_type(), NamedNode::new_unchecked(prov::AGENT), meta);
        self.add(&agent, crate::vocab::rdf::LABEL, Literal::from(message.speaker_or_role()), meta);
        self.add(&node, prov::WAS_ATTRIBUTED_TO, agent, meta);
        self.put_stamp(&node, prov::GENERATED_AT_TIME, &message.at, meta);
        let text = |value: &Option<String>| value.as_deref().map(Literal::from);
        self.add_some(&node, sg::SPEAKER, text(&message.speaker), meta);
        self.add_some(&node, sg::TEXT, text(&message.content), meta);
        self.add_some(&node, sg::TOOL_NAME, text(&message.name), meta);
        self.add_some(&node, sg::TOOL_CALL_ID, text(&message.tool_call_id), meta);
        if !message.tool_calls.is_empty() {
            let calls = serde_json::to_string(&message.tool_calls)
                .expect("tool calls are plain JSON values");
            self.add(&node, sg::TOOL_CALLS, Literal::from(calls), meta);
        }
    }

    /// Finds a turn by the caller's key.
    pub fn turn_row(&self, id: &TurnId) -> Result<Option<TurnRow>, StoreError> {
        let node = self.node(&self.names.turn(id), &self.names.meta)?;
        if node.is_empty() {
            return Ok(None);
        }
        let thread = node.need_iri(sg::IN_THREAD)?;
        let revision = node.need_iri(sg::REVISION)?;
        Ok(Some(TurnRow {
            number: node.integer(sg::TURN_NUMBER).ok_or_else(|| node.missing(sg::TURN_NUMBER))?,
            hash: node.need_text(sg::CONTENT_HASH)?.to_owned(),
            thread: ThreadId(self.names.id_of("thread", thread).unwrap_or_default()),
            revision: commit_number(revision),
        }))
    }

    /// Finds a message.
    pub fn message(
        &self,
        thread: &ThreadId,
        id: &MessageId,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.message_at(&self.names.message(thread, id))
    }

    /// Finds a message by its IRI.
    pub fn message_at(&self, iri: &NamedNode) -> Result<Option<StoredMessage>, StoreError> {
        let node = self.node(iri, &self.names.meta)?;
        if node.is_empty() {
            return Ok(None);
        }
        let (thread, id) = self
            .names
            .message_of(iri.as_str())
            .ok_or_else(|| StoreError::Corrupt(format!("{} is no message IRI", iri.as_str())))?;
        let turn = node.need_iri(sg::IN_TURN)?;
        let tool_calls: Vec<ToolCall> = match node.text(sg::TOOL_CALLS) {
            None => Vec::new(),
            Some(json) => serde_json::from_str(json).map_err(|error| {
                StoreError::Corrupt(format!("{} has broken tool calls: {error}", node.iri))
            })?,
        };
        let owned = |predicate: &str| node.text(predicate).map(str::to_owned);
        Ok(Some(StoredMessage {
            message: Message {
                id,
                role: Role::from(node.need_text(sg::ROLE)?.to_owned()),
                speaker: owned(sg::SPEAKER),
                content: owned(sg::TEXT),
                at: read_stamp(&node, prov::GENERATED_AT_TIME)?,
                name: owned(sg::TOOL_NAME),
                tool_calls,
                tool_call_id: owned(sg::TOOL_CALL_ID),
            },
            thread,
            turn: TurnId(self.names.id_of("turn", turn).unwrap_or_default()),
            position: node.integer(sg::POSITION).ok_or_else(|| node.missing(sg::POSITION))?,
        }))
    }

    /// Returns the messages of a turn in order.
    pub fn messages_of_turn(&self, id: &TurnId) -> Result<Vec<StoredMessage>, StoreError> {
        let turn = self.names.turn(id);
        let mut messages = Vec::new();
        for node in self.subjects(sg::IN_TURN, turn.as_ref(), &self.names.meta)? {
            messages.extend(self.message_at(&node)?);
        }
        messages.sort_by_key(|m| m.position);
        Ok(messages)
    }

    /// Returns the ids of a turn's messages in order.
    pub fn message_ids_of_turn(&self, id: &TurnId) -> Result<Vec<MessageId>, StoreError> {
        let turn = self.names.turn(id);
        let mut ids = Vec::new();
        for node in self.subjects(sg::IN_TURN, turn.as_ref(), &self.names.meta)? {
            let Some((thread, id)) = self.names.message_of(node.as_str()) else { continue };
            ids.push((self.position_of(&thread, &id)?, id));
        }
        ids.sort();
        Ok(ids.into_iter().map(|(_, id)| id).collect())
    }

    /// Returns the messages of a thread's open tail, in no order.
    pub fn open_messages(&self, thread: &ThreadId) -> Result<Vec<MessageId>, StoreError> {
        let names = self.names;
        let mut ids = Vec::new();
        for turn in self.objects(&names.thread(thread), sg::OPEN_TURN, &names.system)? {
            let Term::NamedNode(turn) = turn else { continue };
            for message in self.subjects(sg::IN_TURN, turn.as_ref(), &names.meta)? {
                ids.extend(names.message_of(message.as_str()).map(|(_, id)| id));
            }
        }
        Ok(ids)
    }

    /// Returns when a turn was recorded.
    pub fn turn_recorded_at(
        &self,
        id: &TurnId,
    ) -> Result<Option<crate::model::TxTime>, StoreError> {
        let commit = self.object(&self.names.turn(id), sg::REVISION, &self.names.meta)?;
        let Some(Term::NamedNode(commit)) = commit else { return Ok(None) };
        let at = self.object(&commit, prov::ENDED_AT_TIME, &self.names.meta)?;
        Ok(at
            .as_ref()
            .and_then(super::tx::literal_text)
            .and_then(super::tx::parse_utc)
            .map(crate::model::TxTime))
    }

    /// Finds the message at a place in a thread.
    pub fn message_at_position(
        &self,
        thread: &ThreadId,
        position: u64,
    ) -> Result<Option<StoredMessage>, StoreError> {
        let place = self.names.place(thread, position);
        match self.object(&place, sg::OF_MESSAGE, &self.names.system)? {
            Some(Term::NamedNode(message)) => self.message_at(&message),
            _ => Ok(None),
        }
    }

    /// Returns the place of a message in its thread.
    pub fn position_of(
        &self,
        thread: &ThreadId,
        id: &MessageId,
    ) -> Result<Option<u64>, StoreError> {
        let message = self.names.message(thread, id);
        let place = self.object(&message, sg::POSITION, &self.names.meta)?;
        Ok(place.as_ref().and_then(super::tx::literal_text).and_then(|place| place.parse().ok()))
    }

    /// Says whether a message with this id exists in the thread.
    pub fn has_message(&self, thread: &ThreadId, id: &MessageId) -> Result<bool, StoreError> {
        self.has(&self.names.message(thread, id), sg::POSITION, &self.names.meta)
    }

    /// Returns all message IRIs: one index scan.
    pub fn message_iris(&self) -> Result<Vec<NamedNode>, StoreError> {
        self.subjects(
            pred_type(),
            Term::from(NamedNode::new_unchecked(sg::MESSAGE)).as_ref(),
            &self.names.meta,
        )
    }
}

/// Reads a stamp that [`Tx::put_stamp`] wrote.
pub(super) fn read_stamp(node: &Node, predicate: &str) -> Result<Stamp, StoreError> {
    Ok(Stamp {
        utc: node.need_instant(predicate)?,
        offset_seconds: node.integer(sg::OFFSET_SECONDS).unwrap_or(0),
        basis: match node.text(sg::TIME_BASIS) {
            Some("offset_assumed") => StampBasis::OffsetAssumed,
            Some("assumed") => StampBasis::Assumed,
            _ => StampBasis::Given,
        },
    })
}

/// Returns the number in a commit's IRI.
pub(super) fn commit_number(iri: &str) -> u64 {
    iri.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}
