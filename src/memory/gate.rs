//! The evidence gate: does what was found suffice for an answer?

use super::batch::Batch;
use super::change::Change;
use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::{AssessAnswer, AssessRequest};
use super::writer::{Planned, lock};
use crate::model::{AssessmentId, content_hash};
use crate::store::AssessmentRow;
use std::collections::HashSet;

/// Most evidence refs of one assessment.
const MAX_REFS: usize = 8;
/// Most refs that are looked at: beyond those accepted, each is rejected by name.
const MAX_REFS_SENT: usize = 100;
/// Longest ref, in bytes: two ids, and the word for what it is.
const MAX_REF_BYTES: usize = 2048;
/// Longest `fit` and `missing`, in characters.
const MAX_REMARK_CHARS: usize = 160;
/// The verdict on evidence that must not be used.
pub const WRONG: &str = "wrong";
/// The verdicts.
const VERDICTS: [&str; 3] = ["sufficient", "partial", WRONG];
/// The next steps.
const STRATEGIES: [&str; 7] = [
    "answer",
    "search_events",
    "search_graph",
    "search_raw",
    "expand_event",
    "expand_entity",
    "expand_block",
];

/// What the rules of the gate make of a verdict.
struct Judged {
    verdict: String,
    next_strategy: String,
    accepted: Vec<String>,
    rejected: Vec<(String, String)>,
    reason: String,
}

impl Namespace {
    /// Judges a verdict on a batch and keeps it, with the batch, in the journal.
    ///
    /// # Errors
    /// When the batch is unknown or has expired, or a field is not acceptable.
    pub fn assess(&self, request: &AssessRequest) -> Result<AssessAnswer, MemoryError> {
        check(request)?;
        let batch = lock(&self.batches).get(request.batch.as_str(), chrono::Utc::now()).cloned();
        let batch = batch.ok_or_else(|| self.not_found("batch", request.batch.as_str()))?;
        let judged = judge(request, &batch);
        let tx = self.store.begin()?;
        let signals = self.signals(&tx, &batch, &judged.accepted, super::types::AsOf::default())?;
        drop(tx);
        let (id, _) = self.write_aside(|view| {
            let at = crate::model::to_rfc3339(view.now);
            let revision = view.hot.counters.turns.to_string();
            // The same verdict given twice in one instant is the same assessment.
            let mut parts = vec![request.batch.as_str(), &judged.verdict, &at, &revision];
            parts.extend(judged.accepted.iter().map(String::as_str));
            let id = AssessmentId(format!("a_{}", content_hash(parts)));
            if view.tx.assessment(&id)?.is_some() {
                return Ok(Planned::nothing(id));
            }
            let events_of = |reference: &String| {
                batch
                    .items
                    .iter()
                    .find(|item| item.evidence_ref == *reference)
                    .map(|item| item.events.clone())
                    .unwrap_or_default()
            };
            let assessment = AssessmentRow {
                id: id.clone(),
                batch: request.batch.0.clone(),
                query: batch.query.clone(),
                verdict: judged.verdict.clone(),
                accepted: judged.accepted.iter().map(|r| (r.clone(), events_of(r))).collect(),
                rejected: judged.rejected.clone(),
                fit: request.fit.clone(),
                missing: request.missing.clone(),
                next_strategy: judged.next_strategy.clone(),
                reason: judged.reason.clone(),
            };
            Ok(Planned::write(Change::Assessed { assessment }, id))
        })?;
        Ok(AssessAnswer {
            assessment: id,
            verdict: judged.verdict,
            accepted: judged.accepted,
            rejected: judged.rejected,
            next_strategy: judged.next_strategy,
            reason: judged.reason,
            signals,
        })
    }
}

/// Bounds the refs of a request: those that are not accepted are kept and told as well.
///
/// # Errors
/// When there are too many, or one is empty or too long.
pub fn check_refs(refs: &[String]) -> Result<(), MemoryError> {
    if refs.len() > MAX_REFS_SENT {
        let reason = format!("has {} refs; at most {MAX_REFS_SENT} are allowed", refs.len());
        return Err(MemoryError::invalid("evidence_refs", reason));
    }
    for (place, reference) in refs.iter().enumerate() {
        if !(1..=MAX_REF_BYTES).contains(&reference.len()) {
            let size = reference.len();
            let reason = format!("has {size} bytes; a ref has 1 to {MAX_REF_BYTES}");
            return Err(MemoryError::invalid(format!("evidence_refs[{place}]"), reason));
        }
    }
    Ok(())
}

