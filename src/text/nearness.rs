//! Query words that stand close together in a document.

use super::error::TextError;
use super::query::{Role, Unit};
use super::schema::Part;
use super::search::{Candidate, Search};
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, Searcher, Term};

/// Words further apart than this do not count as close.
const REACH: u32 = 8;
/// Only the rarest words are looked at: pairs grow with the square.
const MAX_WORDS: usize = 12;

/// Adds to each candidate what its close pairs are worth.
pub(super) fn add_nearness(
    search: &Search<'_>,
    searcher: &Searcher,
    candidates: &mut [Candidate],
) -> Result<(), TextError> {
    let mut words: Vec<&Unit> = search
        .question
        .units
        .iter()
        .filter(|unit| matches!(unit.role, Role::Content | Role::Speaker) && unit.docs > 0)
        .collect();
    words.sort_by(|a, b| b.idf.total_cmp(&a.idf));
    words.truncate(MAX_WORDS);
    if words.len() < 2 || search.ranking.nearness_weight <= 0.0 {
        return Ok(());
    }
    candidates.sort_by_key(|candidate| candidate.address);
    let mut open: Vec<Option<SegmentPostings>> = Vec::new();
    let mut segment_ord = None;
    let mut positions: Vec<Vec<u32>> = vec![Vec::new(); words.len()];
    for candidate in candidates {
        if segment_ord != Some(candidate.address.segment_ord) {
            segment_ord = Some(candidate.address.segment_ord);
            open = open_words(search, searcher, candidate.address.segment_ord, &words)?;
        }
        for (postings, places) in open.iter_mut().zip(&mut positions) {
            places.clear();
            let Some(postings) = postings else { continue };
            let doc = candidate.address.doc_id;
            if postings.doc() < doc {
                postings.seek(doc);
            }
            if postings.doc() == doc {
                postings.positions(places);
            }
        }
        candidate.nearness = search.ranking.nearness_weight * nearness(&words, &positions);
    }
    Ok(())
}

fn open_words(
    search: &Search<'_>,
    searcher: &Searcher,
    ord: u32,
    words: &[&Unit],
) -> Result<Vec<Option<SegmentPostings>>, TextError> {
    let field = search.fields.part(Part::Body);
    let index = searcher.segment_reader(ord).inverted_index(field)?;
    let mut open = Vec::with_capacity(words.len());
    for word in words {
        let term = Term::from_field_text(field, &word.label);
        open.push(index.read_postings(&term, IndexRecordOption::WithFreqsAndPositions)?);
    }
    Ok(open)
}

/// Every word counts once, with its closest neighbour: the smaller idf of the two over their
/// distance.
fn nearness(words: &[&Unit], positions: &[Vec<u32>]) -> f32 {
    let mut sum = 0.0;
    for one in 0..words.len() {
        let mut best = 0.0f32;
        for other in (0..words.len()).filter(|other| *other != one) {
            if let Some(distance) = closest(&positions[one], &positions[other]) {
                let idf = words[one].idf.min(words[other].idf);
                best = best.max(idf / distance as f32);
            }
        }
        sum += best;
    }
    sum / 2.0
}

/// Returns the smallest distance of two position lists, both ascending, within reach.
fn closest(one: &[u32], other: &[u32]) -> Option<u32> {
    let (mut i, mut j) = (0, 0);
    let mut best = None;
    while i < one.len() && j < other.len() {
        let distance = one[i].abs_diff(other[j]).max(1);
        if distance <= REACH && best.is_none_or(|best| distance < best) {
            best = Some(distance);
        }
        if one[i] < other[j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_pair_counts() {
        assert_eq!(closest(&[1, 50], &[20, 53]), Some(3));
        assert_eq!(closest(&[1], &[100]), None);
        assert_eq!(closest(&[], &[1]), None);
        assert_eq!(closest(&[4], &[4]), Some(1));
    }
}
