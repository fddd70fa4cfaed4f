//! Golden files: `tests/golden/views/<language>/<case>.json` with the three rendered levels
//! beside it. `UPDATE_GOLDEN=1 cargo test golden` rewrites them; read the difference.

use super::{BlockSource, render};
use crate::model::{Level, Message, Role, Stamp, StampBasis, ToolCall, estimate_tokens};
use chrono::DateTime;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// A case file: what it shows, and the messages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The rule that the case pins down, in a sentence.
    shows: String,
    before: Option<Said>,
    messages: Vec<Said>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    role: Role,
    speaker: Option<String>,
    content: Option<String>,
    name: Option<String>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    tool_call_id: Option<String>,
}

impl Said {
    fn message(self, index: usize) -> Message {
        let utc = DateTime::from_timestamp(1_778_000_000 + 60 * index as i64, 0)
            .expect("a few minutes in 2026 are in range");
        Message {
            id: format!("m{index}").into(),
            role: self.role,
            speaker: self.speaker,
            content: self.content,
            at: Stamp { utc, offset_seconds: 8 * 3600, basis: StampBasis::Given },
            name: self.name,
            tool_calls: self.tool_calls,
            tool_call_id: self.tool_call_id,
        }
    }
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/views");
    let mut cases = Vec::new();
    for language in ["en", "zh", "mixed"] {
        for file in fs::read_dir(root.join(language)).expect("the golden folder exists") {
            let path = file.expect("the folder can be read").path();
            if path.extension().is_some_and(|extension| extension == "json") {
                cases.push(path);
            }
        }
    }
    cases.sort();
    cases
}

#[test]
fn every_golden_case_renders_byte_for_byte() {
    let rewrite = std::env::var_os("UPDATE_GOLDEN").is_some();
    let cases = cases();
    assert!(cases.len() >= 12, "only {} golden cases were found", cases.len());
    let mut wrong = Vec::new();
    for path in cases {
        let json = fs::read_to_string(&path).expect("a case can be read");
        let case: Case =
            serde_json::from_str(&json).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!case.shows.is_empty(), "{} does not say what it shows", path.display());
        let before = case.before.map(|said| said.message(0));
        let messages: Vec<Message> =
            case.messages.into_iter().enumerate().map(|(i, said)| said.message(i + 1)).collect();
        for level in [Level::L3, Level::L4, Level::L5] {
            let source = BlockSource { messages: &messages, before: before.as_ref() };
            let view = render(source, level, None);
            assert_eq!(view.tokens, estimate_tokens(&view.text));
            let expected = path.with_extension(format!("{level}.txt"));
            if rewrite {
                fs::write(&expected, &view.text).expect("a golden file can be written");
            } else if fs::read(&expected).ok().as_deref() != Some(view.text.as_bytes()) {
                wrong.push(format!("{}\n{}", expected.display(), view.text));
            }
        }
    }
    assert!(wrong.is_empty(), "these views differ from their golden files:\n{}", wrong.join("\n"));
}

#[test]
fn the_guide_shows_what_is_really_rendered() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("docs/views.md")).expect("the guide can be read");
    for level in [Level::L5, Level::L4, Level::L3] {
        let golden = root.join(format!("tests/golden/views/en/guide.{level}.txt"));
        let text = fs::read_to_string(golden).expect("the guide's case has golden files");
        let heading = format!("### {level}, {} tokens\n", estimate_tokens(&text));
        assert!(guide.contains(&heading), "the guide lacks {heading:?}");
        assert!(guide.contains(&format!("````text\n{text}\n````")), "the guide's {level} differs");
    }
}
