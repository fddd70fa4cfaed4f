//! Walking the postings of one segment, a window of documents at a time.
//!
//! Units that can make a match are added up first; all others only visit the documents those found,
//! so that "the" costs next to nothing and never makes a hit. The same goes for content words that
//! are too common to reach the least coverage even together.

use super::error::TextError;
use super::query::{MAX_UNITS, Role, Unit};
use super::schema::Part;
use super::search::{Candidate, Pool, Search, Shares};
use super::select::Selection;
use super::{cues, dates::DateKey};
use chrono::DateTime;
use tantivy::columnar::Column;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocId, DocSet, SegmentReader, TERMINATED, Term};

/// Documents per window: small enough for the sums to stay in the cache.
const WINDOW: u32 = 8_192;
/// A selection thinner than one in so many documents is walked document by document.
const SPARSE: usize = 32;

/// The postings of one unit in one field.
pub(super) struct Cursor {
    pub part: Part,
    pub postings: SegmentPostings,
    norms: Option<FieldNormReader>,
}

impl Cursor {
    fn open(
        search: &Search<'_>,
        segment: &SegmentReader,
        part: Part,
        term: &str,
        option: IndexRecordOption,
    ) -> Result<Option<Self>, TextError> {
        let field = search.fields.part(part);
        let term = Term::from_field_text(field, term);
        let postings = segment.inverted_index(field)?.read_postings(&term, option)?;
        let norms = segment.get_fieldnorms_reader(field).ok();
        Ok(postings.map(|postings| Self { part, postings, norms }))
    }

    /// Returns the normalised, weighted frequency in the present document.
    pub(super) fn frequency(&self, search: &Search<'_>, kind: usize) -> f32 {
        let code = self.norms.as_ref().map_or(0, |norms| norms.fieldnorm_id(self.postings.doc()));
        self.postings.term_freq() as f32 * search.lengths.factor(kind, self.part, code)
    }

    /// Moves to the first document at or after `target`.
    pub(super) fn reach(&mut self, target: DocId) -> DocId {
        let mut doc = self.postings.doc();
        // Near targets are reached faster by stepping than by a search through the block.
        for _ in 0..8 {
            if doc >= target {
                return doc;
            }
            doc = self.postings.advance();
        }
        if doc < target { self.postings.seek(target) } else { doc }
    }
}

/// Opens the cursors of a unit; of a speaker's name also those that find the speaker.
pub(super) fn open_cursors(
    search: &Search<'_>,
    segment: &SegmentReader,
    unit: &Unit,
) -> Result<Vec<Cursor>, TextError> {
    let mut cursors = Vec::new();
    for (part, term) in &unit.lookups {
        if *part != Part::Speaker || unit.role == Role::Speaker {
            cursors.extend(Cursor::open(
                search,
                segment,
                *part,
                term,
                IndexRecordOption::WithFreqs,
            )?);
        }
    }
    Ok(cursors)
}

struct Window {
    words: Vec<f32>,
    unit: Vec<f32>,
    own: Vec<u64>,
    beside: Vec<u64>,
    touched: Vec<u32>,
    speaks: Vec<bool>,
    kinds: Vec<u64>,
}

impl Window {
    fn new() -> Self {
        let size = WINDOW as usize;
        Self {
            words: vec![0.0; size],
            unit: vec![0.0; size],
            own: vec![0; size],
            beside: vec![0; size],
            touched: Vec::with_capacity(size),
            speaks: vec![false; size],
            kinds: vec![0; size],
        }
    }

    fn clear(&mut self) {
        self.words.fill(0.0);
        self.own.fill(0);
        self.beside.fill(0);
        self.speaks.fill(false);
    }

    /// Notes one occurrence of the present unit.
    fn note(&mut self, slot: usize, cursor: &Cursor, credit: u64, search: &Search<'_>) {
        match cursor.part {
            Part::Speaker => {
                self.speaks[slot] = true;
                self.own[slot] |= credit;
            }
            Part::Context | Part::Around => self.beside[slot] |= credit,
            _ => self.own[slot] |= credit,
        }
        let frequency = cursor.frequency(search, self.kinds[slot] as usize & 3);
        if frequency > 0.0 {
            if self.unit[slot] == 0.0 {
                self.touched.push(slot as u32);
            }
            self.unit[slot] += frequency;
        }
    }

    /// Adds the present unit to the sums.
    fn settle(&mut self, unit: &Unit, search: &Search<'_>) {
        for slot in self.touched.drain(..) {
            let slot = slot as usize;
            self.words[slot] += unit.weight * unit.idf * search.ranking.saturate(self.unit[slot]);
            self.unit[slot] = 0.0;
        }
    }
}

