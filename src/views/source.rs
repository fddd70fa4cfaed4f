//! L5: every message whole, with its label.

use crate::model::{Message, Role, ToolCall};
use serde_json::Value;

/// What stands between two messages of a rendered view.
pub(super) const MESSAGE_GAP: &str = "\n\n";

/// Renders the source: each message with its label, its text untouched, and its tool calls with
/// arguments and results as they stand.
pub(super) fn render_source(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        if !text.is_empty() {
            text.push_str(MESSAGE_GAP);
        }
        push_message(&mut text, message);
    }
    text
}

fn push_message(text: &mut String, message: &Message) {
    text.push_str(&source_label(message));
    text.push(':');
    if !message.text().is_empty() {
        text.push(' ');
        text.push_str(message.text());
    }
    for call in &message.tool_calls {
        push_call(text, call);
    }
}

fn push_call(text: &mut String, call: &ToolCall) {
    let mut title = one_line(&call.name);
    if let Some(id) = &call.id {
        title.push(' ');
        title.push_str(&one_line(id));
    }
    text.extend(["\n[tool call: ", &title, "]"]);
    if let Some(arguments) = &call.arguments {
        text.push(' ');
        text.push_str(&as_it_stands(arguments));
    }
    if let Some(result) = &call.result {
        text.extend(["\n[tool result: ", &title, "] ", &as_it_stands(result)]);
    }
}

/// Returns a string's own characters, and any other value as compact JSON in its own key order.
fn as_it_stands(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the label of a message in L4 and L3: the role, with the speaker where one is known.
pub(super) fn label(message: &Message) -> String {
    with_details(role_word(&message.role), &[message.speaker.as_deref()])
}

/// Returns the label of a message in L5, which also says which tool answered which call.
fn source_label(message: &Message) -> String {
    let details =
        [message.speaker.as_deref(), message.name.as_deref(), message.tool_call_id.as_deref()];
    with_details(role_word(&message.role), &details)
}

fn role_word(role: &Role) -> String {
    match role {
        Role::User => "User".to_owned(),
        Role::Assistant => "Assistant".to_owned(),
        Role::Tool => "Tool".to_owned(),
        Role::System => "System".to_owned(),
        Role::Other(word) => {
            let word = one_line(word);
            let mut chars = word.chars();
            match chars.next() {
                Some(first) => first.to_uppercase().chain(chars).collect(),
                None => "Other".to_owned(),
            }
        }
    }
}

fn with_details(role: String, details: &[Option<&str>]) -> String {
    let details: Vec<String> =
        details.iter().flatten().map(|d| one_line(d)).filter(|d| !d.is_empty()).collect();
    if details.is_empty() { role } else { format!("{role} ({})", details.join(", ")) }
}

/// Puts a text on one line: runs of white space and control characters become one space. A name
/// with a line break in it could otherwise pass for the label of another message.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    line
}
