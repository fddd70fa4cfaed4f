//! Scoring retrieval: how much of a question's evidence stands among the first hits.
//!
//! A hit covers the messages behind it: a message covers itself, an Event, Fact or Block its
//! sources. Recall at k is the share of a question's evidence messages that the first k hits
//! cover, averaged over questions; the reciprocal rank is one over the place of the first hit that
//! covers any of them, 0 where none does.

use crate::cli::measure::rounded;
use crate::memory::{AsOf, HitKind, SearchHit, SearchRequest};
use crate::model::MessageId;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What is asked of the memory for a question.
pub fn request(query: &str, kinds: &[HitKind], limit: usize) -> SearchRequest {
    SearchRequest {
        query: query.to_owned(),
        kinds: kinds.to_vec(),
        limit,
        thread: None,
        types: Vec::new(),
        statuses: Vec::new(),
        from: None,
        to: None,
        history: false,
        as_of: AsOf::default(),
        explain: false,
    }
}

/// The sums over questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    cutoffs: Vec<usize>,
    recall: Vec<f64>,
    reciprocal: f64,
    questions: usize,
}

impl Scores {
    /// Begins at zero, with the places at which recall is taken.
    pub fn new(cutoffs: &[usize]) -> Self {
        Self {
            cutoffs: cutoffs.to_vec(),
            recall: vec![0.0; cutoffs.len()],
            reciprocal: 0.0,
            questions: 0,
        }
    }

    /// Adds one question with its hits, best first. Evidence must not be empty.
    pub fn add(&mut self, evidence: &BTreeSet<String>, hits: &[SearchHit]) {
        let sources: Vec<Vec<&str>> = hits
            .iter()
            .map(|hit| hit.source_messages.iter().map(MessageId::as_str).collect())
            .collect();
        self.add_sources(evidence, &sources);
    }

    fn add_sources(&mut self, evidence: &BTreeSet<String>, hits: &[Vec<&str>]) {
        self.questions += 1;
        let mut covered: BTreeSet<&str> = BTreeSet::new();
        let mut first = None;
        for place in 0..=hits.len() {
            for (cutoff, sum) in self.cutoffs.iter().zip(&mut self.recall) {
                // A short list is taken whole by every later cutoff.
                if *cutoff == place || (place == hits.len() && *cutoff > place) {
                    *sum += covered.len() as f64 / evidence.len() as f64;
                }
            }
            let Some(sources) = hits.get(place) else { break };
            for source in sources.iter().filter(|source| evidence.contains(**source)) {
                covered.insert(source);
                first.get_or_insert(place + 1);
            }
        }
        self.reciprocal += first.map_or(0.0, |place| 1.0 / place as f64);
    }

    /// Adds the sums of others.
    pub fn merge(&mut self, other: &Self) {
        self.questions += other.questions;
        self.reciprocal += other.reciprocal;
        for (sum, more) in self.recall.iter_mut().zip(&other.recall) {
            *sum += more;
        }
    }

    fn mean(&self, sum: f64) -> f64 {
        if self.questions == 0 { 0.0 } else { sum / self.questions as f64 }
    }

    /// Returns the headers of [`Self::row`].
    pub fn header(&self) -> Vec<String> {
        let mut header = vec!["questions".to_owned()];
        header.extend(self.cutoffs.iter().map(|k| format!("R@{k}")));
        header.push("MRR".to_owned());
        header
    }

    /// Returns the means for a table.
    pub fn row(&self) -> Vec<String> {
        let mut row = vec![self.questions.to_string()];
        row.extend(self.recall.iter().map(|sum| format!("{:.3}", self.mean(*sum))));
        row.push(format!("{:.3}", self.mean(self.reciprocal)));
        row
    }

    /// Returns the means as JSON.
    pub fn json(&self) -> Value {
        let recall: serde_json::Map<String, Value> = self
            .cutoffs
            .iter()
            .zip(&self.recall)
            .map(|(k, sum)| (k.to_string(), json!(rounded(self.mean(*sum)))))
            .collect();
        json!({
            "questions": self.questions,
            "recall_at": recall,
            "mrr": rounded(self.mean(self.reciprocal)),
        })
    }
}

/// The places at which recall is taken: 1, 5, 10, 20 and k itself, none above k.
pub fn cutoffs(k: usize) -> Vec<usize> {
    let mut cutoffs: Vec<usize> = [1, 5, 10, 20].into_iter().filter(|cutoff| *cutoff < k).collect();
    cutoffs.push(k);
    cutoffs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(ids: &[&str]) -> BTreeSet<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn recall_counts_evidence_once_and_rank_is_that_of_the_first_hit() {
        let mut scores = Scores::new(&[1, 2, 4]);
        scores.add_sources(
            &evidence(&["a", "b"]),
            &[vec!["x"], vec!["a"], vec!["a", "b"], vec!["y"]],
        );
        assert_eq!(scores.row(), ["1", "0.000", "0.500", "1.000", "0.500"]);
    }

    #[test]
    fn a_short_list_counts_for_every_later_cutoff_and_an_empty_one_for_nothing() {
        let mut scores = Scores::new(&[1, 5, 10]);
        scores.add_sources(&evidence(&["a"]), &[vec!["a"]]);
        assert_eq!(scores.row(), ["1", "1.000", "1.000", "1.000", "1.000"]);
        scores.add_sources(&evidence(&["a"]), &[]);
        assert_eq!(scores.row(), ["2", "0.500", "0.500", "0.500", "0.500"]);
    }

    #[test]
    fn cutoffs_end_at_k() {
        assert_eq!(cutoffs(20), [1, 5, 10, 20]);
        assert_eq!(cutoffs(7), [1, 5, 7]);
        assert_eq!(cutoffs(1), [1]);
    }
}
