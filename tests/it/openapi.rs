//! The description of the interface is the interface.

use crate::support::TestServer;
use reqwest::Method;
use serde_json::Value;

/// Every call, in order. A change here is a change of the contract.
const CALLS: &[&str] = &[
    "DELETE /v1/namespaces/{ns}",
    "GET /.well-known/void",
    "GET /healthz",
    "GET /metrics",
    "GET /ontology",
    "GET /openapi.json",
    "GET /readyz",
    "GET /v1/namespaces",
    "GET /v1/namespaces/{ns}",
    "GET /v1/namespaces/{ns}/acts",
    "GET /v1/namespaces/{ns}/acts/{id}",
    "GET /v1/namespaces/{ns}/blast_radius",
    "GET /v1/namespaces/{ns}/blocks",
    "GET /v1/namespaces/{ns}/blocks/{id}",
    "GET /v1/namespaces/{ns}/context",
    "GET /v1/namespaces/{ns}/diff",
    "GET /v1/namespaces/{ns}/entities",
    "GET /v1/namespaces/{ns}/entities/{id}",
    "GET /v1/namespaces/{ns}/entities/{id}/timeline",
    "GET /v1/namespaces/{ns}/events",
    "GET /v1/namespaces/{ns}/events/{id}",
    "GET /v1/namespaces/{ns}/export",
    "GET /v1/namespaces/{ns}/graph",
    "GET /v1/namespaces/{ns}/jobs",
    "GET /v1/namespaces/{ns}/jobs/events",
    "GET /v1/namespaces/{ns}/jobs/{id}",
    "GET /v1/namespaces/{ns}/merge_proposals",
    "GET /v1/namespaces/{ns}/possibly_stale",
    "GET /v1/namespaces/{ns}/queries",
    "GET /v1/namespaces/{ns}/queries/{name}",
    "GET /v1/namespaces/{ns}/sparql",
    "GET /v1/namespaces/{ns}/why",
    "POST /v1/admin/backup",
    "POST /v1/admin/check",
    "POST /v1/admin/rebuild-current",
    "POST /v1/admin/reindex",
    "POST /v1/namespaces/{ns}/acts",
    "POST /v1/namespaces/{ns}/acts/{id}/undo",
    "POST /v1/namespaces/{ns}/adoptions",
    "POST /v1/namespaces/{ns}/assess",
    "POST /v1/namespaces/{ns}/blocks/{id}/expand",
    "POST /v1/namespaces/{ns}/events/{id}/forget",
    "POST /v1/namespaces/{ns}/events/{id}/pin",
    "POST /v1/namespaces/{ns}/events/{id}/restore",
    "POST /v1/namespaces/{ns}/events/{id}/unpin",
    "POST /v1/namespaces/{ns}/jobs/{id}/cancel",
    "POST /v1/namespaces/{ns}/jobs/{id}/retry",
    "POST /v1/namespaces/{ns}/queries/{name}",
    "POST /v1/namespaces/{ns}/recall",
    "POST /v1/namespaces/{ns}/seal",
    "POST /v1/namespaces/{ns}/search",
    "POST /v1/namespaces/{ns}/sparql",
    "POST /v1/namespaces/{ns}/turns",
    "POST /v1/namespaces/{ns}/turns:batch",
    "PUT /v1/namespaces/{ns}",
];

fn described(document: &Value) -> Vec<(Method, String)> {
    let mut calls = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            calls.push((method, path.clone()));
        }
    }
    calls
}

#[tokio::test]
async fn the_description_lists_exactly_the_calls() {
    let server = TestServer::start();
    let document = server.get("/openapi.json").await;
    let mut calls: Vec<String> =
        described(&document).iter().map(|(method, path)| format!("{method} {path}")).collect();
    calls.sort();
    assert_eq!(calls, CALLS);
}

#[tokio::test]
async fn every_described_call_is_routed_and_no_other_method_is() {
    let server = TestServer::start();
    let document = server.get("/openapi.json").await;
    let calls = described(&document);
    for (_, path) in &calls {
        let real = path.replace("{ns}", "nobody").replace("{id}", "x").replace("{name}", "x");
        for method in [Method::GET, Method::PUT, Method::POST, Method::DELETE, Method::PATCH] {
            let known = calls.contains(&(method.clone(), path.clone()));
            let response = server.request(method.clone(), &real).send().await.unwrap();
            let refused = response.status().as_u16() == 405;
            assert_eq!(refused, !known, "{method} {path}: {}", response.status());
            if !response.status().is_success() {
                let problem: Value = response.json().await.unwrap();
                assert_ne!(problem["code"], "unknown_route", "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn every_reference_in_the_description_resolves() {
    let server = TestServer::start();
    let document = server.get("/openapi.json").await;
    let text = document.to_string();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for part in text.split("\"$ref\":\"").skip(1) {
        let reference = part.split('"').next().unwrap();
        let name = reference.strip_prefix("#/components/schemas/").unwrap_or(reference);
        assert!(schemas.contains_key(name), "{reference} leads nowhere");
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(operation["responses"]["default"].is_object(), "{method} {path}");
        }
    }
}
