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
