//! Acts of an operator: each has its record, changes what is current, and can be undone.

use crate::support::{KIOSK, TestServer, tell_story, turn, with_query};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const ACTS: &str = "/v1/namespaces/a/acts";

async fn act(server: &TestServer, body: Value) -> Value {
    server.json(server.request(Method::POST, ACTS).json(&body), StatusCode::CREATED).await
}

async fn undo(server: &TestServer, act: &Value) -> Value {
    let path = format!("{ACTS}/{}/undo", act["id"]);
    server.json(server.request(Method::POST, &path).json(&json!({})), StatusCode::CREATED).await
}

/// The current values of a property of an entity.
async fn current(server: &TestServer, entity: &str, property: &str) -> Vec<String> {
    let state = server.get(&format!("/v1/namespaces/a/entities/{entity}")).await;
    let facts = state["current"].as_array().unwrap().iter();
    facts
        .filter(|fact| fact["property"] == property)
        .map(|fact| fact["value"].as_str().unwrap().to_owned())
        .collect()
}

async fn fact_of(server: &TestServer, list: &str, value: &str) -> Value {
    let state = server.get(&format!("/v1/namespaces/a/entities/{KIOSK}")).await;
    let found = state[list].as_array().unwrap().iter().find(|fact| fact["value"] == value);
    found.unwrap_or_else(|| panic!("{value} in {list}: {state:#}")).clone()
}

async fn assert_clean(server: &TestServer) {
    let request = server.request(Method::POST, "/v1/admin/check").json(&json!({}));
    let checked = server.json(request, StatusCode::OK).await;
    assert_eq!(checked["findings"], json!([]), "{checked:#}");
}

#[tokio::test]
async fn a_retracted_event_counts_no_more_and_stays_known_as_it_was() {
    let server = TestServer::start();
    server.configure("a", json!({"block_turns": 1})).await;
    for (id, at, text) in [
        ("t1", "2026-05-06T09:30:00Z", "Use npm for the kiosk-web project."),
        (
            "t2",
            "2026-05-08T14:10:00Z",
            "Let's switch the kiosk-web project to pnpm, because CI installs take 6 minutes.",
        ),
    ] {
        server.record("a", turn(id, at, text, "Done.")).await;
        server.settle("a").await;
    }
    assert_eq!(current(&server, KIOSK, "package_manager").await, ["pnpm"]);
    let pnpm = fact_of(&server, "current", "pnpm").await;
    let event = pnpm["events"][0].as_str().unwrap().to_owned();
    let before = chrono::Utc::now();
    let done = act(&server, json!({"kind": "retract", "event": event, "note": "a joke"})).await;
    assert_eq!(done["kind"], "retract");
    assert_eq!(done["retracted"], json!([pnpm["id"]]));
    assert_eq!(current(&server, KIOSK, "package_manager").await, ["npm"], "npm holds again");
    assert_clean(&server).await;
    // Every door leaves it out.
    let events = server.get("/v1/namespaces/a/events").await;
    assert!(!events.to_string().contains(&event), "{events}");
    assert!(
        server.get(&format!("/v1/namespaces/a/events/{event}")).await["retracted_at"].is_string()
    );
    server.settle("a").await;
    let search = json!({"query": "switch kiosk-web to pnpm", "in": ["events", "facts"]});
    let found = server.post("/v1/namespaces/a/search", search).await;
    assert!(!found["hits"].to_string().contains(&event), "{found}");
    let sparql = with_query(
        "/v1/namespaces/a/sparql",
        &[("query", "SELECT ?o { ?s sg:packageManager ?o }")],
    );
    assert!(!server.get(&sparql).await.to_string().contains("pnpm"));
    // As known before, it is still so.
    let known = before.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let then = server.get(&format!("/v1/namespaces/a/entities/{KIOSK}?known_at={known}")).await;
    assert_eq!(then["current"][0]["value"], "pnpm", "{then:#}");
    // Whoever asks why finds the act with its note.
    let why =
        server.get(&format!("/v1/namespaces/a/why?fact={}", pnpm["id"].as_str().unwrap())).await;
    let acts = why["facts"][0]["acts"].as_array().unwrap();
    assert_eq!(
        (acts[0]["id"].clone(), acts[0]["note"].as_str()),
        (done["id"].clone(), Some("a joke"))
    );

    let undone = undo(&server, &done).await;
    assert_eq!(undone["undoes"], done["id"]);
    assert_eq!(current(&server, KIOSK, "package_manager").await, ["pnpm"]);
    assert_clean(&server).await;
    let listed = server.get(ACTS).await;
    let ids: Vec<&Value> = listed["items"].as_array().unwrap().iter().map(|a| &a["id"]).collect();
    assert_eq!(ids, [&undone["id"], &done["id"]], "the newest first");
    assert_eq!(listed["items"][1]["undone_by"], undone["id"]);
    // An undoing can be undone.
    undo(&server, &undone).await;
    assert_eq!(current(&server, KIOSK, "package_manager").await, ["npm"]);
    assert_clean(&server).await;
}

