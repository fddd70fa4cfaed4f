//! Claims about people: work, home, family, languages.

use super::claims::{Ground, Maker};
use super::lexicon::ROLE;
use super::names::person;
use super::names::{named, named_cue};
use super::text::cue;
use crate::model::{ClaimValue, EntityKind, EntityRef};
use regex::Regex;
use std::sync::LazyLock;

named_cue!(
    ROLE_AT,
    r"(?:~(?:is|am|as|became|becomes|was promoted to|promoted to|be|named|I'm|'s)(?: now| still| also| currently)? (?:the |our |a |an |their |new |its )*(?P<role>ROLE_PATTERN)(?: (?:of|at|for) (?:the )?(?P<org>NAME))?)"
);

named_cue!(
    WORKS_AT,
    r"~(?:works?|working|employed|job|work|hired|position|engineer|developer|designer) (?:at|for|by|with) (?P<org>NAME)"
);

named_cue!(
    JOINS,
    r"~(?:joined|joining|joins|accepted an offer from|accepted a job (?:at|with)|got a job at|got an offer from|got the job at|new job at|started (?:working )?at|start at|starts at|starting at|moved to work (?:at|for)|got hired (?:at|by)|signed with) (?P<org>NAME)"
);

named_cue!(
    LEAVES,
    r"~(?:left|quit|resigned from|leaving|was fired from|got laid off from|no longer works? (?:at|for)) (?P<org>NAME)"
);

named_cue!(
    MOVES_TO,
    r"~(?:moved|moving|move|relocated|relocating|relocate|relocates|moves)(?: back| over| house)? (?:from NAME )?to (?P<place>NAME)"
);

named_cue!(
    LIVES_IN,
    r"~(?:lives?|living|based|settled|reside[sd]?) (?:now |currently |still )?in (?P<place>NAME)"
);

cue!(
    /// A company by its name or its legal form: who moves there changes jobs.
    COMPANY,
    r"^(?:Google|Microsoft|Apple|Amazon|Meta|Facebook|Netflix|Siemens|SAP|IBM|Intel|Nvidia|Tesla|OpenAI|Anthropic|DeepMind|DeepSeek|Spotify|Uber|Airbnb|Adobe|Salesforce|Samsung|Sony|Huawei|Tencent|Alibaba|ByteDance|Baidu|Xiaomi|Meituan|Bosch|BMW|Volkswagen|Accenture|Deloitte|McKinsey|Shopify|Atlassian|Mozilla)$|~(?:Inc|Corp|GmbH|AG|Ltd|LLC|Labs|Technologies|Systems|Software|Group|Bank|Consulting|Studios?|Partners)\.?$"
);

cue!(
    RELATED,
    r"~(?P<p>my|our|his|her) (?P<k>manager|boss|supervisor|wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?)(?:'s name)? is (?:now |called )?(?P<n>(?-i:[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?))|我(?:的)?(?P<k2>上级|老板|经理|领导|主管|老婆|妻子|老公|丈夫|女朋友|男朋友|对象)(?:是|叫)(?P<n2>[\p{Han}]{2,3}|[A-Z][a-z]+)"
);

cue!(
    HAN_MOVES,
    r"(?:搬到|搬去|搬家到|定居(?:在|到)?|移居(?:到)?|住在|现居|住)(?:了)?(?P<place>[\p{Han}]{2,6}?|[A-Z][a-z]+)(?:了|工作|生活|上班|去)?(?:$|[,，。的])"
);

cue!(
    HAN_WORKS,
    r"在(?P<org>[^,，。在]{2,12}?)(?:工作|上班|任职|就职)|就职于(?P<org2>[^,，。]{2,12})|加入(?:了)?(?P<org3>[^,，。]{2,12}?)(?:了|担任|做|$)|跳槽(?:到|去)(?:了)?(?P<org4>[^,，。]{2,12}?)(?:了|$)"
);

cue!(
    HAN_ROLE,
    r"(?:是|任|担任|当上?|升(?:任|为|职为)?|做)(?:了)?(?:(?P<org>[^,，。是的任]{2,10})的)?(?P<role>(?:产品|项目|技术|市场|销售|财务|人事|运营|设计|研发|总|副总)?(?:经理|总监|主管|工程师|设计师|分析师|架构师|总裁|老师|医生|律师|会计|顾问))"
);

cue!(HAN_LEAVES, r"离职|辞职|离开(?:了)?公司|不干了");

cue!(
    LEFT_JOB,
    r"~(?:quit(?: (?:my|his|her|the) job| last| this| yesterday| today|$)|resigned|left the company|lost (?:my|his|her) job|got fired|was laid off|got laid off|retired)(?: (?:at|from) (?:the )?(?P<org>(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*)?)))?"
);

cue!(
    BIRTHDAY,
    r"~(?:my|his|her) birthday is (?:on )?(?P<d>[\w ]{3,20})|我(?:的)?生日是(?P<d2>[^,，。]{2,10})"
);

cue!(
    SPEAKS,
    r"~(?:speaks?|fluent in|learning|learned|learnt|studying|started learning) (?P<l>(?-i:(?:English|French|German|Spanish|Italian|Portuguese|Chinese|Mandarin|Japanese|Korean|Russian|Arabic|Dutch|Swedish|Polish|Turkish|Hindi|Greek|Hebrew|Vietnamese|Thai)))~"
);

static ROLE_AT_FULL: LazyLock<Regex> = LazyLock::new(|| {
    let role = ROLE
        .as_str()
        .split("|(?:产品")
        .next()
        .unwrap_or_default()
        .replace("(?i)", "")
        .replace(r"(?-u:\b)", "~");
    named(
        &ROLE_AT
            .as_str()
            .replace("(?i)", "")
            .replace(r"(?-u:\b)", "~")
            .replace("ROLE_PATTERN", &role),
    )
});

