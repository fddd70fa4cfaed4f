//! Search and recall: findable at once, never a grammar, never a write.

use crate::support::{TestServer, tell_story, turn};
use reqwest::Method;
use serde_json::{Value, json};

const SEARCH: &str = "/v1/namespaces/a/search";

#[tokio::test]
async fn a_turn_is_findable_by_the_next_search_or_said_to_be_pending() {
    let server = TestServer::start();
    server.record("a", turn("t1", "2026-05-06T09:30:00Z", "The walrus sings.", "Nice.")).await;
    let answer = server.post(SEARCH, json!({"query": "walrus", "in": ["messages"]})).await;
    let found = answer["hits"].as_array().unwrap().iter().any(|hit| hit["kind"] == "message");
    assert!(found || answer["pending"].as_u64().unwrap() > 0, "{answer}");
    server.settle("a").await;
    let answer = server.post(SEARCH, json!({"query": "walrus", "in": ["messages"]})).await;
    let hit = &answer["hits"][0];
    for field in ["ref", "kind", "id", "thread", "score", "text", "source_messages", "at", "status"]
    {
        assert!(hit.get(field).is_some(), "{field}: {hit}");
    }
    assert!(hit.get("explain").is_none());
    assert_eq!(hit["thread"], "main");
    assert_eq!(answer["pending"], 0);
}

#[tokio::test]
async fn user_text_is_never_a_grammar() {
    let server = TestServer::start();
    server.record("a", turn("t1", "2026-05-06T09:30:00Z", "usb-c adapter, y+(y+25)", "ok")).await;
    server.settle("a").await;
    let (deep, long) = ("(".repeat(3000), "x ".repeat(100_000));
    for words in [
        "- *",
        "a:(^",
        deep.as_str(),
        long.as_str(),
        "",
        "   ",
        "*",
        "AND OR NOT",
        "\"",
        "usb-c adapter\"\"",
        ">>>",
        "+ 2",
        "y+(y+25)",
        "https://x.org/?q=1",
        "東京🎌",
        "👨‍👩‍👧‍👦",
        "\u{0}",
        "foo:bar",
        "[x TO",
    ] {
        let answer = server.post(SEARCH, json!({"query": words})).await;
        assert!(answer["hits"].is_array(), "{}", &words[..words.len().min(20)]);
    }
    assert_eq!(server.get("/healthz").await["status"], "ok");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let answer = server.post(SEARCH, json!({"query": "how to bake sourdough bread"})).await;
    assert_eq!(answer["hits"], json!([]), "{answer:#}");
}

#[tokio::test]
async fn superseded_items_come_only_when_asked_for_and_are_labelled() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let ask = json!({"query": "kiosk package manager", "in": ["facts"], "intent": "history"});
    let history = server.post(SEARCH, ask).await;
    let statuses: Vec<&str> = history["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["status"].as_str().unwrap())
        .collect();
    assert!(statuses.contains(&"superseded") && statuses.contains(&"current"), "{history:#}");
    let current =
        server.post(SEARCH, json!({"query": "kiosk package manager", "in": ["facts"]})).await;
    for hit in current["hits"].as_array().unwrap() {
        assert_ne!(hit["status"], "superseded", "{hit}");
    }
    let explained =
        server.post(SEARCH, json!({"query": "pnpm", "explain": true, "limit": 1})).await;
    assert!(explained["hits"][0]["explain"].is_object(), "{explained:#}");
}

#[tokio::test]
async fn an_earlier_day_is_told_as_it_was_on_that_day() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let at = |valid_at: &str, kinds: &[&str]| json!({"query": "kiosk-web npm pnpm package manager prototype", "in": kinds, "valid_at": valid_at});
    let hits = |answer: &Value| -> Vec<(String, String)> {
        let all = answer["hits"].as_array().unwrap().iter();
        all.map(|hit| (hit["text"].to_string(), hit["status"].as_str().unwrap().to_owned()))
            .collect()
    };
    // On the 7th npm held; nobody had spoken of pnpm or of the prototype.
    let day = "2026-05-07T12:00:00+08:00";
    let facts = hits(&server.post(SEARCH, at(day, &["facts"])).await);
    assert!(facts.iter().any(|(text, status)| text.contains("= npm") && status == "current"));
    assert!(facts.iter().all(|(text, _)| !text.contains("pnpm")), "{facts:#?}");
    let events = hits(&server.post(SEARCH, at(day, &["events"])).await);
    assert_eq!(events.len(), 1, "{events:#?}");
    assert_ne!(events[0].1, "superseded", "{events:#?}");
    let recalled = server
        .post(
            "/v1/namespaces/a/recall",
            json!({"query": "package manager of kiosk-web", "valid_at": day}),
        )
        .await;
    let text = recalled["text"].as_str().unwrap();
    assert!(text.contains("npm") && !text.contains("pnpm"), "{text}");
    assert!(text.contains("[current"), "{text}");
    // Asking about this very moment is asking about now.
    let now = "2026-05-08T14:20:00+08:00";
    for kinds in [["facts"], ["events"]] {
        let mut plain = at(now, &kinds);
        plain.as_object_mut().unwrap().remove("valid_at");
        assert_eq!(
            hits(&server.post(SEARCH, at(now, &kinds)).await),
            hits(&server.post(SEARCH, plain).await)
        );
    }
}

