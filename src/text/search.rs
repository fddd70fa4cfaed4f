//! Running a question: candidates by their postings, then the best of them in detail.

use super::doc::{DocKey, DocKind};
use super::error::TextError;
use super::explain::explain;
use super::index::{Lengths, TextIndex};
use super::nearness::add_nearness;
use super::query::{Question, read_question};
use super::request::{Hit, SearchOutcome, SearchRequest, TermUse};
use super::scan::scan_segment;
use super::schema::Fields;
use tantivy::schema::Value;
use tantivy::{DocAddress, Searcher, TantivyDocument};

/// How many times the limit is looked at in detail, and the least that is.
const POOL_FACTOR: usize = 4;
const POOL_LEAST: usize = 100;
/// How many near misses are shown.
const NEAREST: usize = 5;
/// The most hits an answer holds.
const MAX_LIMIT: usize = 1_000;

/// A document that shares words with the query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub address: DocAddress,
    /// The sum of what the units add, and later of nearness.
    pub words: f32,
    pub nearness: f32,
    pub shares: Shares,
    /// Content bits the document itself holds.
    pub own: u64,
    /// When, in microseconds.
    pub at: i64,
}

impl Candidate {
    /// Returns the score before the caller's factor.
    pub(super) fn score(&self) -> f32 {
        (self.words + self.nearness) * (1.0 + self.shares.sum())
    }
}

/// What is added to a score in proportion to it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Shares {
    pub speaker: f32,
    pub date: f32,
    pub asked: f32,
    pub question: f32,
}

impl Shares {
    fn sum(self) -> f32 {
        self.speaker + self.date + self.asked + self.question
    }

    /// Lists the shares that are not nothing, by name.
    pub(super) fn named(self) -> Vec<(&'static str, f32)> {
        [
            ("speaker", self.speaker),
            ("date", self.date),
            ("asked", self.asked),
            ("question", self.question),
        ]
        .into_iter()
        .filter(|(_, share)| *share != 0.0)
        .collect()
    }
}

/// Everything one search needs at hand.
pub(super) struct Search<'a> {
    pub fields: &'a Fields,
    pub lengths: &'a Lengths,
    pub ranking: &'a super::rank::Ranking,
    pub question: &'a Question,
    pub request: &'a SearchRequest,
    /// The content bits whose documents are looked at.
    pub makers: u64,
}

impl TextIndex {
    /// Answers a question from the last committed state. `tweak` may multiply the score of a
    /// candidate (its weight, say) before the final order; it sees the best few hundred at most.
    ///
    /// # Errors
    /// Fails when the index cannot be read. No text of a query is an error.
    pub fn search(
        &self,
        request: &SearchRequest,
        tweak: Option<&dyn Fn(&DocKey) -> f32>,
    ) -> Result<SearchOutcome, TextError> {
        let (searcher, lengths) = self.snapshot()?;
        let ranking = self.ranking();
        let question = read_question(&request.text, &searcher, &self.fields, ranking)?;
        let mut search = Search {
            makers: question.match_makers(ranking),
            fields: &self.fields,
            lengths: &lengths,
            ranking,
            question: &question,
            request,
        };
        let limit = request.limit.min(MAX_LIMIT);
        let (mut pool, matched) = search.collect(&searcher, limit)?;
        if pool.hits.is_empty() && search.makers != u64::MAX {
            // What is too common to make a hit can still be nearest.
            search.makers = u64::MAX;
            (pool, _) = search.collect(&searcher, limit)?;
        }
        let mut outcome =
            SearchOutcome { terms: term_uses(&question), matched, ..SearchOutcome::default() };
        add_nearness(&search, &searcher, &mut pool.hits)?;
        outcome.hits = search.finish(&searcher, pool.hits, tweak, limit)?;
        if outcome.hits.is_empty() {
            outcome.nearest = search.finish(&searcher, pool.misses, None, NEAREST)?;
        }
        Ok(outcome)
    }
}

/// The best candidates and the best near misses.
pub(super) struct Pool {
    pub hits: Vec<Candidate>,
    pub misses: Vec<Candidate>,
    capacity: usize,
    /// The least score that can still get in.
    hit_bar: f32,
    miss_bar: f32,
}

