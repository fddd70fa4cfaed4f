//! Chinese time words.

use super::calendar::{
    Cycle, Edge, Frame, Length, Span, edge, half, month, month_from, quarter, quarter_from, season,
    shift, week, weekday_in_week, weekday_near, weekend, year, ymd,
};
use super::compose::{Atom, What};
use super::english::{Reader, distant, run, whole};
use super::english_calendar::{day_of_month, short_decade, with_year};
use super::numbers::chinese_number;
use super::tense::{Tense, tense_around};
use crate::model::{Basis, Precision};
use chrono::{Datelike, NaiveTime};
use regex::{Captures, Regex};
use std::sync::LazyLock;

static READERS: LazyLock<Vec<(Regex, Reader)>> = LazyLock::new(|| {
    let list: [(&str, Reader); 19] = [
        (
            r"(\d{4} ?|[〇零一二三四五六七八九]{4})年(?:度)? ?(?:(NUM)月(?:份)? ?(?:(NUM)[日号]|(底|末|初|中旬|上旬|下旬|中))?|(春|夏|秋|冬)[天季]?|(上半年|下半年)|第?(NUM)季度|(底|末|初|中))?",
            read_year_date,
        ),
        (
            r"(今年|去年|前年|明年|后年)?(?:的)?(NUM)月(?:份)? ?(?:(NUM)(?:日|号)?(?:到|至|-|~|—)(NUM)[日号]|(NUM)[日号]|(底|末|初|中旬|上旬|下旬|中))?",
            read_month_date,
        ),
        (
            r"(大前天|前天|昨天|昨日|昨晚|昨夜|今天|今日|今早|今晨|今晚|今夜|大后天|后天|明天|明日|明早|明晚|当天|刚才|刚刚)",
            read_day,
        ),
        (
            r"(上上|下下|上|下|这|本)(?:一)?个?(?:周|星期|礼拜)(?:([一二三四五六日天])|(末)|(初)|(底|之内|内))?",
            read_week,
        ),
        (r"(?:周|星期|礼拜)([一二三四五六日天])", read_weekday),
        (
            r"(上上|下下|上|下|这|本|当)个?月(?: ?(底|末|初|中旬|上旬|下旬|中)| ?(NUM)[日号])?",
            read_month,
        ),
        (
            r"(今年|去年|前年|大前年|明年|后年|当年)(?:的)?(?:(底|末|初|中)|(上半年|下半年)|(春|夏|秋|冬)[天季]?|第?([一二三四1-4])季度)?",
            read_relative_year,
        ),
        (
            r"(NUM|半|几|数)(?:多)?个?(?:半)?(小时|分钟|天|日|周|星期|礼拜|月|年|季度)(?:之|以)?(后|前|内)",
            read_distance,
        ),
        (r"(春|夏|秋|冬)[天季]", read_season),
        (r"(?:第)?([一二三四1-4])季度|(上|下|这|本)个?季度", read_quarter),
        (r"(上半年|下半年)", read_half),
        (r"(月底|月末|月初|月中|年底|年末|年初|年中|周末)", read_edge),
        (r"(NUM)号", read_day_number),
        (
            r"(凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里)?(NUM)点(半|整|钟|一刻|三刻|NUM分?)?",
            read_clock,
        ),
        (r"(凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里) ?(\d{1,2}):(\d{2})", read_digital_clock),
        (r"(?:(上|本)?世纪)?(\d{2}|[二三四五六七八九]十)年代", read_decade),
        (
            r"每(?:逢|隔)?(?:个)?(?:NUM)?(?:天|日|周|星期|礼拜|月|年|早|晚|晨|次|季度|工作日|周末)(?:[一二三四五六日天](?:(?:和|、|跟|到|至)(?:周|星期)?[一二三四五六日天])*)?(?:早上|上午|中午|下午|晚上)?(?:NUM次)?|一(?:天|周|个?月|年)(?:NUM)次|(?:周|星期)[一二三四五六日天](?:和|、|跟|到|至)(?:周|星期)?[一二三四五六日天](?:都|各)|天天|平日|工作日",
            read_recurring,
        ),
        (r"(NUM|半)(?:多)?个?(?:半)?(小时|天|周|星期|礼拜|月|年)", read_length),
        (
            r"最近|近期|近来|这阵子|这段时间|以后再说|以后|将来|改天|过几天|过两天|过段时间|过一阵|几天前|前几天|前段时间|前阵子|不久前|稍后|有空|回头|总有一天|有一天|等[^,，。；]{1,16}(?:之后|以后|再)",
            read_vague,
        ),
    ];
    list.into_iter()
        .map(|(body, reader)| {
            let number = r"\d{1,4} ?|[零一二两三四五六七八九十]{1,4}";
            let pattern = Regex::new(&body.replace("NUM", number)).expect("a valid pattern");
            (pattern, reader)
        })
        .collect()
});

