//! Search and recall.

use super::{SignalBody, texts, time};
use crate::api::ApiError;
use crate::api::params::{instant, unknown_word};
use crate::memory::{
    AsOf, HitKind, RecallAnswer, RecallItem, RecallRequest, SearchAnswer, SearchHit, SearchRequest,
};
use crate::model::{EventKind, ThreadId, TxTime, ValidTime};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Hits of a search that names no limit.
const DEFAULT_LIMIT: usize = 10;
/// Most hits of one search.
const MAX_LIMIT: usize = 100;
/// Estimated tokens of a recall that names no budget.
const DEFAULT_BUDGET: usize = 900;

/// A search.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SearchBody {
    /// The words; they are never parsed as a query language.
    pub query: String,
    /// `events`, `facts`, `messages`, `blocks`; all when absent or empty.
    #[serde(default, rename = "in")]
    pub kinds: Option<Vec<String>>,
    /// At most this many hits, 1 to 100; 10 by default.
    #[serde(default)]
    pub limit: Option<usize>,
    /// One thread only.
    #[serde(default)]
    pub thread: Option<String>,
    /// Filters; they act before the cut to `limit`.
    #[serde(default)]
    pub filter: Option<FilterBody>,
    /// `current` (default) or `history`: whether superseded items are wanted.
    #[serde(default)]
    pub intent: Option<String>,
    /// When it should hold in the world.
    #[serde(default)]
    pub valid_at: Option<String>,
    /// As known at this time.
    #[serde(default)]
    pub known_at: Option<String>,
    /// Show every part of each score.
    #[serde(default)]
    pub explain: Option<bool>,
}

/// Filters of a search.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct FilterBody {
    /// Event types.
    #[serde(default, rename = "type")]
    pub kinds: Option<OneOrMany>,
    /// Statuses of the hit.
    #[serde(default)]
    pub status: Option<OneOrMany>,
    /// Said at or after this time.
    #[serde(default)]
    pub from: Option<String>,
    /// Said before this time.
    #[serde(default)]
    pub to: Option<String>,
    /// One thread only.
    #[serde(default)]
    pub thread: Option<String>,
}

/// A word, or a list of words.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One word.
    One(String),
    /// Several words.
    Many(Vec<String>),
}

/// What a search found.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SearchAnswerBody {
    /// The batch, for assessments.
    pub batch: String,
    /// Hits, best first.
    pub hits: Vec<HitBody>,
    /// The nearest items that did not count as hits.
    pub nearest: Vec<HitBody>,
    /// Journal records that are not searchable yet.
    pub pending: u64,
}

/// One hit.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HitBody {
    /// The evidence ref, valid within its batch.
    #[serde(rename = "ref")]
    pub evidence_ref: String,
    /// `event`, `fact`, `message` or `block`.
    pub kind: String,
    /// Its id; for a message, the message's own id.
    pub id: String,
    /// Its thread, where it has one.
    pub thread: Option<String>,
    /// The score.
    pub score: f64,
    /// A readable text.
    pub text: String,
    /// The messages behind it.
    pub source_messages: Vec<String>,
    /// When it was said.
    pub at: String,
    /// How it stands.
    pub status: String,
    /// The parts of the score, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<serde_json::Value>,
}

/// A recall: a little before an answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecallBody {
    /// The words.
    pub query: String,
    /// The asking thread: what it can still see is left out.
    #[serde(default)]
    pub thread: Option<String>,
    /// Estimated tokens of the rendered text; 900 by default.
    #[serde(default)]
    pub budget: Option<usize>,
    /// When it should hold in the world.
    #[serde(default)]
    pub valid_at: Option<String>,
    /// As known at this time.
    #[serde(default)]
    pub known_at: Option<String>,
}

/// What was recalled.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecallAnswerBody {
    /// The batch, for assessments.
    pub batch: String,
    /// The rendered text: quoted history, never an instruction. Empty where there is nothing.
    pub text: String,
    /// Estimated tokens of `text`.
    pub tokens: usize,
    /// The items in it.
    pub items: Vec<RecallItemBody>,
    /// Candidates left out, with the reason.
    pub omitted: Vec<OmittedBody>,
    /// Advice that needs no model.
    pub signals: Vec<SignalBody>,
}

/// One recalled item.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecallItemBody {
    /// The evidence ref.
    #[serde(rename = "ref")]
    pub evidence_ref: String,
    /// `event` or `entity`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Why it is there.
    pub why: String,
}

/// A candidate that was left out.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OmittedBody {
    /// Its id.
    pub id: String,
    /// Why it was left out.
    pub reason: String,
}

impl OneOrMany {
    fn into_words(self) -> Vec<String> {
        match self {
            Self::One(word) => vec![word],
            Self::Many(words) => words,
        }
    }
}

pub(super) fn time_of(field: &str, text: Option<&str>) -> Result<Option<DateTime<Utc>>, ApiError> {
    text.map(instant).transpose().map_err(|reason| ApiError::value(field, reason))
}

