//! English time words that hang on the message's own time: `yesterday`, `next week`, `in three
//! days`, `on Thursday`, clock times, lengths and rhythms.

use super::calendar::{
    Cycle, Frame, Length, Span, half, month_from, quarter_from, season, shift, week,
    weekday_in_week, weekday_near, weekday_number, weekend, year,
};
use super::compose::{Atom, What};
use super::numbers::english_number;
use super::tense::{Tense, tense_around};
use super::window::words_before;
use crate::model::{Basis, Precision};
use chrono::{Datelike, NaiveTime};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Turns a match into an atom; `None` when the words turn out to mean no time.
pub(super) type Reader = fn(&Captures<'_>, &str, &Frame) -> Option<Atom>;

pub(super) const NUMBER: &str = r"\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|ninety|a couple of|a couple|couple of";
const WEEKDAY: &str = r"monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const SEASON: &str = r"spring|summer|autumn|fall|winter";

pub(super) fn pattern(body: &str) -> Regex {
    Regex::new(&format!(
        "(?i){}",
        body.replace("NUM", NUMBER)
            .replace("WDAY", WEEKDAY)
            .replace("SEASON", SEASON)
            .replace('~', r"(?-u:\b)")
    ))
    .expect("the time patterns are valid")
}

static READERS: LazyLock<Vec<(Regex, Reader)>> = LazyLock::new(|| {
    let list: [(&str, Reader); 15] = [
        (r"~(?:the )?day (after tomorrow|before yesterday)~", read_near_day),
        (
            r"~(today|tonight|yesterday|tomorrow|last night|this morning|this afternoon|this evening|earlier today|later today|(?:by )?(?:eod|cob)|end of (?:the )?day)(?: (?:morning|afternoon|evening|night))?~",
            read_near_day,
        ),
        (
            r"~(?:the )?(first|second|third|last) (week|weekend) (?:of|in) (next month|this month|january|february|march|april|may|june|july|august|september|october|november|december)~",
            read_week_of_month,
        ),
        (
            r"~(?:the )?(this past|this coming|next|last|this|past|coming|previous|following|current)[ -](week|month|year|quarter|weekend|SEASON|WDAY)(?:'s)?(?: (?:morning|afternoon|evening|night))?~",
            read_relative_unit,
        ),
        (r"~the (week|month|year) (after next|before last|after|before)~", read_after_next),
        (r"~the (week|month|year|quarter)~", read_the_unit),
        (r"~(?:over |at |on |for )?the weekend~", read_the_weekend),
        (r"~(WDAY)(s)?(?:'s)?(?: (?:morning|afternoon|evening|night)s?)?~", read_weekday),
        (
            r"~(?:on|by|next|last|this|until|since|before|from) (mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b",
            read_short_weekday,
        ),
        (
            r"~(?:(about|around|roughly|approximately|almost|nearly|over) )?(NUM)(?: and a half)? (minute|hour|day|week|weekend|month|year|decade)s? (ago|back|from now|from today)~",
            read_distance,
        ),
        (r"~(?:(half an?) (year|hour)) (ago|from now)~", read_half_distance),
        (
            r"~in (?:(about|around|roughly|approximately) )?(NUM) (minute|hour|day|week|month|year)s?(?:'? time)?~",
            read_in_distance,
        ),
        (
            r"~(?:(?:within|over|in|for) )?(?:the )?(next|last|past|coming|within) (NUM) (day|week|month|year)s?~",
            read_stretch,
        ),
        (
            r"~(?:at |by |around |about )?(?:(\d{1,2})(?::(\d{2}))? ?(a\.?m\b\.?|p\.?m\b\.?|o'clock)|(noon|midnight))",
            read_clock,
        ),
        (r"~(at|by|until|till|before|from|around|to|after) (\d{1,2}):(\d{2})~", read_plain_clock),
    ];
    list.into_iter().map(|(body, reader)| (pattern(body), reader)).collect()
});

static LOOSE: LazyLock<Vec<(Regex, Reader)>> = LazyLock::new(|| {
    let list: [(&str, Reader); 5] = [
        (
            r"~(?:for )?(?:about |around |at least |up to |another |the next )?(NUM|half a)(?: more)? (hour|day|week|month|year)s?~",
            read_length,
        ),
        (
            r"~(?:every|each) (?:other |single |second )?(?:day|week|month|year|morning|evening|night|afternoon|weekend|WDAY|(?:NUM) (?:day|week|month)s)s?(?: (?:morning|evening|night)s?)?~",
            read_recurring,
        ),
        (
            r"~(?:(?:NUM|once|twice)(?: [a-z]+)? (?:a|per|each|every) (?:day|week|month|year|night)|(?:\d+|NUM) times (?:a|per) (?:day|week|month|year)|on weekdays|on weekends|daily|weekly|biweekly|nightly)~",
            read_recurring,
        ),
        (
            r"~(?:a few (?:minutes|hours|days|weeks|months|years) (?:ago|back)|(?:some|a long|a little|a short) (?:time|while) (?:ago|back)|a while (?:ago|back)|the other day|recently|lately|at some point|some ?day|one day|sooner or later|eventually|in the future|in a few (?:minutes|hours|days|weeks|months)|soon|later on|sometime)~",
            read_vague,
        ),
        (
            r"~once (?:(?:the|a|an|we|i|it|they|he|she|my|our|you|that|this) [a-z]+(?: [a-z]+){0,5})",
            read_vague,
        ),
    ];
    list.into_iter().map(|(body, reader)| (pattern(body), reader)).collect()
});

pub(super) fn find_atoms(text: &str, frame: &Frame, atoms: &mut Vec<Atom>) {
    run(&READERS, text, frame, atoms);
    run(&LOOSE, text, frame, atoms);
}

pub(super) fn run(readers: &[(Regex, Reader)], text: &str, frame: &Frame, atoms: &mut Vec<Atom>) {
    for (pattern, reader) in readers {
        for captures in pattern.captures_iter(text) {
            if let Some(mut atom) = reader(&captures, text, frame) {
                let words = text[atom.range.clone()].trim_end();
                atom.range.end = atom.range.start + words.len();
                atoms.push(atom);
            }
        }
    }
}

/// An atom over the whole match.
pub(super) fn whole(captures: &Captures<'_>, what: What) -> Option<Atom> {
    Some(Atom { range: captures.get(0)?.range(), what })
}

fn word<'t>(captures: &Captures<'t>, group: usize) -> &'t str {
    captures.get(group).map_or("", |m| m.as_str())
}

