//! Why, and diff.

use crate::support::{KIOSK, TestServer, run, tell_story, turn};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn one_call_goes_from_the_value_to_the_sentence() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let path = format!("/v1/namespaces/a/why?entity={KIOSK}&property=package_manager");
    let why = server.get(&path).await;
    let link = &why["facts"][0];
    assert_eq!(link["fact"]["value"], "pnpm");
    assert!(!link["rule"].as_str().unwrap().is_empty());
    let event = &link["events"][0];
    assert_eq!(event["quotes"][0]["message"]["role"], "user");
    let said = event["quotes"][0]["message"]["content"].as_str().unwrap();
    assert!(said.contains("CI installs take 6 minutes"), "{said}");
    assert!(event["job"]["engine"].as_str().unwrap().starts_with("rules"), "{event:#}");
    assert_eq!(why["replaced"][0]["fact"]["value"], "npm");

    let fact = link["fact"]["id"].as_str().unwrap();
    let by_fact = server.get(&format!("/v1/namespaces/a/why?fact={fact}")).await;
    assert_eq!(by_fact["facts"][0]["fact"]["id"], fact);
    let then = server.get(&format!("{path}&valid_at=2026-05-07")).await;
    assert_eq!(then["facts"][0]["fact"]["value"], "npm");
}

#[tokio::test]
async fn a_question_must_be_one() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    for query in [
        "",
        "?entity=project:kiosk-web",
        "?property=package_manager",
        "?fact=f_1&entity=x",
        "?entity=project:kiosk-web&property=package_manager&valid_at=soon",
    ] {
        let request = server.request(Method::GET, &format!("/v1/namespaces/a/why{query}"));
        server.problem(request, 400, "invalid_parameter").await;
    }
    for query in ["?fact=f_nothing", "?entity=nobody&property=package_manager"] {
        let request = server.request(Method::GET, &format!("/v1/namespaces/a/why{query}"));
        server.problem(request, 404, "not_found").await;
    }
}

#[tokio::test]
async fn a_diff_names_what_began_and_ended_with_its_cause() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let diff = server.get("/v1/namespaces/a/diff?from=2026-05-07&to=2026-05-09").await;
    let values = |list: &str| -> Vec<&Value> {
        diff[list]
            .as_array()
            .unwrap()
            .iter()
            .filter(|entry| entry["fact"]["property"] == "package_manager")
            .map(|entry| &entry["fact"]["value"])
            .collect()
    };
    assert_eq!(values("added"), ["pnpm"]);
    assert_eq!(values("ended"), ["npm"]);
    assert!(diff["ended"][0]["cause"].as_str().unwrap().starts_with("e_"));
    let known = server.get("/v1/namespaces/a/diff?from=2026-05-07&to=2026-05-09&clock=known").await;
    assert!(!known["added"].as_array().unwrap().is_empty(), "{known:#}");
    let quiet = server.get("/v1/namespaces/a/diff?from=2026-01-01&to=2026-01-02").await;
    for list in ["added", "ended", "corrected", "conflicted"] {
        assert_eq!(quiet[list].as_array().map(Vec::len), Some(0), "{list}");
    }
    for (query, field) in [
        ("from=2026-05-09&to=2026-05-07", "from"),
        ("from=2026-05-09", "to"),
        ("to=2026-05-09", "from"),
        ("from=x&to=2026-05-09", "from"),
        ("from=2026-05-07&to=2026-05-09&clock=wall", "clock"),
    ] {
        let request = server.request(Method::GET, &format!("/v1/namespaces/a/diff?{query}"));
        let problem = server.problem(request, 400, "invalid_parameter").await;
        assert_eq!(problem["errors"][0]["field"], field, "{query}");
    }
}

#[tokio::test]
async fn answers_that_rest_on_what_has_ended_are_named() {
    let server = TestServer::start_with_message_clock();
    server.configure("a", json!({"block_turns": 1})).await;
    let first = turn("o1", "2026-02-02T09:00:00Z", "Priya owns the search page.", "Noted.");
    let kept = server.record("a", first).await;
    server.settle("a").await;
    let found = server
        .post(
            "/v1/namespaces/a/search",
            json!({"query": "who owns the search page", "in": ["events"]}),
        )
        .await;
    let used = found["hits"][0]["ref"].as_str().expect("a hit");
    let verdict = json!({"batch": found["batch"], "verdict": "sufficient", "evidence_refs": [used],
        "fit": "names the owner", "missing": "", "next_strategy": "answer"});
    let assessed = server.post("/v1/namespaces/a/assess", verdict).await;
    let adoption = json!({"receipt_id": "reply-1", "assessment": assessed["assessment"],
        "evidence_refs": [used]});
    server.post("/v1/namespaces/a/adoptions", adoption).await;
    let nothing = server.get("/v1/namespaces/a/possibly_stale").await;
    assert_eq!(nothing["items"], json!([]), "the owner is still the owner");

    let second = turn("o2", "2026-03-09T09:00:00Z", "Tom owns the search page now.", "Noted.");
    server.record("a", second).await;
    server.settle("a").await;
    let stale = server.get("/v1/namespaces/a/possibly_stale?entity=search%20page").await;
    let item = &stale["items"][0];
    assert_eq!((&item["kind"], &item["value"]), (&json!("answer"), &json!("Priya")), "{stale:#}");
    assert_eq!((&item["property"], &item["next"]), (&json!("owner"), &json!("Tom")));
    assert_eq!(item["reason"], "changed");
    assert!(item["rested_at"].as_str() < item["ended_known_at"].as_str());
    let before = server.get("/v1/namespaces/a/possibly_stale?known_at=2026-03-01").await;
    assert_eq!(before["items"], json!([]), "in February nobody could know");
    let unknown = server.request(Method::GET, "/v1/namespaces/a/possibly_stale?entity=nobody");
    server.problem(unknown, 404, "not_found").await;

    let message = kept["message_ids"][0].as_str().unwrap();
    let path = format!("/v1/namespaces/a/blast_radius?message={message}");
    let touched = server.get(&path).await;
    let event = &touched["items"][0];
    assert_eq!(event["answers"][0]["receipt"], "reply-1", "{touched:#}");
    assert_eq!(event["answers"][0]["query"], "who owns the search page");
    assert_eq!(event["only_source"], true);
    let elsewhere = format!("{path}&thread=other");
    server.problem(server.request(Method::GET, &elsewhere), 404, "not_found").await;

    let told = run(server.data(), &["-n", "a", "stale"]);
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(text.contains("owner = Priya") && text.contains("now Tom"), "{text}");
    let told = run(server.data(), &["-n", "a", "blast-radius", message]);
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(text.contains("used in answer reply-1"), "{text}");
}
