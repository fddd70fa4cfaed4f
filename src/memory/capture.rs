//! Recording turns: checking them, recognising repeats, cutting full Blocks.

use super::change::Change;
use super::error::MemoryError;
use super::hot::Hot;
use super::types::{NewMessage, NewTurn, Settings, TurnReceipt};
use super::zone::Zone;
use crate::model::{
    BlockId, Message, MessageId, SealCause, ThreadId, Turn, TurnId, content_hash, to_rfc3339,
};
use crate::store::{CapturedTurn, Tx};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};

/// Largest text of one message, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
/// Largest tool calls of one message, as JSON, in bytes.
const MAX_TOOL_CALLS_BYTES: usize = 4 * 1024 * 1024;
/// Longest id, role, name or speaker, in bytes.
const MAX_NAME_BYTES: usize = 512;
/// Most messages in one turn.
const MAX_MESSAGES: usize = 10_000;
/// Thread of a turn that names none.
pub const DEFAULT_THREAD: &str = "main";

/// What one group of writes has added so far, before any of it is in the store.
#[derive(Debug, Default)]
pub struct Overlay {
    turns: HashMap<TurnId, (String, TurnReceipt)>,
    messages: HashSet<(ThreadId, MessageId)>,
}

/// A turn that has been checked.
struct Checked {
    turn: Turn,
    hash: String,
}

/// Checks turns against what is stored and pending, numbers the new ones and cuts full Blocks.
/// Returns the record to write (`None` when all are repeats) and a receipt for each turn. Nothing
/// is changed unless all of them are good.
pub fn plan(
    turns: Vec<NewTurn>,
    tx: &Tx<'_>,
    hot: &mut Hot,
    overlay: &mut Overlay,
    now: DateTime<Utc>,
    revision: u64,
) -> Result<(Option<Change>, Vec<TurnReceipt>), MemoryError> {
    let zone = Zone::parse(&hot.settings.timezone)
        .map_err(|reason| MemoryError::invalid("timezone", reason))?;
    let many = turns.len() > 1;
    let mut fresh: Vec<Checked> = Vec::new();
    let mut fresh_ids: HashMap<TurnId, usize> = HashMap::new();
    let mut new_messages: HashSet<(ThreadId, MessageId)> = HashSet::new();
    // Each outcome is either a receipt of an earlier turn or the index of a fresh one.
    let mut outcomes: Vec<Result<TurnReceipt, usize>> = Vec::with_capacity(turns.len());
    for (index, new) in turns.into_iter().enumerate() {
        let at = if many { format!("turns[{index}].") } else { String::new() };
        let checked = check_turn(new, zone, now, &at)?;
        let id = checked.turn.id.clone();
        let earlier = match overlay.turns.get(&id) {
            Some((hash, receipt)) => Some((hash.clone(), receipt.clone())),
            None => stored_receipt(tx, &checked.turn)?,
        };
        if let Some((hash, receipt)) = earlier {
            if hash != checked.hash {
                return Err(reused(&id));
            }
            outcomes.push(Ok(TurnReceipt { duplicate: true, ..receipt }));
        } else if let Some(&at) = fresh_ids.get(&id) {
            if fresh[at].hash != checked.hash {
                return Err(reused(&id));
            }
            outcomes.push(Err(at));
        } else {
            check_message_ids(tx, &checked.turn, overlay, &mut new_messages)?;
            fresh_ids.insert(id, fresh.len());
            outcomes.push(Err(fresh.len()));
            fresh.push(checked);
        }
    }
    let mut captured = Vec::with_capacity(fresh.len());
    let mut blocks = Vec::new();
    let mut receipts: Vec<TurnReceipt> = Vec::with_capacity(fresh.len());
    for checked in fresh {
        let (turn, sealed) = place(checked, hot, now);
        receipts.push(TurnReceipt {
            turn_id: turn.turn.id.clone(),
            duplicate: false,
            turn: turn.number,
            message_ids: turn.turn.messages.iter().map(|m| m.id.clone()).collect(),
            sealed_block: sealed.last().map(|block| block.id.clone()),
            revision,
        });
        blocks.extend(sealed);
        captured.push(turn);
    }
    for (turn, receipt) in captured.iter().zip(&receipts) {
        let known = (turn.hash.clone(), receipt.clone());
        overlay.turns.insert(turn.turn.id.clone(), known);
    }
    overlay.messages.extend(new_messages);
    let mut seen = HashSet::new();
    let answers = outcomes
        .into_iter()
        .map(|outcome| match outcome {
            Ok(receipt) => receipt,
            Err(at) => TurnReceipt { duplicate: !seen.insert(at), ..receipts[at].clone() },
        })
        .collect();
    let change = (!captured.is_empty()).then_some(Change::Captured { turns: captured, blocks });
    Ok((change, answers))
}

