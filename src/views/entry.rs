//! L4: the labelled lines of a Block, without system messages and raw tool arguments.

use super::source::{MESSAGE_GAP, label};
use super::tool_record::{CallNames, call_record, recognise};
use crate::model::{Message, Role};

/// Whose words an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// Something a user, an assistant or another party said.
    Talk,
    /// A tool record, or a tool's own output.
    Tool,
}

/// One labelled piece of L4.
#[derive(Debug)]
pub(super) struct Entry {
    /// The label without its colon.
    pub(super) label: String,
    /// The text; never empty, no outer white space.
    pub(super) body: String,
    /// Whose words these are.
    pub(super) voice: Voice,
}

/// Cuts messages into the entries of L4.
pub(super) fn entries(messages: &[Message]) -> Vec<Entry> {
    let names = CallNames::of(messages);
    let mut entries = Vec::new();
    for message in messages.iter().filter(|message| message.role != Role::System) {
        let voice = if message.role == Role::Tool { Voice::Tool } else { Voice::Talk };
        let bodies = match voice {
            Voice::Tool => recognise(message, &names),
            Voice::Talk => None,
        };
        let label = label(message);
        for body in bodies.unwrap_or_else(|| vec![message.text().trim().to_owned()]) {
            if !body.is_empty() {
                entries.push(Entry { label: label.clone(), body, voice });
            }
        }
        for call in &message.tool_calls {
            let body = call_record(call);
            entries.push(Entry { label: "Tool".to_owned(), body, voice: Voice::Tool });
        }
    }
    entries
}

/// Writes entries one below the other.
pub(super) fn render_entries(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        push_entry(&mut text, &entry.label, &entry.body);
    }
    text
}

/// Adds one labelled piece to a text.
pub(super) fn push_entry(text: &mut String, label: &str, body: &str) {
    if !text.is_empty() {
        text.push_str(MESSAGE_GAP);
    }
    text.push_str(label);
    text.push_str(": ");
    text.push_str(body);
}
