//! Pages of lists: how long they are, and the cursor that the next one begins after.

use super::error::MemoryError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Most items of one page.
const MAX_PAGE: usize = 1_000;

/// Bounds the size of a page: 100 by default.
pub fn page_limit(limit: Option<usize>) -> usize {
    limit.unwrap_or(100).clamp(1, MAX_PAGE)
}

/// Packs the place after which the next page begins, in letters that stand in a URL as they are.
pub fn cursor(parts: &[&str]) -> String {
    // A list of strings always becomes JSON.
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(parts).unwrap_or_default())
}

/// Unpacks a cursor; no cursor gives no parts.
///
/// # Errors
/// When it is not one that [`cursor`] gave for so many parts.
pub fn cursor_parts(cursor: Option<&str>, count: usize) -> Result<Vec<String>, MemoryError> {
    let Some(cursor) = cursor else { return Ok(Vec::new()) };
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok();
    let parts = bytes.and_then(|bytes| serde_json::from_slice::<Vec<String>>(&bytes).ok());
    parts.filter(|parts| parts.len() == count).ok_or_else(not_ours)
}

fn not_ours() -> MemoryError {
    MemoryError::invalid("cursor", "is not one we gave")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_stands_in_a_url_as_it_is_and_comes_back_whole() {
        for parts in [["a", ""], ["2026-05-06T01:30:00Z", "演示 a/b?c=d&e%20+.~"], ["\0\n", "\""]]
        {
            let packed = cursor(&parts);
            assert!(packed.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
            assert_eq!(cursor_parts(Some(&packed), 2).unwrap(), parts);
            assert!(cursor_parts(Some(&packed), 1).is_err());
        }
    }

    #[test]
    fn what_we_did_not_give_is_refused() {
        assert!(cursor_parts(None, 2).unwrap().is_empty());
        for text in ["", "1", "nonsense.x", "W10=", "a%20b", "%5B%5D", "bnVsbA"] {
            assert!(cursor_parts(Some(text), 2).is_err(), "{text}");
        }
    }
}
