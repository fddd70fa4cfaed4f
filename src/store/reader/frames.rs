//! What parent and reader say to each other: JSON, each frame after its length.

use crate::store::{QueryError, QueryForm, QueryOptions, TextHit, TextQuery};
use oxigraph::model::NamedNode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Largest frame; the texts of a thousand hits stay far below it.
const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;

/// From the parent.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// The first: what to read, and how much memory its questions may take.
    Open {
        /// A checkpoint.
        folder: PathBuf,
        /// What the namespace's IRIs begin with.
        base: String,
        /// Bytes beyond what the reader takes when it is open.
        memory: u64,
    },
    /// A question.
    Ask {
        /// A SPARQL query.
        text: String,
        /// How to run and answer it.
        options: QueryOptions,
    },
    /// The hits that were searched for.
    Hits(Result<Vec<Hit>, Failure>),
}

/// From the reader.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// It is open.
    Ready,
    /// It needs the hits of a text search.
    Search(TextQuery),
    /// The answer; its body follows, of this many bytes.
    Answer {
        /// What kind of answer.
        form: QueryForm,
        /// Rows or triples in it.
        rows: u64,
        /// Whether it was cut.
        truncated: bool,
        /// The revision it saw.
        revision: u64,
        /// Length of the body.
        bytes: u64,
        /// Whether the reader has grown and should not be asked again.
        worn: bool,
    },
    /// There is no answer.
    Failed(Failure),
}

/// A hit as it is sent.
#[derive(Debug, Serialize, Deserialize)]
pub struct Hit {
    thing: String,
    score: f64,
    snippet: String,
}

impl From<TextHit> for Hit {
    fn from(hit: TextHit) -> Self {
        Self { thing: hit.thing.into_string(), score: hit.score, snippet: hit.snippet }
    }
}

impl From<Hit> for TextHit {
    fn from(hit: Hit) -> Self {
        Self { thing: NamedNode::new_unchecked(hit.thing), score: hit.score, snippet: hit.snippet }
    }
}

/// An error as it is sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Failure {
    /// See [`QueryError::Syntax`].
    Syntax(String),
    /// See [`QueryError::Refused`].
    Refused(String),
    /// See [`QueryError::TimedOut`].
    TimedOut,
    /// Anything else.
    Internal(String),
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Syntax(reason) => Self::Syntax(reason),
            QueryError::Refused(reason) => Self::Refused(reason),
            QueryError::TimedOut(_) => Self::TimedOut,
            QueryError::Internal(reason) => Self::Internal(reason),
            other => Self::Internal(other.to_string()),
        }
    }
}

impl Failure {
    /// The error, of a query that ran for so long.
    pub fn into_error(self, ran: std::time::Duration) -> QueryError {
        match self {
            Self::Syntax(reason) => QueryError::Syntax(reason),
            Self::Refused(reason) => QueryError::Refused(reason),
            Self::TimedOut => QueryError::TimedOut(ran),
            Self::Internal(reason) => QueryError::Internal(reason),
        }
    }
}

/// Sends a frame.
pub fn send(out: &mut impl Write, frame: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(frame)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&text)?;
    out.flush()
}

/// Receives a frame.
pub fn receive<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME_BYTES {
        return Err(io::Error::other(format!("a frame of {length} bytes")));
    }
    let mut text = vec![0; length];
    input.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