/// Scores one segment into the pool; returns how many documents matched.
pub(super) fn scan_segment(
    search: &Search<'_>,
    ord: u32,
    segment: &SegmentReader,
    pool: &mut Pool,
) -> Result<usize, TextError> {
    debug_assert!(search.question.units.len() <= MAX_UNITS);
    let mut makers = Vec::new();
    let mut helpers = Vec::new();
    for unit in &search.question.units {
        let cursors = open_cursors(search, segment, unit)?;
        if !cursors.is_empty() {
            if unit.credit & search.makers != 0 { &mut makers } else { &mut helpers }
                .push((unit, cursors));
        }
    }
    if makers.is_empty() {
        return Ok(0);
    }
    let selection = Selection::of_segment(segment, search.fields, search.request)?;
    if selection.as_ref().is_some_and(|selection| selection.count() == 0) {
        return Ok(0);
    }
    let columns = Columns::open(segment)?;
    let kind_column = segment.fast_fields().u64("kind")?.first_or_default_col(0);
    let sparse = selection
        .as_ref()
        .filter(|selection| selection.count() * SPARSE < segment.max_doc() as usize);
    let mut window = Window::new();
    let mut candidates: Vec<DocId> = Vec::new();
    let mut matched = 0;
    let mut start = 0;
    while let Some(first) = next_doc(&makers) {
        // Windows without any posting are skipped.
        start = (first / WINDOW * WINDOW).max(start);
        let end = start.saturating_add(WINDOW).min(segment.max_doc());
        window.clear();
        let size = (end - start) as usize;
        kind_column.get_range(u64::from(start), &mut window.kinds[..size]);
        if let Some(selection) = sparse {
            candidates.clear();
            candidates.extend(selection.docs_between(start, end));
            visit(&mut makers, &candidates, start, &mut window, search);
            skip_to(&mut makers, end);
        } else {
            sweep(&mut makers, start, end, &mut window, search);
        }
        candidates.clear();
        candidates.extend((start..end).filter(|doc| {
            let slot = (doc - start) as usize;
            (window.own[slot] | window.beside[slot]) != 0
                && selection.as_ref().is_none_or(|selection| selection.contains(*doc))
                && segment.alive_bitset().is_none_or(|alive| alive.is_alive(*doc))
        }));
        visit(&mut helpers, &candidates, start, &mut window, search);
        for &doc in &candidates {
            let slot = (doc - start) as usize;
            let (own, beside) = (window.own[slot], window.beside[slot]);
            let is_hit = search.question.is_hit(own, beside, search.ranking);
            matched += usize::from(is_hit);
            let candidate = Candidate {
                address: DocAddress::new(ord, doc),
                words: window.words[slot],
                nearness: 0.0,
                shares: columns.shares(search, doc, window.speaks[slot]),
                own,
                at: columns.at.first(doc).unwrap_or(0),
            };
            pool.push(candidate, is_hit);
        }
        start = end;
        if start >= segment.max_doc() {
            break;
        }
    }
    Ok(matched)
}

type UnitCursors<'a> = (&'a Unit, Vec<Cursor>);

fn next_doc(makers: &[UnitCursors<'_>]) -> Option<DocId> {
    makers
        .iter()
        .flat_map(|(_, cursors)| cursors)
        .map(|cursor| cursor.postings.doc())
        .min()
        .filter(|doc| *doc != TERMINATED)
}

/// Adds up all postings inside the window.
fn sweep(
    units: &mut [UnitCursors<'_>],
    start: DocId,
    end: DocId,
    window: &mut Window,
    search: &Search<'_>,
) {
    for (unit, cursors) in units {
        for cursor in cursors {
            let mut doc = cursor.postings.doc();
            while doc < end {
                window.note((doc - start) as usize, cursor, unit.credit, search);
                doc = cursor.postings.advance();
            }
        }
        window.settle(unit, search);
    }
}

/// Adds up the postings of the given documents only.
fn visit(
    units: &mut [UnitCursors<'_>],
    docs: &[DocId],
    start: DocId,
    window: &mut Window,
    search: &Search<'_>,
) {
    for (unit, cursors) in units {
        for cursor in cursors {
            for &doc in docs {
                if cursor.reach(doc) == doc {
                    window.note((doc - start) as usize, cursor, unit.credit, search);
                }
            }
        }
        window.settle(unit, search);
    }
}

fn skip_to(units: &mut [UnitCursors<'_>], target: DocId) {
    for cursor in units.iter_mut().flat_map(|(_, cursors)| cursors) {
        if cursor.postings.doc() < target {
            cursor.postings.seek(target);
        }
    }
}

struct Columns {
    at: Column<i64>,
    cues: Column<u64>,
}

impl Columns {
    fn open(segment: &SegmentReader) -> Result<Self, TextError> {
        Ok(Self { at: segment.fast_fields().i64("at")?, cues: segment.fast_fields().u64("cues")? })
    }

    /// Returns the shares added to a document's score.
    fn shares(&self, search: &Search<'_>, doc: DocId, speaks: bool) -> Shares {
        let ranking = search.ranking;
        let held = self.cues.first(doc).unwrap_or(0);
        let asks = held & cues::QUESTION != 0;
        let tells = search.question.asked & held != 0;
        Shares {
            speaker: if speaks { ranking.speaker_bonus } else { 0.0 },
            date: self.date_share(search, doc).unwrap_or(0.0),
            asked: if tells { ranking.asked_bonus } else { 0.0 },
            question: if asks { -ranking.question_malus } else { 0.0 },
        }
    }

    fn date_share(&self, search: &Search<'_>, doc: DocId) -> Option<f32> {
        if search.question.dates.is_empty() {
            return None;
        }
        let day = DateTime::from_timestamp_micros(self.at.first(doc)?)?.date_naive();
        search
            .question
            .dates
            .iter()
            .filter_map(|key: &DateKey| key.days_after(day))
            .map(|days| search.ranking.date_share(days))
            .max_by(f32::total_cmp)
            .filter(|share| *share > 0.01)
    }
}
