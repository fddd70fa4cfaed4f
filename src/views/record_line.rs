//! The line that a tool record becomes in L4: the tool's name and a summary of its result.

use super::source::one_line;
use serde_json::{Map, Value};

/// The most characters a result summary has, its ellipsis included.
pub const RESULT_SUMMARY_CHARS: usize = 160;

/// Fields that hold what a tool was asked. They never reach L4.
pub(super) const ARGUMENT_FIELDS: [&str; 10] = [
    "arguments",
    "args",
    "params",
    "parameters",
    "input",
    "request",
    "tool_input",
    "toolInput",
    "arguments_json",
    "rawArguments",
];

/// Fields that hold what a tool answered, the first one present counts.
pub(super) const RESULT_FIELDS: [&str; 7] =
    ["result", "output", "response", "content", "observation", "tool_output", "results"];

/// How deep JSON inside strings of JSON is followed.
const NESTED_JSON_DEPTH: usize = 4;

pub(super) fn record(tool: Option<&str>, result: Option<String>) -> String {
    let tool = tool.map(one_line).filter(|tool| !tool.is_empty());
    let tool = tool.unwrap_or_else(|| "unnamed tool".to_owned());
    match result.filter(|result| !result.is_empty()) {
        Some(result) => format!("{tool}: {result}"),
        None => tool,
    }
}

/// Returns the summary of a record's result field, marked where the call failed.
pub(super) fn result_of(object: &Map<String, Value>) -> Option<String> {
    let is_failure = ["is_error", "isError"]
        .iter()
        .any(|field| object.get(*field).and_then(Value::as_bool) == Some(true));
    let result = RESULT_FIELDS.iter().find_map(|field| object.get(*field).filter(|v| !v.is_null()));
    let error = object.get("error").filter(|v| !v.is_null() && *v != &Value::Bool(false));
    match (result, error) {
        (Some(result), _) if is_failure => Some(clip(&format!("error: {}", flat(result, 0)))),
        (Some(result), _) => Some(summarise(result)),
        (None, Some(Value::Bool(true))) => Some("error".to_owned()),
        (None, Some(error)) => Some(clip(&format!("error: {}", flat(error, 0)))),
        (None, None) => None,
    }
}

/// Returns the result's summary, or, where no field is the result, that of what else is said
/// about the call.
pub(super) fn rest_of(object: &Map<String, Value>) -> Option<String> {
    result_of(object).or_else(|| {
        let rest: Map<String, Value> = object
            .iter()
            .filter(|(field, _)| {
                !matches!(field.as_str(), "tool" | "tool_name" | "toolName" | "function" | "name")
                    && !matches!(field.as_str(), "id" | "call_id" | "tool_call_id" | "type")
                    && !ARGUMENT_FIELDS.contains(&field.as_str())
            })
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect();
        let mut values = rest.values();
        match (values.next(), values.next()) {
            (None, _) => None,
            (Some(Value::String(only)), None) => Some(clip(only)),
            _ => Some(summarise(&Value::Object(rest))),
        }
    })
}

/// Puts a result on one line of at most [`RESULT_SUMMARY_CHARS`] characters, without the fields
/// that repeat what was asked.
pub(super) fn summarise(result: &Value) -> String {
    clip(&flat(result, 0))
}

fn flat(value: &Value, depth: usize) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => {
            let inner = text.trim();
            if depth < NESTED_JSON_DEPTH
                && inner.starts_with(['{', '['])
                && let Ok(parsed) = serde_json::from_str::<Value>(inner)
            {
                return flat(&parsed, depth + 1);
            }
            text.clone()
        }
        Value::Array(parts) if is_parts(value) => {
            let texts: Vec<String> = parts.iter().map(|part| flat_part(part, depth)).collect();
            texts.join(" ")
        }
        Value::Object(object) if object.get("content").is_some_and(is_parts) => {
            flat(&object["content"], depth)
        }
        Value::Object(_) | Value::Array(_) => {
            let kept = without_arguments(value);
            let is_empty = kept.as_object().is_some_and(Map::is_empty)
                && !value.as_object().is_some_and(Map::is_empty);
            if is_empty { String::new() } else { kept.to_string() }
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn flat_part(part: &Value, depth: usize) -> String {
    match part.as_object().and_then(text_part) {
        Some(text) => flat(&Value::String(text.to_owned()), depth),
        None => format!("[{}]", part["type"].as_str().unwrap_or("part")),
    }
}

fn without_arguments(value: &Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(
            object
                .iter()
                .filter(|(field, _)| !ARGUMENT_FIELDS.contains(&field.as_str()))
                .map(|(field, value)| (field.clone(), without_arguments(value)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(without_arguments).collect()),
        other => other.clone(),
    }
}

fn clip(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= RESULT_SUMMARY_CHARS {
        return line;
    }
    let kept: String = line.chars().take(RESULT_SUMMARY_CHARS - 1).collect();
    format!("{}…", kept.trim_end())
}

pub(super) fn text_part(object: &Map<String, Value>) -> Option<&str> {
    let kind = object.get("type")?.as_str()?;
    matches!(kind, "text" | "input_text" | "output_text").then(|| object.get("text")?.as_str())?
}

pub(super) fn is_parts(value: &Value) -> bool {
    value.as_array().is_some_and(|parts| {
        !parts.is_empty() && parts.iter().all(|part| part.get("type").is_some_and(Value::is_string))
    })
}
