//! Calendar dates in words: found in texts and queries, and rendered for the index.
//!
//! "May 8, 2023", "8 May 2023", "2023-05-08" and "2023年5月8日" all become one key, so that a date
//! is found however it was written, in both languages.

use chrono::{Datelike, NaiveDate};
use regex::{Captures, Regex};
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::LazyLock;

/// A date as far as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum DateKey {
    /// A full calendar day.
    Day(NaiveDate),
    /// A day without its year.
    MonthDay(u32, u32),
    /// A month of a year.
    Month(i32, u32),
    /// A month alone, in Chinese writing, where it cannot be taken for another word.
    MonthOnly(u32),
}

impl DateKey {
    /// Returns the index term of exactly this key.
    pub(super) fn term(self) -> String {
        match self {
            Self::Day(day) => format!("d:{day}"),
            Self::MonthDay(month, day) => format!("d:{month:02}-{day:02}"),
            Self::Month(year, month) => format!("d:{year:04}-{month:02}"),
            Self::MonthOnly(month) => format!("d:m{month:02}"),
        }
    }

    /// Returns this key and the coarser ones it implies.
    pub(super) fn implied(self) -> Vec<Self> {
        match self {
            Self::Day(day) => vec![
                self,
                Self::MonthDay(day.month(), day.day()),
                Self::Month(day.year(), day.month()),
                Self::MonthOnly(day.month()),
            ],
            Self::MonthDay(month, _) | Self::Month(_, month) => vec![self, Self::MonthOnly(month)],
            Self::MonthOnly(_) => vec![self],
        }
    }

    /// Returns how many days `day` lies after the dated span (negative: before; 0: inside).
    pub(super) fn days_after(self, day: NaiveDate) -> Option<i64> {
        let (from, to) = match self {
            Self::Day(date) => (date, date),
            Self::MonthDay(month, of_month) => {
                let date = NaiveDate::from_ymd_opt(day.year(), month, of_month)?;
                (date, date)
            }
            Self::Month(year, month) => month_span(year, month)?,
            Self::MonthOnly(month) => month_span(day.year(), month)?,
        };
        Some(if day < from {
            (day - from).num_days()
        } else if day > to {
            (day - to).num_days()
        } else {
            0
        })
    }
}

fn month_span(year: i32, month: u32) -> Option<(NaiveDate, NaiveDate)> {
    let from = NaiveDate::from_ymd_opt(year, month, 1)?;
    let next = if month == 12 {
        NaiveDate::from_ymd_opt(year + 1, 1, 1)?
    } else {
        NaiveDate::from_ymd_opt(year, month + 1, 1)?
    };
    Some((from, next.pred_opt()?))
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const HAN_DIGITS: [&str; 13] =
    ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];

/// Renders a day as the words people search it by: `2026-05-08 8 May 2026 Friday 5月8日 五月
/// 星期五 周五`.
pub fn date_words(day: NaiveDate) -> String {
    let month = MONTHS[day.month0() as usize];
    let weekday = day.weekday().num_days_from_monday() as usize;
    let han = if weekday == 6 { "日" } else { HAN_DIGITS[weekday + 1] };
    let mut out = String::new();
    write!(
        out,
        "{day} {} {month} {} {} {}月{}日 {}月 星期{han} 周{han}",
        day.day(),
        day.year(),
        WEEKDAYS[weekday],
        day.month(),
        day.day(),
        HAN_DIGITS[day.month() as usize],
    )
    .expect("writing to a string cannot fail");
    out
}

const MONTH: &str = r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const HAN_NUMBER: &str = "([0-9]{1,2}|[一二三四五六七八九十]{1,3})";

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the date patterns are constant and tested")
}

