//! Reading paths and query strings: strict about values, silent about parameters nobody reads.

use super::{ApiError, Code};
use crate::memory::{AsOf, PageRequest};
use crate::model::{NamespaceName, TxTime, ValidTime, parse_instant};
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use chrono::{DateTime, FixedOffset, Utc};

async fn path_segment<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
    name: &str,
) -> Result<Option<String>, ApiError> {
    let segments = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|_| ApiError::parameter(name, "the path is not percent-encoded UTF-8"))?;
    Ok(segments.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned()))
}

/// The namespace in the path.
pub struct Ns(pub NamespaceName);

impl<S: Send + Sync> FromRequestParts<S> for Ns {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let refused = |reason: String| ApiError::about(Code::InvalidNamespace, "ns", reason);
        let name = path_segment(parts, state, "ns")
            .await
            .map_err(|_| refused("the namespace name is not percent-encoded UTF-8".to_owned()))?
            .unwrap_or_default();
        NamespaceName::new(name).map(Self).map_err(|error| refused(error.to_string()))
    }
}

/// The last variable segment of the path: an id or a name.
pub struct Segment(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        for name in ["id", "name"] {
            if let Some(value) = path_segment(parts, state, name).await? {
                return Ok(Self(value));
            }
        }
        Err(ApiError::parameter("id", "is missing"))
    }
}

/// The parameters of a query string or a form, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        Self::parse(parts.uri.query().unwrap_or(""))
    }
}

impl Params {
    /// Reads `application/x-www-form-urlencoded` text.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let decode = |part: &str| {
            percent_encoding::percent_decode_str(&part.replace('+', " "))
                .decode_utf8()
                .map(std::borrow::Cow::into_owned)
                .map_err(|_| ApiError::parameter(part, "is not percent-encoded UTF-8"))
        };
        let mut pairs = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            pairs.push((decode(name)?, decode(value)?));
        }
        Ok(Self(pairs))
    }

    /// Returns all values of a parameter.
    pub fn all(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone()).collect()
    }

    /// Says whether a parameter is there, with or without a value.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// Returns all parameters but some.
    pub fn except(&self, names: &[&str]) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .filter(|(key, _)| !names.contains(&key.as_str()))
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns a parameter's value as given, which must not come twice.
    pub fn raw(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(key, _)| key == name);
        let first = values.next().map(|(_, value)| value.as_str());
        match values.next() {
            Some(_) => Err(ApiError::parameter(name, "is given more than once")),
            None => Ok(first),
        }
    }

    /// Returns a parameter's value. An empty one is refused: whoever sends `valid_at=` means a
    /// time, and would get the answer for another.
    pub fn text(&self, name: &str) -> Result<Option<&str>, ApiError> {
        match self.raw(name)? {
            Some("") => Err(ApiError::parameter(name, "is empty; give a value or leave it out")),
            value => Ok(value),
        }
    }

    /// Returns words to look for; none at all look for everything.
    pub fn words(&self, name: &str) -> Result<Option<&str>, ApiError> {
        Ok(self.raw(name)?.filter(|words| !words.is_empty()))
    }

    /// Returns a parameter's value, which must be there.
    pub fn required(&self, name: &str) -> Result<&str, ApiError> {
        self.text(name)?.ok_or_else(|| ApiError::parameter(name, "is missing"))
    }

    /// Reads a whole number.
    pub fn number(&self, name: &str) -> Result<Option<usize>, ApiError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse()
            .map(Some)
            .map_err(|_| ApiError::parameter(name, format!("{text:?} is not a whole number")))
    }

    /// Reads a yes or no; a parameter without a value is a yes.
    pub fn flag(&self, name: &str) -> Result<bool, ApiError> {
        match self.raw(name)? {
            None | Some("false" | "0") => Ok(false),
            Some("" | "true" | "1") => Ok(true),
            Some(text) => {
                Err(ApiError::parameter(name, format!("{text:?} is neither true nor false")))
            }
        }
    }

    /// Reads one of a closed list of words.
    pub fn word<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
        known: &[&str],
    ) -> Result<Option<T>, ApiError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        parse(text).map(Some).ok_or_else(|| ApiError::parameter(name, unknown_word(text, known)))
    }

    /// Reads an instant.
    pub fn time(&self, name: &str) -> Result<Option<DateTime<Utc>>, ApiError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        instant(text).map(Some).map_err(|reason| ApiError::parameter(name, reason))
    }

    /// Reads `[from, to)` and refuses reversed bounds.
    pub fn range(&self, from: &str, to: &str) -> Result<Range, ApiError> {
        let (start, end) = (self.time(from)?, self.time(to)?);
        if let (Some(start), Some(end)) = (start, end)
            && start > end
        {
            return Err(ApiError::parameter(from, format!("is after `{to}`")));
        }
        Ok((start, end))
    }

    /// Reads the point on both clocks.
    pub fn as_of(&self) -> Result<AsOf, ApiError> {
        Ok(AsOf {
            valid_at: self.time("valid_at")?.map(ValidTime),
            known_at: self.time("known_at")?.map(TxTime),
        })
    }

    /// Reads which page of a list is wanted.
    pub fn page(&self) -> Result<PageRequest, ApiError> {
        let limit = self.number("limit")?;
        if limit.is_some_and(|limit| limit == 0 || limit > 1000) {
            return Err(ApiError::parameter("limit", "must be from 1 to 1000"));
        }
        Ok(PageRequest { limit, cursor: self.text("cursor")?.map(str::to_owned) })
    }
}

