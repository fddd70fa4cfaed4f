//! What is asked of the index and what it answers.

use super::doc::{DocKey, DocKind};
use super::schema::Part;
use chrono::{DateTime, Utc};

/// A question to the index. Filters act before the cut to `limit`.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// What is asked, as the user wrote it. It is cut into words and never parsed.
    pub text: String,
    /// Kinds to search; empty for all.
    pub kinds: Vec<DocKind>,
    /// The most hits to return.
    pub limit: usize,
    /// Only this thread.
    pub thread: Option<String>,
    /// Only documents with one of these states; empty for all.
    pub statuses: Vec<String>,
    /// Never documents with one of these states.
    pub not_statuses: Vec<String>,
    /// Only documents about one of these entities; empty for all.
    pub entities: Vec<String>,
    /// Only documents at or after this instant.
    pub from: Option<DateTime<Utc>>,
    /// Only documents before this instant.
    pub to: Option<DateTime<Utc>>,
    /// Whether every hit carries its score in parts.
    pub explain: bool,
}

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The document.
    pub key: DocKey,
    /// The score; comparable inside one answer only.
    pub score: f32,
    /// The share of the query's content words, weighed by rarity, that the document itself holds.
    pub coverage: f32,
    /// The parts of the score, when asked for.
    pub explain: Option<Explain>,
}

/// A score in parts: `score = (sum of contributions + nearness) * (1 + sum of shares) * tweak`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explain {
    /// What each unit adds.
    pub contributions: Vec<Contribution>,
    /// What close query words add.
    pub nearness: f32,
    /// Shares added or taken: `speaker`, `date`, `asked`, `question`.
    pub shares: Vec<(&'static str, f32)>,
    /// The factor the caller gave.
    pub tweak: f32,
    /// The place by words alone, before the caller's factor, from 1.
    pub rank_before_tweak: usize,
}

/// What one unit of the query adds to a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The unit as looked up.
    pub unit: String,
    /// Its rarity.
    pub idf: f32,
    /// What it adds.
    pub score: f32,
    /// The fields it stands in, each with the normalised frequency.
    pub fields: Vec<(Part, f32)>,
}

/// How a unit of the query was used.
#[derive(Debug, Clone, PartialEq)]
pub struct TermUse {
    /// The unit as looked up.
    pub unit: String,
    /// How many documents hold it.
    pub docs: u64,
    /// Its rarity.
    pub idf: f32,
    /// Whether it can make a document match.
    pub is_content: bool,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchOutcome {
    /// What matched, best first.
    pub hits: Vec<Hit>,
    /// What shares a little with the query but did not match; at most five, best first, and only
    /// when nothing matched.
    pub nearest: Vec<Hit>,
    /// How the query was understood.
    pub terms: Vec<TermUse>,
    /// How many documents matched before the cut.
    pub matched: usize,
}
