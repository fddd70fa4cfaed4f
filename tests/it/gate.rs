//! The evidence gate, and adoptions: the only thing that reinforces.

use crate::support::{TestServer, tell_story, turn};
use reqwest::Method;
use serde_json::{Value, json};

async fn told() -> (TestServer, Value) {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    // Later turns, so that weights have room to rise.
    for n in 0..5 {
        let at = format!("2026-05-09T10:0{n}:00+08:00");
        server.record("a", turn(&format!("later{n}"), &at, "Ok.", "Fine.")).await;
    }
    server.settle("a").await;
    let ask = json!({"query": "pnpm", "in": ["events"]});
    let found = server.post("/v1/namespaces/a/search", ask).await;
    assert!(!found["hits"].as_array().unwrap().is_empty(), "{found:#}");
    (server, found)
}

fn verdict(batch: &Value, word: &str, refs: &[&str], next: &str) -> Value {
    json!({"batch": batch, "verdict": word, "evidence_refs": refs, "fit": "names it",
        "missing": "", "next_strategy": next})
}

#[tokio::test]
async fn sufficient_needs_a_ref_of_its_batch() {
    let (server, found) = told().await;
    let path = "/v1/namespaces/a/assess";
    let good = found["hits"][0]["ref"].as_str().unwrap();
    let backed = server.post(path, verdict(&found["batch"], "sufficient", &[good], "answer")).await;
    assert_eq!(backed["verdict"], "sufficient");
    assert_eq!(backed["accepted"], json!([good]));
    for (refs, next) in [(vec![], "answer"), (vec!["no-such-ref"], "answer")] {
        let lowered = server.post(path, verdict(&found["batch"], "sufficient", &refs, next)).await;
        assert_eq!(lowered["verdict"], "partial", "{lowered:#}");
        assert!(!lowered["reason"].as_str().unwrap().is_empty());
        assert_eq!(lowered["rejected"].as_array().unwrap().len(), refs.len());
    }
    let other = server.post("/v1/namespaces/a/search", json!({"query": "npm"})).await;
    let answer = server.post(path, verdict(&other["batch"], "wrong", &[], "search_raw")).await;
    assert_eq!(answer["verdict"], "wrong");
}

#[tokio::test]
async fn impossible_verdicts_are_refused() {
    let (server, found) = told().await;
    let request = |body: &Value| server.request(Method::POST, "/v1/namespaces/a/assess").json(body);
    let body = verdict(&found["batch"], "splendid", &[], "answer");
    server.problem(request(&body), 400, "invalid_value").await;
    let body = verdict(&found["batch"], "partial", &[], "guess");
    server.problem(request(&body), 400, "invalid_value").await;
    let body = verdict(&json!("no-such-batch"), "partial", &[], "answer");
    server.problem(request(&body), 404, "not_found").await;
    let body = json!({"batch": found["batch"], "verdict": "partial"});
    server.problem(request(&body), 400, "invalid_json").await;
}

#[tokio::test]
async fn an_adoption_reinforces_once() {
    let (server, found) = told().await;
    let hit = &found["hits"][0];
    let (good, id) = (hit["ref"].as_str().unwrap(), hit["id"].as_str().unwrap());
    let body = verdict(&found["batch"], "sufficient", &[good], "answer");
    let assessed = server.post("/v1/namespaces/a/assess", body).await;
    let event = format!("/v1/namespaces/a/events/{id}");
    let before = server.get(&event).await;
    let receipt =
        json!({"receipt_id": "r1", "assessment": assessed["assessment"], "evidence_refs": [good]});
    let first = server.post("/v1/namespaces/a/adoptions", receipt.clone()).await;
    assert_eq!(first, json!({"status": "recorded", "incremented": [id]}));
    let after = server.get(&event).await;
    assert_eq!(after["adoptions"], 1);
    assert!(after["weight"].as_f64().unwrap() > before["weight"].as_f64().unwrap());
    let again = server.post("/v1/namespaces/a/adoptions", receipt).await;
    assert_eq!(again["status"], "duplicate");
    assert_eq!(server.get(&event).await["adoptions"], 1);

    let empty =
        json!({"receipt_id": "r2", "assessment": assessed["assessment"], "evidence_refs": []});
    let nothing = server.post("/v1/namespaces/a/adoptions", empty).await;
    assert_eq!(nothing, json!({"status": "recorded", "incremented": []}));
    let other =
        json!({"receipt_id": "r1", "assessment": assessed["assessment"], "evidence_refs": []});
    let request = server.request(Method::POST, "/v1/namespaces/a/adoptions").json(&other);
    server.problem(request, 409, "conflict").await;
    let unknown = json!({"receipt_id": "r3", "assessment": "a_nothing", "evidence_refs": []});
    let request = server.request(Method::POST, "/v1/namespaces/a/adoptions").json(&unknown);
    server.problem(request, 404, "not_found").await;
}

