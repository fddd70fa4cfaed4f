//! Adoptions: the only thing that reinforces.

use super::change::Change;
use super::error::MemoryError;
use super::gate;
use super::namespace::Namespace;
use super::types::AdoptAnswer;
use super::writer::Planned;
use crate::model::{AssessmentId, EventId, ReceiptId};
use crate::store::AdoptionRow;
use std::collections::BTreeSet;

impl Namespace {
    /// Records that the Events behind these refs were really used in a final answer. The same
    /// receipt again changes nothing, in whatever order its refs come; no refs is a valid receipt
    /// that reinforces nothing. What is partial may be used, with its uncertainty said; what was
    /// assessed as wrong cannot have been.
    ///
    /// # Errors
    /// When the assessment is unknown or says `wrong`, a ref was not accepted by it or is too long,
    /// or the receipt is known with other content.
    pub fn adopt(
        &self,
        receipt: &ReceiptId,
        assessment: &AssessmentId,
        refs: &[String],
    ) -> Result<AdoptAnswer, MemoryError> {
        if receipt.as_str().is_empty() || receipt.as_str().len() > 512 {
            return Err(MemoryError::invalid("receipt_id", "must have 1 to 512 bytes"));
        }
        gate::check_refs(refs)?;
        let refs: BTreeSet<String> = refs.iter().cloned().collect();
        let (answer, _) = self.write_aside(|view| {
            if let Some(known) = view.tx.adoption(receipt)? {
                let same = known.assessment == *assessment && known.refs.iter().eq(refs.iter());
                if !same {
                    return Err(MemoryError::Conflict(format!(
                        "receipt {receipt} is already recorded with other content; nothing was \
                         changed, use a new receipt_id"
                    )));
                }
                return Ok(Planned::nothing(AdoptAnswer {
                    duplicate: true,
                    incremented: known.events,
                }));
            }
            let row = view
                .tx
                .assessment(assessment)?
                .ok_or_else(|| self.not_found("assessment", assessment.as_str()))?;
            if row.verdict == gate::WRONG && !refs.is_empty() {
                return Err(MemoryError::Conflict(format!(
                    "assessment {assessment} says that its evidence is wrong, so an answer cannot \
                     have used it; nothing was changed, assess what was used or send no refs"
                )));
            }
            let mut events: BTreeSet<EventId> = BTreeSet::new();
            for reference in &refs {
                let accepted = row.accepted.iter().find(|(accepted, _)| accepted == reference);
                let Some((_, behind)) = accepted else {
                    return Err(MemoryError::invalid(
                        "evidence_refs",
                        format!("{reference:?} was not accepted by assessment {assessment}"),
                    ));
                };
                events.extend(behind.iter().cloned());
            }
            let events: Vec<EventId> = events.into_iter().collect();
            let adoption = AdoptionRow {
                receipt: receipt.clone(),
                assessment: assessment.clone(),
                refs: refs.iter().cloned().collect(),
                events: events.clone(),
            };
            let answer = AdoptAnswer { duplicate: false, incremented: events };
            Ok(Planned::write(Change::Adopted { adoption }, answer))
        })?;
        Ok(answer)
    }
}
