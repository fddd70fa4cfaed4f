//! Answers that a caller may already have: entity tags and `If-None-Match` (RFC 9110, section 13).

use super::ApiError;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// Returns the strong tag of a body: the revision it was read at, where there is one, and a hash,
/// because what holds now changes with the time of day as well.
pub fn tag_of(revision: Option<u64>, body: &[u8]) -> String {
    let hash = hex::encode(&Sha256::digest(body)[..8]);
    match revision {
        Some(revision) => format!("\"{revision}-{hash}\""),
        None => format!("\"{hash}\""),
    }
}

/// Answers with a body, or with 304 when the caller has it already.
///
/// # Errors
/// When the tag is no header text, which its form rules out.
pub fn answer(asked: &HeaderMap, tag: &str, body: Vec<u8>) -> Result<Response, ApiError> {
    let value = HeaderValue::from_str(tag).map_err(|_| ApiError::internal())?;
    let mut response = if is_known(asked, tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        body.into_response()
    };
    response.headers_mut().insert(header::ETAG, value);
    Ok(response)
}

/// `If-None-Match` compares weakly: a `W/` in front of a tag does not matter.
fn is_known(asked: &HeaderMap, tag: &str) -> bool {
    asked
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|one| one.trim().trim_start_matches("W/"))
        .any(|one| one == "*" || one == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_tag_is_found_in_a_list_and_weakly() {
        let tag = tag_of(Some(7), b"body");
        assert_ne!(tag, tag_of(Some(7), b"other"));
        assert_ne!(tag, tag_of(Some(8), b"body"));
        for (value, known) in [
            (tag.clone(), true),
            (format!("\"x\", W/{tag}"), true),
            ("*".to_owned(), true),
            ("\"x\"".to_owned(), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_str(&value).unwrap());
            assert_eq!(is_known(&headers, &tag), known, "{value}");
        }
    }
}
