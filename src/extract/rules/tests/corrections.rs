//! Corrections, and what later words do to earlier tastes.

use super::*;

/// The claims of the Events of a second Block, each with whether it corrects.
fn put_right(first: &str, second: &str) -> Vec<(String, bool)> {
    let (earlier, later) = after(first, second);
    let linked = later
        .iter()
        .flat_map(|e| &e.relations)
        .any(|r| r.kind == RelationKind::Supersedes && earlier.iter().any(|e| e.id == r.target));
    assert!(linked, "{second}: {later:#?}");
    later.iter().flat_map(|e| &e.claims).map(|c| (value(c), c.corrects)).collect()
}

#[test]
fn a_correction_reaches_into_an_earlier_block() {
    for (first, second, expected) in [
        (
            "The budget is 9,000 euros.",
            "Correction: the budget is 11,000 euros, not 9,000.",
            "this project.budget=11,000 euros",
        ),
        (
            "Lena owns the intake form.",
            "Actually Lena never owned the intake form, it was Jonas all along.",
            "intake form.owner=Jonas",
        ),
        ("Lena owns the intake form.", "It was Jonas all along.", "intake form.owner=Jonas"),
        (
            "The map view is owned by Priya.",
            "That was wrong, the map view is not owned by Priya.",
            "map view.owner=Priya ends",
        ),
        (
            "The audit is on 5 July.",
            "Correction: the audit is on 6 July.",
            "audit.date=2026-07-06 planned",
        ),
        ("The demo is on Wednesday.", "Sorry, I meant Thursday.", "demo.date=2026-06-04 planned"),
        (
            "The deadline is 30 September.",
            "Correction: the deadline is 15 October.",
            "this project.deadline=2026-10-15",
        ),
        (
            "The owner of the intake form is Ann.",
            "I was wrong, the owner is Jonas.",
            "intake form.owner=Jonas",
        ),
        (
            "数据库用 MySQL。",
            "更正：数据库是 MariaDB，不是 MySQL。",
            "this project.database=MariaDB",
        ),
        ("预算是12万元。", "说错了，预算是15万元。", "this project.budget=15万元"),
        ("我住在上海。", "纠正一下，我住在杭州，不是上海。", "user.home_city=杭州"),
    ] {
        assert_eq!(put_right(first, second), [(expected.to_owned(), true)], "{second}");
    }
}

#[test]
fn a_correction_without_anything_to_put_right_says_what_it_says() {
    for (text, expected) in [
        (
            "Correction: the budget is 11,000 euros, not 9,000.",
            &["this project.budget=11,000 euros"][..],
        ),
        ("更正：数据库是 MariaDB，不是 MySQL。", &["this project.database=MariaDB"]),
        ("Sorry, I meant Thursday.", &[]),
        ("Actually Lena never owned the intake form.", &[]),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), expected, "{text}");
    }
    // The review is another thing than the launch.
    let (_, later) = after("The launch is on 5 July.", "Correction: the audit is on 6 July.");
    assert_eq!(values(&later), ["audit.date=2026-07-06 planned"]);
}

#[test]
fn a_liking_ends_the_dislike_of_the_same_thing() {
    for (first, second, expected) in [
        (
            "I like mushrooms.",
            "I hate mushrooms.",
            ["user.dislikes=mushrooms", "user.likes=mushrooms ends"],
        ),
        (
            "I hate mushrooms.",
            "I love mushrooms now.",
            ["user.likes=mushrooms", "user.dislikes=mushrooms ends"],
        ),
        ("我讨厌香菜。", "我现在喜欢香菜了。", ["user.likes=香菜", "user.dislikes=香菜 ends"]),
    ] {
        let (_, later) = after(first, second);
        assert_eq!(values(&later), expected, "{second}");
    }
    let (_, later) = after("我喜欢喝咖啡。", "我不喜欢喝咖啡了。");
    assert_eq!(values(&later), ["user.likes=喝咖啡 ends"]);
}

#[test]
fn since_when_is_no_reason_and_until_when_is_no_day_of_saying() {
    let events = extract(&[(
        "user",
        "I work in Ghent, but since April I work from Lyon. I hate early meetings.",
    )]);
    assert!(events.iter().all(|e| e.reason.is_none()), "{events:#?}");
    let events = extract(&[("user", "I worked at Siemens until early 2019.")]);
    let o = &events[0].occurred;
    assert_eq!(o.local_from, None);
    assert!(o.local_to.is_some_and(|day| day.to_string().starts_with("2019-")), "{o:?}");
    let events = extract(&[("user", "Since April 2024 we use pnpm for this project.")]);
    let from = events[0].claims[0].valid.as_ref().and_then(|v| v.local_from);
    assert_eq!(from, NaiveDate::from_ymd_opt(2024, 4, 1));
}

#[test]
fn a_correction_is_no_change_of_the_world() {
    let events = extract(&[
        ("user", "The API is written in Go."),
        ("assistant", "Noted."),
        ("user", "Actually it was Rust, I was wrong."),
    ]);
    let last = events.last().unwrap();
    assert_eq!(last.claims.iter().map(value).collect::<Vec<_>>(), ["this project.language=Rust"]);
    assert!(last.claims[0].corrects);
    assert_eq!(last.relations[0].target, events[0].id);
}

#[test]
fn a_correction_names_what_it_puts_right() {
    for (first, second, expected) in [
        (
            "Use Flask for the intake project.",
            "Actually it was Django, not Flask.",
            "intake.framework=Django",
        ),
        (
            "The ledger service uses MySQL.",
            "I meant MariaDB, not MySQL.",
            "ledger service.database=MariaDB",
        ),
    ] {
        let known = extract(&[("user", first), ("assistant", "Noted.")]);
        let found = extract(&[("user", first), ("assistant", "Noted."), ("user", second)]);
        let last = found.last().unwrap();
        assert_eq!(last.claims.iter().map(value).collect::<Vec<_>>(), [expected], "{second}");
        assert!(last.claims[0].corrects, "{second}");
        assert!(last.relations.iter().any(|r| r.target == known[0].id), "{second}");
    }
}
