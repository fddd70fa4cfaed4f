//! Joins atoms into mentions and reads the small words around them.

use super::calendar::{
    Cycle, Frame, Length, Span, days_from, instant, month_from, occurrence, open_from,
    range_occurrence, week, weekday_near, year,
};
use super::english::pattern;
use super::window::{edge_before, floor_boundary, words_before};
use super::{Shape, TimeMention};
use crate::model::{Basis, Occurrence, Precision};
use chrono::{Datelike, NaiveDate, NaiveTime};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What a run of time words means, before its surroundings are read.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Span(Span),
    Instant(NaiveDate, NaiveTime),
    Clock(NaiveTime),
    /// "The week after": counted from the mention before it.
    Following(char, i64),
    Length(Option<Length>),
    Recurring,
    Vague,
    /// It is written like a date, and there is no such day.
    Impossible,
}

/// A run of time words.
#[derive(Debug, Clone)]
pub(super) struct Atom {
    pub range: Range<usize>,
    pub what: What,
}

static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:~(?:(deadline|due date)(?: [a-z]+)? (?:is|was|to|:|stays|remains)(?: still)?(?: on| by)?|(no later than|not later than|due by|due on|due|by|before|ahead of|prior to)|(up until|until|till|through|thru)|(starting from|starting on|starting|beginning on|beginning|effective|as of|since)|(from)|(after)|(at|in|on|during|over|around|about|for))(?: (?:about|around|roughly|the very))? (?:the )?)$|(截止日期|截止时间|截止|期限|ddl|DDL|deadline|Deadline)(?:是|为|到|在|:|：|还是|改到|改成|推迟到|延到| )*$|(从|自从|自|打) ?$|(直到|直至|一直到|到|至) ?$|(?:大约|大概|差不多|约)$",
    )
});

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(,? (?:at the latest|latest)~)|( on~| onwards?~| forward~)|(?:的)?(之前|以前|前)|(起|开始|以来|往后)|(为止)|(之后|以后|后)|(左右|前后|上下))",
    )
});

static TO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:,? ?(?:to|until|till|through|up to|-|–|—|~|到|至|直到|一直到)(?: about| around)?(?: the)?|(?: and)(?: the)?) ?$",
    )
});

static NEAR_DAY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:yesterday|today|tomorrow|tonight|last |next |this )"));

static POSTPONED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"~(?:postponed|delayed|pushed(?: back)?|moved|rescheduled)(?: (?:the|my|our|it)(?: [\w-]+){0,3})?$",
    )
});

pub(super) fn compose(text: &str, frame: &Frame, mut atoms: Vec<Atom>) -> Vec<TimeMention> {
    atoms.sort_by_key(|a| (a.range.start, std::cmp::Reverse(a.range.end)));
    let mut kept: Vec<Atom> = Vec::with_capacity(atoms.len());
    for atom in atoms {
        if kept.last().is_none_or(|last| last.range.end <= atom.range.start) {
            kept.push(atom);
        }
    }
    let kept = join_clocks(text, frame, kept);
    let pieces = read_surroundings(text, frame, kept);
    let pieces = join_ranges(text, frame, pieces);
    let mut finder = CharFinder { text, byte: 0, chars: 0 };
    pieces.into_iter().map(|piece| piece.into_mention(&mut finder, frame)).collect()
}

/// Counts characters while walking forward through a text.
struct CharFinder<'t> {
    text: &'t str,
    byte: usize,
    chars: usize,
}

impl CharFinder<'_> {
    fn at(&mut self, byte: usize) -> usize {
        if byte >= self.byte {
            self.chars += self.text[self.byte..byte].chars().count();
            self.byte = byte;
            return self.chars;
        }
        self.text[..byte].chars().count()
    }
}

/// A mention in the making.
struct Piece {
    /// The time words themselves.
    core: Range<usize>,
    /// With the small words that belong to them.
    range: Range<usize>,
    what: What,
    shape: Shape,
    until: Option<NaiveDate>,
    length: Option<Length>,
    after: bool,
    /// "Before March" ends when March begins; "before Friday" is said of Friday itself.
    before: bool,
    approx: bool,
}

impl Piece {
    fn span(&self) -> Option<&Span> {
        match &self.what {
            What::Span(span) => Some(span),
            _ => None,
        }
    }

    fn into_mention(self, finder: &mut CharFinder<'_>, frame: &Frame) -> TimeMention {
        let expression = finder.text[self.range.clone()].to_owned();
        let start = finder.at(self.range.start);
        let end = finder.at(self.range.end);
        let (occurrence, shape, unit) = self.meaning(&expression, frame);
        let length = match self.what {
            What::Length(length) => length,
            _ => self.length,
        };
        TimeMention { start, end, expression, occurrence, shape, unit, length }
    }

