//! English dates that are written out: days, months, quarters, seasons, years, decades, ISO forms.

use super::calendar::{
    Cycle, Edge, Frame, Span, edge, half, in_range, month, month_from, quarter, season, year, ymd,
};
use super::compose::{Atom, What};
use super::english::{Reader, half_of, run, season_number, whole};
use super::numbers::english_ordinal;
use super::tense::{Tense, tense_around};
use super::window::words_before;
use crate::model::{Basis, Precision};
use chrono::{DateTime, Datelike, NaiveDate};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Month names; `May` and `March` count only with a capital, being words of their own.
const MONTH: &str = r"Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|january|february|april|june|july|august|september|october|november|december";
const ORDINAL: &str =
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?:st|nd|rd|th)";

fn pattern(body: &str) -> Regex {
    Regex::new(
        &body
            .replace("MONTH", MONTH)
            .replace("ORD", ORDINAL)
            .replace("TH", "(?:st|nd|rd|th)")
            .replace('~', r"(?-u:\b)"),
    )
    .expect("the date patterns are valid")
}

static READERS: LazyLock<Vec<(Regex, Reader)>> = LazyLock::new(|| {
    let list: [(&str, Reader); 14] = [
        (
            r"~(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})))?",
            read_iso,
        ),
        (r"~(\d{4})/(\d{1,2})/(\d{1,2})~", read_iso),
        (r"~(\d{4})-(\d{2})~", read_iso_month),
        (
            r"~(\d{1,2})TH?(?: ?[-–—] ?| to | until | through )(\d{1,2})TH? (MONTH)~\.?(?:,? (\d{4})~)?",
            read_day_range,
        ),
        (r"~(\d{1,2})TH?(?: of)? (MONTH)~\.?(?:,? (\d{4})~)?", read_day_month),
        (
            r"~(MONTH)~\.? (?:the )?(\d{1,2})TH?(?:(?: ?[-–—] ?| to | until | through )(\d{1,2})TH?)?~(?:,? (\d{4})~)?",
            read_month_day,
        ),
        (
            r"~(?:the )?(ORD|last day|first day|last)(?: day)? of (next month|this month|last month|the month|MONTH)~(?: (\d{4})~)?",
            read_day_of_month,
        ),
        (r"~(MONTH)~\.?(?:,| of)? ?((?:19|20)\d{2})~", read_month_year),
        (
            r"(?:^|~)(?i:(in|since|by|until|till|before|during|(?:end|start|beginning|middle|half|month|rest|day|week) of|of|from|between|to|through|last|next|this|early|mid|late|after|around|for|and))[ -](?:the month of )?(MONTH)~",
            read_month,
        ),
        (
            r"(?i:~(on|by|from|until|till|since|before|to|around|after|and) the (\d{1,2})(?:st|nd|rd|th)~)",
            read_ordinal_day,
        ),
        (
            r"~(?i:(?:(\d{4})[ -]?)?Q([1-4])(?:(?: of)?[ /-]?(\d{4}))?|(?:the )?(first|second|third|fourth|last) quarter(?: of (\d{4}|this year|next year|last year|the year))?)~",
            read_quarter,
        ),
        (
            r"~(?i:(first|second|1st|2nd) half of (?:(\d{4})|(this|next|last|the) year)|H([12]) ?(\d{4}))~",
            read_half,
        ),
        (
            r"(?i)(?:the |the early |the late |the mid[ -])'?(?:(\d{2}|19\d0|20\d0)'?s|(twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties))~",
            read_decade,
        ),
        (
            r"(?i)~(in|by|during|since|until|till|over|for|through|before|after|around|of|from|early|late|mid)?[ -]?(?:the )?(?:coming |early |late |mid[ -])?~(spring|summer|autumn|fall|winter)(?:(?: of)? ((?:19|20)\d{2})| (this year|last year|next year))?~",
            read_season,
        ),
    ];
    list.into_iter().map(|(body, reader)| (pattern(body), reader)).collect()
});

