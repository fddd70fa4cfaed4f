//! The service over HTTP.

use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long a namespace may take to settle on a busy machine.
const SETTLE: Duration = Duration::from_secs(120);

/// A status and a JSON body.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl Answer {
    /// The body of an answer that must be a success.
    pub fn well(self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        self.body
    }
}

/// One server's address.
#[derive(Debug, Clone)]
pub struct Api {
    base: String,
    client: reqwest::Client,
}

impl Api {
    pub fn new(address: &str) -> Self {
        let client = reqwest::Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(120))
            .build()
            .unwrap();
        Self { base: address.to_owned(), client }
    }

    /// Sends a request. An error means that the server went away.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, reqwest::Error> {
        let mut request = self.client.request(method, format!("{}{path}", self.base));
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await?;
        let status = response.status().as_u16();
        let bytes = response.bytes().await?;
        let body = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()))
        };
        Ok(Answer { status, body })
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await.unwrap()
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(&body)).await.unwrap()
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(&body)).await.unwrap()
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await.unwrap()
    }

    pub async fn info(&self, ns: &str) -> Value {
        self.get(&at(ns, "")).await.well()
    }

    /// Waits until no job is pending and everything is searchable.
    pub async fn settle(&self, ns: &str) -> Value {
        let until = Instant::now() + SETTLE;
        loop {
            let info = self.info(ns).await;
            if info["pending_jobs"] == 0 && info["index_lag"] == 0 {
                assert_eq!(info["failed_jobs"], 0, "{info}");
                return info;
            }
            assert!(Instant::now() < until, "namespace {ns:?} does not settle: {info}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Everything the server's own check finds must be nothing.
    pub async fn check_is_clean(&self) {
        let answer = self.post("/v1/admin/check", json!({})).await.well();
        assert_eq!(answer["clean"], true, "{answer}");
    }

    /// Reads all pages of a list.
    pub async fn list(&self, ns: &str, path: &str) -> Vec<Value> {
        let mut items = Vec::new();
        let mut cursor = String::new();
        loop {
            let mark = if path.contains('?') { '&' } else { '?' };
            let page = format!("{}{mark}limit=500{cursor}", at(ns, path));
            let answer = self.get(&page).await.well();
            items.extend(answer["items"].as_array().unwrap().iter().cloned());
            match answer["next"].as_str() {
                None => return items,
                Some(next) => cursor = format!("&cursor={}", percent(next)),
            }
        }
    }

    /// Returns an export as text.
    pub async fn export(&self, ns: &str, format: &str) -> String {
        let url = format!("{}{}", self.base, at(ns, &format!("/export?format={format}")));
        let response = self.client.get(url).send().await.unwrap();
        assert!(response.status().is_success(), "export: {}", response.status());
        response.text().await.unwrap()
    }

    /// Asks in SPARQL for one number.
    pub async fn count(&self, ns: &str, query: &str) -> u64 {
        let path = at(ns, &format!("/sparql?query={}", percent(query)));
        let request = self.client.get(format!("{}{path}", self.base));
        let response =
            request.header("accept", "application/sparql-results+json").send().await.unwrap();
        let text = response.text().await.unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
        let row = &answer["results"]["bindings"][0];
        let number = row.as_object().and_then(|row| row.values().next());
        let number = number.and_then(|cell| cell["value"].as_str()?.parse().ok());
        number.unwrap_or_else(|| panic!("no number in {answer}"))
    }

    /// The message hits of a search must contain a turn.
    pub async fn finds(&self, ns: &str, word: &str, message_ids: &Value) {
        let body = json!({"query": word, "in": ["messages"], "limit": 10});
        let answer = self.post(&at(ns, "/search"), body).await.well();
        let hits = answer["hits"].as_array().unwrap();
        let wanted = &message_ids[0];
        assert!(
            hits.iter().any(|hit| hit["id"] == *wanted),
            "searching {word:?} in {ns:?} does not find {wanted}: {answer}"
        );
    }
}

/// A path inside a namespace.
pub fn at(ns: &str, rest: &str) -> String {
    format!("/v1/namespaces/{}{rest}", percent(ns))
}

pub fn percent(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
