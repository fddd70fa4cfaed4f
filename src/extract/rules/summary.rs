//! The views L0 to L2: extractive, bounded, in the language of the conversation.

use super::draft::Draft;
use super::scene::{Line, Voice};
use super::text::{bare, is_chinese};
use crate::model::{BlockSummary, Criticality, EventKind as K, EventStatus as S, Precision};

const TITLE_CHARS: usize = 80;
const LINE_CHARS: usize = 200;
const MAX_FACTS: usize = 16;
const MAX_TAGS: usize = 8;

/// Cuts a text at a word, with an ellipsis, to at most so many characters.
pub(super) fn shorten(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= most {
        return text;
    }
    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    let end = cut.rfind(' ').filter(|i| *i > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

/// How much a reader would miss a draft.
fn weight(draft: &Draft) -> u32 {
    let kind = match draft.kind {
        K::Decision => 9,
        K::Change => 8,
        K::Problem | K::Plan => 7,
        K::Result | K::Constraint => 6,
        K::Preference | K::Habit | K::Request => 5,
        _ => 4,
    };
    kind + u32::from(!draft.claims.is_empty()) * 2
        + u32::from(super::criticality(draft) == Criticality::Safety) * 5
        - u32::from(draft.status == S::Rejected) * 3
}

pub(super) fn summarise(lines: &[Line<'_>], drafts: &[Draft], tags: Vec<String>) -> BlockSummary {
    let mut ranked: Vec<&Draft> = drafts.iter().filter(|d| !d.dropped).collect();
    ranked.sort_by_key(|d| (std::cmp::Reverse(weight(d)), d.line));
    let salient = salient_sentences(lines);
    let title = ranked
        .first()
        .map(|d| d.statement.clone())
        .or_else(|| salient.first().map(|s| s.1.clone()))
        .unwrap_or_else(|| first_words(lines));
    let mut short: Vec<(usize, String)> =
        ranked.iter().take(3).map(|d| (d.line, quoted(&lines[d.line], &d.statement, d))).collect();
    if short.is_empty() {
        short =
            salient.iter().take(2).map(|(line, text)| (*line, said(&lines[*line], text))).collect();
    }
    short.sort_by_key(|(line, _)| *line);
    short.dedup_by(|a, b| a.1 == b.1);
    let short = short.into_iter().map(|(_, s)| s).collect::<Vec<_>>().join(" ");
    let mut facts: Vec<(usize, String)> =
        ranked.iter().take(MAX_FACTS).map(|d| (d.line, fact_line(lines, d))).collect();
    for (line, text) in salient.iter().take(MAX_FACTS.saturating_sub(facts.len()).min(3)) {
        if facts.len() < 3 && !facts.iter().any(|(_, f)| f.contains(text.as_str())) {
            facts.push((*line, format!("{} {}", day(&lines[*line]), said(&lines[*line], text))));
        }
    }
    facts.sort_by_key(|(line, _)| *line);
    let title = shorten(title.trim(), TITLE_CHARS);
    BlockSummary {
        short: shorten(if short.is_empty() { &title } else { &short }, 3 * LINE_CHARS),
        key_facts: facts.into_iter().map(|(_, f)| shorten(&f, LINE_CHARS + 60)).collect(),
        tags: tags.into_iter().take(MAX_TAGS).collect(),
        title,
    }
}

fn day(line: &Line<'_>) -> String {
    line.message.at.local_day().to_string()
}

fn label(line: &Line<'_>) -> String {
    match (&line.message.speaker, line.voice, line.chinese) {
        (Some(name), _, _) => name.clone(),
        (None, Voice::Person, false) => "User".to_owned(),
        (None, Voice::Person, true) => "用户".to_owned(),
        (None, Voice::Tool, false) => "Tool".to_owned(),
        (None, Voice::Tool, true) => "工具".to_owned(),
        (None, _, false) => "Assistant".to_owned(),
        (None, _, true) => "助手".to_owned(),
    }
}

fn said(line: &Line<'_>, words: &str) -> String {
    if is_chinese(words) {
        format!("{}：“{}”", label(line), words)
    } else {
        format!("{}: \"{}\"", label(line), words)
    }
}

fn quoted(line: &Line<'_>, words: &str, draft: &Draft) -> String {
    let mut text = said(line, &shorten(words, LINE_CHARS));
    let note = status_word(draft, is_chinese(words));
    if !note.is_empty() {
        let (open, close) = if is_chinese(words) { ("（", "）") } else { (" (", ")") };
        text.push_str(open);
        text.push_str(note);
        text.push_str(close);
    }
    text
}

/// Says what would be misread without it.
fn status_word(draft: &Draft, chinese: bool) -> &'static str {
    match (draft.status, chinese) {
        (S::Planned, false) => "planned",
        (S::Planned, true) => "计划中",
        (S::Tentative, false) => "tentative",
        (S::Tentative, true) => "未定",
        (S::Cancelled, false) => "cancelled",
        (S::Cancelled, true) => "已取消",
        (S::Negated, false) => "did not happen",
        (S::Negated, true) => "没有发生",
        (S::Rejected, false) => "proposed and rejected",
        (S::Rejected, true) => "提议被拒绝",
        _ => "",
    }
}

fn fact_line(lines: &[Line<'_>], draft: &Draft) -> String {
    let line = &lines[draft.line];
    let o = &draft.occurred;
    let when = match (o.local_from, o.local_to, o.precision) {
        (Some(from), Some(to), _) if from != to => format!("{from}..{to}"),
        (Some(from), None, Precision::OpenEnd) => format!("{from}.."),
        (Some(from), _, _) => from.to_string(),
        _ => day(line),
    };
    let mut text = format!("{when} {}", quoted(line, &draft.statement, draft));
    if let Some(reason) = &draft.reason {
        let reason = shorten(reason, 80);
        text.push_str(if is_chinese(&draft.statement) { "；原因：" } else { "; reason: " });
        text.push_str(&reason);
    }
    text
}

/// Sentences that carry content, best first, for Blocks in which the rules find few Events.
fn salient_sentences(lines: &[Line<'_>]) -> Vec<(usize, String)> {
    let mut scored: Vec<(i64, usize, String)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.voice == Voice::System || line.voice == Voice::Tool {
            continue;
        }
        for sentence in &line.sentences {
            let words = bare(line.text, &sentence.span);
            let tokens = super::tokens::content_tokens(words).len() as i64;
            let long = words.chars().count() as i64;
            let dated = line
                .times
                .iter()
                .any(|t| t.span.start >= sentence.span.start && t.span.end <= sentence.span.end);
            let score = tokens.min(12) * 2
                + i64::from(dated) * 4
                + i64::from(line.voice == Voice::Person) * 5
                - i64::from(sentence.is_question) * 4
                - (long / 120) * 2;
            if tokens > 0 {
                scored.push((score, index, shorten(words, LINE_CHARS)));
            }
        }
    }
    scored.sort_by_key(|(score, index, _)| (std::cmp::Reverse(*score), *index));
    scored.into_iter().map(|(_, index, text)| (index, text)).collect()
}

fn first_words(lines: &[Line<'_>]) -> String {
    let first = lines.iter().map(|l| l.text.trim()).find(|t| !t.is_empty());
    if let Some(text) = first {
        return shorten(text, TITLE_CHARS);
    }
    let call = lines.iter().flat_map(|l| &l.message.tool_calls).next();
    call.map_or_else(|| "(no text)".to_owned(), |c| shorten(&c.name, TITLE_CHARS))
}