fn check(request: &AssessRequest) -> Result<(), MemoryError> {
    check_refs(&request.evidence_refs)?;
    if !VERDICTS.contains(&request.verdict.as_str()) {
        let reason = format!("{:?} is not one of {}", request.verdict, VERDICTS.join(", "));
        return Err(MemoryError::invalid("verdict", reason));
    }
    if !STRATEGIES.contains(&request.next_strategy.as_str()) {
        let reason = format!("{:?} is not one of {}", request.next_strategy, STRATEGIES.join(", "));
        return Err(MemoryError::invalid("next_strategy", reason));
    }
    for (field, text) in [("fit", &request.fit), ("missing", &request.missing)] {
        let chars = text.chars().count();
        if chars > MAX_REMARK_CHARS {
            let reason = format!("has {chars} characters; at most {MAX_REMARK_CHARS} are allowed");
            return Err(MemoryError::invalid(field, reason));
        }
    }
    Ok(())
}

/// Accepts refs of the batch and lowers a verdict that they do not carry.
fn judge(request: &AssessRequest, batch: &Batch) -> Judged {
    let known: HashSet<&str> = batch.items.iter().map(|item| item.evidence_ref.as_str()).collect();
    let mut accepted: Vec<String> = Vec::new();
    let mut rejected = Vec::new();
    for reference in &request.evidence_refs {
        let reason = if !known.contains(reference.as_str()) {
            "it is not a ref of this batch"
        } else if accepted.contains(reference) {
            "it was given twice"
        } else if accepted.len() >= MAX_REFS {
            "at most 8 refs are accepted"
        } else {
            accepted.push(reference.clone());
            continue;
        };
        rejected.push((reference.clone(), reason.to_owned()));
    }
    let lowered = if request.verdict != "sufficient" {
        None
    } else if accepted.is_empty() {
        Some("sufficient needs at least one valid ref of this batch")
    } else if request.next_strategy != "answer" {
        Some("sufficient goes with next_strategy answer only")
    } else {
        None
    };
    let verdict = if lowered.is_some() { "partial" } else { request.verdict.as_str() };
    // Without evidence an answer is not the next step; a search for the words themselves is.
    let next = if lowered.is_some() && request.next_strategy == "answer" {
        "search_raw"
    } else {
        request.next_strategy.as_str()
    };
    Judged {
        verdict: verdict.to_owned(),
        next_strategy: next.to_owned(),
        accepted,
        rejected,
        reason: lowered.map_or_else(
            || "the verdict stands".to_owned(),
            |reason| format!("lowered to partial: {reason}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::batch::BatchItem;
    use crate::model::BatchId;

    fn batch() -> Batch {
        let item = |reference: &str| BatchItem {
            evidence_ref: reference.to_owned(),
            kind: "event".to_owned(),
            id: reference.to_owned(),
            text: String::new(),
            events: Vec::new(),
        };
        Batch { query: "q".to_owned(), items: (1..=10).map(|n| item(&format!("r{n}"))).collect() }
    }

    fn request(verdict: &str, refs: &[&str], next: &str) -> AssessRequest {
        AssessRequest {
            batch: BatchId::from("q_1"),
            verdict: verdict.to_owned(),
            evidence_refs: refs.iter().map(|r| (*r).to_owned()).collect(),
            fit: String::new(),
            missing: String::new(),
            next_strategy: next.to_owned(),
        }
    }

    #[test]
    fn sufficient_stands_only_on_a_ref_of_its_batch_and_with_an_answer() {
        assert_eq!(
            judge(&request("sufficient", &["r1"], "answer"), &batch()).verdict,
            "sufficient"
        );
        for (refs, next) in [(vec![], "answer"), (vec!["x"], "answer"), (vec!["r1"], "search_raw")]
        {
            let judged = judge(&request("sufficient", &refs, next), &batch());
            assert_eq!(judged.verdict, "partial");
            assert!(judged.reason.starts_with("lowered"));
            assert_ne!(judged.next_strategy, "answer");
        }
    }

    #[test]
    fn at_most_eight_refs_are_accepted_and_every_other_is_named() {
        let refs: Vec<String> = (1..=10).map(|n| format!("r{n}")).collect();
        let refs: Vec<&str> = refs.iter().map(String::as_str).collect();
        let judged = judge(&request("partial", &refs, "answer"), &batch());
        assert_eq!((judged.accepted.len(), judged.rejected.len()), (8, 2));
        let judged = judge(&request("partial", &["r1", "r1", "zz"], "answer"), &batch());
        assert_eq!((judged.accepted.len(), judged.rejected.len()), (1, 2));
    }

    #[test]
    fn words_outside_the_lists_are_errors() {
        assert!(check(&request("maybe", &[], "answer")).is_err());
        assert!(check(&request("wrong", &[], "give_up")).is_err());
        let long = AssessRequest { fit: "x".repeat(161), ..request("wrong", &[], "answer") };
        assert!(check(&long).is_err());
    }
}