#[tokio::test]
async fn what_was_assessed_as_wrong_cannot_be_adopted() {
    let (server, found) = told().await;
    let hit = &found["hits"][0];
    let good = hit["ref"].as_str().unwrap();
    let event = format!("/v1/namespaces/a/events/{}", hit["id"].as_str().unwrap());
    let before = server.get(&event).await;
    let body = verdict(&found["batch"], "wrong", &[good], "search_raw");
    let wrong = server.post("/v1/namespaces/a/assess", body).await;
    let adopt = |receipt: &str, assessment: &Value, refs: &[&str]| {
        let body = json!({"receipt_id": receipt, "assessment": assessment, "evidence_refs": refs});
        server.request(Method::POST, "/v1/namespaces/a/adoptions").json(&body)
    };
    let problem = server.problem(adopt("r1", &wrong["assessment"], &[good]), 409, "conflict").await;
    assert!(problem["detail"].as_str().unwrap().contains("wrong"), "{problem}");
    assert_eq!(server.get(&event).await, before, "nothing was reinforced");
    let nothing = adopt("r1", &wrong["assessment"], &[]).send().await.unwrap();
    assert_eq!(nothing.json::<Value>().await.unwrap()["incremented"], json!([]));
    // An answer may rest on partial evidence and say so: then that was used.
    let body = verdict(&found["batch"], "partial", &[good], "answer");
    let partial = server.post("/v1/namespaces/a/assess", body).await;
    let used = adopt("r2", &partial["assessment"], &[good]).send().await.unwrap();
    assert_eq!(used.json::<Value>().await.unwrap()["incremented"], json!([hit["id"]]));
}

#[tokio::test]
async fn refs_and_remarks_are_bounded() {
    let (server, found) = told().await;
    let request = |body: &Value| server.request(Method::POST, "/v1/namespaces/a/assess").json(body);
    let long = "x".repeat(100_000);
    let many: Vec<String> = (0..101).map(|n| format!("event:e_{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (refs, field) in [
        (vec!["event:e_1", &long], "evidence_refs[1]"),
        (vec![""], "evidence_refs[0]"),
        (many, "evidence_refs"),
    ] {
        let body = verdict(&found["batch"], "partial", &refs, "answer");
        let problem = server.problem(request(&body), 400, "invalid_value").await;
        assert_eq!(problem["errors"][0]["field"], field);
        let body = json!({"receipt_id": "r", "assessment": "a_1", "evidence_refs": refs});
        let request = server.request(Method::POST, "/v1/namespaces/a/adoptions").json(&body);
        server.problem(request, 400, "invalid_value").await;
    }
    for field in ["fit", "missing"] {
        let mut body = verdict(&found["batch"], "partial", &[], "answer");
        body[field] = json!("演".repeat(160));
        assert!(request(&body).send().await.unwrap().status().is_success());
        body[field] = json!("演".repeat(161));
        let problem = server.problem(request(&body), 400, "invalid_value").await;
        assert_eq!(problem["errors"][0]["field"], field);
    }
}

#[tokio::test]
async fn what_was_recalled_is_not_taken_for_something_said() {
    let (server, _) = told().await;
    let asked = json!({"query": "Which package manager do we use?"});
    let recalled = server.post("/v1/namespaces/a/recall", asked).await;
    let text = recalled["text"].as_str().unwrap().to_owned();
    assert!(text.contains("pnpm"), "{recalled:#}");
    let events = async |ns: &str| {
        let found = server.get(&format!("/v1/namespaces/{ns}/events?limit=200")).await;
        found["items"].as_array().unwrap().clone()
    };
    // Another memory is told nothing but the recall and one thing of its own.
    let said = format!("{text}\n\nGot it. From now on we use MySQL as the database.");
    let at = "2026-05-20T10:00:00+08:00";
    server.record("b", turn("t1", at, &said, "Noted.")).await;
    server.post("/v1/namespaces/b/seal", json!({})).await;
    server.settle("b").await;
    let drawn = events("b").await;
    assert!(!drawn.is_empty());
    for event in &drawn {
        let shown = event.to_string();
        assert!(shown.contains("MySQL") && !shown.contains("pnpm"), "{event:#}");
        for quote in event["quotes"].as_array().unwrap() {
            let (start, end) = (quote["start"].as_u64().unwrap(), quote["end"].as_u64().unwrap());
            let span: String =
                said.chars().skip(start as usize).take((end - start) as usize).collect();
            assert_eq!(quote["text"], span, "quotes stand in what was posted");
        }
    }
    // The message itself stays exact.
    let found =
        server.post("/v1/namespaces/b/search", json!({"query": "MySQL", "in": ["messages"]})).await;
    assert_eq!(found["hits"][0]["text"], format!("user: {said}"), "{found:#}");
}
