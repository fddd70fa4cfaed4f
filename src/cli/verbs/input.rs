//! Reading turns: one turn, an array, `{"turns": […]}`, or JSON lines of these.

use anyhow::{Context, bail};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// Reads all of a file, or of stdin for `-`.
pub fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
    } else {
        bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    Ok(bytes)
}

/// Finds the turns in a text. `thread` is for turns that name none.
pub fn turns(bytes: &[u8], thread: Option<&str>) -> anyhow::Result<Vec<Value>> {
    let mut turns = Vec::new();
    // A file may begin with a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for value in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
        let value = value.context("this is neither JSON nor JSON lines")?;
        collect(value, thread, &mut turns)?;
    }
    if turns.is_empty() {
        bail!("there is no turn in it");
    }
    Ok(turns)
}

fn collect(value: Value, thread: Option<&str>, turns: &mut Vec<Value>) -> anyhow::Result<()> {
    match value {
        Value::Array(items) => {
            for item in items {
                collect(item, thread, turns)?;
            }
        }
        Value::Object(mut object) => {
            if let Some(list) = object.remove("turns") {
                let own = object.get("thread").and_then(Value::as_str).map(str::to_owned);
                return collect(list, own.as_deref().or(thread), turns);
            }
            if let (Some(thread), false) = (thread, object.contains_key("thread")) {
                object.insert("thread".to_owned(), thread.into());
            }
            turns.push(Value::Object(object));
        }
        other => bail!("{other} is no turn: expected an object with turn_id and messages"),
    }
    Ok(())
}

/// Cuts turns into requests of at most so many turns and about so many bytes.
pub fn batches(turns: Vec<Value>, most_turns: usize, most_bytes: usize) -> Vec<Vec<Value>> {
    let mut batches = Vec::new();
    let mut batch = Vec::new();
    let mut size = 0;
    for turn in turns {
        let bytes = turn.to_string().len();
        if !batch.is_empty() && (batch.len() >= most_turns || size + bytes > most_bytes) {
            batches.push(std::mem::take(&mut batch));
            size = 0;
        }
        size += bytes;
        batch.push(turn);
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_forms_give_the_same_turns() {
        let (a, b) = (json!({"turn_id": "a"}), json!({"turn_id": "b"}));
        let expected = vec![a.clone(), b.clone()];
        for text in [
            format!("[{a},{b}]"),
            format!("{a}\n{b}\n"),
            format!("{{\"turns\":[{a},{b}]}}"),
            format!("\u{feff}{a}\n\n[{b}]"),
        ] {
            assert_eq!(turns(text.as_bytes(), None).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn the_nearest_thread_counts() {
        let text = br#"{"thread":"x","turns":[{"turn_id":"a"},{"turn_id":"b","thread":"y"}]}
            {"turn_id":"c"}"#;
        let threads: Vec<String> = turns(text, Some("z"))
            .unwrap()
            .iter()
            .map(|turn| turn["thread"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(threads, ["x", "y", "z"]);
    }

    #[test]
    fn what_is_no_turn_is_refused() {
        for text in ["", "[]", "7", "[7]", "{", "not json"] {
            assert!(turns(text.as_bytes(), None).is_err(), "{text}");
        }
    }

    #[test]
    fn batches_keep_order_and_bounds() {
        let turns: Vec<Value> = (0..5).map(|n| json!({"turn_id": n})).collect();
        let sizes: Vec<usize> = batches(turns.clone(), 2, 1000).iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 2, 1]);
        assert_eq!(batches(turns.clone(), 100, 1).len(), 5);
        assert_eq!(batches(turns.clone(), 2, 1000).concat(), turns);
    }
}