pub(super) fn organisation(name: &str) -> ClaimValue {
    ClaimValue::Entity(EntityRef::new(EntityKind::Organization, tidy(name)))
}

pub(super) fn place(name: &str) -> ClaimValue {
    ClaimValue::Entity(EntityRef::new(EntityKind::Place, tidy(name)))
}

pub(super) fn tidy(name: &str) -> String {
    name.trim().trim_end_matches("'s").trim_end_matches("’s").trim_end_matches(" of").to_owned()
}

pub(super) fn people(text: &str, who: &EntityRef, ground: &Ground<'_>, maker: &mut Maker<'_>) {
    if let Some(c) = ROLE_AT_FULL.captures(text) {
        maker.assert(who.clone(), "role", ClaimValue::Text(c["role"].to_owned()));
        if let Some(org) = c.name("org") {
            maker.assert(who.clone(), "employer", organisation(org.as_str()));
        }
    }
    if let Some(c) = LEAVES.captures(text) {
        maker.end(who.clone(), "employer", organisation(&c["org"]));
    } else if let Some(c) = LEFT_JOB.captures(text) {
        let from = c.name("org").map_or(ClaimValue::Any, |org| organisation(org.as_str()));
        maker.end(who.clone(), "employer", from);
    } else if HAN_LEAVES.is_match(text) {
        maker.end(who.clone(), "employer", ClaimValue::Any);
    }
    if let Some(c) = JOINS
        .captures(text)
        .or_else(|| WORKS_AT.captures(text).filter(|_| !LEFT_JOB.is_match(text)))
        && !text.to_lowercase().contains("no longer")
        && !is_weekday_or_month(&c["org"])
    {
        maker.assert(who.clone(), "employer", organisation(&c["org"]));
    }
    if let Some(c) = MOVES_TO.captures(text).or_else(|| LIVES_IN.captures(text)) {
        let object_moved = text.to_lowercase().contains("moved the ")
            || text.to_lowercase().contains("moved our ");
        if !object_moved
            && super::lexicon::property_of(&c["place"]).is_none()
            && !is_weekday_or_month(&c["place"])
        {
            if COMPANY.is_match(&c["place"]) {
                maker.assert(who.clone(), "employer", organisation(&c["place"]));
            } else {
                maker.assert(who.clone(), "home_city", place(&c["place"]));
            }
        }
    }
    if let Some(c) = HAN_MOVES.captures(text) {
        maker.assert(who.clone(), "home_city", place(&c["place"]));
    }
    if let Some(c) = HAN_WORKS.captures(text)
        && let Some(org) = ["org", "org2", "org3", "org4"].iter().find_map(|g| c.name(g))
        && !org.as_str().ends_with(['家', '边'])
        && !org.as_str().ends_with("家里")
    {
        maker.assert(who.clone(), "employer", organisation(org.as_str()));
    }
    if let Some(c) = HAN_ROLE.captures(text) {
        maker.assert(who.clone(), "role", ClaimValue::Text(c["role"].to_owned()));
    } else if let Some(c) = NEWCOMER.captures(text)
        && let Some(newcomer) = person(&c["n"])
    {
        maker.assert(newcomer, "role", ClaimValue::Text(c["role"].to_owned()));
    }
    if let Some(c) = BIRTHDAY.captures(text)
        && let Some(day) = c.name("d").or(c.name("d2"))
    {
        let day = ClaimValue::Text(day.as_str().trim().to_owned());
        maker.timeless(|m| m.firm(|m| m.assert(who.clone(), "birthday", day)));
    }
    if let Some(c) = RELATED.captures(text)
        && let (Some(kin), Some(name)) =
            (c.name("k").or(c.name("k2")), c.name("n").or(c.name("n2")))
    {
        let boss = ["manager", "boss", "supervisor", "上级", "老板", "经理", "领导", "主管"];
        let property = if boss.contains(&kin.as_str().to_lowercase().as_str()) {
            "manager"
        } else {
            "partner"
        };
        let holder = match c.name("p").map(|m| m.as_str().to_lowercase()).as_deref() {
            Some("his" | "her") => ground.person.cloned(),
            _ => Some(ground.speaker.clone()),
        };
        if let Some(holder) = holder {
            maker.assert(
                holder,
                property,
                ClaimValue::Entity(EntityRef::new(EntityKind::Person, name.as_str())),
            );
        }
    }
    if let Some(c) = SPEAKS.captures(text) {
        let learning =
            text.to_lowercase().contains("learning") || text.to_lowercase().contains("studying");
        let property = if learning { "studies" } else { "speaks" };
        maker.assert(who.clone(), property, ClaimValue::Text(c["l"].to_owned()));
    }
}

cue!(
    NEWCOMER,
    r"(?:新来的|新的)?(?P<role>(?:产品|项目|技术|市场|销售|财务|人事|运营|设计|研发)?(?:经理|总监|主管|工程师|设计师|分析师|架构师|同事|实习生))(?:叫|是)(?P<n>[\p{Han}]{2,3})"
);

/// Whether a name is a company's by itself.
pub(super) fn is_company(name: &str) -> bool {
    COMPANY.is_match(name)
}

pub(super) fn is_weekday_or_month(word: &str) -> bool {
    let first = word.split(' ').next().unwrap_or(word);
    first.len() >= 3
        && ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
            .iter()
            .any(|d| first.to_lowercase().starts_with(d) && first.to_lowercase().ends_with("day"))
        || [
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
        ]
        .contains(&first)
}
