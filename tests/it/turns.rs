//! Recording: durable, idempotent, exact, and strict about what cannot be stored.

use crate::support::{TestServer, turn};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const TURNS: &str = "/v1/namespaces/a/turns";

fn post(server: &TestServer, body: &Value) -> reqwest::RequestBuilder {
    server.request(Method::POST, TURNS).json(body)
}

fn raw(server: &TestServer, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
    server.request(Method::POST, TURNS).header("content-type", "application/json").body(body)
}

#[tokio::test]
async fn a_turn_is_stored_once_and_answered_alike_ever_after() {
    let server = TestServer::start();
    let sent = turn("t1", "2026-05-06T09:30:00+08:00", "Hello.", "Hi.");
    let first = server.json(post(&server, &sent), StatusCode::CREATED).await;
    assert_eq!(first["status"], "stored");
    assert_eq!(first["turn"], 1);
    assert_eq!(first["message_ids"].as_array().unwrap().len(), 2);
    assert_eq!(first["sealed_block"], Value::Null);
    let second = server.json(post(&server, &sent), StatusCode::OK).await;
    assert_eq!(second["status"], "duplicate");
    for field in ["turn_id", "turn", "message_ids", "sealed_block", "revision"] {
        assert_eq!(second[field], first[field], "{field}");
    }
    let info = server.get("/v1/namespaces/a").await;
    assert_eq!(info["counts"]["turns"], 1);
}

