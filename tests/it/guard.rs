//! Host and Origin: what a web page may make a browser send.

use crate::support::TestServer;
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn a_foreign_host_or_origin_is_refused_on_every_call() {
    let server = TestServer::start();
    for path in ["/healthz", "/v1/namespaces", "/nowhere"] {
        for host in ["evil.example", "127.0.0.1.evil.example", "0.0.0.0:80", "10.0.0.1"] {
            let request = server.request(Method::GET, path).header("host", host);
            server.problem(request, 403, "forbidden_host").await;
        }
        for origin in ["https://evil.example", "null", "http://127.0.0.1.evil.example"] {
            let request = server.request(Method::GET, path).header("origin", origin);
            server.problem(request, 403, "forbidden_origin").await;
        }
    }
}

#[tokio::test]
async fn a_foreign_page_cannot_write() {
    let server = TestServer::start();
    let request = server
        .request(Method::PUT, "/v1/namespaces/a")
        .header("origin", "https://evil.example")
        .json(&json!({}));
    server.problem(request, 403, "forbidden_origin").await;
    assert_eq!(server.get("/v1/namespaces").await["items"], json!([]));
}

#[tokio::test]
async fn local_names_and_pages_are_let_in() {
    let server = TestServer::start();
    for host in ["localhost", "127.0.0.1", "[::1]:7437", "localhost:9"] {
        let request = server.request(Method::GET, "/healthz").header("host", host);
        assert!(request.send().await.unwrap().status().is_success(), "{host}");
    }
    let request = server.request(Method::GET, "/healthz").header("origin", "http://localhost:5173");
    assert!(request.send().await.unwrap().status().is_success());
}

#[tokio::test]
async fn pages_of_a_listed_origin_may_read_and_no_others() {
    let server = TestServer::start_with(&["--allow-origin", "https://tools.example"]);
    let asked = |origin: &'static str| {
        server.request(Method::GET, "/v1/namespaces").header("origin", origin)
    };
    let response = asked("https://tools.example").send().await.unwrap();
    assert!(response.status().is_success());
    assert_eq!(response.headers()["access-control-allow-origin"], "https://tools.example");
    let local = asked("http://localhost:5173").send().await.unwrap();
    assert!(local.headers().get("access-control-allow-origin").is_none());
    server.problem(asked("https://evil.example"), 403, "forbidden_origin").await;
    let preflight = server
        .request(Method::OPTIONS, "/v1/namespaces/a/sparql")
        .header("origin", "https://tools.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type")
        .send()
        .await
        .unwrap();
    assert!(preflight.status().is_success());
    let methods = preflight.headers()["access-control-allow-methods"].to_str().unwrap();
    assert!(methods.contains("POST"), "{methods}");
}
