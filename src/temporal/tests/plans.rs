//! A plan is not a fact.

use super::super::testing::{Memory, ends, lines, says};
use super::super::{Rule, SlotClaim, fold};

fn check(claims: &[SlotClaim], expected: &[&str]) {
    let forwards = fold(true, claims);
    assert_eq!(lines(&forwards), expected);
    let backwards: Vec<SlotClaim> = claims.iter().rev().cloned().collect();
    assert_eq!(fold(true, &backwards), forwards, "the order of arrival must not matter");
}

fn rule_of_first_end(claims: &[SlotClaim]) -> Option<Rule> {
    fold(true, claims).facts.iter().find_map(|fact| fact.closed.as_ref()).map(|c| c.rule)
}

#[test]
fn a_plan_supersedes_nothing_and_never_becomes_current() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 7).since(11).planned(), 7);
    for day in [7, 11, 30] {
        assert_eq!(memory.current(day), ["npm"]);
        assert_eq!(memory.state(day, None).planned.len(), 1);
    }
    check(&memory.claims, &["npm 6- [e1]", "pnpm 11- planned [e2]"]);
}

#[test]
fn a_newer_plan_replaces_the_older_one() {
    let claims = [says("e1", "3 July", 6).planned(), says("e2", "6 July", 8).planned()];
    check(&claims, &["3 July 6-8 planned changed by e2 for 6 July [e1]", "6 July 8- planned [e2]"]);
    assert_eq!(rule_of_first_end(&claims), Some(Rule::PlanReplaced));
}

#[test]
fn a_replaced_plan_for_a_later_day_has_an_empty_interval_and_no_inverted_one() {
    let claims =
        [says("e1", "done", 6).since(20).planned(), says("e2", "done", 8).since(25).planned()];
    check(&claims, &["done 20-20 planned changed by e2 for done [e1]", "done 25- planned [e2]"]);
}

#[test]
fn a_plan_repeated_without_a_date_is_the_same_plan() {
    let claims = [says("e1", "done", 6).since(20).planned(), says("e2", "done", 8).planned()];
    check(&claims, &["done 20- planned [e1 e2]"]);
}

#[test]
fn plans_of_one_mention_are_alternatives() {
    let claims = [says("e1", "Porto", 6).planned(), says("e2", "Faro", 6).planned()];
    let folded = fold(true, &claims);
    assert!(folded.conflicts.is_empty());
    assert!(folded.facts.iter().all(|fact| fact.closed.is_none()));
}

#[test]
fn saying_that_it_is_so_fulfils_the_plan() {
    let claims = [says("e1", "pnpm", 6).since(11).planned(), says("e2", "pnpm", 12)];
    check(&claims, &["pnpm 11-12 planned changed by e2 for pnpm [e1]", "pnpm 12- [e2]"]);
    assert_eq!(rule_of_first_end(&claims), Some(Rule::PlanFulfilled));
}

#[test]
fn what_was_over_before_the_plan_does_not_fulfil_it() {
    let past = SlotClaim { mentioned_at: super::super::testing::may(8), ..says("e2", "pnpm", 1) };
    let claims = [says("e1", "pnpm", 6).planned(), past.until(3)];
    check(&claims, &["pnpm 1- until 3 [e2]", "pnpm 6- planned [e1]"]);
}

#[test]
fn another_outcome_overtakes_the_plan() {
    let claims = [says("e1", "Alfama", 6).planned(), says("e2", "Graça", 8)];
    check(&claims, &["Alfama 6-8 planned changed by e2 for Graça [e1]", "Graça 8- [e2]"]);
    assert_eq!(rule_of_first_end(&claims), Some(Rule::PlanOvertaken));
}

#[test]
fn a_change_that_came_before_the_plan_does_not_overtake_it() {
    let past = SlotClaim { mentioned_at: super::super::testing::may(8), ..says("e2", "yarn", 1) };
    let claims = [says("e1", "pnpm", 6).planned(), past];
    check(&claims, &["yarn 1- [e2]", "pnpm 6- planned [e1]"]);
}

#[test]
fn repeating_the_present_state_leaves_the_plan_open() {
    let claims =
        [says("e0", "npm", 2), says("e1", "pnpm", 6).since(11).planned(), says("e2", "npm", 8)];
    check(&claims, &["npm 2- [e0 e2]", "pnpm 11- planned [e1]"]);
}

#[test]
fn calling_off_ends_the_plan() {
    let claims = [says("e1", "pnpm", 6).planned(), ends("e2", "pnpm", 8)];
    check(&claims, &["pnpm 6-8 planned ended by e2 [e1]"]);
    let as_plan = [says("e1", "pnpm", 6).planned(), ends("e2", "", 8).planned()];
    check(&as_plan, &["pnpm 6-8 planned ended by e2 [e1]"]);
    assert_eq!(rule_of_first_end(&claims), Some(Rule::PlanCancelled));
}

#[test]
fn a_planned_end_ends_nothing_yet() {
    let claims = [says("e1", "redis", 6), ends("e2", "redis", 8).planned()];
    check(&claims, &["redis 6- [e1]"]);
}

#[test]
fn a_plan_made_after_the_state_stays_open() {
    let claims = [says("e1", "pnpm", 6), says("e2", "pnpm", 8).planned()];
    check(&claims, &["pnpm 6- [e1]", "pnpm 8- planned [e2]"]);
}

#[test]
fn a_plan_whose_stated_end_has_passed_is_no_longer_open() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "Lisbon", 6).since(10).until(20).planned(), 6);
    assert_eq!(memory.state(19, None).planned.len(), 1);
    let after = memory.state(20, None);
    assert!(after.planned.is_empty() && after.current.is_empty());
    assert_eq!(after.superseded.len(), 1);
}
