//! From a timeline and what is stored to the change that makes both say the same.

use super::change::{
    ClosingWithdrawn, ConflictOpened, ConflictResolved, FactClosed, FactOpened, FactRetracted,
    SlotChange, SourcesChanged,
};
use super::fold::{FoldedClosing, FoldedConflict, FoldedFact, SlotTimeline};
use super::generation::{base_of, next_generation};
use super::rule::Rule;
use super::state::is_taken_back;
use crate::model::{
    Closing, ClosingId, Conflict, ConflictId, EventId, Fact, FactId, Reason, Slot, SlotId, TxTime,
    content_hash,
};
use std::collections::{BTreeMap, BTreeSet};

/// Returns what must be recorded at `now` so that the stored facts and conflicts of a Slot say
/// what its folded timeline says. Nothing stored is rewritten: facts and closings are added, or
/// withdrawn as of `now`. When both already agree, the change is empty.
///
/// `stored` and `stored_conflicts` are all of the Slot's, withdrawn ones included.
pub fn reconcile(
    slot: &Slot,
    folded: &SlotTimeline,
    stored: &[Fact],
    stored_conflicts: &[Conflict],
    now: TxTime,
) -> SlotChange {
    let matches = match_facts(&folded.facts, stored);
    let slot_id = slot.id();
    let ids = assign_ids(&slot_id, folded, stored, &matches);
    let by_id: BTreeMap<&FactId, &Fact> = stored.iter().map(|fact| (&fact.id, fact)).collect();
    let mut work =
        Work { slot, slot_id, folded, stored, ids, by_id, now, change: SlotChange::default() };
    work.open_facts(&matches);
    work.retract_facts(&matches);
    work.change_sources(&matches);
    work.change_closings(&matches);
    work.change_conflicts(stored_conflicts);
    work.change
}

/// For each folded fact the stored one that already says it, by index.
fn match_facts(folded: &[FoldedFact], stored: &[Fact]) -> Vec<Option<usize>> {
    let mut matches = vec![None; folded.len()];
    let mut taken = BTreeSet::new();
    // A fact taken back is first looked for among those already taken back, then among the live.
    match_pass(folded, stored, false, is_live, &mut matches, &mut taken);
    match_pass(folded, stored, true, is_taken_back, &mut matches, &mut taken);
    match_pass(folded, stored, true, is_live, &mut matches, &mut taken);
    matches
}

fn match_pass(
    folded: &[FoldedFact],
    stored: &[Fact],
    withdrawn: bool,
    is_in_state: impl Fn(&Fact) -> bool,
    matches: &mut [Option<usize>],
    taken: &mut BTreeSet<usize>,
) {
    let mut candidates: BTreeMap<(String, Option<&EventId>), Vec<usize>> = BTreeMap::new();
    for (at, fact) in stored.iter().enumerate().filter(|(_, fact)| is_in_state(fact)) {
        candidates.entry((fact.value.key(), fact.events.first())).or_default().push(at);
    }
    for (fact, found) in folded.iter().zip(matches) {
        if fact.withdrawn != withdrawn || found.is_some() {
            continue;
        }
        let same_opening = candidates.get(&(fact.value.key(), fact.events.first()));
        *found = same_opening
            .into_iter()
            .flatten()
            .copied()
            .find(|at| !taken.contains(at) && has_same_interval(fact, &stored[*at]));
        taken.extend(*found);
    }
}

fn is_live(fact: &Fact) -> bool {
    fact.retracted_at.is_none()
}

/// Whether the parts agree that are recorded once; ends and further sources change beside a fact.
fn has_same_interval(folded: &FoldedFact, stored: &Fact) -> bool {
    folded.valid_from == stored.valid_from
        && folded.precision == stored.precision
        && folded.known_end == stored.known_end
        && folded.planned == stored.planned
}

fn assign_ids(
    slot: &SlotId,
    folded: &SlotTimeline,
    stored: &[Fact],
    matches: &[Option<usize>],
) -> Vec<FactId> {
    let mut used: BTreeSet<String> = stored.iter().map(|fact| fact.id.0.clone()).collect();
    let mut assign = |(fact, found): (&FoldedFact, &Option<usize>)| {
        if let Some(at) = found {
            return stored[*at].id.clone();
        }
        let opener = fact.events.first().expect("a folded fact rests on the Event that opened it");
        let id = next_generation(Fact::id_for(slot, &fact.value, opener).as_str(), &used);
        used.insert(id.clone());
        FactId(id)
    };
    folded.facts.iter().zip(matches).map(&mut assign).collect()
}

struct Work<'a> {
    slot: &'a Slot,
    slot_id: SlotId,
    folded: &'a SlotTimeline,
    stored: &'a [Fact],
    /// The id of each folded fact.
    ids: Vec<FactId>,
    by_id: BTreeMap<&'a FactId, &'a Fact>,
    now: TxTime,
    change: SlotChange,
}

