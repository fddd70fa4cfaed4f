//! Statements that say that earlier ones were wrong.

use super::super::testing::{Memory, ends, lines, says, valid};
use super::super::{Position, SlotClaim, fold};
use crate::model::{Precision, Reason, ThreadId};

fn check(claims: &[SlotClaim], expected: &[&str]) {
    let forwards = fold(true, claims);
    assert_eq!(lines(&forwards), expected);
    let backwards: Vec<SlotClaim> = claims.iter().rev().cloned().collect();
    assert_eq!(fold(true, &backwards), forwards, "the order of arrival must not matter");
}

#[test]
fn a_correction_takes_the_old_value_back_and_its_place_over() {
    let claims = [says("e1", "14 June", 6), says("e2", "15 June", 8).correcting()];
    check(&claims, &["15 June 6- [e2]", "14 June 6-6 withdrawn corrected by e2 for 15 June [e1]"]);
}

#[test]
fn what_is_corrected_is_not_current_at_once_and_still_in_history() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "14 June", 6), 6);
    memory.hear(says("e2", "15 June", 8).correcting(), 8);
    assert_eq!(memory.current(8), ["15 June"]);
    assert_eq!(memory.current(7), ["15 June"], "it never was the 14th");
    assert_eq!(memory.state(7, Some(7)).current[0].events, ["e1".into()]);
    let corrected = &memory.state(8, None).corrected;
    assert_eq!(corrected.len(), 1);
    let closing = corrected[0].closing(None).expect("the correction closes it");
    assert_eq!((closing.reason, closing.cause.as_str()), (Reason::Corrected, "e2"));
    assert!(closing.superseded_by.is_some());
}

#[test]
fn a_correction_of_a_value_with_unknown_start_has_an_unknown_start_too() {
    let claims = [says("e1", "Bo", 6).still(), says("e2", "Ann", 8).correcting()];
    check(&claims, &["Ann ?- [e2]", "Bo ?-6 withdrawn corrected by e2 for Ann [e1]"]);
}

#[test]
fn a_correction_can_itself_be_corrected() {
    let claims =
        [says("e1", "Bo", 6), says("e2", "Ann", 8).correcting(), says("e3", "Cy", 9).correcting()];
    check(
        &claims,
        &[
            "Cy 6- [e3]",
            "Bo 6-6 withdrawn corrected by e2 for Ann [e1]",
            "Ann 6-6 withdrawn corrected by e3 for Cy [e2]",
        ],
    );
}

#[test]
fn a_correction_speaks_only_of_what_was_said_before_it() {
    let claims = [says("e1", "Bo", 6), says("e2", "Ann", 8).correcting(), says("e3", "Bo", 10)];
    check(
        &claims,
        &[
            "Ann 6-10 changed by e3 for Bo [e2]",
            "Bo 6-6 withdrawn corrected by e2 for Ann [e1]",
            "Bo 10- [e3]",
        ],
    );
}

#[test]
fn a_correction_leaves_what_came_before_the_wrong_value() {
    let claims = [says("e0", "Cy", 2), says("e1", "Bo", 6), says("e2", "Ann", 8).correcting()];
    check(
        &claims,
        &[
            "Cy 2-6 changed by e2 for Ann [e0]",
            "Ann 6- [e2]",
            "Bo 6-6 withdrawn corrected by e2 for Ann [e1]",
        ],
    );
}

#[test]
fn a_correction_of_the_time_moves_the_fact() {
    let claims = [says("e1", "npm", 6), says("e2", "npm", 9).since(4).correcting()];
    check(&claims, &["npm 4- [e2]", "npm 6-6 withdrawn corrected by e2 for npm [e1]"]);
    let later = [says("e1", "npm", 6), says("e2", "npm", 9).since(8).correcting()];
    check(&later, &["npm 6-6 withdrawn corrected by e2 for npm [e1]", "npm 8- [e2]"]);
}

