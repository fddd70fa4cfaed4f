//! Statements about entities that a clause makes. Each pattern names its property; nothing is
//! claimed that the words do not say.

use super::draft::Draft;
use super::lexicon::{DIET, ROLE};
use super::names::{NAME, han_person_at_head, is_han_name, person, person_at_head, this_project};
use super::text::{cue, is_chinese};
use super::tooling;
use crate::extract::dates::Shape;
use crate::model::{
    Claim, ClaimOp, ClaimValue, EntityKind, EntityRef, EventKind as K, EventStatus as S,
    Occurrence, Precision,
};
use regex::Regex;
use std::sync::LazyLock;

/// What a clause is read against.
pub(super) struct Ground<'a> {
    /// The speaker.
    pub speaker: &'a EntityRef,
    /// The project last named, if any.
    pub project: Option<&'a EntityRef>,
    /// The sentence the clause stands in.
    pub sentence: &'a str,
    /// The trip or other undertaking last planned.
    pub trip: Option<&'a EntityRef>,
    /// The person last named, for "he" and "she" and for clauses without a subject.
    pub person: Option<&'a EntityRef>,
}

impl Ground<'_> {
    pub fn project(&self) -> EntityRef {
        self.project.cloned().unwrap_or_else(this_project)
    }
}

/// Builds claims that all hold for the same time.
pub(super) struct Maker<'a> {
    valid: Option<Occurrence>,
    planned: bool,
    corrects: bool,
    pub out: &'a mut Vec<Claim>,
}

impl Maker<'_> {
    pub fn claim(
        &mut self,
        subject: EntityRef,
        property: &str,
        qualifier: Option<String>,
        value: ClaimValue,
        op: ClaimOp,
    ) {
        let claim = Claim {
            subject,
            property: property.to_owned(),
            qualifier,
            value,
            op,
            valid: self.valid.clone(),
            planned: self.planned,
            corrects: self.corrects,
        };
        if !self.out.contains(&claim) {
            self.out.push(claim);
        }
    }

    pub fn assert(&mut self, subject: EntityRef, property: &str, value: ClaimValue) {
        self.claim(subject, property, None, value, ClaimOp::Assert);
    }

    pub fn end(&mut self, subject: EntityRef, property: &str, value: ClaimValue) {
        self.claim(subject, property, None, value, ClaimOp::End);
    }

    fn firm(&mut self, f: impl FnOnce(&mut Self)) {
        let planned = std::mem::replace(&mut self.planned, false);
        f(self);
        self.planned = planned;
    }

    fn timeless(&mut self, f: impl FnOnce(&mut Self)) {
        let valid = self.valid.take();
        f(self);
        self.valid = valid;
    }
}

pub(super) fn tool(name: &str) -> ClaimValue {
    ClaimValue::Entity(EntityRef::new(EntityKind::Tool, name))
}

cue!(
    CORRECTS,
    r"~(?:actually it (?:was|is)|I was wrong|my mistake|I misspoke|correction|I meant|not [\w ]+ but rather|that was wrong)~|说错了|记错了|搞错了|更正|其实是"
);

/// Fills in the claims of a draft.
pub(super) fn fill(draft: &mut Draft, ground: &Ground<'_>) {
    if matches!(draft.status, S::Cancelled | S::Negated | S::Rejected) {
        return;
    }
    let planned = matches!(draft.status, S::Planned | S::Tentative);
    let o = &draft.occurred;
    let dated = draft.dated_by.is_some()
        && o.precision != Precision::Unknown
        && o.precision != Precision::Deadline
        && !matches!(draft.kind, K::Problem);
    let state_before = draft.kind == K::State && o.precision == Precision::OpenEnd;
    let valid = (dated || state_before).then(|| o.clone());
    let mut claims = Vec::new();
    let text = draft.statement.clone();
    let mut maker =
        Maker { valid, planned, corrects: CORRECTS.is_match(ground.sentence), out: &mut claims };
    let who = subject_of(&text, ground);
    if draft.kind != K::Request {
        tooling::read(&text, &who, ground, &mut maker);
        people(&text, &who, ground, &mut maker);
    }
    owners(&text, draft, ground, &mut maker);
    tastes(&text, &who, draft.kind, &mut maker);
    possessions(&text, &who, draft.kind, &mut maker);
    undertakings(&text, draft, ground, &who, &mut maker);
    bodies(&text, &who, draft, &mut maker);
    if draft.kind == K::Constraint && maker.out.is_empty() {
        let subject = if starts_personal(&text) { who } else { ground.project() };
        maker.assert(subject, "constraint", ClaimValue::Text(text.clone()));
    }
    draft.claims = claims;
}

