//! Searching Events, Facts, messages and Blocks. Reading only: the batch it leaves is side data.

use super::batch::{Batch, BatchItem, lifetime};
use super::error::MemoryError;
use super::events::{self, weight_of};
use super::facts::{is_hidden, sentence, status_beside_rivals};
use super::namespace::Namespace;
use super::types::{AsOf, HitKind, SearchAnswer, SearchHit, SearchRequest};
use super::writer::lock;
use crate::model::{
    BatchId, BlockId, EventId, FactId, FactStatus, Level, MessageId, ThreadId, ValidTime,
};
use crate::store::{StoredEvent, Tx};
use crate::text::{DocKey, DocKind, Explain, Hit};
use crate::views::{self, BlockSource};
use chrono::Utc;
use std::collections::HashSet;

/// Most hits of one search; a door may allow fewer.
const MAX_LIMIT: usize = crate::store::MAX_TEXT_LIMIT;
/// Longest text of one hit, in characters.
const MAX_HIT_CHARS: usize = 600;
/// How far an Event's weight moves its score: relevance comes first.
const WEIGHT_SHARE: f32 = 0.1;
/// States that come only for history, or when asked for.
const HISTORY: [&str; 1] = ["superseded"];
/// Words that ask for the past.
const HISTORY_WORDS: [&str; 22] = [
    "history",
    "previous",
    "previously",
    "before",
    "earlier",
    "formerly",
    "former",
    "used to",
    "originally",
    "at first",
    "back then",
    "past",
    "以前",
    "之前",
    "原来",
    "曾经",
    "过去",
    "历史",
    "当初",
    "先前",
    "从前",
    "最早",
];