pub(super) fn find_atoms(text: &str, frame: &Frame, atoms: &mut Vec<Atom>) {
    run(&READERS, text, frame, atoms);
}

fn word<'t>(captures: &Captures<'t>, group: usize) -> Option<&'t str> {
    captures.get(group).map(|m| m.as_str())
}

fn number(captures: &Captures<'_>, group: usize) -> Option<u32> {
    chinese_number(captures.get(group)?.as_str())
}

fn before<'t>(captures: &Captures<'_>, text: &'t str) -> &'t str {
    captures.get(0).map_or("", |m| &text[..m.start()])
}

fn after<'t>(captures: &Captures<'_>, text: &'t str) -> &'t str {
    captures.get(0).map_or("", |m| &text[m.end()..])
}

/// The part of a unit that a Chinese suffix names.
fn part(unit: &Span, suffix: &str) -> Option<Span> {
    match suffix {
        "底" | "末" => edge(unit, Edge::End),
        "初" | "上旬" => edge(unit, Edge::Start),
        "下旬" => super::calendar::late(unit),
        _ => edge(unit, Edge::Middle),
    }
}

fn season_index(name: &str) -> Option<u32> {
    ["春", "夏", "秋", "冬"].iter().position(|s| *s == name).map(|i| i as u32)
}

fn relative_year(name: &str, frame: &Frame) -> i32 {
    frame.today.year()
        + match name {
            "去年" => -1,
            "前年" => -2,
            "大前年" => -3,
            "明年" => 1,
            "后年" => 2,
            _ => 0,
        }
}

fn read_year_date(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    let year_number = number(captures, 1).filter(|y| (1000..3000).contains(y))? as i32;
    let span = if let Some(month_number) = number(captures, 2) {
        let Some(unit) = month(year_number, month_number) else {
            return whole(captures, What::Impossible);
        };
        match (number(captures, 3), word(captures, 4)) {
            (Some(day), _) => match ymd(year_number, month_number, day) {
                Some(day) => Span::day(day, Basis::Explicit),
                None => return whole(captures, What::Impossible),
            },
            (None, Some(suffix)) => part(&unit, suffix)?,
            (None, None) => unit,
        }
    } else if let Some(name) = word(captures, 5) {
        season(year_number, season_index(name)?)?
    } else if let Some(which) = word(captures, 6) {
        half(year_number, if which.starts_with('上') { 1 } else { 2 })?
    } else if let Some(which) = number(captures, 7) {
        quarter(year_number, which)?
    } else {
        let unit = year(year_number)?;
        word(captures, 8).map_or(Some(unit), |suffix| part(&unit, suffix))?
    };
    whole(captures, What::Span(span))
}

