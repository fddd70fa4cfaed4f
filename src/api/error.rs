//! The only place that maps errors to responses.

use super::wire::{FieldErrorBody, ProblemBody};
use crate::memory::MemoryError;
use crate::store::QueryError;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Media type of every error body.
pub const PROBLEM_JSON: &str = "application/problem+json";

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $status:ident, $title:literal;)+) => {
        /// Stable words for what went wrong; each is explained in `docs/errors.md`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code { $($(#[$doc])* $variant),+ }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the stable word.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Returns the HTTP status.
            pub fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status),+ }
            }

            /// Returns the short title.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }
        }
    };
}

codes! {
    /// The body is no JSON, or a value in it has the wrong type.
    InvalidJson = "invalid_json", BAD_REQUEST, "The JSON body cannot be read";
    /// A value in the body is not acceptable.
    InvalidValue = "invalid_value", BAD_REQUEST, "A value is not acceptable";
    /// A parameter in the path or query string is not acceptable.
    InvalidParameter = "invalid_parameter", BAD_REQUEST, "A parameter is not acceptable";
    /// The path names no possible namespace.
    InvalidNamespace = "invalid_namespace", BAD_REQUEST, "The namespace name is not acceptable";
    /// The text is no SPARQL query.
    InvalidQuery = "invalid_query", BAD_REQUEST, "The query cannot be read";
    /// The query is not allowed here.
    QueryRefused = "query_refused", BAD_REQUEST, "The query was refused";
    /// The query needed more memory than one may take.
    QueryOutOfMemory = "query_out_of_memory", BAD_REQUEST, "The query needed too much memory";
    /// What came is no HTTP request.
    MalformedRequest = "malformed_request", BAD_REQUEST, "The request cannot be read";
    /// The request came for another host name.
    ForbiddenHost = "forbidden_host", FORBIDDEN, "The Host header is not allowed";
    /// The request came from a web page of another origin.
    ForbiddenOrigin = "forbidden_origin", FORBIDDEN, "The Origin header is not allowed";
    /// There is no such call.
    UnknownRoute = "unknown_route", NOT_FOUND, "There is no such call";
    /// There is no such namespace.
    UnknownNamespace = "unknown_namespace", NOT_FOUND, "There is no such namespace";
    /// There is no such thing in the namespace.
    NotFound = "not_found", NOT_FOUND, "There is no such thing";
    /// The call exists, with other methods.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The method is not allowed";
    /// None of the accepted media types can be given.
    NotAcceptable = "not_acceptable", NOT_ACCEPTABLE, "No acceptable media type";
    /// The body stopped coming.
    BodyTimedOut = "body_timed_out", REQUEST_TIMEOUT, "The body stopped coming";
    /// It contradicts what is stored.
    Conflict = "conflict", CONFLICT, "It contradicts what is stored";
    /// It is larger than allowed.
    TooLarge = "too_large", PAYLOAD_TOO_LARGE, "It is too large";
    /// The path with its query string is too long.
    UriTooLong = "uri_too_long", URI_TOO_LONG, "The path and query string are too long";
    /// The body has a media type that this call does not read.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The media type is not supported";
    /// There are too many headers, or too much in them.
    HeadersTooLarge = "headers_too_large", REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too large";
    /// Something is wrong in the service; details are in its log.
    Internal = "internal", INTERNAL_SERVER_ERROR, "Something is wrong in the service";
    /// Stored data is damaged.
    Corrupt = "corrupt", INTERNAL_SERVER_ERROR, "Stored data is damaged";
    /// The query ran into its deadline.
    QueryTimedOut = "query_timed_out", SERVICE_UNAVAILABLE, "The query was stopped at its deadline";
    /// Too many queries are running.
    Busy = "busy", SERVICE_UNAVAILABLE, "Too many queries are running";
    /// It cannot be done now.
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "It cannot be done now";
}

/// An error on its way to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The stable word.
    pub code: Code,
    /// One sentence that names the thing.
    pub detail: String,
    /// The fields or parameters concerned, with reasons.
    pub errors: Vec<(String, String)>,
}

