//! What a Block shows at a level.

use super::concise::render_concise;
use super::entry::{entries, render_entries};
use super::source::{one_line, render_source};
use crate::model::{BlockSummary, Level, Message, estimate_tokens};

/// The messages of a Block, and the one just before it.
#[derive(Debug, Clone, Copy)]
pub struct BlockSource<'a> {
    /// The Block's messages in order.
    pub messages: &'a [Message],
    /// The last message that anyone but a tool or the system put in the thread before the Block,
    /// if there is one. A Block may begin with the answer to a question that the one before it
    /// ended with.
    pub before: Option<&'a Message>,
}

impl<'a> From<&'a [Message]> for BlockSource<'a> {
    fn from(messages: &'a [Message]) -> Self {
        Self { messages, before: None }
    }
}

/// One rendering of a Block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The level that was asked for.
    pub level: Level,
    /// The level whose rules made the text: the one asked for, or the nearest more exact one
    /// where no summary stands (yet).
    pub level_shown: Level,
    /// The text.
    pub text: String,
    /// The text's size in tokens.
    pub tokens: usize,
}

/// Renders a Block at a level.
///
/// L3 to L5 come from the messages alone; L0 to L2 from the summary. Where the summary lacks the
/// level, the nearest more exact view that exists is shown and `level_shown` says so.
///
/// # Examples
/// ```
/// use stratagate::model::{Level, Message, Role, Stamp};
/// use stratagate::views::{BlockSource, render};
///
/// let at = Stamp::given("2026-05-06T09:30:00+08:00".parse()?);
/// let said = |role, text: &str| Message {
///     id: "m1".into(),
///     role,
///     speaker: None,
///     content: Some(text.to_owned()),
///     at,
///     name: None,
///     tool_calls: Vec::new(),
///     tool_call_id: None,
/// };
/// let messages =
///     [said(Role::User, "Thanks. Use npm for this project."), said(Role::Assistant, "Ok.")];
/// let view = render(BlockSource::from(&messages[..]), Level::L3, None);
/// assert_eq!(view.text, "User: Use npm for this project.");
/// # Ok::<(), chrono::ParseError>(())
/// ```
pub fn render(source: BlockSource<'_>, level: Level, summary: Option<&BlockSummary>) -> View {
    let mut level_shown = level;
    while level_shown < Level::L3 {
        if let Some(text) = summary.and_then(|summary| from_summary(summary, level_shown)) {
            return View { level, level_shown, tokens: estimate_tokens(&text), text };
        }
        level_shown = level_shown.raised();
    }
    let text = from_messages(source, level_shown);
    View { level, level_shown, tokens: estimate_tokens(&text), text }
}

/// Returns the text of L0, L1 or L2, or nothing where the summary is silent.
fn from_summary(summary: &BlockSummary, level: Level) -> Option<String> {
    let text = match level {
        Level::L0 => title_and_tags(summary),
        Level::L1 => summary.short.trim().to_owned(),
        Level::L2 => {
            let facts = summary.key_facts.iter().map(|fact| one_line(fact));
            let lines: Vec<String> =
                facts.filter(|fact| !fact.is_empty()).map(|fact| format!("- {fact}")).collect();
            lines.join("\n")
        }
        Level::L3 | Level::L4 | Level::L5 => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

fn title_and_tags(summary: &BlockSummary) -> String {
    let title = one_line(&summary.title);
    let tags: Vec<String> =
        summary.tags.iter().map(|tag| one_line(tag)).filter(|tag| !tag.is_empty()).collect();
    match (title.is_empty(), tags.is_empty()) {
        (_, true) => title,
        (true, false) => format!("[{}]", tags.join(", ")),
        (false, false) => format!("{title} [{}]", tags.join(", ")),
    }
}

fn from_messages(source: BlockSource<'_>, level: Level) -> String {
    let l5 = render_source(source.messages);
    if level == Level::L5 {
        return l5;
    }
    let entries = entries(source.messages);
    let l4 = guarded(render_entries(&entries), l5);
    if level == Level::L4 {
        return l4;
    }
    guarded(render_concise(&entries, source.before), l4)
}

/// The length guard: a view is never longer, in tokens, than the more exact one.
fn guarded(concise: String, exact: String) -> String {
    if estimate_tokens(&concise) > estimate_tokens(&exact) { exact } else { concise }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> BlockSummary {
        BlockSummary {
            title: "Package manager".to_owned(),
            tags: vec!["npm".to_owned(), "tooling".to_owned()],
            short: "The project moved to pnpm.".to_owned(),
            key_facts: vec!["pnpm since 8 May".to_owned(), "installs took\n6 minutes".to_owned()],
        }
    }

    #[test]
    fn the_summary_gives_the_three_concise_levels() {
        let source = BlockSource::from(&[][..]);
        let shown = |level| {
            let view = render(source, level, Some(&summary()));
            assert_eq!((view.level, view.level_shown), (level, level));
            assert_eq!(view.tokens, estimate_tokens(&view.text));
            view.text
        };
        assert_eq!(shown(Level::L0), "Package manager [npm, tooling]");
        assert_eq!(shown(Level::L1), "The project moved to pnpm.");
        assert_eq!(shown(Level::L2), "- pnpm since 8 May\n- installs took 6 minutes");
    }

    #[test]
    fn a_missing_level_is_stood_in_for_by_the_nearest_more_exact_one() {
        let source = BlockSource::from(&[][..]);
        for level in [Level::L0, Level::L1, Level::L2] {
            let view = render(source, level, None);
            assert_eq!((view.level, view.level_shown), (level, Level::L3));
        }
        let no_short = BlockSummary { short: " ".to_owned(), ..summary() };
        let view = render(source, Level::L1, Some(&no_short));
        assert_eq!(view.level_shown, Level::L2);
        let no_facts = BlockSummary { key_facts: Vec::new(), ..no_short };
        assert_eq!(render(source, Level::L1, Some(&no_facts)).level_shown, Level::L3);
        let nameless = BlockSummary { title: String::new(), tags: Vec::new(), ..summary() };
        assert_eq!(render(source, Level::L0, Some(&nameless)).level_shown, Level::L1);
    }

    #[test]
    fn the_guard_prefers_the_exact_text_only_when_it_is_shorter() {
        let pick = |concise: &str, exact: &str| guarded(concise.to_owned(), exact.to_owned());
        assert_eq!(pick("好的好的", "ok"), "ok");
        assert_eq!(pick("abcd", "efgh"), "abcd");
    }
}
