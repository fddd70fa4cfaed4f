//! How the Events of a Block stand to each other and to earlier ones.

use super::draft::Draft;
use super::scene::Line;
use super::signs::RESCHEDULES;
use super::text::cue;
use super::tokens::{content_tokens, shared_tokens};
use crate::extract::KnownEvent;
use crate::model::{
    Claim, ClaimOp, ClaimValue, EventKind as K, EventStatus as S, Relation, RelationKind, property,
};

cue!(
    AS_PLANNED,
    r"~(?:as (?:promised|planned|agreed|scheduled|requested)|finally)~|按计划|如期|按时|终于"
);
cue!(
    INSTEAD,
    r"~(?:instead|change of plan|actually|rather than|no longer|replaced|moved|postponed|rescheduled|changed)~|改|换|推迟|提前|不再|转"
);

/// Whether two claims speak of the same Slot.
pub(super) fn same_slot(a: &Claim, b: &Claim) -> bool {
    a.property == b.property
        && a.qualifier == b.qualifier
        && (a.subject == b.subject || a.subject.id() == b.subject.id())
}

pub(super) fn is_functional(claim: &Claim) -> bool {
    claim.qualifier.is_some() || property(&claim.property).is_some_and(|p| p.functional)
}

pub(super) fn same_value(a: &ClaimValue, b: &ClaimValue) -> bool {
    match (a, b) {
        (ClaimValue::Entity(x), ClaimValue::Entity(y)) => x.id() == y.id(),
        (ClaimValue::Text(x), ClaimValue::Text(y)) => {
            crate::model::normalise_name(x) == crate::model::normalise_name(y)
        }
        (ClaimValue::Any, _) | (_, ClaimValue::Any) => true,
        (x, y) => x == y,
    }
}

/// Whether the later statement takes away from the earlier one.
fn replaces(later: &Claim, earlier: &Claim) -> bool {
    if earlier.op != ClaimOp::Assert || !same_slot(later, earlier) {
        return false;
    }
    match later.op {
        ClaimOp::End => same_value(&later.value, &earlier.value),
        ClaimOp::Assert => is_functional(later) && !same_value(&later.value, &earlier.value),
    }
}

/// Whether one of the later statements takes away from an earlier one; a plan does not replace what
/// has happened.
fn claims_replace(later: &[Claim], earlier: &[Claim]) -> bool {
    later.iter().any(|l| earlier.iter().any(|e| replaces(l, e) && (!l.planned || e.planned)))
}

fn is_done(kind: K, status: S) -> bool {
    matches!(kind, K::Result | K::Change) && status == S::Occurred
}

pub(super) fn is_open_plan(kind: K, status: S) -> bool {
    matches!(kind, K::Plan | K::Request) && matches!(status, S::Planned | S::Tentative)
}

/// How many drafts a relation may reach back over. A conversation never comes near it; a flood of
/// generated statements would else cost the square of their number.
pub(super) const LOOK_BACK: usize = 300;

/// Finds the relations among drafts and to the Events of earlier Blocks.
pub(super) fn relate(drafts: &mut [Draft], lines: &[Line<'_>], known: &[KnownEvent]) {
    let known_tokens: Vec<Vec<String>> = known.iter().map(|e| content_tokens(&e.title)).collect();
    for later in 0..drafts.len() {
        if drafts[later].dropped || drafts[later].status == S::Rejected {
            continue;
        }
        let line = &lines[drafts[later].line];
        // That something was moved to another day carries nothing out.
        let moved = RESCHEDULES.is_match(&drafts[later].statement);
        let as_planned = is_done(drafts[later].kind, drafts[later].status)
            && line
                .text
                .get(drafts[later].sentence.clone())
                .is_some_and(|said| AS_PLANNED.is_match(said));
        for earlier in later.saturating_sub(LOOK_BACK)..later {
            if drafts[earlier].dropped
                || drafts[earlier].status == S::Rejected
                || drafts[earlier].line > drafts[later].line
            {
                continue;
            }
            let (l, e) = (&drafts[later], &drafts[earlier]);
            if !moved && fulfils(l, e.kind, e.status, &e.tokens, as_planned) {
                drafts[later].fulfils.push(earlier);
            } else if l.line != e.line && (claims_replace(&l.claims, &e.claims) || replans(l, e)) {
                drafts[later].supersedes.push(earlier);
            }
        }
        let draft = &mut drafts[later];
        draft.supersedes.sort_unstable();
        draft.supersedes.dedup();
        for (event, tokens) in known.iter().zip(&known_tokens) {
            let kind = if !moved && fulfils(draft, event.kind, event.status, tokens, as_planned) {
                RelationKind::Fulfils
            } else if claims_replace(&draft.claims, &event.claims) {
                RelationKind::Supersedes
            } else {
                continue;
            };
            let relation = Relation { kind, target: event.id.clone() };
            if !draft.known.contains(&relation) {
                draft.known.push(relation);
            }
        }
    }
}

/// A result carries out a plan that speaks of the same things.
fn fulfils(later: &Draft, kind: K, status: S, tokens: &[String], as_planned: bool) -> bool {
    if !is_done(later.kind, later.status) || !is_open_plan(kind, status) {
        return false;
    }
    let shared = shared_tokens(&later.tokens, tokens);
    let least = if as_planned { 1 } else { 2 };
    shared >= least && shared * 2 >= tokens.len().min(later.tokens.len())
}

/// A later plan for the same thing with other words of change.
fn replans(later: &Draft, earlier: &Draft) -> bool {
    is_open_plan(later.kind, later.status)
        && (later.status != S::Tentative || earlier.status == S::Tentative)
        && is_open_plan(earlier.kind, earlier.status)
        && shared_tokens(&later.tokens, &earlier.tokens) >= 2
        && (INSTEAD.is_match(&later.statement)
            || later.occurred.local_from != earlier.occurred.local_from
                && later.occurred.local_from.is_some()
                && earlier.occurred.local_from.is_some()
                && shared_tokens(&later.tokens, &earlier.tokens) * 2 > earlier.tokens.len())
}
