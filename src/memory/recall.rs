//! Recall: a little before an answer, within a budget of the rendered text, as quoted history.

use super::batch::{Batch, BatchItem};
use super::error::MemoryError;
use super::facts::{SlotView, sentence};
use super::namespace::Namespace;
use super::recalled::HEADER;
use super::search::{Finder, asks_for_history, evidence_ref};
use super::types::{
    AsOf, EventCard, HitKind, RecallAnswer, RecallItem, RecallRequest, SearchRequest, Signal,
};
use crate::model::{
    Criticality, EntityId, EventId, EventStatus, FactStatus, MessageId, ThreadId, ValidTime,
    estimate_tokens,
};
use crate::store::Tx;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Most Events of one recall.
const MAX_EVENTS: usize = 4;
/// Most entities of one recall.
const MAX_ENTITIES: usize = 4;
/// Candidates looked at for each.
const CANDIDATES: usize = 24;
/// One candidate, rendered.
struct Candidate {
    item: BatchItem,
    why: String,
    text: String,
    sources: Vec<(ThreadId, MessageId)>,
}

/// What a recall has taken so far.
struct Plate {
    budget: usize,
    text: String,
    items: Vec<RecallItem>,
    batch: Batch,
    omitted: Vec<(String, String)>,
    /// Items of the present kind.
    taken: usize,
}

impl Plate {
    fn new(request: &RecallRequest) -> Self {
        Self {
            budget: request.budget,
            text: String::new(),
            items: Vec::new(),
            batch: Batch { query: request.query.clone(), items: Vec::new() },
            omitted: Vec::new(),
            taken: 0,
        }
    }

    fn is_full(&self, most: usize) -> bool {
        self.taken == most
    }

    fn leave_out(&mut self, reference: String, most: usize) {
        self.omitted.push((reference, format!("{most} of its kind are in already")));
    }

    /// Takes a candidate whole, where it fits the budget.
    fn offer(&mut self, candidate: Candidate) {
        let reference = candidate.item.evidence_ref.clone();
        let start = if self.text.is_empty() { HEADER } else { self.text.as_str() };
        let longer = format!("{start}\n{}", candidate.text);
        if estimate_tokens(&longer) > self.budget {
            self.omitted.push((reference, "it does not fit the budget".to_owned()));
            return;
        }
        self.text = longer;
        self.taken += 1;
        self.items.push(RecallItem {
            evidence_ref: reference,
            kind: if candidate.item.kind == "entity" { "entity" } else { "event" },
            id: candidate.item.id.clone(),
            why: candidate.why,
        });
        self.batch.items.push(candidate.item);
    }
}

impl Namespace {
    /// Recalls what may matter for an answer: at most 4 Events and 4 entities whose rendered text
    /// keeps within the budget. Whole items only: one that does not fit is skipped.
    ///
    /// # Errors
    /// When the store or the index fails.
    pub fn recall(&self, request: &RecallRequest) -> Result<RecallAnswer, MemoryError> {
        let tx = self.store.begin()?;
        let forgotten = tx.hidden_events(request.as_of.known_at)?;
        let finder = Finder::new(self, &tx, &forgotten, request.as_of);
        let visible = self.visible_messages(&tx, request.thread.as_ref())?;
        let mut plate = Plate::new(request);
        for (id, why) in self.event_candidates(&finder, request)? {
            // Past the last place a candidate is only named: what it says is not read.
            if plate.is_full(MAX_EVENTS) {
                plate.leave_out(evidence_ref("event", None, id.as_str()), MAX_EVENTS);
                continue;
            }
            let Some(candidate) = self.event_candidate(&finder, &id, why)? else { continue };
            let seen = !candidate.sources.is_empty()
                && candidate.sources.iter().all(|source| visible.contains(source));
            if seen {
                let reason = "its sources are still visible in the asking thread";
                plate.omitted.push((candidate.item.evidence_ref, reason.to_owned()));
            } else {
                plate.offer(candidate);
            }
        }
        plate.taken = 0;
        let history = asks_for_history(&request.query);
        for id in Self::entity_candidates(&finder, request)? {
            if plate.is_full(MAX_ENTITIES) {
                plate.leave_out(evidence_ref("entity", None, id.as_str()), MAX_ENTITIES);
                continue;
            }
            if let Some(candidate) = self.entity_candidate(&finder, &id, history)? {
                plate.offer(candidate);
            }
        }
        let Plate { text, items, batch, omitted, .. } = plate;
        let refs: Vec<String> = items.iter().map(|item| item.evidence_ref.clone()).collect();
        let signals = self.signals(&tx, &batch, &refs, request.as_of)?;
        drop(tx);
        let batch = self.keep_batch(batch)?;
        Ok(RecallAnswer { batch, tokens: estimate_tokens(&text), text, items, omitted, signals })
    }

