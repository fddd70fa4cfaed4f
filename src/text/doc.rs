//! What is indexed: one document per Event, Fact, message or Block.

use chrono::{DateTime, Utc};

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocKind {
    /// An Event.
    Event,
    /// A Fact.
    Fact,
    /// A source message, open tail included.
    Message,
    /// A Block's view.
    Block,
}

impl DocKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Event, Self::Fact, Self::Message, Self::Block];

    /// Returns the kind's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Fact => "fact",
            Self::Message => "message",
            Self::Block => "block",
        }
    }

    pub(super) fn code(self) -> u64 {
        self as u64
    }

    pub(super) fn from_code(code: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// What tells one document from every other: its kind, its thread and its id. A document without a
/// thread has the empty one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocKey {
    /// The kind.
    pub kind: DocKind,
    /// The thread; message ids are unique only inside one.
    pub thread: String,
    /// The id.
    pub id: String,
}

impl DocKey {
    /// Names a document.
    pub fn new(kind: DocKind, thread: impl Into<String>, id: impl Into<String>) -> Self {
        Self { kind, thread: thread.into(), id: id.into() }
    }

    /// Returns the unique index term: the unit separator stands in no id or thread that a host
    /// could confuse with another, because lengths precede both.
    pub(super) fn term(&self) -> String {
        format!(
            "{}\u{1f}{}\u{1f}{}\u{1f}{}",
            self.kind.as_str(),
            self.thread.len(),
            self.thread,
            self.id
        )
    }
}

/// A document to index. Empty fields cost nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Doc {
    /// Its key.
    pub key: DocKey,
    /// Who said it.
    pub speaker: String,
    /// A title, where there is one.
    pub title: String,
    /// The text itself.
    pub body: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Names of the entities that take part.
    pub names: Vec<String>,
    /// The words right beside it: of a message, its neighbours in the thread.
    pub context: String,
    /// The words further around it: of a message, the neighbours' neighbours.
    pub around: String,
    /// The day in words, as [`super::date_words`] renders it.
    pub date_text: String,
    /// When it was said or happened.
    pub at: DateTime<Utc>,
    /// Its state in one word (`current`, `superseded`, `planned`, …); empty where it has none.
    pub status: String,
    /// Ids of the entities it is about.
    pub entities: Vec<String>,
}

impl Doc {
    /// Makes a document with a body and nothing else.
    pub fn new(key: DocKey, at: DateTime<Utc>, body: impl Into<String>) -> Self {
        Self {
            key,
            speaker: String::new(),
            title: String::new(),
            body: body.into(),
            tags: Vec::new(),
            names: Vec::new(),
            context: String::new(),
            around: String::new(),
            date_text: String::new(),
            at,
            status: String::new(),
            entities: Vec::new(),
        }
    }
}
