//! Problem bodies for what the HTTP layer refuses before it is a request.
//!
//! A request line that is too long, too many headers or no HTTP at all never reach the router: the
//! layer below answers them with a bare status. That answer is recognised on its way out, and goes
//! out with the body that every other error has.

use super::error::PROBLEM_JSON;
use super::observe::REQUEST_ID;
use super::{ApiError, Code};
use axum::serve::Listener;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// A listener whose connections explain themselves.
pub struct Explaining(pub TcpListener);

impl Listener for Explaining {
    type Io = Explained;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Explained, SocketAddr) {
        let (stream, peer) = Listener::accept(&mut self.0).await;
        (Explained { stream, answer: None }, peer)
    }

    fn local_addr(&self) -> Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// A connection on which a bare refusal becomes a problem.
pub struct Explained {
    stream: TcpStream,
    answer: Option<Replaced>,
}

/// What goes out in place of a bare refusal.
struct Replaced {
    bytes: Vec<u8>,
    sent: usize,
    /// How many bytes the caller is told were written.
    told: usize,
}

impl Explained {
    /// Writes the rest of what goes out in place of what the caller wrote.
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<usize>> {
        let Self { stream, answer } = self;
        let Some(Replaced { bytes, sent, told }) = answer else { return Poll::Ready(Ok(0)) };
        while *sent < bytes.len() {
            let written = ready!(Pin::new(&mut *stream).poll_write(cx, &bytes[*sent..]))?;
            if written == 0 {
                return Poll::Ready(Err(Error::from(ErrorKind::WriteZero)));
            }
            *sent += written;
        }
        let told = *told;
        *answer = None;
        Poll::Ready(Ok(told))
    }

    /// Says whether something goes out in place of what is to be written.
    fn replaces(&mut self, written: &[u8]) -> bool {
        if self.answer.is_none() {
            let replaced = |bytes| Replaced { bytes, sent: 0, told: written.len() };
            self.answer = explain(written).map(replaced);
        }
        self.answer.is_some()
    }
}

impl AsyncRead for Explained {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Explained {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        if self.replaces(bytes) {
            return self.poll_answer(cx);
        }
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let mut filled = slices.iter().filter(|slice| !slice.is_empty());
        if let (Some(only), None) = (filled.next(), filled.next())
            && self.replaces(only)
        {
            return self.poll_answer(cx);
        }
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Returns the whole answer for a bare refusal; `None` for anything else, which goes out as it is.
/// The router itself never refuses with an empty body.
fn explain(written: &[u8]) -> Option<Vec<u8>> {
    let head = std::str::from_utf8(written).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let first = lines.next()?;
    let status = first.strip_prefix("HTTP/1.1 ").or_else(|| first.strip_prefix("HTTP/1.0 "))?;
    let error = match status.get(..4)? {
        "400 " => ApiError::new(
            Code::MalformedRequest,
            "what came is no HTTP request: its request line or a header cannot be read",
        ),
        "414 " => ApiError::new(
            Code::UriTooLong,
            "the path with its query string is over 65,534 bytes; send it in a body",
        ),
        "431 " => ApiError::new(
            Code::HeadersTooLarge,
            "the request has more than 100 headers, or they are too long",
        ),
        _ => return None,
    };
    let mut kept = vec![first];
    let mut empty = false;
    for line in lines {
        match line.split_once(": ")? {
            ("content-length", "0") => empty = true,
            ("connection" | "date", _) => kept.push(line),
            _ => return None,
        }
    }
    if !empty {
        return None;
    }
    let id = uuid::Uuid::now_v7().simple().to_string();
    tracing::info!(%id, status = error.code.status().as_u16(), "refused before it was a request");
    let body = serde_json::to_string(&error.into_problem()).ok()?;
    let length = body.len();
    let head = kept.join("\r\n");
    Some(
        format!(
            "{head}\r\ncontent-type: {PROBLEM_JSON}\r\ncontent-length: {length}\r\n\
             {REQUEST_ID}: {id}\r\n\r\n{body}"
        )
        .into_bytes(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: &str = "HTTP/1.1 414 URI Too Long\r\nconnection: close\r\ncontent-length: 0\r\n\
        date: Wed, 06 May 2026 01:30:00 GMT\r\n\r\n";

    #[test]
    fn a_bare_refusal_gets_a_body_and_keeps_its_status() {
        let text = String::from_utf8(explain(BARE.as_bytes()).unwrap()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 414 URI Too Long\r\nconnection: close\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert!(body.contains("\"uri_too_long\""), "{body}");
    }

    #[test]
    fn anything_else_goes_out_as_it_is() {
        for other in [
            BARE.replace("414 URI Too Long", "404 Not Found"),
            BARE.replace("content-length: 0", "content-length: 7"),
            BARE.replace("connection: close", "content-type: text/plain"),
            format!("{BARE}more"),
            format!("x{BARE}"),
            "HTTP/1.1 414".to_owned(),
            String::new(),
        ] {
            assert!(explain(other.as_bytes()).is_none(), "{other}");
        }
    }
}