    /// The messages that the asking thread can still see: its open tail, and Blocks that are not
    /// ready and so stand as they are.
    fn visible_messages(
        &self,
        tx: &Tx<'_>,
        thread: Option<&ThreadId>,
    ) -> Result<HashSet<(ThreadId, MessageId)>, MemoryError> {
        let Some(thread) = thread else { return Ok(HashSet::new()) };
        // From the snapshot, not from the writer: who recalls does not wait for who writes.
        let open = tx.open_messages(thread)?;
        let mut visible: HashSet<(ThreadId, MessageId)> =
            open.into_iter().map(|message| (thread.clone(), message)).collect();
        let waiting: Vec<_> = self.with_blocks(|index| {
            index
                .thread(thread)
                .filter(|meta| meta.state != crate::model::BlockState::Ready)
                .map(|meta| meta.id.clone())
                .collect()
        })?;
        for block in waiting {
            visible.extend(tx.message_keys_of_block(&block)?);
        }
        Ok(visible)
    }

    /// Events by relevance, then those that are always candidates: pinned ones and those whose
    /// forgetting would be dangerous, if they share anything with the question or are pinned.
    fn event_candidates(
        &self,
        finder: &Finder<'_>,
        request: &RecallRequest,
    ) -> Result<Vec<(EventId, String)>, MemoryError> {
        let search = SearchRequest {
            query: request.query.clone(),
            kinds: vec![HitKind::Event],
            limit: CANDIDATES,
            thread: None,
            types: Vec::new(),
            statuses: Vec::new(),
            from: None,
            to: None,
            history: false,
            as_of: request.as_of,
            explain: false,
        };
        let (found, _) = finder.search(&search)?;
        let mut candidates: Vec<(EventId, String)> = found
            .into_iter()
            .map(|found| {
                (EventId(found.hit.id), format!("matches the query ({:.2})", found.hit.score))
            })
            .collect();
        let always = self.always_candidates(finder)?;
        let known: HashSet<EventId> = candidates.iter().map(|(id, _)| id.clone()).collect();
        // Relevance comes first, but one place is kept for what must not be left out: words rarely
        // say that a question touches an allergy.
        let always = always.into_iter().filter(|(id, _)| !known.contains(id));
        let place = candidates.len().min(MAX_EVENTS - 1);
        let rest = candidates.split_off(place);
        candidates.extend(always);
        candidates.extend(rest);
        Ok(candidates)
    }

