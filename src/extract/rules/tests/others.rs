//! Whose state a clause tells: ours, a named project's or somebody else's.

use super::*;

#[test]
fn what_others_use_is_not_used_here() {
    for text in [
        "They use Oracle as their database.",
        "The customer uses Oracle as their database.",
        "Our biggest supplier runs on MySQL.",
        "Their team switched to Bazel.",
        "The vendor says they use Kafka.",
        "客户用的是 Oracle。",
        "他们用 Oracle 数据库。",
        "The email says: We use Oracle as our database.",
        "Ola wrote: \"We moved to MySQL last week.\"",
        "Forwarded message from Ola:\nWe use Oracle.\n\nAnd we deploy on Heroku.",
        "邮件里说：我们用 Oracle。",
        "They live in Rome.",
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), [""; 0], "{text}");
    }
}

#[test]
fn what_uses_a_database_is_a_project_unless_it_is_known_as_a_person() {
    for (text, expected) in [
        ("Harrier uses PostgreSQL as its database.", &["Harrier.database=PostgreSQL"][..]),
        ("Harrier depends on Redis.", &["Harrier.uses=Redis"]),
        ("Harrier is written in Rust.", &["Harrier.language=Rust"]),
        ("Harrier's database is MySQL.", &["Harrier.database=MySQL"]),
        ("Harrier 用 PostgreSQL 做数据库。", &["Harrier.database=PostgreSQL"]),
        ("Tom uses Emacs.", &["Tom.editor=Emacs"]),
        ("Tom uses MySQL.", &[]),
        ("Google uses Bazel.", &["Google.uses=Bazel"]),
        ("Mobile SDK 我们先 target Android 8+。", &["Mobile SDK.min_version[android]=Android 8"]),
    ] {
        let events = extract(&[("user", text), ("assistant", "Noted.")]);
        assert_eq!(values(&events), expected, "{text}");
        let twice = events.iter().flat_map(|e| &e.participants).filter(|p| {
            p.kind == EntityKind::Person && matches!(p.name.as_str(), "Harrier" | "Google")
        });
        assert_eq!(twice.count(), 0, "{text}");
    }
}

#[test]
fn a_project_once_named_is_known_by_its_name() {
    let (_, later) = after("Ana leads Harrier.", "Harrier switched to MySQL.");
    assert_eq!(values(&later), ["Harrier.database=MySQL"]);
    let (_, later) = after("王芳负责青鸟。", "青鸟的数据库用 MySQL。");
    assert_eq!(values(&later), ["青鸟.database=MySQL"]);
}

#[test]
fn a_job_that_begins_later_is_planned() {
    for text in [
        "I'm starting at Globex on 1 July.",
        "I accepted the offer, starting at Globex on 1 July.",
        "I work at Globex from 1 July.",
    ] {
        let events = extract(&[("user", text), ("assistant", "Noted.")]);
        assert_eq!(values(&events), ["user.employer=Globex planned"], "{text}");
        let from = events[0].claims[0].valid.as_ref().and_then(|v| v.local_from);
        assert_eq!(from, NaiveDate::from_ymd_opt(2026, 7, 1), "{text}");
    }
}

#[test]
fn work_is_handed_over_in_many_ways() {
    for (text, expected) in [
        ("Mia handed the payments service over to Raj.", "payments service.owner=Raj"),
        ("The payments service was handed over to Raj.", "payments service.owner=Raj"),
        ("I handed over the search module to Raj.", "search module.owner=Raj"),
        ("项目负责人是王芳。", "this project.owner=王芳"),
        ("青鸟项目的负责人是王芳。", "青鸟.owner=王芳"),
        ("王小明把支付模块交给赵敏。", "支付模块.owner=赵敏"),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), [expected], "{text}");
    }
}

#[test]
fn the_state_of_others_is_not_the_speakers() {
    for (text, expected) in [
        ("Émile lives in Ghent.", &["Émile.home_city=Ghent"][..]),
        ("Dr. Novak lives in Brno.", &["Dr. Novak.home_city=Brno"]),
        ("我妹妹住在厦门。", &["user's 妹妹.home_city=厦门"]),
        ("Our landlord moved to Malta.", &[]),
        ("My cat is allergic to beef.", &[]),
        ("财务总监陈晓搬到深圳了。", &[]),
        ("Moved to Malmö.", &["user.home_city=Malmö"]),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), expected, "{text}");
    }
}

#[test]
fn a_project_is_said_to_use_a_tool_in_many_ways() {
    for (text, expected) in [
        ("This project uses poetry.", "this project.package_manager=poetry"),
        ("The atlas project is on pnpm.", "atlas.package_manager=pnpm"),
        ("We went back to yarn.", "this project.package_manager=yarn"),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), [expected], "{text}");
    }
}

#[test]
fn nothing_is_said_of_somebody_who_was_not_named() {
    for text in ["She uses Emacs.", "He moved to Graz.", "CI runs on GitLab runners."] {
        let found = claims(&[("user", text), ("assistant", "Noted.")]);
        let of_people = found.iter().filter(|c| c.contains("user.") || c.contains(".owner="));
        assert_eq!(of_people.count(), 0, "{text}: {found:?}");
    }
    for (text, expected) in [
        ("My colleague Henrik uses Emacs.", "Henrik.editor=Emacs"),
        ("My aunt lives in Graz.", "user's aunt.home_city=Graz"),
        ("Actually I use Zed now.", "user.editor=Zed"),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), [expected], "{text}");
    }
}

#[test]
fn something_to_do_is_not_what_the_conversation_is_about() {
    let (_, later) = after("The launch is on 20 June.", "Use pnpm.");
    assert_eq!(values(&later), ["this project.package_manager=pnpm"]);
    let (_, later) = after("Harrier's launch is on 20 June. Harrier uses npm.", "Use pnpm.");
    assert_eq!(values(&later), ["Harrier.package_manager=pnpm"]);
}
