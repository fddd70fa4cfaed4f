//! Reading a LoCoMo conversation: its own JSON form, mistakes in the evidence included.

use crate::cli::output::add;
use crate::memory::{NewMessage, NewTurn};
use crate::model::{Role, to_rfc3339};
use anyhow::{Context, bail};
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The categories that are asked.
pub const CATEGORIES: std::ops::RangeInclusive<u64> = 1..=4;
/// Between two messages of a session; the form gives only the session's time.
const STEP_SECONDS: i64 = 20;

/// Says what a category holds, in the words of the data's authors.
pub fn category_name(category: u64) -> &'static str {
    match category {
        1 => "multi-hop",
        2 => "temporal",
        3 => "open-domain",
        4 => "single-hop",
        _ => "other",
    }
}

/// One conversation, ready to be recorded.
pub struct Conversation {
    /// Its sessions in order.
    pub sessions: Vec<Session>,
    /// Its questions.
    pub questions: Vec<Question>,
}

/// One session.
pub struct Session {
    /// The thread that holds it.
    pub thread: String,
    /// Its turns.
    pub turns: Vec<NewTurn>,
}

/// One question.
pub struct Question {
    /// Its words.
    pub words: String,
    /// Its category.
    pub category: u64,
    /// The messages that answer it, as far as the evidence can be read.
    pub evidence: BTreeSet<String>,
}

#[derive(Deserialize)]
struct File {
    conversation: serde_json::Map<String, Value>,
    qa: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    category: u64,
    #[serde(default)]
    evidence: Vec<String>,
}

#[derive(Deserialize)]
struct Said {
    speaker: String,
    dia_id: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    blip_caption: Option<String>,
}

impl Conversation {
    /// Reads a file's bytes.
    pub fn parse(bytes: &[u8], captions: bool) -> anyhow::Result<Self> {
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let file: File = serde_path_to_error::deserialize(&mut reader)?;
        let mut numbers: Vec<u32> = file
            .conversation
            .keys()
            .filter_map(|key| key.strip_prefix("session_")?.parse().ok())
            .collect();
        numbers.sort_unstable();
        let mut sessions = Vec::new();
        for number in numbers {
            let key = format!("session_{number}");
            let said: Vec<Said> = serde_path_to_error::deserialize(&file.conversation[&key])
                .with_context(|| format!("conversation.{key}"))?;
            if said.is_empty() {
                continue;
            }
            let at = session_time(&file.conversation, &key)?;
            sessions.push(session(&key, at, said, captions));
        }
        if sessions.is_empty() {
            bail!("conversation has no session_1, session_2, ... with messages");
        }
        let ids = Regex::new(r"D(\d+):(\d+)").context("the pattern of evidence ids")?;
        let questions = file
            .qa
            .into_iter()
            .map(|asked| Question {
                evidence: asked.evidence.iter().flat_map(|text| evidence_ids(&ids, text)).collect(),
                words: asked.question,
                category: asked.category,
            })
            .collect();
        Ok(Self { sessions, questions })
    }

    /// Returns the ids of all messages.
    pub fn message_ids(&self) -> BTreeSet<String> {
        self.sessions
            .iter()
            .flat_map(|session| &session.turns)
            .flat_map(|turn| &turn.messages)
            .filter_map(|message| message.id.clone())
            .collect()
    }
}

/// Finds ids in a piece of evidence, several in one string and leading zeros included.
fn evidence_ids(ids: &Regex, text: &str) -> Vec<String> {
    ids.captures_iter(text)
        .filter_map(|found| {
            let (session, place): (u32, u32) = (found[1].parse().ok()?, found[2].parse().ok()?);
            Some(format!("D{session}:{place}"))
        })
        .collect()
}

fn session_time(
    conversation: &serde_json::Map<String, Value>,
    key: &str,
) -> anyhow::Result<DateTime<Utc>> {
    let name = format!("{key}_date_time");
    let text = conversation
        .get(&name)
        .and_then(Value::as_str)
        .with_context(|| format!("conversation.{name} is missing"))?;
    NaiveDateTime::parse_from_str(text, "%I:%M %p on %d %B, %Y")
        .map(|at| at.and_utc())
        .with_context(|| {
            format!("conversation.{name}: {text:?} is not like \"1:56 pm on 8 May, 2023\"")
        })
}

