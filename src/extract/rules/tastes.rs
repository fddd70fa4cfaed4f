//! Claims about tastes, diets, allergies and possessions.

use super::claims::Maker;
use super::lexicon::DIET;
use super::text::cue;
use crate::model::{ClaimOp, ClaimValue, EntityRef, EventKind as K};
use regex::Regex;
use std::sync::LazyLock;

cue!(
    LIKES,
    r"~(?:really |also |absolutely |still |always |just )*(?P<v>loves?|likes?|enjoys?|adores?|fond of|fan of|keen on|passionate about|prefers?|rather have|rather use)~ (?P<o>[^,.;!?]{2,60})"
);

cue!(
    DISLIKES,
    r"~(?:hates?|dislikes?|detests?|can't stand|cannot stand|can't bear|don't like|doesn't like|do not like|don't eat|doesn't eat|don't drink|doesn't drink|never eat|never drink)~ (?P<o>[^,.;!?]{2,60})"
);

cue!(
    NO_LONGER_LIKES,
    r"~(?:no longer|don't|doesn't|stopped) (?:like|likes|love|loves|enjoy|enjoys|liking|enjoying)~ (?P<o>[^,.;!?]{2,60}?) ?(?:any ?more)?$"
);

cue!(
    FAVOURITE,
    r"~my (?:all-time |absolute )?favou?rite (?P<t>[a-z]+(?: [a-z]+)?) (?:is|are|has to be|would be) (?P<o>[^,.;!?]{2,50})"
);

cue!(
    HAN_LIKES,
    r"(?:最|更|很|特别|比较|非常|超|就|也|还是|一直)*(?P<v>不喜欢|不爱|讨厌|受不了|喜欢|偏好|偏爱|爱|宁愿|更想)(?P<o>[^,，。！]{1,14})"
);

cue!(HAN_AVOIDS, r"我?(?:从来?不|不|不再)(?P<v>吃|喝|抽)(?P<o>[\p{Han}A-Za-z]{1,8})");

cue!(
    HAN_TAKES,
    r"(?P<t>咖啡|奶茶|豆浆|牛奶|茶|面条|面|粥|汤|沙拉|菜|饭|饮料|火锅|米线|饺子|美式|拿铁|可乐)[^,，。]{0,8}?(?P<v>(?:不|别|少|多|再)?(?:再)?(?:加|放|要)(?:[\p{Han}]{1,2}))(?:了)?$"
);

cue!(
    TAKES,
    r"~(?:my|I take my|I drink my|I like my|take my) (?P<t>coffee|tea|eggs|steak|toast|pasta|burger) (?:is |are )?(?P<v>(?:black|with|without|medium|rare|well done|strong|plain|no |unsweetened|sweet)[\w ]*)|~(?:no|without) (?P<v2>sugar|milk|cream|ice) in (?:my|the) (?P<t2>coffee|tea|drinks?)"
);

const ALLERGENS: [&str; 4] = ["o", "o2", "o3", "o4"];

cue!(ALLERGIC_HAN, r"对(?P<o3>[^,，。]{1,12}?)(?:严重|也|都|有点)?过敏");

cue!(
    ALLERGIC,
    r"~allergic to (?P<o>[\w ,&-]{2,40}?)(?:[.!;]|,? so~|,? please~| but~|$)|~(?:a|an|my|severe|bad|has|have) (?P<o2>(?:[a-z]+ )?[a-z]+) allergy~|对(?P<o3>[^,，。]{1,12}?)(?:严重|也|都|有点|并?不|没有?)*过敏|(?P<o4>[\p{Han}]{1,5}?)(?:并?不|没有?)?过敏"
);

/// Words that tell which slot a preference fills, so that tea replaces coffee but not dark mode.
const TOPICS: &[(&str, &[&str])] = &[
    (
        "drink",
        &[
            "tea", "coffee", "water", "juice", "beer", "wine", "milk", "espresso", "matcha", "茶",
            "咖啡", "奶茶", "果汁", "啤酒", "红酒", "可乐",
        ],
    ),
    (
        "theme",
        &[
            "dark mode",
            "light mode",
            "dark theme",
            "light theme",
            "深色模式",
            "浅色模式",
            "暗色主题",
            "亮色主题",
        ],
    ),
    ("indentation", &["tabs", "spaces", "空格", "制表符"]),
    (
        "seat",
        &[
            "window seat",
            "aisle seat",
            "window seats",
            "aisle seats",
            "a window seat",
            "an aisle seat",
            "靠窗",
            "靠过道",
        ],
    ),
    ("time of day", &["mornings", "morning", "evenings", "afternoons", "早上", "晚上", "下午"]),
    (
        "transport",
        &[
            "train",
            "the train",
            "trains",
            "flying",
            "driving",
            "bus",
            "火车",
            "高铁",
            "飞机",
            "自驾",
        ],
    ),
    (
        "contact channel",
        &[
            "email",
            "phone",
            "calls",
            "phone calls",
            "chat",
            "text messages",
            "邮件",
            "电话",
            "微信",
        ],
    ),
    (
        "answer style",
        &[
            "short answers",
            "long answers",
            "detailed answers",
            "concise answers",
            "brief answers",
            "bullet points",
            "简短的回答",
            "详细的回答",
        ],
    ),
];

