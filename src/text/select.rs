//! Filters, applied before anything is scored or cut.

use super::doc::DocKind;
use super::request::SearchRequest;
use super::schema::Fields;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

/// The documents of a segment that may be answered with, one bit each.
pub(super) struct Selection {
    bits: Vec<u64>,
    count: usize,
}

impl Selection {
    /// Builds the selection; `None` when every document may be answered with.
    pub(super) fn of_segment(
        segment: &SegmentReader,
        fields: &Fields,
        request: &SearchRequest,
    ) -> tantivy::Result<Option<Self>> {
        let kinds = (!request.kinds.is_empty()
            && !DocKind::ALL.iter().all(|kind| request.kinds.contains(kind)))
        .then_some(&request.kinds);
        let is_open = kinds.is_none()
            && request.thread.is_none()
            && request.statuses.is_empty()
            && request.not_statuses.is_empty()
            && request.entities.is_empty()
            && request.from.is_none()
            && request.to.is_none();
        if is_open {
            return Ok(None);
        }
        let mut selection = Self::all(segment);
        if let Some(thread) = &request.thread {
            selection.keep(&Self::holding(segment, fields.thread, std::slice::from_ref(thread))?);
        }
        for (field, terms) in
            [(fields.status, &request.statuses), (fields.entity, &request.entities)]
        {
            if !terms.is_empty() {
                selection.keep(&Self::holding(segment, field, terms)?);
            }
        }
        if !request.not_statuses.is_empty() {
            selection.drop_all(&Self::holding(segment, fields.status, &request.not_statuses)?);
        }
        if let Some(kinds) = kinds {
            let column = segment.fast_fields().u64("kind")?;
            selection.retain(|doc| {
                let kind = column.first(doc).and_then(DocKind::from_code);
                kind.is_some_and(|kind| kinds.contains(&kind))
            });
        }
        if request.from.is_some() || request.to.is_some() {
            let column = segment.fast_fields().i64("at")?;
            let (from, to) = (
                request.from.map(|at| at.timestamp_micros()),
                request.to.map(|at| at.timestamp_micros()),
            );
            selection.retain(|doc| {
                column.first(doc).is_some_and(|at| {
                    from.is_none_or(|from| at >= from) && to.is_none_or(|to| at < to)
                })
            });
        }
        selection.count = selection.bits.iter().map(|word| word.count_ones() as usize).sum();
        Ok(Some(selection))
    }

    pub(super) fn contains(&self, doc: DocId) -> bool {
        self.bits[doc as usize / 64] >> (doc % 64) & 1 == 1
    }

    /// Returns how many documents are selected.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Lists the selected documents of `[from, to)`.
    pub(super) fn docs_between(&self, from: DocId, to: DocId) -> impl Iterator<Item = DocId> + '_ {
        (from..to).filter(|doc| self.contains(*doc))
    }

    fn empty(segment: &SegmentReader) -> Self {
        Self { bits: vec![0; (segment.max_doc() as usize).div_ceil(64)], count: 0 }
    }

    fn all(segment: &SegmentReader) -> Self {
        let mut selection = Self::empty(segment);
        selection.bits.fill(u64::MAX);
        let tail = segment.max_doc() % 64;
        if let (true, Some(last)) = (tail > 0, selection.bits.last_mut()) {
            *last = (1 << tail) - 1;
        }
        selection
    }

    fn holding(segment: &SegmentReader, field: Field, terms: &[String]) -> tantivy::Result<Self> {
        let mut selection = Self::empty(segment);
        let index = segment.inverted_index(field)?;
        for term in terms {
            let term = Term::from_field_text(field, term);
            let Some(mut postings) = index.read_postings(&term, IndexRecordOption::Basic)? else {
                continue;
            };
            while postings.doc() != TERMINATED {
                selection.bits[postings.doc() as usize / 64] |= 1 << (postings.doc() % 64);
                postings.advance();
            }
        }
        Ok(selection)
    }

    fn keep(&mut self, other: &Self) {
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine &= theirs;
        }
    }

    fn drop_all(&mut self, other: &Self) {
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine &= !theirs;
        }
    }

    fn retain(&mut self, mut keep: impl FnMut(DocId) -> bool) {
        for (index, word) in self.bits.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                if !keep(index as u32 * 64 + bit) {
                    *word &= !(1 << bit);
                }
            }
        }
    }
}