fn session(key: &str, at: DateTime<Utc>, said: Vec<Said>, captions: bool) -> Session {
    let mut messages: Vec<NewMessage> = Vec::with_capacity(said.len());
    for (place, said) in said.into_iter().enumerate() {
        let mut text = said.text;
        if let Some(caption) = said.blip_caption.filter(|_| captions) {
            add!(text, "\n[shares an image: {caption}]");
        }
        let at = at + TimeDelta::seconds(STEP_SECONDS * place as i64);
        messages.push(NewMessage {
            id: Some(said.dia_id),
            // Both are people; neither is an assistant.
            role: Role::from("user".to_owned()),
            speaker: Some(said.speaker),
            content: Some(text),
            at: Some(to_rfc3339(at)),
            name: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
        });
    }
    let turns = messages
        .chunks(2)
        .enumerate()
        .map(|(place, pair)| NewTurn {
            turn_id: format!("{key}/{}", place + 1),
            thread: Some(key.to_owned()),
            messages: pair.to_vec(),
        })
        .collect();
    Session { thread: key.to_owned(), turns }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{
      "conversation": {
        "speaker_a": "Ada", "speaker_b": "Ben",
        "session_2_date_time": "9:05 am on 3 March, 2024",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Back again."}],
        "session_1_date_time": "1:56 pm on 28 February, 2024",
        "session_1": [
          {"speaker": "Ada", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a red kite"},
          {"speaker": "Ben", "dia_id": "D1:2", "text": "Nice."},
          {"speaker": "Ada", "dia_id": "D1:3", "text": "Bye."}
        ],
        "session_3_date_time": "9:05 am on 4 March, 2024"
      },
      "qa": [
        {"question": "What colour?", "answer": "red", "evidence": ["D1:1; D1:02", "D2:1 D9:9"], "category": 4},
        {"question": "Nothing?", "adversarial_answer": "x", "evidence": ["D"], "category": 5}
      ]
    }"#;

    #[test]
    fn sessions_come_in_order_with_times_pairs_and_captions() {
        let read = Conversation::parse(FILE.as_bytes(), true).unwrap();
        let threads: Vec<&str> = read.sessions.iter().map(|s| s.thread.as_str()).collect();
        assert_eq!(threads, ["session_1", "session_2"]);
        let turns = &read.sessions[0].turns;
        assert_eq!(turns.len(), 2);
        assert_eq!(turns[0].messages[1].at.as_deref(), Some("2024-02-28T13:56:20Z"));
        let text = turns[0].messages[0].content.as_deref();
        assert_eq!(text, Some("Look!\n[shares an image: a red kite]"));
        let without = Conversation::parse(FILE.as_bytes(), false).unwrap();
        assert_eq!(without.sessions[0].turns[0].messages[0].content.as_deref(), Some("Look!"));
    }

    #[test]
    fn evidence_is_found_in_badly_written_strings() {
        let read = Conversation::parse(FILE.as_bytes(), true).unwrap();
        let found: Vec<&str> = read.questions[0].evidence.iter().map(String::as_str).collect();
        assert_eq!(found, ["D1:1", "D1:2", "D2:1", "D9:9"]);
        assert!(read.questions[1].evidence.is_empty());
        assert_eq!(read.message_ids().len(), 4);
    }

    #[test]
    fn another_shape_is_named() {
        let error = |text: &str| {
            Conversation::parse(text.as_bytes(), true).err().map(|e| format!("{e:#}")).unwrap()
        };
        assert!(error("[]").contains("struct"), "{}", error("[]"));
        assert!(error(r#"{"qa": []}"#).contains("conversation"));
        assert!(error(r#"{"conversation": {}, "qa": []}"#).contains("session_1"));
        let odd = r#"{"conversation": {"session_1": [{"speaker": 1}], "session_1_date_time": "x"}, "qa": []}"#;
        assert!(error(odd).contains("session_1"), "{}", error(odd));
        let untimed =
            r#"{"conversation": {"session_1": [{"speaker": "A", "dia_id": "D1:1"}]}, "qa": []}"#;
        assert!(error(untimed).contains("session_1_date_time"));
    }
}