#[tokio::test]
async fn a_correction_puts_value_and_start_right() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let pnpm = fact_of(&server, "current", "pnpm").await;
    let body = json!({"kind": "correct", "fact": pnpm["id"], "value": "yarn", "valid_from": "2026-05-10T00:00:00Z"});
    let done = act(&server, body).await;
    assert_eq!(
        current(&server, KIOSK, "package_manager").await,
        ["npm"],
        "yarn begins on the 10th"
    );
    let state = server
        .get(&format!("/v1/namespaces/a/entities/{KIOSK}?valid_at=2026-05-11T00:00:00Z"))
        .await;
    let yarn = &state["current"][0];
    assert_eq!(yarn["value"], "yarn", "{state:#}");
    assert_eq!(yarn["value_entity"], "tool:yarn", "{yarn}");
    assert_eq!(yarn["events"], json!([format!("act_{}", done["id"])]));
    assert_clean(&server).await;
    let diff = server
        .get("/v1/namespaces/a/diff?from=2026-05-09T00:00:00Z&to=2026-05-12T00:00:00Z&clock=valid")
        .await;
    assert!(diff.to_string().contains("yarn"), "{diff:#}");
    undo(&server, &done).await;
    assert_eq!(current(&server, KIOSK, "package_manager").await, ["pnpm"]);
    assert_clean(&server).await;
}

#[tokio::test]
async fn a_conflict_is_resolved_by_an_operator() {
    let server = TestServer::start_with_message_clock();
    server.configure("a", json!({"block_turns": 1})).await;
    for (thread, text) in [
        ("one", "The kiosk-web project uses PostgreSQL."),
        ("two", "The kiosk-web project uses MySQL."),
    ] {
        let mut turn = turn(thread, "2026-05-06T09:30:00Z", text, "Noted.");
        turn["thread"] = json!(thread);
        server.record("a", turn).await;
        server.settle("a").await;
    }
    let state = server.get(&format!("/v1/namespaces/a/entities/{KIOSK}")).await;
    let conflict = &state["conflicts"][0];
    let candidates = conflict["candidates"].as_array().expect("a conflict").clone();
    let keep = candidates.iter().find(|fact| fact["value"] == "PostgreSQL").unwrap()["id"].clone();
    let body =
        json!({"kind": "resolve", "conflict": conflict["id"], "keep": keep, "note": "asked Jonas"});
    let done = act(&server, body.clone()).await;
    assert_eq!(done["resolved"], json!([conflict["id"]]));
    assert_eq!(current(&server, KIOSK, "database").await, ["PostgreSQL"]);
    assert_clean(&server).await;
    let request = server.request(Method::POST, ACTS).json(&body);
    server.problem(request, 409, "conflict").await;
    undo(&server, &done).await;
    let state = server.get(&format!("/v1/namespaces/a/entities/{KIOSK}")).await;
    assert_eq!(state["conflicts"][0]["candidates"].as_array().unwrap().len(), 2, "{state:#}");
    assert_clean(&server).await;
}

