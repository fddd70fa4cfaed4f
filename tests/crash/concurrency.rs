//! Many at once on the real store, whose transactions do not see each other.

use crate::support::api::at;
use crate::support::words::turn;
use crate::support::{Chance, Server};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn fifty_posts_of_one_turn_store_it_once() {
    let place = tempfile::tempdir().unwrap();
    let server = Server::start(&place.path().join("data"));
    for round in 0..5 {
        // The first round also races for making the namespace.
        let said = turn(&mut Chance::new(round), &format!("t{round}"), "main");
        let mut posts = Vec::new();
        for _ in 0..50 {
            let (api, said) = (server.api.clone(), said.clone());
            posts.push(tokio::spawn(async move { api.post(&at("same", "/turns"), said).await }));
        }
        let mut statuses = Vec::new();
        let mut receipts = BTreeSet::new();
        for post in posts {
            let answer = post.await.unwrap();
            statuses.push(answer.status);
            let mut receipt = answer.body;
            receipt["status"] = Value::Null;
            receipts.insert(receipt.to_string());
        }
        statuses.sort_unstable();
        let mut wanted = vec![200; 49];
        wanted.push(201);
        assert_eq!(statuses, wanted);
        assert_eq!(receipts.len(), 1, "{receipts:?}");
    }
    let info = server.api.settle("same").await;
    assert_eq!(info["counts"]["turns"], 5);
    server.api.check_is_clean().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn writers_and_readers_at_once_lose_no_update() {
    const WRITERS: u64 = 8;
    const TURNS: u64 = 20;
    let place = tempfile::tempdir().unwrap();
    let server = Server::start(&place.path().join("data"));
    let ns = "many";
    server.api.put(&at(ns, ""), json!({"block_turns": 4})).await.well();
    let over = Arc::new(AtomicBool::new(false));
    let reads = Arc::new(AtomicU64::new(0));
    let mut readers = Vec::new();
    for reader in 0..4 {
        let (api, over, reads) = (server.api.clone(), over.clone(), reads.clone());
        readers.push(tokio::spawn(async move {
            let mut turns = 0;
            while !over.load(Ordering::SeqCst) {
                let answer = match reader {
                    0 => api.post(&at(ns, "/search"), json!({"query": "package manager", "in": ["events", "facts", "messages", "blocks"]})).await,
                    1 => api.post(&at(ns, "/recall"), json!({"query": "which database?", "thread": "writer 1"})).await,
                    2 => api.get(&at(ns, "/entities/tool:pnpm")).await,
                    _ => api.get(&at(ns, "")).await,
                };
                assert!(answer.status == 200 || (reader == 2 && answer.status == 404), "{answer:?}");
                if reader == 3 {
                    let now = answer.body["counts"]["turns"].as_u64().unwrap();
                    assert!(now >= turns, "a count went back from {turns} to {now}");
                    turns = now;
                }
                reads.fetch_add(1, Ordering::SeqCst);
            }
        }));
    }
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let api = server.api.clone();
        writers.push(tokio::spawn(async move {
            let mut chance = Chance::new(100 + writer);
            let thread = format!("writer {}", writer % 4);
            let mut receipts = Vec::new();
            for number in 0..TURNS {
                let said = turn(&mut chance, &format!("w{writer} {number}"), &thread);
                let answer = api.post(&at(ns, "/turns"), said).await;
                assert_eq!(answer.status, 201, "{answer:?}");
                receipts.push(answer.body);
                if chance.percent(5) {
                    api.post(&at(ns, "/seal"), json!({"thread": thread})).await.well();
                }
            }
            receipts
        }));
    }
    let mut receipts = Vec::new();
    for writer in writers {
        receipts.extend(writer.await.unwrap());
    }
    // The newest word on a property decides, whoever wrote at the same time.
    let last = json!({"turn_id": "last", "thread": "writer 0", "messages": [
        {"role": "user", "content": "Let's switch Harbour to pnpm.", "at": "2025-07-01T10:00:00Z"}]});
    receipts.push(server.api.post(&at(ns, "/turns"), last).await.well());
    server.api.post(&at(ns, "/seal"), json!({})).await.well();
    let info = server.api.settle(ns).await;
    over.store(true, Ordering::SeqCst);
    for reader in readers {
        reader.await.unwrap();
    }
    assert!(reads.load(Ordering::SeqCst) > 20);

    let total = WRITERS * TURNS + 1;
    assert_eq!(info["counts"]["turns"], total);
    let numbers: BTreeSet<u64> = receipts.iter().map(|r| r["turn"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=total).collect(), "unique and without gaps");
    let count = |query| server.api.count(ns, query);
    let turns =
        count("SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE { GRAPH ?g { ?s a sg:Turn } }").await;
    assert_eq!(turns, total);
    for (class, field) in [("Fact", "facts"), ("Event", "events"), ("Message", "messages")] {
        let query =
            format!("SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE {{ GRAPH ?g {{ ?s a sg:{class} }} }}");
        assert_eq!(info["counts"][field], server.api.count(ns, &query).await, "{class}");
    }
    let state = server.api.get(&at(ns, "/entities/project:harbour")).await.well();
    let current: Vec<&Value> = state["current"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fact| fact["property"].as_str().unwrap().to_lowercase().contains("package"))
        .collect();
    assert_eq!(current.len(), 1, "{state}");
    assert_eq!(current[0]["value"], "pnpm", "{state}");
    server.api.check_is_clean().await;
    let jsonl = server.api.export(ns, "jsonl").await;
    let mut times = Vec::new();
    for line in jsonl.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        times.push(record["recorded_at"].as_str().unwrap().to_owned());
    }
    assert!(times.is_sorted(), "recorded times never go back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn settings_that_race_with_the_first_turn_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let server = Server::start(&place.path().join("data"));
    for round in 0..20 {
        let ns = format!("race {round}");
        let said = turn(&mut Chance::new(round), "t", "main");
        let (api, other) = (server.api.clone(), server.api.clone());
        let (first, second) = (ns.clone(), ns.clone());
        let record = tokio::spawn(async move { api.post(&at(&first, "/turns"), said).await });
        let configure = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_micros(200 * (round % 5))).await;
            other.put(&at(&second, ""), json!({"block_turns": 5})).await
        });
        assert_eq!(record.await.unwrap().status, 201);
        let answer = configure.await.unwrap().well();
        assert_eq!(answer["settings"]["block_turns"], 5, "{answer}");
        assert_eq!(server.api.info(&ns).await["settings"]["block_turns"], 5);
    }
}
