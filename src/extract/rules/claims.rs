//! Statements about entities that a clause makes. Each pattern names its property; nothing is
//! claimed that the words do not say.

use super::corrections::corrects;
use super::draft::Draft;
use super::endings::{affirmed, is_ending, turned_round};
use super::familiar::Familiar;
use super::names::{han_person_at_head, person_at_head, this_project};
use super::text::{cue, is_chinese};
use super::tooling;
use super::{
    bodies::bodies,
    owners::owners,
    people::people,
    tastes::{possessions, tastes},
    undertakings::undertakings,
};
use crate::extract::dates::Shape;
use crate::model::{
    Claim, ClaimOp, ClaimValue, EntityKind, EntityRef, EventKind as K, EventStatus as S,
    Occurrence, Precision,
};
use chrono::NaiveDate;
use std::collections::BTreeMap;

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
    /// Whether `project` was named in this Block, rather than before it.
    pub named_here: bool,
    /// The project that each property was last stated of.
    pub holders: &'a BTreeMap<String, EntityRef>,
    /// The names that the conversation knows.
    pub familiar: &'a Familiar,
    /// The local day of the message.
    pub today: NaiveDate,
}

impl Ground<'_> {
    pub fn project(&self) -> EntityRef {
        self.project.cloned().unwrap_or_else(this_project)
    }

    /// The project whose property a clause without a project changes: the one named in this
    /// Block, else the one that the property was last stated of.
    pub fn project_with(&self, property: &str) -> EntityRef {
        let holder = (!self.named_here).then(|| self.holders.get(property)).flatten();
        holder.cloned().unwrap_or_else(|| self.project())
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
        // What ends, ends at a time: never "before the conversation".
        let valid = self.valid.clone().filter(|v| op == ClaimOp::Assert || v.local_from.is_some());
        let claim = Claim {
            subject,
            property: property.to_owned(),
            qualifier,
            value,
            op,
            valid,
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

    pub fn firm(&mut self, f: impl FnOnce(&mut Self)) {
        let planned = std::mem::replace(&mut self.planned, false);
        f(self);
        self.planned = planned;
    }

    /// Turns what a clause states of a person into its opposite where the clause denies it, and
    /// drops it where the clause tells only what used to be.
    fn deny(&mut self, first: usize, text: &str) {
        let past = USED_TO_BE.is_match(text);
        let denied = DENIES_STATE.is_match(text);
        if !past && !denied {
            return;
        }
        let personal = |claim: &Claim| {
            matches!(claim.property.as_str(), "home_city" | "employer" | "allergic_to" | "role")
        };
        let made = self.out.split_off(first);
        for mut claim in made {
            if personal(&claim) && claim.op == ClaimOp::Assert {
                if past {
                    continue;
                }
                claim.op = ClaimOp::End;
                claim.valid = claim.valid.filter(|v| v.local_from.is_some());
            }
            self.out.push(claim);
        }
    }

    pub fn timeless(&mut self, f: impl FnOnce(&mut Self)) {
        let valid = self.valid.take();
        f(self);
        self.valid = valid;
    }
}

cue!(
    DENIES_STATE,
    r"~(?:I'm|am|is|are|was|were|do|does|did)(?: not|n't) |~(?:isn't|aren't|don't|doesn't|didn't|wasn't|never|no longer|not anymore)~|[不没](?:有)?(?:再)?(?:对|住|在|过敏)|没有?(?:住|在|对)|不是"
);
cue!(
    USED_TO_BE,
    r"~(?:used to|formerly|once upon)~|以前|曾经|从前|之前(?:一直)?(?:住|在|对)|小时候"
);

pub(super) fn tool(name: &str) -> ClaimValue {
    ClaimValue::Entity(EntityRef::new(EntityKind::Tool, name))
}

cue!(
    /// Signs that an earlier statement was wrong.
    CORRECTS,
    r"~(?:actually,? (?:it|that) (?:was|is)|actually it's|I was wrong|my mistake|my bad|I misspoke|correction|I meant|not [\w ]+ but rather|that was wrong)~|~actually,? [\w' ]{2,30} never (?:owned|led|managed|maintained|used|lived|worked|was)~|~(?:sorry|oops|wait),? (?:it|that) (?:was|is)~|说错了|记错了|搞错了|更正|纠正|其实是|不对[,，]"
);

/// Fills in the claims of a draft.
pub(super) fn fill(draft: &mut Draft, ground: &Ground<'_>) {
    if matches!(draft.status, S::Cancelled | S::Rejected) {
        return;
    }
    let text = super::classify::normalised(&draft.statement).into_owned();
    let text = after_time_words(&text);
    if THIRD_PERSON.is_match(text) && ground.person.is_none() {
        // "She" who was not named: whatever is claimed would be claimed of somebody else.
        return;
    }
    let open = matches!(draft.status, S::Planned | S::Tentative);
    if is_ending(text) && draft.kind != K::Request {
        let over = turned_round(stated(&affirmed(text), draft, ground));
        // That something will end one day ends nothing yet.
        if open || !over.is_empty() {
            draft.claims = if open { Vec::new() } else { over };
            return;
        }
    }
    let mut claims = stated(text, draft, ground);
    if draft.status == S::Negated {
        // What is said not to be begins nothing.
        claims.retain(|claim| claim.op == ClaimOp::End);
    }
    plan_what_is_ahead(&mut claims, draft, ground.today);
    draft.claims = claims;
}

/// "I took the job, starting at Globex on 1 April": what begins on a day to come does not hold yet.
fn plan_what_is_ahead(claims: &mut [Claim], draft: &Draft, today: NaiveDate) {
    let Some(time) = &draft.dated_by else { return };
    let begins = matches!(time.shape, Shape::Point | Shape::Since | Shape::Range);
    if !begins || time.occurrence.local_from.is_none_or(|day| day <= today) {
        return;
    }
    for claim in claims.iter_mut().filter(|claim| claim.op == ClaimOp::Assert) {
        if matches!(claim.property.as_str(), "employer" | "role" | "home_city" | "works_on") {
            claim.planned = true;
            claim.valid = Some(time.occurrence.clone());
        }
    }
}

/// The time that the claims of a draft hold for, where its words tell one.
fn validity(draft: &Draft) -> Option<Occurrence> {
    let o = &draft.occurred;
    let dated = draft.dated_by.is_some()
        && o.precision != Precision::Unknown
        && o.precision != Precision::Deadline
        && !matches!(draft.kind, K::Problem);
    let state_before = draft.kind == K::State && o.precision == Precision::OpenEnd;
    let no_such_day = draft.dated_by.as_ref().is_some_and(|time| time.shape == Shape::Impossible);
    (dated || state_before || no_such_day).then(|| o.clone())
}

/// What a text states, read as the clause of a draft.
fn stated(text: &str, draft: &Draft, ground: &Ground<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut maker = Maker {
        valid: validity(draft),
        planned: matches!(draft.status, S::Planned | S::Tentative),
        corrects: corrects(ground.sentence),
        out: &mut claims,
    };
    let negated = draft.status == S::Negated;
    let who = subject_of(text, ground);
    let own = whose(text, ground);
    if draft.kind != K::Request && !negated {
        let accepted = draft.kind == K::Decision && draft.sources.len() > 1;
        tooling::read(text, &who, ground, accepted, &mut maker);
    }
    if let Some(own) = &own {
        let first = maker.out.len();
        if draft.kind != K::Request {
            people(text, own, ground, &mut maker);
        }
        tastes(text, own, draft.kind, &mut maker);
        maker.deny(first, text);
    }
    if negated {
        return claims;
    }
    owners(text, draft, ground, &mut maker);
    if let Some(own) = &own {
        possessions(text, own, draft.kind, &mut maker);
    }
    undertakings(text, draft, ground, &who, &mut maker);
    if let Some(own) = &own {
        bodies(text, own, draft, &mut maker);
    }
    if draft.kind == K::Constraint && maker.out.is_empty() {
        let subject = if starts_personal(text) { who } else { ground.project() };
        maker.assert(subject, "constraint", ClaimValue::Text(text.to_owned()));
    }
    claims
}

cue!(
    TIME_HEAD,
    r"^(?:and |but |so |then |also )*(?:(?:since|from|as of|starting|on|in|until|by)(?: the)? )?$"
);

cue!(
    HAN_TIME_HEAD,
    r"^(?:从[^,，。]{1,8}?(?:起|开始)|(?:下|上|这|本)(?:个)?(?:周|星期|礼拜)[一二三四五六日天]?|下个?月|上个?月|明天|今天|昨天)[,，]?"
);

/// "Since Monday Tom owns it": what is said of Tom, where a person follows the words about time.
fn after_time_words(text: &str) -> &str {
    if !text.is_ascii() {
        let rest = HAN_TIME_HEAD.find(text).map_or(text, |m| &text[m.end()..]);
        return if han_person_at_head(rest).is_some() { rest } else { text };
    }
    let Some(time) = crate::extract::dates::find(text, &super::tooling::EPOCH).into_iter().next()
    else {
        return text;
    };
    // The text is ASCII: characters are bytes.
    let rest = text[time.end..].trim_start_matches([',', ' ']);
    let rest = rest.strip_prefix("on ").unwrap_or(rest).trim_start_matches([',', ' ']);
    let leads = TIME_HEAD.is_match(&text[..time.start]);
    if leads && person_at_head(rest).is_some() { rest } else { text }
}

fn starts_personal(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["i ", "i'm", "my ", "我"].iter().any(|h| lower.starts_with(h))
}

cue!(
    FIRST_PERSON,
    r"^(?:and |but |so |then |also |well,? |actually,? |yes,? |no,? )*(?:I|I'm|I've|I'll|I'd|my|me)~|^(?:另外|还有|对了|其实|以后|现在|从今天起|最近|那)?[,，]?我(?:[^们]|$)"
);

cue!(
    /// Somebody or something else is what the clause is about.
    OTHER_SUBJECT,
    r"^(?:and |but |so |then |also )*(?:(?:they|people|everyone|everybody|no one|someone|somebody|most of (?:us|them)) |(?:our|your|his|her|their|the|a|an|this|that|some|every|each|one of) [\w'’-]+(?: [\w'’-]+){0,4}? |(?-i:\p{Lu}[\p{L}'’.-]*)(?: (?-i:\p{Lu}[\p{L}'’.-]*))* )(?:is|was|are|were|has|had|lives?|lived|moved?|moves|joined|joins|left|works?|worked|likes?|loves?|hates?|prefers?|speaks?|can't|owns?|quit|got|became|relocated|resigned|retired)~"
);

cue!(
    /// "My flatmate moved": of the speaker's, but not the speaker.
    MY_OTHER,
    r"^(?:and |but |so |then |also )*my [\w'’ -]{2,30}? (?:(?:is|are|was) (?:\w+ )?(?:allergic|vegan|vegetarian|based|working|living|moving|a|an|the)|lives?|lived|moved?|moves|works?|worked|joined|left|quit|speaks?|likes?|loves?|hates?|prefers?|relocated|retired)~"
);

/// Words that may stand before a verb in Chinese without being its subject.
const HAN_ADVERBS: &[&str] = &[
    "以后",
    "以前",
    "现在",
    "目前",
    "最近",
    "上周",
    "下周",
    "这周",
    "本周",
    "今年",
    "明年",
    "去年",
    "昨天",
    "今天",
    "明天",
    "其实",
    "另外",
    "已经",
    "刚刚",
    "刚",
    "本来",
    "真的",
    "特别",
    "非常",
    "一直",
    "从小",
    "平时",
    "打算",
    "准备",
    "计划",
    "可能",
    "终于",
    "下个月",
    "上个月",
    "这个月",
    "早就",
    "也",
    "还",
    "都",
    "就",
    "不",
    "没",
    "不再",
    "还是",
    "仍然",
    "很",
    "最",
    "比较",
    "更",
    "曾经",
    "从前",
    "要",
    "会",
    "想",
    "决定",
    "将",
    "又",
    "对了",
    "然后",
    "但",
    "但是",
    "所以",
    "因为",
    "再",
    "有点",
    "超",
    "挺",
    "年底",
    "月底",
];

cue!(
    HAN_SUBJECT,
    r"^(?P<s>[\p{Han}]{2,9}?)(?:搬到|搬去|住在|对[^,，。]{1,12}过敏|喜欢|讨厌|加入|离职|辞职|跳槽|在[^,，。]{2,12}(?:工作|上班|任职))"
);

fn other_han_subject(text: &str) -> bool {
    let Some(found) = HAN_SUBJECT.captures(text) else { return false };
    let mut rest = found["s"].to_owned();
    if rest.contains('我') {
        return false;
    }
    while let Some(word) = HAN_ADVERBS.iter().find(|word| rest.starts_with(**word)) {
        rest.drain(..word.len());
    }
    rest.chars().count() > 1
}

/// Whose state a clause tells; nobody's that we could name, where it has another subject.
fn whose(text: &str, ground: &Ground<'_>) -> Option<EntityRef> {
    if FIRST_PERSON.is_match(text) {
        let relative = relative_at_head(text, ground.speaker);
        return match relative {
            None if MY_OTHER.is_match(text) => None,
            None => Some(ground.speaker.clone()),
            relative => relative,
        };
    }
    if THIRD_PERSON.is_match(text) {
        return ground.person.cloned();
    }
    let named = person_at_head(text)
        .or_else(|| if is_chinese(text) { han_person_at_head(text) } else { None });
    match named {
        None if OTHER_SUBJECT.is_match(text) || other_han_subject(text) => None,
        None => Some(ground.speaker.clone()),
        named => named,
    }
}

cue!(THIRD_PERSON, r"^(?:and |but |so |then |also )*(?:he|she)(?:'s|'ll|'d)?~|^[他她](?:[^们]|$)");

/// Who a clause is about: the person at its head, the speaker, or the one named before.
pub(super) fn subject_of(text: &str, ground: &Ground<'_>) -> EntityRef {
    if FIRST_PERSON.is_match(text) {
        return relative_at_head(text, ground.speaker).unwrap_or_else(|| ground.speaker.clone());
    }
    if THIRD_PERSON.is_match(text)
        && let Some(person) = ground.person
    {
        return person.clone();
    }
    person_at_head(text)
        .or_else(|| if is_chinese(text) { han_person_at_head(text) } else { None })
        .unwrap_or_else(|| ground.speaker.clone())
}

cue!(
    KIN,
    r"^(?:and |but |so |then |also )*my (?:new |old |best |older |younger |elder |little |big |ex-?|former )*(colleague|co-?worker|team-?mate|friend|manager|wife|husband|son|daughter|mom|mum|dad|mother|father|sister|brother|partner|girlfriend|boyfriend|boss|cousin|aunt|uncle|roommate|neighbou?r|grandma|grandpa|grandmother|grandfather)~(?: (?P<n>(?-i:[A-Z][a-z'’-]+))~)?"
);

/// The speaker's relative, friend or colleague at the head of a clause, if one is there.
pub(super) fn relative_at_head(text: &str, speaker: &EntityRef) -> Option<EntityRef> {
    if let Some(found) = HAN_KIN.captures(text) {
        return Some(kin(speaker, &found[1]));
    }
    let found = KIN.captures(text)?;
    let named = found.name("n").and_then(|name| super::names::person(name.as_str()));
    Some(named.unwrap_or_else(|| kin(speaker, &found[1].to_lowercase())))
}

cue!(
    HAN_KIN,
    r"^(?:另外|还有|对了|其实|最近|那)?[,，]?我(?:的|家)?(老婆|妻子|太太|老公|丈夫|先生|儿子|女儿|孩子|妈妈?|母亲|爸爸?|父亲|哥哥?|弟弟|姐姐?|妹妹|爷爷|奶奶|外公|外婆|叔叔|阿姨|同事|朋友|室友|老板|经理|领导|女朋友|男朋友|对象|狗|猫)(?:[^,，。是叫]|$)"
);

fn kin(speaker: &EntityRef, who: &str) -> EntityRef {
    EntityRef::new(EntityKind::Person, format!("{}'s {who}", speaker.name))
}