fn read_near_day(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let lower = word(captures, 0).to_ascii_lowercase();
    let name = word(captures, 1).to_ascii_lowercase();
    let days = match name.as_str() {
        "after tomorrow" => 2,
        "before yesterday" => -2,
        "yesterday" | "last night" => -1,
        "tomorrow" => 1,
        _ => 0,
    };
    let mut span = Span::day(shift(frame.today, days)?, Basis::Relative);
    if lower.contains("eod") || lower.contains("cob") || lower.starts_with("end of") {
        span.pivot = Some(span.last);
    }
    whole(captures, What::Span(span))
}

fn read_relative_unit(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let which = word(captures, 1).to_ascii_lowercase();
    let unit = word(captures, 2).to_ascii_lowercase();
    let steps = match which.as_str() {
        "next" | "following" => 1,
        "last" | "previous" | "past" | "this past" => -1,
        _ => 0,
    };
    let today = frame.today;
    let span = match unit.as_str() {
        // "The past week" ends now; the calendar week before is its nearest whole unit.
        "week" => week(today, steps)?,
        "weekend" => weekend(
            today,
            if which == "this past" && today.weekday().num_days_from_monday() == 6 {
                0
            } else {
                steps
            },
        )?,
        "month" => month_from(today, steps as i32)?,
        "quarter" => quarter_from(today, steps as i32)?,
        "year" => year(today.year() + steps as i32)?.basis(Basis::Relative),
        "spring" | "summer" | "autumn" | "fall" | "winter" => {
            if unit == "fall" && which == "following" {
                return None;
            }
            relative_season(season_number(&unit)?, steps as i32, frame)?
        }
        name => {
            let number = weekday_number(name)?;
            match which.as_str() {
                "next" | "following" => weekday_in_week(today, number, 1)?,
                "last" | "previous" => weekday_in_week(today, number, -1)?,
                "past" | "this past" => weekday_near(today, number, true)?,
                "coming" | "this coming" => weekday_near(today, number, false)?,
                _ => weekday_in_week(today, number, 0)?,
            }
        }
    };
    // "The last week of May" names a part of something else.
    let rest = &text[captures.get(0)?.end()..];
    if rest.starts_with(" of ")
        && !matches!(unit.as_str(), "spring" | "summer" | "autumn" | "fall" | "winter")
    {
        return None;
    }
    whole(captures, What::Span(span))
}