fn starts_personal(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["i ", "i'm", "my ", "我"].iter().any(|h| lower.starts_with(h))
}

cue!(
    FIRST_PERSON,
    r"^(?:and |but |so |then |also |well,? |actually,? |yes,? |no,? )*(?:I|I'm|I've|I'll|I'd|my|me)~|^(?:另外|还有|对了|其实|以后|现在|从今天起|最近|那)?[,，]?我(?:[^们]|$)"
);
cue!(THIRD_PERSON, r"^(?:and |but |so |then |also )*(?:he|she)(?:'s|'ll|'d)?~|^[他她](?:[^们]|$)");

/// Who a clause is about: the person at its head, the speaker, or the one named before.
pub(super) fn subject_of(text: &str, ground: &Ground<'_>) -> EntityRef {
    if FIRST_PERSON.is_match(text) {
        return relative(text)
            .map_or_else(|| ground.speaker.clone(), |who| kin(ground.speaker, &who));
    }
    if THIRD_PERSON.is_match(text) {
        if let Some(person) = ground.person {
            return person.clone();
        }
    }
    person_at_head(text)
        .or_else(|| if is_chinese(text) { han_person_at_head(text) } else { None })
        .unwrap_or_else(|| ground.speaker.clone())
}

cue!(
    KIN,
    r"^(?:and |but |so |then |also )*my (wife|husband|son|daughter|mom|mum|dad|mother|father|sister|brother|partner|girlfriend|boyfriend|boss|cousin|aunt|uncle|roommate|neighbou?r|grandma|grandpa|grandmother|grandfather)~"
);

fn relative(text: &str) -> Option<String> {
    KIN.captures(text).map(|c| c[1].to_lowercase())
}

fn kin(speaker: &EntityRef, who: &str) -> EntityRef {
    EntityRef::new(EntityKind::Person, format!("{}'s {who}", speaker.name))
}

fn named(pattern: &str) -> Regex {
    super::text::compile(&pattern.replace("NAME", NAME))
}

macro_rules! named_cue {
    ($name:ident, $body:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| named($body));
    };
}

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
cue!(RELATED, r"~(?P<p>my|our|his|her) (?P<k>manager|boss|supervisor|wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?)(?:'s name)? is (?:now |called )?(?P<n>(?-i:[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?))|我(?:的)?(?P<k2>上级|老板|经理|领导|主管|老婆|妻子|老公|丈夫|女朋友|男朋友|对象)(?:是|叫)(?P<n2>[\p{Han}]{2,3}|[A-Z][a-z]+)");
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
    r"~(?:quit|resigned|left the company|lost (?:my|his|her) job|got fired|was laid off|got laid off|retired)~"
);
cue!(
    BIRTHDAY,
    r"~(?:my|his|her) birthday is (?:on )?(?P<d>[\w ]{3,20})|我(?:的)?生日是(?P<d2>[^,，。]{2,10})"
);
cue!(
    SPEAKS,
    r"~(?:speaks?|fluent in|learning|learned|learnt|studying|started learning) (?P<l>(?-i:(?:English|French|German|Spanish|Italian|Portuguese|Chinese|Mandarin|Japanese|Korean|Russian|Arabic|Dutch|Swedish|Polish|Turkish|Hindi|Greek|Hebrew|Vietnamese|Thai)))~"
);
cue!(NAMED, r"~(?:my name is|I'm called|call me) (?P<n>(?-i:[A-Z][a-z]+))");

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