pub(super) fn topic(object: &str) -> Option<&'static str> {
    let lower = object.to_lowercase();
    let first: String = lower
        .split(" over ")
        .next()
        .unwrap_or(&lower)
        .split(" to ")
        .next()
        .unwrap_or(&lower)
        .trim()
        .to_owned();
    TOPICS
        .iter()
        .find(|(_, words)| {
            words.iter().any(|w| first == *w || (!w.is_ascii() && first.contains(w)))
        })
        .map(|(t, _)| *t)
}

/// Cuts an object down to its noun phrase.
pub(super) fn object(words: &str) -> String {
    static TAIL: LazyLock<Regex> = LazyLock::new(|| {
        super::text::compile(
            r" ?~(?:because|since|so|when|but|and (?:I|we|it|she|he|they)|as it|as they|which|that is|these days|nowadays|now|any ?more|a lot|very much|too much|too|though|instead|right now|for now|with my|with our|lately)~.*$|[:(].*$|(?:因为|所以|了$|的时候).*$",
        )
    });
    let cut = TAIL.replace(words.trim(), "");
    let cut = cut
        .trim()
        .trim_start_matches("the ")
        .trim_start_matches("a ")
        .trim_start_matches("an ")
        .trim_start_matches("my ")
        .trim();
    cut.trim_end_matches(['.', '!', ' ', '。', '了']).to_owned()
}

/// States a liking or a dislike, which ends the other of the same thing.
fn feel(who: &EntityRef, property: &str, what: String, maker: &mut Maker<'_>) {
    if super::undertakings::is_pronoun(&what) {
        return;
    }
    let other = if property == "likes" { "dislikes" } else { "likes" };
    maker.assert(who.clone(), property, ClaimValue::Text(what.clone()));
    maker.end(who.clone(), other, ClaimValue::Text(what));
}

cue!(HAN_DENIED, r"(?:不|没有?|别)(?:再|是|算|算是|再是|怎么|打算|想)*$");

