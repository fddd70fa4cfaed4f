//! Statements about entities that a clause makes. Each pattern names its property; nothing is
//! claimed that the words do not say.

use super::draft::Draft;
use super::names::{han_person_at_head, person_at_head, this_project};
use super::text::{cue, is_chinese};
use super::tooling;
use super::{
    owners::owners,
    people::people,
    tastes::{possessions, tastes},
    undertakings::{bodies, undertakings},
};
use crate::model::{
    Claim, ClaimOp, ClaimValue, EntityKind, EntityRef, EventKind as K, EventStatus as S,
    Occurrence, Precision,
};

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

    pub fn timeless(&mut self, f: impl FnOnce(&mut Self)) {
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
    let text = super::classify::normalised(&draft.statement).into_owned();
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
    r"^(?:and |but |so |then |also )*my (wife|husband|son|daughter|mom|mum|dad|mother|father|sister|brother|partner|girlfriend|boyfriend|boss|cousin|aunt|uncle|roommate|neighbou?r|grandma|grandpa|grandmother|grandfather)~"
);

fn relative(text: &str) -> Option<String> {
    KIN.captures(text).map(|c| c[1].to_lowercase())
}

fn kin(speaker: &EntityRef, who: &str) -> EntityRef {
    EntityRef::new(EntityKind::Person, format!("{}'s {who}", speaker.name))
}
