//! A score taken apart.

use super::error::TextError;
use super::request::{Contribution, Explain};
use super::scan::open_cursors;
use super::search::{Candidate, Search};
use tantivy::Searcher;

/// Recomputes the parts of a candidate's score.
pub(super) fn explain(
    search: &Search<'_>,
    searcher: &Searcher,
    candidate: &Candidate,
    tweak: f32,
    rank_before_tweak: usize,
) -> Result<Explain, TextError> {
    let segment = searcher.segment_reader(candidate.address.segment_ord);
    let doc = candidate.address.doc_id;
    let kind = segment.fast_fields().u64("kind")?.first(doc).unwrap_or(0) as usize & 3;
    let mut contributions = Vec::new();
    for unit in &search.question.units {
        let mut fields = Vec::new();
        let mut frequency = 0.0;
        for mut cursor in open_cursors(search, segment, unit)? {
            if cursor.reach(doc) == doc {
                let share = cursor.frequency(search, kind);
                frequency += share;
                fields.push((cursor.part, share));
            }
        }
        if !fields.is_empty() {
            let score = unit.weight * unit.idf * search.ranking.saturate(frequency);
            contributions.push(Contribution {
                unit: unit.label.clone(),
                idf: unit.idf,
                score,
                fields,
            });
        }
    }
    Ok(Explain {
        contributions,
        nearness: candidate.nearness,
        shares: candidate.shares.named(),
        tweak,
        rank_before_tweak,
    })
}
