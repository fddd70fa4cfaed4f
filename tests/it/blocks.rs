//! Blocks, their levels, expansion and decay.

use crate::support::{TestServer, turn};
use reqwest::Method;
use serde_json::{Value, json};

async fn server_with_blocks(count: usize) -> (TestServer, Vec<String>) {
    let server = TestServer::start();
    server.configure("a", json!({"block_turns": 1})).await;
    let mut ids = Vec::new();
    for n in 0..count {
        let said = format!("Step {n}: we paint panel number {n} of the kiosk in green.");
        let at = format!("2026-05-06T09:{n:02}:00Z");
        let receipt = server.record("a", turn(&format!("t{n}"), &at, &said, "Done.")).await;
        ids.push(receipt["sealed_block"].as_str().expect("one turn fills a Block").to_owned());
    }
    server.settle("a").await;
    (server, ids)
}

#[tokio::test]
async fn blocks_decay_with_their_distance_and_looking_changes_nothing() {
    let (server, ids) = server_with_blocks(10).await;
    let context = server.get("/v1/namespaces/a/context").await;
    let levels: Vec<&str> = context["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["L0", "L1", "L1", "L2", "L2", "L3", "L3", "L4", "L5", "L5"]);
    for level in ["L0", "L1", "L2", "L3", "L4", "L5"] {
        let path = format!("/v1/namespaces/a/blocks/{}?level={level}", ids[0]);
        let block = server.get(&path).await;
        assert_eq!(block["level"], level);
        assert!(!block["text"].as_str().unwrap().is_empty(), "{level}");
    }
    assert_eq!(server.get("/v1/namespaces/a/context").await, context);
}

#[tokio::test]
async fn expansion_goes_one_level_or_straight_to_one() {
    let (server, ids) = server_with_blocks(10).await;
    let path = format!("/v1/namespaces/a/blocks/{}/expand", ids[0]);
    assert_eq!(server.post(&path, json!({"to": "next"})).await["level"], "L1");
    let block = server.post(&path, json!({"to": "L5"})).await;
    assert_eq!(block["level"], "L5");
    assert!(block["text"].as_str().unwrap().contains("panel number 0"));
    let again = server.get(&format!("/v1/namespaces/a/blocks/{}", ids[0])).await;
    assert_eq!((&again["level"], &again["age"]), (&json!("L5"), &json!(0)), "a new anchor");
}

#[tokio::test]
async fn unknown_levels_states_and_blocks_are_refused() {
    let (server, ids) = server_with_blocks(1).await;
    let base = "/v1/namespaces/a/blocks";
    for level in ["L6", "L9", "l5", "5", "next"] {
        let request = server.request(Method::GET, &format!("{base}/{}?level={level}", ids[0]));
        let problem = server.problem(request, 400, "invalid_parameter").await;
        assert_eq!(problem["errors"][0]["field"], "level");
    }
    for to in [json!("L9"), json!(""), json!("previous")] {
        let request = server.request(Method::POST, &format!("{base}/{}/expand", ids[0]));
        let problem = server.problem(request.json(&json!({"to": to})), 400, "invalid_value").await;
        assert_eq!(problem["errors"][0]["field"], "to");
    }
    let request = server.request(Method::GET, &format!("{base}?state=melted"));
    server.problem(request, 400, "invalid_parameter").await;
    let request = server.request(Method::GET, &format!("{base}/b_nothing"));
    server.problem(request, 404, "not_found").await;
    let request = server.request(Method::POST, &format!("{base}/b_nothing/expand"));
    server.problem(request.json(&json!({"to": "next"})), 404, "not_found").await;
}

#[tokio::test]
async fn pages_go_through_all_blocks_once() {
    let (server, ids) = server_with_blocks(7).await;
    let mut seen: Vec<String> = Vec::new();
    let mut path = "/v1/namespaces/a/blocks?limit=3".to_owned();
    loop {
        let page = server.get(&path).await;
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 3);
        seen.extend(items.iter().map(|block| block["id"].as_str().unwrap().to_owned()));
        let Value::String(next) = &page["next"] else { break };
        path = format!("/v1/namespaces/a/blocks?limit=3&cursor={next}");
    }
    let (mut seen, mut ids) = (seen, ids);
    seen.sort();
    ids.sort();
    assert_eq!(seen, ids);
    let request = server.request(Method::GET, "/v1/namespaces/a/blocks?cursor=nonsense.x.y.z");
    assert!(request.send().await.unwrap().status().is_client_error());
}

#[tokio::test]
async fn the_boundary_and_the_end_of_a_conversation_seal() {
    let server = TestServer::start();
    server.configure("a", json!({"block_turns": 2})).await;
    let at = "2026-05-06T09:00:00Z";
    let first = server.record("a", turn("t1", at, "One.", "1")).await;
    assert_eq!(first["sealed_block"], Value::Null);
    let second = server.record("a", turn("t2", at, "Two.", "2")).await;
    assert!(second["sealed_block"].is_string());
    server.record("a", turn("t3", at, "Three.", "3")).await;
    assert_eq!(
        server.post("/v1/namespaces/a/seal", json!({})).await["blocks"].as_array().unwrap().len(),
        1
    );
    let info = server.settle("a").await;
    assert_eq!((&info["counts"]["blocks"], &info["counts"]["open_turns"]), (&json!(2), &json!(0)));
    let blocks = server.get("/v1/namespaces/a/blocks?state=ready").await;
    assert_eq!(blocks["items"].as_array().unwrap().len(), 2);
}