impl<'a> Work<'a> {
    fn open_facts(&mut self, matches: &[Option<usize>]) {
        let gone = self.stored_without_match(matches);
        let earlier: BTreeMap<&str, &Fact> =
            self.stored.iter().map(|old| (base_of(old.id.as_str()), old)).collect();
        for (index, fact) in self.folded.facts.iter().enumerate() {
            if matches[index].is_some() {
                continue;
            }
            let id = self.ids[index].clone();
            let replaced = gone.iter().find(|old| is_live(old) && shares_source(fact, old));
            let brought_back = earlier.get(base_of(id.as_str()));
            self.change.opened.push(FactOpened {
                revision_of: replaced.or(brought_back).map(|old| old.id.clone()),
                rule: fact.rule,
                fact: Fact {
                    id,
                    slot: self.slot.clone(),
                    value: fact.value.clone(),
                    valid_from: fact.valid_from,
                    precision: fact.precision,
                    known_end: fact.known_end,
                    planned: fact.planned,
                    events: fact.events.clone(),
                    recorded_at: self.now,
                    retracted_at: None,
                    closings: Vec::new(),
                },
            });
        }
    }

    fn stored_without_match(&self, matches: &[Option<usize>]) -> Vec<&'a Fact> {
        let matched: BTreeSet<usize> = matches.iter().flatten().copied().collect();
        let unmatched = self.stored.iter().enumerate().filter(|(at, _)| !matched.contains(at));
        unmatched.map(|(_, fact)| fact).collect()
    }

    fn retract_facts(&mut self, matches: &[Option<usize>]) {
        let mut retracted = Vec::new();
        for old in self.stored_without_match(matches).into_iter().filter(|old| is_live(old)) {
            retracted.push(self.retraction_of(old, matches));
        }
        for (index, fact) in self.folded.facts.iter().enumerate().filter(|(_, f)| f.withdrawn) {
            let is_stored = matches[index].is_some_and(|at| is_taken_back(&self.stored[at]));
            let Some(closing) = fact.closed.as_ref().filter(|_| !is_stored) else { continue };
            retracted.push(FactRetracted {
                fact: self.ids[index].clone(),
                at: self.now,
                reason: closing.reason,
                rule: closing.rule,
                cause: Some(closing.cause.clone()),
                replaced_by: closing.superseded_by.map(|next| self.ids[next].clone()),
            });
        }
        self.change.retracted = retracted;
    }

    /// Why a stored fact is no longer among the folded ones: another fact now carries its
    /// sources, or its sources are gone.
    fn retraction_of(&self, old: &Fact, matches: &[Option<usize>]) -> FactRetracted {
        let heir = (0..self.folded.facts.len())
            .filter(|index| shares_source(&self.folded.facts[*index], old))
            .min_by_key(|index| (matches[*index].is_some(), *index));
        let Some(heir) = heir else {
            return FactRetracted {
                fact: old.id.clone(),
                at: self.now,
                reason: Reason::Retracted,
                rule: Rule::SourceWithdrawn,
                cause: None,
                replaced_by: None,
            };
        };
        let fact = &self.folded.facts[heir];
        let earlier = fact.valid_from < old.valid_from;
        FactRetracted {
            fact: old.id.clone(),
            at: self.now,
            reason: Reason::Refined,
            rule: if earlier { Rule::EarlierEvidence } else { Rule::IntervalRestated },
            cause: fact.events.iter().find(|event| !old.events.contains(event)).cloned(),
            replaced_by: Some(self.ids[heir].clone()),
        }
    }

    fn change_sources(&mut self, matches: &[Option<usize>]) {
        for (index, at) in matches.iter().enumerate() {
            let Some(old) = at.map(|at| &self.stored[at]) else { continue };
            let events = &self.folded.facts[index].events;
            let added: Vec<EventId> =
                events.iter().filter(|event| !old.events.contains(event)).cloned().collect();
            let removed: Vec<EventId> =
                old.events.iter().filter(|event| !events.contains(event)).cloned().collect();
            if added.is_empty() && removed.is_empty() {
                continue;
            }
            let rule = if added.is_empty() { Rule::SourceWithdrawn } else { Rule::Repetition };
            let fact = old.id.clone();
            self.change.sources.push(SourcesChanged { fact, at: self.now, added, removed, rule });
        }
    }

    fn change_closings(&mut self, matches: &[Option<usize>]) {
        // A fact that is withdrawn for other reasons takes its end with it.
        let gone: Vec<(FactId, Closing)> = self
            .stored_without_match(matches)
            .into_iter()
            .filter(|old| is_live(old) || is_taken_back(old))
            .filter_map(|old| old.closing(None).map(|closing| (old.id.clone(), closing.clone())))
            .collect();
        for (fact, closing) in gone {
            self.withdraw(fact, closing.id, Rule::EndRestated, None);
        }
        for (index, at) in matches.iter().enumerate() {
            let wanted = self.folded.facts[index].closed.as_ref();
            let stored = at.and_then(|at| self.stored[at].closing(None)).cloned();
            if let (Some(wanted), Some(stored)) = (wanted, &stored)
                && self.is_same_closing(wanted, stored)
            {
                continue;
            }
            if let Some(stored) = stored {
                let cause = wanted.map(|closing| closing.cause.clone());
                let rule = if wanted.is_some() { Rule::EndRestated } else { Rule::SourceWithdrawn };
                self.withdraw(self.ids[index].clone(), stored.id, rule, cause);
            }
            if let Some(wanted) = wanted {
                let closing = self.closing(&self.ids[index], wanted);
                self.change.closed.push(FactClosed { fact: self.ids[index].clone(), closing });
            }
        }
    }

    fn withdraw(&mut self, fact: FactId, closing: ClosingId, rule: Rule, cause: Option<EventId>) {
        let at = self.now;
        self.change.reopened.push(ClosingWithdrawn { fact, closing, at, rule, cause });
    }

    fn is_same_closing(&self, wanted: &FoldedClosing, stored: &Closing) -> bool {
        wanted.valid_to == stored.valid_to
            && wanted.precision == stored.precision
            && wanted.cause == stored.cause
            && wanted.reason == stored.reason
            && wanted.rule.as_str() == stored.rule
            && wanted.superseded_by.map(|next| &self.ids[next]) == stored.superseded_by.as_ref()
    }

    fn closing(&self, fact: &FactId, wanted: &FoldedClosing) -> Closing {
        let used: BTreeSet<String> = self
            .by_id
            .get(fact)
            .map(|stored| stored.closings.iter().map(|closing| closing.id.0.clone()).collect())
            .unwrap_or_default();
        let base = Closing::id_for(fact, wanted.valid_to, &wanted.cause);
        Closing {
            id: ClosingId(next_generation(base.as_str(), &used)),
            valid_to: wanted.valid_to,
            precision: wanted.precision,
            recorded_at: self.now,
            retracted_at: None,
            cause: wanted.cause.clone(),
            reason: wanted.reason,
            rule: wanted.rule.as_str().to_owned(),
            superseded_by: wanted.superseded_by.map(|next| self.ids[next].clone()),
        }
    }

    fn change_conflicts(&mut self, stored: &[Conflict]) {
        let mut used: BTreeSet<String> = stored.iter().map(|c| c.id.0.clone()).collect();
        let mut kept = BTreeSet::new();
        for wanted in &self.folded.conflicts {
            let mut candidates: Vec<FactId> =
                wanted.candidates.iter().map(|index| self.ids[*index].clone()).collect();
            candidates.sort();
            let open =
                stored.iter().find(|old| old.resolved_at.is_none() && old.candidates == candidates);
            let resolved =
                stored.iter().any(|old| old.resolved_at.is_some() && old.candidates == candidates);
            if let Some(open) = open {
                kept.insert(open.id.clone());
                if wanted.decided_by.is_some() {
                    self.resolve(open, wanted.decided_by.clone(), Rule::DecidedByLaterValue);
                }
            } else if wanted.decided_by.is_none() || !resolved {
                let conflict = self.conflict(candidates, wanted, &mut used);
                self.change.conflicts.push(conflict);
            }
        }
        for old in stored.iter().filter(|old| old.resolved_at.is_none() && !kept.contains(&old.id))
        {
            let cause = self.change.retracted.iter().find_map(|retracted| {
                old.candidates.contains(&retracted.fact).then(|| retracted.cause.clone())?
            });
            self.resolve(old, cause, Rule::ConflictFellAway);
        }
    }

    fn resolve(&mut self, conflict: &Conflict, cause: Option<EventId>, rule: Rule) {
        let conflict = conflict.id.clone();
        self.change.resolved.push(ConflictResolved { conflict, at: self.now, cause, rule });
    }

    fn conflict(
        &self,
        candidates: Vec<FactId>,
        wanted: &FoldedConflict,
        used: &mut BTreeSet<String>,
    ) -> ConflictOpened {
        let parts = std::iter::once(self.slot_id.as_str());
        let base = content_hash(parts.chain(candidates.iter().map(FactId::as_str)));
        let id = next_generation(&format!("x_{base}"), used);
        used.insert(id.clone());
        let openers = wanted.candidates.iter().map(|index| &self.folded.facts[*index].events[0]);
        let causes: BTreeSet<EventId> = openers.cloned().collect();
        ConflictOpened {
            conflict: Conflict {
                id: ConflictId(id),
                slot: self.slot_id.clone(),
                candidates,
                recorded_at: self.now,
                resolved_at: wanted.decided_by.as_ref().map(|_| self.now),
                resolved_by: wanted.decided_by.clone(),
            },
            causes: causes.into_iter().collect(),
            rule: Rule::EqualInstantsConflict,
        }
    }
}

fn shares_source(folded: &FoldedFact, stored: &Fact) -> bool {
    folded.value.key() == stored.value.key()
        && folded.planned == stored.planned
        && folded.events.iter().any(|event| stored.events.contains(event))
}
