//! Events: fields, filters, forms, and the acts of an operator.

use crate::support::{TestServer, tell_story, turn};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const EVENTS: &str = "/v1/namespaces/a/events";

async fn told() -> (TestServer, Vec<Value>) {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let events = server.get(EVENTS).await["items"].as_array().unwrap().clone();
    (server, events)
}

fn about<'a>(events: &'a [Value], words: &str) -> &'a Value {
    events
        .iter()
        .find(|event| {
            let quotes = event["quotes"].as_array().unwrap();
            quotes.iter().any(|quote| quote["text"].as_str().unwrap().contains(words))
        })
        .unwrap_or_else(|| panic!("no Event quotes {words:?}: {events:#?}"))
}

#[tokio::test]
async fn an_event_says_what_when_who_and_on_whose_words() {
    let (_server, events) = told().await;
    let switch = about(&events, "pnpm");
    for field in [
        "id",
        "title",
        "summary",
        "type",
        "status",
        "tags",
        "quotes",
        "participants",
        "source_block",
        "source_messages",
        "mentioned_at",
        "occurred",
        "scope",
        "criticality",
        "relations",
        "speaker",
        "reason",
        "extractor",
        "thread",
        "weight",
        "adoptions",
        "superseded_by",
        "conflicts_with",
        "recorded_at",
        "revision",
        "pinned",
        "forgotten",
    ] {
        assert!(switch.get(field).is_some(), "{field} is missing: {switch:#}");
    }
    assert_eq!(switch["mentioned_at"], "2026-05-08T06:10:00Z");
    assert_eq!(switch["occurred"]["local_from"], "2026-05-08");
    assert!(!switch["source_messages"].as_array().unwrap().is_empty());
    assert_eq!(switch["quotes"][0]["message"], switch["source_messages"][0]);
    let plan = about(&events, "prototype");
    assert_eq!(plan["status"], "planned");
    assert_eq!(plan["occurred"]["local_from"], "2026-05-11");
    assert_eq!(plan["occurred"]["local_to"], "2026-05-17");
    assert_eq!(plan["occurred"]["precision"], "week");
    assert_eq!(plan["occurred"]["from"], "2026-05-10T16:00:00Z");
    assert_eq!(plan["occurred"]["to"], "2026-05-17T16:00:00Z");
}

#[tokio::test]
async fn filters_act_and_refuse_what_they_do_not_know() {
    let (server, events) = told().await;
    let count = |page: Value| page["items"].as_array().unwrap().len();
    let planned = server.get(&format!("{EVENTS}?status=planned")).await;
    assert!(count(planned.clone()) >= 1);
    for event in planned["items"].as_array().unwrap() {
        assert_eq!(event["status"], "planned");
    }
    let late = server.get(&format!("{EVENTS}?mentioned_from=2026-05-08")).await;
    assert!(count(late) < events.len());
    assert_eq!(count(server.get(&format!("{EVENTS}?thread=elsewhere")).await), 0);
    assert_eq!(count(server.get(&format!("{EVENTS}?entity=tool:nobody-knows")).await), 0);
    assert!(count(server.get(&format!("{EVENTS}?entity=pnpm")).await) >= 1);
    assert_eq!(count(server.get(&format!("{EVENTS}?known_at=2026-05-01")).await), 0);
    for (query, field) in [
        ("type=dream", "type"),
        ("status=done", "status"),
        ("from=2026-05-09&to=2026-05-01", "from"),
        ("mentioned_from=2026-05-09&mentioned_to=2026-05-01", "mentioned_from"),
        ("from=soon", "from"),
        ("known_at=2026-13-01", "known_at"),
        ("valid_at=x", "valid_at"),
        ("limit=0", "limit"),
        ("limit=ten", "limit"),
        ("include_forgotten=perhaps", "include_forgotten"),
    ] {
        let request = server.request(Method::GET, &format!("{EVENTS}?{query}"));
        let problem = server.problem(request, 400, "invalid_parameter").await;
        assert_eq!(problem["errors"][0]["field"], field, "{query}");
    }
}

#[tokio::test]
async fn an_event_comes_as_json_or_as_trig() {
    let (server, events) = told().await;
    let event = about(&events, "pnpm");
    let path = format!("{EVENTS}/{}", event["id"].as_str().unwrap());
    assert_eq!(&server.get(&path).await, event);
    let request = server.request(Method::GET, &path).header("accept", "application/trig");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/trig");
    let trig = response.text().await.unwrap();
    assert!(trig.contains("pnpm") && trig.contains("prov:"), "{trig}");
    let request = server.request(Method::GET, &path).header("accept", "image/png");
    server.problem(request, 406, "not_acceptable").await;
    let request = server.request(Method::GET, &format!("{EVENTS}/e_nothing"));
    server.problem(request, 404, "not_found").await;
}

#[tokio::test]
async fn pin_forget_and_their_undoing() {
    let (server, events) = told().await;
    let id = about(&events, "pnpm")["id"].as_str().unwrap().to_owned();
    let act = |verb: &str| server.request(Method::POST, &format!("{EVENTS}/{id}/{verb}"));
    let pinned = server.json(act("pin"), StatusCode::OK).await;
    assert_eq!((&pinned["pinned"], &pinned["weight"]), (&json!(true), &json!(1.0)));
    let unpinned = server.json(act("unpin"), StatusCode::OK).await;
    assert_eq!(unpinned["pinned"], false);

    let forgotten = server.json(act("forget"), StatusCode::OK).await;
    assert_eq!((&forgotten["forgotten"], &forgotten["weight"]), (&json!(true), &json!(0.0)));
    let listed = server.get(EVENTS).await;
    assert!(listed["items"].as_array().unwrap().iter().all(|event| event["id"] != id.as_str()));
    let all = server.get(&format!("{EVENTS}?include_forgotten=true")).await;
    assert!(all["items"].as_array().unwrap().iter().any(|event| event["id"] == id.as_str()));

    let restored = server.json(act("restore"), StatusCode::OK).await;
    assert_eq!(restored["forgotten"], false);
    for verb in ["pin", "unpin", "forget", "restore"] {
        let request = server.request(Method::POST, &format!("{EVENTS}/e_nothing/{verb}"));
        server.problem(request, 404, "not_found").await;
    }
}

#[tokio::test]
async fn what_was_known_before_a_forgetting_is_told_as_if_it_had_never_been_said() {
    let server = TestServer::start();
    server.configure("a", json!({"block_turns": 1})).await;
    for (id, at, text) in [
        ("t1", "2026-05-06T09:30:00Z", "Use npm for the kiosk-web project."),
        ("t2", "2026-05-08T14:10:00Z", "Let's switch the kiosk-web project to pnpm."),
    ] {
        server.record("a", turn(id, at, text, "Done.")).await;
        server.settle("a").await;
    }
    let before = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let entity = "/v1/namespaces/a/entities/project:kiosk-web";
    let state = server.get(entity).await;
    let event = state["current"][0]["events"][0].as_str().unwrap().to_owned();
    let forget = format!("/v1/namespaces/a/events/{event}/forget");
    server.json(server.request(Method::POST, &forget), StatusCode::OK).await;
    // At every time npm is all there was: not even its end shows what is forgotten.
    for path in [entity.to_owned(), format!("{entity}?known_at={before}")] {
        let state = server.get(&path).await;
        assert!(!state.to_string().contains("pnpm"), "{path}: {state:#}");
        assert_eq!(state["current"][0]["value"], "npm", "{path}: {state:#}");
        assert_eq!(state["current"][0]["valid_to"], json!(null), "{path}: {state:#}");
    }
}
