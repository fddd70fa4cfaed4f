//! Why, and diff.

use crate::support::{KIOSK, TestServer, tell_story};
use reqwest::Method;
use serde_json::Value;

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
