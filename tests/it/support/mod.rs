//! A server in a folder of its own, and a client that checks what comes back.

mod story;

pub use story::{KIOSK, tell_story};

use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long background work may take in a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// Path of the program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_stratagate");

/// A running server; its own process ends with this value.
pub struct TestServer {
    child: Child,
    base: String,
    data: PathBuf,
    client: reqwest::Client,
    /// Held so that the folder outlives the server.
    #[allow(dead_code, reason = "only its drop matters")]
    folder: Option<TempDir>,
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // It may have ended already, which is what some tests are about.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program without anything of the tester's environment.
pub fn program(data: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    for (name, _) in std::env::vars() {
        if name.starts_with("STRATAGATE_") || name == "RUST_LOG" {
            command.env_remove(name);
        }
    }
    command.arg("--data").arg(data);
    command
}

/// Runs the program to its end.
pub fn run(data: &Path, args: &[&str]) -> Output {
    program(data).args(args).stdin(Stdio::null()).output().expect("the program starts")
}

/// Runs the program with `--json` and reads its answer.
pub fn run_json(data: &Path, args: &[&str]) -> Value {
    let output = run(data, &[args, &["--json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {text}{errors}");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}: {text}"))
}

impl TestServer {
    /// Starts a server in a new folder.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server whose clock the messages drive.
    pub fn start_with_message_clock() -> Self {
        Self::start_with(&["--clock", "messages"])
    }

    /// Starts a server in a new folder, with further arguments.
    pub fn start_with(args: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut server = Self::start_in(&folder.path().join("data"), args);
        server.folder = Some(folder);
        server
    }

    /// Starts a server in a folder.
    pub fn start_in(data: &Path, args: &[&str]) -> Self {
        let mut child = program(data)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(args)
            .env("STRATAGATE_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout is piped"))
            .read_line(&mut line)
            .expect("stdout can be read");
        let Some(base) = line.trim().strip_prefix("listening on ") else {
            let _ = child.kill();
            let mut errors = String::new();
            let _ = child.stderr.take().expect("stderr is piped").read_to_string(&mut errors);
            panic!("the server did not start: {line:?} {errors}");
        };
        let base = base.to_owned();
        // Drained, so that a talkative server never waits for its reader.
        let mut stderr = child.stderr.take().expect("stderr is piped");
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        let client =
            reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().expect("a client");
        Self { child, base, data: data.to_owned(), client, folder: None }
    }

    /// Returns the address.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Returns the process's id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the process to end by itself.
    pub fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().expect("the process can be waited for")
    }

    /// Ends the process at once, as a power cut would, and leaves the folder.
    pub fn kill(&mut self) {
        self.child.kill().expect("the process can be killed");
        self.child.wait().expect("the process can be waited for");
    }

    /// Begins a request.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    /// Reads JSON that must come with 200.
    pub async fn get(&self, path: &str) -> Value {
        self.json(self.request(Method::GET, path), StatusCode::OK).await
    }

    /// Sends JSON and reads JSON that must come with 200.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.json(self.request(Method::POST, path).json(&body), StatusCode::OK).await
    }

    /// Sends a turn that must be new.
    pub async fn record(&self, namespace: &str, turn: Value) -> Value {
        let path = format!("/v1/namespaces/{namespace}/turns");
        self.json(self.request(Method::POST, &path).json(&turn), StatusCode::CREATED).await
    }

    /// Changes settings.
    pub async fn configure(&self, namespace: &str, settings: Value) -> Value {
        let request =
            self.request(Method::PUT, &format!("/v1/namespaces/{namespace}")).json(&settings);
        let response = request.send().await.expect("an answer");
        assert!(response.status().is_success(), "{:?}", response.text().await);
        response.json().await.expect("JSON")
    }

    /// Sends a request and reads JSON that must come with a status.
    pub async fn json(&self, request: RequestBuilder, expected: StatusCode) -> Value {
        let response = request.send().await.expect("an answer");
        let (status, url) = (response.status(), response.url().clone());
        let text = response.text().await.expect("a body");
        assert_eq!(status, expected, "{url}: {text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{url}: {error}: {text}"))
    }

    /// Sends a request that must be answered with a problem, and returns it.
    pub async fn problem(&self, request: RequestBuilder, status: u16, code: &str) -> Value {
        check_problem(request.send().await.expect("an answer"), status, code).await
    }

    /// Waits until no job is pending and everything is searchable.
    pub async fn settle(&self, namespace: &str) -> Value {
        let started = Instant::now();
        loop {
            let info = self.get(&format!("/v1/namespaces/{namespace}")).await;
            if info["pending_jobs"] == 0 && info["index_lag"] == 0 {
                assert_eq!(info["failed_jobs"], 0, "{info}");
                return info;
            }
            assert!(started.elapsed() < PATIENCE, "work does not end: {info}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Checks that an answer is a well-formed problem.
pub async fn check_problem(response: Response, status: u16, code: &str) -> Value {
    let (actual, url) = (response.status().as_u16(), response.url().clone());
    let kind = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or("")
        .to_owned();
    let text = response.text().await.expect("a body");
    assert_eq!(actual, status, "{url}: {text}");
    assert_eq!(kind, "application/problem+json", "{url}: {text}");
    let problem: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{url}: {error}: {text}"));
    assert_eq!(problem["code"], code, "{url}: {text}");
    assert_eq!(problem["status"], status, "{url}: {text}");
    for field in ["type", "title", "detail"] {
        assert!(problem[field].as_str().is_some_and(|text| !text.is_empty()), "{url}: {text}");
    }
    problem
}

/// Adds query parameters to a path.
pub fn with_query(path: &str, params: &[(&str, &str)]) -> String {
    let encode = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    let pairs: Vec<String> =
        params.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    format!("{path}?{}", pairs.join("&"))
}

/// A turn of one question and one answer.
pub fn turn(id: &str, at: &str, question: &str, answer: &str) -> Value {
    serde_json::json!({"turn_id": id, "messages": [
        {"role": "user", "content": question, "at": at},
        {"role": "assistant", "content": answer, "at": at},
    ]})
}