fn organisation(name: &str) -> ClaimValue {
    ClaimValue::Entity(EntityRef::new(EntityKind::Organization, tidy(name)))
}

fn place(name: &str) -> ClaimValue {
    ClaimValue::Entity(EntityRef::new(EntityKind::Place, tidy(name)))
}

fn tidy(name: &str) -> String {
    name.trim().trim_end_matches("'s").trim_end_matches("’s").trim_end_matches(" of").to_owned()
}

fn people(text: &str, who: &EntityRef, ground: &Ground<'_>, maker: &mut Maker<'_>) {
    if let Some(c) = ROLE_AT_FULL.captures(text) {
        maker.assert(who.clone(), "role", ClaimValue::Text(c["role"].to_owned()));
        if let Some(org) = c.name("org") {
            maker.assert(who.clone(), "employer", organisation(org.as_str()));
        }
    }
    if let Some(c) = LEAVES.captures(text) {
        maker.end(who.clone(), "employer", organisation(&c["org"]));
    } else if LEFT_JOB.is_match(text) || HAN_LEAVES.is_match(text) {
        maker.end(who.clone(), "employer", ClaimValue::Any);
    }
    if let Some(c) = JOINS.captures(text).or_else(|| WORKS_AT.captures(text))
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
            maker.assert(who.clone(), "home_city", place(&c["place"]));
        }
    }
    if let Some(c) = HAN_MOVES.captures(text) {
        maker.assert(who.clone(), "home_city", place(&c["place"]));
    }
    if let Some(c) = HAN_WORKS.captures(text)
        && let Some(org) = ["org", "org2", "org3", "org4"].iter().find_map(|g| c.name(g))
        && !org.as_str().contains(['家', '里'])
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
        maker.assert(who.clone(), "birthday", ClaimValue::Text(day.as_str().trim().to_owned()));
    }
    if let Some(c) = RELATED.captures(text)
        && let (Some(kin), Some(name)) = (c.name("k").or(c.name("k2")), c.name("n").or(c.name("n2")))
    {
        let boss = ["manager", "boss", "supervisor", "上级", "老板", "经理", "领导", "主管"];
        let property = if boss.contains(&kin.as_str().to_lowercase().as_str()) { "manager" } else { "partner" };
        let holder = match c.name("p").map(|m| m.as_str().to_lowercase()).as_deref() {
            Some("his" | "her") => ground.person.cloned(),
            _ => Some(ground.speaker.clone()),
        };
        if let Some(holder) = holder {
            maker.assert(holder, property, ClaimValue::Entity(EntityRef::new(EntityKind::Person, name.as_str())));
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

fn is_weekday_or_month(word: &str) -> bool {
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

named_cue!(
    OWNS_WORK,
    r"^(?:and |but |so |then |also )*(?P<n>NAME)(?: from [a-z]+)?(?: is| will| now| also| still|'s|'ll)* (?:owns?|leads?|leading|is in charge of|in charge of|responsible for|takes? over|took over|taking over|taking|manages?|managing|handles?|handling|maintains?|runs|looks after|drives|be the owner of|the owner of)(?: now)? (?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,3})?"
);
named_cue!(
    OWNER_IS,
    r"~(?:owner|lead|responsible person|maintainer|point person|assignee)(?: (?:of|for) (?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,3}?))?(?: is| becomes| will be|: | now| is now)+ (?P<n>NAME)"
);
named_cue!(
    HANDED_TO,
    r"~(?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,2}?) (?:is|was|are|were|has been|have been|goes|went|gets|got)(?: now)? (?:owned by|handed (?:over )?to|assigned to|taken over by|led by|managed by|maintained by|reassigned to|transferred to|to) (?P<n>NAME)"
);
cue!(
    HAN_OWNS,
    r"^(?:另外|还有|对了|然后|现在|目前|听说)?(?:(?P<n>[\p{Han}]{2,3}?|[A-Za-z][A-Za-z.]+) ?)?(?:从[^,，。]{1,8}?(?:起|开始)|上周|下周[一二三四五六日]?|还是|仍然|现在|一直|暂时|以后|将|会|来|明天|今天)*(?:改管|负责|接手|接管|主管|接替|带|维护|管)(?:了)?(?P<what>[^,，。了]{2,10}?)?(?:了)?$"
);
cue!(
    HAN_OWNED,
    r"^(?:另外|还有|对了|然后|听说)?(?P<what>[^,，。可]{2,10}?)(?:可能|以后|现在|暂时|改|先|就|将)*(?:由|归|交给|转给|给|移交给|分给)(?P<n>[\p{Han}]{2,3}?|[A-Za-z]+)(?:负责|管|维护|接手|来做|了|做|带)?$"
);
cue!(
    HAN_VACANT,
    r"^(?P<what>[^,，。]{2,10}?)(?:暂时|目前|现在|还|暂|仍然|一直)*(?:没人(?:管|负责|接)?|无人(?:负责|管)?|暂缺|空缺)"
);
cue!(
    HAN_TRANSFER,
    r"(?:转去|转到|调去|调到|转岗到|去)(?:了)?(?:做|负责)?(?P<what>[^,，。了]{2,8})"
);
cue!(
    VACANT,
    r"~(?:nobody|no one|no-one)(?: currently| now)? (?:owns|leads|is in charge of|manages|handles|maintains|runs) (?:the |our )?(?P<what>[\w-]+(?: [\w-]+){0,3})|~(?:the |our )?(?P<what2>[\w-]+(?: [\w-]+){0,2}) (?:has|have) no (?:owner|lead|maintainer)"
);

fn work(name: &str, ground: &Ground<'_>) -> EntityRef {
    let name = name.trim().trim_end_matches(['的', ' ']);
    let lower = name.to_lowercase();
    if matches!(
        lower.as_str(),
        "it" | "that"
            | "this"
            | "the project"
            | "this project"
            | "project"
            | ""
            | "from"
            | "now"
            | "for"
    ) || ["项目", "这个项目", "本项目", "这个", "它"].contains(&name)
    {
        return ground.project();
    }
    let cut = name.split(" from ").next().unwrap_or(name);
    let cut = cut.split(" on ").next().unwrap_or(cut).split(" until ").next().unwrap_or(cut);
    let cut = cut.split(" starting").next().unwrap_or(cut).split(" since ").next().unwrap_or(cut);
    let cut = cut.trim_end_matches(" now").trim_end_matches(" next").trim_end_matches(" project");
    EntityRef::new(EntityKind::Project, cut)
}

fn owners(text: &str, draft: &Draft, ground: &Ground<'_>, maker: &mut Maker<'_>) {
    let tentative = draft.status == S::Tentative;
    let mut set = |subject: EntityRef, owner: EntityRef| {
        let claim = |m: &mut Maker<'_>| m.assert(subject, "owner", ClaimValue::Entity(owner));
        // Who is to do a thing is settled by naming them; when the thing is due is another matter.
        if tentative {
            claim(maker)
        } else if draft.occurred.precision == Precision::Deadline {
            maker.timeless(|m| m.firm(claim))
        } else {
            maker.firm(claim)
        }
    };
    if is_chinese(text) || text.chars().any(super::text::is_han) {
        if let Some(c) = HAN_VACANT.captures(text) {
            maker.end(work(&c["what"], ground), "owner", ClaimValue::Any);
            return;
        }
        if let Some(c) = HAN_OWNS.captures(text) {
            let owner = match c.name("n") {
                Some(name) => person(name.as_str()),
                None => ground.person.cloned(),
            };
            if let Some(owner) = owner {
                set(
                    c.name("what").map_or_else(|| ground.project(), |w| work(w.as_str(), ground)),
                    owner,
                );
                return;
            }
        }
        if let Some(c) = HAN_OWNED.captures(text)
            && let Some(owner) = person(&c["n"])
        {
            set(work(&c["what"], ground), owner);
            return;
        }
        if let Some(c) = HAN_TRANSFER.captures(text)
            && let Some(mover) = han_person_at_head(text)
        {
            let works = EntityRef::new(EntityKind::Project, c["what"].trim());
            maker.assert(mover, "works_on", ClaimValue::Entity(works));
            return;
        }
    }
    if let Some(c) = VACANT.captures(text)
        && let Some(what) = c.name("what").or(c.name("what2"))
    {
        maker.end(work(what.as_str(), ground), "owner", ClaimValue::Any);
    } else if let Some(c) = OWNER_IS.captures(text) {
        if let Some(owner) = person(&c["n"]) {
            set(
                c.name("what").map_or_else(|| ground.project(), |w| work(w.as_str(), ground)),
                owner,
            );
        }
    } else if let Some(c) = HANDED_TO.captures(text) {
        if let Some(owner) = person(&c["n"]).filter(|_| {
            text.contains(" by ")
                || text.contains("assigned to")
                || text.contains("handed")
                || text.contains("transferred to")
        }) {
            set(work(&c["what"], ground), owner);
        }
    } else if let Some(c) = OWNS_WORK.captures(text)
        && let Some(owner) = person(&c["n"])
        && !owns_a_thing(text)
    {
        set(c.name("what").map_or_else(|| ground.project(), |w| work(w.as_str(), ground)), owner);
    }
}

cue!(
    OWNS_THING,
    r"~owns? (?:a|an|two|three|four|five|several|some|his|her|their) ~|~(?:runs|taking|takes|handles?) (?:a|an|the|three|two|four|five|every|each|his|her|\d+)? ?(?:marathon|half|k|times|miles|day|class|classes|photo|photos|pictures|bus|train|week|course|break|care|part|place|medication)"
);

fn owns_a_thing(text: &str) -> bool {
    OWNS_THING.is_match(text)
}

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
cue!(
    ALLERGIC,
    r"~allergic to (?P<o>[\w ,&-]{2,40}?)(?:[.!;]|,? so~|,? please~| but~|$)|~(?:a|an|my|severe|bad|has|have) (?P<o2>(?:[a-z]+ )?[a-z]+) allergy~|对(?P<o3>[^,，。]{1,12}?)(?:严重|也|都|有点)?过敏|(?P<o4>[\p{Han}]{1,5})过敏"
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

fn topic(object: &str) -> Option<&'static str> {
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
fn object(words: &str) -> String {
    static TAIL: LazyLock<Regex> = LazyLock::new(|| {
        super::text::compile(
            r" ?~(?:because|since|so|when|but|and (?:I|we|it|she|he|they)|as it|as they|which|that is|these days|nowadays|any ?more|a lot|very much|too much|too|though|instead|right now|for now|with my|with our|lately)~.*$|[:(].*$|(?:因为|所以|了$|的时候).*$",
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

fn tastes(text: &str, who: &EntityRef, kind: K, maker: &mut Maker<'_>) {
    if let Some(c) = ALLERGIC.captures(text)
        && let Some(what) = ["o", "o2", "o3", "o4"].iter().find_map(|g| c.name(g))
    {
        static AND: LazyLock<Regex> =
            LazyLock::new(|| super::text::compile(r",? and |, |和|、|以及| & "));
        for one in AND.split(what.as_str()) {
            let one = one.trim().trim_start_matches("the ").trim_start_matches('我');
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
        let lower = text.to_lowercase();
        let over = ["no longer", "not ", "anymore", "any more", "不再", "不"]
            .iter()
            .any(|w| lower.contains(w) && !lower.contains("not only"));
        let value = ClaimValue::Text(found.as_str().to_lowercase());
        let op = if over
            && lower.find(found.as_str()).is_some_and(|i| {
                lower[..i].contains("no longer")
                    || lower[..i].contains("not ")
                    || lower[..i].contains("不再")
            }) {
            ClaimOp::End
        } else {
            ClaimOp::Assert
        };
        maker.claim(who.clone(), "diet", None, value, op);
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
        maker.assert(who.clone(), "dislikes", ClaimValue::Text(object(&c["o"])));
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
                maker.assert(who.clone(), "likes", ClaimValue::Text(preferred.trim().to_owned()));
            }
            _ => {}
        }
    } else if let Some(c) = HAN_AVOIDS.captures(text) {
        maker.assert(who.clone(), "dislikes", ClaimValue::Text(object(&c["o"])));
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
                maker.assert(
                    who.clone(),
                    if against { "dislikes" } else { "likes" },
                    ClaimValue::Text(what),
                );
            }
            _ => {}
        }
    }
}

cue!(
    SOLD,
    r"~(?:sold|gave away|got rid of|traded in) (?:my |our |the |his |her )?(?:old )?(?P<o>[\w'-]+(?: [\w'-]+){0,2})|把(?P<o2>[^,，。]{1,8})(?:卖了|卖掉)|(?P<o3>[\p{Han}A-Za-z]{1,8})(?:卖了|卖掉了)"
);
cue!(
    OWNS,
    r"~(?:owns?|(?:bought|got|have|has) (?:myself |himself |herself )?(?:a|an|my|our|his|her)(?: new| first| second| used| red| blue| black| white| small| big)*) (?:a |an |the )?(?P<o>car|house|flat|apartment|bike|bicycle|motorcycle|motorbike|boat|dog|cat|puppy|kitten|parrot|horse|rabbit|guitar|piano|violin|camera|laptop|drone|van|truck|(?-i:[A-Z][\w-]+(?: [A-Z0-9][\w-]*)?))~|(?:买了|养了|有)(?:一)?(?:辆|台|只|条|套|把|架)(?P<o2>[^,，。]{1,8})"
);

fn possessions(text: &str, who: &EntityRef, kind: K, maker: &mut Maker<'_>) {
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

fn undertakings(
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
            m.assert(ground.project(), "budget", ClaimValue::Text(value.as_str().to_owned()))
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
                    )
                })
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
    } else if let Some(c) =
        EVENT_ON.captures(text).filter(|_| matches!(draft.kind, K::Plan | K::Result))
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
    let _ = Shape::Point;
}

cue!(INDEFINITE, r"^(?:a|an|another|some|any|one|two|three|my first|more|few|several|all|each|every|this|that|\d+)~|~(?:like|that|who|which|so|very)~");

fn is_pronoun(words: &str) -> bool {
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

fn noun(words: &str) -> String {
    static TAIL: LazyLock<Regex> = LazyLock::new(|| {
        super::text::compile(
            r" ~(?:last|this|next|on|in|yesterday|today|at|by|for|from|to|with|and|because|before|after|finally|early|late|just|as|since|of|is|are|was)~.*$|(?:的$|了$)",
        )
    });
    let words = words.trim();
    let words = words
        .trim_start_matches("the ")
        .trim_start_matches("our ")
        .trim_start_matches("my ")
        .trim_start_matches("a ")
        .trim_start_matches("把");
    TAIL.replace(words, "").trim().to_owned()
}

fn thing(words: &str) -> EntityRef {
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

fn activity(word: &str) -> String {
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

fn bodies(text: &str, who: &EntityRef, draft: &Draft, maker: &mut Maker<'_>) {
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
            )
        });
    }
    let _ = is_han_name;
}