static YEAR: LazyLock<Vec<(Regex, Reader)>> = LazyLock::new(|| {
    vec![(
        pattern(
            r"(?i)~(in|since|by|until|till|before|during|from|to|of|early|mid|late|through|year|around|after|back in|and)[ -]((?:19|20)\d{2})~",
        ),
        read_year as Reader,
    )]
});

pub(super) fn find_atoms(text: &str, frame: &Frame, atoms: &mut Vec<Atom>) {
    run(&READERS, text, frame, atoms);
    run(&YEAR, text, frame, atoms);
}

fn number(captures: &Captures<'_>, group: usize) -> Option<u32> {
    captures.get(group)?.as_str().parse().ok()
}

pub(super) fn month_number(name: &str) -> Option<u32> {
    const HEADS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let head = name.get(..3)?.to_ascii_lowercase();
    HEADS.iter().position(|h| *h == head).map(|i| i as u32 + 1)
}

/// Picks the year of a date without one: after a past tense the latest that is not to come,
/// else the first that is not over.
pub(super) fn with_year(
    tense: Tense,
    frame: &Frame,
    make: impl Fn(i32) -> Option<Span>,
) -> Option<Span> {
    let this_year = frame.today.year();
    let found = match (tense, frame.near) {
        (Tense::Past, _) => {
            (this_year - 4..=this_year).rev().filter_map(make).find(|s| s.first <= frame.today)
        }
        (_, Some(near)) if near > frame.today => {
            (this_year..=this_year + 4).filter_map(make).find(|s| s.last >= frame.today)
        }
        (Tense::Future, _) => {
            (this_year..=this_year + 4).filter_map(make).find(|s| s.last >= frame.today)
        }
        // A date of the last weeks is nearer than the same one next year.
        (Tense::Open, _) => {
            let cut = frame.today.checked_sub_days(chrono::Days::new(31))?;
            (this_year - 1..=this_year + 4).filter_map(make).find(|s| s.last >= cut)
        }
    };
    Some(found?.basis(Basis::Relative).floating(Cycle::Year))
}

/// A whole match whose day the calendar does not have.
fn impossible(captures: &Captures<'_>) -> Option<Atom> {
    whole(captures, What::Impossible)
}

/// Whether a day of the month is written as one: small enough, or after "on".
fn is_meant_as_day(captures: &Captures<'_>, text: &str, day: u32) -> bool {
    let start = captures.get(0).map_or(0, |m| m.start());
    day <= 31 || words_before(text, start).to_ascii_lowercase().ends_with("on ")
}

fn dated(
    captures: &Captures<'_>,
    text: &str,
    frame: &Frame,
    year_group: usize,
    make: impl Fn(i32) -> Option<Span>,
) -> Option<Atom> {
    let span = match number(captures, year_group) {
        Some(year) => make(year as i32)?,
        None => with_year(tense_around(text, captures.get(0)?.start()), frame, make)?,
    };
    whole(captures, What::Span(span))
}

fn day_span(year: i32, month: u32, day: u32) -> Option<Span> {
    Some(Span::day(ymd(year, month, day)?, Basis::Explicit))
}

fn read_iso(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let range = captures.get(0)?.range();
    // Part of a longer number or path is no date.
    let glued = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/');
    if text[..range.start].ends_with(glued) || text[range.end..].starts_with(glued) {
        return None;
    }
    if let Some(clock) = captures.get(4) {
        let written = format!("{}T{}", captures.get(0)?.as_str().get(..10)?, clock.as_str());
        if let Ok(at) = DateTime::parse_from_rfc3339(&written) {
            let local = at.with_timezone(&frame.at.offset());
            return whole(captures, What::Instant(local.date_naive(), local.time()));
        }
    }
    let year = number(captures, 1)? as i32;
    match day_span(year, number(captures, 2)?, number(captures, 3)?) {
        Some(span) => whole(captures, What::Span(span)),
        None if (1900..2200).contains(&year) => impossible(captures),
        // Digits of another kind, written alike.
        None => None,
    }
}

