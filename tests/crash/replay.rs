//! The same from the journal alone, from a backup, and not from a damaged journal.

use crate::support::api::at;
use crate::support::words::turn;
use crate::support::{Api, Chance, Server, files, server};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Says where two exports differ.
pub fn difference(before: &str, after: &str) -> String {
    let of =
        |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let (before, after) = (of(before), of(after));
    let lost = before.difference(&after).take(10).map(|line| format!("- {line}"));
    let new = after.difference(&before).take(10).map(|line| format!("+ {line}"));
    lost.chain(new).collect::<Vec<_>>().join("\n")
}

pub fn assert_same(before: &str, after: &str, what: &str) {
    assert!(before == after, "{what}:\n{}", difference(before, after));
}

/// Writes turns of three threads with everything that leaves records, and returns their receipts.
pub async fn fill(
    api: &Api,
    ns: &str,
    turns: u64,
    chance: &mut Chance,
    prefix: &str,
) -> Vec<(Value, Value)> {
    let mut known = Vec::new();
    for number in 0..turns {
        let thread = *chance.pick(&["main", "side", "第三"]);
        let turn = turn(chance, &format!("{prefix}{number}"), thread);
        let receipt = api.post(&at(ns, "/turns"), turn.clone()).await.well();
        assert_eq!(receipt["status"], "stored");
        known.push((turn, receipt));
    }
    known
}

/// Seals, expands, judges, adopts, pins and forgets.
pub async fn act(api: &Api, ns: &str) {
    api.post(&at(ns, "/seal"), json!({})).await.well();
    api.settle(ns).await;
    let blocks = api.list(ns, "/blocks").await;
    let block = blocks[0]["id"].as_str().unwrap();
    api.post(&at(ns, &format!("/blocks/{block}/expand")), json!({"to": "L5"})).await.well();
    let body = json!({"query": "npm pnpm yarn bun", "in": ["events"], "limit": 5});
    let found = api.post(&at(ns, "/search"), body).await.well();
    let refs = json!([found["hits"][0]["ref"]]);
    let body = json!({"batch": found["batch"], "verdict": "sufficient", "evidence_refs": refs,
        "fit": "says it", "missing": "", "next_strategy": "answer"});
    let judged = api.post(&at(ns, "/assess"), body).await.well();
    assert_eq!(judged["accepted"], refs, "{judged}");
    let body =
        json!({"receipt_id": "receipt", "assessment": judged["assessment"], "evidence_refs": refs});
    api.post(&at(ns, "/adoptions"), body).await.well();
    let events = api.list(ns, "/events").await;
    let event = |index: usize| events[index % events.len()]["id"].as_str().unwrap().to_owned();
    for (index, act) in [(0, "pin"), (1, "forget"), (2, "forget"), (2, "restore")] {
        api.post(&at(ns, &format!("/events/{}/{act}", event(index))), json!({})).await.well();
    }
    api.settle(ns).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn live_replayed_and_restored_are_the_same_byte_for_byte() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start(&data);
    let names = ["replay", "重放"];
    let mut exports = Vec::new();
    for (ns, seed) in names.iter().zip(11..) {
        server.api.put(&at(ns, ""), json!({"block_turns": 3})).await.well();
        let mut chance = Chance::new(seed);
        fill(&server.api, ns, 24, &mut chance, "a").await;
        act(&server.api, ns).await;
        fill(&server.api, ns, 7, &mut chance, "b").await;
        server.api.settle(ns).await;
    }
    let backup = place.path().join("backup");
    server::run_well(&data, &["backup", backup.to_str().unwrap()]);
    for ns in names {
        exports.push((server.api.export(ns, "nquads").await, server.api.export(ns, "jsonl").await));
        assert!(exports.last().unwrap().0.lines().count() > 500);
    }
    server.kill();

    let restored = place.path().join("restored");
    server::run_well(&restored, &["restore", backup.to_str().unwrap()]);
    server::check_folder(&restored);
    let replayed = place.path().join("replayed");
    files::copy(&data, &replayed);
    for ns in names {
        fs::remove_dir_all(files::namespace_folder(&replayed, ns).join("store")).unwrap();
    }
    for folder in [&restored, &replayed, &data] {
        let server = Server::start(folder);
        for (ns, (nquads, jsonl)) in names.iter().zip(&exports) {
            let what = format!("{ns:?} in {}", folder.display());
            assert_same(nquads, &server.api.export(ns, "nquads").await, &what);
            assert_same(jsonl, &server.api.export(ns, "jsonl").await, &what);
            let info = server.api.settle(ns).await;
            assert!(info["counts"]["events"].as_u64().unwrap() > 3, "{info}");
        }
        server.api.check_is_clean().await;
    }
    // The command line writes the same from a folder that nobody serves.
    let printed = server::run_well(&replayed, &["export", "-n", names[1]]);
    assert_same(&exports[1].0, std::str::from_utf8(&printed).unwrap(), "the command line");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_in_the_journal_is_named_and_stops_its_namespace_alone() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start(&data);
    let mut chance = Chance::new(5);
    for ns in ["damaged", "sound"] {
        fill(&server.api, ns, 10, &mut chance, ns).await;
        server.api.settle(ns).await;
    }
    let sound = server.api.export("sound", "nquads").await;
    server.kill();
    let folder = files::namespace_folder(&data, "damaged");
    let journal = files::segments(&folder).pop().unwrap();
    let good = fs::read(&journal).unwrap();
    // The file's header, the first records, the middle; with and without a store to fall back on.
    let places = [9, 150, 300, good.len() as u64 / 3, good.len() as u64 / 2];
    for (offset, with_store) in places.into_iter().zip([true, false].into_iter().cycle()) {
        fs::write(&journal, &good).unwrap();
        files::flip_bit(&journal, offset, 3);
        let bad = fs::read(&journal).unwrap();
        let copy = place.path().join(format!("at {offset}"));
        files::copy(&data, &copy);
        let folder = files::namespace_folder(&copy, "damaged");
        if !with_store {
            fs::remove_dir_all(folder.join("store")).unwrap();
        }
        let server = Server::start(&copy);
        let api = &server.api;
        for answer in [
            api.get(&at("damaged", "")).await,
            api.post(&at("damaged", "/turns"), turn(&mut chance, "late", "main")).await,
        ] {
            assert!(answer.status >= 500, "offset {offset}: {answer:?}");
        }
        let found = api.post("/v1/admin/check", json!({})).await.well();
        check_names_the_damage(&found, &journal, offset, good.len() as u64);
        assert_same(&sound, &api.export("sound", "nquads").await, "the sound one");
        let late = turn(&mut chance, &format!("late {offset}"), "main");
        assert_eq!(api.post(&at("sound", "/turns"), late).await.status, 201);
        drop(server);
        let after = fs::read(files::segments(&folder).pop().unwrap()).unwrap();
        assert!(after == bad, "the damaged journal was changed");
        let checked = server::run(&copy, &["check", "--json"]);
        assert!(!checked.status.success(), "check must fail");
    }
}

