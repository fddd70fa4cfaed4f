//! Values that follow one another, ends, vague times and conflicts.

use super::super::testing::{Memory, ends, lines, says, valid, value};
use super::super::{Position, Rule, SlotClaim, fold};
use crate::model::{Precision, Reason, ThreadId};

fn check(claims: &[SlotClaim], expected: &[&str]) {
    let forwards = fold(true, claims);
    assert_eq!(lines(&forwards), expected);
    let backwards: Vec<SlotClaim> = claims.iter().rev().cloned().collect();
    assert_eq!(fold(true, &backwards), forwards, "the order of arrival must not matter");
}

#[test]
fn a_later_value_supersedes_at_its_own_start() {
    let claims = [says("e1", "npm", 6), says("e2", "pnpm", 8)];
    check(&claims, &["npm 6-8 changed by e2 for pnpm [e1]", "pnpm 8- [e2]"]);
    let closing = fold(true, &claims).facts[0].closed.clone().expect("npm ended");
    assert_eq!(closing.rule, Rule::LaterValueOfFunctionalProperty);
}

#[test]
fn a_repetition_adds_a_source_and_no_fact() {
    let claims = [says("e1", "npm", 6), says("e2", "NPM", 7), says("e3", "npm", 9)];
    check(&claims, &["npm 6- [e1 e2 e3]"]);
}

#[test]
fn late_evidence_slots_in_before_the_newer_state() {
    let claims = [
        says("e1", "tea", 20),
        SlotClaim { mentioned_at: valid(25).0, ..says("e2", "coffee", 10).since(10) },
    ];
    check(&claims, &["coffee 10-20 changed by e1 for tea [e2]", "tea 20- [e1]"]);
}

#[test]
fn the_instant_of_change_belongs_to_the_new_value_alone() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 8), 8);
    assert_eq!(memory.current(8), ["pnpm"]);
}

#[test]
fn an_end_closes_the_value_it_names_and_no_other() {
    check(&[says("e1", "npm", 6), ends("e2", "npm", 8)], &["npm 6-8 ended by e2 [e1]"]);
    check(&[says("e1", "npm", 6), ends("e2", "", 8)], &["npm 6-8 ended by e2 [e1]"]);
    check(&[says("e1", "npm", 6), ends("e2", "yarn", 8)], &["npm 6- [e1]"]);
    check(&[ends("e1", "npm", 6)], &[]);
}

#[test]
fn a_value_stated_again_after_its_end_is_a_new_fact() {
    let claims = [says("e1", "npm", 6), ends("e2", "npm", 8), says("e3", "npm", 10)];
    check(&claims, &["npm 6-8 ended by e2 [e1]", "npm 10- [e3]"]);
    assert_eq!(fold(true, &claims).facts[1].rule, Rule::StatedAgainAfterEnd);
}

#[test]
fn a_change_beats_a_bare_end_at_the_same_instant() {
    let claims = [says("e1", "npm", 6), ends("e2", "npm", 8), says("e3", "pnpm", 8)];
    check(&claims, &["npm 6-8 changed by e3 for pnpm [e1]", "pnpm 8- [e3]"]);
}

#[test]
fn a_stated_end_holds_until_then_and_needs_no_closing() {
    check(&[says("e1", "npm", 6).until(9)], &["npm 6- until 9 [e1]"]);
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6).until(9), 6);
    assert_eq!(memory.current(8), ["npm"]);
    assert!(memory.current(9).is_empty());
    let end = super::super::end_of(&memory.facts[0], None).expect("an end is stated");
    assert_eq!((end.reason, end.valid_to), (Reason::Expired, valid(9)));
}

#[test]
fn a_value_stated_after_its_known_end_is_a_new_fact() {
    let claims = [says("e1", "npm", 6).until(9), says("e2", "npm", 12)];
    check(&claims, &["npm 6- until 9 [e1]", "npm 12- [e2]"]);
}

#[test]
fn the_source_mentioned_last_says_when_it_ends() {
    let claims = [says("e1", "npm", 6).until(9), says("e2", "npm", 7).until(20)];
    check(&claims, &["npm 6- until 20 [e1 e2]"]);
}

#[test]
fn after_a_bounded_interlude_nothing_is_invented() {
    let claims = [says("e1", "npm", 6), says("e2", "yarn", 8).until(10)];
    check(&claims, &["npm 6-8 changed by e2 for yarn [e1]", "yarn 8- until 10 [e2]"]);
}

#[test]
fn an_unknown_start_comes_before_everything() {
    let claims = [says("e1", "npm", 6).still(), says("e2", "pnpm", 8)];
    check(&claims, &["npm ?-8 changed by e2 for pnpm [e1]", "pnpm 8- [e2]"]);
}

#[test]
fn still_confirms_the_fact_that_holds_when_it_is_said() {
    // Placing it before everything would invent npm before yarn.
    let claims = [says("e1", "yarn", 2), says("e2", "npm", 6), says("e3", "npm", 10).still()];
    check(&claims, &["yarn 2-6 changed by e2 for npm [e1]", "npm 6- [e2 e3]"]);
}

#[test]
fn still_against_another_value_holds_from_its_mention() {
    let claims = [says("e1", "yarn", 2), says("e2", "npm", 10).still()];
    check(&claims, &["yarn 2-10 changed by e2 for npm [e1]", "npm 10- [e2]"]);
    assert_eq!(fold(true, &claims).facts[1].precision, Precision::Unknown);
}

