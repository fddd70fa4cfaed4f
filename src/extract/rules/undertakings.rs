//! Claims about undertakings: dates, deadlines, states of work, trips, budgets, habits and records.

use super::claims::{Ground, Maker};
use super::draft::Draft;
use super::names::named_cue;
use super::names::person;
use super::people::is_weekday_or_month;
use super::people::tidy;
use super::tastes::object;
use super::text::{cue, is_chinese};
use crate::model::{
    ClaimOp, ClaimValue, EntityKind, EntityRef, EventKind as K, EventStatus as S, Precision,
};
use regex::Regex;
use std::sync::LazyLock;

cue!(DEADLINE_WORD, r"~(?:deadline|due|due date)~|截止|ddl|期限|交付日期");

cue!(
    DONE_NOUN,
    r"~(?:finished|completed|closed|shipped|released|launched|merged|deployed|published|submitted|delivered|signed|fixed|approved)~ (?:off )?(?:the |our |my |a |an )?(?P<o>[\w.'-]+(?: [\w.'-]+){0,3})"
);

cue!(
    NOUN_DONE,
    r"^(?:and |but |so |then |also )*(?:the |our |my )?(?P<o>[\w.'-]+(?: [\w.'-]+){0,3}?)(?: is| are| was| were| has been| have been|'s)(?: now| finally| already| officially| all)* (?P<s>finished|done|complete|completed|closed|shipped|released|launched|merged|deployed|published|submitted|delivered|signed|fixed|approved|live|ready|out)~"
);

cue!(
    HAN_DONE,
    r"^(?:我们|我|团队)?(?:已经|已|终于|把)*(?P<o>[^,，。已终了完]{2,10}?)(?:已经|已|终于|昨天|今天|上周[一二三四五六日]?|前天|都|也)*(?P<s>完成|做完|写完|上线|发布|通过|修好|修复|结束|搞定|提交|交付|合并|部署|关闭|完工|验收)(?:了|完了|好了)?$"
);

cue!(
    HAN_DONE_AFTER,
    r"(?:完成|做完|写完|发布|通过|修好|修复|提交|交付|合并|部署|关闭)了(?P<o>[^,，。了]{2,12})"
);

cue!(
    TO_FINISH,
    r"~(?:finish|complete|ship|release|launch|deliver|submit|publish|deploy)~ (?:the |our |my )?(?P<o>[\w.'-]+(?: [\w.'-]+){0,2}?)(?: (?:by|next|this|on|in|before|until|at|and|for|with|today|tomorrow|finished|soon)~|$|[,.;(])|~(?:want|need|get|have) (?:the |our |my )?(?P<o2>[\w.'-]+(?: [\w.'-]+){0,2}?) (?:finished|done|completed|shipped|released|ready)~|(?:完成|做完|写完|上线|发布|交付|提交)(?P<o3>[^,，。完]{2,10})|^(?P<o4>[^,，。]{2,8}?)(?:要|得|必须|计划|打算|下周|本周|这周|月底|下个月)+[^,，。]*(?:完成|上线|发布|交付|做完)"
);

named_cue!(
    TRIP,
    r"~(?:flying|fly|flies|travell?ing|travel|heading|going|off|trip|fly out|driving|visiting|visit) (?:to )?(?P<p>NAME)"
);

cue!(
    STAY,
    r"~(?:staying|stay|stayed|booked|took|take|rented|found|reserved)(?: (?:at|in|with))? (?P<o>(?:a |an |the )?(?:[\w-]+ )?(?:flat|apartment|room|hotel|hostel|house|studio|airbnb)(?: (?:in|at|near) (?-i:[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?|\p{Lu}\w+))?|(?-i:\p{Lu}[\w'’-]*(?: \p{Lu}[\w'’-]*)?))"
);

cue!(
    EVENT_ON,
    r"^(?:and |but |so |then |also |change of plan: )*(?P<o>(?:my|our|the|his|her) [\w' -]{3,40}?) (?:is|are|starts?|begins?|ends?|ended|takes place|happens|opens|closes|closed|will be|has been moved|was moved|moved|is scheduled|is planned|is set|started|began)~"
);

cue!(ENDS, r"~(?:ends?|ended|expires?|expired|closes|finishes|return|back)~|结束|到期|截止");