pub(super) fn tastes(text: &str, who: &EntityRef, kind: K, maker: &mut Maker<'_>) {
    if let Some(c) = ALLERGIC_HAN.captures(text).or_else(|| ALLERGIC.captures(text))
        && let Some(what) = ALLERGENS.iter().find_map(|g| c.name(g))
    {
        static AND: LazyLock<Regex> =
            LazyLock::new(|| super::text::compile(r",? and |, |和|、|以及| & "));
        for one in AND.split(what.as_str()) {
            let one = one
                .trim()
                .trim_start_matches("the ")
                .trim_start_matches('我')
                .trim_end_matches(['不', '没', '并', '有']);
            if !one.is_empty() {
                maker.assert(who.clone(), "allergic_to", ClaimValue::Text(one.to_owned()));
            }
        }
        return;
    }
    if !matches!(kind, K::Preference | K::Change | K::State | K::Decision | K::Habit) {
        return;
    }
    if let Some(found) = DIET.find(text) {
        let before = text[..found.start()].to_lowercase();
        let denied = !before.contains("not only")
            && (before.contains("no longer")
                || before.contains("not ")
                || before.contains("n't ")
                || HAN_DENIED.is_match(&before));
        // 吃素 is what a 素食者 does: one diet, one value.
        let diet = found.as_str().to_lowercase().replace("吃素", "素食");
        let op = if denied { ClaimOp::End } else { ClaimOp::Assert };
        maker.claim(who.clone(), "diet", None, ClaimValue::Text(diet), op);
        return;
    }
    if let Some(c) = HAN_TAKES.captures(text) {
        let topic = if &c["t"] == "美式" || &c["t"] == "拿铁" { "咖啡" } else { &c["t"] };
        let value =
            c["v"].replace("别", "不").replace("不再", "不").trim_end_matches('了').to_owned();
        maker.claim(
            who.clone(),
            "preference",
            Some(topic.to_owned()),
            ClaimValue::Text(value),
            ClaimOp::Assert,
        );
        return;
    }
    if let Some(c) = TAKES.captures(text) {
        let (topic, value) = match c.name("t") {
            Some(topic) => (topic.as_str().to_owned(), object(&c["v"])),
            None => (c["t2"].to_owned(), format!("no {}", &c["v2"])),
        };
        maker.claim(
            who.clone(),
            "preference",
            Some(topic),
            ClaimValue::Text(value),
            ClaimOp::Assert,
        );
        return;
    }
    if kind != K::Preference {
        return;
    }
    if let Some(c) = FAVOURITE.captures(text) {
        let value = ClaimValue::Text(object(&c["o"]));
        maker.claim(
            who.clone(),
            "preference",
            Some(format!("favourite {}", &c["t"])),
            value,
            ClaimOp::Assert,
        );
    } else if let Some(c) = NO_LONGER_LIKES
        .captures(text)
        .filter(|_| text.contains("no longer") || text.contains("any"))
    {
        maker.end(who.clone(), "likes", ClaimValue::Text(object(&c["o"])));
    } else if let Some(c) = DISLIKES.captures(text) {
        feel(who, "dislikes", object(&c["o"]), maker);
    } else if let Some(c) = LIKES.captures(text) {
        let what = object(&c["o"]);
        let preferred = what
            .split(" over ")
            .next()
            .unwrap_or(&what)
            .split(" rather than ")
            .next()
            .unwrap_or(&what);
        let preferred = if c["v"].starts_with("prefer") {
            preferred.split(" to ").next().unwrap_or(preferred)
        } else {
            preferred
        };
        match topic(&what) {
            Some(topic)
                if c["v"].to_lowercase().starts_with("prefer")
                    || c["v"].to_lowercase().starts_with("rather") =>
            {
                maker.claim(
                    who.clone(),
                    "preference",
                    Some(topic.to_owned()),
                    ClaimValue::Text(preferred.trim().to_owned()),
                    ClaimOp::Assert,
                );
            }
            _ if !preferred.is_empty() && preferred.split_whitespace().count() <= 7 => {
                feel(who, "likes", preferred.trim().to_owned(), maker);
            }
            _ => {}
        }
    } else if let Some(c) = HAN_AVOIDS.captures(text) {
        feel(who, "dislikes", object(&c["o"]), maker);
    } else if let Some(c) = HAN_LIKES.captures(text) {
        let against = c["v"].starts_with('不') || matches!(&c["v"], "讨厌" | "受不了");
        let what = object(&c["o"]);
        match topic(&what) {
            Some(topic)
                if !against
                    && (text.contains("更") || text.contains("偏") || text.contains("宁愿")) =>
            {
                maker.claim(
                    who.clone(),
                    "preference",
                    Some(topic.to_owned()),
                    ClaimValue::Text(what),
                    ClaimOp::Assert,
                );
            }
            _ if !what.is_empty() => {
                feel(who, if against { "dislikes" } else { "likes" }, what, maker);
            }
            _ => {}
        }
    }
}

cue!(
    SOLD,
    r"~(?:sold|gave away|got rid of|traded in) (?:my |our |the |his |her )?(?:old )?(?P<o>[\w'-]+(?: [\w'-]+){0,2})|把(?P<o2>[^,，。]{1,8})(?:卖了|卖掉)|(?:^|[我们,，])(?P<o3>[A-Za-z\p{Han}&&[^我们把]]{1,8})(?:卖了|卖掉了)"
);

cue!(
    OWNS,
    r"~(?:owns?|(?:bought|got|have|has) (?:myself |himself |herself )?(?:a|an|my|our|his|her)(?: new| first| second| used| red| blue| black| white| small| big)*) (?:a |an |the )?(?P<o>car|house|flat|apartment|bike|bicycle|motorcycle|motorbike|boat|dog|cat|puppy|kitten|parrot|horse|rabbit|guitar|piano|violin|camera|laptop|drone|van|truck|(?-i:[A-Z][\w-]+(?: [A-Z0-9][\w-]*)?))~|(?:买了|养了|有)(?:一)?(?:辆|台|只|条|套|把|架)(?P<o2>[^,，。]{1,8})"
);

pub(super) fn possessions(text: &str, who: &EntityRef, kind: K, maker: &mut Maker<'_>) {
    if let Some(c) = SOLD.captures(text).filter(|_| matches!(kind, K::Change | K::Result)) {
        if let Some(what) = c.name("o").or(c.name("o2")).or(c.name("o3")) {
            let what = what.as_str().split(" to ").next().unwrap_or_default();
            let what = what
                .split(" for ")
                .next()
                .unwrap_or(what)
                .split(" last")
                .next()
                .unwrap_or(what)
                .split(" in ")
                .next()
                .unwrap_or(what)
                .split(" on ")
                .next()
                .unwrap_or(what)
                .split(" yesterday")
                .next()
                .unwrap_or(what);
            maker.end(who.clone(), "owns", ClaimValue::Text(what.trim().to_owned()));
        }
    } else if let Some(c) = OWNS
        .captures(text)
        .filter(|_| matches!(kind, K::State | K::Result | K::Change | K::Preference | K::Plan))
        && let Some(what) = c.name("o").or(c.name("o2"))
    {
        maker.assert(who.clone(), "owns", ClaimValue::Text(what.as_str().to_owned()));
    }
}