#[tokio::test]
async fn a_turn_id_with_other_content_is_refused() {
    let server = TestServer::start();
    server.record("a", turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.")).await;
    let other = turn("t1", "2026-05-06T09:30:00Z", "Hello!", "Hi.");
    let problem = server.problem(post(&server, &other), 409, "conflict").await;
    assert!(problem["detail"].as_str().unwrap().contains("t1"), "{problem}");
    assert_eq!(server.get("/v1/namespaces/a").await["counts"]["turns"], 1);
}

#[tokio::test]
async fn fifty_at_once_store_one_turn() {
    let server = TestServer::start();
    let sent = turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.");
    let answers = futures::future::join_all((0..50).map(|_| async {
        let response = post(&server, &sent).send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    }))
    .await;
    let stored = answers.iter().filter(|(status, _)| *status == 201).count();
    let repeats = answers.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!((stored, repeats), (1, 49));
    for (_, answer) in &answers {
        assert_eq!(answer["message_ids"], answers[0].1["message_ids"]);
        assert_eq!(answer["turn"], 1);
    }
}

#[tokio::test]
async fn a_batch_is_stored_whole_or_not_at_all() {
    let server = TestServer::start();
    let batch = format!("{TURNS}:batch");
    let good = turn("t1", "2026-05-06T09:30:00Z", "One.", "1");
    let also = turn("t2", "2026-05-06T09:31:00Z", "Two.", "2");
    let bad =
        json!({"turn_id": "t3", "messages": [{"role": "user", "content": "x", "at": "soon"}]});
    for body in [json!([good, bad]), json!({"turns": [good, bad]})] {
        let request = server.request(Method::POST, &batch).json(&body);
        let problem = server.problem(request, 400, "invalid_value").await;
        assert!(problem["errors"][0]["field"].as_str().unwrap().contains("[1]"), "{problem}");
    }
    let list = server.get("/v1/namespaces").await;
    for info in list["items"].as_array().unwrap() {
        assert_eq!(info["counts"]["turns"], 0);
    }
    let request = server.request(Method::POST, &batch).json(&json!({"turns": [good, also]}));
    let stored = server.json(request, StatusCode::CREATED).await;
    let turns: Vec<&Value> =
        stored["items"].as_array().unwrap().iter().map(|r| &r["turn"]).collect();
    assert_eq!(turns, [&json!(1), &json!(2)]);
    // The plain call takes an array too.
    let again = server.json(post(&server, &json!([good, also])), StatusCode::OK).await;
    assert_eq!(again["items"][1]["status"], "duplicate");
}

#[tokio::test]
async fn text_comes_back_exactly() {
    let server = TestServer::start();
    let odd = "  a\u{0}b\r\n\ttab \u{1f468}\u{200d}\u{1f469}  e\u{301} \u{feff} trailing  ";
    let sent = json!({"turn_id": "t1", "messages": [
        {"id": "m1", "role": "user", "speaker": "Ana", "content": odd, "at": "2026-05-06T09:30:00.123+08:00"},
        {"id": "m2", "role": "assistant", "content": null, "at": "2026-05-06T09:31:00+08:00",
            "tool_calls": [{"id": "c1", "name": "shell", "arguments": {"cmd": "ls", "n": 1.5}}]},
        {"id": "m3", "role": "tool", "name": "shell", "tool_call_id": "c1", "content": "{}"},
        {"id": "m4", "role": "narrator", "content": ""},
    ]});
    server.json(post(&server, &sent), StatusCode::CREATED).await;
    let context = server.get("/v1/namespaces/a/context").await;
    let tail = context["tail"].as_array().unwrap();
    assert_eq!(tail[0]["content"], odd);
    assert_eq!(tail[0]["speaker"], "Ana");
    assert_eq!(tail[0]["at"], "2026-05-06T01:30:00.123Z");
    assert_eq!(tail[0]["at_offset"], "+08:00");
    assert_eq!(tail[1]["content"], Value::Null);
    assert_eq!(tail[1]["tool_calls"][0]["arguments"], json!({"cmd": "ls", "n": 1.5}));
    assert_eq!(tail[2]["at_basis"], "assumed");
    assert_eq!(tail[3]["role"], "narrator");
    assert_eq!(tail[3]["thread"], "main");
}

#[tokio::test]
async fn broken_json_is_a_problem_that_names_the_place() {
    let server = TestServer::start();
    for body in [
        "",
        "{",
        "nonsense",
        "[",
        "\"text\"",
        "7",
        "null",
        r#"{"turn_id":"t"}"#,
        r#"{"messages":[]}"#,
        r#"{"turn_id":"t","turn_id":"u","messages":[]}"#,
        r#"{"turn_id":7,"messages":[]}"#,
        r#"{"turn_id":"t","messages":{}}"#,
        r#"{"turn_id":"t","messages":[{"content":"no role"}]}"#,
        r#"{"turn_id":"t","messages":[{"role":"user","content":["parts"]}]}"#,
        r#"{"turn_id":"t","messages":[{"role":"user","content":"x"}]} trailing"#,
    ] {
        server.problem(raw(&server, body), 400, "invalid_json").await;
    }
    let nested = format!(r#"{{"turn_id":"t","messages":[],"x":{}"#, "[".repeat(200_000));
    server.problem(raw(&server, nested), 400, "invalid_json").await;
    server.problem(raw(&server, b"{\"turn_id\":\"\xff\"}".to_vec()), 400, "invalid_json").await;
    let body = r#"{"turn_id":"t","messages":[{"role":"user","content":"ok"},{"role":"user","content":"\ud800"}]}"#;
    let problem = server.problem(raw(&server, body), 400, "invalid_json").await;
    assert_eq!(problem["errors"][0]["field"], "messages[1].content");
    assert_eq!(server.get("/v1/namespaces").await["items"], json!([]), "nothing was stored");
}

#[tokio::test]
async fn unknown_fields_are_let_pass() {
    let server = TestServer::start();
    let mut sent = turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.");
    sent["model"] = json!("x");
    sent["messages"][0]["tokens"] = json!(7);
    server.json(post(&server, &sent), StatusCode::CREATED).await;
}

#[tokio::test]
async fn values_that_cannot_be_stored_name_their_field() {
    let server = TestServer::start();
    let with = |field: &str, value: Value| {
        let mut sent = turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.");
        sent["messages"][1][field] = value;
        sent
    };
    for (body, field) in [
        (with("at", json!("soon")), "at"),
        (with("at", json!("2026-02-30T10:00:00Z")), "at"),
        (with("at", json!("9999-12-31T23:59:59-23:59")), "at"),
        (with("at", json!("0001-01-01T00:00:00+14:00")), "at"),
        (with("at", json!("2026-05-06T25:00:00Z")), "at"),
        (json!({"turn_id": "", "messages": [{"role": "user", "content": "x"}]}), "turn_id"),
        (json!({"turn_id": "t", "messages": []}), "messages"),
    ] {
        let problem = server.problem(post(&server, &body), 400, "invalid_value").await;
        let named = problem["errors"][0]["field"].as_str().unwrap();
        assert!(named.contains(field), "{problem}");
    }
    let mut twice = turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.");
    twice["messages"][0]["id"] = json!("m");
    twice["messages"][1]["id"] = json!("m");
    let response = post(&server, &twice).send().await.unwrap();
    assert!(response.status().is_client_error(), "one id, two messages");
}

#[tokio::test]
async fn what_is_too_large_is_refused_whole() {
    let server = TestServer::start();
    let fits = "x".repeat(1024 * 1024);
    let body = turn("t1", "2026-05-06T09:30:00Z", &fits, "Hi.");
    server.json(post(&server, &body), StatusCode::CREATED).await;
    let body = turn("t2", "2026-05-06T09:30:00Z", &format!("{fits}x"), "Hi.");
    server.problem(post(&server, &body), 413, "too_large").await;
    let body = turn("t3", "2026-05-06T09:30:00Z", &"x".repeat(17 * 1024 * 1024), "Hi.");
    server.problem(post(&server, &body), 413, "too_large").await;
    let request = server.request(Method::PUT, "/v1/namespaces/a").body("x".repeat(5 * 1024 * 1024));
    server.problem(request, 413, "too_large").await;
    assert_eq!(server.get("/v1/namespaces/a").await["counts"]["turns"], 1);
}

#[tokio::test]
async fn the_media_type_may_be_missing_but_not_wrong() {
    let server = TestServer::start();
    let sent = turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.").to_string();
    for wrong in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let request =
            server.request(Method::POST, TURNS).header("content-type", wrong).body(sent.clone());
        server.problem(request, 415, "unsupported_media_type").await;
    }
    let request = server.request(Method::POST, TURNS).body(sent);
    server.json(request, StatusCode::CREATED).await;
}

#[tokio::test]
async fn an_acknowledged_turn_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = TestServer::start_in(folder.path(), &[]);
    let sent = turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.");
    let first = server.json(post(&server, &sent), StatusCode::CREATED).await;
    server.kill();
    let server = TestServer::start_in(folder.path(), &[]);
    let second = server.json(post(&server, &sent), StatusCode::OK).await;
    assert_eq!(second["message_ids"], first["message_ids"]);
    assert_eq!(second["revision"], first["revision"]);
}

#[tokio::test]
async fn threads_have_tails_of_their_own() {
    let server = TestServer::start();
    let mut other = turn("t2", "2026-05-06T09:31:00Z", "Elsewhere.", "Yes.");
    other["thread"] = json!("side");
    server.record("a", turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.")).await;
    server.record("a", other).await;
    let side = server.get("/v1/namespaces/a/context?thread=side").await;
    assert_eq!(side["tail"].as_array().unwrap().len(), 2);
    assert_eq!(side["tail"][0]["content"], "Elsewhere.");
    let sealed = server.post("/v1/namespaces/a/seal", json!({"thread": "side"})).await;
    assert_eq!(sealed["blocks"].as_array().unwrap().len(), 1);
    let again = server.post("/v1/namespaces/a/seal", json!({"thread": "side"})).await;
    assert_eq!(again["blocks"], json!([]));
    let main = server.get("/v1/namespaces/a/context").await;
    assert_eq!(main["tail"].as_array().unwrap().len(), 2);
}