fn reused(id: &TurnId) -> MemoryError {
    MemoryError::Conflict(format!(
        "turn_id {:?} is already stored with other content; nothing was changed, use a new turn_id",
        id.as_str()
    ))
}

/// Numbers a turn, puts it on its thread's open tail and cuts what is full.
fn place(
    checked: Checked,
    hot: &mut Hot,
    now: DateTime<Utc>,
) -> (CapturedTurn, Vec<crate::model::Block>) {
    let turn = checked.turn;
    hot.counters.turns += 1;
    hot.counters.messages += turn.messages.len() as u64;
    let number = hot.counters.turns;
    let block_turns = hot.settings.block_turns.max(1) as usize;
    let thread = hot.threads.entry(turn.thread.clone()).or_default();
    let first_position = thread.messages + 1;
    thread.messages += turn.messages.len() as u64;
    thread.last_at = Some(now);
    let ids = turn.messages.iter().map(|m| m.id.clone()).collect();
    thread.open.push((turn.id.clone(), ids));
    let mut full = thread.open.len() / block_turns;
    let mut blocks = Vec::new();
    while full > 0 {
        if let Some(block) = hot.next_block(&turn.thread, block_turns, SealCause::Size, now) {
            hot.absorb_block(&block);
            blocks.push(block);
        }
        full -= 1;
    }
    (CapturedTurn { turn, number, first_position, hash: checked.hash }, blocks)
}

/// Rebuilds the receipt of a turn that is stored already.
fn stored_receipt(tx: &Tx<'_>, turn: &Turn) -> Result<Option<(String, TurnReceipt)>, MemoryError> {
    let Some(row) = tx.turn_row(&turn.id)? else { return Ok(None) };
    let messages = tx.messages_of_turn(&turn.id)?;
    let receipt = TurnReceipt {
        turn_id: turn.id.clone(),
        duplicate: true,
        turn: row.number,
        message_ids: messages.iter().map(|m| m.message.id.clone()).collect(),
        sealed_block: sealed_by(tx, row.revision, &messages)?,
        revision: row.revision,
    };
    Ok(Some((row.hash, receipt)))
}

/// The Block that was sealed by the very commit that stored these messages, if they ended it.
fn sealed_by(
    tx: &Tx<'_>,
    revision: u64,
    messages: &[crate::store::StoredMessage],
) -> Result<Option<BlockId>, MemoryError> {
    let Some(last) = messages.last() else { return Ok(None) };
    let Some(block) = tx.block_of_message(&last.thread, &last.message.id)? else {
        return Ok(None);
    };
    if tx.block_revision(&block)? != revision {
        return Ok(None);
    }
    let ends = tx.block(&block)?.and_then(|b| b.messages.last().cloned());
    Ok((ends.as_ref() == Some(&last.message.id)).then_some(block))
}

fn check_message_ids(
    tx: &Tx<'_>,
    turn: &Turn,
    overlay: &Overlay,
    new_messages: &mut HashSet<(ThreadId, MessageId)>,
) -> Result<(), MemoryError> {
    for message in &turn.messages {
        let key = (turn.thread.clone(), message.id.clone());
        if overlay.messages.contains(&key)
            || tx.has_message(&turn.thread, &message.id)?
            || !new_messages.insert(key)
        {
            return Err(MemoryError::Conflict(format!(
                "message id {:?} is already used in thread {:?}; message ids are unique per thread, \
                 leave the id out to have one made; nothing was stored",
                message.id.as_str(),
                turn.thread.as_str()
            )));
        }
    }
    Ok(())
}

fn check_name(field: String, value: &str) -> Result<(), MemoryError> {
    if value.is_empty() {
        return Err(MemoryError::invalid(field, "is empty"));
    }
    if value.len() > MAX_NAME_BYTES {
        let reason = format!("has {} bytes; at most {MAX_NAME_BYTES} are allowed", value.len());
        return Err(MemoryError::invalid(field, reason));
    }
    Ok(())
}

/// Checks turns by themselves, as for a namespace that does not exist yet.
pub(super) fn check_turns(turns: &[NewTurn], now: DateTime<Utc>) -> Result<(), MemoryError> {
    let zone = Zone::parse(&Settings::default().timezone)
        .map_err(|reason| MemoryError::invalid("timezone", reason))?;
    for (index, turn) in turns.iter().enumerate() {
        let at = if turns.len() > 1 { format!("turns[{index}].") } else { String::new() };
        check_turn(turn.clone(), zone, now, &at)?;
    }
    Ok(())
}

