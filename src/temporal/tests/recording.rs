//! What is recorded when: ids, generations, withdrawals, and the two clocks.

use super::super::testing::{Memory, ends, known, says, slot, valid, words};
use super::super::{Clock, Rule, SlotChange, diff, history_as_known, reconcile};
use crate::model::{Fact, FactStatus, Reason};

/// 6 May npm, 8 May pnpm; as of 7 May npm, as known on 7 May about 9 May npm.
fn check_story(memory: &Memory) {
    assert_eq!(memory.current(9), ["pnpm"]);
    assert_eq!(memory.current(7), ["npm"]);
    assert_eq!(memory.current(6), ["npm"]);
    assert!(memory.current(5).is_empty());
    let history = history_as_known(&memory.facts, None);
    assert_eq!(words(&history), ["npm", "pnpm"]);
    let closing = history[0].closing(None).expect("npm was superseded");
    assert_eq!(closing.valid_to, valid(8));
    assert_eq!(closing.cause.as_str(), "e2");
    assert_eq!(closing.reason, Reason::Changed);
    assert_eq!(closing.superseded_by.as_ref(), Some(&history[1].id));
}

#[test]
fn the_story_told_in_order() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 8), 8);
    check_story(&memory);
    assert_eq!(words(&memory.state(9, Some(7)).current), ["npm"]);
}

#[test]
fn the_story_told_backwards_differs_only_in_what_was_known_when() {
    let mut memory = Memory::functional();
    memory.hear(says("e2", "pnpm", 8), 9);
    memory.hear(says("e1", "npm", 6), 10);
    check_story(&memory);
    assert!(memory.state(7, Some(9)).current.is_empty());
    assert_eq!(words(&memory.state(9, Some(9)).current), ["pnpm"]);
}

#[test]
fn an_earlier_repetition_opens_the_fact_anew() {
    let mut memory = Memory::functional();
    memory.hear(says("e2", "npm", 8), 8);
    memory.hear(says("e1", "npm", 6), 9);
    assert_eq!(memory.facts.len(), 2);
    assert_eq!(memory.facts[0].retracted_at, Some(known(9)));
    assert_eq!(memory.current(7), ["npm"]);
    assert!(memory.state(7, Some(8)).current.is_empty(), "nothing was known of the 7th then");
    let now = memory.state(9, None).current;
    assert_eq!(now[0].events, ["e1".into(), "e2".into()]);
}

#[test]
fn the_withdrawn_fact_says_what_took_its_place() {
    let mut memory = Memory::functional();
    memory.hear(says("e2", "npm", 8), 8);
    memory.claims.push(says("e1", "npm", 6));
    let change = reconcile(&slot(), &memory.folded(), &memory.facts, &[], known(9));
    assert_eq!(change.retracted.len(), 1);
    let retracted = &change.retracted[0];
    assert_eq!((retracted.reason, retracted.rule), (Reason::Refined, Rule::EarlierEvidence));
    assert_eq!(retracted.cause, Some("e1".into()));
    assert_eq!(retracted.replaced_by.as_ref(), Some(&change.opened[0].fact.id));
    assert_eq!(change.opened[0].revision_of.as_ref(), Some(&retracted.fact));
}

#[test]
fn a_change_is_read_back_from_the_journal_as_it_was_written() {
    let mut memory = Memory::functional();
    memory.hear(says("e2", "npm", 8), 8);
    for claim in [says("e1", "npm", 6), says("e3", "yarn", 8), ends("e4", "", 9)] {
        memory.claims.push(claim);
    }
    let change = reconcile(&slot(), &memory.folded(), &memory.facts, &[], known(9));
    let json = serde_json::to_string(&change).expect("a change can be written");
    assert!(json.contains("\"rule\":\"equal_instants_conflict\""), "{json}");
    let back: SlotChange = serde_json::from_str(&json).expect("and read");
    assert_eq!(back, change);
}

