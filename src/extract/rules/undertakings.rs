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
    ClaimValue, EntityKind, EntityRef, EventKind as K, EventStatus as S, Precision,
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
    /// "The pilot launched today": nobody is said to have done it.
    INTRANSITIVE,
    r"^(?:and |but |so |then |also |yes,? )*(?:the |our |my )(?P<o>[\w.'-]+(?: [\w.'-]+){0,2}?)(?: has| have| was| just| finally| now| already)* (?P<s>launched|shipped|finished|completed|closed|merged|landed|opened|ended|passed)~"
);

cue!(
    AFTERWORD,
    r"^(?:successfully|now|early|late|at last|already|as planned|on time|without|with|after|because|to|in|on|at)~"
);

cue!(
    TO_FINISH,
    r"~(?:finish|complete|ship|release|launch|deliver|submit|publish|deploy)~ (?:the |our |my )?(?P<o>[\w.'-]+(?: [\w.'-]+){0,2}?)(?: (?:by|next|this|on|in|before|until|at|and|for|with|today|tomorrow|finished|soon)~|$|[,.;(])|~(?:want|need|get|have) (?:the |our |my )?(?P<o2>[\w.'-]+(?: [\w.'-]+){0,2}?) (?:finished|done|completed|shipped|released|ready)~"
);

cue!(
    HAN_TO_FINISH,
    r"(?:完成|做完|写完|上线|发布|交付|提交)(?P<o>(?:会议|[^会,，。完])[^,，。完]{1,9})"
);

cue!(
    HAN_MUST_FINISH,
    r"^(?P<o>[^,，。]{2,12}?)(?:要|得|必须|计划|打算|下周|本周|这周|月底|下个月)+[^,，。]*(?:完成|上线|发布|交付|做完)"
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
    r"^(?:and |but |so |then |also |change of plan: )*(?P<o>(?:my|our|the|his|her) [\w' -]{3,40}?) (?:is|are|starts?|begins?|ends?|ended|takes place|happens|opens|closes|closed|will be|has been moved|was moved|moved|is scheduled|is planned|is set|started|began|launches|launched|ships|goes live|went live|(?:was|got|has been|slips?|slipped) (?:postponed|delayed|rescheduled|pushed)|slips|slipped)~"
);

cue!(
    /// "We pushed the review back to Friday".
    MOVED_OBJECT,
    r"~(?:moved?|moving|postponed?|postponing|rescheduled?|rescheduling|push(?:ed|ing)?(?: back)?|delay(?:ed|ing)?|shift(?:ed|ing)?|brought forward|bring forward|extend(?:ed|ing)?) (?:the|my|our|his|her) (?P<o>[\w' -]{2,40}?) (?:back |forward |out |up )?(?:to|until|till)~"
);

cue!(
    /// "评审定在周四", "上线时间推迟到五月十日".
    HAN_EVENT_ON,
    r"^(?:另外|还有|对了|然后|现在|目前|听说|我们|咱们|我|团队|把|将|那)*(?P<o>[\p{Han}A-Za-z0-9]{2,12}?)(?:(?:的)?(?:时间|日期|日子)(?:已经|已|又|被|也|先|将|现在|还)*(?:是|为|在)|(?:的)?(?:时间|日期|日子)?(?:已经|已|又|被|也|先|将|还是|现在)*(?:定在|定于|安排在|排在|改到|改为|推迟到|提前到|延期到|改期到|延到|延后到|调整到|挪到))"
);

cue!(ENDS, r"~(?:ends?|ended|expires?|expired|closes|finishes|return|back)~|结束|到期|截止");

cue!(
    BEGINS,
    r"~(?:starts?|begins?|opens?|launch(?:es|ed)?|goes live|went live|kicks off|started|began)~|开始|启动|入职|上线"
);

cue!(
    RECIPIENT,
    r"~(?:send|give|goes|hand|forward|deliver|email|mail) (?:the |our |my )?(?P<o>[\w-]+(?: [\w-]+){0,2}?) (?:now )?to (?P<n>(?-i:[A-Z][a-z]+(?: from [a-z]+)?))|~(?P<n2>(?-i:[A-Z][a-z]+)(?: from [a-z]+)?) needs (?:the |our |my |a )?(?P<o2>[\w-]+(?: [\w-]+){0,2})"
);

cue!(
    BUDGET,
    r"~budget(?: for [\w ]+)? (?:is|of|:|stays at|was set to|is now|went up to|is capped at|raised to|cut to) ?(?:about |around |at most )?(?P<v>[$€£¥]?[\d][\d.,]*(?: ?(?:k|m|million|thousand|euros?|dollars?|pounds|usd|eur|yuan))?)|预算(?:是|为|改为|提高到|降到|有|上限|不超过|控制在)*(?P<v2>[\d][\d.,]*(?:万|千|亿)?(?:元|块|美元|欧元)?)"
);