fn read_iso_month(captures: &Captures<'_>, text: &str, _: &Frame) -> Option<Atom> {
    let range = captures.get(0)?.range();
    let glued = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | '#');
    let after = text[range.end..].trim_start_matches('.');
    if text[..range.start].ends_with(glued) || after.starts_with(glued) {
        return None;
    }
    let year = number(captures, 1).filter(|y| (1900..2200).contains(y))?;
    whole(captures, What::Span(month(year as i32, number(captures, 2)?)?))
}

fn read_day_range(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let (from, to) = (number(captures, 1)?, number(captures, 2)?);
    let month = month_number(&captures[3])?;
    dated(captures, text, frame, 4, |year| {
        let (first, last) = (ymd(year, month, from)?, ymd(year, month, to)?);
        (first <= last).then(|| Span::new(first, last, Precision::Range, Basis::Explicit))
    })
}

fn read_day_month(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let (day, month) = (number(captures, 1)?, month_number(&captures[2])?);
    dated(captures, text, frame, 3, |year| day_span(year, month, day))
        .or_else(|| is_meant_as_day(captures, text, day).then(|| impossible(captures)).flatten())
}

fn read_month_day(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let rest = &text[captures.get(0)?.end()..];
    // "March 10:30", "May 5%" and "June 2.5" hold no day of the month.
    if rest.starts_with([':', '%'])
        || rest.strip_prefix('.').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    let (month, day) = (month_number(&captures[1])?, number(captures, 2)?);
    if let Some(to) = number(captures, 3) {
        return dated(captures, text, frame, 4, |year| {
            let (first, last) = (ymd(year, month, day)?, ymd(year, month, to)?);
            (first <= last).then(|| Span::new(first, last, Precision::Range, Basis::Explicit))
        });
    }
    dated(captures, text, frame, 4, |year| day_span(year, month, day))
        .or_else(|| is_meant_as_day(captures, text, day).then(|| impossible(captures)).flatten())
}

fn read_day_of_month(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let which = captures[1].to_ascii_lowercase();
    let place = captures[2].to_ascii_lowercase();
    let in_month = |unit: Span| -> Option<Span> {
        let basis = unit.basis;
        if which.starts_with("last") {
            return edge(&unit, Edge::End);
        }
        let day = if which == "first day" { 1 } else { english_ordinal(&which)? };
        let date = NaiveDate::from_ymd_opt(unit.first.year(), unit.first.month(), day)?;
        Some(Span::day(date, basis))
    };
    let steps = match place.as_str() {
        "next month" => 1,
        "this month" | "the month" => 0,
        "last month" => -1,
        name => {
            let number = month_number(name)?;
            return dated(captures, text, frame, 3, |year| in_month(month(year, number)?));
        }
    };
    whole(captures, What::Span(in_month(month_from(frame.today, steps)?)?))
}

fn read_month_year(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    let span = month(number(captures, 2)? as i32, month_number(&captures[1])?)?;
    whole(captures, What::Span(span))
}

fn read_month(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let head = captures[1].to_ascii_lowercase();
    let name = captures.get(2)?;
    let rest = &text[name.end()..];
    if rest.starts_with("'s") || rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    // April, May, June and August are people too.
    let is_name =
        matches!(name.as_str(), "April" | "May" | "June" | "August" | "Jan" | "Mar" | "Dec");
    let before = words_before(text, name.start());
    let open_list = before.contains("from ") || before.contains("between ");
    if is_name
        && matches!(head.as_str(), "to" | "for" | "and" | "of" | "after" | "this")
        && !open_list
    {
        return None;
    }
    let month_index = month_number(name.as_str())?;
    let make = |year| month(year, month_index);
    let today = frame.today;
    let nearest =
        |past: bool| with_year(if past { Tense::Past } else { Tense::Future }, frame, make);
    let span = match head.as_str() {
        "last" => nearest(true).map(|span| {
            if span.last >= today { make(span.first.year() - 1) } else { Some(span) }
        })??,
        "next" => nearest(false).map(|span| {
            if span.first <= today { make(span.first.year() + 1) } else { Some(span) }
        })??,
        "this" => make(today.year())?,
        "since" => nearest(true)?,
        "by" | "until" | "till" => nearest(false)?,
        _ => with_year(tense_around(text, name.start()), frame, make)?,
    };
    let range = if matches!(head.as_str(), "last" | "next" | "this") {
        captures.get(1)?.start()..name.end()
    } else {
        name.range()
    };
    Some(Atom { range, what: What::Span(span.basis(Basis::Relative)) })
}