cue!(
    BEGINS,
    r"~(?:starts?|begins?|opens?|launch(?:es)?|kicks off|started|began)~|开始|启动|入职|上线"
);

cue!(
    RECIPIENT,
    r"~(?:send|give|goes|hand|forward|deliver|email|mail) (?:the |our |my )?(?P<o>[\w-]+(?: [\w-]+){0,2}?) (?:now )?to (?P<n>(?-i:[A-Z][a-z]+(?: from [a-z]+)?))|~(?P<n2>(?-i:[A-Z][a-z]+)(?: from [a-z]+)?) needs (?:the |our |my |a )?(?P<o2>[\w-]+(?: [\w-]+){0,2})"
);

cue!(
    BUDGET,
    r"~budget(?: for [\w ]+)? (?:is|of|:|stays at|was set to|is now|went up to|is capped at|raised to|cut to) ?(?:about |around |at most )?(?P<v>[$€£¥]?[\d][\d.,]*(?: ?(?:k|m|million|thousand|euros?|dollars?|pounds|usd|eur|yuan))?)|预算(?:是|为|改为|提高到|降到|有|上限|不超过|控制在)*(?P<v2>[\d][\d.,]*(?:万|千|亿)?(?:元|块|美元|欧元)?)"
);

pub(super) fn undertakings(
    text: &str,
    draft: &Draft,
    ground: &Ground<'_>,
    who: &EntityRef,
    maker: &mut Maker<'_>,
) {
    let time = draft.dated_by.as_ref();
    let first = draft.occurred.local_from;
    let last = draft.occurred.local_to;
    if let Some(c) = BUDGET.captures(text)
        && let Some(value) = c.name("v").or(c.name("v2"))
    {
        maker.timeless(|m| {
            m.assert(ground.project(), "budget", ClaimValue::Text(value.as_str().to_owned()));
        });
    }
    if DEADLINE_WORD.is_match(text)
        && matches!(draft.kind, K::Plan | K::Change | K::Decision | K::Constraint | K::State)
        && let Some(end) = time.and_then(|t| t.occurrence.local_to)
    {
        let subject = EVENT_ON
            .captures(text)
            .map(|c| c["o"].to_owned())
            .filter(|o| !o.to_lowercase().contains("deadline"))
            .map_or_else(|| ground.project(), |o| thing(&o));
        maker.timeless(|m| m.firm(|m| m.assert(subject, "deadline", ClaimValue::Date(end))));
        return;
    }
    match (draft.kind, draft.status) {
        (K::Result | K::Change, S::Occurred) => {
            let english =
                NOUN_DONE.captures(text).map(|c| (c["o"].to_owned(), c["s"].to_lowercase()));
            let english = english.or_else(|| {
                DONE_NOUN.captures(text).map(|c| {
                    (c["o"].to_owned(), c[0].split(' ').next().unwrap_or_default().to_lowercase())
                })
            });
            let han =
                HAN_DONE.captures(text).map(|c| (c["o"].to_owned(), format!("已{}", &c["s"])));
            let han = han.or_else(|| {
                HAN_DONE_AFTER.captures(text).map(|c| (c["o"].to_owned(), "已完成".to_owned()))
            });
            if let Some((what, status)) = english.or(han) {
                let what = noun(&what);
                if !what.is_empty() && !is_pronoun(&what) && !INDEFINITE.is_match(&what) {
                    maker.assert(thing(&what), "status", ClaimValue::Text(status));
                }
            }
        }
        (K::Plan, S::Planned | S::Tentative) => {
            if let Some(c) = TO_FINISH.captures(text)
                && let Some(what) = ["o", "o2", "o3", "o4"].iter().find_map(|g| c.name(g))
            {
                let what = noun(what.as_str());
                if !what.is_empty() && !is_pronoun(&what) {
                    let value = if is_chinese(text) { "完成" } else { "finished" };
                    maker.assert(thing(&what), "status", ClaimValue::Text(value.to_owned()));
                }
            }
        }
        _ => {}
    }
    if let Some(c) = RECIPIENT.captures(text).filter(|_| matches!(draft.kind, K::Plan | K::Request))
    {
        let (what, name) = match c.name("o") {
            Some(what) => (what.as_str(), &c["n"]),
            None => (c.name("o2").map_or("", |m| m.as_str()), &c["n2"]),
        };
        if let Some(to) = person(name)
            && !is_pronoun(what)
            && !what.is_empty()
        {
            maker.timeless(|m| {
                m.firm(|m| {
                    m.assert(
                        EntityRef::new(EntityKind::Thing, noun(what)),
                        "recipient",
                        ClaimValue::Entity(to),
                    );
                });
            });
        }
    }
    if let Some(c) =
        TRIP.captures(text).filter(|c| draft.kind == K::Plan && !is_weekday_or_month(&c["p"]))
    {
        let trip = EntityRef::new(EntityKind::Thing, format!("{} trip", tidy(&c["p"])));
        if let Some(day) = first {
            maker.timeless(|m| m.assert(trip.clone(), "start_date", ClaimValue::Date(day)));
        }
        if let Some(day) = last.filter(|d| Some(*d) != first) {
            maker.timeless(|m| m.assert(trip, "end_date", ClaimValue::Date(day)));
        }
    } else if let Some(c) = EVENT_ON
        .captures(text)
        .filter(|_| matches!(draft.kind, K::Plan | K::Result) && draft.dated_by.is_some())
    {
        let subject = thing(&c["o"]);
        let dates = |m: &mut Maker<'_>| {
            if ENDS.is_match(text) && !BEGINS.is_match(text) {
                if let Some(day) = last {
                    m.assert(subject, "end_date", ClaimValue::Date(day));
                }
            } else if BEGINS.is_match(text) {
                if let Some(day) = first {
                    m.assert(subject.clone(), "start_date", ClaimValue::Date(day));
                }
                if let Some(day) = last
                    .filter(|d| Some(*d) != first && draft.occurred.precision == Precision::Range)
                {
                    m.assert(subject, "end_date", ClaimValue::Date(day));
                }
            } else if let (Some(day), Precision::Day | Precision::Instant) =
                (first, draft.occurred.precision)
            {
                m.assert(subject, "date", ClaimValue::Date(day));
            }
        };
        maker.timeless(dates);
    }
    if let Some(c) = STAY.captures(text).filter(|c| {
        matches!(draft.kind, K::Plan | K::Change | K::Result) && !is_weekday_or_month(&c["o"])
    }) {
        let lower = text.to_lowercase();
        let lodging = lower.contains("stay")
            || ["flat", "room", "hotel", "hostel", "apartment", "airbnb", "studio", "house"]
                .iter()
                .any(|w| c["o"].to_lowercase().contains(w));
        if lodging {
            let subject = ground.trip.cloned().unwrap_or_else(|| who.clone());
            let value = object(&c["o"]);
            maker.timeless(|m| m.assert(subject, "accommodation", ClaimValue::Text(value)));
        }
    }
}

