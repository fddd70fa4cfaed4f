//! Stored messages as they are shown.

use super::time;
use crate::memory::PlacedMessage;
use crate::model::{Stamp, StampBasis, ToolCall};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message, exactly as it was said.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MessageBody {
    /// Its id, unique in its thread.
    pub id: String,
    /// Its thread.
    pub thread: String,
    /// Its turn.
    pub turn: String,
    /// The chat role.
    pub role: String,
    /// The speaker's name, where one is known.
    pub speaker: Option<String>,
    /// The text; null for a pure tool call.
    pub content: Option<String>,
    /// When it was said, in UTC.
    pub at: String,
    /// The offset it came with.
    pub at_offset: String,
    /// `given`, `offset_assumed` or `assumed`.
    pub at_basis: String,
    /// The tool's name on a tool message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Tool calls made by this message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallBody>,
    /// The call that this tool message answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// One call of a tool.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolCallBody {
    /// The protocol's id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<serde_json::Value>,
    /// Its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
}

impl From<PlacedMessage> for MessageBody {
    fn from(placed: PlacedMessage) -> Self {
        let message = placed.message;
        Self {
            id: message.id.0,
            thread: placed.thread.0,
            turn: placed.turn.0,
            role: message.role.into(),
            speaker: message.speaker,
            content: message.content,
            at: time(message.at.utc),
            at_offset: offset(&message.at),
            at_basis: basis(&message.at).to_owned(),
            name: message.name,
            tool_calls: message.tool_calls.into_iter().map(Into::into).collect(),
            tool_call_id: message.tool_call_id,
        }
    }
}

impl From<ToolCall> for ToolCallBody {
    fn from(call: ToolCall) -> Self {
        Self { id: call.id, name: call.name, arguments: call.arguments, result: call.result }
    }
}

/// Writes a stamp's offset as `+08:00`.
pub(super) fn offset(stamp: &Stamp) -> String {
    stamp.offset().to_string()
}

/// Names how a stamp was found.
pub(super) fn basis(stamp: &Stamp) -> &'static str {
    match stamp.basis {
        StampBasis::Given => "given",
        StampBasis::OffsetAssumed => "offset_assumed",
        StampBasis::Assumed => "assumed",
    }
}
