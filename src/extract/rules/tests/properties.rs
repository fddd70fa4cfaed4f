//! What holds for any conversation.

use super::*;
use proptest::prelude::*;

const PIECES: &[&str] = &[
    "Let's switch to pnpm",
    "because",
    "No,",
    "Yes.",
    "I live in Oslo",
    "next week",
    "从今天起",
    "不加糖了",
    "?",
    "。",
    ". ",
    "\n",
    "```",
    "\"",
    "> ",
    "Kevin 负责",
    "forget it",
    "tool error",
    "I'm allergic to",
    "改用",
    "🎌",
    "e\u{301}",
    "how about",
    "建议",
    "the deadline was moved to",
    "July 3rd",
    "54:12",
    "2.1.0",
    "https://x.org/a",
    "if",
    "maybe",
    "听说",
    "，",
    "moved",
    "and I",
];

fn arbitrary_messages() -> impl Strategy<Value = Vec<Message>> {
    let text = prop_oneof![
        "\\PC{0,80}",
        proptest::collection::vec(proptest::sample::select(PIECES), 0..12)
            .prop_map(|p| p.join(" ")),
        proptest::collection::vec(proptest::sample::select(PIECES), 0..12).prop_map(|p| p.concat()),
    ];
    let who = proptest::sample::select(vec!["user", "assistant", "tool", "system", "Ada"]);
    proptest::collection::vec((who, text), 0..8).prop_map(|lines| {
        lines.iter().enumerate().map(|(i, (who, text))| message(i, START, who, text)).collect()
    })
}

proptest! {
    #[test]
    fn every_event_rests_on_its_block(messages in arbitrary_messages()) {
        let events = extract_with(&messages, &[], &[]);
        let again = extract_with(&messages, &[], &[]);
        prop_assert_eq!(&events, &again);
        let mut ids = HashSet::new();
        for event in &events {
            prop_assert!(ids.insert(event.id.clone()));
            prop_assert!(!event.sources.is_empty() && !event.title.is_empty());
            for source in &event.sources {
                prop_assert!(messages.iter().any(|m| m.id == *source));
            }
            prop_assert!(!event.quotes.is_empty());
            for quote in &event.quotes {
                let message = messages.iter().find(|m| m.id == quote.message).unwrap();
                let span: String = message.text().chars().skip(quote.start).take(quote.end - quote.start).collect();
                prop_assert_eq!(&span, &quote.text);
                prop_assert!(event.sources.contains(&quote.message));
            }
            if let (Some(from), Some(to)) = (event.occurred.from, event.occurred.to) {
                prop_assert!(from < to);
            }
            for claim in &event.claims {
                prop_assert!(crate::model::property(&claim.property).is_some());
                let open = matches!(event.status, EventStatus::Cancelled | EventStatus::Negated | EventStatus::Rejected);
                prop_assert!(!open || claim.op == ClaimOp::End);
            }
            for relation in &event.relations {
                prop_assert!(relation.target != event.id);
            }
        }
    }

    #[test]
    fn every_block_has_a_summary(messages in arbitrary_messages()) {
        let (thread, block) = (ThreadId::from("t"), BlockId::from("b"));
        let input = BlockInput { thread: &thread, block: &block, messages: &messages, before: &[], entities: &[], events: &[] };
        let made = Rules.summarise(&input).unwrap();
        prop_assert!(!made.title.is_empty());
        prop_assert!(made.title.chars().count() <= 80);
        prop_assert!(made.key_facts.len() <= 16 && made.tags.len() <= 8);
    }
}