type Reader = fn(&Captures<'_>) -> Option<DateKey>;

/// Patterns in order of how much they say; a span once read is not read again.
static PATTERNS: LazyLock<Vec<(Regex, Reader)>> = LazyLock::new(|| {
    vec![
        (pattern(r"\b([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?:\b|T)"), |c| {
            full(number(c, 1)?, number(c, 2)?, number(c, 3)?)
        }),
        (
            pattern(&format!("([0-9]{{4}}) ?年 ?{HAN_NUMBER} ?月 ?{HAN_NUMBER} ?[日号號]")),
            |c| full(number(c, 1)?, han_number(c, 2)?, han_number(c, 3)?),
        ),
        (
            pattern(&format!(r"(?i)\b{MONTH}\.? ([0-9]{{1,2}})(?:st|nd|rd|th)?,? ([0-9]{{4}})\b")),
            |c| full(number(c, 3)?, month(c, 1)?, number(c, 2)?),
        ),
        (
            pattern(&format!(
                r"(?i)\b([0-9]{{1,2}})(?:st|nd|rd|th)? (?:of )?{MONTH}\.?,? ([0-9]{{4}})\b"
            )),
            |c| full(number(c, 3)?, month(c, 2)?, number(c, 1)?),
        ),
        (pattern(&format!("([0-9]{{4}}) ?年 ?{HAN_NUMBER} ?月")), |c| {
            of_year(number(c, 1)?, han_number(c, 2)?)
        }),
        (pattern(&format!(r"(?i)\b{MONTH}\.?,? (?:of )?([0-9]{{4}})\b")), |c| {
            of_year(number(c, 2)?, month(c, 1)?)
        }),
        (pattern(r"\b([0-9]{4})[-/]([0-9]{2})\b"), |c| of_year(number(c, 1)?, number(c, 2)?)),
        (pattern(&format!("{HAN_NUMBER} ?月 ?{HAN_NUMBER} ?[日号號]")), |c| {
            of_month(han_number(c, 1)?, han_number(c, 2)?)
        }),
        (pattern(&format!(r"(?i)\b{MONTH}\.? ([0-9]{{1,2}})(?:st|nd|rd|th)?\b")), |c| {
            of_month(month(c, 1)?, number(c, 2)?)
        }),
        (pattern(&format!(r"(?i)\b([0-9]{{1,2}})(?:st|nd|rd|th)? (?:of )?{MONTH}\b")), |c| {
            of_month(month(c, 2)?, number(c, 1)?)
        }),
        (
            pattern(&format!("{HAN_NUMBER} ?月(?:份|[^0-9一二三四五六七八九十]|$)")),
            |c| {
                let month = han_number(c, 1)?;
                (1..=12).contains(&month).then_some(DateKey::MonthOnly(month))
            },
        ),
    ]
});

/// Finds the dates of a text (NFKC), each with its byte range, in order of place.
pub(super) fn find_dates(text: &str) -> Vec<(Range<usize>, DateKey)> {
    // Every pattern holds a digit or a Han month sign; most texts have neither.
    if !text.contains(|c: char| c.is_ascii_digit() || c == '月') {
        return Vec::new();
    }
    let mut found: Vec<(Range<usize>, DateKey)> = Vec::new();
    for (pattern, read) in PATTERNS.iter() {
        for captures in pattern.captures_iter(text) {
            let Some(span) = captures.get(0).map(|m| m.range()) else { continue };
            let taken = found.iter().any(|(old, _)| old.start < span.end && span.start < old.end);
            if let Some(key) = read(&captures).filter(|_| !taken) {
                found.push((span, key));
            }
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

fn full<Y: TryInto<i32>>(year: Y, month: u32, day: u32) -> Option<DateKey> {
    NaiveDate::from_ymd_opt(year.try_into().ok()?, month, day).map(DateKey::Day)
}

fn of_year<Y: TryInto<i32>>(year: Y, month: u32) -> Option<DateKey> {
    let year = year.try_into().ok()?;
    ((1..=12).contains(&month) && (1000..=2999).contains(&year))
        .then_some(DateKey::Month(year, month))
}

fn of_month(month: u32, day: u32) -> Option<DateKey> {
    // 2024 is a leap year, so 29 February passes.
    NaiveDate::from_ymd_opt(2024, month, day).map(|_| DateKey::MonthDay(month, day))
}

fn number(captures: &Captures<'_>, group: usize) -> Option<u32> {
    captures.get(group)?.as_str().parse().ok()
}

fn month(captures: &Captures<'_>, group: usize) -> Option<u32> {
    let word = captures.get(group)?.as_str().to_ascii_lowercase();
    let at = MONTHS.iter().position(|name| name.to_ascii_lowercase().get(..3) == word.get(..3))?;
    Some(at as u32 + 1)
}

/// Reads `8`, `八`, `十二` and `二十一`.
fn han_number(captures: &Captures<'_>, group: usize) -> Option<u32> {
    let text = captures.get(group)?.as_str();
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return text.parse().ok();
    }
    let digit = |text: &str| HAN_DIGITS[..10].iter().position(|d| *d == text).map(|d| d as u32);
    match text.split_once('十') {
        None => digit(text),
        Some((tens, ones)) => {
            let tens = if tens.is_empty() { 1 } else { digit(tens)? };
            let ones = if ones.is_empty() { 0 } else { digit(ones)? };
            Some(tens * 10 + ones)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        find_dates(text).into_iter().map(|(_, key)| key.term()).collect()
    }

    #[test]
    fn one_day_in_many_spellings_is_one_key() {
        for text in [
            "2023-05-08",
            "on 2023/5/8.",
            "May 8, 2023",
            "8 May 2023",
            "8th of may, 2023",
            "2023年5月8日",
            "2023 年 5 月 8 号",
            "2023年五月八日",
            "2023-05-08T10:00:00Z",
        ] {
            assert_eq!(terms(text), ["d:2023-05-08"], "{text}");
        }
    }

    #[test]
    fn coarser_dates_keep_their_precision() {
        assert_eq!(terms("5月8日"), ["d:05-08"]);
        assert_eq!(terms("十二月二十一日"), ["d:12-21"]);
        assert_eq!(terms("March 3rd"), ["d:03-03"]);
        assert_eq!(terms("in May 2023"), ["d:2023-05"]);
        assert_eq!(terms("2023-05"), ["d:2023-05"]);
        assert_eq!(terms("5月的计划"), ["d:m05"]);
        assert_eq!(terms("I may call 3 people"), Vec::<String>::new());
        assert_eq!(terms("2023-13-40"), Vec::<String>::new());
    }

    #[test]
    fn a_day_is_rendered_in_both_languages() {
        let day = NaiveDate::from_ymd_opt(2026, 5, 8).unwrap();
        assert_eq!(date_words(day), "2026-05-08 8 May 2026 Friday 5月8日 五月 星期五 周五");
        let sunday = NaiveDate::from_ymd_opt(2026, 12, 13).unwrap();
        assert_eq!(
            date_words(sunday),
            "2026-12-13 13 December 2026 Sunday 12月13日 十二月 星期日 周日"
        );
    }

    #[test]
    fn distance_is_counted_from_the_edges_of_the_span() {
        let day = |d| NaiveDate::from_ymd_opt(2023, 5, d).unwrap();
        assert_eq!(DateKey::Day(day(8)).days_after(day(10)), Some(2));
        assert_eq!(DateKey::MonthDay(5, 8).days_after(day(1)), Some(-7));
        assert_eq!(DateKey::Month(2023, 5).days_after(day(31)), Some(0));
        assert_eq!(DateKey::MonthDay(2, 30).days_after(day(1)), None);
    }

    proptest! {
        #[test]
        fn every_rendered_day_is_found_again(days in 0i64..20_000) {
            let day = NaiveDate::from_ymd_opt(1990, 1, 1).unwrap() + chrono::Duration::days(days);
            let found = terms(&date_words(day));
            prop_assert_eq!(&found[0], &format!("d:{day}"));
            prop_assert_eq!(&found[1], &format!("d:{day}"));
        }

        #[test]
        fn no_text_breaks_the_search_for_dates(text in "\\PC{0,60}|[0-9年月日号 ./-]{0,40}") {
            for (span, _) in find_dates(&text) {
                prop_assert!(text.get(span).is_some());
            }
        }
    }
}