    fn meaning(&self, words: &str, frame: &Frame) -> (Occurrence, Shape, Option<Occurrence>) {
        let unknown = || Occurrence::unknown(Some(words.to_owned()));
        let at = &frame.at;
        let span = match self.what {
            What::Instant(day, time) => {
                if self.shape == Shape::Deadline && day >= frame.today {
                    let made = occurrence(
                        Some(frame.today),
                        Some(day),
                        Precision::Deadline,
                        Basis::Relative,
                        false,
                        words,
                        at,
                    );
                    return (made, Shape::Deadline, None);
                }
                let made = instant(day, time, Basis::Relative, words, at).unwrap_or_else(unknown);
                return (made, Shape::Point, None);
            }
            What::Span(span) => span,
            What::Length(_) => return (unknown(), Shape::Length, None),
            What::Recurring => return (unknown(), Shape::Recurring, None),
            What::Impossible => return (unknown(), Shape::Impossible, None),
            What::Clock(_) | What::Following(..) | What::Vague => {
                return (unknown(), Shape::Vague, None);
            }
        };
        let approx = span.approx || self.approx;
        if let Some(last) = self.until {
            let made = Occurrence {
                basis: span.basis,
                ..range_occurrence(span.first, last, approx, words, at)
            };
            return (made, Shape::Range, None);
        }
        if let Some(length) = self.length {
            let made = days_from(span.first, length, approx, words, at).unwrap_or_else(unknown);
            return (Occurrence { basis: span.basis, ..made }, Shape::Range, None);
        }
        let plain = |precision| {
            occurrence(Some(span.first), Some(span.last), precision, span.basis, approx, words, at)
        };
        match self.shape {
            Shape::Deadline => {
                let unit = !matches!(span.precision, Precision::Day | Precision::Range);
                let end = if self.before && unit {
                    span.first.pred_opt().unwrap_or(span.first)
                } else {
                    span.end_bound()
                };
                if end < frame.today {
                    return (plain(span.precision), Shape::Point, None);
                }
                let made = occurrence(
                    Some(frame.today),
                    Some(end),
                    Precision::Deadline,
                    span.basis,
                    approx,
                    words,
                    at,
                );
                (made, Shape::Deadline, None)
            }
            Shape::Until => {
                let end = span.end_bound();
                let first = (end >= frame.today).then_some(frame.today);
                let made =
                    occurrence(first, Some(end), Precision::Range, span.basis, approx, words, at);
                (made, Shape::Until, None)
            }
            Shape::Since => {
                let first = if self.after { span.last.succ_opt() } else { Some(span.first) };
                let made = Occurrence {
                    expression: Some(words.to_owned()),
                    approx,
                    ..open_from(first, span.basis, at)
                };
                (made, Shape::Since, (!self.after).then(|| plain(span.precision)))
            }
            _ if span.precision == Precision::Deadline => {
                (plain(Precision::Deadline), Shape::Deadline, None)
            }
            _ => {
                let shape =
                    if span.precision == Precision::Range { Shape::Range } else { Shape::Point };
                (plain(span.precision), shape, None)
            }
        }
    }
}

/// Joins a clock time with the day beside it; a clock on its own means the message's day.
fn join_clocks(text: &str, frame: &Frame, atoms: Vec<Atom>) -> Vec<Atom> {
    let mut out: Vec<Atom> = Vec::with_capacity(atoms.len());
    let mut waiting: Option<(Range<usize>, NaiveTime)> = None;
    let is_link = |gap: &str| {
        let gap = gap.trim().trim_start_matches(',').trim();
        matches!(gap, "" | "at" | "on" | "by" | "from" | "的" | "around" | "about" | "until")
    };
    let alone = |range: Range<usize>, time| Atom { range, what: What::Instant(frame.today, time) };
    for atom in atoms {
        let one_day = match &atom.what {
            What::Span(span) if span.precision == Precision::Day => Some(span.first),
            _ => None,
        };
        if let (Some(day), Some((range, time))) = (one_day, waiting.clone()) {
            waiting = None;
            if is_link(&text[range.end..atom.range.start]) {
                out.push(Atom {
                    range: range.start..atom.range.end,
                    what: What::Instant(day, time),
                });
                continue;
            }
            out.push(alone(range, time));
        }
        if let What::Clock(time) = atom.what {
            if let Some((range, earlier)) = waiting.take() {
                out.push(alone(range, earlier));
            }
            let joined = match out.last_mut() {
                Some(Atom { range, what: what @ What::Span(_) })
                    if is_link(&text[range.end..atom.range.start]) =>
                {
                    match *what {
                        What::Span(span) if span.precision == Precision::Day => {
                            *what = What::Instant(span.first, time);
                            range.end = atom.range.end;
                            true
                        }
                        _ => false,
                    }
                }
                _ => false,
            };
            if !joined {
                waiting = Some((atom.range, time));
            }
        } else {
            if let Some((range, time)) = waiting.take() {
                out.push(alone(range, time));
            }
            out.push(atom);
        }
    }
    out.extend(waiting.map(|(range, time)| alone(range, time)));
    out
}

