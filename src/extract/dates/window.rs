//! The words just before a time expression, within a window.

use super::calendar::{Edge, Span, edge};
use super::english::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Takes the part of a unit that words ask for.
pub(super) type TakePart = fn(&Span) -> Option<Span>;

/// Reads "first half", "end of" and the like from the text just before a unit; returns where the
/// words begin and what they ask for.
pub(super) fn edge_before(text: &str, start: usize) -> Option<(usize, TakePart)> {
    static EDGE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"~(?:the )?(very end|end|beginning|start|middle|first half|second half|latter half|early|mid|late|later|earlier)(?: of| in)?[ -](?:the )?$",
        )
    });
    let window_start = floor_boundary(text, start.saturating_sub(40));
    let captures = EDGE.captures(&text[window_start..start])?;
    let words = captures.get(0)?;
    let which: TakePart = match captures[1].to_ascii_lowercase().as_str() {
        "end" | "very end" => |unit| edge(unit, Edge::End),
        "beginning" | "start" | "early" => |unit| edge(unit, Edge::Start),
        "middle" | "mid" => |unit| edge(unit, Edge::Middle),
        "first half" => |unit| edge(unit, Edge::FirstHalf),
        "second half" | "latter half" => |unit| edge(unit, Edge::SecondHalf),
        "late" => super::calendar::late,
        _ => |unit| Some(*unit),
    };
    Some((window_start + words.start(), which))
}

pub(super) fn floor_boundary(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

/// The few words before a position: what stands further off says nothing about a time, and to
/// look through all of it for each of them would cost the square of the text.
pub(crate) fn words_before(text: &str, position: usize) -> &str {
    &text[floor_boundary(text, position.saturating_sub(WINDOW))..position]
}

/// Bytes of text that are looked through beside a time expression.
pub(super) const WINDOW: usize = 240;