#[test]
fn a_correction_that_says_what_is_known_adds_a_source() {
    let claims = [says("e1", "npm", 6), says("e2", "npm", 9).since(6).correcting()];
    let claims = claims.map(|claim| SlotClaim { precision: Precision::Day, ..claim });
    let [first, second] = &claims;
    let second = SlotClaim { mentioned_at: valid(9).0, ..second.clone() };
    check(&[first.clone(), second], &["npm 6- [e1 e2]"]);
}

#[test]
fn a_correction_follows_the_message_that_the_wrong_value_had_followed() {
    let at = |claim: SlotClaim, thread: &str, index| SlotClaim {
        position: Some(Position { thread: ThreadId::from(thread), index }),
        ..claim
    };
    let claims = [
        at(says("e1", "npm", 6), "t", 1),
        at(says("e2", "pnpm", 6), "t", 2),
        at(says("e3", "yarn", 8).correcting(), "u", 1),
    ];
    check(
        &claims,
        &[
            "npm 6-6 changed by e3 for yarn [e1]",
            "yarn 6- [e3]",
            "pnpm 6-6 withdrawn corrected by e3 for yarn [e2]",
        ],
    );
}

#[test]
fn a_correction_with_its_own_time_leaves_what_was_true_until_then() {
    let claims = [
        says("e1", "npm", 2),
        says("e2", "npm", 7),
        SlotClaim { mentioned_at: valid(9).0, ..says("e3", "pnpm", 5).since(5).correcting() },
    ];
    check(
        &claims,
        &[
            "npm 2-5 corrected by e3 for pnpm [e1]",
            "pnpm 5- [e3]",
            "npm 7-7 withdrawn corrected by e3 for pnpm [e2]",
        ],
    );
}

#[test]
fn it_was_never_so_takes_back_without_a_successor() {
    let claims = [says("e1", "redis", 6), ends("e2", "redis", 8).correcting()];
    check(&claims, &["redis 6-6 withdrawn corrected by e2 [e1]"]);
    assert_eq!(lines(&fold(false, &claims)), ["redis 6-6 withdrawn corrected by e2 [e1]"]);
}

#[test]
fn a_correction_does_not_stand_in_for_what_was_taken_back_before() {
    let claims =
        [says("e1", "Bo", 6), ends("e2", "Bo", 8).correcting(), says("e3", "Ann", 9).correcting()];
    check(&claims, &["Bo 6-6 withdrawn corrected by e2 [e1]", "Ann 9- [e3]"]);
}

#[test]
fn a_correction_decides_a_conflict() {
    let claims = [says("e1", "npm", 6), says("e2", "pnpm", 6), says("e3", "pnpm", 8).correcting()];
    let folded = fold(true, &claims);
    assert!(folded.conflicts.is_empty());
    check(&claims, &["pnpm 6- [e2 e3]", "npm 6-6 withdrawn corrected by e3 for pnpm [e1]"]);
}

#[test]
fn two_corrections_of_one_mention_conflict() {
    let claims =
        [says("e1", "Bo", 6), says("e2", "Ann", 8).correcting(), says("e3", "Cy", 8).correcting()];
    let folded = fold(true, &claims);
    assert_eq!(folded.conflicts.len(), 1);
    assert_eq!(folded.facts.iter().filter(|fact| fact.withdrawn).count(), 1);
}

#[test]
fn forgetting_the_correction_brings_the_old_value_back() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "Bo", 6), 6);
    memory.hear(says("e2", "Ann", 8).correcting(), 8);
    memory.forget("e2", 10);
    assert_eq!(memory.current(12), ["Bo"]);
    assert_eq!(memory.current(7), ["Bo"]);
    let as_known_on_the_9th = memory.state(7, Some(9)).current;
    assert_eq!(as_known_on_the_9th[0].events, ["e2".into()]);
    assert!(memory.state(12, None).corrected.is_empty());
}