fn read_surroundings(text: &str, frame: &Frame, atoms: Vec<Atom>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let mut start = atom.range.start;
        let floor = pieces.last().map_or(0, |p| p.range.end);
        let mut what = atom.what;
        if let What::Following(unit, steps) = what {
            let from =
                pieces.iter().rev().find_map(|p| p.span().map(|s| s.last)).unwrap_or(frame.today);
            what = following(unit, steps, from).map_or(What::Vague, What::Span);
        }
        if let (What::Span(span), Some((edge_start, which))) = (what, edge_before(text, start))
            && edge_start >= floor
            && let Some(part) = which(&span)
        {
            what = What::Span(part);
            start = edge_start;
        }
        let mut piece = Piece {
            core: start..atom.range.end,
            range: start..atom.range.end,
            what,
            shape: Shape::Point,
            until: None,
            length: None,
            after: false,
            before: false,
            approx: false,
        };
        if matches!(piece.what, What::Span(_) | What::Instant(..) | What::Impossible) {
            read_words_before(text, floor, &mut piece);
            read_words_after(text, &mut piece);
        }
        pieces.push(piece);
    }
    pieces
}

fn following(unit: char, steps: i64, from: NaiveDate) -> Option<Span> {
    match unit {
        'w' => week(from, steps),
        'm' => month_from(from, steps as i32),
        _ => Some(year(from.year() + steps as i32)?.basis(Basis::Relative)),
    }
}

fn read_words_before(text: &str, floor: usize, piece: &mut Piece) {
    let window_start = floor_boundary(text, piece.range.start.saturating_sub(48)).max(floor);
    // "By Friday": the atom itself may hold the preposition.
    let own = text[piece.core.clone()].to_ascii_lowercase();
    if own.starts_with("by ") {
        piece.shape = Shape::Deadline;
    } else if own.starts_with("until ") || own.starts_with("till ") {
        piece.shape = Shape::Until;
    }
    let Some(captures) = BEFORE.captures(&text[window_start..piece.range.start]) else { return };
    let Some(words) = captures.get(0) else { return };
    let group = (1..captures.len()).find(|i| captures.get(*i).is_some());
    let before_words = words_before(text, window_start + words.start()).trim_end();
    let moved = ["推迟", "提前", "改", "延", "延期", "挪", "移", "定", "调整", "改期"]
        .iter()
        .any(|w| before_words.ends_with(w))
        || POSTPONED.is_match(before_words);
    let (shape, from) = match group {
        // "Postponed until June": the day it moves to, not an end.
        Some(3 | 10) if moved => (Shape::Point, piece.range.start),
        Some(1 | 8) => (Shape::Deadline, piece.range.start),
        Some(2) => {
            let lower = words.as_str().to_ascii_lowercase();
            piece.before = ["before", "ahead", "prior"].iter().any(|w| lower.contains(w));
            (Shape::Deadline, window_start + words.start())
        }
        Some(3 | 10) => (Shape::Until, window_start + words.start()),
        Some(4) => (Shape::Since, window_start + words.start()),
        Some(6) => {
            piece.after = true;
            (Shape::Since, window_start + words.start())
        }
        // "From" opens a range or, with "on" after the date, a start; alone it says nothing yet.
        // "A shelter I volunteer at yesterday": a near day takes no such preposition.
        Some(7) if NEAR_DAY.is_match(&own) => (piece.shape, piece.range.start),
        Some(5 | 9 | 7) | None => {
            let lower = words.as_str().to_ascii_lowercase();
            piece.approx = piece.approx
                || lower.contains("around")
                || lower.contains("about")
                || lower.contains('约')
                || lower.contains("大概")
                || lower.contains("差不多");
            (piece.shape, window_start + words.start())
        }
        Some(_) => return,
    };
    piece.shape = shape;
    piece.range.start = from;
}

