//! Values of one Slot following one another, without plans and with corrections already settled.

use super::order::{Item, MentionKey, group_by_place};
use super::rule::Rule;
use crate::model::{EventId, FactValue, Precision, Reason, ValidTime};
use std::collections::{BTreeMap, BTreeSet};

/// One value over one interval, with the claims that say so.
#[derive(Debug)]
pub(super) struct Run<'c> {
    pub value: &'c FactValue,
    pub key: String,
    pub start: Option<ValidTime>,
    pub precision: Precision,
    /// The end that the source mentioned last states, with its mention.
    known_end: Option<(MentionKey<'c>, ValidTime)>,
    /// The claims, the opening one first.
    pub items: Vec<Item<'c>>,
    /// The latest instant at which they are certain that it holds.
    certain_by: ValidTime,
    pub rule: Rule,
    pub closed: Option<RunClosing<'c>>,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(super) struct RunClosing<'c> {
    pub valid_to: ValidTime,
    pub precision: Precision,
    pub cause: &'c EventId,
    pub reason: Reason,
    pub rule: Rule,
    /// The run that follows.
    pub followed_by: Option<usize>,
}

/// Runs that begin at the same place with different values.
#[derive(Debug)]
pub(super) struct RunConflict<'c> {
    pub runs: Vec<usize>,
    /// The Event that decides the present, where one does.
    pub decided_by: Option<&'c EventId>,
}

/// The runs of one Slot (or of one value of a Slot whose values coexist), earliest first.
#[derive(Debug, Default)]
pub(super) struct Sequence<'c> {
    pub runs: Vec<Run<'c>>,
    pub conflicts: Vec<RunConflict<'c>>,
    /// The runs that hold at the place reached: none, one, or the candidates of a conflict.
    open: Vec<usize>,
    /// The latest instant at which a run that is over ended.
    over: Option<ValidTime>,
    /// For each key (empty for "any") the latest instant by which it is said to have ended.
    ends: BTreeMap<String, ValidTime>,
    /// The keys of all runs.
    seen: BTreeSet<String>,
}

impl<'c> Run<'c> {
    pub fn known_end(&self) -> Option<ValidTime> {
        self.known_end.map(|(_, end)| end)
    }

    fn has_expired_by(&self, at: ValidTime) -> bool {
        self.known_end().is_some_and(|end| end <= at)
    }

    pub fn holds_at(&self, at: ValidTime) -> bool {
        self.start.is_none_or(|start| start <= at)
            && !self.has_expired_by(at)
            && self.closed.as_ref().is_none_or(|closing| closing.valid_to > at)
    }

    fn add(&mut self, item: &Item<'c>) {
        if let Some(end) = item.claim.known_end
            && self.known_end.is_none_or(|(mention, _)| mention < item.mention_key())
        {
            self.known_end = Some((item.mention_key(), end));
        }
        self.certain_by = self.certain_by.max(item.by);
        self.items.push(item.clone());
    }
}

