//! Structured tool records: which JSON is one, and the line that it becomes in L4.
//!
//! Recognised are the shapes that tool protocols really write, each by more than one mark, so that
//! a tool's own output which happens to be JSON stays what it is.

use super::record_line::{
    ARGUMENT_FIELDS, RESULT_FIELDS, is_parts, record, rest_of, result_of, summarise, text_part,
};
use crate::model::{Message, ToolCall};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Fields that say how a call went without being its result.
const RECORD_FIELDS: [&str; 18] = [
    "id",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "toolUseId",
    "type",
    "status",
    "ok",
    "success",
    "error",
    "is_error",
    "isError",
    "duration_ms",
    "elapsed_ms",
    "exit_code",
    "index",
    "kind",
    "timestamp",
];

/// The names of the tools behind the call ids of a Block, for results that only name the call.
#[derive(Debug, Default)]
pub(super) struct CallNames<'a>(HashMap<&'a str, &'a str>);

impl<'a> CallNames<'a> {
    pub(super) fn of(messages: &'a [Message]) -> Self {
        let calls = messages.iter().flat_map(|message| &message.tool_calls);
        Self(calls.filter_map(|call| Some((call.id.as_deref()?, call.name.as_str()))).collect())
    }

    fn get(&self, id: Option<&str>) -> Option<&'a str> {
        self.0.get(id?).copied()
    }
}

/// Returns the line for a call that the host recorded as such.
pub(super) fn call_record(call: &ToolCall) -> String {
    record(Some(&call.name), call.result.as_ref().map(summarise))
}

/// Returns the lines for a tool message whose whole content is a structured tool record, or
/// nothing where it is not.
pub(super) fn recognise(message: &Message, names: &CallNames<'_>) -> Option<Vec<String>> {
    let content = message.text().trim();
    if !content.starts_with(['{', '[']) {
        return None;
    }
    let value: Value = serde_json::from_str(content).ok()?;
    let tool = message.name.as_deref().or_else(|| names.get(message.tool_call_id.as_deref()));
    Reader { tool, names }.read(&value)
}

struct Reader<'a> {
    /// The tool that the message itself names.
    tool: Option<&'a str>,
    names: &'a CallNames<'a>,
}

impl Reader<'_> {
    fn read(&self, value: &Value) -> Option<Vec<String>> {
        match value {
            Value::Array(items) => self.read_parts(items),
            Value::Object(object) => self.read_object(object),
            _ => None,
        }
    }

    /// Reads a list of content parts: records, perhaps with texts between them.
    fn read_parts(&self, items: &[Value]) -> Option<Vec<String>> {
        let mut lines = Vec::new();
        let mut has_record = false;
        for item in items {
            let object = item.as_object()?;
            if let Some(text) = text_part(object) {
                lines.push(text.trim().to_owned());
            } else {
                lines.extend(self.read_object(object)?);
                has_record = true;
            }
        }
        has_record.then_some(lines)
    }

    fn read_object(&self, object: &Map<String, Value>) -> Option<Vec<String>> {
        if let Some(calls) = object.get("tool_calls") {
            return read_calls(object, calls.as_array()?);
        }
        read_wrapped(object)
            .or_else(|| self.read_typed(object))
            .or_else(|| self.read_json_rpc(object))
            .or_else(|| read_named(object))
            .or_else(|| self.read_unnamed(object))
            .map(|line| vec![line])
    }

    /// `{"type":"function"|"function_call"|"tool_use"|"tool_result"|…}`
    fn read_typed(&self, object: &Map<String, Value>) -> Option<String> {
        let kind = object.get("type")?.as_str()?;
        if kind == "function" {
            let function = object.get("function").and_then(Value::as_object).unwrap_or(object);
            let is_call = function.contains_key("arguments") || result_of(object).is_some();
            return is_call.then(|| Some(record(Some(tool_name(function)?), result_of(object))))?;
        }
        let is_call = kind.ends_with("tool_use")
            || kind.ends_with("tool_call")
            || kind.ends_with("function_call");
        if is_call {
            return Some(record(Some(tool_name(object)?), result_of(object)));
        }
        let is_result = kind.ends_with("tool_result")
            || kind.ends_with("function_call_output")
            || kind.ends_with("tool_response");
        is_result.then(|| {
            let id = ["tool_use_id", "tool_call_id", "call_id", "id"]
                .iter()
                .find_map(|field| object.get(*field)?.as_str());
            let tool = tool_name(object).or_else(|| self.names.get(id)).or(self.tool);
            record(tool, result_of(object))
        })
    }

    /// `{"jsonrpc":"2.0",…}`, a `tools/call` or an answer.
    fn read_json_rpc(&self, object: &Map<String, Value>) -> Option<String> {
        object.get("jsonrpc")?;
        if let Some(params) = object.get("params").and_then(Value::as_object) {
            let tool = tool_name(params).or_else(|| object.get("method")?.as_str())?;
            return Some(record(Some(tool), None));
        }
        Some(record(self.tool, Some(result_of(object)?)))
    }

    /// A record without a tool's name of its own: request and answer together, or a result in
    /// content parts.
    fn read_unnamed(&self, object: &Map<String, Value>) -> Option<String> {
        let has_arguments = ARGUMENT_FIELDS.iter().any(|field| object.contains_key(*field));
        let has_result = RESULT_FIELDS.iter().any(|field| object.contains_key(*field));
        let is_exchange = has_arguments && has_result && self.tool.is_some();
        let is_content = object.get("content").is_some_and(is_parts)
            && object.keys().all(|field| {
                ["content", "isError", "is_error", "structuredContent", "_meta"]
                    .contains(&field.as_str())
            });
        (is_exchange || is_content).then(|| record(self.tool, result_of(object)))
    }
}