#[test]
fn one_of_two_sources_withdrawn_keeps_the_fact() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "npm", 7), 7);
    let id = memory.facts[0].id.clone();
    memory.forget("e2", 9);
    assert_eq!(memory.facts.len(), 1);
    assert_eq!((&memory.facts[0].id, memory.facts[0].retracted_at), (&id, None));
    assert_eq!(memory.facts[0].events, ["e1".into()]);
}

#[test]
fn the_opening_source_withdrawn_leaves_the_fact_to_the_other() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "npm", 7), 7);
    memory.forget("e1", 9);
    let now = memory.state(9, None).current;
    assert_eq!(words(&now), ["npm"]);
    assert_eq!((now[0].valid_from, &now[0].events[..]), (Some(valid(7)), &["e2".into()][..]));
    assert_eq!(memory.current(6), Vec::<String>::new());
}

#[test]
fn forgetting_a_change_reopens_what_it_had_ended_and_restoring_ends_it_again() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 8), 8);
    let gone = memory.forget("e2", 10);
    assert_eq!(memory.current(12), ["npm"]);
    for claim in gone {
        memory.hear(claim, 14);
    }
    check_story(&memory);
    let npm = &memory.facts[0];
    assert_eq!(npm.closings.len(), 2);
    assert_eq!(npm.closings[0].retracted_at, Some(known(10)));
    assert_ne!(npm.closings[0].id, npm.closings[1].id);
    let pnpm: Vec<&Fact> =
        memory.facts.iter().filter(|fact| fact.events == ["e2".into()]).collect();
    assert_eq!(pnpm[1].id.as_str(), format!("{}~2", pnpm[0].id));
    assert_eq!(words(&memory.state(12, Some(9)).current), ["pnpm"]);
    assert_eq!(words(&memory.state(12, Some(11)).current), ["npm"]);
    assert_eq!(words(&memory.state(12, Some(15)).current), ["pnpm"]);
}

#[test]
fn what_comes_back_names_its_earlier_record() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    let mut gone = memory.forget("e1", 7);
    for generation in ["", "~2"] {
        memory.claims.append(&mut gone);
        let change = reconcile(&slot(), &memory.folded(), &memory.facts, &[], known(8));
        let before = change.opened[0].revision_of.as_ref().expect("it was recorded before");
        assert_eq!(before.as_str(), format!("{}{generation}", memory.facts[0].id));
        memory.update(8);
        gone = memory.forget("e1", 9);
    }
}

#[test]
fn forget_and_restore_of_a_superseded_event_leaves_it_superseded() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 8), 8);
    let gone = memory.forget("e1", 10);
    assert_eq!(words(&history_as_known(&memory.facts, None)), ["pnpm"]);
    for claim in gone {
        memory.hear(claim, 11);
    }
    check_story(&memory);
}

#[test]
fn nothing_is_recorded_twice() {
    let mut memory = Memory::functional();
    for claim in [says("e1", "npm", 6), says("e2", "pnpm", 8), says("e3", "yarn", 8)] {
        memory.hear(claim, 9);
    }
    let again = reconcile(&slot(), &memory.folded(), &memory.facts, &memory.conflicts, known(12));
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn a_conflict_falls_away_with_its_second_candidate_and_comes_back_with_it() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 6), 7);
    assert_eq!(memory.state(8, None).conflict.len(), 2);
    let gone = memory.forget("e2", 9);
    assert_eq!(memory.current(10), ["npm"]);
    assert_eq!(memory.conflicts[0].resolved_at, Some(known(9)));
    assert_eq!(memory.state(10, Some(8)).conflict.len(), 2, "as it was known then");
    for claim in gone {
        memory.hear(claim, 11);
    }
    assert_eq!(memory.state(12, None).conflict.len(), 2);
    assert_eq!(memory.conflicts.iter().filter(|c| c.resolved_at.is_none()).count(), 1);
}