fn read_month_date(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let start = captures.get(0)?.start();
    if before(captures, text).ends_with(['第', '年', '个']) {
        return None;
    }
    let day_named = captures.get(5).is_some();
    let Some(month_number) = number(captures, 2).filter(|m| (1..=12).contains(m)) else {
        return if day_named { whole(captures, What::Impossible) } else { None };
    };
    let make = |year: i32| {
        let unit = month(year, month_number)?;
        if let (Some(first), Some(last)) = (number(captures, 3), number(captures, 4)) {
            let (first, last) = (ymd(year, month_number, first)?, ymd(year, month_number, last)?);
            return (first <= last)
                .then(|| Span::new(first, last, Precision::Range, Basis::Explicit));
        }
        match (number(captures, 5), word(captures, 6)) {
            (Some(day), _) => Some(Span::day(ymd(year, month_number, day)?, Basis::Explicit)),
            (None, Some(suffix)) => part(&unit, suffix),
            (None, None) => Some(unit),
        }
    };
    let span = match word(captures, 1) {
        Some(name) => make(relative_year(name, frame)).map(|span| span.basis(Basis::Relative)),
        None => with_year(tense_around(text, start), frame, make),
    };
    match span {
        Some(span) => whole(captures, What::Span(span)),
        None if day_named => whole(captures, What::Impossible),
        None => None,
    }
}

fn read_day(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let name = word(captures, 1)?;
    let days = match name {
        "大前天" => -3,
        "前天" => -2,
        "昨天" | "昨日" | "昨晚" | "昨夜" => -1,
        "明天" | "明日" | "明早" | "明晚" => 1,
        "后天" => 2,
        "大后天" => 3,
        // "That day" points back to one the conversation has named, which is not known here.
        "当天" => return whole(captures, What::Vague),
        _ => 0,
    };
    whole(captures, What::Span(Span::day(shift(frame.today, days)?, Basis::Relative)))
}

fn steps(name: &str) -> i64 {
    match name {
        "上上" => -2,
        "上" => -1,
        "下" => 1,
        "下下" => 2,
        _ => 0,
    }
}

fn weekday_index(name: &str) -> Option<u32> {
    "一二三四五六日".find(if name == "天" { "日" } else { name }).map(|i| i as u32 / 3)
}

fn read_week(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let which = word(captures, 1)?;
    // "一周" and the verb "上周会" are no weeks before or after.
    if before(captures, text).ends_with(['每', '早', '晚', '马'])
        && which.chars().count() == 1
        && before(captures, text).ends_with('每')
    {
        return None;
    }
    let weeks = steps(which);
    let span = if let Some(day) = word(captures, 2) {
        weekday_in_week(frame.today, weekday_index(day)?, weeks)?
    } else if captures.get(3).is_some() {
        weekend(frame.today, weeks)?
    } else if captures.get(4).is_some() {
        let unit = week(frame.today, weeks)?;
        Span { last: shift(unit.first, 1)?, precision: Precision::Range, ..unit }.about()
    } else {
        week(frame.today, weeks)?
    };
    whole(captures, What::Span(span))
}

fn read_weekday(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    // Within "下周二" and "每周二" another reader is at work.
    if before(captures, text)
        .ends_with(['上', '下', '这', '本', '每', '个', '逢', '一', '两', '三', '四', '五'])
    {
        return None;
    }
    let index = weekday_index(word(captures, 1)?)?;
    let past = tense_around(text, captures.get(0)?.start()) == Tense::Past;
    whole(captures, What::Span(weekday_near(frame.today, index, past)?.floating(Cycle::Week)))
}

fn read_month(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let unit = month_from(frame.today, steps(word(captures, 1)?) as i32)?;
    let span = if let Some(suffix) = word(captures, 2) {
        part(&unit, suffix)?
    } else if let Some(day) = number(captures, 3) {
        Span::day(ymd(unit.first.year(), unit.first.month(), day)?, Basis::Relative)
    } else {
        unit
    };
    whole(captures, What::Span(span))
}