/// `{"content":…,"tool_calls":[…]}`
fn read_calls(object: &Map<String, Value>, calls: &[Value]) -> Option<Vec<String>> {
    if calls.is_empty() {
        return None;
    }
    let said = object.get("content").and_then(Value::as_str).unwrap_or("").trim();
    let mut lines = vec![said.to_owned()];
    for call in calls {
        let call = call.as_object()?;
        let function = call.get("function").and_then(Value::as_object).unwrap_or(call);
        lines.push(record(Some(tool_name(function)?), result_of(call)));
    }
    Some(lines)
}

/// `{"function_call":{…}}`, `{"functionCall":{…}}`, `{"functionResponse":{…}}`
fn read_wrapped(object: &Map<String, Value>) -> Option<String> {
    let inner = ["function_call", "functionCall", "functionResponse", "function_response"]
        .iter()
        .find_map(|field| object.get(*field)?.as_object())?;
    Some(record(Some(tool_name(inner)?), result_of(inner).or_else(|| result_of(object))))
}

/// `{"tool":…,"result":…}`, `{"name":…,"arguments":…}` and their kin.
fn read_named(object: &Map<String, Value>) -> Option<String> {
    let has_arguments = ARGUMENT_FIELDS.iter().any(|field| object.contains_key(*field));
    let has_result = result_of(object).is_some();
    if let Some(tool) = tool_field(object) {
        return (has_arguments || has_result).then(|| record(Some(tool), rest_of(object)));
    }
    // A "name" alone is weak: people and files have names too.
    let tool = tool_name(object)?;
    let is_definition = ["parameters", "input"].iter().any(|field| is_schema(object.get(*field)));
    let is_closed = object.keys().all(|field| {
        let field = field.as_str();
        field == "name"
            || ARGUMENT_FIELDS.contains(&field)
            || RESULT_FIELDS.contains(&field)
            || RECORD_FIELDS.contains(&field)
    });
    let has_strong_result = object.contains_key("result") || object.contains_key("output");
    let is_record = !is_definition && is_closed && (has_arguments || has_strong_result);
    is_record.then(|| record(Some(tool), rest_of(object)))
}

fn tool_field(object: &Map<String, Value>) -> Option<&str> {
    ["tool", "tool_name", "toolName", "function"]
        .iter()
        .find_map(|field| as_tool_name(object.get(*field)?))
}

fn tool_name(object: &Map<String, Value>) -> Option<&str> {
    object.get("name").and_then(as_tool_name).or_else(|| tool_field(object))
}

/// Returns a value that can be a tool's name: one short word.
fn as_tool_name(value: &Value) -> Option<&str> {
    let name = value.as_str()?;
    let is_word = !name.is_empty()
        && name.chars().count() <= 128
        && !name.contains(|c: char| c.is_whitespace() || c.is_control());
    is_word.then_some(name)
}

fn is_schema(value: Option<&Value>) -> bool {
    value.is_some_and(|value| value.get("type").is_some() && value.get("properties").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Role, Stamp, StampBasis};
    use chrono::DateTime;

    fn tool_message(content: &str, call_id: Option<&str>) -> Message {
        Message {
            id: "m1".into(),
            role: Role::Tool,
            speaker: None,
            content: Some(content.to_owned()),
            at: Stamp { utc: DateTime::UNIX_EPOCH, offset_seconds: 0, basis: StampBasis::Given },
            name: None,
            tool_calls: Vec::new(),
            tool_call_id: call_id.map(str::to_owned),
        }
    }

    #[test]
    fn a_result_finds_its_tool_by_the_id_of_the_call() {
        let mut caller = tool_message("", None);
        caller.tool_calls.push(ToolCall {
            id: Some("c1".to_owned()),
            name: "search".to_owned(),
            arguments: None,
            result: None,
        });
        let messages = [caller];
        let names = CallNames::of(&messages);
        let part = r#"[{"type":"tool_result","tool_use_id":"c1","content":"3 hits"}]"#;
        let read = recognise(&tool_message(part, None), &names);
        assert_eq!(read, Some(vec!["search: 3 hits".to_owned()]));
        let content = r#"{"content":[{"type":"text","text":"3 hits"}],"isError":false}"#;
        let read = recognise(&tool_message(content, Some("c1")), &names);
        assert_eq!(read, Some(vec!["search: 3 hits".to_owned()]));
    }

    #[test]
    fn json_inside_strings_loses_what_was_asked_too() {
        let inner = r#"{"params":{"secret":1},"left":true}"#;
        let outer = serde_json::json!({"tool": "t", "result": inner}).to_string();
        let read = recognise(&tool_message(&outer, None), &CallNames::default());
        assert_eq!(read, Some(vec![r#"t: {"left":true}"#.to_owned()]));
    }

    #[test]
    fn deep_json_is_left_alone() {
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        assert_eq!(recognise(&tool_message(&deep, None), &CallNames::default()), None);
    }
}
