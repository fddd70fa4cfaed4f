//! What is over, denied or refused.

use super::*;

#[test]
fn what_is_no_longer_so_ends() {
    for (text, expected) in [
        ("Lena is no longer the owner of the intake form.", &["intake form.owner=Lena ends"][..]),
        (
            "Lena isn't responsible for the search module any more.",
            &["search module.owner=Lena ends"],
        ),
        ("I'm not the owner of the intake form anymore.", &["intake form.owner=user ends"]),
        ("I don't own the Saab anymore.", &["user.owns=Saab ends"]),
        ("I no longer live in Oslo.", &["user.home_city=Oslo ends"]),
        ("I don't work at Siemens anymore.", &["user.employer=Siemens ends"]),
        ("Ana is not CFO of Acme anymore.", &["Ana.role=CFO ends"]),
        ("Don't use yarn anymore.", &["this project.package_manager=yarn ends"]),
        ("We stopped using Kafka.", &["this project.uses=Kafka ends"]),
        ("We aren't on npm any more.", &["this project.package_manager=npm ends"]),
        ("The API no longer depends on Redis.", &["this project.uses=Redis ends"]),
        ("I no longer swim on Mondays.", &["user.habit[swimming]=* ends"]),
        ("We no longer need Redis.", &["this project.uses=Redis ends"]),
        ("We got rid of Docker.", &["this project.uses=Docker ends"]),
        ("我把车卖了。", &["user.owns=车 ends"]),
        ("张伟不再是支付模块的负责人。", &["支付模块.owner=张伟 ends"]),
        ("我不吃素了。", &["user.diet=素食 ends"]),
        ("我不是素食者。", &["user.diet=素食 ends"]),
        ("我现在吃素了。", &["user.diet=素食"]),
        ("别再用 yarn 了。", &["this project.package_manager=yarn ends"]),
        ("我们不用 Kafka 了。", &["this project.uses=Kafka ends"]),
        ("王芳不负责支付模块了。", &["支付模块.owner=王芳 ends"]),
        ("我不在西门子工作了。", &["user.employer=西门子 ends"]),
        ("不住北京了。", &["user.home_city=北京 ends"]),
    ] {
        let events = extract(&[("user", text), ("assistant", "Noted.")]);
        assert_eq!(values(&events), expected, "{text}");
        assert!(events[0].claims.iter().all(|c| !c.planned), "{text}");
    }
}

#[test]
fn what_will_end_or_was_decided_against_ends_no_fact() {
    for text in [
        "We will no longer use npm from July on.",
        "We decided against Bazel.",
        "我们决定不用 Bazel。",
        "We might not use npm anymore.",
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), [""; 0], "{text}");
    }
    let events = extract(&[("user", "We voted against Bazel."), ("assistant", "Noted.")]);
    assert_eq!(events.iter().map(brief).collect::<Vec<_>>(), ["decision/rejected m0"]);
}

#[test]
fn what_held_in_a_time_that_is_over_does_not_hold_now() {
    for (text, to) in [
        ("我在九十年代住在上海。", (1999, 12, 31)),
        ("2019年到2021年我在西门子工作。", (2021, 12, 31)),
    ] {
        let events = extract(&[("user", text), ("assistant", "Noted.")]);
        let valid = events[0].claims[0].valid.as_ref().unwrap();
        assert_eq!(valid.local_to, NaiveDate::from_ymd_opt(to.0, to.1, to.2), "{text}");
    }
    check_nothing(&[("user", "我住在上海吗"), ("assistant", "是的。")]);
}

#[test]
fn the_speaker_owns_work_where_the_words_say_so() {
    for (text, expected) in [
        ("I'm responsible for the search module.", &["search module.owner=user"][..]),
        ("我负责前端。", &["前端.owner=user"]),
        ("I'm taking the night bus.", &[]),
        ("I manage my time badly.", &[]),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), expected, "{text}");
    }
}

#[test]
fn what_is_denied_or_past_never_holds() {
    for (text, expected) in [
        ("I'm not allergic to sesame.", &["user.allergic_to=sesame ends"][..]),
        ("我对芒果不过敏。", &["user.allergic_to=芒果 ends"]),
        ("I don't live in Turin anymore.", &["user.home_city=Turin ends"]),
        ("我不住在成都了。", &["user.home_city=成都 ends"]),
        ("我以前住在成都。", &[]),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), expected, "{text}");
    }
}

#[test]
fn what_is_refused_or_left_is_not_used() {
    for (text, expected) in [
        ("We did not switch to Bazel.", &[][..]),
        ("Never use MongoDB here.", &["this project.database=MongoDB ends"]),
        (
            "We move the cache from Memcached to Redis.",
            &["this project.uses=Memcached ends", "this project.uses=Redis"],
        ),
        (
            "We move the database of the tidewater project from MySQL to SQLite.",
            &["tidewater.database=MySQL ends", "tidewater.database=SQLite"],
        ),
    ] {
        assert_eq!(claims(&[("user", text), ("assistant", "Noted.")]), expected, "{text}");
    }
}

#[test]
fn what_is_off_without_a_plan_is_no_event() {
    check_nothing(&[("user", "The heating is off."), ("assistant", "Noted.")]);
    check_nothing(&[("user", "The results will not happen."), ("assistant", "Noted.")]);
}