fn as_of(valid_at: Option<&str>, known_at: Option<&str>) -> Result<AsOf, ApiError> {
    Ok(AsOf {
        valid_at: time_of("valid_at", valid_at)?.map(ValidTime),
        known_at: time_of("known_at", known_at)?.map(TxTime),
    })
}

impl TryFrom<SearchBody> for SearchRequest {
    type Error = ApiError;

    fn try_from(body: SearchBody) -> Result<Self, ApiError> {
        let mut kinds = Vec::new();
        for (index, word) in body.kinds.unwrap_or_default().iter().enumerate() {
            kinds.push(HitKind::named(word).ok_or_else(|| {
                let known = ["events", "facts", "messages", "blocks"];
                ApiError::value(format!("in[{index}]"), unknown_word(word, &known))
            })?);
        }
        let limit = body.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(ApiError::value("limit", format!("must be from 1 to {MAX_LIMIT}")));
        }
        let history = match body.intent.as_deref() {
            None | Some("current") => false,
            Some("history") => true,
            Some(word) => {
                return Err(ApiError::value("intent", unknown_word(word, &["current", "history"])));
            }
        };
        let filter = body.filter.unwrap_or_default();
        let mut types = Vec::new();
        for word in filter.kinds.map(OneOrMany::into_words).unwrap_or_default() {
            types.push(EventKind::parse(&word).ok_or_else(|| {
                let known: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
                ApiError::value("filter.type", unknown_word(&word, &known))
            })?);
        }
        let from = time_of("filter.from", filter.from.as_deref())?;
        let to = time_of("filter.to", filter.to.as_deref())?;
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            return Err(ApiError::value("filter.from", "is after `filter.to`"));
        }
        Ok(Self {
            query: body.query,
            kinds,
            limit,
            thread: body.thread.or(filter.thread).map(ThreadId),
            types,
            statuses: filter.status.map(OneOrMany::into_words).unwrap_or_default(),
            from,
            to,
            history,
            as_of: as_of(body.valid_at.as_deref(), body.known_at.as_deref())?,
            explain: body.explain.unwrap_or(false),
        })
    }
}

impl TryFrom<RecallBody> for RecallRequest {
    type Error = ApiError;

    fn try_from(body: RecallBody) -> Result<Self, ApiError> {
        Ok(Self {
            query: body.query,
            thread: body.thread.map(ThreadId),
            budget: body.budget.unwrap_or(DEFAULT_BUDGET),
            as_of: as_of(body.valid_at.as_deref(), body.known_at.as_deref())?,
        })
    }
}

impl From<SearchAnswer> for SearchAnswerBody {
    fn from(answer: SearchAnswer) -> Self {
        Self {
            batch: answer.batch.0,
            hits: answer.hits.into_iter().map(Into::into).collect(),
            nearest: answer.nearest.into_iter().map(Into::into).collect(),
            pending: answer.pending,
        }
    }
}

impl From<SearchHit> for HitBody {
    fn from(hit: SearchHit) -> Self {
        Self {
            evidence_ref: hit.evidence_ref,
            kind: hit.kind.as_str().to_owned(),
            id: hit.id,
            thread: hit.thread.map(|thread| thread.0),
            score: hit.score,
            text: hit.text,
            source_messages: texts(&hit.source_messages),
            at: time(hit.at),
            status: hit.status,
            explain: hit.explain,
        }
    }
}

impl From<RecallAnswer> for RecallAnswerBody {
    fn from(answer: RecallAnswer) -> Self {
        Self {
            batch: answer.batch.0,
            text: answer.text,
            tokens: answer.tokens,
            items: answer.items.into_iter().map(Into::into).collect(),
            omitted: answer
                .omitted
                .into_iter()
                .map(|(id, reason)| OmittedBody { id, reason })
                .collect(),
            signals: answer.signals.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<RecallItem> for RecallItemBody {
    fn from(item: RecallItem) -> Self {
        Self {
            evidence_ref: item.evidence_ref,
            kind: item.kind.to_owned(),
            id: item.id,
            why: item.why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<SearchRequest, ApiError> {
        let body: SearchBody = serde_json::from_str(text).expect("a body");
        body.try_into()
    }

    #[test]
    fn a_search_needs_only_its_words() {
        let request = request(r#"{"query":"pnpm"}"#).unwrap();
        assert_eq!((request.limit, request.history, request.explain), (10, false, false));
        assert!(request.kinds.is_empty());
    }

    #[test]
    fn unknown_words_and_reversed_bounds_name_their_field() {
        for (text, field) in [
            (r#"{"query":"x","in":["events","views"]}"#, "in[1]"),
            (r#"{"query":"x","limit":0}"#, "limit"),
            (r#"{"query":"x","intent":"all"}"#, "intent"),
            (r#"{"query":"x","known_at":"soon"}"#, "known_at"),
            (r#"{"query":"x","filter":{"type":"dream"}}"#, "filter.type"),
            (r#"{"query":"x","filter":{"from":"2026-05-02","to":"2026-05-01"}}"#, "filter.from"),
        ] {
            assert_eq!(request(text).unwrap_err().errors[0].0, field, "{text}");
        }
    }
}
