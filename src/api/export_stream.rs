//! A body that a blocking writer fills while it is sent.

use super::{ApiError, App};
use crate::memory::{Memory, MemoryError};
use axum::body::{Body, Bytes};
use futures::StreamExt;
use std::io::Write;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// Bytes gathered before they are sent on.
const CHUNK_BYTES: usize = 256 * 1024;
/// Chunks that may wait for a slow reader.
const CHUNKS_WAITING: usize = 4;

type Chunk = Result<Bytes, MemoryError>;

/// Hands what is written to a channel, in chunks.
struct ChannelWriter {
    channel: mpsc::Sender<Chunk>,
    pending: Vec<u8>,
}

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= CHUNK_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let chunk = std::mem::take(&mut self.pending).into();
        self.channel
            .blocking_send(Ok(chunk))
            .map_err(|_| std::io::Error::other("the reader has gone away"))
    }
}

/// Runs `write` on the blocking pool and returns a body of what it writes. An error before the
/// first chunk is an answer of its own; a later one breaks the body off, so that it cannot be
/// taken for whole.
pub async fn stream<F>(app: &App, write: F) -> Result<Body, ApiError>
where
    F: FnOnce(&Memory, &mut dyn Write) -> Result<(), MemoryError> + Send + 'static,
{
    let (channel, chunks) = mpsc::channel::<Chunk>(CHUNKS_WAITING);
    let memory = app.memory().clone();
    tokio::task::spawn_blocking(move || {
        let mut out = ChannelWriter { channel: channel.clone(), pending: Vec::new() };
        let done = write(&memory, &mut out);
        let flushed = out.flush();
        if let (Err(error), Ok(())) = (done, flushed) {
            // Nobody listens any more when this fails, which is fine.
            let _ = channel.blocking_send(Err(error));
        }
    });
    let mut chunks = ReceiverStream::new(chunks);
    let first = match chunks.next().await {
        None => return Ok(Body::empty()),
        Some(Err(error)) => return Err(error.into()),
        Some(Ok(chunk)) => chunk,
    };
    let rest = chunks.map(|chunk| {
        chunk.map_err(|error| {
            tracing::error!(%error, "an export broke off");
            std::io::Error::other("the export broke off")
        })
    });
    Ok(Body::from_stream(futures::stream::once(async { Ok(first) }).chain(rest)))
}
