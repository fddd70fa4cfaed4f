//! Service level: health, metrics, ontology, unknown calls, starting and stopping.

use crate::support::{TestServer, check_problem, program, run, turn};
use reqwest::Method;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[tokio::test]
async fn health_readiness_metrics_and_ontology_answer() {
    let server = TestServer::start();
    assert_eq!(server.get("/healthz").await["status"], "ok");
    assert_eq!(server.get("/readyz").await["status"], "ok");
    let response = server.request(Method::GET, "/ontology").send().await.unwrap();
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/turtle"));
    assert!(response.text().await.unwrap().contains("https://w3id.org/stratagate/ns#"));
    for (accept, kind) in [
        ("application/ld+json", "application/ld+json"),
        ("application/rdf+xml;q=0.9, text/html;q=0.8", "application/rdf+xml"),
        ("application/n-triples", "application/n-triples"),
    ] {
        let request = server.request(Method::GET, "/ontology").header("accept", accept);
        let response = request.send().await.unwrap();
        assert!(response.headers()["content-type"].to_str().unwrap().starts_with(kind), "{accept}");
        assert!(response.text().await.unwrap().contains("https://w3id.org/stratagate/ns#"));
    }
    let metrics =
        server.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(
        metrics.contains(
            r#"stratagate_http_requests_total{method="GET",route="/healthz",status="200"} 1"#
        ),
        "{metrics}"
    );
}

#[tokio::test]
async fn unknown_calls_and_methods_are_problems() {
    let server = TestServer::start();
    for path in ["/", "/v1", "/v1/namespaces/a/nonsense", "/healthz/"] {
        server.problem(server.request(Method::GET, path), 404, "unknown_route").await;
    }
    for (method, path, allowed) in [
        (Method::DELETE, "/healthz", "GET"),
        (Method::PATCH, "/v1/namespaces/a", "DELETE"),
        (Method::GET, "/v1/namespaces/a/turns", "POST"),
    ] {
        let response = server.request(method, path).send().await.unwrap();
        let allow = response.headers()["allow"].to_str().unwrap().to_owned();
        assert!(allow.contains(allowed), "{path}: {allow}");
        check_problem(response, 405, "method_not_allowed").await;
    }
}

#[tokio::test]
async fn every_answer_carries_a_request_id() {
    let server = TestServer::start();
    let own = server.request(Method::GET, "/healthz").send().await.unwrap();
    assert!(own.headers()["x-request-id"].len() >= 16);
    let request = server.request(Method::GET, "/nowhere").header("x-request-id", "trace-7");
    assert_eq!(request.send().await.unwrap().headers()["x-request-id"], "trace-7");
}

#[test]
fn a_second_server_on_one_folder_is_refused_by_name() {
    let server = TestServer::start();
    let output = run(server.data(), &["serve", "--listen", "127.0.0.1:0"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains(server.base()), "{errors}");
    assert!(errors.contains(&server.pid().to_string()), "{errors}");
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let output = run(folder.path(), &["serve", "--listen", address]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("127.0.0.1"), "{errors}");
    }
}