/// Bounds of a time filter.
pub type Range = (Option<DateTime<Utc>>, Option<DateTime<Utc>>);

/// Says that a word is not in a closed list.
pub fn unknown_word(text: &str, known: &[&str]) -> String {
    format!("{text:?} is not one of {}", known.join(", "))
}

/// Reads an RFC 3339 date-time, or a date or date-time without an offset as UTC. A `+` that a
/// query string turned into a space is understood.
pub fn instant(text: &str) -> Result<DateTime<Utc>, String> {
    let utc = FixedOffset::east_opt(0).expect("zero is a valid offset");
    let repaired = match text.rsplit_once(' ') {
        Some((head, offset)) if head.contains(['T', 't']) => format!("{head}+{offset}"),
        _ => text.to_owned(),
    };
    parse_instant(&repaired, utc).map(|stamp| stamp.utc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    fn params(text: &str) -> Params {
        Params::parse(text).expect("readable")
    }

    #[test]
    fn values_are_decoded_once() {
        let params = params("q=a%2Bb+c%26d&empty=&flag");
        assert_eq!(params.text("q").unwrap(), Some("a+b c&d"));
        assert_eq!(params.words("empty").unwrap(), None);
        assert_eq!(params.text("empty").unwrap_err().errors[0].0, "empty");
        assert!(params.flag("flag").unwrap());
        assert!(Params::parse("q=%ff").is_err());
    }

    #[test]
    fn a_parameter_given_twice_is_refused() {
        let error = params("valid_at=2026-05-01&valid_at=2026-05-02").as_of().unwrap_err();
        assert_eq!(error.code, Code::InvalidParameter);
        assert_eq!(error.errors[0].0, "valid_at");
    }

    #[test]
    fn times_are_dates_or_date_times_with_any_offset() {
        let expected = Utc.with_ymd_and_hms(2026, 5, 6, 1, 30, 0).unwrap();
        for text in [
            "2026-05-06T09:30:00+08:00",
            "2026-05-06T09:30:00 08:00",
            "2026-05-06T01:30:00Z",
            "2026-05-06T01:30:00",
            "2026-05-06 01:30",
        ] {
            assert_eq!(instant(text).unwrap(), expected, "{text}");
        }
        let midnight = Utc.with_ymd_and_hms(2026, 5, 6, 0, 0, 0).unwrap();
        assert_eq!(instant("2026-05-06").unwrap(), midnight);
        for text in ["soon", "2026-13-01", "2026-02-30", "20260506", "1e9", ""] {
            assert!(instant(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reversed_bounds_are_refused() {
        assert!(params("from=2026-05-06&to=2026-05-01").range("from", "to").is_err());
        assert!(params("from=2026-05-06&to=2026-05-06").range("from", "to").is_ok());
    }

    #[test]
    fn pages_have_at_least_one_item_and_at_most_a_thousand() {
        assert!(params("limit=0").page().is_err());
        assert!(params("limit=1001").page().is_err());
        assert!(params("limit=-1").page().is_err());
        assert_eq!(params("limit=7&cursor=x").page().unwrap().limit, Some(7));
    }
}