fn read_ordinal_day(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let matched = captures.get(0)?;
    let rest = text[matched.end()..].trim_start();
    // "By the 4th attempt", "on the 2nd floor": an ordinal before a noun counts something else.
    let noun_follows = rest.starts_with(|c: char| c.is_ascii_lowercase())
        && ![
            "on ",
            "onwards",
            "onward",
            "and ",
            "at ",
            "or ",
            "to ",
            "until ",
            "because",
            "so ",
            "for ",
            "we ",
            "i ",
            "it ",
            "as ",
            "if ",
            "in ",
            "with ",
            "but ",
            "instead",
            "then",
            "of this month",
        ]
        .iter()
        .any(|word| rest.starts_with(word));
    let ends_with_on =
        rest.strip_prefix("on").is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric()));
    if noun_follows && !ends_with_on {
        return None;
    }
    let day = number(captures, 2)?;
    let span = day_of_month(day, tense_around(text, matched.start()), frame)?;
    let start = text[..matched.end()].rfind("the ").unwrap_or(matched.start());
    Some(Atom { range: start..matched.end(), what: What::Span(span) })
}

/// A bare day of the month: the first at or after the day spoken of last (or the message), or in
/// the past tense the latest one.
pub(super) fn day_of_month(day: u32, tense: Tense, frame: &Frame) -> Option<Span> {
    let past = tense == Tense::Past;
    let anchor = if past {
        frame.today
    } else {
        frame.near.filter(|n| *n > frame.today).unwrap_or(frame.today)
    };
    let months = if past { [0, -1, -2] } else { [0, 1, 2] };
    let date = months
        .into_iter()
        .filter_map(|m| month_from(anchor, m))
        .filter_map(|m| ymd(m.first.year(), m.first.month(), day))
        .find(|date| if past { *date <= anchor } else { *date >= anchor })?;
    Some(Span::day(date, Basis::Relative).floating(Cycle::Month))
}

fn read_quarter(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let matched = captures.get(0)?;
    let rest = &text[matched.end()..];
    if rest.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        return None;
    }
    let (which, year_word) = if let Some(digit) = captures.get(2) {
        (digit.as_str().parse().ok()?, captures.get(1).or(captures.get(3)))
    } else {
        let name = captures.get(4)?.as_str();
        (
            if name.eq_ignore_ascii_case("last") { 4 } else { english_ordinal(name)? },
            captures.get(5),
        )
    };
    let this_year = frame.today.year();
    let span = match year_word.map(|m| m.as_str().to_ascii_lowercase()) {
        None if captures.get(4).is_some_and(|m| m.as_str().eq_ignore_ascii_case("last")) => {
            super::calendar::quarter_from(frame.today, -1)?
        }
        None => with_year(tense_around(text, matched.start()), frame, |year| quarter(year, which))?,
        Some(word) => match word.as_str() {
            "this year" | "the year" => quarter(this_year, which)?.basis(Basis::Relative),
            "next year" => quarter(this_year + 1, which)?.basis(Basis::Relative),
            "last year" => quarter(this_year - 1, which)?.basis(Basis::Relative),
            digits => quarter(digits.parse().ok()?, which)?,
        },
    };
    in_range(span.first).then_some(())?;
    whole(captures, What::Span(span))
}