/// Reads what a clause says about undertakings.
pub(super) fn undertakings(
    text: &str,
    draft: &Draft,
    ground: &Ground<'_>,
    who: &EntityRef,
    maker: &mut Maker<'_>,
) {
    budget(text, ground, maker);
    if deadline(text, draft, ground, maker) {
        return;
    }
    match (draft.kind, draft.status) {
        (K::Result | K::Change, S::Occurred) => done(text, maker),
        (K::Plan, S::Planned | S::Tentative) => to_finish(text, maker),
        _ => {}
    }
    if matches!(draft.kind, K::Plan | K::Request) {
        recipient(text, maker);
    }
    dates(text, draft, maker);
    lodging(text, draft, ground, who, maker);
}

fn budget(text: &str, ground: &Ground<'_>, maker: &mut Maker<'_>) {
    if let Some(c) = BUDGET.captures(text)
        && let Some(value) = c.name("v").or(c.name("v2"))
    {
        let value = value.as_str().trim_end_matches(['.', ',']);
        maker.timeless(|m| {
            m.assert(ground.project(), "budget", ClaimValue::Text(value.to_owned()));
        });
    }
}

/// Sets a deadline; returns whether the clause is about one.
fn deadline(text: &str, draft: &Draft, ground: &Ground<'_>, maker: &mut Maker<'_>) -> bool {
    let end = draft.dated_by.as_ref().and_then(|time| time.occurrence.local_to);
    let Some(end) = end.filter(|_| {
        DEADLINE_WORD.is_match(text)
            && matches!(draft.kind, K::Plan | K::Change | K::Decision | K::Constraint | K::State)
    }) else {
        return false;
    };
    let subject = EVENT_ON
        .captures(text)
        .filter(|c| !c["o"].to_lowercase().contains("deadline"))
        .and_then(|c| named_work(text, c.name("o")?.range()))
        .unwrap_or_else(|| ground.project());
    maker.timeless(|m| m.firm(|m| m.assert(subject, "deadline", ClaimValue::Date(end))));
    true
}

/// What was finished, shipped, signed.
fn done(text: &str, maker: &mut Maker<'_>) {
    let said = NOUN_DONE
        .captures(text)
        .map(|c| (c.name("o"), c["s"].to_lowercase()))
        .or_else(|| {
            let c = INTRANSITIVE.captures(text)?;
            only_time_follows(text, c.get(0)?.end()).then(|| (c.name("o"), c["s"].to_lowercase()))
        })
        .or_else(|| {
            let c = DONE_NOUN.captures(text)?;
            Some((c.name("o"), c[0].split(' ').next().unwrap_or_default().to_lowercase()))
        })
        .or_else(|| HAN_DONE.captures(text).map(|c| (c.name("o"), format!("已{}", &c["s"]))))
        .or_else(|| HAN_DONE_AFTER.captures(text).map(|c| (c.name("o"), "已完成".to_owned())));
    if let Some((Some(what), status)) = said
        && !INDEFINITE.is_match(&noun(what.as_str()))
        && let Some(work) = named_work(text, what.range())
    {
        maker.assert(work, "status", ClaimValue::Text(status));
    }
}

/// What is to be finished.
fn to_finish(text: &str, maker: &mut Maker<'_>) {
    let captures = TO_FINISH
        .captures(text)
        .or_else(|| HAN_TO_FINISH.captures(text))
        .or_else(|| HAN_MUST_FINISH.captures(text));
    let what = captures.and_then(|c| c.name("o").or_else(|| c.name("o2")));
    if let Some(work) = what.and_then(|what| named_work(text, what.range())) {
        let value = if is_chinese(text) { "完成" } else { "finished" };
        maker.assert(work, "status", ClaimValue::Text(value.to_owned()));
    }
}

fn recipient(text: &str, maker: &mut Maker<'_>) {
    let Some(c) = RECIPIENT.captures(text) else { return };
    let (what, name) = match c.name("o") {
        Some(what) => (what.as_str(), &c["n"]),
        None => (c.name("o2").map_or("", |m| m.as_str()), &c["n2"]),
    };
    if let Some(to) = person(name)
        && !is_pronoun(what)
        && !what.is_empty()
    {
        let what = EntityRef::new(EntityKind::Thing, noun(what));
        maker.timeless(|m| m.firm(|m| m.assert(what, "recipient", ClaimValue::Entity(to))));
    }
}

