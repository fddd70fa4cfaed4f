//! Calendar arithmetic in the message's own offset, and the making of [`Occurrence`]s.

use crate::model::{Basis, Occurrence, Precision, Stamp};
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveTime, TimeDelta, Utc, Weekday};

/// A length of time in calendar terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Less than a day.
    Hours(u32),
    /// Days.
    Days(u32),
    /// Weeks.
    Weeks(u32),
    /// Months.
    Months(u32),
    /// Years.
    Years(u32),
}

impl Length {
    /// Returns the day that lies this length after a day, where the calendar reaches that far.
    pub fn after(self, day: NaiveDate) -> Option<NaiveDate> {
        let reached = match self {
            Self::Hours(_) => Some(day),
            Self::Days(n) => day.checked_add_days(Days::new(n.into())),
            Self::Weeks(n) => day.checked_add_days(Days::new(u64::from(n) * 7)),
            Self::Months(n) => day.checked_add_months(Months::new(n)),
            Self::Years(n) => day.checked_add_months(Months::new(n.checked_mul(12)?)),
        };
        reached.filter(|d| in_range(*d))
    }

    /// Returns the day that lies this length before a day.
    pub fn before(self, day: NaiveDate) -> Option<NaiveDate> {
        let reached = match self {
            Self::Hours(_) => Some(day),
            Self::Days(n) => day.checked_sub_days(Days::new(n.into())),
            Self::Weeks(n) => day.checked_sub_days(Days::new(u64::from(n) * 7)),
            Self::Months(n) => day.checked_sub_months(Months::new(n)),
            Self::Years(n) => day.checked_sub_months(Months::new(n.checked_mul(12)?)),
        };
        reached.filter(|d| in_range(*d))
    }
}

/// What time words are resolved against.
pub(super) struct Frame {
    pub at: Stamp,
    /// The local day of the message.
    pub today: NaiveDate,
    /// The day the conversation spoke of last, if any.
    pub near: Option<NaiveDate>,
}

impl Frame {
    pub fn new(at: Stamp, near: Option<NaiveDate>) -> Self {
        Self { at, today: at.local_day(), near }
    }
}

/// How often the words of a date come round: a bare weekday every week, a bare day of the month
/// every month, a date without a year every year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cycle {
    Fixed,
    Week,
    Month,
    Year,
}

/// A stretch of whole local days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub first: NaiveDate,
    pub last: NaiveDate,
    pub precision: Precision,
    pub basis: Basis,
    pub approx: bool,
    /// The day meant when the stretch serves as a bound ("until mid June"); else its own bounds.
    pub pivot: Option<NaiveDate>,
    /// What its words leave open, so that the end of a range may be counted on from its start.
    pub floating: Cycle,
}

impl Span {
    pub fn new(first: NaiveDate, last: NaiveDate, precision: Precision, basis: Basis) -> Self {
        Self { first, last, precision, basis, approx: false, pivot: None, floating: Cycle::Fixed }
    }

    pub fn day(day: NaiveDate, basis: Basis) -> Self {
        Self::new(day, day, Precision::Day, basis)
    }

    pub fn about(mut self) -> Self {
        self.approx = true;
        self
    }

    pub fn floating(mut self, cycle: Cycle) -> Self {
        self.floating = cycle;
        self
    }

    pub fn basis(mut self, basis: Basis) -> Self {
        self.basis = basis;
        self
    }

    /// The last day meant when the stretch bounds something.
    pub fn end_bound(&self) -> NaiveDate {
        self.pivot.unwrap_or(self.last)
    }
}

/// Years that people speak of; outside, arithmetic would only breed nonsense.
pub(super) fn in_range(day: NaiveDate) -> bool {
    (1000..=9000).contains(&day.year())
}

pub(super) fn ymd(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, day).filter(|d| in_range(*d))
}

pub(super) fn shift(day: NaiveDate, days: i64) -> Option<NaiveDate> {
    day.checked_add_signed(TimeDelta::try_days(days)?).filter(|d| in_range(*d))
}

pub(super) fn monday_of(day: NaiveDate) -> Option<NaiveDate> {
    shift(day, -i64::from(day.weekday().num_days_from_monday()))
}