pub(super) fn season_number(name: &str) -> Option<u32> {
    Some(match name {
        "spring" => 0,
        "summer" => 1,
        "autumn" | "fall" => 2,
        "winter" => 3,
        _ => return None,
    })
}

/// "Last summer" is the latest one that is over, "next summer" the first that has not begun,
/// "this summer" the one of the current year.
pub(super) fn relative_season(number: u32, steps: i32, frame: &Frame) -> Option<Span> {
    let this_year = frame.today.year();
    let mut around = (this_year - 2..=this_year + 2).filter_map(|year| season(year, number));
    let span = match steps {
        -1 => around.rfind(|s| s.last < frame.today)?,
        1 => around.find(|s| s.first > frame.today)?,
        _ => around
            .clone()
            .find(|s| s.first <= frame.today && frame.today <= s.last)
            .or_else(|| around.find(|s| s.first.year() == this_year))?,
    };
    Some(span.basis(Basis::Relative))
}

/// "The last week of May" is the last calendar week that begins in it, the first the first.
fn read_week_of_month(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let place = word(captures, 3).to_ascii_lowercase();
    let unit = match place.as_str() {
        "next month" => month_from(frame.today, 1)?,
        "this month" => month_from(frame.today, 0)?,
        name => {
            let number = super::english_calendar::month_number(name)?;
            let tense = tense_around(text, captures.get(0)?.start());
            super::english_calendar::with_year(tense, frame, |year| {
                super::calendar::month(year, number)
            })?
        }
    };
    let first_monday = match week(unit.first, 0)? {
        own if own.first == unit.first => own.first,
        own => shift(own.first, 7)?,
    };
    let weeks = match word(captures, 1).to_ascii_lowercase().as_str() {
        "first" => 0,
        "second" => 1,
        "third" => 2,
        _ => (unit.last - first_monday).num_days() / 7,
    };
    let weekend_meant = word(captures, 2).eq_ignore_ascii_case("weekend");
    let day = shift(first_monday, weeks * 7)?;
    let span = if weekend_meant { weekend(day, 0)? } else { week(day, 0)? };
    whole(captures, What::Span(span.about()))
}

fn read_after_next(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let which = word(captures, 2).to_ascii_lowercase();
    let unit = word(captures, 1).to_ascii_lowercase();
    let steps: i64 = match which.as_str() {
        "after next" => 2,
        "before last" => -2,
        "after" => 1,
        _ => -1,
    };
    if steps.abs() == 1 {
        // "The week after the launch" hangs on something else.
        let rest = text[captures.get(0)?.end()..].trim_start();
        let ends = rest.is_empty()
            || rest.starts_with(|c: char| !c.is_alphanumeric())
            || rest.starts_with("and ")
            || rest.starts_with("but ");
        return whole(
            captures,
            if ends { What::Following(unit_letter(&unit), steps) } else { What::Vague },
        );
    }
    let span = relative_unit(&unit, steps, frame)?;
    whole(captures, What::Span(span))
}

fn unit_letter(unit: &str) -> char {
    unit.chars().next().unwrap_or('w')
}

fn relative_unit(unit: &str, steps: i64, frame: &Frame) -> Option<Span> {
    match unit {
        "week" => week(frame.today, steps),
        "month" => month_from(frame.today, steps as i32),
        "quarter" => quarter_from(frame.today, steps as i32),
        _ => Some(year(frame.today.year() + steps as i32)?.basis(Basis::Relative)),
    }
}

