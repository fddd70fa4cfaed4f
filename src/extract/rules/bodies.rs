//! Claims about bodies: records and habits.

use super::claims::Maker;
use super::draft::Draft;
use super::text::cue;
use crate::model::{ClaimOp, ClaimValue, EntityRef, EventKind as K};

cue!(BEST, r"~(?:personal best|personal record|PB|new best|my first)~|个人最好|破纪录|PB");

cue!(
    DISTANCE,
    r"~(?P<d>\d+(?:\.\d+)? ?k(?:m)?|half[- ]marathon|marathon|half|\d+ ?(?:miles?|m))~|(?P<d2>\d+ ?公里|半马|全马|马拉松)"
);

cue!(
    CLOCKED,
    r"~(?P<v>\d{1,2}:\d{2}(?::\d{2})?)~|(?P<v2>\d+ ?(?:minutes|min)~|[\d一二三四五六七八九十]+分(?:[\d一二三四五六七八九十]+秒)?)"
);

cue!(
    ACTIVITY,
    r"~(?P<a>run|runs|running|jog|jogging|swim|swims|swimming|yoga|gym|cycling|bike|biking|meditat\w*|climbing|tennis|football|soccer|piano|guitar|reading|journaling|pilates|boxing|dance|dancing|hiking|walks?|walking|workout|workouts|lessons?|stand-?up|standups?|retro|therapy|painting|pottery)~|(?P<b>跑步|跑|游泳|游|瑜伽|健身|骑车|冥想|爬山|打球|读书|阅读|写日记|散步|练琴|背单词|打篮球|打羽毛球|周会|站会)"
);

cue!(
    PAUSED,
    r"~no (?P<a>running|swimming|cycling|gym|climbing|alcohol|sugar|coffee|meat|dairy)~|(?:不能|暂停|停止?|别)(?P<b>跑步|跑|游泳|健身|运动)"
);

pub(super) fn activity(word: &str) -> String {
    let lower = word.to_lowercase();
    match lower.as_str() {
        "run" | "runs" | "running" | "jog" | "jogging" => "running".to_owned(),
        "swim" | "swims" | "swimming" => "swimming".to_owned(),
        "bike" | "biking" | "cycling" => "cycling".to_owned(),
        "walk" | "walks" | "walking" => "walking".to_owned(),
        "跑" | "跑步" => "跑步".to_owned(),
        "游" | "游泳" => "游泳".to_owned(),
        "workouts" | "workout" => "workout".to_owned(),
        other => other.to_owned(),
    }
}

pub(super) fn bodies(text: &str, who: &EntityRef, draft: &Draft, maker: &mut Maker<'_>) {
    if draft.kind == K::Result
        && BEST.is_match(text)
        && let Some(time) = CLOCKED.captures(text)
        && let Some(value) = time.name("v").or(time.name("v2"))
    {
        let distance = DISTANCE.captures(text).and_then(|c| {
            c.name("d").or(c.name("d2")).map(|m| m.as_str().to_lowercase().replace(' ', ""))
        });
        maker.claim(
            who.clone(),
            "personal_best",
            distance,
            ClaimValue::Text(value.as_str().to_owned()),
            ClaimOp::Assert,
        );
    }
    if draft.kind == K::Habit {
        let found = ACTIVITY
            .captures(text)
            .and_then(|c| c.name("a").or(c.name("b")).map(|m| activity(m.as_str())));
        let qualifier = found.unwrap_or_else(|| text.chars().take(60).collect());
        maker.claim(
            who.clone(),
            "habit",
            Some(qualifier),
            ClaimValue::Text(text.to_owned()),
            ClaimOp::Assert,
        );
    }
    if matches!(draft.kind, K::Problem | K::Constraint)
        && let Some(c) = PAUSED.captures(text)
        && let Some(word) = c.name("a").or(c.name("b"))
    {
        maker.timeless(|m| {
            m.claim(
                who.clone(),
                "habit",
                Some(activity(word.as_str())),
                ClaimValue::Any,
                ClaimOp::End,
            );
        });
    }
}