fn read_relative_year(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let name = word(captures, 1)?;
    if name == "当年" {
        return whole(captures, What::Vague);
    }
    let number_of_year = relative_year(name, frame);
    let unit = year(number_of_year)?;
    let span = if let Some(suffix) = word(captures, 2) {
        part(&unit, suffix)?
    } else if let Some(which) = word(captures, 3) {
        half(number_of_year, if which.starts_with('上') { 1 } else { 2 })?
    } else if let Some(which) = word(captures, 4) {
        season(number_of_year, season_index(which)?)?
    } else if let Some(which) = number(captures, 5) {
        quarter(number_of_year, which)?
    } else {
        unit
    };
    whole(captures, What::Span(span.basis(Basis::Relative)))
}

fn read_distance(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    if before(captures, text).ends_with(['第', '月']) {
        return None;
    }
    let unit = word(captures, 2)?;
    let direction = word(captures, 3)?;
    let count_word = word(captures, 1)?;
    let (count, unit) = match (count_word, unit) {
        ("半", "年") => (6, "month"),
        ("半", "月") => (15, "day"),
        ("半", "天" | "小时") => (1, "hour"),
        ("几" | "数" | "半", _) => return whole(captures, What::Vague),
        (words, unit) => (chinese_number(words)?, english_unit(unit)),
    };
    let about = matches!(count_word, "半") || word(captures, 0)?.contains('多');
    if direction == "内" {
        let length = super::english::length_of(count, unit)?;
        let span = Span::new(
            frame.today,
            length.after(frame.today)?,
            Precision::Deadline,
            Basis::Relative,
        );
        return whole(captures, What::Span(span));
    }
    let (count, unit) = if unit == "quarter" { (count * 3, "month") } else { (count, unit) };
    let what =
        distant(count, unit, direction == "前", about, frame).map_or(What::Vague, What::Span);
    whole(captures, what)
}

fn english_unit(unit: &str) -> &'static str {
    match unit {
        "分钟" => "minute",
        "小时" => "hour",
        "天" | "日" => "day",
        "周" | "星期" | "礼拜" => "week",
        "月" => "month",
        "季度" => "quarter",
        _ => "year",
    }
}

fn read_season(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let index = season_index(word(captures, 1)?)?;
    let make = |year| season(year, index);
    let tense = tense_around(text, captures.get(0)?.start());
    let span = if tense == Tense::Past {
        with_year(tense, frame, make)?
    } else {
        let year = frame.today.year();
        (year - 1..=year + 1)
            .filter_map(make)
            .find(|s| s.last >= frame.today)?
            .basis(Basis::Relative)
    };
    whole(captures, What::Span(span))
}

fn read_quarter(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let span = if let Some(which) = number(captures, 1) {
        with_year(tense_around(text, captures.get(0)?.start()), frame, |year| quarter(year, which))?
    } else {
        quarter_from(frame.today, steps(word(captures, 2)?) as i32)?
    };
    whole(captures, What::Span(span))
}

fn read_half(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let which = if word(captures, 1)?.starts_with('上') { 1 } else { 2 };
    whole(captures, What::Span(half(frame.today.year(), which)?.basis(Basis::Relative)))
}

fn read_edge(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    let name = word(captures, 1)?;
    if name == "周末" {
        if before(captures, text).ends_with(['上', '下', '这', '本', '每', '个']) {
            return None;
        }
        let past = tense_around(text, captures.get(0)?.start()) == Tense::Past;
        return whole(captures, What::Span(weekend(frame.today, if past { -1 } else { 0 })?));
    }
    let mut parts = name.chars();
    let unit = parts.next()?;
    let unit = if unit == '月' { month_from(frame.today, 0)? } else { year(frame.today.year())? };
    let span = part(&unit, parts.as_str())?.basis(Basis::Relative);
    whole(captures, What::Span(span))
}