/// Says whether a question asks for what used to be.
pub(super) fn asks_for_history(query: &str) -> bool {
    let query = query.to_lowercase();
    HISTORY_WORDS.iter().any(|word| {
        query.match_indices(word).any(|(at, _)| {
            if !word.is_ascii() {
                return true;
            }
            let before = query[..at].chars().next_back();
            let after = query[at + word.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    })
}

fn doc_kind(kind: HitKind) -> DocKind {
    match kind {
        HitKind::Event => DocKind::Event,
        HitKind::Fact => DocKind::Fact,
        HitKind::Message => DocKind::Message,
        HitKind::Block => DocKind::Block,
    }
}

fn hit_kind(kind: DocKind) -> HitKind {
    match kind {
        DocKind::Event => HitKind::Event,
        DocKind::Fact => HitKind::Fact,
        DocKind::Message => HitKind::Message,
        DocKind::Block => HitKind::Block,
    }
}

/// A found thing with the Events behind it.
pub(super) struct Found {
    /// The hit, without its ref.
    pub hit: SearchHit,
    /// What an adoption of it reinforces.
    pub events: Vec<EventId>,
}

/// One search at one snapshot.
pub(super) struct Finder<'a> {
    pub namespace: &'a Namespace,
    pub tx: &'a Tx<'a>,
    pub forgotten: &'a HashSet<EventId>,
    pub turns: u64,
    pub as_of: AsOf,
}

impl Namespace {
    /// Searches. User text is never parsed as a grammar; no match gives no hits, with the nearest
    /// shown apart.
    ///
    /// # Errors
    /// When a range is reversed, or the store or the index fails.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchAnswer, MemoryError> {
        if let (Some(from), Some(to)) = (request.from, request.to)
            && from > to
        {
            let reason = format!("the range is reversed: it begins {from} and ends {to}");
            return Err(MemoryError::invalid("filter.from", reason));
        }
        let tx = self.store.begin()?;
        let forgotten = tx.hidden_events(request.as_of.known_at)?;
        let finder = Finder::new(self, &tx, &forgotten, request.as_of);
        let (found, nearest) = finder.search(request)?;
        let items = found
            .iter()
            .map(|found| BatchItem {
                evidence_ref: found.hit.evidence_ref.clone(),
                kind: found.hit.kind.as_str().to_owned(),
                id: found.hit.id.clone(),
                text: found.hit.text.clone(),
                events: found.events.clone(),
            })
            .collect();
        let batch = self.keep_batch(Batch { query: request.query.clone(), items })?;
        let pending = self.index_lag();
        Ok(SearchAnswer {
            batch,
            hits: found.into_iter().map(|found| found.hit).collect(),
            nearest: nearest.into_iter().map(|found| found.hit).collect(),
            pending,
        })
    }

    /// Keeps a batch for a later assessment.
    pub(super) fn keep_batch(&self, batch: Batch) -> Result<BatchId, MemoryError> {
        let id = format!("q_{}", uuid::Uuid::now_v7().simple());
        let expires = Utc::now() + lifetime();
        lock(&self.batches).put(&id, batch, Some(expires))?;
        Ok(BatchId(id))
    }
}

/// Names a ref of a batch.
pub(super) fn evidence_ref(kind: &str, thread: Option<&ThreadId>, id: &str) -> String {
    match thread {
        Some(thread) if kind == "message" => format!("message:{thread}/{id}"),
        _ => format!("{kind}:{id}"),
    }
}

impl<'a> Finder<'a> {
    /// Prepares a search at the present count of turns.
    pub(super) fn new(
        namespace: &'a Namespace,
        tx: &'a Tx<'a>,
        forgotten: &'a HashSet<EventId>,
        as_of: AsOf,
    ) -> Self {
        Self { namespace, tx, forgotten, turns: namespace.turns(), as_of }
    }

    /// Finds hits, and the nearest where there are none.
    pub(super) fn search(
        &self,
        request: &SearchRequest,
    ) -> Result<(Vec<Found>, Vec<Found>), MemoryError> {
        let limit = request.limit.clamp(1, MAX_LIMIT);
        let history = request.history || asks_for_history(&request.query);
        let past = request.as_of.valid_at.is_some() || request.as_of.known_at.is_some();
        let hide = !history && request.statuses.is_empty();
        let text = crate::text::SearchRequest {
            text: request.query.clone(),
            kinds: request.kinds.iter().copied().map(doc_kind).collect(),
            // What the two clocks and the types leave out is known only after the cut.
            limit: if past || !request.types.is_empty() { limit * 4 } else { limit },
            thread: request.thread.as_ref().map(|thread| thread.0.clone()),
            statuses: request.statuses.clone(),
            // At another time something else was superseded.
            not_statuses: if hide && !past {
                HISTORY.map(str::to_owned).to_vec()
            } else {
                Vec::new()
            },
            entities: Vec::new(),
            from: request.from,
            to: request.to,
            explain: request.explain,
        };
        let weigh = |key: &DocKey| self.weigh(key);
        let outcome = self.namespace.index.search(&text, Some(&weigh))?;
        let mut found = Vec::new();
        for hit in &outcome.hits {
            if found.len() == limit {
                break;
            }
            let hit = self.hydrate(hit, request)?;
            found.extend(hit.filter(|found| !hide || !HISTORY.contains(&&*found.hit.status)));
        }
        let mut nearest = Vec::new();
        if found.is_empty() {
            for hit in outcome.nearest.iter().take(5) {
                nearest.extend(self.hydrate(hit, request)?);
            }
        }
        Ok((found, nearest))
    }

    /// The factor that an Event's weight gives its score, between 1 and 1 + the share.
    fn weigh(&self, key: &DocKey) -> f32 {
        if key.kind != DocKind::Event {
            return 1.0;
        }
        let id = EventId(key.id.clone());
        let indexed = self.namespace.with_events_if_loaded(|index| {
            index.get(&id).map(|row| (row.criticality, row.weights))
        });
        let standing = match indexed {
            Some(standing) => standing,
            None => self
                .tx
                .criticality(&id)
                .and_then(|criticality| Ok(Some((criticality, self.tx.event_weights(&id)?))))
                .unwrap_or_else(|error| {
                    // A weight moves a score by a tenth: no reason to give no answer.
                    tracing::warn!(event.id = %id, %error, "no weight could be read");
                    None
                }),
        };
        let weight = standing.map_or(0.0, |(criticality, weights)| {
            weight_of(criticality, weights, false, self.turns)
        });
        1.0 + WEIGHT_SHARE * weight as f32
    }

    /// Reads what a hit stands for; `None` when it is hidden, or not of the asked time or type.
    fn hydrate(&self, hit: &Hit, request: &SearchRequest) -> Result<Option<Found>, MemoryError> {
        let kind = hit_kind(hit.key.kind);
        let found = match kind {
            HitKind::Event => self.event(&EventId(hit.key.id.clone()), request)?,
            HitKind::Fact => self.fact(&FactId(hit.key.id.clone()))?,
            HitKind::Message => {
                self.message(&ThreadId(hit.key.thread.clone()), &MessageId(hit.key.id.clone()))?
            }
            HitKind::Block => self.block(&BlockId(hit.key.id.clone()))?,
        };
        Ok(found.map(|mut found| {
            found.hit.score = f64::from(hit.score);
            found.hit.explain = hit.explain.as_ref().map(|explain| explain_json(explain, hit));
            let thread = found.hit.thread.as_ref();
            found.hit.evidence_ref = evidence_ref(kind.as_str(), thread, &found.hit.id);
            found
        }))
    }

    /// Whether an Event was known, and had begun, at the point of this search.
    pub(super) fn sees(&self, stored: &StoredEvent) -> bool {
        self.as_of.known_at.is_none_or(|at| stored.recorded_at <= at)
            && self.as_of.valid_at.is_none_or(|at| events::had_begun(&stored.event, at))
    }

    fn event(&self, id: &EventId, request: &SearchRequest) -> Result<Option<Found>, MemoryError> {
        let Some(stored) = self.tx.event(id)?.filter(|stored| self.sees(stored)) else {
            return Ok(None);
        };
        let of_type = request.types.is_empty() || request.types.contains(&stored.event.kind);
        if self.forgotten.contains(id) || !of_type {
            return Ok(None);
        }
        let now = ValidTime(self.namespace.now());
        let superseded = events::superseding(self.tx, id, self.as_of, now, self.forgotten)?;
        let event = stored.event;
        let status =
            if superseded.entirely { "superseded" } else { event.status.as_str() }.to_owned();
        let text = if event.summary.is_empty() { event.title.clone() } else { event.summary };
        Ok(Some(Found {
            hit: SearchHit {
                evidence_ref: String::new(),
                kind: HitKind::Event,
                id: id.0.clone(),
                thread: Some(event.thread),
                score: 0.0,
                text: shortened(&text),
                source_messages: event.sources,
                at: event.mentioned_at.utc,
                status,
                explain: None,
            },
            events: vec![id.clone()],
        }))
    }

    fn fact(&self, id: &FactId) -> Result<Option<Found>, MemoryError> {
        let Some(fact) = self.tx.fact(id)? else { return Ok(None) };
        if is_hidden(&fact, self.forgotten) {
            return Ok(None);
        }
        let valid_at = self.as_of.valid_at.unwrap_or(ValidTime(self.namespace.now()));
        let known_at = self.as_of.known_at;
        let status = status_beside_rivals(self.tx, &fact, valid_at, known_at)?;
        let status = match status {
            Some(FactStatus::Retracted) => return Ok(None),
            Some(status) => status,
            None if known_at.is_some_and(|at| fact.recorded_at > at) => return Ok(None),
            // Seen from an earlier day, what has come about since was no plan.
            None if self.as_of.valid_at.is_some() => return Ok(None),
            None => FactStatus::Planned,
        };
        let card = Namespace::fact_card(self.tx, &fact, status, self.as_of)?;
        let mut sources = Vec::new();
        let mut thread = None;
        for event in &fact.events {
            for (of, message) in self.tx.event_sources(event)? {
                thread.get_or_insert(of);
                sources.push(message);
            }
        }
        sources.dedup();
        Ok(Some(Found {
            hit: SearchHit {
                evidence_ref: String::new(),
                kind: HitKind::Fact,
                id: id.0.clone(),
                thread,
                score: 0.0,
                text: shortened(&sentence(&card)),
                source_messages: sources,
                at: fact.valid_from.map_or(fact.recorded_at.0, |from| from.0),
                status: status.as_str().to_owned(),
                explain: None,
            },
            // One Event opened the Fact; repetitions of it are not what was used.
            events: fact.events.into_iter().take(1).collect(),
        }))
    }

    fn message(&self, thread: &ThreadId, id: &MessageId) -> Result<Option<Found>, MemoryError> {
        let Some(stored) = self.tx.message(thread, id)? else { return Ok(None) };
        if let Some(known_at) = self.as_of.known_at
            && self.tx.turn_recorded_at(&stored.turn)?.is_some_and(|at| at > known_at)
        {
            return Ok(None);
        }
        let mut events = self.tx.events_from_message(thread, id)?;
        events.retain(|event| !self.forgotten.contains(event));
        let message = stored.message;
        let text = format!("{}: {}", message.speaker_or_role(), message.text());
        Ok(Some(Found {
            hit: SearchHit {
                evidence_ref: String::new(),
                kind: HitKind::Message,
                id: id.0.clone(),
                thread: Some(thread.clone()),
                score: 0.0,
                text: shortened(&text),
                source_messages: vec![id.clone()],
                at: message.at.utc,
                status: "source".to_owned(),
                explain: None,
            },
            events,
        }))
    }

    fn block(&self, id: &BlockId) -> Result<Option<Found>, MemoryError> {
        let Some(block) = self.tx.block(id)? else { return Ok(None) };
        if self.as_of.known_at.is_some_and(|at| block.sealed_at > at.0) {
            return Ok(None);
        }
        let state = self.tx.block_state(id)?;
        let summary = self.tx.summary(id)?;
        let (text, at) = if let Some(summary) = &summary {
            let first = match block.messages.first() {
                Some(first) => self.tx.message(&block.thread, first)?,
                None => None,
            };
            let at = first.map_or(block.sealed_at, |stored| stored.message.at.utc);
            (format!("{}: {}", summary.title, summary.short), at)
        } else {
            let mut messages = Vec::new();
            for message in &block.messages {
                messages.extend(self.tx.message(&block.thread, message)?.map(|m| m.message));
            }
            let source = BlockSource::from(&messages[..]);
            let at = messages.first().map_or(block.sealed_at, |message| message.at.utc);
            (views::render(source, Level::L3, None).text, at)
        };
        let mut events = self.tx.events_of_block(id)?;
        events.retain(|event| !self.forgotten.contains(event));
        Ok(Some(Found {
            hit: SearchHit {
                evidence_ref: String::new(),
                kind: HitKind::Block,
                id: id.0.clone(),
                thread: Some(block.thread),
                score: 0.0,
                text: shortened(&text),
                source_messages: block.messages,
                at,
                status: state.map_or("sealed", crate::model::BlockState::as_str).to_owned(),
                explain: None,
            },
            events,
        }))
    }
}

/// Cuts a text at a limit, and says that it did.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_HIT_CHARS) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// A score in parts, as JSON.
fn explain_json(explain: &Explain, hit: &Hit) -> serde_json::Value {
    let parts: Vec<serde_json::Value> = explain
        .contributions
        .iter()
        .map(|part| {
            let fields: serde_json::Map<String, serde_json::Value> = part
                .fields
                .iter()
                .map(|(field, frequency)| (field.as_str().to_owned(), (*frequency).into()))
                .collect();
            serde_json::json!({
                "unit": part.unit, "idf": part.idf, "score": part.score, "fields": fields,
            })
        })
        .collect();
    let shares: serde_json::Map<String, serde_json::Value> =
        explain.shares.iter().map(|(name, share)| ((*name).to_owned(), (*share).into())).collect();
    serde_json::json!({
        "formula": "score = (sum of units + nearness) * (1 + sum of shares) * weight",
        "units": parts,
        "nearness": explain.nearness,
        "shares": shares,
        "weight": explain.tweak,
        "rank_by_words": explain.rank_before_tweak,
        "coverage": hit.coverage,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_the_past_are_recognised_by_whole_words() {
        assert!(asks_for_history("What did we use before pnpm?"));
        assert!(asks_for_history("改用 pnpm 之前用的是什么？"));
        assert!(!asks_for_history("Which pastry do I like?"));
        assert!(!asks_for_history("Who owns the SDK?"));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = "字".repeat(MAX_HIT_CHARS + 1);
        assert_eq!(shortened(&long).chars().count(), MAX_HIT_CHARS + 1);
        assert_eq!(shortened("short"), "short");
    }
}
