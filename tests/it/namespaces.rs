//! Namespaces: names, settings, walls, erasure.

use crate::support::{TestServer, turn, with_query};
use reqwest::{Method, StatusCode};
use serde_json::json;

#[tokio::test]
async fn a_namespace_is_made_changed_and_erased() {
    let server = TestServer::start();
    let put = |body| server.request(Method::PUT, "/v1/namespaces/a").json(&body);
    let made = server.json(put(json!({"block_turns": 6})), StatusCode::CREATED).await;
    assert_eq!(made["name"], "a");
    assert_eq!(made["settings"]["block_turns"], 6);
    assert_eq!(made["settings"]["engine"], "rules");
    assert_eq!(made["counts"]["turns"], 0);
    assert_eq!(made["pending_jobs"], 0);

    let changed = server.json(put(json!({"timezone": "Asia/Shanghai"})), StatusCode::OK).await;
    assert_eq!(changed["settings"]["block_turns"], 6, "what is left out stays");
    assert_eq!(changed["settings"]["timezone"], "Asia/Shanghai");
    let again = server.json(put(json!({"timezone": "Asia/Shanghai"})), StatusCode::OK).await;
    assert_eq!(again["revision"], changed["revision"], "saying it twice changes nothing");

    let erased = server.request(Method::DELETE, "/v1/namespaces/a").send().await.unwrap();
    assert_eq!(erased.status(), StatusCode::NO_CONTENT);
    let request = server.request(Method::GET, "/v1/namespaces/a");
    server.problem(request, 404, "unknown_namespace").await;
    assert_eq!(server.get("/v1/namespaces").await["items"], json!([]));
}

#[tokio::test]
async fn impossible_settings_name_their_field() {
    let server = TestServer::start();
    for (body, field) in [
        (json!({"block_turns": 0}), "block_turns"),
        (json!({"lambda": -0.1}), "lambda"),
        (json!({"timezone": "Mars/Olympus"}), "timezone"),
        (json!({"engine": "oracle"}), "engine"),
    ] {
        let request = server.request(Method::PUT, "/v1/namespaces/a").json(&body);
        let problem = server.problem(request, 400, "invalid_value").await;
        assert_eq!(problem["errors"][0]["field"], field, "{problem}");
    }
    let request = server.request(Method::PUT, "/v1/namespaces/a").json(&json!({"lambda": "fast"}));
    let problem = server.problem(request, 400, "invalid_json").await;
    assert_eq!(problem["errors"][0]["field"], "lambda");
    let misspelt = json!({"block_turn": 3});
    let request = server.request(Method::PUT, "/v1/namespaces/a").json(&misspelt);
    let problem = server.problem(request, 400, "invalid_json").await;
    assert!(problem["detail"].as_str().unwrap().contains("block_turns"), "{problem}");
    assert_eq!(server.get("/v1/namespaces").await["items"], json!([]), "nothing was made");
}

