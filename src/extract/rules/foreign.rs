//! What stands in a message and is not the speaker's own statement: code, URLs, quotations, mail of
//! others.

use super::text::{Span, cue};
use crate::extract::dates::words_before;
use regex::Regex;
use std::sync::LazyLock;

static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?s:```.*?(?:```|\z))|(?s:~~~.*?(?:~~~|\z))",
        r"|(?m:^[ \t]*>.*$)",
        r"|(?m:^(?:    |\t)[^\n]*[;{}()=<>][^\n]*$)",
        r"|(?:https?|ftp|file)://[^\s，。）)]+",
        r#"|"[^"\n]{24,400}"|“[^”\n]{12,400}”|「[^」\n]{12,400}」|‘[^’\n]{16,400}’"#,
        // A short quotation is foreign where it is a statement of somebody's own.
        r#"|"(?i:I|I'm|I've|we|we're|we've|my|our|they|let's)\b[^"\n]{2,400}""#,
        r"|“(?:我|咱|他们|她们)[^”\n]{2,400}”|「(?:我|咱|他们|她们)[^」\n]{2,400}」",
        r"|`[^`\n]*[ (){}=;][^`\n]*`",
        r"|(?m:^\s*(?:[\[{].*[\]}],?|[$#%] .*|at [\w.$<>]+\(.*\))\s*$)",
    ))
    .expect("the pattern of foreign text is valid")
});

cue!(
    /// Words that hand the floor to somebody else; what follows the colon is theirs.
    SPEECH,
    r"~(?:wrote|writes|said|says|replied|answered|claims?|told (?:me|us|them|him|her|\w+)|(?P<mail>(?:forwarded|original) (?:message|e-?mail|mail)[^\n:：]{0,60})|(?:his|her|their|the) (?:e-?mail|mail|letter|message)(?: from [^\n:：]{1,40})?)\s*[:：]|(?P<zh>转发)[^\n:：]{0,12}[:：]|(?:说|写道|写着|写的是|回复|回信|来信|表示)(?:了|的是|的内容)?[:：]"
);
cue!(
    OWN_SPEECH,
    r"~(?:I|we)(?:'ve| have| had| just| already| also| once)*\s*$|我们?(?:之前|刚才|刚刚|也|就|曾|昨天|今天)*$"
);
cue!(
    /// The head of a forwarded mail: all that follows is somebody else's.
    MAIL_HEAD,
    r"(?m:^(?:-{2,} ?(?:forwarded|original) message|begin forwarded message))|(?m:^(?:from|发件人)\s*[:：][^\n]*\r?\n(?:(?:to|cc|bcc|subject|date|sent|收件人|抄送|主题|日期|发送时间|时间)\s*[:：][^\n]*(?:\n|\z))+)"
);

/// Returns a copy of the same byte length in which everything that is not the speaker's own
/// statement is blank.
pub(super) fn blank_foreign_text(text: &str) -> String {
    let mut spans: Vec<Span> = FOREIGN.find_iter(text).map(|found| found.range()).collect();
    let mut told = 0;
    for speech in SPEECH.captures_iter(text) {
        // Within what another one says, nobody takes the floor.
        if speech.get(0).is_some_and(|words| words.start() >= told)
            && let Some(span) = said_by_others(text, &speech)
        {
            told = span.end;
            spans.push(span);
        }
    }
    spans.extend(MAIL_HEAD.find(text).map(|head| head.start()..text.len()));
    spans.sort_by_key(|span| (span.start, span.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        if span.end <= done {
            continue;
        }
        let start = span.start.max(done);
        out.push_str(&text[done..start]);
        for c in text[start..span.end].chars() {
            if c == '\n' {
                out.push('\n');
            } else {
                out.extend(std::iter::repeat_n(' ', c.len_utf8()));
            }
        }
        done = span.end;
    }
    out.push_str(&text[done..]);
    // Marks of emphasis are no words.
    out.chars().map(|c| if matches!(c, '*' | '`') { ' ' } else { c }).collect()
}

/// What follows "Bob wrote:": the quotation, the rest of the line, or the paragraph below it.
fn said_by_others(text: &str, speech: &regex::Captures<'_>) -> Option<Span> {
    let words = speech.get(0)?;
    let before = words_before(text, words.start());
    if OWN_SPEECH.is_match(before.rsplit('\n').next().unwrap_or_default()) {
        return None;
    }
    let rest = &text[words.end()..];
    let lead = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let line_end = rest.find('\n').unwrap_or(rest.len());
    let quoted = [('"', '"'), ('“', '”'), ('「', '」'), ('\'', '\'')]
        .into_iter()
        .find(|(open, _)| rest[lead..].starts_with(*open))
        .and_then(|(open, close)| {
            let body = lead + open.len_utf8();
            rest[body..line_end].find(close).map(|i| body + i + close.len_utf8())
        });
    let below = rest[..line_end].trim().is_empty();
    let end = match quoted {
        Some(end) => end,
        None if speech.name("mail").or(speech.name("zh")).is_some() => rest.len(),
        None if below => {
            let first = rest.len() - rest.trim_start().len();
            rest[first..].find("\n\n").map_or(rest.len(), |i| first + i)
        }
        None => line_end,
    };
    Some(words.end()..words.end() + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_blank_and_keeps_its_length() {
        let text = "I said:\n```\nlet x = 1;\n```\n> old words\nsee https://x.org/a?b. 完";
        let blank = blank_foreign_text(text);
        assert_eq!(blank.len(), text.len());
        assert!(
            !blank.contains("let x") && !blank.contains("old words") && !blank.contains("x.org")
        );
        assert!(blank.contains("I said") && blank.contains('完'));
    }

    #[test]
    fn what_others_wrote_is_blank() {
        for (text, own, others) in [
            ("Ola wrote: \"we left Oslo.\" I stay.", "I stay", "Oslo"),
            ("The email says: We use Oracle.\nWe do not.", "We do not", "Oracle"),
            (
                "On 3 May Ola <o@x.org> wrote:\n\nWe use Oracle.\nAnd Java.\n\nNoted.",
                "Noted",
                "Java",
            ),
            ("See below.\nFrom: Ola\nSubject: DB\n\nWe use Oracle.", "See below", "Oracle"),
            ("FYI\n---- Forwarded message ----\nWe use Oracle.", "FYI", "Oracle"),
            ("客户来信说：我们用 Oracle。\n我们不用。", "我们不用", "Oracle"),
            ("I said: use Redis.", "use Redis", "Oracle"),
        ] {
            let blank = blank_foreign_text(text);
            assert_eq!(blank.len(), text.len());
            assert!(blank.contains(own) && !blank.contains(others), "{text}: {blank}");
        }
    }
}
