//! What has to be recorded for the stored facts of a Slot to say what its claims say.

use super::rule::Rule;
use crate::model::{
    Closing, ClosingId, Conflict, ConflictId, EventId, Fact, FactId, Reason, TxTime,
};
use serde::{Deserialize, Serialize};

/// The append-only change of one Slot at one point of transaction time. It is journaled as it
/// is, so that replaying never re-runs a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlotChange {
    /// New facts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<FactOpened>,
    /// Facts that are withdrawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retracted: Vec<FactRetracted>,
    /// Closings that are withdrawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reopened: Vec<ClosingWithdrawn>,
    /// New closings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<FactClosed>,
    /// Sources that facts gain or lose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourcesChanged>,
    /// New conflicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<ConflictOpened>,
    /// Conflicts that are decided or fell away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<ConflictResolved>,
}

/// A new fact; its first Event is the cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactOpened {
    /// The fact, without closings.
    pub fact: Fact,
    /// The rule by which it begins.
    pub rule: Rule,
    /// The stored fact that it takes the place of or brings back.
    pub revision_of: Option<FactId>,
}

/// A fact that is withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactRetracted {
    /// The fact.
    pub fact: FactId,
    /// When.
    pub at: TxTime,
    /// Refined (another fact takes its place), corrected, or retracted with its last source.
    pub reason: Reason,
    /// The rule that decided.
    pub rule: Rule,
    /// The Event that caused it; `None` = a source was forgotten or withdrawn by an operator.
    pub cause: Option<EventId>,
    /// The fact that takes its place.
    pub replaced_by: Option<FactId>,
}

/// A closing that no longer counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosingWithdrawn {
    /// The fact it had ended.
    pub fact: FactId,
    /// The closing.
    pub closing: ClosingId,
    /// When.
    pub at: TxTime,
    /// The rule that decided.
    pub rule: Rule,
    /// The Event that caused it, where it was an Event.
    pub cause: Option<EventId>,
}

/// A new closing; it names its cause and its rule itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactClosed {
    /// The fact that ends.
    pub fact: FactId,
    /// How.
    pub closing: Closing,
}

/// Sources that a fact gains (a repetition) or loses (one was forgotten).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcesChanged {
    /// The fact.
    pub fact: FactId,
    /// When.
    pub at: TxTime,
    /// New sources.
    pub added: Vec<EventId>,
    /// Sources that no longer count.
    pub removed: Vec<EventId>,
    /// The rule that decided.
    pub rule: Rule,
}

/// A new conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictOpened {
    /// The conflict; it may be recorded as already decided.
    pub conflict: Conflict,
    /// The Events that state the candidates.
    pub causes: Vec<EventId>,
    /// The rule that decided.
    pub rule: Rule,
}

/// A conflict that is open no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictResolved {
    /// The conflict.
    pub conflict: ConflictId,
    /// When.
    pub at: TxTime,
    /// The Event that decided it, where it was an Event.
    pub cause: Option<EventId>,
    /// The rule that decided.
    pub rule: Rule,
}

impl SlotChange {
    /// Whether nothing has to be recorded.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Says that an operator's act caused what names no Event as its cause. What no longer rests
    /// on anything was `reason`.
    pub fn attribute(&mut self, act: &EventId, reason: Reason) {
        for retracted in self.retracted.iter_mut().filter(|retracted| retracted.cause.is_none()) {
            retracted.cause = Some(act.clone());
            retracted.rule = Rule::OperatorAct;
            if retracted.reason == Reason::Retracted {
                retracted.reason = reason;
            }
        }
        for reopened in self.reopened.iter_mut().filter(|reopened| reopened.cause.is_none()) {
            reopened.cause = Some(act.clone());
            reopened.rule = Rule::OperatorAct;
        }
        for resolved in self.resolved.iter_mut().filter(|resolved| resolved.cause.is_none()) {
            resolved.cause = Some(act.clone());
            resolved.rule = Rule::OperatorAct;
        }
        for opened in self.opened.iter_mut().filter(|o| o.fact.events.first() == Some(act)) {
            opened.rule = Rule::OperatorAct;
        }
    }

    /// Says that all of it is recorded at `at`: a change is worked out before the record that
    /// carries it has its time.
    pub fn stamp(&mut self, at: TxTime) {
        for opened in &mut self.opened {
            opened.fact.recorded_at = at;
        }
        for retracted in &mut self.retracted {
            retracted.at = at;
        }
        for reopened in &mut self.reopened {
            reopened.at = at;
        }
        for closed in &mut self.closed {
            closed.closing.recorded_at = at;
        }
        for sources in &mut self.sources {
            sources.at = at;
        }
        for ConflictOpened { conflict, .. } in &mut self.conflicts {
            conflict.recorded_at = at;
            conflict.resolved_at = conflict.resolved_at.map(|_| at);
        }
        for resolved in &mut self.resolved {
            resolved.at = at;
        }
    }
}

/// Carries a change out on plain lists, as the store does on its own form.
///
/// A fact, closing or conflict that is not in the lists is skipped: a change only ever names what
/// [`reconcile`](super::reconcile) saw in them or adds itself.
pub fn apply(facts: &mut Vec<Fact>, conflicts: &mut Vec<Conflict>, change: &SlotChange) {
    facts.extend(change.opened.iter().map(|opened| opened.fact.clone()));
    for retracted in &change.retracted {
        if let Some(fact) = find(facts, &retracted.fact) {
            fact.retracted_at = Some(retracted.at);
        }
    }
    for reopened in &change.reopened {
        let closings = find(facts, &reopened.fact).map(|fact| fact.closings.iter_mut());
        for closing in closings.into_iter().flatten().filter(|c| c.id == reopened.closing) {
            closing.retracted_at = Some(reopened.at);
        }
    }
    for closed in &change.closed {
        if let Some(fact) = find(facts, &closed.fact) {
            fact.closings.push(closed.closing.clone());
        }
    }
    for sources in &change.sources {
        if let Some(fact) = find(facts, &sources.fact) {
            fact.events.retain(|event| !sources.removed.contains(event));
            fact.events.extend(sources.added.iter().cloned());
        }
    }
    conflicts.extend(change.conflicts.iter().map(|opened| opened.conflict.clone()));
    for resolved in &change.resolved {
        if let Some(conflict) = conflicts.iter_mut().find(|c| c.id == resolved.conflict) {
            conflict.resolved_at = Some(resolved.at);
            conflict.resolved_by.clone_from(&resolved.cause);
        }
    }
}

fn find<'f>(facts: &'f mut [Fact], id: &FactId) -> Option<&'f mut Fact> {
    facts.iter_mut().find(|fact| fact.id == *id)
}
