//! What every handler shares.

use super::ApiError;
use crate::memory::{Memory, MemoryError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long a body may stay away before its next bytes.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The memory behind the router, and the signal that ends long answers.
#[derive(Clone)]
pub struct App {
    memory: Memory,
    origins: Arc<[String]>,
    body_timeout: Duration,
    stopping: watch::Sender<bool>,
}

impl App {
    /// Wraps a memory.
    pub fn new(memory: Memory) -> Self {
        Self {
            memory,
            origins: Arc::from([]),
            body_timeout: BODY_TIMEOUT,
            stopping: watch::Sender::new(false),
        }
    }

    /// Sets how long a body may stay away before its next bytes.
    #[must_use]
    pub fn with_body_timeout(self, body_timeout: Duration) -> Self {
        Self { body_timeout, ..self }
    }

    /// Returns how long a body may stay away before its next bytes.
    pub(super) fn body_timeout(&self) -> Duration {
        self.body_timeout
    }

    /// Lets pages of these origins call and read (CORS), as in `https://tools.example`.
    #[must_use]
    pub fn with_origins(self, origins: &[String]) -> Self {
        Self { origins: origins.into(), ..self }
    }

    /// Returns the origins whose pages may call and read.
    pub(super) fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Returns the memory itself; its calls block, so handlers use [`App::run`].
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Runs one use case on the blocking pool.
    ///
    /// # Errors
    /// The use case's own error as a problem; `internal` when it panicked.
    pub async fn run<T, F>(&self, use_case: F) -> Result<T, ApiError>
    where
        T: Send + 'static,
        F: FnOnce(&Memory) -> Result<T, MemoryError> + Send + 'static,
    {
        let memory = self.memory.clone();
        let span = tracing::Span::current();
        match tokio::task::spawn_blocking(move || span.in_scope(|| use_case(&memory))).await {
            Ok(answer) => answer.map_err(ApiError::from),
            Err(error) => {
                tracing::error!(%error, "a use case ended early");
                Err(ApiError::internal())
            }
        }
    }

    /// Ends answers that would otherwise never end, such as event streams.
    pub fn stop_streams(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until [`App::stop_streams`] is called.
    pub(super) async fn stopped(self) {
        let mut stopping = self.stopping.subscribe();
        // The sender lives in `self`, so waiting cannot fail before the value changes.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }
}
