//! Background work and its changes as they happen.

use crate::support::{TestServer, turn};
use reqwest::Method;
use serde_json::json;

const JOBS: &str = "/v1/namespaces/a/jobs";

#[tokio::test]
async fn jobs_are_listed_and_read() {
    let server = TestServer::start();
    server.configure("a", json!({"block_turns": 1})).await;
    server
        .record("a", turn("t1", "2026-05-06T09:30:00Z", "Use npm for the kiosk project.", "Ok."))
        .await;
    server.settle("a").await;
    let jobs = server.get(&format!("{JOBS}?state=done")).await;
    let kinds: Vec<&str> =
        jobs["items"].as_array().unwrap().iter().map(|job| job["kind"].as_str().unwrap()).collect();
    for kind in ["summarise", "extract", "project"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let id = jobs["items"][0]["id"].as_str().unwrap();
    assert_eq!(server.get(&format!("{JOBS}/{id}")).await, jobs["items"][0]);
    let one = server.get(&format!("{JOBS}?kind=extract")).await;
    assert_eq!(one["items"].as_array().unwrap().len(), 1);
    for path in ["/j_nothing", "/j_nothing/retry", "/j_nothing/cancel"] {
        let method = if path == "/j_nothing" { Method::GET } else { Method::POST };
        server.problem(server.request(method, &format!("{JOBS}{path}")), 404, "not_found").await;
    }
    for query in ["state=asleep", "kind=dream"] {
        let request = server.request(Method::GET, &format!("{JOBS}?{query}"));
        server.problem(request, 400, "invalid_parameter").await;
    }
    // What is done stays done.
    let request = server.request(Method::POST, &format!("{JOBS}/{id}/cancel"));
    server.problem(request, 409, "conflict").await;
}

#[tokio::test]
async fn changes_are_sent_as_they_happen_and_only_to_their_namespace() {
    let server = TestServer::start();
    for name in ["a", "b"] {
        server.configure(name, json!({"block_turns": 1})).await;
    }
    let mut stream = server.request(Method::GET, &format!("{JOBS}/events")).send().await.unwrap();
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    server.record("b", turn("t0", "2026-05-06T09:30:00Z", "Elsewhere.", "Ok.")).await;
    server.settle("b").await;
    let receipt = server.record("a", turn("t1", "2026-05-06T09:30:00Z", "Here.", "Ok.")).await;
    let block = receipt["sealed_block"].as_str().unwrap();
    let mut text = String::new();
    while !text.contains("\"state\":\"done\"") {
        let chunk = stream.chunk().await.unwrap().expect("the stream goes on");
        text.push_str(&String::from_utf8_lossy(&chunk));
    }
    assert!(text.contains("event: job"), "{text}");
    for line in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
        assert!(line.contains(block), "{line} is of another namespace");
    }
}
