//! One line, one id and two metrics for each request. No line carries the text of a memory.

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;
use tracing::Instrument;

/// Header that carries the request's id both ways.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request an id, runs it in a span, and counts it.
pub async fn observe(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request
        .headers()
        .get(REQUEST_ID)
        .and_then(|id| id.to_str().ok())
        .filter(|id| is_plain(id))
        .map_or_else(|| uuid::Uuid::now_v7().simple().to_string(), str::to_owned);
    let method = request.method().as_str().to_owned();
    // The template, not the path: a path carries namespaces and ids.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let span = tracing::info_span!("request", id = %id, %method, %route);
    let mut response = next.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    let elapsed = started.elapsed();
    span.in_scope(|| {
        let duration_ms = elapsed.as_secs_f64() * 1000.0;
        if status >= 500 {
            tracing::warn!(status, duration_ms, "answered");
        } else {
            tracing::info!(status, duration_ms, "answered");
        }
    });
    metrics::counter!("stratagate_http_requests_total",
        "method" => method.clone(), "route" => route.clone(), "status" => status.to_string())
    .increment(1);
    metrics::histogram!("stratagate_http_request_duration_seconds",
        "method" => method, "route" => route)
    .record(elapsed.as_secs_f64());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Ids from outside are kept only when they cannot break a log line.
fn is_plain(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_ids_cannot_break_a_log_line() {
        assert!(is_plain("01J-abc_9.x:1"));
        assert!(!is_plain(""));
        assert!(!is_plain("a b"));
        assert!(!is_plain(&"x".repeat(65)));
    }
}