fn read_words_after(text: &str, piece: &mut Piece) {
    let rest = &text[piece.range.end..];
    let Some(captures) = AFTER.captures(rest) else { return };
    let group = (1..captures.len()).find(|i| captures.get(*i).is_some());
    let said_from = text[piece.range.clone()].starts_with(['从', '自', '打'])
        || text[piece.range.clone()].get(..4).is_some_and(|h| h.eq_ignore_ascii_case("from"));
    let matched = captures.get(group.unwrap_or(0)).map_or(0, |m| m.end());
    match group {
        Some(1) => piece.shape = Shape::Deadline,
        Some(2) if said_from => {
            piece.shape = Shape::Since;
            // The words " on" alone belong to the expression, what follows them does not.
            let words = if rest.starts_with(" onward") || rest.starts_with(" forward") {
                matched
            } else {
                3
            };
            piece.range.end += words.min(rest.len());
            return;
        }
        Some(3) => {
            piece.shape = Shape::Deadline;
            piece.before = true;
        }
        Some(4)
            if said_from
                || rest.starts_with('起')
                || rest.starts_with("以来")
                || rest.starts_with("往后") =>
        {
            piece.shape = Shape::Since;
        }
        Some(5) => piece.shape = Shape::Until,
        Some(6) => {
            piece.shape = Shape::Since;
            piece.after = !said_from;
        }
        Some(7) => piece.approx = true,
        _ => return,
    }
    piece.range.end += matched;
}

/// Joins "from X to Y", "between X and Y", "X for two weeks", and a start with a later "until".
fn join_ranges(text: &str, frame: &Frame, pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let Some(last) = out.last_mut() else {
            out.push(piece);
            continue;
        };
        if !join(text, frame, last, &piece) {
            out.push(piece);
        }
    }
    for piece in &mut out {
        // "From May" without an end is a start.
        if piece.until.is_none() && piece.shape == Shape::Point && piece.span().is_some() {
            let words = &text[piece.range.clone()];
            if words.starts_with(['从', '自'])
                || words.get(..5).is_some_and(|h| h.eq_ignore_ascii_case("from "))
            {
                piece.shape = Shape::Since;
            }
        }
    }
    out
}

fn join(text: &str, frame: &Frame, last: &mut Piece, piece: &Piece) -> bool {
    let gap = &text[last.core.end..piece.core.start];
    let no_stop =
        !gap.contains(['!', '?', '。', '！', '？', '\n', ';', '；']) && !gap.contains(". ");
    let Some(start) = last.span().copied() else {
        // "For two weeks from July 3rd": the length came first.
        if let (What::Length(Some(length)), Some(_)) = (last.what, piece.span())
            && matches!(
                gap.trim(),
                "from" | "starting" | "from the" | "starting on" | "starting from"
            )
        {
            last.what = piece.what;
            last.length = Some(length);
            last.range.end = piece.range.end;
            last.core.end = piece.core.end;
            return true;
        }
        return false;
    };
    if let What::Length(Some(length)) = piece.what {
        let words = gap.split_whitespace().count();
        let said_for =
            text[piece.core.clone()].get(..4).is_some_and(|h| h.eq_ignore_ascii_case("for "));
        let chinese = !text[piece.core.clone()].is_ascii() && gap.chars().count() <= 6;
        let day_like = matches!(start.precision, Precision::Day | Precision::Week);
        if last.shape == Shape::Point
            && last.until.is_none()
            && day_like
            && no_stop
            && !gap.contains([',', '，'])
            && ((said_for && words <= 3) || chinese)
        {
            last.length = Some(length);
            last.range.end = piece.range.end;
            last.core.end = piece.core.end;
            return true;
        }
        return false;
    }
    let Some(end) = piece.span() else { return false };
    if last.until.is_some() || last.length.is_some() {
        return false;
    }
    let head = words_before(text, last.core.start).trim_end().to_ascii_lowercase();
    let between = head.ends_with("between");
    let and = gap.trim().starts_with("and");
    let linked = TO.is_match(gap) && (!and || between);
    let later_until = piece.shape == Shape::Until
        && last.shape == Shape::Point
        && no_stop
        && gap.chars().count() <= 48;
    if !(linked || later_until) {
        return false;
    }
    let mut bound = end.end_bound();
    if bound < start.first {
        // "From November to February" ends in the year after, "Monday to Wednesday" in its week.
        let later = match end.floating {
            Cycle::Fixed => None,
            Cycle::Week => weekday_near(start.first, bound.weekday().num_days_from_monday(), false)
                .map(|s| s.first),
            Cycle::Month => month_from(start.first, i32::from(bound.day() < start.first.day()))
                .and_then(|m| bound.with_year(m.first.year())?.with_month(m.first.month())),
            Cycle::Year => bound
                .with_year(start.first.year() + i32::from(end.last.month() < start.first.month())),
        };
        bound = later.unwrap_or(bound);
    }
    if bound < start.first || bound < frame.today && last.shape == Shape::Deadline {
        return false;
    }
    last.until = Some(bound);
    last.approx |= end.approx || piece.approx;
    last.range.end = piece.range.end;
    last.core.end = piece.core.end;
    true
}
