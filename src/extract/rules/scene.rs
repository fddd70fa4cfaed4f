//! A Block as the rules see it: who speaks, in which sentences, with which time words.

use super::foreign::blank_foreign_text;
use super::text::{Sentence, Span, is_chinese, sentences};
use crate::extract::dates::{TimeMention, find_near};
use crate::model::{EntityKind, EntityRef, Message, Role};
use chrono::NaiveDate;

/// In what sense somebody speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// A human being: what they state counts.
    Person,
    /// A model: it proposes and reports, but states no user facts.
    Assistant,
    /// A tool's output: evidence of what it did, nothing else.
    Tool,
    /// Instructions: never a source.
    System,
}

/// A time mention with its bytes in the message.
#[derive(Debug, Clone)]
pub(super) struct Time {
    pub span: Span,
    pub mention: TimeMention,
}

/// One message, cut up.
pub(super) struct Line<'a> {
    pub message: &'a Message,
    pub voice: Voice,
    pub text: &'a str,
    /// The text with everything blank that is not the speaker's own statement.
    pub blank: String,
    pub sentences: Vec<Sentence>,
    pub times: Vec<Time>,
    pub chinese: bool,
}

impl Line<'_> {
    /// The times that begin inside a range.
    pub fn times_within(&self, span: &Span) -> &[Time] {
        // A line may hold thousands, in order: each clause looks only at its own.
        let first = self.times.partition_point(|t| t.span.start < span.start);
        let own = &self.times[first..];
        &own[..own.partition_point(|t| t.span.start < span.end)]
    }

    /// The time mentions inside a range.
    pub fn times_in(&self, span: &Span) -> Vec<TimeMention> {
        self.times_within(span).iter().map(|t| t.mention.clone()).collect()
    }

    /// The person who speaks; the person an agent works for is `user`.
    pub fn person(&self) -> EntityRef {
        match self.message.speaker.as_deref().filter(|name| is_name(name)) {
            Some(name) => EntityRef::new(EntityKind::Person, name),
            None => user(),
        }
    }
}

/// The person whom the agent works for, where no name is known.
pub(super) fn user() -> EntityRef {
    EntityRef { aliases: vec!["用户".to_owned()], ..EntityRef::new(EntityKind::Person, "user") }
}

/// Whether a speaker label names a human being rather than a role or a model.
fn is_name(speaker: &str) -> bool {
    let lower = speaker.trim().to_lowercase();
    let generic = [
        "user",
        "assistant",
        "human",
        "me",
        "you",
        "用户",
        "助手",
        "system",
        "tool",
        "agent",
        "ai",
        "model",
    ];
    let models = [
        "gpt", "claude", "gemini", "deepseek", "copilot", "llama", "qwen", "mistral", "bot",
        "kimi", "grok",
    ];
    !lower.is_empty()
        && !generic.contains(&lower.as_str())
        && !models.iter().any(|m| lower.contains(m))
        && lower.chars().any(char::is_alphabetic)
        && !lower.chars().any(|c| c.is_ascii_digit() || matches!(c, '_' | '/' | ':'))
}

fn voice(message: &Message) -> Voice {
    let named = message.speaker.as_deref().is_some_and(is_name);
    match &message.role {
        Role::User => Voice::Person,
        Role::Assistant if named && message.tool_calls.is_empty() => Voice::Person,
        Role::Assistant => Voice::Assistant,
        Role::Tool => Voice::Tool,
        Role::System => Voice::System,
        Role::Other(_) => {
            if named {
                Voice::Person
            } else {
                Voice::System
            }
        }
    }
}

/// Longer messages are pasted matter; only their beginning is read.
const MAX_READ_BYTES: usize = 200_000;

/// Cuts up the messages of a Block.
pub(super) fn lines(messages: &[Message]) -> Vec<Line<'_>> {
    let mut near: Option<NaiveDate> = None;
    messages.iter().map(|message| line(message, &mut near)).collect()
}

fn line<'a>(message: &'a Message, near: &mut Option<NaiveDate>) -> Line<'a> {
    let mut cut = message.text().len().min(MAX_READ_BYTES);
    while !message.text().is_char_boundary(cut) {
        cut -= 1;
    }
    let text = &message.text()[..cut];
    let voice = voice(message);
    if matches!(voice, Voice::System | Voice::Tool) {
        return Line {
            message,
            voice,
            text,
            blank: String::new(),
            sentences: Vec::new(),
            times: Vec::new(),
            chinese: is_chinese(text),
        };
    }
    let blank = blank_foreign_text(text);
    let sentences = sentences(&blank);
    let mut times = Vec::new();
    for sentence in &sentences {
        let slice = &blank[sentence.span.clone()];
        for mention in find_near(slice, &message.at, *near) {
            let start = sentence.span.start + byte_of(slice, mention.start);
            let end = sentence.span.start + byte_of(slice, mention.end);
            if voice == Voice::Person && mention.occurrence.local_from.is_some() {
                *near = mention.occurrence.local_from;
            }
            times.push(Time { span: start..end, mention });
        }
    }
    let chinese = is_chinese(&blank);
    Line { message, voice, text, blank, sentences, times, chinese }
}

fn byte_of(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(i, _)| i)
}