#[test]
fn still_after_nobody_does_not_reach_behind_that() {
    let claims = [ends("e1", "", 2), says("e2", "npm", 10).still()];
    check(&claims, &["npm 10- [e2]"]);
}

#[test]
fn this_week_said_on_thursday_comes_after_what_was_said_on_monday() {
    let claims = [says("e1", "npm", 5), says("e2", "pnpm", 8).within(4)];
    check(&claims, &["npm 5-8 changed by e2 for pnpm [e1]", "pnpm 8- [e2]"]);
}

#[test]
fn a_vague_start_stays_where_nothing_stands_against_it() {
    check(&[says("e2", "pnpm", 8).within(4)], &["pnpm 4- [e2]"]);
    let claims = [says("e1", "npm", 2), says("e2", "pnpm", 8).within(4)];
    check(&claims, &["npm 2-4 changed by e2 for pnpm [e1]", "pnpm 4- [e2]"]);
}

#[test]
fn equal_starts_with_different_values_conflict() {
    let claims = [says("e1", "npm", 6), says("e2", "pnpm", 8), says("e3", "yarn", 8)];
    check(&claims, &["npm 6-8 changed by e2 [e1]", "pnpm 8- [e2]", "yarn 8- [e3]"]);
    let folded = fold(true, &claims);
    assert_eq!(folded.conflicts.len(), 1);
    assert_eq!(folded.conflicts[0].candidates, [1, 2]);
    assert_eq!(folded.conflicts[0].decided_by, None);
    assert_eq!(
        folded.facts[0].closed.as_ref().map(|closing| closing.rule),
        Some(Rule::EqualInstantsConflict)
    );
}

#[test]
fn members_of_an_open_conflict_appear_under_conflicts_only() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 8), 8);
    memory.hear(says("e3", "yarn", 8), 9);
    let now = memory.state(10, None);
    assert!(now.current.is_empty());
    assert_eq!(now.conflict.len(), 2);
    assert_eq!(memory.current(7), ["npm"], "earlier history stays");
    assert_eq!(memory.state(10, Some(8)).current.len(), 1, "undisputed as known on the 8th");
}

#[test]
fn a_later_value_decides_the_present_and_leaves_the_past_undecided() {
    let mut memory = Memory::functional();
    for claim in [says("e1", "npm", 6), says("e2", "pnpm", 6), says("e3", "pnpm", 9)] {
        memory.hear(claim, 9);
    }
    assert_eq!(memory.current(9), ["pnpm"]);
    assert!(memory.state(9, None).conflict.is_empty());
    assert_eq!(memory.state(7, None).conflict.len(), 2);
    assert_eq!(memory.conflicts.len(), 1);
    assert_eq!(memory.conflicts[0].resolved_by, Some("e3".into()));
    let closings = memory.facts.iter().filter_map(|fact| fact.closing(None));
    assert!(closings.clone().all(|closing| closing.rule == "decided_by_later_value"));
    assert_eq!(closings.count(), 2);
}

#[test]
fn a_conflict_with_the_value_that_held_continues_it_as_a_candidate() {
    let claims = [says("e1", "npm", 6), says("e2", "npm", 8), says("e3", "yarn", 8)];
    check(&claims, &["npm 6-8 refined by e2 for npm [e1]", "npm 8- [e2]", "yarn 8- [e3]"]);
}

#[test]
fn an_end_of_one_candidate_leaves_the_other_as_the_state() {
    let mut memory = Memory::functional();
    for claim in [says("e1", "npm", 6), says("e2", "pnpm", 6), ends("e3", "npm", 9)] {
        memory.hear(claim, 9);
    }
    assert_eq!(memory.current(9), ["pnpm"]);
    assert_eq!(memory.conflicts[0].resolved_by, Some("e3".into()));
}

#[test]
fn messages_of_one_thread_with_one_time_follow_their_order() {
    let at = |claim: SlotClaim, index| SlotClaim {
        position: Some(Position { thread: ThreadId::from("t"), index }),
        ..claim
    };
    let claims = [at(says("e2", "npm", 6), 1), at(says("e1", "pnpm", 6), 2)];
    check(&claims, &["npm 6-6 changed by e1 for pnpm [e2]", "pnpm 6- [e1]"]);
    let mut elsewhere = claims.clone();
    elsewhere[1].position = Some(Position { thread: ThreadId::from("u"), index: 2 });
    assert_eq!(fold(true, &elsewhere).conflicts.len(), 1);
}

#[test]
fn values_of_a_many_valued_property_never_touch_each_other() {
    let claims = [
        says("e1", "rust", 6),
        says("e2", "redis", 7),
        ends("e3", "redis", 9),
        says("e4", "rust", 8),
    ];
    let folded = fold(false, &claims);
    assert_eq!(lines(&folded), ["rust 6- [e1 e4]", "redis 7-9 ended by e3 [e2]"]);
    assert!(folded.conflicts.is_empty());
    let none_left = fold(false, &[claims[0].clone(), claims[1].clone(), ends("e5", "", 9)]);
    assert_eq!(lines(&none_left), ["rust 6-9 ended by e5 [e1]", "redis 7-9 ended by e5 [e2]"]);
    assert_eq!(none_left.facts[0].value, value("rust"));
}