impl Pool {
    /// Takes a candidate in, dropping the weakest now and then.
    pub(super) fn push(&mut self, candidate: Candidate, is_hit: bool) {
        let (list, bar, capacity) = if is_hit {
            (&mut self.hits, &mut self.hit_bar, self.capacity)
        } else {
            (&mut self.misses, &mut self.miss_bar, NEAREST)
        };
        if candidate.score() < *bar {
            return;
        }
        list.push(candidate);
        if list.len() >= 2 * capacity + 16 {
            keep_best(list, capacity);
            *bar = list.last().map_or(f32::MIN, Candidate::score);
        }
    }
}

fn keep_best(list: &mut Vec<Candidate>, count: usize) {
    sort(list);
    list.truncate(count);
}

fn sort(list: &mut [Candidate]) {
    list.sort_by(|a, b| b.score().total_cmp(&a.score()).then(b.at.cmp(&a.at)));
}

impl Search<'_> {
    fn collect(&self, searcher: &Searcher, limit: usize) -> Result<(Pool, usize), TextError> {
        let capacity = (limit * POOL_FACTOR).max(POOL_LEAST);
        let mut pool = Pool {
            hits: Vec::new(),
            misses: Vec::new(),
            capacity,
            hit_bar: f32::MIN,
            miss_bar: f32::MIN,
        };
        let mut matched = 0;
        if limit > 0 && !self.question.bit_idf.is_empty() {
            for (ord, segment) in searcher.segment_readers().iter().enumerate() {
                matched += scan_segment(self, ord as u32, segment, &mut pool)?;
            }
        }
        keep_best(&mut pool.hits, capacity);
        keep_best(&mut pool.misses, NEAREST);
        Ok((pool, matched))
    }

    /// Orders candidates for good and turns them into hits. Equal scores: newer first, then by key.
    fn finish(
        &self,
        searcher: &Searcher,
        mut candidates: Vec<Candidate>,
        tweak: Option<&dyn Fn(&DocKey) -> f32>,
        limit: usize,
    ) -> Result<Vec<Hit>, TextError> {
        sort(&mut candidates);
        if tweak.is_none() {
            // A few more than asked for, so that ties at the cut are settled by key.
            candidates.truncate(limit + 16);
        }
        let mut scored = Vec::with_capacity(candidates.len());
        for (place, candidate) in candidates.into_iter().enumerate() {
            let key = self.key_of(searcher, candidate.address)?;
            let factor = tweak.map_or(1.0, |tweak| tweak(&key));
            scored.push((candidate.score() * factor, key, factor, place + 1, candidate));
        }
        scored.sort_by(|a, b| {
            b.0.total_cmp(&a.0).then(b.4.at.cmp(&a.4.at)).then_with(|| a.1.cmp(&b.1))
        });
        scored.truncate(limit);
        let mut hits = Vec::with_capacity(scored.len());
        for (score, key, factor, place, candidate) in scored {
            let explain = if self.request.explain {
                Some(explain(self, searcher, &candidate, factor, place)?)
            } else {
                None
            };
            hits.push(Hit { key, score, coverage: self.question.share_of(candidate.own), explain });
        }
        Ok(hits)
    }

    fn key_of(&self, searcher: &Searcher, address: DocAddress) -> Result<DocKey, TextError> {
        let doc: TantivyDocument = searcher.doc(address)?;
        let text = |field| {
            doc.get_first(field)
                .and_then(|value| value.as_str().map(str::to_owned))
                .unwrap_or_default()
        };
        let kind = doc
            .get_first(self.fields.kind)
            .and_then(|value| value.as_u64())
            .and_then(DocKind::from_code)
            .ok_or_else(|| TextError::Search("a stored document has no kind".to_owned()))?;
        Ok(DocKey { kind, thread: text(self.fields.thread), id: text(self.fields.id) })
    }
}

fn term_uses(question: &Question) -> Vec<TermUse> {
    question
        .units
        .iter()
        .map(|unit| TermUse {
            unit: unit.label.clone(),
            docs: unit.docs,
            idf: unit.idf,
            is_content: unit.credit > 0,
        })
        .collect()
}