#[tokio::test]
async fn two_entities_become_one_and_two_again() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    server
        .record(
            "a",
            turn("m1", "2026-05-09T08:00:00Z", "The kioskweb project uses PostgreSQL.", "Yes."),
        )
        .await;
    server.settle("a").await;
    let proposals = server.get("/v1/namespaces/a/merge_proposals").await;
    assert!(proposals.to_string().contains("project:kioskweb"), "{proposals:#}");
    let body = json!({"kind": "merge", "from": "project:kioskweb", "into": KIOSK});
    let done = act(&server, body).await;
    assert_eq!(current(&server, KIOSK, "database").await, ["PostgreSQL"]);
    assert_eq!(
        current(&server, "kioskweb", "package_manager").await,
        ["pnpm"],
        "one by both names"
    );
    let list = server.get("/v1/namespaces/a/entities?type=project").await.to_string();
    assert!(!list.contains("project:kioskweb"), "{list}");
    // What is said later of the one name is said of the other.
    server
        .record(
            "a",
            turn("m2", "2026-05-10T08:00:00Z", "The kioskweb project uses MySQL now.", "Yes."),
        )
        .await;
    server.settle("a").await;
    assert_eq!(current(&server, KIOSK, "database").await, ["MySQL"]);
    assert_clean(&server).await;
    undo(&server, &done).await;
    assert_eq!(current(&server, "project:kioskweb", "database").await, ["PostgreSQL"]);
    assert_clean(&server).await;
    // Split: the last statement was of another thing still.
    let mysql = fact_of(&server, "current", "MySQL").await;
    let body = json!({"kind": "split", "entity": KIOSK, "events": mysql["events"], "into": "kiosk-admin", "type": "project"});
    act(&server, body).await;
    assert_eq!(current(&server, KIOSK, "database").await, Vec::<String>::new());
    assert_eq!(current(&server, "project:kiosk-admin", "database").await, ["MySQL"]);
    assert_clean(&server).await;
}

#[tokio::test]
async fn an_act_that_cannot_be_done_says_why() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let pnpm = fact_of(&server, "current", "pnpm").await["id"].clone();
    for (body, status, code) in [
        (json!({"kind": "guess"}), 400, "invalid_value"),
        (json!({"kind": "retract"}), 400, "invalid_value"),
        (json!({"kind": "retract", "fact": "f_0", "event": "e_0"}), 400, "invalid_value"),
        (json!({"kind": "retract", "fact": "f_0"}), 404, "not_found"),
        (json!({"kind": "retract", "event": "e_0"}), 404, "not_found"),
        (json!({"kind": "resolve", "conflict": "x_0", "keep": "f_0"}), 404, "not_found"),
        (json!({"kind": "correct", "fact": pnpm}), 400, "invalid_value"),
        (json!({"kind": "correct", "fact": pnpm, "valid_to": "2020-01-01"}), 400, "invalid_value"),
        (json!({"kind": "correct", "fact": pnpm, "valid_from": "soon"}), 400, "invalid_value"),
        (json!({"kind": "correct", "fact": pnpm, "value": " "}), 400, "invalid_value"),
        (json!({"kind": "merge", "from": KIOSK, "into": KIOSK}), 409, "conflict"),
        (json!({"kind": "merge", "from": "project:nobody", "into": KIOSK}), 404, "not_found"),
        (
            json!({"kind": "split", "entity": KIOSK, "events": ["e_0"], "into": "person:x"}),
            404,
            "not_found",
        ),
        (json!({"kind": "retract", "fact": pnpm, "reason": "typo"}), 400, "invalid_json"),
    ] {
        let request = server.request(Method::POST, ACTS).json(&body);
        server.problem(request, status, code).await;
    }
    assert_eq!(server.get(ACTS).await["items"], json!([]), "nothing was done");
    server.problem(server.request(Method::GET, &format!("{ACTS}/9999")), 404, "not_found").await;
    let request = server.request(Method::POST, &format!("{ACTS}/x/undo"));
    server.problem(request, 400, "invalid_parameter").await;
    // First undo what came last.
    let first = act(&server, json!({"kind": "correct", "fact": pnpm, "value": "yarn"})).await;
    let yarn = fact_of(&server, "current", "yarn").await;
    let second = act(&server, json!({"kind": "retract", "fact": yarn["id"]})).await;
    let request = server.request(Method::POST, &format!("{ACTS}/{}/undo", first["id"]));
    server.problem(request, 409, "conflict").await;
    undo(&server, &second).await;
    undo(&server, &first).await;
    let request = server.request(Method::POST, &format!("{ACTS}/{}/undo", first["id"]));
    server.problem(request, 409, "conflict").await;
    assert_eq!(current(&server, KIOSK, "package_manager").await, ["pnpm"]);
    assert_clean(&server).await;
}
