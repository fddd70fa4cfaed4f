//! Who may speak to us: checks of Host and Origin, and the answer to a panic.
//!
//! A page on any web site can make a browser send requests to a loopback address, and can rebind
//! its own name to one. The first kind carries a foreign `Origin`, the second a foreign `Host`.

use super::{ApiError, App, Code};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// How long a browser may remember what it was allowed.
const PREFLIGHT_AGE: Duration = Duration::from_secs(600);

/// Headers of ours that pages may read.
const EXPOSED: [&str; 4] =
    ["etag", "x-stratagate-revision", "x-stratagate-rows", "x-stratagate-truncated"];

/// Reads an origin that pages may come from, as in `https://tools.example:8443`.
///
/// # Errors
/// Says what an origin is; `*` is none.
pub fn check_allowed_origin(text: &str) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    let authority = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
        .filter(|rest| !rest.is_empty() && !rest.contains(['/', '*', ' ', '@', '?', '#']));
    match authority {
        Some(_) => Ok(text.to_ascii_lowercase()),
        None => Err(format!(
            "{text:?} is not an origin; write scheme and host as in https://tools.example"
        )),
    }
}

/// The answers to pages of the allowed origins (CORS); to any other page we say nothing, so that
/// its browser lets it read nothing.
pub fn cors(origins: &[String]) -> CorsLayer {
    let allowed: Vec<HeaderValue> =
        origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()).collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(allowed))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers([header::ACCEPT, header::CONTENT_TYPE, header::IF_NONE_MATCH])
        .expose_headers(EXPOSED.map(HeaderName::from_static))
        .max_age(PREFLIGHT_AGE)
}

/// Lets a request through only when it was meant for this machine and not sent by a foreign page.
pub async fn check_host_and_origin(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Response {
    match check(request.uri(), request.headers(), app.origins()) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

fn check(uri: &Uri, headers: &HeaderMap, allowed: &[String]) -> Result<(), ApiError> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next(), uri.authority()) {
        (Some(host), None, _) => host.to_str().unwrap_or("").to_owned(),
        (None, None, Some(authority)) => authority.as_str().to_owned(),
        _ => String::new(),
    };
    if !is_loopback(&host) {
        let detail = format!("{host:?} is not a loopback name; call http://127.0.0.1:PORT");
        return Err(ApiError::about(Code::ForbiddenHost, "Host", detail));
    }
    for origin in headers.get_all(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or("");
        let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
        if !is_loopback(authority) && !allowed.iter().any(|one| one == origin) {
            let detail = format!("{origin:?} may not call this service; see serve --allow-origin");
            return Err(ApiError::about(Code::ForbiddenOrigin, "Origin", detail));
        }
    }
    Ok(())
}

/// Says whether `host[:port]` names this machine's loopback interface.
fn is_loopback(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, port)) => (host, port.strip_prefix(':').or(port.is_empty().then_some("0"))),
            None => return false,
        },
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, Some("0")),
        },
    };
    let port_is_one = port.is_some_and(|port| port.parse::<u16>().is_ok());
    let host_is_one = host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| match address {
            IpAddr::V4(address) => address.is_loopback(),
            IpAddr::V6(address) => address == Ipv6Addr::LOCALHOST,
        });
    port_is_one && host_is_one
}

/// Turns a panic into an answer; what it said is only logged.
pub fn answer_panic(panic: Box<dyn Any + Send>) -> Response {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no text");
    tracing::error!(panic = said, "a request panicked");
    // The panic is dropped with the request it ended; nothing of it may reach the caller.
    drop(panic);
    ApiError::internal().into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_ours() {
        for ours in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1",
            "127.0.0.1:7437",
            "127.9.9.9:1",
            "[::1]:7437",
        ] {
            assert!(is_loopback(ours), "{ours}");
        }
        for foreign in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:7437",
            "127.0.0.1:evil",
            "127.0.0.1@evil.example",
            "10.0.0.1",
            "[::]:80",
            "[::1",
            "0.0.0.0:7437",
            "localhost:7437:1",
        ] {
            assert!(!is_loopback(foreign), "{foreign}");
        }
    }

    #[test]
    fn foreign_pages_are_refused_and_local_ones_are_not() {
        let verdict = |origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:7437"));
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            let listed = ["https://tools.example".to_owned()];
            check(&Uri::from_static("/"), &headers, &listed).map_err(|error| error.code)
        };
        assert_eq!(verdict("http://localhost:5173"), Ok(()));
        assert_eq!(verdict("https://evil.example"), Err(Code::ForbiddenOrigin));
        assert_eq!(verdict("null"), Err(Code::ForbiddenOrigin));
        assert_eq!(verdict("https://tools.example"), Ok(()));
        assert_eq!(verdict("http://tools.example"), Err(Code::ForbiddenOrigin));
    }

    #[test]
    fn an_origin_is_scheme_and_host() {
        assert_eq!(
            check_allowed_origin("https://Tools.example/"),
            Ok("https://tools.example".into())
        );
        for bad in ["*", "tools.example", "https://", "https://a/b", "https://*.example", "null"] {
            assert!(check_allowed_origin(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_request_names_exactly_one_host() {
        let mut headers = HeaderMap::new();
        assert!(check(&Uri::from_static("/"), &headers, &[]).is_err());
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        assert!(check(&Uri::from_static("/"), &headers, &[]).is_ok());
        headers.append(header::HOST, HeaderValue::from_static("evil.example"));
        assert!(check(&Uri::from_static("/"), &headers, &[]).is_err());
    }
}