fn read_half(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let span = if let Some(which) = number(captures, 4) {
        half(number(captures, 5)? as i32, which)?
    } else if let Some(year) = number(captures, 2) {
        half_of(year as i32, &captures[1])?
    } else {
        let steps = match captures.get(3)?.as_str().to_ascii_lowercase().as_str() {
            "next" => 1,
            "last" => -1,
            _ => 0,
        };
        half_of(frame.today.year() + steps, &captures[1])?.basis(Basis::Relative)
    };
    whole(captures, What::Span(span))
}

const DECADES: [&str; 8] =
    ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"];

fn read_decade(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let start = if let Some(digits) = captures.get(1) {
        let number: i32 = digits.as_str().parse().ok()?;
        if number >= 1000 { number } else { short_decade(number, frame)? }
    } else {
        let name = captures.get(2)?.as_str().to_ascii_lowercase();
        short_decade(DECADES.iter().position(|n| *n == name)? as i32 * 10 + 20, frame)?
    };
    let (first, last) = (year(start)?, year(start + 9)?);
    let span = Span::new(first.first, last.last, Precision::Range, Basis::Explicit);
    whole(captures, What::Span(span))
}

/// The latest decade of these two digits that has begun.
pub(super) fn short_decade(digits: i32, frame: &Frame) -> Option<i32> {
    if digits % 10 != 0 {
        return None;
    }
    let century = frame.today.year().div_euclid(100) * 100;
    let recent = century + digits;
    Some(if recent > frame.today.year() { recent - 100 } else { recent })
}

fn read_season(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let name = captures.get(2)?;
    let index = season_number(&name.as_str().to_ascii_lowercase())?;
    let head = captures.get(1).map(|m| m.as_str().to_ascii_lowercase());
    let dated_year = number(captures, 3);
    let year_word = captures.get(4).map(|m| m.as_str().to_ascii_lowercase());
    // "Spring" and "fall" are other words too: without a year they need a preposition.
    if head.is_none() && dated_year.is_none() && year_word.is_none() {
        return None;
    }
    let bare = !words_before(text, name.start()).to_ascii_lowercase().ends_with("the ");
    if bare
        && dated_year.is_none()
        && year_word.is_none()
        && matches!(
            head.as_deref(),
            Some("for" | "of" | "after" | "before" | "over" | "around" | "from")
        )
    {
        return None;
    }
    let span = match (dated_year, year_word.as_deref()) {
        (Some(year), _) => season(year as i32, index)?,
        (None, Some(word)) => {
            let steps = match word {
                "next year" => 1,
                "last year" => -1,
                _ => 0,
            };
            season(frame.today.year() + steps, index)?.basis(Basis::Relative)
        }
        (None, None) => {
            let tense = if head.as_deref() == Some("since") {
                Tense::Past
            } else {
                tense_around(text, name.start())
            };
            let make = |year| season(year, index);
            if tense == Tense::Past {
                with_year(tense, frame, make)?
            } else {
                // A winter that has begun is still the one meant.
                let year = frame.today.year();
                (year - 1..=year + 1)
                    .filter_map(make)
                    .find(|s| s.last >= frame.today)?
                    .basis(Basis::Relative)
            }
        }
    };
    Some(Atom { range: name.start()..captures.get(0)?.end(), what: What::Span(span) })
}

fn read_year(captures: &Captures<'_>, text: &str, _: &Frame) -> Option<Atom> {
    let digits = captures.get(2)?;
    let rest = text[digits.end()..].trim_start();
    let counted = [
        "lines",
        "files",
        "tokens",
        "users",
        "rows",
        "items",
        "messages",
        "ms",
        "people",
        "words",
        "steps",
        "bytes",
        "requests",
        "records",
        "px",
        "kb",
        "mb",
        "units",
        "customers",
        "dollars",
        "euros",
        "pages",
        "miles",
        "km",
        "meters",
        "calories",
    ];
    let next: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    let glued = text[digits.end()..]
        .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | ':' | '%' | '_'))
        || text[digits.end()..]
            .strip_prefix(['.', ','])
            .is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    if glued || counted.contains(&next.as_str()) {
        return None;
    }
    let span = year(digits.as_str().parse().ok()?)?;
    Some(Atom { range: digits.range(), what: What::Span(span) })
}
