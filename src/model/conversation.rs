//! What comes in: messages, tool records and turns, kept exactly.

use super::{MessageId, Stamp, ThreadId, TurnId};
use serde::{Deserialize, Serialize};

/// Who a message is from, in the sense of the chat protocol.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Role {
    /// A human, or the first party of a two-person chat.
    User,
    /// A model, or the second party of a two-person chat.
    Assistant,
    /// A tool's output.
    Tool,
    /// Instructions to a model.
    System,
    /// Any other role, as given.
    Other(String),
}

impl Role {
    /// Returns the role's word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
            Self::Other(word) => word,
        }
    }
}

impl From<String> for Role {
    fn from(word: String) -> Self {
        match word.as_str() {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            "system" => Self::System,
            _ => Self::Other(word),
        }
    }
}

impl From<Role> for String {
    fn from(role: Role) -> Self {
        role.as_str().to_owned()
    }
}

/// One call of a tool by a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The protocol's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its arguments: any JSON, or a string of JSON as some protocols send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<serde_json::Value>,
    /// Its result, where the host records it beside the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
}

/// One message, exactly as it was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The caller's id, or one made from content and position.
    pub id: MessageId,
    /// The chat role.
    pub role: Role,
    /// The speaker's name, where the host knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The text; `None` for a pure tool call.
    pub content: Option<String>,
    /// When it was said.
    pub at: Stamp,
    /// The tool's name on a tool message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Tool calls made by this message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that this tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// Returns the text, or the empty string where there is none.
    pub fn text(&self) -> &str {
        self.content.as_deref().unwrap_or("")
    }

    /// Returns the speaker's name, or the role where no name is known.
    pub fn speaker_or_role(&self) -> &str {
        self.speaker.as_deref().unwrap_or_else(|| self.role.as_str())
    }
}

/// A user question and the complete answer, with tool records; or any closed exchange.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The caller's key.
    pub id: TurnId,
    /// The conversation it belongs to.
    pub thread: ThreadId,
    /// Its messages in order.
    pub messages: Vec<Message>,
}