#[test]
fn forgetting_what_decided_a_conflict_opens_it_again() {
    let mut memory = Memory::functional();
    for (claim, now) in
        [says("e1", "npm", 6), says("e2", "pnpm", 6), says("e3", "npm", 9)].into_iter().zip(6..)
    {
        memory.hear(claim, now);
    }
    assert!(memory.conflicts.iter().all(|conflict| conflict.resolved_at.is_some()));
    let gone = memory.forget("e3", 10);
    let open: Vec<_> = memory.conflicts.iter().filter(|c| c.resolved_at.is_none()).collect();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].id.as_str(), format!("{}~2", memory.conflicts[0].id));
    assert_eq!(memory.state(12, None).conflict.len(), 2);
    for claim in gone {
        memory.hear(claim, 11);
    }
    assert_eq!(memory.current(12), ["npm"]);
    assert!(memory.conflicts.iter().all(|conflict| conflict.resolved_at.is_some()));
}

#[test]
fn statuses_follow_both_clocks() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 8), 10);
    let (npm, pnpm) = (&memory.facts[0], &memory.facts[1]);
    let status = |fact, day, known_day: Option<i64>| {
        let known_at = known_day.map(known);
        super::super::status_of(fact, &memory.facts, &memory.conflicts, valid(day), known_at)
    };
    assert_eq!(status(npm, 9, None), Some(FactStatus::Superseded));
    assert_eq!(status(npm, 9, Some(9)), Some(FactStatus::Current));
    assert_eq!(status(npm, 5, None), None);
    assert_eq!(status(pnpm, 9, None), Some(FactStatus::Current));
    assert_eq!(status(pnpm, 9, Some(9)), None);
    assert_eq!(words(&memory.state(7, None).upcoming), ["pnpm"]);
}

#[test]
fn the_difference_names_each_change_once_with_its_cause() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "npm", 6), 6);
    memory.hear(says("e2", "pnpm", 8), 10);
    let between = |from, to, clock| {
        let (from, to) = (valid(from).0, valid(to).0);
        let found = diff(&memory.facts, &memory.conflicts, from, to, clock);
        let causes = |list: &[super::super::SlotDifference]| -> Vec<String> {
            list.iter().filter_map(|d| d.cause.as_ref()).map(ToString::to_string).collect()
        };
        (causes(&found.added), causes(&found.ended))
    };
    let of = |added: &[&str], ended: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        (owned(added), owned(ended))
    };
    assert_eq!(between(1, 7, Clock::Valid), of(&["e1"], &[]));
    assert_eq!(between(7, 8, Clock::Valid), of(&["e2"], &["e2"]));
    assert_eq!(between(8, 20, Clock::Valid), of(&[], &[]));
    assert_eq!(between(7, 9, Clock::Known), of(&[], &[]));
    assert_eq!(between(9, 10, Clock::Known), of(&["e2"], &["e2"]));
}

#[test]
fn a_refined_fact_is_no_difference_of_what_is_known_to_hold() {
    let mut memory = Memory::functional();
    memory.hear(says("e2", "npm", 8), 8);
    memory.hear(says("e1", "npm", 6), 9);
    memory.hear(says("e3", "pnpm", 10).correcting(), 10);
    let found = diff(&memory.facts, &memory.conflicts, valid(8).0, valid(9).0, Clock::Known);
    assert!(found.added.is_empty() && found.corrected.is_empty(), "{found:?}");
    let found = diff(&memory.facts, &memory.conflicts, valid(9).0, valid(10).0, Clock::Known);
    assert_eq!(found.corrected.len(), 1);
    assert_eq!(found.corrected[0].cause, Some("e3".into()));
    assert_eq!(found.corrected[0].reason, Some(Reason::Corrected));
}

#[test]
fn what_came_and_went_between_two_times_of_knowledge_is_no_difference() {
    let mut memory = Memory::functional();
    memory.hear(says("e1", "Bo", 6), 6);
    memory.hear(says("e2", "Ann", 8).correcting(), 8);
    let corrected = |from, to| {
        let (from, to) = (valid(from).0, valid(to).0);
        diff(&memory.facts, &memory.conflicts, from, to, Clock::Known).corrected.len()
    };
    assert_eq!((corrected(5, 9), corrected(6, 9)), (0, 1));
}