fn read_day_number(captures: &Captures<'_>, text: &str, frame: &Frame) -> Option<Atom> {
    if before(captures, text).ends_with(['第', '月', '-', '#'])
        || after(captures, text).starts_with([
            '楼', '线', '门', '机', '房', '院', '店', '馆', '厅', '桌', '码', '称', '召', '位',
        ])
    {
        return None;
    }
    let day = number(captures, 1).filter(|d| (1..=31).contains(d))?;
    let span = day_of_month(day, tense_around(text, captures.get(0)?.start()), frame)?;
    whole(captures, What::Span(span))
}

fn hour_of(period: Option<&str>, hour: u32) -> u32 {
    match period {
        Some("下午" | "傍晚" | "晚上" | "夜里") if (1..12).contains(&hour) => hour + 12,
        Some("中午") if hour < 3 => hour + 12,
        _ => hour,
    }
}

fn read_clock(captures: &Captures<'_>, text: &str, _: &Frame) -> Option<Atom> {
    let period = word(captures, 1);
    let suffix = word(captures, 3);
    let evening_before =
        ["今晚", "明晚", "昨晚"].iter().any(|w| before(captures, text).ends_with(w));
    let day_before = evening_before
        || ["天", "日", "号", "早", "晚"].iter().any(|w| before(captures, text).ends_with(w))
        || before(captures, text)
            .chars()
            .rev()
            .nth(1)
            .is_some_and(|c| matches!(c, '周' | '期' | '拜'));
    // "一点" is "a little" and "两点" "two points", unless the rest says that it is a clock.
    if period.is_none() && suffix.is_none() && !day_before {
        return None;
    }
    if period.is_none()
        && !day_before
        && !matches!(suffix, Some("半" | "钟" | "整" | "一刻" | "三刻"))
    {
        return None;
    }
    let hour = number(captures, 2).filter(|h| *h <= 24)?;
    let hour = hour_of(if evening_before { Some("晚上") } else { period }, hour);
    let minute = match suffix {
        Some("半") => 30,
        Some("一刻") => 15,
        Some("三刻") => 45,
        Some("钟" | "整") | None => 0,
        Some(words) => chinese_number(words.trim_end_matches('分'))?,
    };
    whole(captures, What::Clock(NaiveTime::from_hms_opt(hour, minute, 0)?))
}

fn read_digital_clock(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    let hour = hour_of(word(captures, 1), number(captures, 2)?);
    whole(captures, What::Clock(NaiveTime::from_hms_opt(hour, number(captures, 3)?, 0)?))
}

fn read_decade(captures: &Captures<'_>, _: &str, frame: &Frame) -> Option<Atom> {
    let digits = number(captures, 2)? as i32;
    let start = match word(captures, 1) {
        Some("上") => frame.today.year().div_euclid(100) * 100 - 100 + digits,
        _ => short_decade(digits, frame)?,
    };
    let span =
        Span::new(year(start)?.first, year(start + 9)?.last, Precision::Range, Basis::Explicit);
    whole(captures, What::Span(span))
}

fn read_recurring(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    whole(captures, What::Recurring)
}

fn read_length(captures: &Captures<'_>, text: &str, _: &Frame) -> Option<Atom> {
    if before(captures, text).ends_with(['第', '每', '十', '年']) {
        return None;
    }
    let unit = word(captures, 2)?;
    // "五月" is a month, "五个月" a length.
    if unit == "月" && !word(captures, 0)?.contains('个') {
        return None;
    }
    let length = match (word(captures, 1)?, unit) {
        ("半", "年") => Some(Length::Months(6)),
        ("半", "月") => Some(Length::Days(15)),
        ("半", _) => None,
        (words, unit) => {
            chinese_number(words).and_then(|n| super::english::length_of(n, english_unit(unit)))
        }
    };
    whole(captures, What::Length(length))
}

fn read_vague(captures: &Captures<'_>, _: &str, _: &Frame) -> Option<Atom> {
    whole(captures, What::Vague)
}