cue!(
    INDEFINITE,
    r"^(?:a|an|another|some|any|one|two|three|my first|more|few|several|all|each|every|this|that|\d+)~|~(?:like|that|who|which|so|very)~"
);

pub(super) fn is_pronoun(words: &str) -> bool {
    matches!(
        words.to_lowercase().as_str(),
        "it" | "that"
            | "this"
            | "them"
            | "these"
            | "those"
            | "one"
            | "everything"
            | "all"
            | "him"
            | "her"
            | "me"
            | "us"
            | "you"
            | "there"
            | "what"
            | "which"
            | "i"
            | "we"
            | "they"
            | "he"
            | "she"
            | "work"
            | "up"
            | "off"
            | "out"
    )
}

pub(super) fn noun(words: &str) -> String {
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| super::text::compile(r"^(?:the|our|my|a|his|her|their) "));
    static TAIL: LazyLock<Regex> = LazyLock::new(|| {
        super::text::compile(
            r" ~(?:last|this|next|on|in|yesterday|today|at|by|for|from|to|with|and|because|before|after|finally|early|late|just|as|since|of|is|are|was)~.*$|(?:的$|了$)",
        )
    });
    let words = words.trim();
    let words = words.trim_start_matches('把');
    let words = HEAD.replace(words, "");
    TAIL.replace(&words, "").trim().to_owned()
}

pub(super) fn thing(words: &str) -> EntityRef {
    EntityRef::new(EntityKind::Project, noun(words))
}

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