    /// Pinned and safety Events, the newest first.
    fn always_candidates(
        &self,
        finder: &Finder<'_>,
    ) -> Result<Vec<(EventId, String)>, MemoryError> {
        let why = |pinned: bool| if pinned { "pinned" } else { "safety" }.to_owned();
        let indexed = self.with_events_if_loaded(|index| {
            index
                .always()
                .filter(|row| !finder.forgotten.contains(&row.id))
                .take(MAX_EVENTS)
                .map(|row| (row.id.clone(), why(row.weights.pinned)))
                .collect()
        });
        if let Some(indexed) = indexed {
            return Ok(indexed);
        }
        let pinned = finder.tx.pinned_events()?;
        let mut always = Vec::new();
        let safety = finder.tx.events_of_criticality(Criticality::Safety)?;
        for id in pinned.iter().chain(safety.iter().filter(|id| !pinned.contains(id))) {
            if !finder.forgotten.contains(id)
                && let Some(stored) = finder.tx.event(id)?
            {
                always.push((stored.event.mentioned_at.utc, id, why(pinned.contains(id))));
            }
        }
        always.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)));
        Ok(always.into_iter().map(|(_, id, why)| (id.clone(), why)).collect())
    }

    fn event_candidate(
        &self,
        finder: &Finder<'_>,
        id: &EventId,
        why: String,
    ) -> Result<Option<Candidate>, MemoryError> {
        let Some(stored) = finder.tx.event(id)?.filter(|stored| finder.sees(stored)) else {
            return Ok(None);
        };
        let (as_of, turns) = (finder.as_of, finder.turns);
        let card = self.event_card(finder.tx, stored, as_of, finder.forgotten, turns)?;
        let reference = evidence_ref("event", None, id.as_str());
        let thread = card.event.thread.clone();
        Ok(Some(Candidate {
            text: render_event(&card, &reference),
            sources: card.event.sources.iter().map(|m| (thread.clone(), m.clone())).collect(),
            item: BatchItem {
                evidence_ref: reference,
                kind: "event".to_owned(),
                id: id.0.clone(),
                text: String::new(),
                events: vec![id.clone()],
            },
            why,
        }))
    }

    /// Entities that the question names, then those that matching Facts are about.
    fn entity_candidates(
        finder: &Finder<'_>,
        request: &RecallRequest,
    ) -> Result<Vec<EntityId>, MemoryError> {
        let search = SearchRequest {
            query: request.query.clone(),
            kinds: vec![HitKind::Fact],
            limit: CANDIDATES,
            thread: None,
            types: Vec::new(),
            statuses: Vec::new(),
            from: None,
            to: None,
            history: false,
            as_of: request.as_of,
            explain: false,
        };
        let (found, _) = finder.search(&search)?;
        let mut order: Vec<EntityId> = Vec::new();
        let mut scores: HashMap<EntityId, f64> = HashMap::new();
        for found in found {
            let Some(fact) = finder.tx.fact(&found.hit.id.as_str().into())? else { continue };
            let entity = fact.slot.entity;
            if !scores.contains_key(&entity) {
                order.push(entity.clone());
            }
            *scores.entry(entity).or_default() += found.hit.score;
        }
        order.sort_by(|a, b| scores[b].total_cmp(&scores[a]).then_with(|| a.cmp(b)));
        order.truncate(MAX_ENTITIES * 2);
        Ok(order)
    }

    /// An entity with what holds of it; where the question asks for the past, also what held.
    fn entity_candidate(
        &self,
        finder: &Finder<'_>,
        id: &EntityId,
        history: bool,
    ) -> Result<Option<Candidate>, MemoryError> {
        let Some(entity) = finder.tx.entity(id)? else { return Ok(None) };
        let now = ValidTime(self.now());
        let none = Vec::new();
        let mut lines = Vec::new();
        let mut events: BTreeSet<EventId> = BTreeSet::new();
        for slot in finder.tx.slots_of(id)? {
            let view = if history {
                let known_at = finder.as_of.known_at;
                SlotView::read(finder.tx, &slot, finder.forgotten, known_at)?
            } else {
                SlotView::read_for(finder.tx, &slot, finder.forgotten, finder.as_of)?
            };
            let Some(view) = view else { continue };
            let state = view.state(finder.as_of, now);
            let lists = [
                (&state.current, FactStatus::Current),
                (&state.conflict, FactStatus::Conflict),
                (&state.planned, FactStatus::Planned),
                (if history { &state.superseded } else { &none }, FactStatus::Superseded),
            ];
            for (facts, status) in lists {
                for fact in facts {
                    let card = Self::fact_card(finder.tx, fact, status, finder.as_of)?;
                    lines.push(format!("  [{}] {}", status.as_str(), one_line(&sentence(&card))));
                    events.extend(fact.events.first().cloned());
                }
            }
        }
        if lines.is_empty() {
            return Ok(None);
        }
        lines.truncate(8);
        let reference = evidence_ref("entity", None, id.as_str());
        Ok(Some(Candidate {
            text: format!(
                "- {} \"{}\" ({reference})\n{}",
                entity.kind.as_str(),
                one_line(&entity.label),
                lines.join("\n")
            ),
            sources: Vec::new(),
            item: BatchItem {
                evidence_ref: reference,
                kind: "entity".to_owned(),
                id: id.0.clone(),
                text: lines.join("\n"),
                events: events.into_iter().collect(),
            },
            why: "facts about it match the query".to_owned(),
        }))
    }

    /// Advice that needs no model: what to be careful about in these refs.
    pub(super) fn signals(
        &self,
        tx: &Tx<'_>,
        batch: &Batch,
        refs: &[String],
        as_of: AsOf,
    ) -> Result<Vec<Signal>, MemoryError> {
        let mut signals = Vec::new();
        let forgotten = tx.hidden_events(as_of.known_at)?;
        let turns = self.turns();
        let mut texts: Vec<String> = Vec::new();
        for item in batch.items.iter().filter(|item| refs.contains(&item.evidence_ref)) {
            texts.push(item.text.clone());
            let signal = |signal, detail: String| Signal {
                signal,
                detail,
                evidence_ref: Some(item.evidence_ref.clone()),
            };
            for id in item.events.iter().take(8) {
                let Some(stored) = tx.event(id)? else { continue };
                let card = self.event_card(tx, stored, as_of, &forgotten, turns)?;
                let event = &card.event;
                texts.push(format!("{} {} {}", event.speaker, event.title, event.summary));
                if matches!(event.status, EventStatus::Planned | EventStatus::Tentative) {
                    let detail =
                        format!("{:?} is {}, not done", event.title, event.status.as_str());
                    signals.push(signal("planned_not_done", detail));
                }
                if !card.superseded_by.is_empty() && item.kind == "event" {
                    let by: Vec<&str> = card.superseded_by.iter().map(EventId::as_str).collect();
                    let detail = format!("{:?} was superseded by {}", event.title, by.join(", "));
                    signals.push(signal("superseded", detail));
                }
                if !card.conflicts_with.is_empty() && item.kind == "event" {
                    let with: Vec<&str> = card.conflicts_with.iter().map(EventId::as_str).collect();
                    let detail = format!("{:?} conflicts with {}", event.title, with.join(", "));
                    signals.push(signal("unresolved_conflict", detail));
                }
            }
        }
        if !texts.is_empty() {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let coverage = self.index.query_coverage(&batch.query, &texts)?;
            if coverage.share < 0.5 && !coverage.missing.is_empty() {
                signals.push(Signal {
                    signal: "low_query_coverage",
                    detail: format!(
                        "{:.0} % of the question's weight is covered; not found: {}",
                        coverage.share * 100.0,
                        coverage.missing.join(", ")
                    ),
                    evidence_ref: None,
                });
            }
        } else if !batch.query.trim().is_empty() {
            signals.push(Signal {
                signal: "no_evidence",
                detail: "no event or entity matches the question; the source messages may"
                    .to_owned(),
                evidence_ref: None,
            });
        }
        Ok(signals)
    }
}

