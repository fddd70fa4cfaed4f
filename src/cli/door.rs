//! The way to the data: a running server, or the same router in this process.

use crate::api::wire::ProblemBody;
use crate::api::{App, router};
use crate::clock::Clock;
use crate::journal::DataLock;
use crate::memory::{Memory, MemoryOptions};
use crate::store::reader::ReaderProgram;
use anyhow::{Context, anyhow, bail};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use futures::StreamExt;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use tower::ServiceExt;

/// Unreserved characters stay readable.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Encodes a value for one path segment or one query parameter.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// The way to the data.
pub enum Door {
    /// A server holds the folder.
    Remote {
        /// Sends the requests.
        client: reqwest::Client,
        /// Scheme and authority.
        base: String,
    },
    /// Nobody holds the folder: it is open in this process.
    Local {
        /// The router over the memory.
        router: Router,
        /// The memory.
        memory: Memory,
    },
}

/// An answer with a status of success.
pub struct Reply {
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    /// Reads the body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> anyhow::Result<T> {
        serde_json::from_slice(&self.body).context("the answer is not as expected")
    }

    /// Reads a header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A request without its address.
#[derive(Default)]
pub struct Call<'a> {
    pub accept: Option<&'a str>,
    pub content_type: Option<&'a str>,
    pub body: Vec<u8>,
}

impl Door {
    /// Finds the server that holds the folder, or opens the folder here.
    pub async fn open(data: &Path, readers: Option<ReaderProgram>) -> anyhow::Result<Self> {
        if let Some(address) = serving_address(data)? {
            return Self::remote(&address);
        }
        Self::open_here(MemoryOptions { data: data.to_owned(), clock: Clock::System, readers })
            .await
    }

    /// Opens the folder in this process.
    pub async fn open_here(options: MemoryOptions) -> anyhow::Result<Self> {
        let memory = open_memory(options).await?;
        Ok(Self::Local { router: router(App::new(memory.clone())), memory })
    }

    fn remote(address: &str) -> anyhow::Result<Self> {
        let base = address.trim_end_matches('/').to_owned();
        let client = reqwest::Client::builder()
            // A proxy for the outside world has no business on the loopback interface.
            .no_proxy()
            .connect_timeout(Duration::from_secs(3))
            .build()
            .context("cannot set up the HTTP client")?;
        Ok(Self::Remote { client, base })
    }

    /// Returns the memory, where it is open in this process.
    pub fn local(&self) -> Option<&Memory> {
        match self {
            Self::Local { memory, .. } => Some(memory),
            Self::Remote { .. } => None,
        }
    }

    /// Returns the server's address, where one is used.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Remote { base, .. } => Some(base),
            Self::Local { .. } => None,
        }
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> anyhow::Result<Reply> {
        self.call(Method::GET, path, Call::default()).await
    }

    /// Sends JSON.
    pub async fn post(&self, path: &str, body: &impl Serialize) -> anyhow::Result<Reply> {
        self.send(Method::POST, path, body).await
    }

    /// Sends JSON with any method.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> anyhow::Result<Reply> {
        let body = serde_json::to_vec(body).context("cannot write the request")?;
        let call = Call { content_type: Some("application/json"), body, ..Call::default() };
        self.call(method, path, call).await
    }

    /// Sends a request and returns the answer; a problem becomes an error.
    pub async fn call(&self, method: Method, path: &str, call: Call<'_>) -> anyhow::Result<Reply> {
        let mut body = Vec::new();
        let headers = self.call_into(method, path, call, &mut body).await?;
        Ok(Reply { headers, body: body.into() })
    }

    /// Sends a request and writes the answer's body as it comes.
    pub async fn call_into(
        &self,
        method: Method,
        path: &str,
        call: Call<'_>,
        out: &mut dyn Write,
    ) -> anyhow::Result<HeaderMap> {
        match self {
            Self::Remote { client, base } => {
                let mut request = client.request(method, format!("{base}{path}")).body(call.body);
                if let Some(accept) = call.accept {
                    request = request.header(header::ACCEPT, accept);
                }
                if let Some(kind) = call.content_type {
                    request = request.header(header::CONTENT_TYPE, kind);
                }
                let mut response = request
                    .send()
                    .await
                    .with_context(|| format!("the server at {base} does not answer"))?;
                let (status, headers) = (response.status(), response.headers().clone());
                if !status.is_success() {
                    return Err(problem(status, &response.bytes().await.unwrap_or_default()));
                }
                let broke_off = || format!("the answer of {base} broke off");
                while let Some(chunk) = response.chunk().await.with_context(broke_off)? {
                    out.write_all(&chunk)?;
                }
                Ok(headers)
            }
            Self::Local { router, .. } => {
                let mut request =
                    Request::builder().method(method).uri(path).header(header::HOST, "localhost");
                if let Some(accept) = call.accept {
                    request = request.header(header::ACCEPT, accept);
                }
                if let Some(kind) = call.content_type {
                    request = request.header(header::CONTENT_TYPE, kind);
                }
                let request = request.body(Body::from(call.body)).context("not a request")?;
                let response =
                    router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
                let (status, headers) = (response.status(), response.headers().clone());
                let mut chunks = response.into_body().into_data_stream();
                let mut failed = Vec::new();
                while let Some(chunk) = chunks.next().await {
                    let chunk = chunk.context("the answer broke off")?;
                    if status.is_success() {
                        out.write_all(&chunk)?;
                    } else {
                        failed.extend_from_slice(&chunk);
                    }
                }
                if status.is_success() { Ok(headers) } else { Err(problem(status, &failed)) }
            }
        }
    }

    /// Gives the folder back, where it is open in this process.
    pub async fn close(self) {
        if let Self::Local { memory, .. } = self {
            // Closing waits for files; a failed join leaves nothing to wait for.
            let _ = tokio::task::spawn_blocking(move || memory.close()).await;
        }
    }
}

/// Returns the address of the server that holds the folder now, if one does.
pub fn serving_address(data: &Path) -> anyhow::Result<Option<String>> {
    Ok(DataLock::read(data)?.and_then(|holder| holder.address))
}

/// Opens a memory on the blocking pool.
pub async fn open_memory(options: MemoryOptions) -> anyhow::Result<Memory> {
    let data = options.data.clone();
    let opened = tokio::task::spawn_blocking(move || Memory::open(options)).await;
    match opened {
        Ok(memory) => memory.with_context(|| format!("cannot open {}", data.display())),
        Err(_) => bail!("cannot open {}: the program failed inside", data.display()),
    }
}

/// Turns a problem body into one readable line.
fn problem(status: StatusCode, body: &[u8]) -> anyhow::Error {
    match serde_json::from_slice::<ProblemBody>(body) {
        Ok(problem) => anyhow!("{} ({})", problem.detail, problem.code),
        Err(_) => anyhow!("the service answered {status}"),
    }
}
