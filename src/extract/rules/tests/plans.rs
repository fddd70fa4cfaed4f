//! Plans that move, are called off, or are only thought of.

use super::*;

#[test]
fn an_impossible_day_is_neither_a_date_nor_a_name() {
    for text in
        ["We launched on 2024-13-45.", "We signed the lease on February 30.", "2月30日上线了。"]
    {
        let events = extract(&[("user", text), ("assistant", "Noted.")]);
        assert_eq!(events.len(), 1, "{text}");
        let o = &events[0].occurred;
        assert_eq!((o.precision, o.local_from), (Precision::Unknown, None), "{text}");
        assert!(
            o.expression
                .as_deref()
                .is_some_and(|words| words.contains("30") || words.contains("13-45"))
        );
        let named = values(&events);
        assert!(named.iter().all(|c| !c.contains("on ") && !c.contains("2024")), "{named:?}");
        assert!(
            events[0].claims.iter().all(|c| c.valid.as_ref().is_some_and(|v| v.from.is_none()))
        );
    }
}

#[test]
fn a_date_that_moves_replaces_the_plan_of_an_earlier_block() {
    for (first, second, expected) in [
        (
            "I fly to Porto on 3 July.",
            "I moved the flight to July 6th.",
            "Porto trip.start_date=2026-07-06 planned",
        ),
        (
            "The audit is on Wednesday.",
            "The audit is pushed back to Friday.",
            "audit.date=2026-06-05 planned",
        ),
        (
            "The pilot launches on 20 June.",
            "The pilot is postponed to 4 July.",
            "pilot.start_date=2026-07-04 planned",
        ),
        (
            "The launch is on 20 June.",
            "The launch date is now 30 June.",
            "launch.start_date=2026-06-30 planned",
        ),
        (
            "The tasting is on Wednesday.",
            "The tasting slipped to Thursday.",
            "tasting.date=2026-06-04 planned",
        ),
        (
            "The tasting is on 10 June.",
            "The tasting has been rescheduled for 17 June.",
            "tasting.date=2026-06-17 planned",
        ),
        (
            "The tasting is on 10 June.",
            "We had to postpone the tasting to 17 June.",
            "tasting.date=2026-06-17 planned",
        ),
        (
            "The tasting is on 10 June.",
            "The tasting moved from 10 June to 17 June.",
            "tasting.date=2026-06-17 planned",
        ),
        ("验收定在周三。", "验收推迟到周五。", "验收.date=2026-06-05 planned"),
        ("上线时间是6月20日。", "上线时间推迟到七月十日。", "上线.start_date=2026-07-10 planned"),
    ] {
        let (earlier, later) = after(first, second);
        assert_eq!(values(&later), [expected], "{second}");
        let slot = |c: &Claim| (c.subject.id(), c.property.clone());
        let moved = later.iter().find(|e| !e.claims.is_empty()).unwrap();
        assert_eq!(slot(&moved.claims[0]), slot(&earlier[0].claims[0]), "{second}");
        assert_eq!(
            moved.relations,
            [Relation { kind: RelationKind::Supersedes, target: earlier[0].id.clone() }],
            "{second}"
        );
    }
}

#[test]
fn what_is_called_off_ends_the_plan_and_nothing_else() {
    for (first, second, expected) in [
        (
            "I will fly to Quito in July.",
            "The Quito trip is cancelled.",
            &[
                "Quito trip.start_date=2026-07-01 ends planned",
                "Quito trip.end_date=2026-07-31 ends planned",
            ][..],
        ),
        (
            "The audit is on Wednesday.",
            "The audit is called off.",
            &["audit.date=2026-06-03 ends planned"],
        ),
        ("验收定在周三。", "验收取消了。", &["验收.date=2026-06-03 ends planned"]),
        (
            "Maybe we'll switch to Bazel.",
            "We decided against Bazel.",
            &["this project.uses=Bazel ends planned"],
        ),
        (
            "The audit is on Wednesday.",
            "The audit won't happen.",
            &["audit.date=2026-06-03 ends planned"],
        ),
        (
            "The audit is on Wednesday.",
            "The audit is off.",
            &["audit.date=2026-06-03 ends planned"],
        ),
        (
            "I will fly to Quito in July.",
            "We decided not to go to Quito.",
            &[
                "Quito trip.start_date=2026-07-01 ends planned",
                "Quito trip.end_date=2026-07-31 ends planned",
            ],
        ),
        // One word in common does not make it the same thing.
        ("The lunch with Ann is on Friday.", "The audit with Ann is cancelled.", &[]),
    ] {
        let (earlier, later) = after(first, second);
        assert_eq!(values(&later), expected, "{second}");
        let over = matches!(later[0].status, EventStatus::Cancelled | EventStatus::Rejected);
        assert!(over, "{second}: {later:?}");
        let linked = later[0].relations.iter().any(|r| r.target == earlier[0].id);
        assert_eq!(linked, !expected.is_empty(), "{second}");
    }
}

