//! L3: L4 without fillers and without what the Block has said before.

use super::entry::{Entry, Voice, push_entry};
use super::paragraph::{is_code_like, paragraphs};
use super::sentence::{has_question, is_courtesy, is_filler, is_question, sentences};
use crate::model::{Message, Role, estimate_tokens};
use std::collections::HashSet;

/// What stands for a paragraph that the Block has had before. Short, so that it saves something
/// even for a few lines of code.
pub const REPEAT_MARKER: &str = "[repeated, see L5]";

/// Paragraphs of this many characters are kept verbatim the first time.
const LONG_PARAGRAPH_CHARS: usize = 80;

/// Renders L3 from the entries of L4.
pub(super) fn render_concise(entries: &[Entry], before: Option<&Message>) -> String {
    let mut text = String::new();
    let mut seen = HashSet::new();
    let mut after_question = before
        .filter(|message| !matches!(message.role, Role::Tool | Role::System))
        .is_some_and(|message| has_question(message.text()));
    for entry in entries {
        let fillers = match entry.voice {
            Voice::Talk if after_question => Fillers::MayAnswer {
                has_other_words: !sentences(&entry.body)
                    .into_iter()
                    .all(|range| is_courtesy(&entry.body[range])),
            },
            Voice::Talk => Fillers::Go,
            Voice::Tool => Fillers::Stay,
        };
        let body = condense(&entry.body, fillers, &mut seen);
        if !body.is_empty() {
            push_entry(&mut text, &entry.label, &body);
        }
        if entry.voice == Voice::Talk {
            after_question = has_question(&entry.body);
        }
    }
    text
}

/// What becomes of filler sentences in one entry.
#[derive(Debug, Clone, Copy)]
enum Fillers {
    /// They go.
    Go,
    /// The message before asked, so they stay; thanks beside other words still go.
    MayAnswer { has_other_words: bool },
    /// A tool's "ok" is a result.
    Stay,
}

fn condense(body: &str, fillers: Fillers, seen: &mut HashSet<String>) -> String {
    let mut out = String::new();
    let mut has_asked = false;
    for paragraph in paragraphs(body) {
        let kept = match repeat_key(paragraph.text) {
            Some(key) => {
                has_asked = has_question(paragraph.text);
                keep_once(paragraph.text, key, seen).to_owned()
            }
            None => without_fillers(paragraph.text, fillers, &mut has_asked),
        };
        if kept.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push_str(paragraph.gap);
        }
        out.push_str(&kept);
    }
    out
}

/// Returns what a paragraph is recognised by when it comes again, if it is one that is kept
/// verbatim. Code repeats only when it is the same code: there, case and indentation mean
/// something.
fn repeat_key(paragraph: &str) -> Option<String> {
    if is_code_like(paragraph) {
        let lines: Vec<&str> = paragraph.trim().lines().map(str::trim_end).collect();
        return Some(format!("code\n{}", lines.join("\n")));
    }
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let folded = words.join(" ").to_lowercase();
    (folded.chars().count() >= LONG_PARAGRAPH_CHARS).then(|| format!("text\n{folded}"))
}

fn keep_once<'a>(paragraph: &'a str, key: String, seen: &mut HashSet<String>) -> &'a str {
    let is_first = seen.insert(key);
    if is_first || estimate_tokens(paragraph) <= estimate_tokens(REPEAT_MARKER) {
        paragraph
    } else {
        REPEAT_MARKER
    }
}

/// Leaves filler sentences out and everything else exactly as it stands. `has_asked` says, and is
/// told, whether the sentence before in this message was a question.
fn without_fillers(paragraph: &str, fillers: Fillers, has_asked: &mut bool) -> String {
    let mut kept = String::with_capacity(paragraph.len());
    let mut is_touched = false;
    for range in sentences(paragraph) {
        let sentence = &paragraph[range];
        let goes = is_filler(sentence)
            && match fillers {
                Fillers::Go => !*has_asked,
                Fillers::MayAnswer { has_other_words } => has_other_words && is_courtesy(sentence),
                Fillers::Stay => false,
            };
        if goes {
            is_touched = true;
        } else {
            kept.push_str(sentence);
            *has_asked = is_question(sentence);
        }
    }
    if is_touched { kept.trim_end().to_owned() } else { kept }
}