/// Renders an Event as quoted history: dated, labelled, with its source and ref.
fn render_event(card: &EventCard, reference: &str) -> String {
    let event = &card.event;
    let label = if !card.conflicts_with.is_empty() {
        "conflict"
    } else if !card.superseded_by.is_empty() {
        "superseded"
    } else {
        match event.status {
            EventStatus::Occurred | EventStatus::Ongoing => "current",
            other => other.as_str(),
        }
    };
    let said = event.mentioned_at.local().format("%Y-%m-%d");
    let quote = event.quotes.first().map_or(event.summary.as_str(), |quote| quote.text.as_str());
    let occurred = match (event.occurred.local_from, event.occurred.local_to) {
        (Some(from), Some(to)) if from == to && from == event.mentioned_at.local_day() => {
            String::new()
        }
        (Some(from), Some(to)) if from == to => format!(", for {from}"),
        (Some(from), Some(to)) => format!(", for {from} to {to}"),
        (Some(from), None) => format!(", from {from}"),
        (None, Some(to)) => format!(", until {to}"),
        (None, None) => String::new(),
    };
    let reason = event
        .reason
        .as_ref()
        .map_or_else(String::new, |reason| format!(" Reason: \"{}\".", one_line(reason)));
    format!(
        "- [{label}, {}, said {said} by {}{occurred}] {}: \"{}\".{reason} ({reference})",
        event.kind.as_str(),
        one_line(&event.speaker),
        one_line(&event.title),
        one_line(quote)
    )
}

/// Quoted text stays on its line, so that nothing in it can look like a line of ours.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'")
}
