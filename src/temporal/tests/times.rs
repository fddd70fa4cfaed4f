//! How a claim's time words become its place.

use super::super::testing::value;
use super::super::{SlotClaim, fold};
use crate::model::{
    Basis, BlockId, Claim, ClaimOp, ClaimValue, Criticality, EntityKind, EntityRef, Event, EventId,
    EventKind, EventStatus, Extractor, MessageId, Occurrence, Precision, Scope, Stamp, ThreadId,
    ValidTime,
};
use chrono::{DateTime, FixedOffset, Utc};

fn instant(text: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(text).expect("a valid time")
}

fn utc(text: &str) -> DateTime<Utc> {
    instant(text).with_timezone(&Utc)
}

fn occurrence(from: &str, to: &str, precision: Precision) -> Occurrence {
    let bound = |text: &str| (!text.is_empty()).then(|| utc(text));
    Occurrence {
        from: bound(from),
        to: bound(to),
        precision,
        basis: Basis::Relative,
        ..Occurrence::unknown(None)
    }
}

fn claim(valid: Option<Occurrence>) -> Claim {
    Claim {
        subject: EntityRef::new(EntityKind::Project, "shop"),
        property: "package_manager".to_owned(),
        qualifier: None,
        value: ClaimValue::Text("pnpm".to_owned()),
        op: ClaimOp::Assert,
        valid,
        planned: false,
        corrects: false,
    }
}

fn said(id: &str, mention: &str, word: &str, claim: &Claim) -> SlotClaim {
    let event = Event {
        id: EventId::from(id),
        title: String::new(),
        summary: String::new(),
        kind: EventKind::State,
        status: EventStatus::Ongoing,
        tags: Vec::new(),
        quotes: Vec::new(),
        participants: Vec::new(),
        thread: ThreadId::from("t"),
        block: BlockId::from("b"),
        sources: vec![MessageId::from("m")],
        mentioned_at: Stamp::given(instant(mention)),
        occurred: Occurrence::unknown(None),
        scope: Scope::Project,
        criticality: Criticality::Routine,
        relations: Vec::new(),
        speaker: "user".to_owned(),
        reason: None,
        extractor: Extractor { name: "test".to_owned(), version: "1".to_owned() },
        claims: Vec::new(),
    };
    SlotClaim::from_claim(&event, 0, claim, Some(value(word)), Some(3))
}

fn at(text: &str) -> ValidTime {
    ValidTime(utc(text))
}

const NOON: &str = "2026-05-08T12:00:00+08:00";

#[test]
fn without_time_words_the_mention_is_the_start() {
    let plain = said("e1", NOON, "pnpm", &claim(None));
    assert_eq!((plain.at, plain.by), (Some(at(NOON)), at(NOON)));
    assert_eq!((plain.precision, plain.stated), (Precision::Instant, false));
    let day = occurrence("2026-05-08T00:00:00+08:00", "2026-05-09T00:00:00+08:00", Precision::Day);
    let inferred = Occurrence { basis: Basis::Inferred, ..day };
    assert_eq!(said("e1", NOON, "pnpm", &claim(Some(inferred))), plain);
}

#[test]
fn a_vague_start_is_no_end() {
    let week =
        occurrence("2026-04-27T00:00:00+08:00", "2026-05-04T00:00:00+08:00", Precision::Week);
    let since_last_week = said("e1", NOON, "pnpm", &claim(Some(week)));
    let monday = at("2026-04-27T00:00:00+08:00");
    assert_eq!((since_last_week.at, since_last_week.by), (Some(monday), monday));
    assert_eq!(since_last_week.known_end, None);
    assert!(since_last_week.stated);
}

#[test]
fn a_mention_within_the_vague_start_makes_it_certain() {
    let today =
        occurrence("2026-05-08T00:00:00+08:00", "2026-05-09T00:00:00+08:00", Precision::Day);
    let switched_today = said("e2", NOON, "pnpm", &claim(Some(today)));
    assert_eq!(switched_today.at, Some(at("2026-05-08T00:00:00+08:00")));
    assert_eq!(switched_today.by, at(NOON));
    let from_today = occurrence("2026-05-08T00:00:00+08:00", "", Precision::OpenEnd);
    assert_eq!(said("e2", NOON, "pnpm", &claim(Some(from_today))).by, at(NOON));
    let this_morning = said("e1", "2026-05-08T09:00:00+08:00", "npm", &claim(None));
    let folded = fold(true, &[switched_today, this_morning]);
    assert_eq!(folded.facts[1].value, value("pnpm"), "what was said in the morning came first");
    assert_eq!(folded.facts[1].valid_from, Some(at(NOON)));
}