/// When a trip or another undertaking begins, takes place or ends.
fn dates(text: &str, draft: &Draft, maker: &mut Maker<'_>) {
    let (first, last) = (draft.occurred.local_from, draft.occurred.local_to);
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
        return;
    }
    if !matches!(draft.kind, K::Plan | K::Result) || draft.dated_by.is_none() {
        return;
    }
    let named = EVENT_ON
        .captures(text)
        .or_else(|| {
            // "We pushed the code to main" moves no date.
            let moved = MOVED_OBJECT.captures(text)?;
            let dated = draft.kind == K::Plan && only_time_follows(text, moved.get(0)?.end());
            dated.then_some(moved)
        })
        .or_else(|| HAN_EVENT_ON.captures(text));
    let Some(subject) = named.and_then(|c| named_work(text, c.name("o")?.range())) else {
        return;
    };
    let ends = ENDS.is_match(text) && !BEGINS.is_match(text);
    let begins = BEGINS.is_match(text);
    let mut set = |property, day: Option<chrono::NaiveDate>| {
        if let Some(day) = day {
            maker.timeless(|m| m.assert(subject.clone(), property, ClaimValue::Date(day)));
        }
    };
    if ends {
        set("end_date", last);
    } else if begins {
        set("start_date", first);
        let ranged = draft.occurred.precision == Precision::Range;
        set("end_date", last.filter(|d| ranged && Some(*d) != first));
    } else if matches!(draft.occurred.precision, Precision::Day | Precision::Instant) {
        set("date", first);
    }
}

fn lodging(text: &str, draft: &Draft, ground: &Ground<'_>, who: &EntityRef, maker: &mut Maker<'_>) {
    let Some(c) = STAY.captures(text).filter(|c| {
        matches!(draft.kind, K::Plan | K::Change | K::Result) && !is_weekday_or_month(&c["o"])
    }) else {
        return;
    };
    let housed = text.to_lowercase().contains("stay")
        || ["flat", "room", "hotel", "hostel", "apartment", "airbnb", "studio", "house"]
            .iter()
            .any(|w| c["o"].to_lowercase().contains(w));
    if housed {
        let subject = ground.trip.cloned().unwrap_or_else(|| who.clone());
        let value = ClaimValue::Text(object(&c["o"]));
        maker.timeless(|m| m.assert(subject, "accommodation", value));
    }
}

cue!(
    /// What a name of something worked on cannot begin with.
    NO_WORK,
    r"^(?:is|are|was|were|be|been|being|to|on|in|at|by|for|from|with|until|till|since|as|out|off|into|over|up|down|again|now|not|no|never|and|or|but|so|soon|early|late|well|successfully|today|tomorrow|yesterday|than|there|here|my|our|we|I|you|they|everyone|everything|nobody|something|nothing)~(?:$| .*)|^(?:people|birthday|flight|trip|date|time|day|deadline|team|company)$|^[是在到了的也都不没得被把它他她我你这那]|^(?:之前|之后|以前|以后|推迟|提前|改到|改为|延期|延到|取消|计划|前|后)$|^(?:推迟|提前|改到|改期|延期|延到|延后|取消|时间|日期|情况)|^(?:时间|日期|项目|任务|工作|事情|东西|大家|团队|公司|航班|机票|行程)$|我们|他们|你们|咱们|[:：]"
);
cue!(
    /// Words beside the name of an undertaking that only say that it has a date.
    DATE_NOUN,
    r" ~(?:date|day|time)$|(?:的)?(?:时间|日期|日子)$"
);
cue!(
    HAN_HEAD_WORDS,
    r"^(?:另外|还有|对了|然后|现在|目前|其实|最好|我们|咱们|他们|团队|大家|项目组|公司|也|还|得|要|必须|一定|先|把|我|[,，])+"
);

/// Names what is worked on by a piece of a clause; nothing, where the piece is time words, a verb or
/// a pronoun.
fn named_work(text: &str, range: std::ops::Range<usize>) -> Option<EntityRef> {
    let mut piece = range;
    // "The login bug three days ago", "下周我们": time words are no part of a name.
    for time in crate::extract::dates::find(text, &super::tooling::EPOCH) {
        let byte = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(i, _)| i);
        let (start, end) = (byte(time.start), byte(time.end));
        if start <= piece.start {
            piece.start = piece.start.max(end.min(piece.end));
        } else if start < piece.end {
            piece.end = start;
        }
    }
    let words = text[piece].trim();
    let words = HAN_HEAD_WORDS.replace(words, "");
    let words = noun(&words);
    let words = DATE_NOUN.replace(&words, "");
    let words = words.trim();
    let named = words.chars().any(char::is_alphabetic)
        && words.chars().count() > 1
        && !is_pronoun(words)
        && !NO_WORK.is_match(words);
    named.then(|| EntityRef::new(EntityKind::Project, words))
}

/// Whether a clause ends at a place, but for words about time.
fn only_time_follows(text: &str, from: usize) -> bool {
    let rest = text[from..].trim().trim_end_matches(['.', '!']);
    rest.is_empty()
        || AFTERWORD.is_match(rest)
        || crate::extract::dates::find(rest, &super::tooling::EPOCH)
            .first()
            .is_some_and(|time| time.start == 0)
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
