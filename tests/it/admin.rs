//! Maintenance over HTTP.

use crate::support::{TestServer, tell_story};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn a_told_story_checks_clean_before_and_after_rebuilding() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    for path in ["/v1/admin/reindex", "/v1/admin/rebuild-current"] {
        let done = server.post(path, json!({"namespace": "a"})).await;
        assert_eq!(done["items"][0]["namespace"], "a", "{path}");
        assert!(done["items"][0]["count"].as_u64().unwrap() > 0, "{path}: {done}");
    }
    let checked = server.post("/v1/admin/check", json!({})).await;
    assert_eq!(checked, json!({"clean": true, "namespaces": ["a"], "findings": []}));
    let found = server.post("/v1/namespaces/a/search", json!({"query": "pnpm"})).await;
    assert!(!found["hits"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn what_cannot_be_maintained_is_refused() {
    let server = TestServer::start();
    for path in ["/v1/admin/check", "/v1/admin/reindex", "/v1/admin/rebuild-current"] {
        let request = server.request(Method::POST, path).json(&json!({"namespace": "nobody"}));
        server.problem(request, 404, "unknown_namespace").await;
        let request = server.request(Method::POST, path).json(&json!({"namespace": ""}));
        server.problem(request, 400, "invalid_value").await;
    }
    for to in ["relative", "", "a\u{0}b"] {
        let request = server.request(Method::POST, "/v1/admin/backup").json(&json!({"to": to}));
        server.problem(request, 400, "invalid_value").await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_backup_is_never_written_into_what_it_copies() {
    let server = TestServer::start();
    server.configure("a", json!({})).await;
    let data = server.data().canonicalize().unwrap();
    let outside = data.parent().unwrap().to_owned();
    std::os::unix::fs::symlink(&data, outside.join("link")).unwrap();
    for to in [
        data.join("inside"),
        data.join("namespaces/new/deep"),
        outside.join("link/inside"),
        outside.join("elsewhere/../data/inside"),
        data.clone(),
    ] {
        let body = json!({"to": to});
        let request = server.request(Method::POST, "/v1/admin/backup").json(&body);
        let problem = server.problem(request, 400, "invalid_value").await;
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.matches(data.to_str().unwrap()).count() >= 2, "{to:?}: {detail}");
    }
    assert!(!data.join("inside").exists() && !data.join("namespaces/new").exists());
    let done = server.post("/v1/admin/backup", json!({"to": outside.join("link/../kept")})).await;
    assert!(done["bytes"].as_u64().unwrap() > 0);
    assert!(outside.join("kept/namespaces").is_dir());
}