#[test]
fn an_idea_retires_neither_a_firm_plan_nor_a_fact() {
    for (first, second) in [
        ("I will move to Canada next year.", "I might move to Peru."),
        ("我明年要搬到成都。", "我可能会搬到杭州。"),
    ] {
        let (_, later) = after(first, second);
        assert_eq!(later[0].status, EventStatus::Tentative, "{second}");
        assert!(later[0].claims.is_empty() && later[0].relations.is_empty(), "{later:?}");
        let together = extract(&[("user", first), ("user", second)]);
        assert!(together.iter().all(|e| e.relations.is_empty()), "{together:?}");
    }
    let (_, later) = after("Use npm for this project.", "Maybe we should use Bun.");
    assert_eq!(values(&later), ["this project.package_manager=Bun planned"]);
    assert!(later[0].relations.is_empty());
}

#[test]
fn what_is_moved_was_not_carried_out_and_what_is_begun_was() {
    let (_, moved) = after("The launch is on 20 June.", "The launch was moved to 27 June.");
    assert!(moved.iter().all(|e| e.relations.iter().all(|r| r.kind != RelationKind::Fulfils)));
    let (earlier, begun) = after("The pilot launches on 20 June.", "The pilot launched today.");
    assert_eq!(values(&begun), ["pilot.status=launched", "pilot.start_date=2026-06-01"]);
    assert_eq!(
        begun[0].relations,
        [Relation { kind: RelationKind::Fulfils, target: earlier[0].id.clone() }]
    );
}

#[test]
fn only_what_is_worked_on_is_named_as_work() {
    for (text, expected) in [
        ("下周我们要完成样机。", &["样机.status=完成 planned"][..]),
        ("I fixed the logout bug three days ago.", &["logout bug.status=fixed"]),
        ("We shipped today.", &[]),
        ("The launch is on 20 June.", &["launch.start_date=2026-06-20 planned"]),
        ("The newsletter shipped yesterday.", &["newsletter.status=shipped"]),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), expected, "{text}");
    }
}

#[test]
fn only_a_day_that_follows_is_a_day_that_something_moves_to() {
    for (text, expected) in [
        ("We pushed the code to main on Friday.", &[][..]),
        ("I moved the couch to the wall on Friday.", &[]),
        ("I moved the tasting with Tom to Friday.", &["tasting.date=2026-06-05 planned"]),
        ("我把会议改到周五。", &["会议.date=2026-06-05 planned"]),
        ("后端评审改到周五。", &["后端评审.date=2026-06-05 planned"]),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), expected, "{text}");
    }
    let (_, later) = after("会议定在周三。", "我把会议改到周五。");
    assert_eq!(values(&later), ["会议.date=2026-06-05 planned"]);
    assert!(!later[0].relations.is_empty());
}

#[test]
fn what_is_booked_in_a_later_block_is_booked_for_the_trip_to_come() {
    let (_, later) = after("I fly to Porto on 3 July.", "We booked a flat in Ribeira.");
    assert_eq!(values(&later), ["Porto trip.accommodation=flat in Ribeira"]);
    let (_, later) = after("We flew to Porto on 3 May.", "We booked a flat in Ribeira.");
    assert_eq!(values(&later), ["user.accommodation=flat in Ribeira"]);
}
