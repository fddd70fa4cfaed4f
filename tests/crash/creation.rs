//! The beginning and the end of a namespace, cut short; and clocks that go back.

use crate::replay::fill;
use crate::support::api::at;
use crate::support::words::{token_of, turn};
use crate::support::{Chance, Server, files};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test(flavor = "multi_thread")]
async fn what_an_erasure_that_was_cut_short_left_never_comes_back() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start(&data);
    fill(&server.api, "secret", 6, &mut Chance::new(1), "old").await;
    server.api.settle("secret").await;
    server.kill();
    // The name goes first; the rest was still there when the process ended.
    let folder = files::namespace_folder(&data, "secret");
    fs::rename(folder.join("namespace.json"), folder.join("namespace.erased")).unwrap();
    fs::remove_dir_all(folder.join("index")).unwrap();
    let server = Server::start(&data);
    assert_eq!(server.api.get(&at("secret", "")).await.status, 404);
    let made = server.api.put(&at("secret", ""), json!({"block_turns": 7})).await.well();
    assert_eq!(made["settings"]["block_turns"], 7, "{made}");
    assert_eq!(made["counts"]["turns"], 0, "erased turns are back: {made}");
    let said = turn(&mut Chance::new(2), "new", "main");
    assert_eq!(server.api.post(&at("secret", "/turns"), said).await.well()["turn"], 1);
    server.api.settle("secret").await;
    let export = server.api.export("secret", "jsonl").await;
    assert!(!export.contains(&token_of("old0")), "{export}");
    server.api.check_is_clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_making_that_was_cut_short_begins_again_and_an_accident_is_told() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start(&data);
    for ns in ["begun", "used"] {
        server.api.put(&at(ns, ""), json!({"block_turns": 2})).await.well();
    }
    fill(&server.api, "used", 3, &mut Chance::new(1), "t").await;
    server.kill();
    let used = files::namespace_folder(&data, "used");
    fs::remove_file(files::namespace_folder(&data, "begun").join("namespace.json")).unwrap();
    let name = fs::read(used.join("namespace.json")).unwrap();
    fs::remove_file(used.join("namespace.json")).unwrap();
    let server = Server::start(&data);
    // Killed between its first record and its name: nobody was told that it is there.
    let made = server.api.put(&at("begun", ""), json!({"block_turns": 7})).await.well();
    assert_eq!(made["settings"]["block_turns"], 7, "{made}");
    // A name that is missing from a namespace in use is an accident: nothing is thrown away.
    let said = turn(&mut Chance::new(2), "new", "main");
    let answer = server.api.post(&at("used", "/turns"), said).await;
    assert!(answer.status >= 500, "{answer:?}");
    server.kill();
    fs::write(used.join("namespace.json"), name).unwrap();
    let server = Server::start(&data);
    assert_eq!(server.api.settle("used").await["counts"]["turns"], 3);
    server.api.check_is_clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_namespace_can_be_erased() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start(&data);
    fill(&server.api, "damaged", 3, &mut Chance::new(1), "t").await;
    server.kill();
    let journal = files::segments(&files::namespace_folder(&data, "damaged")).pop().unwrap();
    files::flip_bit(&journal, 200, 1);
    let server = Server::start(&data);
    assert!(server.api.get(&at("damaged", "")).await.status >= 500);
    assert_eq!(server.api.delete(&at("damaged", "")).await.status, 204);
    let said = turn(&mut Chance::new(2), "new", "main");
    assert_eq!(server.api.post(&at("damaged", "/turns"), said).await.well()["turn"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn erasing_while_in_use_is_whole_and_the_name_can_be_used_again_at_once() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start(&data);
    for round in 0..6 {
        let old = format!("old{round}-");
        fill(&server.api, "busy", 6, &mut Chance::new(round), &old).await;
        let over = Arc::new(AtomicBool::new(false));
        let mut users = Vec::new();
        for user in 0..4 {
            let (api, over) = (server.api.clone(), over.clone());
            users.push(tokio::spawn(async move {
                while !over.load(Ordering::SeqCst) {
                    let answer = match user {
                        0 => {
                            api.post(
                                &at("busy", "/search"),
                                json!({"query": "npm", "in": ["events", "messages"]}),
                            )
                            .await
                        }
                        1 => api.get(&at("busy", "/export?format=nquads")).await,
                        2 => api.post(&at("busy", "/seal"), json!({})).await,
                        _ => api.get(&at("busy", "/events")).await,
                    };
                    // Unknown, or stopped in the middle of a write.
                    assert!([200, 404, 503].contains(&answer.status), "{answer:?}");
                }
            }));
        }
        tokio::time::sleep(std::time::Duration::from_millis(20 + 30 * round)).await;
        let erased = server.api.delete(&at("busy", "")).await;
        assert_eq!(erased.status, 204, "{erased:?}");
        let said = turn(&mut Chance::new(9), "new", "main");
        let answer = server.api.post(&at("busy", "/turns"), said).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        assert_eq!(answer.body["turn"], 1);
        over.store(true, Ordering::SeqCst);
        for user in users {
            user.await.unwrap();
        }
        let info = server.api.settle("busy").await;
        assert_eq!(info["counts"]["turns"], 1);
        assert!(!server.api.export("busy", "jsonl").await.contains(&token_of(&format!("{old}0"))));
        server.api.check_is_clean().await;
        assert_eq!(server.api.delete(&at("busy", "")).await.status, 204);
        let left = fs::read_dir(data.join("namespaces")).unwrap().count();
        assert_eq!(left, 0, "files of an erased namespace stayed");
    }
}

fn said_at(id: &str, text: &str, at: &str) -> Value {
    json!({"turn_id": id, "messages": [{"role": "user", "content": text, "at": at}]})
}

/// The recorded times of all records of a namespace.
async fn recorded(server: &Server, ns: &str) -> Vec<String> {
    let jsonl = server.api.export(ns, "jsonl").await;
    let of = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["recorded_at"].as_str().unwrap().to_owned()
    };
    jsonl.lines().map(of).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_was_set_back_stops_no_write() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    // The clock of messages runs ahead of the machine's, as a clock does that was wrong.
    let server = Server::start_with(&data, &["--clock", "messages"]);
    let ahead = said_at("ahead", "Use npm for the Harbour project.", "2091-05-06T10:00:00Z");
    assert_eq!(server.api.post(&at("clock", "/turns"), ahead).await.status, 201);
    server.kill();
    let server = Server::start(&data);
    let back = said_at("back", "Let's switch Harbour to pnpm.", "2025-05-08T10:00:00Z");
    assert_eq!(server.api.post(&at("clock", "/turns"), back).await.status, 201);
    server.api.post(&at("clock", "/seal"), json!({})).await.well();
    let info = server.api.settle("clock").await;
    assert_eq!(info["counts"]["turns"], 2);
    let times = recorded(&server, "clock").await;
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.last().unwrap().starts_with("2091-"), "{times:?}");
    server.api.check_is_clean().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_of_messages_begins_with_the_first_message_and_goes_on_after_a_kill() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let server = Server::start_with(&data, &["--clock", "messages"]);
    // Made before any message has told the time; that must not put the wall clock into it.
    server.api.put(&at("story", ""), json!({"block_turns": 1})).await.well();
    let npm = said_at("npm", "Use npm for the Harbour project.", "2025-05-06T10:00:00Z");
    assert_eq!(server.api.post(&at("story", "/turns"), npm).await.status, 201);
    server.kill();
    let server = Server::start_with(&data, &["--clock", "messages"]);
    // Jobs that are done after the start belong to the time of the story too.
    server.api.settle("story").await;
    let pnpm = said_at("pnpm", "Let's switch Harbour to pnpm.", "2025-05-08T10:00:00Z");
    assert_eq!(server.api.post(&at("story", "/turns"), pnpm).await.status, 201);
    server.api.settle("story").await;
    let times = recorded(&server, "story").await;
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.iter().all(|at| at.as_str() < "2025-05-09"), "{times:?}");
    let asked = at(
        "story",
        "/entities/project:harbour?known_at=2025-05-07T00:00:00Z&valid_at=2025-05-09T00:00:00Z",
    );
    let state = server.api.get(&asked).await.well();
    assert_eq!(state["current"][0]["value"], "npm", "{state}");
    let now = server.api.get(&at("story", "/entities/project:harbour")).await.well();
    assert_eq!(now["current"][0]["value"], "pnpm", "{now}");
    server.api.check_is_clean().await;
}