/// The finding names the file and a byte at or before the flipped one.
fn check_names_the_damage(found: &Value, journal: &Path, offset: u64, len: u64) {
    assert_eq!(found["clean"], false, "{found}");
    let findings = found["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["namespace"] == "damaged"), "{found}");
    let text = findings[0]["detail"].as_str().unwrap();
    let file = journal.file_name().unwrap().to_str().unwrap();
    assert!(text.contains(file), "no file in {text:?}");
    let numbers: Vec<u64> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect();
    let near = |number: &u64| *number <= offset && offset - number < len / 3 + 100;
    assert!(numbers.iter().any(near), "no byte near {offset} in {text:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_is_found_while_the_server_runs() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start(&data);
    let mut chance = Chance::new(6);
    fill(&server.api, "damaged", 8, &mut chance, "t").await;
    server.api.settle("damaged").await;
    server.api.check_is_clean().await;
    let journal = files::segments(&files::namespace_folder(&data, "damaged")).pop().unwrap();
    let offset = fs::metadata(&journal).unwrap().len() / 2;
    let bytes = fs::read(&journal).unwrap();
    {
        use std::os::unix::fs::FileExt;
        let file = fs::OpenOptions::new().write(true).open(&journal).unwrap();
        file.write_all_at(&[bytes[offset as usize] ^ 4], offset).unwrap();
    }
    let found = server.api.post("/v1/admin/check", json!({})).await.well();
    check_names_the_damage(&found, &journal, offset, bytes.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_shorter_than_what_the_store_has_applied_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start(&data);
    let mut chance = Chance::new(7);
    fill(&server.api, "short", 6, &mut chance, "t").await;
    server.api.settle("short").await;
    server.kill();
    // The last record alone looks like an interrupted write; the store knows better.
    let journal = files::segments(&files::namespace_folder(&data, "short")).pop().unwrap();
    let len = fs::metadata(&journal).unwrap().len();
    fs::OpenOptions::new().write(true).open(&journal).unwrap().set_len(len - 5).unwrap();
    let server = Server::start(&data);
    let answer = server.api.get(&at("short", "")).await;
    assert!(answer.status >= 500, "{answer:?}");
    let found = server.api.post("/v1/admin/check", json!({})).await.well();
    let text = found["findings"][0]["detail"].as_str().unwrap();
    assert!(text.contains("the journal has lost records"), "{text}");
}
