use super::*;
use crate::model::{Precision, StampBasis};
use chrono::{DateTime, Datelike, NaiveDate, TimeDelta};
use proptest::prelude::*;

fn stamp(text: &str) -> Stamp {
    Stamp::given(DateTime::parse_from_rfc3339(text).unwrap())
}

/// Writes a mention as `words | first..last precision shape`, for tables.
fn written(found: &TimeMention) -> String {
    let day = |d: Option<NaiveDate>| d.map_or_else(|| "?".to_owned(), |d| d.to_string());
    let o = &found.occurrence;
    format!(
        "{} | {}..{} {}{} {:?}",
        found.expression,
        day(o.local_from),
        day(o.local_to),
        if o.approx { "~" } else { "" },
        o.precision.as_str(),
        found.shape
    )
}

fn check_table(at: &str, table: &[(&str, &[&str])]) {
    let at = stamp(at);
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found: Vec<String> = find(text, &at).iter().map(written).collect();
        if found != *expected {
            wrong.push(format!("{text}\n  found    {found:#?}\n  expected {expected:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A Friday.
const FRIDAY: &str = "2026-05-08T14:10:00+08:00";

#[test]
fn relative_english_words_count_in_calendar_units() {
    check_table(
        FRIDAY,
        &[
            ("Finish the prototype next week.", &["next week | 2026-05-11..2026-05-17 week Point"]),
            ("We met last week", &["last week | 2026-04-27..2026-05-03 week Point"]),
            ("Ship it next Tuesday", &["next Tuesday | 2026-05-12..2026-05-12 day Point"]),
            ("last Friday we closed it", &["last Friday | 2026-05-01..2026-05-01 day Point"]),
            ("We shipped on Tuesday", &["on Tuesday | 2026-05-05..2026-05-05 day Point"]),
            ("I see her on Tuesday", &["on Tuesday | 2026-05-12..2026-05-12 day Point"]),
            (
                "the demo starts in three days",
                &["in three days | 2026-05-11..2026-05-11 day Point"],
            ),
            ("I quit two weeks ago", &["two weeks ago | 2026-04-24..2026-04-24 ~day Point"]),
            (
                "the day after tomorrow",
                &["the day after tomorrow | 2026-05-10..2026-05-10 day Point"],
            ),
            (
                "it ended at the end of last month",
                &["at the end of last month | 2026-04-30..2026-04-30 day Point"],
            ),
            (
                "it begins on the first of next month",
                &["on the first of next month | 2026-06-01..2026-06-01 day Point"],
            ),
            (
                "until mid June no running",
                &["until mid June | 2026-05-08..2026-06-15 ~range Until"],
            ),
            ("in mid June", &["in mid June | 2026-06-11..2026-06-20 ~range Range"]),
            (
                "four runs a week since March",
                &[
                    "four runs a week | ?..? unknown Recurring",
                    "since March | 2026-03-01..? open_end Since",
                ],
            ),
            ("send it by Wednesday", &["by Wednesday | 2026-05-08..2026-05-13 deadline Deadline"]),
            (
                "before the end of August",
                &["before the end of August | 2026-05-08..2026-08-31 deadline Deadline"],
            ),
            ("I am away from the 20th on.", &["from the 20th on | 2026-05-20..? open_end Since"]),
            (
                "I fly on July 3rd for two weeks",
                &["on July 3rd for two weeks | 2026-07-03..2026-07-17 range Range"],
            ),
            (
                "the first half of 2023",
                &["first half of 2023 | 2023-01-01..2023-06-30 range Range"],
            ),
            ("in the 90s we had modems", &["in the 90s | 1990-01-01..1999-12-31 range Range"]),
            ("we met in spring 2021", &["in spring 2021 | 2021-03-01..2021-05-31 season Point"]),
            ("racing in the autumn", &["in the autumn | 2026-09-01..2026-11-30 season Point"]),
            (
                "Table for Saturday, 7pm, at Okra",
                &["for Saturday, 7pm | 2026-05-09..2026-05-09 instant Point"],
            ),
            ("call me at 14:30", &["at 14:30 | 2026-05-08..2026-05-08 instant Point"]),
            ("next quarter", &["next quarter | 2026-07-01..2026-09-30 quarter Point"]),
            ("Q3 goals", &["Q3 | 2026-07-01..2026-09-30 quarter Point"]),
            (
                "on 3 March 2024 we launched",
                &["on 3 March 2024 | 2024-03-03..2024-03-03 day Point"],
            ),
            ("from 2 May to 9 May", &["from 2 May to 9 May | 2026-05-02..2026-05-09 range Range"]),
            ("between March and June", &["March and June | 2027-03-01..2027-06-30 range Range"]),
            ("this weekend", &["this weekend | 2026-05-09..2026-05-10 range Range"]),
            ("from this week on he leads", &["from this week on | 2026-05-04..? open_end Since"]),
            ("ready by 2026-06-01", &["by 2026-06-01 | 2026-05-08..2026-06-01 deadline Deadline"]),
            ("within two weeks", &["within two weeks | 2026-05-08..2026-05-22 deadline Deadline"]),
            (
                "swimming on Tuesdays and Thursdays",
                &["Tuesdays | ?..? unknown Recurring", "Thursdays | ?..? unknown Recurring"],
            ),
            ("I will do it soon", &["soon | ?..? unknown Vague"]),
            ("this morning", &["this morning | 2026-05-08..2026-05-08 day Point"]),
            (
                "by the end of the year",
                &["by the end of the year | 2026-05-08..2026-12-31 deadline Deadline"],
            ),
            ("a month ago", &["a month ago | 2026-04-01..2026-04-30 ~month Point"]),
            ("a few days ago", &["a few days ago | ?..? unknown Vague"]),
            (
                "starts in three days and runs until the end of the week after.",
                &[
                    "in three days and runs until the end of the week after | 2026-05-11..2026-05-24 range Range",
                ],
            ),
            (
                "The deadline is 30 September",
                &["30 September | 2026-05-08..2026-09-30 deadline Deadline"],
            ),
            ("once the budget is signed", &["once the budget is signed | ?..? unknown Vague"]),
        ],
    );
}

#[test]
fn chinese_words_count_in_calendar_units() {
    check_table(
        FRIDAY,
        &[
            ("下周完成原型", &["下周 | 2026-05-11..2026-05-17 week Point"]),
            ("下周二开会", &["下周二 | 2026-05-12..2026-05-12 day Point"]),
            ("上周五关了评审", &["上周五 | 2026-05-01..2026-05-01 day Point"]),
            ("下下周出差", &["下下周 | 2026-05-18..2026-05-24 week Point"]),
            ("这个周五之前交", &["这个周五之前 | 2026-05-08..2026-05-08 deadline Deadline"]),
            ("周四开会", &["周四 | 2026-05-14..2026-05-14 day Point"]),
            ("周四已经发了", &["周四 | 2026-05-07..2026-05-07 day Point"]),
            ("大后天去", &["大后天 | 2026-05-11..2026-05-11 day Point"]),
            ("上个月体检", &["上个月 | 2026-04-01..2026-04-30 month Point"]),
            ("Deadline 是八月底", &["八月底 | 2026-05-08..2026-08-31 deadline Deadline"]),
            ("8月31日之前", &["8月31日之前 | 2026-05-08..2026-08-31 deadline Deadline"]),
            ("5月20号出发", &["5月20号 | 2026-05-20..2026-05-20 day Point"]),
            ("2026年3月上线的", &["2026年3月 | 2026-03-01..2026-03-31 month Point"]),
            ("三天后", &["三天后 | 2026-05-11..2026-05-11 day Point"]),
            ("两周前就换了", &["两周前 | 2026-04-24..2026-04-24 ~day Point"]),
            ("从今天起不加糖了", &["从今天起 | 2026-05-08..? open_end Since"]),
            ("从这个月起改管会员线了", &["从这个月起 | 2026-05-01..? open_end Since"]),
            ("戒到七月中旬", &["到七月中旬 | 2026-05-08..2026-07-15 ~range Until"]),
            ("去年秋天搬的", &["去年秋天 | 2025-09-01..2025-11-30 season Point"]),
            ("明年上半年", &["明年上半年 | 2027-01-01..2027-06-30 range Range"]),
            ("三季度", &["三季度 | 2026-07-01..2026-09-30 quarter Point"]),
            ("今晚八点", &["今晚八点 | 2026-05-08..2026-05-08 instant Point"]),
            ("明天下午三点半", &["明天下午三点半 | 2026-05-09..2026-05-09 instant Point"]),
            ("月底交", &["月底 | 2026-05-31..2026-05-31 day Point"]),
            ("年底前上线", &["年底前 | 2026-05-08..2026-12-31 deadline Deadline"]),
            ("10月1日到7日", &["10月1日到7日 | 2026-10-01..2026-10-07 range Range"]),
            ("下周一到周三休假", &["下周一到周三 | 2026-05-11..2026-05-13 range Range"]),
            ("从下周一到下周五", &["从下周一到下周五 | 2026-05-11..2026-05-15 range Range"]),
            ("先戒三个月", &["三个月 | ?..? unknown Length"]),
            ("一周内给我", &["一周内 | 2026-05-08..2026-05-15 deadline Deadline"]),
            ("每周三跑步", &["每周三 | ?..? unknown Recurring"]),
            ("便宜一点", &[]),
            ("住在3号楼", &[]),
            ("二〇二五年十二月", &["二〇二五年十二月 | 2025-12-01..2025-12-31 month Point"]),
            ("20号交稿", &["20号 | 2026-05-20..2026-05-20 day Point"]),
        ],
    );
}

#[test]
fn what_only_looks_like_a_date_is_left_alone() {
    let at = stamp(FRIDAY);
    for text in [
        "version 2.1.0 and 3.14",
        "we may march on",
        "it may take 300 lines",
        "I have 2023 tokens",
        "call me maybe 3/4",
        "error 404 on port 8080",
        "the second floor, on the 2nd floor",
        "Spring Boot and fall through",
        "RFC-2024-05-1234",
        "54:12 over 10k",
    ] {
        let found = find(text, &at);
        assert!(found.iter().all(|m| m.occurrence.from.is_none()), "{text}: {found:?}");
    }
}

#[test]
fn a_day_that_no_calendar_has_stays_unknown_with_its_words() {
    check_table(
        FRIDAY,
        &[
            ("We launched on 2024-13-45.", &["on 2024-13-45 | ?..? unknown Impossible"]),
            ("Signed on 2023/02/29", &["on 2023/02/29 | ?..? unknown Impossible"]),
            ("We released it on February 30.", &["on February 30 | ?..? unknown Impossible"]),
            ("due by 31 April 2026", &["due by 31 April 2026 | ?..? unknown Impossible"]),
            ("Born on Feb 29, 2023.", &["on Feb 29, 2023 | ?..? unknown Impossible"]),
            ("2月30日上线", &["2月30日 | ?..? unknown Impossible"]),
            ("2025年4月31号签的", &["2025年4月31号 | ?..? unknown Impossible"]),
            ("2025年13月1日", &["2025年13月1日 | ?..? unknown Impossible"]),
            ("February 29", &["February 29 | 2028-02-29..2028-02-29 day Point"]),
            ("in March 45 users came", &["in March | 2026-03-01..2026-03-31 month Point"]),
            ("ticket 8801-77-12", &[]),
        ],
    );
}

#[test]
fn midnight_and_odd_offsets_keep_the_civil_day() {
    let late = stamp("2026-03-01T23:59:59+05:45");
    let o = &find("yesterday", &late)[0].occurrence;
    assert_eq!(o.local_from.unwrap().to_string(), "2026-02-28");
    assert_eq!(o.from.unwrap().to_rfc3339(), "2026-02-27T18:15:00+00:00");
    assert_eq!(o.to.unwrap().to_rfc3339(), "2026-02-28T18:15:00+00:00");
}

#[test]
fn leap_days_and_year_ends_are_counted_through() {
    check_table(
        "2024-02-26T09:00:00Z",
        &[
            ("in three days", &["in three days | 2024-02-29..2024-02-29 day Point"]),
            ("the end of the month", &["the end of the month | 2024-02-29..2024-02-29 day Point"]),
        ],
    );
    check_table(
        "2025-12-31T12:00:00Z",
        &[
            ("tomorrow", &["tomorrow | 2026-01-01..2026-01-01 day Point"]),
            ("next month", &["next month | 2026-01-01..2026-01-31 month Point"]),
            ("next week", &["next week | 2026-01-05..2026-01-11 week Point"]),
            ("下个季度", &["下个季度 | 2026-01-01..2026-03-31 quarter Point"]),
        ],
    );
}

#[test]
fn a_day_spoken_of_before_draws_the_next_one_near() {
    let at = stamp("2026-06-10T20:00:00-05:00");
    let near = NaiveDate::from_ymd_opt(2026, 7, 3);
    let found = find_near("Yes, back on the 17th.", &at, near);
    assert_eq!(found[0].occurrence.local_from.unwrap().to_string(), "2026-07-17");
}

const PIECES: &[&str] = &[
    "next",
    "last",
    "this",
    "week",
    "month",
    "year",
    "Friday",
    "by",
    "until",
    "since",
    "from",
    "to",
    "May",
    "March 3rd",
    "2024",
    "the 17th",
    "in",
    "three",
    "days",
    "ago",
    "two weeks",
    "for",
    "end of",
    "mid",
    "June",
    "Q3",
    "spring",
    "at 7pm",
    "14:30",
    ",",
    ". ",
    "on",
    "before",
    "the",
    "下周",
    "上个月",
    "底",
    "之前",
    "从",
    "起",
    "到",
    "三天后",
    "八点",
    "半年前",
    "2026年",
    "5月",
    "31日",
    "号",
    "周二",
    "每",
    "个月",
    "今年",
    "第",
    "季度",
    "2026-02-30",
    "0000-00-00",
    "99999999999",
    "的",
];

fn check_mention(found: &TimeMention, text: &str, at: &Stamp) {
    let chars: Vec<char> = text.chars().collect();
    let span: String = chars[found.start..found.end].iter().collect();
    assert_eq!(span, found.expression);
    let o = &found.occurrence;
    if let (Some(from), Some(to)) = (o.from, o.to) {
        assert!(from < to, "{text}: {o:?}");
    }
    let local = |at_utc: DateTime<chrono::Utc>| at_utc.with_timezone(&at.offset());
    if o.precision != Precision::Instant {
        if let (Some(from), Some(first)) = (o.from, o.local_from) {
            assert_eq!(local(from).date_naive(), first);
            assert_eq!(local(from).time(), chrono::NaiveTime::MIN);
        }
        if let (Some(to), Some(last)) = (o.to, o.local_to) {
            assert_eq!((local(to) - TimeDelta::seconds(1)).date_naive(), last);
        }
    }
    if o.precision == Precision::Week {
        assert_eq!(o.local_from.unwrap().weekday(), chrono::Weekday::Mon);
    }
    if o.precision == Precision::Unknown {
        assert!(o.from.is_none() && o.to.is_none());
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,60}", seconds in 0i64..4_000_000_000, offset in -50_000i32..50_000) {
        let at = Stamp {
            utc: DateTime::from_timestamp(seconds, 0).unwrap(),
            offset_seconds: offset,
            basis: StampBasis::Given,
        };
        for found in find(&text, &at) {
            check_mention(&found, &text, &at);
        }
    }

    #[test]
    fn any_run_of_time_words_gives_ordered_intervals(
        words in proptest::collection::vec(proptest::sample::select(PIECES), 1..9),
        seconds in -2_000_000_000i64..4_000_000_000,
        minutes in -14i32 * 4..14 * 4,
        glue in proptest::bool::ANY,
    ) {
        let at = Stamp {
            utc: DateTime::from_timestamp(seconds, 0).unwrap(),
            offset_seconds: minutes * 900,
            basis: StampBasis::Given,
        };
        let text = words.join(if glue { "" } else { " " });
        let found = find(&text, &at);
        for pair in found.windows(2) {
            prop_assert!(pair[0].end <= pair[1].start);
        }
        for mention in found {
            check_mention(&mention, &text, &at);
        }
    }
}