/// "The week", "the month": a time only after "end of", "rest of" and the like.
fn read_the_unit(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let start = captures.get(0)?.start();
    let before = words_before(text, start).trim_end().to_ascii_lowercase();
    let edged = [
        "end of",
        "start of",
        "beginning of",
        "middle of",
        "half of",
        "rest of",
        "later in",
        "earlier in",
        "late in",
        "early in",
    ]
    .iter()
    .any(|head| before.ends_with(head));
    if !edged {
        return None;
    }
    let span = relative_unit(&word(captures, 1).to_ascii_lowercase(), 0, frame)?;
    whole(captures, What::Span(span))
}

fn read_the_weekend(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let start = captures.get(0)?.start();
    let past = tense_around(text, start) == Tense::Past;
    let on_weekend = frame.today.weekday().num_days_from_monday() >= 5;
    whole(captures, What::Span(weekend(frame.today, if past && !on_weekend { -1 } else { 0 })?))
}

fn read_weekday(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let matched = captures.get(0)?;
    if captures.get(2).is_some() {
        return whole(captures, What::Recurring);
    }
    let number = weekday_number(word(captures, 1))?;
    weekday_atom(number, matched.range(), text, frame)
}

pub(super) fn weekday_atom(
    number: u32,
    range: std::ops::Range<usize>,
    text: &str,
    frame: &Frame,
) -> Option<Atom> {
    // What has held since a day began on a day that was.
    let head = text[..range.start].trim_end();
    let since = head.len().checked_sub(5).and_then(|i| head.get(i..));
    let past = since.is_some_and(|w| w.eq_ignore_ascii_case("since"))
        || tense_around(text, range.start) == Tense::Past;
    let span = weekday_near(frame.today, number, past)?.floating(Cycle::Week);
    Some(Atom { range, what: What::Span(span) })
}

fn read_short_weekday(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let name = captures.get(1)?;
    // Lower-case "sat", "sun" and "wed" are words of their own.
    if !name.as_str().starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let number = weekday_number(name.as_str())?;
    let head = word(captures, 0).to_ascii_lowercase();
    let week_of = [("next ", 1), ("last ", -1), ("this ", 0)];
    match week_of.iter().find(|(h, _)| head.starts_with(h)) {
        Some((_, weeks)) => {
            whole(captures, What::Span(weekday_in_week(frame.today, number, *weeks)?))
        }
        None => weekday_atom(number, name.range(), text, frame),
    }
}

/// What lies a distance away: days are exact, weeks are a day give or take, months and years
/// are known only as such.
pub(super) fn distant(
    count: u32,
    unit: &str,
    past: bool,
    about: bool,
    frame: &Frame,
) -> Option<Span> {
    let length = match unit {
        "minute" | "hour" => Length::Hours(count),
        "day" => Length::Days(count),
        "week" | "weekend" => Length::Weeks(count),
        "month" => Length::Months(count),
        "year" => Length::Years(count),
        _ => Length::Years(count.checked_mul(10)?),
    };
    let reached = if past { length.before(frame.today)? } else { length.after(frame.today)? };
    let span = match length {
        Length::Hours(hours) => {
            if hours > 12 && unit == "hour" {
                return None;
            }
            Span::day(reached, Basis::Relative)
        }
        Length::Days(n) if n < 14 => Span::day(reached, Basis::Relative),
        Length::Days(_) | Length::Weeks(_) if unit != "weekend" => {
            Span::day(reached, Basis::Relative).about()
        }
        Length::Days(_) | Length::Weeks(_) => weekend(reached, 0)?,
        Length::Months(_) => month_from(reached, 0)?.about(),
        Length::Years(_) => {
            let mut span = year(reached.year())?.basis(Basis::Relative).about();
            span.precision = Precision::Year;
            span
        }
    };
    Some(if about { span.about() } else { span })
}

fn read_distance(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let count = english_number(word(captures, 2))?;
    let unit = word(captures, 3).to_ascii_lowercase();
    let direction = word(captures, 4).to_ascii_lowercase();
    let past = matches!(direction.as_str(), "ago" | "back");
    let couple = word(captures, 2).to_ascii_lowercase().contains("couple");
    let about = captures.get(1).is_some() || couple;
    let what = distant(count, &unit, past, about, frame).map_or(What::Vague, What::Span);
    whole(captures, what)
}