#[tokio::test]
async fn an_event_and_an_entity_are_not_there_before_they_were_known() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let events = server.get("/v1/namespaces/a/events").await;
    let newest = events["items"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap();
    let path = format!("/v1/namespaces/a/events/{newest}");
    assert_eq!(server.get(&path).await["id"], newest);
    let before = format!("{path}?known_at=2026-05-07T00:00:00Z");
    server.problem(server.request(Method::GET, &before), 404, "not_found").await;
    let labels = |list: Value| list["items"].to_string();
    let known = labels(server.get("/v1/namespaces/a/entities?known_at=2026-05-07T00:00:00Z").await);
    assert!(known.contains("npm") && !known.contains("pnpm"), "{known}");
    assert!(labels(server.get("/v1/namespaces/a/entities").await).contains("pnpm"));
}

#[tokio::test]
async fn impossible_searches_name_their_field() {
    let server = TestServer::start();
    server.configure("a", json!({})).await;
    for (body, field) in [
        (json!({"query": "x", "in": ["views"]}), "in[0]"),
        (json!({"query": "x", "limit": 0}), "limit"),
        (json!({"query": "x", "limit": 1000}), "limit"),
        (json!({"query": "x", "valid_at": "soon"}), "valid_at"),
        (
            json!({"query": "x", "filter": {"from": "2026-05-02", "to": "2026-05-01"}}),
            "filter.from",
        ),
        (json!({"query": "x", "intent": "guess"}), "intent"),
    ] {
        let request = server.request(Method::POST, SEARCH).json(&body);
        let problem = server.problem(request, 400, "invalid_value").await;
        assert_eq!(problem["errors"][0]["field"], field);
    }
    for body in [json!({}), json!({"query": 7}), json!({"query": "x", "in": "events"})] {
        let request = server.request(Method::POST, SEARCH).json(&body);
        server.problem(request, 400, "invalid_json").await;
    }
}

#[tokio::test]
async fn a_recall_fits_its_budget_and_quotes_with_refs() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let ask = json!({"query": "Which package manager does the kiosk-web project use?"});
    let answer = server.post("/v1/namespaces/a/recall", ask).await;
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("pnpm"), "{text}");
    assert!(answer["tokens"].as_u64().unwrap() <= 900);
    assert!(!answer["items"].as_array().unwrap().is_empty());
    for item in answer["items"].as_array().unwrap() {
        assert!(text.contains(item["ref"].as_str().unwrap()), "{item} is not in {text}");
        assert!(!item["why"].as_str().unwrap().is_empty());
    }
    let ask =
        json!({"query": "Which package manager does the kiosk-web project use?", "budget": 1});
    let tight = server.post("/v1/namespaces/a/recall", ask).await;
    assert!(tight["tokens"].as_u64().unwrap() <= 1, "{tight:#}");
}

#[tokio::test]
async fn reading_writes_nothing() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let export = || async {
        let request = server.request(Method::GET, "/v1/namespaces/a/export");
        request.send().await.unwrap().text().await.unwrap()
    };
    let (before, info) = (export().await, server.get("/v1/namespaces/a").await);
    for _ in 0..20 {
        server.post(SEARCH, json!({"query": "pnpm"})).await;
        server.post("/v1/namespaces/a/recall", json!({"query": "pnpm"})).await;
        server.get("/v1/namespaces/a/context").await;
    }
    assert_eq!(export().await, before);
    let after: Value = server.get("/v1/namespaces/a").await;
    assert_eq!(after["revision"], info["revision"]);
}
