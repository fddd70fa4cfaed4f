//! What holds for any messages at all.

use super::{BlockSource, FILLERS, REPEAT_MARKER, RESULT_SUMMARY_CHARS, render};
use crate::model::{Level, Message, Role, Stamp, StampBasis, ToolCall};
use chrono::DateTime;
use proptest::prelude::*;
use serde_json::json;

fn role() -> impl Strategy<Value = Role> {
    prop_oneof![
        4 => Just(Role::User),
        4 => Just(Role::Assistant),
        2 => Just(Role::Tool),
        1 => Just(Role::System),
        1 => any::<String>().prop_map(Role::from),
    ]
}

/// Pieces that the rules look for, between any characters at all.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(FILLERS.to_vec()).prop_map(str::to_owned),
        proptest::sample::select(vec![
            ". ", "! ", "?", "？", "。", "\n", "\n\n", "\r\n", "```\n", "~~~", "    ", "e.g. ", "v1.2.3",
            "https://example.org/a?b=c. ", "吗", "呢", "\u{0}", "\u{202e}", "👨‍👩‍👧‍👦", "\u{feff}",
            REPEAT_MARKER, "const a = f();", "User: ",
            "A paragraph that is long enough to be kept once and only named when it comes again, as logs do.\n\n",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn tool_json() -> impl Strategy<Value = String> {
    (any::<String>(), any::<String>(), 0..6usize).prop_map(|(name, words, shape)| {
        match shape {
            0 => json!({"tool": "shell", "params": words, "result": name}),
            1 => json!({"tool_calls": [{"function": {"name": name, "arguments": words}}]}),
            2 => json!([{"type": "tool_result", "tool_use_id": "c1", "content": words}]),
            3 => json!({"name": name, "arguments": {"a": words}}),
            4 => json!({"content": [{"type": "text", "text": words}]}),
            _ => json!({"request": words, "response": {"input": name, "left": 1}}),
        }
        .to_string()
    })
}

fn content() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        8 => proptest::collection::vec(piece(), 0..8).prop_map(|pieces| Some(pieces.concat())),
        2 => tool_json().prop_map(Some),
        1 => Just(None),
    ]
}

prop_compose! {
    fn message()(
        role in role(),
        content in content(),
        speaker in proptest::option::weighted(0.2, any::<String>()),
        name in proptest::option::weighted(0.2, any::<String>()),
        call in proptest::option::weighted(0.2, (any::<String>(), any::<String>())),
        answers in any::<bool>(),
    ) -> Message {
        let utc = DateTime::from_timestamp(1_778_000_000, 0).expect("2026 is in range");
        let tool_calls = call.into_iter().map(|(name, words)| ToolCall {
            id: Some("c1".to_owned()),
            name,
            arguments: Some(json!({"text": words})),
            result: Some(json!(words)),
        });
        Message {
            id: "m".into(),
            role,
            speaker,
            content,
            at: Stamp { utc, offset_seconds: 0, basis: StampBasis::Given },
            name,
            tool_calls: tool_calls.collect(),
            tool_call_id: answers.then(|| "c1".to_owned()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn more_exact_views_are_never_shorter(messages in proptest::collection::vec(message(), 0..8)) {
        let view = |level| render(BlockSource::from(&messages[..]), level, None);
        let (l3, l4, l5) = (view(Level::L3), view(Level::L4), view(Level::L5));
        prop_assert!(l3.tokens <= l4.tokens, "L3 {:?}\nL4 {:?}", l3.text, l4.text);
        prop_assert!(l4.tokens <= l5.tokens, "L4 {:?}\nL5 {:?}", l4.text, l5.text);
        prop_assert_eq!(l3, view(Level::L3));
        prop_assert_eq!(l4, view(Level::L4));
    }

    #[test]
    fn the_source_holds_every_text_and_every_argument(
        messages in proptest::collection::vec(message(), 0..8),
    ) {
        let text = render(BlockSource::from(&messages[..]), Level::L5, None).text;
        for message in &messages {
            prop_assert!(text.contains(message.text()));
            for call in &message.tool_calls {
                let arguments = call.arguments.as_ref().map(ToString::to_string);
                prop_assert!(text.contains(&arguments.unwrap_or_default()));
                prop_assert!(text.contains(call.result.as_ref().and_then(|r| r.as_str()).unwrap_or("")));
            }
        }
    }

    #[test]
    fn what_users_and_assistants_say_stands_in_l4(
        messages in proptest::collection::vec(message(), 0..8),
    ) {
        let l4 = render(BlockSource::from(&messages[..]), Level::L4, None).text;
        for message in messages.iter().filter(|m| matches!(m.role, Role::User | Role::Assistant)) {
            prop_assert!(l4.contains(message.text().trim()));
        }
    }

    #[test]
    fn a_record_never_shows_what_was_asked(words in "[a-z]{1,400}") {
        let asked = format!("ASKED{words}");
        let content = json!({"tool": "shell", "params": {"cmd": asked}, "input": asked,
            "request": asked, "result": {"arguments": asked, "said": words}});
        let messages = [tool_message(&content.to_string())];
        let view = render(BlockSource::from(&messages[..]), Level::L4, None);
        let summary = view.text.strip_prefix("Tool: shell: ").unwrap_or_default();
        prop_assert!(!summary.is_empty() && !summary.contains("ASKED"), "{}", view.text);
        prop_assert!(summary.chars().count() <= RESULT_SUMMARY_CHARS);
    }
}

fn tool_message(content: &str) -> Message {
    let utc = DateTime::from_timestamp(1_778_000_000, 0).expect("2026 is in range");
    Message {
        id: "m".into(),
        role: Role::Tool,
        speaker: None,
        content: Some(content.to_owned()),
        at: Stamp { utc, offset_seconds: 0, basis: StampBasis::Given },
        name: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
    }
}
