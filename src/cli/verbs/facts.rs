//! How facts read.

use crate::api::wire::{ConflictBody, FactBody};
use crate::cli::output::{add, interval, table};

/// The property with its qualifier.
pub fn property(fact: &FactBody) -> String {
    match &fact.qualifier {
        Some(qualifier) => format!("{} ({qualifier})", fact.property),
        None => fact.property.clone(),
    }
}

/// When a fact holds.
pub fn period(fact: &FactBody) -> String {
    let interval = interval(fact.valid_from.as_deref(), fact.valid_to.as_deref());
    match fact.certainty.as_deref() {
        // Its start or end is vague, and the time asked about lies within.
        Some("possibly") => format!("{interval}, possibly"),
        _ => interval,
    }
}

/// One fact as a sentence.
pub fn sentence(fact: &FactBody) -> String {
    let mut text =
        format!("{} {} = {}, {}", fact.entity_label, property(fact), fact.value, period(fact));
    if fact.status != "current" {
        add!(text, " [{}]", fact.status);
    }
    if let Some(reason) = &fact.reason {
        add!(text, " ({reason})");
    }
    text
}

/// Facts in columns.
pub fn columns(facts: &[FactBody]) -> String {
    let rows: Vec<Vec<String>> = facts
        .iter()
        .map(|fact| {
            vec![
                property(fact),
                fact.value.clone(),
                period(fact),
                fact.reason.clone().unwrap_or_else(|| "-".to_owned()),
                fact.id.clone(),
            ]
        })
        .collect();
    table(&["property", "value", "holds", "ended", "fact"], &rows)
}

/// A conflict with its candidates.
pub fn conflict(conflict: &ConflictBody) -> String {
    let slot = &conflict.slot;
    let mut text =
        format!("{} of {} ({}): undecided between\n", slot.property, slot.entity, conflict.id);
    for candidate in &conflict.candidates {
        add!(text, "  {} ({}, {})\n", candidate.value, period(candidate), candidate.id);
    }
    text
}
