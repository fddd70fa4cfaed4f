//! Turns as they come in, and their receipts.

use crate::memory::{NewMessage, NewTurn, TurnReceipt};
use crate::model::{Role, ToolCall};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A turn: a question with its complete answer, or any closed exchange.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NewTurnBody {
    /// The caller's key. Sending it again with the same content changes nothing.
    pub turn_id: String,
    /// The conversation; `main` by default.
    #[serde(default)]
    pub thread: Option<String>,
    /// The messages in order, of any roles.
    pub messages: Vec<NewMessageBody>,
}

/// A message as it comes in.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NewMessageBody {
    /// The caller's id, unique in its thread; made from content and position when absent.
    #[serde(default)]
    pub id: Option<String>,
    /// `user`, `assistant`, `tool`, `system`, or any other word.
    pub role: String,
    /// The speaker's name.
    #[serde(default)]
    pub speaker: Option<String>,
    /// The text; null for a pure tool call.
    #[serde(default)]
    pub content: Option<String>,
    /// When it was said: RFC 3339, or without an offset in the namespace's time zone.
    #[serde(default)]
    pub at: Option<String>,
    /// The tool's name on a tool message.
    #[serde(default)]
    pub name: Option<String>,
    /// Tool calls made by this message.
    #[serde(default)]
    pub tool_calls: Option<Vec<NewToolCallBody>>,
    /// The call that this tool message answers.
    #[serde(default)]
    pub tool_call_id: Option<String>,
}

/// One call of a tool.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NewToolCallBody {
    /// The protocol's id of the call.
    #[serde(default)]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its arguments: any JSON.
    #[serde(default)]
    pub arguments: Option<serde_json::Value>,
    /// Its result, where it is recorded beside the call.
    #[serde(default)]
    pub result: Option<serde_json::Value>,
}

/// Several turns.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TurnsBody {
    /// The turns, all stored in one commit or none.
    pub turns: Vec<NewTurnBody>,
}

/// What became of a turn.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReceiptBody {
    /// The caller's key.
    pub turn_id: String,
    /// `stored` now, or `duplicate`: it was there already with the same content.
    pub status: String,
    /// Its number in the namespace, from 1.
    pub turn: u64,
    /// Its messages' ids.
    pub message_ids: Vec<String>,
    /// The Block that this turn completed.
    pub sealed_block: Option<String>,
    /// The journal record that holds it.
    pub revision: u64,
}

/// What became of several turns.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReceiptsBody {
    /// One receipt for each turn, in the order they were sent.
    pub items: Vec<ReceiptBody>,
}

impl From<NewTurnBody> for NewTurn {
    fn from(turn: NewTurnBody) -> Self {
        Self {
            turn_id: turn.turn_id,
            thread: turn.thread,
            messages: turn.messages.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<NewMessageBody> for NewMessage {
    fn from(message: NewMessageBody) -> Self {
        Self {
            id: message.id,
            role: Role::from(message.role),
            speaker: message.speaker,
            content: message.content,
            at: message.at,
            name: message.name,
            tool_calls: message
                .tool_calls
                .unwrap_or_default()
                .into_iter()
                .map(|call| ToolCall {
                    id: call.id,
                    name: call.name,
                    arguments: call.arguments,
                    result: call.result,
                })
                .collect(),
            tool_call_id: message.tool_call_id,
        }
    }
}

impl From<TurnReceipt> for ReceiptBody {
    fn from(receipt: TurnReceipt) -> Self {
        Self {
            turn_id: receipt.turn_id.0,
            status: if receipt.duplicate { "duplicate" } else { "stored" }.to_owned(),
            turn: receipt.turn,
            message_ids: super::texts(&receipt.message_ids),
            sealed_block: receipt.sealed_block.map(|id| id.0),
            revision: receipt.revision,
        }
    }
}
