//! Entities on both clocks.

use crate::support::{KIOSK, TestServer, tell_story};
use reqwest::Method;
use serde_json::Value;

const ENTITIES: &str = "/v1/namespaces/a/entities";

fn manager<'a>(state: &'a Value, list: &str) -> Vec<&'a str> {
    state[list]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fact| fact["property"] == "package_manager")
        .map(|fact| fact["value"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn the_state_depends_on_both_clocks() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let state = |query: &str| {
        let path = format!("{ENTITIES}/{KIOSK}{query}");
        let server = &server;
        async move { server.get(&path).await }
    };
    let now = state("").await;
    assert_eq!(manager(&now, "current"), ["pnpm"]);
    assert_eq!(manager(&now, "superseded"), ["npm"]);
    let npm = &now["superseded"][0];
    assert_eq!(npm["valid_from"], "2026-05-06T01:30:00Z");
    assert_eq!(npm["valid_to"], "2026-05-08T06:10:00Z");
    assert_eq!(npm["reason"], "changed");
    assert_eq!(npm["status"], "superseded");
    assert_eq!(npm["value_type"], "entity");
    assert_eq!(npm["value_entity"], "tool:npm");
    assert_eq!(manager(&state("?valid_at=2026-05-07").await, "current"), ["npm"]);
    // Half-open: at the instant of the change only the new value holds.
    assert_eq!(manager(&state("?valid_at=2026-05-08T06:10:00Z").await, "current"), ["pnpm"]);
    assert_eq!(manager(&state("?valid_at=2026-05-08T06:09:59Z").await, "current"), ["npm"]);
    let known = state("?valid_at=2026-05-09&known_at=2026-05-07").await;
    assert_eq!(manager(&known, "current"), ["npm"]);
    assert_eq!(manager(&state("?valid_at=2026-05-01").await, "current"), [""; 0]);
    // An offset may come unencoded in a query string.
    assert_eq!(manager(&state("?valid_at=2026-05-08T14:10:00+08:00").await, "current"), ["pnpm"]);
}

#[tokio::test]
async fn an_entity_is_found_by_id_name_and_list() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    for name in [KIOSK, "kiosk-web", "Kiosk%20Web", "project%3Akiosk-web"] {
        let state = server.get(&format!("{ENTITIES}/{name}")).await;
        assert_eq!(state["entity"]["id"], KIOSK, "{name}");
    }
    let tools = server.get(&format!("{ENTITIES}?type=tool&q=NPM")).await;
    let ids: Vec<&str> =
        tools["items"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"tool:npm") && ids.contains(&"tool:pnpm"), "{ids:?}");
    let request = server.request(Method::GET, &format!("{ENTITIES}/nobody"));
    server.problem(request, 404, "not_found").await;
    let request = server.request(Method::GET, &format!("{ENTITIES}?type=dragon"));
    server.problem(request, 400, "invalid_parameter").await;
    for query in ["valid_at=soon", "known_at=2026-02-30", "valid_at=1&valid_at=2"] {
        let request = server.request(Method::GET, &format!("{ENTITIES}/{KIOSK}?{query}"));
        server.problem(request, 400, "invalid_parameter").await;
    }
}

#[tokio::test]
async fn a_timeline_runs_forward() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let timeline = server.get(&format!("{ENTITIES}/{KIOSK}/timeline")).await;
    assert_eq!(timeline["entity"]["id"], KIOSK);
    let entries = timeline["items"].as_array().unwrap();
    let times: Vec<&str> = entries.iter().map(|entry| entry["at"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let whats: Vec<&str> = entries.iter().map(|entry| entry["what"].as_str().unwrap()).collect();
    assert!(whats.contains(&"fact_began") && whats.contains(&"fact_ended"), "{whats:?}");
    let request = server.request(Method::GET, &format!("{ENTITIES}/nobody/timeline"));
    server.problem(request, 404, "not_found").await;
}