fn read_half_distance(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let past = word(captures, 3).eq_ignore_ascii_case("ago");
    let span = if word(captures, 2).eq_ignore_ascii_case("hour") {
        Span::day(frame.today, Basis::Relative)
    } else {
        distant(6, "month", past, true, frame)?
    };
    whole(captures, What::Span(span))
}

fn read_in_distance(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let start = captures.get(0)?.start();
    let unit = word(captures, 3).to_ascii_lowercase();
    // "We rebuilt it in three days" tells how long it took.
    if tense_around(text, start) == Tense::Past || unit == "minute" {
        return whole(captures, What::Length(None));
    }
    let count = english_number(word(captures, 2))?;
    let span = distant(count, &unit, false, captures.get(1).is_some(), frame)?;
    whole(captures, What::Span(span))
}

fn read_stretch(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let count = english_number(word(captures, 2))?;
    let length = length_of(count, &word(captures, 3).to_ascii_lowercase())?;
    let which = word(captures, 1).to_ascii_lowercase();
    let past = matches!(which.as_str(), "last" | "past");
    let (first, last) = if past {
        (length.before(frame.today)?, frame.today)
    } else {
        (frame.today, length.after(frame.today)?)
    };
    let deadline = which == "within";
    let precision = if deadline { Precision::Deadline } else { Precision::Range };
    let mut span = Span::new(first, last, precision, Basis::Relative);
    span.approx = !deadline && count > 1;
    whole(captures, What::Span(span))
}

pub(super) fn length_of(count: u32, unit: &str) -> Option<Length> {
    Some(match unit {
        "hour" => Length::Hours(count),
        "day" => Length::Days(count),
        "week" => Length::Weeks(count),
        "month" => Length::Months(count),
        "year" => Length::Years(count),
        _ => return None,
    })
}

fn read_clock(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    let time = match captures.get(4).map(|m| m.as_str().to_ascii_lowercase()) {
        Some(name) if name == "noon" => NaiveTime::from_hms_opt(12, 0, 0)?,
        // Midnight belongs to two days; the words alone do not say to which.
        Some(_) => return None,
        None => {
            let hour: u32 = word(captures, 1).parse().ok()?;
            let minute: u32 = captures.get(2).map_or(Some(0), |m| m.as_str().parse().ok())?;
            let half_day = word(captures, 3).to_ascii_lowercase();
            let hour = match half_day.chars().next()? {
                'p' if hour < 12 => hour + 12,
                'a' if hour == 12 => 0,
                'o' if (1..=6).contains(&hour) => return None,
                _ => hour,
            };
            NaiveTime::from_hms_opt(hour, minute, 0)?
        }
    };
    whole(captures, What::Clock(time))
}

fn read_plain_clock(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    let time = NaiveTime::from_hms_opt(
        word(captures, 2).parse().ok()?,
        word(captures, 3).parse().ok()?,
        0,
    )?;
    whole(captures, What::Clock(time))
}

fn read_length(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    let unit = word(captures, 2).to_ascii_lowercase();
    let length = if word(captures, 1).eq_ignore_ascii_case("half a") {
        (unit == "year").then_some(Length::Months(6))
    } else {
        english_number(word(captures, 1)).and_then(|count| length_of(count, &unit))
    };
    // A bare "an hour" or "a day" without "for" is a unit price, not a stretch.
    let said_for = word(captures, 0).get(..4).is_some_and(|h| h.eq_ignore_ascii_case("for "));
    if !said_for && matches!(word(captures, 1).to_ascii_lowercase().as_str(), "a" | "an") {
        return None;
    }
    whole(captures, What::Length(length))
}

fn read_recurring(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    whole(captures, What::Recurring)
}

fn read_vague(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    whole(captures, What::Vague)
}

/// The half of a year that is meant, for the calendar readers.
pub(super) fn half_of(year_number: i32, ordinal: &str) -> Option<Span> {
    half(year_number, if ordinal.starts_with(['f', '1', 'F']) { 1 } else { 2 })
}