#[tokio::test]
async fn names_are_any_text_percent_encoded() {
    let server = TestServer::start();
    let names = ["dsh:demo", "a/b", "a b", "演示", "100%", "..a", "x?y#z", "*"];
    for name in names {
        let path = format!("/v1/namespaces/{}", encode(name));
        let made = server.request(Method::PUT, &path).json(&json!({}));
        assert_eq!(server.json(made, StatusCode::CREATED).await["name"], name);
        assert_eq!(server.get(&path).await["name"], name);
    }
    let list = server.get("/v1/namespaces").await;
    let mut listed: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    listed.sort_unstable();
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn impossible_names_are_refused_and_mean_nothing_else() {
    let server = TestServer::start();
    let long = "x".repeat(201);
    for name in ["%20", "%0A", "%00", "%ff", long.as_str()] {
        let request =
            server.request(Method::PUT, &format!("/v1/namespaces/{name}")).json(&json!({}));
        server.problem(request, 400, "invalid_namespace").await;
    }
    let request = server.request(Method::POST, "/v1/namespaces//turns").json(&json!({}));
    server.problem(request, 400, "invalid_namespace").await;
    // Not "all namespaces", and not one made in passing.
    for path in ["/v1/namespaces//search", "/v1/namespaces/%20/search", "/v1/namespaces/*/search"] {
        let request = server.request(Method::POST, path).json(&json!({"query": "x"}));
        let status = request.send().await.unwrap().status();
        assert!(status.is_client_error(), "{path}: {status}");
    }
    assert_eq!(server.get("/v1/namespaces").await["items"], json!([]));
}

#[tokio::test]
async fn reading_an_unknown_namespace_makes_none() {
    let server = TestServer::start();
    let base = "/v1/namespaces/nobody";
    for path in [
        "",
        "/context",
        "/blocks",
        "/blocks/b_1",
        "/events",
        "/events/e_1",
        "/entities",
        "/entities/x",
        "/entities/x/timeline",
        "/why?fact=f_1",
        "/diff?from=2026-01-01&to=2026-01-02",
        "/jobs",
        "/jobs/j_1",
        "/jobs/events",
        "/sparql",
        "/sparql?query=ASK%7B%7D",
        "/queries",
        "/queries/current_state?entity=project:x",
        "/graph?default",
        "/export",
    ] {
        let request = server.request(Method::GET, &format!("{base}{path}"));
        server.problem(request, 404, "unknown_namespace").await;
    }
    for (path, body) in [
        ("/seal", json!({})),
        ("/search", json!({"query": "x"})),
        ("/recall", json!({"query": "x"})),
        ("/assess", json!({"batch": "x", "verdict": "wrong", "next_strategy": "answer"})),
        ("/adoptions", json!({"receipt_id": "r", "assessment": "a"})),
        ("/blocks/b_1/expand", json!({"to": "next"})),
        ("/events/e_1/pin", json!({})),
        ("/jobs/j_1/retry", json!({})),
    ] {
        let request = server.request(Method::POST, &format!("{base}{path}")).json(&body);
        server.problem(request, 404, "unknown_namespace").await;
    }
    let request = server.request(Method::DELETE, base);
    server.problem(request, 404, "unknown_namespace").await;
    assert_eq!(server.get("/v1/namespaces").await["items"], json!([]));
}

#[tokio::test]
async fn no_door_of_one_namespace_shows_a_byte_of_another() {
    let server = TestServer::start();
    for name in ["left", "right"] {
        server.configure(name, json!({"block_turns": 1})).await;
    }
    let secret = "Use zebrawood for the kiosk project.";
    let kept = server.record("left", turn("t1", "2026-05-06T09:30:00Z", secret, "Noted.")).await;
    server.settle("left").await;
    server.settle("right").await;
    let left = server.get("/v1/namespaces/left/events").await;
    for path in [
        "/events",
        "/entities",
        "/blocks",
        "/jobs",
        "/context",
        "/export",
        "/sparql",
        "/graph?default",
    ] {
        let request = server.request(Method::GET, &format!("/v1/namespaces/right{path}"));
        let text = request.send().await.unwrap().text().await.unwrap();
        assert!(!text.contains("zebrawood") && !text.contains("kiosk"), "{path}: {text}");
    }
    let found = server.post("/v1/namespaces/right/search", json!({"query": "zebrawood"})).await;
    assert_eq!(found["hits"], json!([]));
    let query = "SELECT * WHERE { GRAPH ?g { ?s ?p ?o FILTER(CONTAINS(STR(?o), 'zebrawood')) } }";
    let request = server
        .request(Method::GET, &with_query("/v1/namespaces/right/sparql", &[("query", query)]));
    let rows = server.json(request, StatusCode::OK).await;
    assert_eq!(rows["results"]["bindings"], json!([]));
    let block = kept["sealed_block"].as_str().unwrap();
    let request = server.request(Method::GET, &format!("/v1/namespaces/right/blocks/{block}"));
    server.problem(request, 404, "not_found").await;
    for event in left["items"].as_array().unwrap() {
        let id = event["id"].as_str().unwrap();
        let request = server.request(Method::GET, &format!("/v1/namespaces/right/events/{id}"));
        server.problem(request, 404, "not_found").await;
    }
}

fn encode(name: &str) -> String {
    percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string()
}