/// The calendar week that lies `weeks` from the one of `day`.
pub(super) fn week(day: NaiveDate, weeks: i64) -> Option<Span> {
    let monday = shift(monday_of(day)?, weeks * 7)?;
    Some(Span::new(monday, shift(monday, 6)?, Precision::Week, Basis::Relative))
}

pub(super) fn weekend(day: NaiveDate, weeks: i64) -> Option<Span> {
    let monday = shift(monday_of(day)?, weeks * 7)?;
    Some(Span::new(shift(monday, 5)?, shift(monday, 6)?, Precision::Range, Basis::Relative))
}

pub(super) fn month(year: i32, number: u32) -> Option<Span> {
    let first = ymd(year, number, 1)?;
    let last = first.checked_add_months(Months::new(1))?.pred_opt()?;
    Some(Span::new(first, last, Precision::Month, Basis::Explicit))
}

/// The calendar month that lies `months` from the one of `day`.
pub(super) fn month_from(day: NaiveDate, months: i32) -> Option<Span> {
    let index = day.year() * 12 + day.month0() as i32 + months;
    let span = month(index.div_euclid(12), index.rem_euclid(12) as u32 + 1)?;
    Some(span.basis(Basis::Relative))
}

pub(super) fn year(number: i32) -> Option<Span> {
    Some(Span::new(ymd(number, 1, 1)?, ymd(number, 12, 31)?, Precision::Year, Basis::Explicit))
}

pub(super) fn quarter(year: i32, number: u32) -> Option<Span> {
    let first = month(year, (number.checked_sub(1)?) * 3 + 1)?;
    let last = month(year, number * 3)?;
    Some(Span::new(first.first, last.last, Precision::Quarter, Basis::Explicit))
}

pub(super) fn quarter_from(day: NaiveDate, quarters: i32) -> Option<Span> {
    let index = day.year() * 4 + day.month0() as i32 / 3 + quarters;
    let span = quarter(index.div_euclid(4), index.rem_euclid(4) as u32 + 1)?;
    Some(span.basis(Basis::Relative))
}

pub(super) fn half(year: i32, number: u32) -> Option<Span> {
    let (first, last) = if number == 1 { (1, 6) } else { (7, 12) };
    let (first, last) = (month(year, first)?, month(year, last)?);
    Some(Span::new(first.first, last.last, Precision::Range, Basis::Explicit))
}

/// A season of the northern calendar, 0 spring to 3 winter; a winter is named for its December.
pub(super) fn season(year: i32, number: u32) -> Option<Span> {
    let first = month(year, number * 3 + 3)?;
    let last = month_from(first.first, 2)?;
    Some(Span::new(first.first, last.last, Precision::Season, Basis::Explicit))
}

/// The weekday `number` (0 Monday) of the calendar week `weeks` from the one of `day`.
pub(super) fn weekday_in_week(day: NaiveDate, number: u32, weeks: i64) -> Option<Span> {
    let target = shift(monday_of(day)?, weeks * 7 + i64::from(number))?;
    Some(Span::day(target, Basis::Relative))
}

/// The nearest weekday strictly before or after a day.
pub(super) fn weekday_near(day: NaiveDate, number: u32, past: bool) -> Option<Span> {
    let own = i64::from(day.weekday().num_days_from_monday());
    let ahead = (i64::from(number) - own).rem_euclid(7);
    let days = match (past, ahead) {
        (false, 0) => 7,
        (false, n) => n,
        (true, 0) => -7,
        (true, n) => n - 7,
    };
    Some(Span::day(shift(day, days)?, Basis::Relative))
}

pub(super) fn weekday_number(name: &str) -> Option<u32> {
    let name = name.to_ascii_lowercase();
    let day = name.get(..3).and_then(|head| head.parse::<Weekday>().ok())?;
    Some(day.num_days_from_monday())
}

/// Part of a unit, as people name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Start,
    Middle,
    End,
    FirstHalf,
    SecondHalf,
}