#[test]
fn an_open_start_at_a_time_of_day_is_exact() {
    let from_nine = occurrence("2026-05-08T09:00:00+08:00", "", Precision::OpenEnd);
    let claim = said("e1", NOON, "pnpm", &claim(Some(from_nine)));
    assert_eq!((claim.at, claim.by), (Some(at("2026-05-08T09:00:00+08:00")), claim.by));
    assert_eq!(claim.by, at("2026-05-08T09:00:00+08:00"));
}

#[test]
fn a_range_states_its_end() {
    let stay =
        occurrence("2026-07-03T00:00:00+08:00", "2026-07-18T00:00:00+08:00", Precision::Range);
    let stay = said("e1", NOON, "pnpm", &claim(Some(stay)));
    assert_eq!(stay.known_end, Some(at("2026-07-18T00:00:00+08:00")));
    assert_eq!(stay.by, at("2026-07-03T00:00:00+08:00"));
}

#[test]
fn a_range_that_is_over_when_it_is_mentioned_proves_nothing_of_the_mention() {
    let night =
        occurrence("2026-05-08T00:00:00+08:00", "2026-05-08T09:00:00+08:00", Precision::Range);
    let night = said("e1", NOON, "pnpm", &claim(Some(night)));
    assert_eq!(night.by, at("2026-05-08T00:00:00+08:00"));
}

#[test]
fn an_inverted_range_keeps_its_start_only() {
    let bad = occurrence("2026-05-01T00:00:00Z", "2026-01-01T00:00:00Z", Precision::Range);
    let bad = said("e1", NOON, "pnpm", &claim(Some(bad)));
    assert_eq!((bad.at, bad.known_end), (Some(at("2026-05-01T00:00:00Z")), None));
}

#[test]
fn a_deadline_ends_a_state_but_not_a_plan() {
    let friday = occurrence(NOON, "2026-05-16T00:00:00+08:00", Precision::Deadline);
    let until = claim(Some(friday));
    let end = Some(at("2026-05-16T00:00:00+08:00"));
    assert_eq!(said("e1", NOON, "pnpm", &until).known_end, end);
    let plan = Claim { planned: true, ..until };
    assert_eq!(said("e1", NOON, "pnpm", &plan).known_end, None);
}

#[test]
fn still_is_certain_at_its_mention_and_until_just_before_its_end() {
    let still = said("e1", NOON, "pnpm", &claim(Some(occurrence("", "", Precision::OpenEnd))));
    assert_eq!((still.at, still.by, still.known_end), (None, at(NOON), None));
    let past = occurrence("", "2026-05-02T00:00:00Z", Precision::Day);
    let past = said("e1", NOON, "pnpm", &claim(Some(past)));
    assert_eq!((past.at, past.known_end), (None, Some(at("2026-05-02T00:00:00Z"))));
    assert_eq!(past.by, at("2026-05-01T23:59:59Z"));
}

#[test]
fn an_end_has_no_end_of_its_own() {
    let range = occurrence("2026-05-01T00:00:00Z", "2026-05-03T00:00:00Z", Precision::Range);
    let end = Claim { op: ClaimOp::End, ..claim(Some(range)) };
    assert_eq!(said("e1", NOON, "pnpm", &end).known_end, None);
}

#[test]
fn offsets_are_compared_as_instants() {
    let east = said("e1", "2026-01-01T00:30:00+08:00", "npm", &claim(None));
    let utc = said("e2", "2025-12-31T20:00:00Z", "pnpm", &claim(None));
    let folded = fold(true, &[utc, east]);
    assert_eq!(folded.facts[0].value, value("npm"), "16:30 UTC comes before 20:00 UTC");
}