impl<'c> Sequence<'c> {
    /// Lays the claims out. `first_rule` is the rule under which a value begins that follows
    /// nothing. Plans are left aside.
    pub fn build(items: &[Item<'c>], first_rule: Rule) -> Self {
        let actual: Vec<Item<'c>> =
            items.iter().filter(|item| !item.claim.planned).cloned().collect();
        let mut sequence = Self::default();
        for group in group_by_place(&actual) {
            sequence.place(&group, first_rule);
        }
        sequence
    }

    /// Returns the runs that hold at an instant.
    pub fn holding_at(&self, at: ValidTime) -> Vec<usize> {
        (0..self.runs.len()).filter(|index| self.runs[*index].holds_at(at)).collect()
    }

    fn place(&mut self, group: &[Item<'c>], first_rule: Rule) {
        let Some(first) = group.first() else { return };
        let (expired, open) =
            self.open.iter().partition(|index| self.runs[**index].has_expired_by(first.by));
        self.open = open;
        let expired: Vec<usize> = expired;
        let ends = expired.iter().filter_map(|index| self.runs[*index].known_end());
        self.over = ends.chain(self.over).max();
        let mut asserted: BTreeMap<String, Vec<&Item<'c>>> = BTreeMap::new();
        for item in group.iter().filter(|item| item.is_assert()) {
            asserted.entry(item.value_key()).or_default().push(item);
        }
        if asserted.is_empty() {
            for item in group {
                self.end(item);
            }
        } else if asserted.len() == 1 {
            for (key, items) in asserted {
                self.assert(&key, &items, first_rule);
            }
        } else {
            self.contradict(asserted);
        }
    }

    fn end(&mut self, item: &Item<'c>) {
        let ended: Vec<usize> = self
            .open
            .iter()
            .copied()
            .filter(|index| item.claim.is_about(&self.runs[*index].key))
            .collect();
        let floor = ended.iter().map(|index| self.runs[*index].certain_by).max();
        let (at, precision) = after(item, floor);
        let valid_to = at.unwrap_or(item.by);
        self.ends.insert(item.value_key(), item.by);
        self.close_open(&ended, |_| RunClosing {
            valid_to,
            precision,
            cause: &item.claim.event,
            reason: Reason::Ended,
            rule: Rule::EndStated,
            followed_by: None,
        });
    }

    fn assert(&mut self, key: &str, items: &[&Item<'c>], first_rule: Rule) {
        if let [only] = self.open[..]
            && self.runs[only].key == key
        {
            for item in items {
                self.runs[only].add(item);
            }
            return;
        }
        let opener = items[0];
        let rule = if opener.claim.corrects {
            Rule::Correction
        } else if !self.open.is_empty() {
            Rule::LaterValueOfFunctionalProperty
        } else if self.seen.contains(key) {
            Rule::StatedAgainAfterEnd
        } else {
            first_rule
        };
        let new = self.begin(key, items, rule);
        let start = self.runs[new].start.unwrap_or(opener.by);
        // A correction that took a wrong value's place over ends what that value had ended: by a
        // change. Only one with a time of its own says that the former value ended otherwise.
        let (reason, rule) = if opener.claim.corrects && opener.claim.stated {
            (Reason::Corrected, Rule::Correction)
        } else if self.open.len() > 1 {
            (Reason::Changed, Rule::DecidedByLaterValue)
        } else {
            (Reason::Changed, Rule::LaterValueOfFunctionalProperty)
        };
        let replaced = self.open.clone();
        self.close_open(&replaced, |run| RunClosing {
            valid_to: start,
            precision: opener.precision,
            cause: &opener.claim.event,
            reason: if run.key == key { Reason::Refined } else { reason },
            rule,
            followed_by: Some(new),
        });
        self.open.push(new);
    }

    /// Different values at one place: each becomes a candidate, and what held until then ends
    /// there, because every candidate says so.
    fn contradict(&mut self, asserted: BTreeMap<String, Vec<&Item<'c>>>) {
        let ended = self.open.clone();
        let mut new: BTreeMap<String, usize> = BTreeMap::new();
        let mut openers: Vec<&Item<'c>> = Vec::new();
        for (key, items) in asserted {
            openers.push(items[0]);
            let index = self.begin(&key, &items, Rule::EqualInstantsConflict);
            new.insert(key, index);
        }
        let first = openers
            .iter()
            .min_by_key(|item| (item.claim.mentioned_at, item.claim.event.as_str()))
            .expect("a contradiction has candidates");
        let (cause, precision) = (&first.claim.event, first.precision);
        let start = new.values().find_map(|index| self.runs[*index].start).unwrap_or(first.by);
        self.close_open(&ended, |run| {
            let same = new.get(&run.key).copied();
            RunClosing {
                valid_to: start,
                precision,
                cause,
                reason: if same.is_some() { Reason::Refined } else { Reason::Changed },
                rule: Rule::EqualInstantsConflict,
                followed_by: same,
            }
        });
        self.open = new.values().copied().collect();
        self.conflicts.push(RunConflict { runs: self.open.clone(), decided_by: None });
    }

    /// Begins a run for a value: at the earliest start its opener allows, but not within what is
    /// certain of others.
    fn begin(&mut self, key: &str, items: &[&Item<'c>], rule: Rule) -> usize {
        let opener = items[0];
        let certain = self.open.iter().map(|index| self.runs[*index].certain_by).max();
        let (start, precision) = after(opener, certain);
        let (start, precision) = if self.leaves_room(key, start, opener.by) {
            (start, precision)
        } else {
            (Some(opener.by), vague(opener))
        };
        let mut run = Run {
            value: opener.claim.value.as_ref().expect("only assertions begin a run"),
            key: key.to_owned(),
            start,
            precision,
            known_end: None,
            items: Vec::new(),
            certain_by: opener.by,
            rule,
            closed: None,
        };
        for item in items {
            run.add(item);
        }
        self.seen.insert(run.key.clone());
        self.runs.push(run);
        self.runs.len() - 1
    }

    /// Whether a value can have begun at `start`: after all that is over by the instant at which
    /// it is certain, and not where it is said to have ended.
    fn leaves_room(&self, key: &str, start: Option<ValidTime>, by: ValidTime) -> bool {
        let is_after = |end: ValidTime| start.is_some_and(|start| start >= end);
        // An exact start at the very end is a new beginning, a vague one lies beyond it.
        let is_beyond = |end: ValidTime| {
            start.is_some_and(|start| start > end || (start == end && start == by))
        };
        self.over.is_none_or(is_after)
            && ["", key].iter().all(|of| self.ends.get(*of).copied().is_none_or(is_beyond))
    }

    fn close_open(&mut self, closed: &[usize], closing: impl Fn(&Run<'c>) -> RunClosing<'c>) {
        let Some(first) = closed.first() else { return };
        for index in closed {
            let closing = closing(&self.runs[*index]);
            self.over = self.over.max(Some(closing.valid_to));
            self.runs[*index].closed = Some(closing);
        }
        self.open.retain(|index| !closed.contains(index));
        let cause = self.runs[*first].closed.as_ref().map(|closing| closing.cause);
        // Runs that are open together are the candidates of the latest conflict.
        if let Some(conflict) = self.conflicts.last_mut()
            && conflict.runs.contains(first)
            && self.open.len() < 2
            && conflict.decided_by.is_none()
        {
            conflict.decided_by = cause;
        }
    }
}

/// Returns the claim's own earliest instant where it lies beyond the floor, else the instant by
/// which it is certain.
fn after(item: &Item<'_>, floor: Option<ValidTime>) -> (Option<ValidTime>, Precision) {
    match (item.at, floor) {
        (at, None) => (at, item.precision),
        (Some(at), Some(floor)) if at > floor => (Some(at), item.precision),
        _ => (Some(item.by), vague(item)),
    }
}

/// The precision of a time that had to be taken from the mention.
fn vague(item: &Item<'_>) -> Precision {
    if item.at.is_none() { Precision::Unknown } else { item.precision }
}