/// Takes a part of a unit: the end of a unit is its last day; its start and middle are stretches
/// of about a third, marked as approximate.
pub(super) fn edge(unit: &Span, which: Edge) -> Option<Span> {
    let days = (unit.last - unit.first).num_days() + 1;
    if days < 5 {
        return None;
    }
    let part = |from: i64, to: i64| {
        Some(Span {
            precision: Precision::Range,
            ..Span { first: shift(unit.first, from)?, last: shift(unit.first, to - 1)?, ..*unit }
        })
    };
    match which {
        Edge::End => Some(Span { first: unit.last, precision: Precision::Day, ..*unit }),
        Edge::Start => Some(part(0, (days + 1) / 3)?.about()),
        Edge::Middle => {
            let mut middle = part(days / 3, days - days / 3)?.about();
            if unit.precision == Precision::Month {
                // People mean the 15th by the middle of a month.
                middle.first = shift(unit.first, 10)?;
                middle.last = shift(unit.first, 19)?;
                middle.pivot = shift(unit.first, 14);
            }
            Some(middle)
        }
        Edge::FirstHalf if unit.precision == Precision::Year => {
            Some(half(unit.first.year(), 1)?.basis(unit.basis))
        }
        Edge::SecondHalf if unit.precision == Precision::Year => {
            Some(half(unit.first.year(), 2)?.basis(unit.basis))
        }
        Edge::FirstHalf => part(0, days / 2),
        Edge::SecondHalf => part(days / 2, days),
    }
}

/// The last third of a unit ("late June").
pub(super) fn late(unit: &Span) -> Option<Span> {
    let days = (unit.last - unit.first).num_days() + 1;
    if days < 5 {
        return None;
    }
    let first = shift(unit.last, 1 - (days + 1) / 3)?;
    Some(Span { first, precision: Precision::Range, approx: true, ..*unit })
}

/// The first instant of a local day.
fn day_start(day: NaiveDate, at: &Stamp) -> Option<DateTime<Utc>> {
    let offset = TimeDelta::try_seconds(at.offset().local_minus_utc().into())?;
    day.and_time(NaiveTime::MIN).and_utc().checked_sub_signed(offset)
}

pub(super) fn occurrence(
    first: Option<NaiveDate>,
    last: Option<NaiveDate>,
    precision: Precision,
    basis: Basis,
    approx: bool,
    expression: &str,
    at: &Stamp,
) -> Occurrence {
    let expression = Some(expression.to_owned());
    if first.zip(last).is_some_and(|(first, last)| first > last) {
        return Occurrence::unknown(expression);
    }
    Occurrence {
        from: first.and_then(|day| day_start(day, at)),
        to: last.and_then(|day| day_start(day.succ_opt()?, at)),
        local_from: first,
        local_to: last,
        precision,
        expression,
        basis,
        approx,
    }
}

/// An instant on a local day: both local dates are filled, the interval is one minute.
pub(super) fn instant(
    day: NaiveDate,
    time: NaiveTime,
    basis: Basis,
    expression: &str,
    at: &Stamp,
) -> Option<Occurrence> {
    let since_midnight = time.signed_duration_since(NaiveTime::MIN);
    let from = day_start(day, at)?.checked_add_signed(since_midnight)?;
    Some(Occurrence {
        from: Some(from),
        to: Some(from.checked_add_signed(TimeDelta::try_minutes(1)?)?),
        local_from: Some(day),
        local_to: Some(day),
        precision: Precision::Instant,
        expression: Some(expression.to_owned()),
        basis,
        approx: false,
    })
}

/// The mention's own local day, for what is performed by being said.
pub(crate) fn day_occurrence(at: &Stamp, expression: Option<String>) -> Occurrence {
    let day = Some(at.local_day());
    let mut made = occurrence(day, day, Precision::Day, Basis::Inferred, false, "", at);
    made.expression = expression;
    made
}

/// Open from a local day on; `None` for what already held before it was spoken of.
pub(crate) fn open_from(first: Option<NaiveDate>, basis: Basis, at: &Stamp) -> Occurrence {
    let mut made = occurrence(first, None, Precision::OpenEnd, basis, false, "", at);
    made.expression = None;
    made
}

/// A stretch between two local days.
pub(crate) fn range_occurrence(
    first: NaiveDate,
    last: NaiveDate,
    approx: bool,
    expression: &str,
    at: &Stamp,
) -> Occurrence {
    occurrence(Some(first), Some(last), Precision::Range, Basis::Relative, approx, expression, at)
}

/// A stretch that begins on a day and lasts a length; its last day is the day reached.
pub(crate) fn days_from(
    first: NaiveDate,
    length: Length,
    approx: bool,
    expression: &str,
    at: &Stamp,
) -> Option<Occurrence> {
    Some(range_occurrence(first, length.after(first)?, approx, expression, at))
}
