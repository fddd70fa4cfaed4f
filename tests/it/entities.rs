//! Entities on both clocks.

use crate::support::{KIOSK, TestServer, run_json, tell_story, with_query};
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

#[tokio::test]
async fn a_timeline_comes_in_pages() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let path = format!("{ENTITIES}/{KIOSK}/timeline");
    let whole = server.get(&path).await;
    assert_eq!(whole["next"], Value::Null);
    let all = whole["items"].as_array().unwrap();
    assert!(all.len() >= 4, "{whole:#}");
    for encode_again in [false, true] {
        let mut seen = Vec::new();
        let mut page = server.get(&format!("{path}?limit=1")).await;
        loop {
            assert_eq!(page["entity"]["id"], KIOSK);
            assert_eq!(page["items"].as_array().unwrap().len(), 1);
            seen.push(page["items"][0].clone());
            // A cursor may be pasted as it is, and a client that encodes it does no harm.
            let Some(next) = page["next"].as_str() else { break };
            let url = if encode_again {
                with_query(&path, &[("limit", "1"), ("cursor", next)])
            } else {
                format!("{path}?limit=1&cursor={next}")
            };
            page = server.get(&url).await;
        }
        assert_eq!(&seen, all);
    }
    for query in ["limit=abc", "limit=0", "limit=1001", "limit="] {
        let request = server.request(Method::GET, &format!("{path}?{query}"));
        let problem = server.problem(request, 400, "invalid_parameter").await;
        assert_eq!(problem["errors"][0]["field"], "limit");
    }
    let request = server.request(Method::GET, &format!("{path}?cursor=nonsense"));
    server.problem(request, 400, "invalid_value").await;
    let cli = run_json(server.data(), &["-n", "a", "timeline", "kiosk-web"]);
    assert_eq!(cli["items"].as_array().unwrap(), all);
    let one = run_json(server.data(), &["-n", "a", "timeline", "kiosk-web", "--limit", "1"]);
    let rest = ["-n", "a", "timeline", "kiosk-web", "--cursor", one["next"].as_str().unwrap()];
    assert_eq!(run_json(server.data(), &rest)["items"].as_array().unwrap(), &all[1..]);
}

#[tokio::test]
async fn an_empty_parameter_is_no_missing_one() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let base = "/v1/namespaces/a";
    let blocks = server.get(&format!("{base}/blocks")).await;
    let block = format!("/blocks/{}", blocks["items"][0]["id"].as_str().unwrap());
    for (path, name) in [
        (format!("/entities/{KIOSK}"), "valid_at"),
        (format!("/entities/{KIOSK}"), "known_at"),
        ("/entities".to_owned(), "type"),
        ("/events".to_owned(), "entity"),
        ("/events".to_owned(), "from"),
        ("/events".to_owned(), "thread"),
        ("/events".to_owned(), "cursor"),
        ("/blocks".to_owned(), "state"),
        (block, "level"),
        ("/context".to_owned(), "budget"),
        ("/diff?from=2026-05-01".to_owned(), "to"),
        ("/queries/current_state?entity=project:kiosk-web".to_owned(), "valid_at"),
        ("/sparql?query=ASK%7B%7D".to_owned(), "timeout"),
    ] {
        let separator = if path.contains('?') { '&' } else { '?' };
        let request = server.request(Method::GET, &format!("{base}{path}{separator}{name}="));
        let problem = server.problem(request, 400, "invalid_parameter").await;
        assert_eq!(problem["errors"][0]["field"], name, "{path}: {problem}");
    }
    let all = server.get(&format!("{base}/entities?q=")).await;
    assert_eq!(all, server.get(&format!("{base}/entities")).await);
}
