//! Reading bodies: bounded, and JSON with errors that name the place.

use super::{ApiError, Code};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use futures::StreamExt;
use serde::de::DeserializeOwned;
use tower_http::timeout::TimeoutError;

/// Largest body of most calls.
pub const SMALL: usize = 4 * 1024 * 1024;
/// Largest body of one turn, or a few.
pub const TURNS: usize = 16 * 1024 * 1024;
/// Largest body of a batch of turns.
pub const BATCH: usize = 64 * 1024 * 1024;
/// How much of a body that is too large is still read, so that the caller can read the answer
/// instead of seeing the connection reset.
const DRAINED: usize = 64 * 1024 * 1024;

/// Reads a body of at most `limit` bytes.
pub async fn read(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let mut stream = body.into_data_stream();
    let mut bytes: Vec<u8> = Vec::new();
    let mut total = 0usize;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| unreadable(&error))?;
        total = total.saturating_add(chunk.len());
        if total <= limit {
            bytes.extend_from_slice(&chunk);
        } else {
            bytes = Vec::new();
            if total > limit.saturating_add(DRAINED) {
                break;
            }
        }
    }
    if total > limit {
        let detail = format!("the body is over {limit} bytes; nothing was stored");
        return Err(ApiError::new(Code::TooLarge, detail));
    }
    Ok(bytes.into())
}

/// Says why a body did not come to its end.
fn unreadable(error: &axum::Error) -> ApiError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<TimeoutError>() {
            let detail = "the body stopped coming before its end; nothing was stored";
            return ApiError::new(Code::BodyTimedOut, detail);
        }
        cause = error.source();
    }
    ApiError::new(Code::InvalidJson, format!("the body could not be read: {error}"))
}

/// Returns the media type of the body without its parameters, in lower case.
pub fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    (!essence.is_empty()).then_some(essence)
}

/// Refuses a body that says it is no JSON; one that says nothing is taken as JSON.
pub fn expect_json(headers: &HeaderMap) -> Result<(), ApiError> {
    match media_type(headers) {
        None => Ok(()),
        Some(kind) if kind == "application/json" || kind.ends_with("+json") => Ok(()),
        Some(kind) => Err(ApiError::new(
            Code::UnsupportedMediaType,
            format!("the body is {kind}; send application/json"),
        )),
    }
}

/// Reads a JSON body; an empty one counts as `{}`.
pub async fn json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<T, ApiError> {
    expect_json(headers)?;
    let bytes = read(body, limit).await?;
    let text: &[u8] = if bytes.trim_ascii().is_empty() { b"{}" } else { &bytes };
    parse(text, "")
}

/// Parses JSON; an error names the path of the value, below `at`.
pub fn parse<T: DeserializeOwned>(bytes: &[u8], at: &str) -> Result<T, ApiError> {
    if let Err(error) = std::str::from_utf8(bytes) {
        let detail = format!("the body is not UTF-8: byte {}", error.valid_up_to());
        return Err(ApiError::new(Code::InvalidJson, detail));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        // A missing field is reported at its parent; `.` is the path of the whole body.
        let path = match (at, path.as_str()) {
            (at, "." | "") => at.to_owned(),
            ("", path) => path.to_owned(),
            (at, path) if path.starts_with('[') => format!("{at}{path}"),
            (at, path) => format!("{at}.{path}"),
        };
        let reason = explain(error.into_inner().to_string());
        if path.is_empty() {
            return ApiError::new(Code::InvalidJson, reason);
        }
        ApiError::about(Code::InvalidJson, path, reason)
    })?;
    reader.end().map_err(|error| ApiError::new(Code::InvalidJson, error.to_string()))?;
    Ok(value)
}

/// Says what the parser's words for half a surrogate pair mean.
fn explain(reason: String) -> String {
    if reason.contains("hex escape") || reason.contains("surrogate") {
        return format!(
            "a lone surrogate is no Unicode text; send \\ufffd in its place ({reason})"
        );
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct Sample {
        messages: Vec<Inner>,
    }

    #[derive(Debug, serde::Deserialize)]
    struct Inner {
        content: Option<String>,
    }

    fn refused(text: &str) -> ApiError {
        let error = parse::<Sample>(text.as_bytes(), "").expect_err(text);
        assert_eq!(error.code, Code::InvalidJson);
        error
    }

    #[test]
    fn an_error_names_the_place() {
        let error = refused(r#"{"messages":[{"content":"a"},{"content":7}]}"#);
        assert_eq!(error.errors[0].0, "messages[1].content");
        for text in ["\\ud800", "a\\ud800b", "\\udc00", "\\ud800\\u0041"] {
            let error = refused(&format!(r#"{{"messages":[{{"content":"{text}"}}]}}"#));
            assert_eq!(error.errors[0].0, "messages[0].content");
            assert!(error.detail.contains("lone surrogate"), "{}", error.detail);
        }
    }

    #[test]
    fn broken_and_doubtful_json_is_refused() {
        for text in [
            "",
            "{",
            "nonsense",
            r#"{"messages":[]} {"messages":[]}"#,
            r#"{"messages":[],"messages":[]}"#,
            "{\"messages\":[{\"content\":\"a\u{0}b\"}]}",
        ] {
            refused(text);
        }
        let deep = format!("{{\"messages\":[],\"x\":{}", "[".repeat(100_000));
        refused(&deep);
    }

    #[test]
    fn an_escaped_nul_is_content() {
        let sample: Sample = parse(br#"{"messages":[{"content":"a\u0000b"}]}"#, "").unwrap();
        assert_eq!(sample.messages[0].content.as_deref(), Some("a\0b"));
    }

    #[tokio::test]
    async fn a_body_over_its_limit_is_refused() {
        assert!(read(Body::from(vec![b'x'; 10]), 10).await.is_ok());
        let error = read(Body::from(vec![b'x'; 11]), 10).await.unwrap_err();
        assert_eq!(error.code, Code::TooLarge);
    }
}