fn check_turn(
    new: NewTurn,
    zone: Zone,
    now: DateTime<Utc>,
    at: &str,
) -> Result<Checked, MemoryError> {
    check_name(format!("{at}turn_id"), &new.turn_id)?;
    let thread = new.thread.unwrap_or_else(|| DEFAULT_THREAD.to_owned());
    check_name(format!("{at}thread"), &thread)?;
    if new.messages.is_empty() {
        let reason = "has no message; a turn needs at least one";
        return Err(MemoryError::invalid(format!("{at}messages"), reason));
    }
    if new.messages.len() > MAX_MESSAGES {
        let reason = format!("has more than {MAX_MESSAGES} messages; split the turn");
        return Err(MemoryError::invalid(format!("{at}messages"), reason));
    }
    let mut hasher = TurnHasher::new(&thread);
    let mut messages = Vec::with_capacity(new.messages.len());
    for (index, message) in new.messages.into_iter().enumerate() {
        let field = format!("{at}messages[{index}]");
        messages.push(check_message(message, zone, now, &new.turn_id, index, &field, &mut hasher)?);
    }
    Ok(Checked {
        turn: Turn { id: TurnId(new.turn_id), thread: ThreadId(thread), messages },
        hash: hasher.finish(),
    })
}

fn check_message(
    new: NewMessage,
    zone: Zone,
    now: DateTime<Utc>,
    turn: &str,
    index: usize,
    field: &str,
    hasher: &mut TurnHasher,
) -> Result<Message, MemoryError> {
    check_name(format!("{field}.role"), new.role.as_str())?;
    let optional = [
        ("id", &new.id),
        ("speaker", &new.speaker),
        ("name", &new.name),
        ("tool_call_id", &new.tool_call_id),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            check_name(format!("{field}.{name}"), value)?;
        }
    }
    let size = new.content.as_ref().map_or(0, String::len);
    if size > MAX_MESSAGE_BYTES {
        let what = format!("{field}.content");
        return Err(MemoryError::TooLarge { what, size, limit: MAX_MESSAGE_BYTES });
    }
    let calls = if new.tool_calls.is_empty() {
        String::new()
    } else {
        serde_json::to_string(&new.tool_calls).map_err(|error| {
            MemoryError::invalid(format!("{field}.tool_calls"), error.to_string())
        })?
    };
    if calls.len() > MAX_TOOL_CALLS_BYTES {
        let what = format!("{field}.tool_calls");
        return Err(MemoryError::TooLarge { what, size: calls.len(), limit: MAX_TOOL_CALLS_BYTES });
    }
    let stamp = match &new.at {
        None => zone.assumed(now),
        Some(text) => zone
            .stamp(text)
            .map_err(|reason| MemoryError::invalid(format!("{field}.at"), reason))?,
    };
    let at_text = new
        .at
        .as_ref()
        .map(|_| format!("{} {} {:?}", to_rfc3339(stamp.utc), stamp.offset_seconds, stamp.basis));
    let opt = Option::as_deref;
    let parts: [Option<&str>; 8] = [
        opt(&new.id),
        Some(new.role.as_str()),
        opt(&new.speaker),
        opt(&new.content),
        opt(&at_text),
        opt(&new.name),
        Some(&calls),
        opt(&new.tool_call_id),
    ];
    hasher.message(&parts);
    let id = new.id.clone().unwrap_or_else(|| {
        let text = new.content.as_deref().unwrap_or("");
        let place = index.to_string();
        format!("m_{}", content_hash([turn, &place, new.role.as_str(), text, &calls]))
    });
    Ok(Message {
        id: MessageId(id),
        role: new.role,
        speaker: new.speaker,
        content: new.content,
        at: stamp,
        name: new.name,
        tool_calls: new.tool_calls,
        tool_call_id: new.tool_call_id,
    })
}

/// Hashes a turn as it was given, so that a repeat is recognised whatever the service filled in.
struct TurnHasher(Sha256);

impl TurnHasher {
    fn new(thread: &str) -> Self {
        let mut hasher = Self(Sha256::new());
        hasher.part(Some(thread));
        hasher
    }

    /// Absent and empty differ; lengths keep parts apart.
    fn part(&mut self, part: Option<&str>) {
        match part {
            None => self.0.update([0]),
            Some(text) => {
                self.0.update([1]);
                self.0.update((text.len() as u64).to_le_bytes());
                self.0.update(text.as_bytes());
            }
        }
    }

    fn message(&mut self, parts: &[Option<&str>]) {
        self.0.update([2]);
        for part in parts {
            self.part(*part);
        }
    }

    fn finish(self) -> String {
        hex::encode(self.0.finalize())
    }
}