#[test]
fn a_clock_that_backdates_is_announced_loudly() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = program(folder.path())
        .args(["serve", "--listen", "127.0.0.1:0", "--clock", "messages"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(child.stdout.take().unwrap()),
        &mut line,
    )
    .unwrap();
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("WARNING: --clock messages"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_stopped_server_ends_its_streams_and_gives_the_folder_back() {
    let mut server = TestServer::start();
    server.configure("a", serde_json::json!({})).await;
    let stream = server.request(Method::GET, "/v1/namespaces/a/jobs/events");
    let stream = stream.send().await.unwrap();
    assert!(stream.status().is_success());
    let stopped = std::process::Command::new("kill")
        .args(["-TERM", &server.pid().to_string()])
        .status()
        .unwrap();
    assert!(stopped.success());
    assert!(server.wait().success());
    stream.text().await.expect("the stream ends whole");
    let output = run(server.data(), &["status"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Sends bytes on a connection of their own and reads all that is answered.
fn talk(server: &TestServer, pieces: &[&[u8]], pause: Duration) -> String {
    let address = server.base().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    for piece in pieces {
        stream.write_all(piece).unwrap();
        std::thread::sleep(pause);
    }
    let mut answer = Vec::new();
    // The connection may be reset behind the answer, with what was not read of the request.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn what_is_no_request_is_a_problem_too() {
    let server = TestServer::start();
    let long = format!("GET /healthz?x={} HTTP/1.1\r\n", "y".repeat(70_000));
    let answer = talk(&server, &[long.as_bytes(), b"host: localhost\r\n\r\n"], Duration::ZERO);
    assert!(answer.starts_with("HTTP/1.1 414 "), "{answer}");
    for mark in ["application/problem+json", "\"code\":\"uri_too_long\"", "65,534", "x-request-id"]
    {
        assert!(answer.contains(mark), "{answer}");
    }
    let allowed = format!("/v1/namespaces?x={}", "y".repeat(60_000));
    assert!(server.request(Method::GET, &allowed).send().await.unwrap().status().is_success());
    let mut request = server.request(Method::GET, "/healthz");
    for n in 0..500 {
        request = request.header(format!("x-{n}"), "y");
    }
    server.problem(request, 431, "headers_too_large").await;
    let answer = talk(&server, &[b"this is no request\r\n\r\n"], Duration::ZERO);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("\"code\":\"malformed_request\""), "{answer}");
}

#[test]
fn a_body_that_stops_coming_is_answered_and_a_slow_one_is_not_cut_off() {
    let server = TestServer::start_with(&["--body-timeout", "1"]);
    let body = turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.").to_string();
    let head = format!(
        "POST /v1/namespaces/a/turns HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let (half, _) = body.as_bytes().split_at(body.len() / 2);
    let began = Instant::now();
    let answer = talk(&server, &[head.as_bytes(), half], Duration::ZERO);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("\"code\":\"body_timed_out\""), "{answer}");
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
    // Longer than the limit on the whole, but never silent for so long.
    let mut pieces = vec![head.as_bytes()];
    pieces.extend(body.as_bytes().chunks(body.len() / 8));
    let answer = talk(&server, &pieces, Duration::from_millis(250));
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_with_much_to_do_stops_soon_and_goes_on_later() {
    let mut server = TestServer::start();
    server.configure("a", serde_json::json!({"block_turns": 60})).await;
    let turns: Vec<_> = (0..240)
        .map(|n| {
            let text =
                format!("Ann{n} owns the page{n}. We use tool{n} for the project{n} project.");
            turn(&format!("t{n}"), "2026-05-06T09:30:00Z", &text, "Ok.")
        })
        .collect();
    let request = server.request(Method::POST, "/v1/namespaces/a/turns:batch");
    let stored = request.json(&serde_json::json!({"turns": turns})).send().await.unwrap();
    assert!(stored.status().is_success());
    let asked = Instant::now();
    let pid = server.pid().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(server.wait().success());
    assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
    let again = TestServer::start_in(server.data(), &[]);
    let info = again.get("/v1/namespaces/a").await;
    assert_eq!(info["counts"]["turns"], 240);
    again.settle("a").await;
    let done = again.get("/v1/namespaces/a/jobs?state=done").await;
    assert_eq!(done["items"].as_array().unwrap().len(), 12);
    for job in done["items"].as_array().unwrap() {
        assert_eq!(job["attempts"], 1, "being stopped is no failed attempt: {job}");
    }
    let clean = again.post("/v1/admin/check", serde_json::json!({})).await;
    assert_eq!(clean["clean"], true, "{clean}");
}

#[tokio::test]
async fn a_journal_that_is_gone_is_damage_and_is_not_made_again() {
    let mut server = TestServer::start();
    server.record("a", turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.")).await;
    server.record("b", turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.")).await;
    server.kill();
    let folders = std::fs::read_dir(server.data().join("namespaces")).unwrap();
    let folder = folders
        .map(|entry| entry.unwrap().path())
        .find(|folder| std::fs::read_to_string(folder.join("namespace.json")).unwrap() == "\"a\"")
        .unwrap();
    let journal = folder.join("journal");
    let kept = folder.join("kept");
    std::fs::rename(journal.join("0000000001.sgj"), &kept).unwrap();
    let empty = || std::fs::read_dir(&journal).is_ok_and(|mut entries| entries.next().is_none());
    for _ in 0..2 {
        let output = run(server.data(), &["check"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("cannot_open") && text.contains("missing"), "{text}");
        assert!(empty(), "nothing is made again");
    }
    let again = TestServer::start_in(server.data(), &[]);
    let request = again.request(Method::GET, "/v1/namespaces/a");
    again.problem(request, 500, "corrupt").await;
    let body = turn("t2", "2026-05-06T09:30:00Z", "Hello.", "Hi.");
    let request = again.request(Method::POST, "/v1/namespaces/a/turns").json(&body);
    again.problem(request, 500, "corrupt").await;
    assert_eq!(again.get("/v1/namespaces/b").await["counts"]["turns"], 1);
    assert!(empty());
    drop(again);
    // With the file put back, all is there.
    std::fs::rename(&kept, journal.join("0000000001.sgj")).unwrap();
    let output = run(server.data(), &["check"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