impl ApiError {
    /// An error without fields.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), errors: Vec::new() }
    }

    /// An error about one field or parameter.
    pub fn about(code: Code, field: impl Into<String>, reason: impl Into<String>) -> Self {
        let (field, reason) = (field.into(), reason.into());
        Self { code, detail: format!("{field}: {reason}"), errors: vec![(field, reason)] }
    }

    /// An unacceptable parameter.
    pub fn parameter(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::about(Code::InvalidParameter, name, reason)
    }

    /// An unacceptable value in a body.
    pub fn value(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::about(Code::InvalidValue, field, reason)
    }

    /// Returns the body that tells of it.
    pub(super) fn into_problem(self) -> ProblemBody {
        let errors = self
            .errors
            .into_iter()
            .map(|(field, reason)| FieldErrorBody { field, reason })
            .collect();
        ProblemBody {
            kind: format!("https://w3id.org/stratagate/problems#{}", self.code.as_str()),
            title: self.code.title().to_owned(),
            status: self.code.status().as_u16(),
            code: self.code.as_str().to_owned(),
            detail: self.detail,
            errors,
        }
    }

    /// A fault of ours; what happened is in the log.
    pub fn internal() -> Self {
        Self::new(Code::Internal, "the request failed inside; the service's log says why")
    }
}

impl From<MemoryError> for ApiError {
    fn from(error: MemoryError) -> Self {
        let detail = error.to_string();
        match error {
            MemoryError::NotFound { .. } => Self::new(Code::NotFound, detail),
            MemoryError::UnknownNamespace(_) => Self::new(Code::UnknownNamespace, detail),
            MemoryError::Invalid { field, reason } => Self::value(field, reason),
            MemoryError::Conflict(_) => Self::new(Code::Conflict, detail),
            MemoryError::TooLarge { .. } => Self::new(Code::TooLarge, detail),
            MemoryError::Query(error) => error.into(),
            MemoryError::Corrupt(_) => {
                tracing::error!(%detail, "stored data is damaged");
                Self::new(Code::Corrupt, detail)
            }
            MemoryError::Unavailable(_) => {
                tracing::warn!(%detail, "a use case is unavailable");
                Self::new(Code::Unavailable, detail)
            }
        }
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        let detail = error.to_string();
        match error {
            QueryError::Syntax(_) => Self::new(Code::InvalidQuery, detail),
            QueryError::Refused(_) => Self::new(Code::QueryRefused, detail),
            QueryError::TimedOut(_) => Self::new(Code::QueryTimedOut, detail),
            QueryError::OutOfMemory(_) => Self::new(Code::QueryOutOfMemory, detail),
            QueryError::Busy => Self::new(Code::Busy, detail),
            QueryError::UnknownQuery(_) => Self::new(Code::NotFound, detail),
            QueryError::BadParameter { name, reason } => Self::parameter(name, reason),
            QueryError::Internal(_) => {
                tracing::error!(%detail, "a query failed");
                Self::internal()
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let code = self.code;
        let mut response = (code.status(), axum::Json(self.into_problem())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if matches!(code, Code::Busy) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_documented_and_nothing_else_is() {
        let page = include_str!("../../docs/errors.md");
        let documented: Vec<(&str, &str)> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
            .map(|(code, rest)| (code, rest.split(' ').next().unwrap_or("")))
            .collect();
        let known: Vec<(&str, String)> = Code::ALL
            .iter()
            .map(|code| (code.as_str(), code.status().as_u16().to_string()))
            .collect();
        let known: Vec<(&str, &str)> = known.iter().map(|(c, s)| (*c, s.as_str())).collect();
        assert_eq!(documented, known);
    }

    #[test]
    fn an_unacceptable_value_names_its_field() {
        let error = ApiError::from(MemoryError::invalid("messages[0].at", "is no date"));
        assert_eq!(error.code, Code::InvalidValue);
        assert_eq!(error.detail, "messages[0].at: is no date");
        assert_eq!(error.errors, [("messages[0].at".to_owned(), "is no date".to_owned())]);
    }

    #[test]
    fn a_failed_query_tells_nothing_of_the_inside() {
        let error = ApiError::from(QueryError::Internal("/secret/path".to_owned()));
        assert_eq!(error.code, Code::Internal);
        assert!(!error.detail.contains("secret"));
    }
}
