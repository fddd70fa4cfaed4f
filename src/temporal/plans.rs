//! Plans: what is meant to be, beside what is. A plan never becomes part of the current state;
//! it stays open until it is replaced, said to be done, overtaken or called off.

use super::order::Item;
use super::rule::Rule;
use crate::model::{ClaimOp, EventId, FactValue, Reason, ValidTime};

/// One plan with the claims that state it, the opening one first.
#[derive(Debug)]
pub(super) struct Plan<'c> {
    pub value: &'c FactValue,
    key: String,
    pub items: Vec<Item<'c>>,
    pub closed: Option<PlanClosing<'c>>,
}

/// How a plan stopped being one.
#[derive(Debug)]
pub(super) struct PlanClosing<'c> {
    pub valid_to: ValidTime,
    pub cause: &'c EventId,
    pub reason: Reason,
    pub rule: Rule,
    pub followed_by: Option<Follower>,
}

/// What came in a plan's place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Follower {
    /// Another plan, by index.
    Plan(usize),
    /// A fact, by the index given with [`Signal::Stated`].
    Fact(usize),
}

/// What an actual claim means for the plans of its Slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Signal {
    /// It states a value that the fact of this index carries.
    Stated { fact: usize, opens_it: bool },
    /// It ends a value.
    Ended,
}

/// Lays the plans of a Slot out. `actual` are the standing actual claims and what each did; both
/// lists are in order of mention.
pub(super) fn fold_plans<'c>(items: &[Item<'c>], actual: &[(&Item<'c>, Signal)]) -> Vec<Plan<'c>> {
    let planned = items.iter().filter(|item| item.claim.planned).map(|item| (item, None));
    let heard = actual.iter().map(|(item, signal)| (*item, Some(*signal)));
    let mut mentions: Vec<(&Item<'c>, Option<Signal>)> = planned.chain(heard).collect();
    mentions.sort_by(|(a, _), (b, _)| a.mention_key().cmp(&b.mention_key()));
    let mut plans: Vec<Plan<'c>> = Vec::new();
    for mention in mentions.chunk_by(|(a, _), (b, _)| a.shares_mention(b)) {
        // That it was fulfilled says more than that something else came about in the same breath.
        for fulfilments in [true, false] {
            for (item, signal) in mention {
                for plan in &mut plans {
                    plan.hear(item, *signal, fulfilments);
                }
            }
        }
        let stated: Vec<&Item<'c>> =
            mention.iter().filter(|(_, signal)| signal.is_none()).map(|(item, _)| *item).collect();
        state_plans(&mut plans, &stated);
    }
    plans
}

/// Takes in the plans of one mention: a repetition adds a source; anything else takes the place
/// of the plans that were open before, and stands beside the others of its own mention.
fn state_plans<'c>(plans: &mut Vec<Plan<'c>>, stated: &[&Item<'c>]) {
    let mut newest = None;
    for item in stated.iter().filter(|item| item.is_assert()) {
        let key = item.value_key();
        let repeated = plans.iter_mut().find(|plan| plan.is_open() && plan.is_repeated(&key, item));
        if let Some(plan) = repeated {
            plan.items.push((*item).clone());
        } else {
            let value = item.claim.value.as_ref().expect("an assertion has a value");
            let items = vec![(*item).clone()];
            plans.push(Plan { value, key, items, closed: None });
            newest.get_or_insert((plans.len() - 1, *item));
        }
    }
    let Some((newest, item)) = newest else { return };
    let key = plans[newest].key.clone();
    for plan in plans.iter_mut().filter(|plan| plan.is_older_than(item)) {
        let is_same_value = plan.key == key;
        let reason = if item.claim.corrects {
            Reason::Corrected
        } else if is_same_value && !plan.items[0].claim.stated {
            Reason::Refined
        } else {
            Reason::Changed
        };
        plan.close(item, reason, Rule::PlanReplaced, Some(Follower::Plan(newest)));
    }
}

impl<'c> Plan<'c> {
    fn is_open(&self) -> bool {
        self.closed.is_none()
    }

    /// Whether all that states it was said before.
    fn is_older_than(&self, item: &Item<'c>) -> bool {
        self.items.iter().all(|stated| stated.claim.is_mentioned_before(item.claim))
    }

    fn is_repeated(&self, key: &str, item: &Item<'c>) -> bool {
        let opener = &self.items[0];
        let same_time = item.at == opener.at && item.claim.known_end == opener.claim.known_end;
        self.key == key && (!item.claim.stated || same_time)
    }

    fn close(&mut self, by: &Item<'c>, reason: Reason, rule: Rule, followed_by: Option<Follower>) {
        if !self.is_open() {
            return;
        }
        let said = ValidTime(by.claim.mentioned_at);
        // A plan for a later day ends as an empty interval, never as an inverted one.
        let valid_to = self.items[0].at.map_or(said, |start| start.max(said));
        let cause = &by.claim.event;
        self.closed = Some(PlanClosing { valid_to, cause, reason, rule, followed_by });
    }

    /// Takes in a later mention: an actual claim, or the calling off of a plan.
    fn hear(&mut self, item: &Item<'c>, signal: Option<Signal>, fulfilments: bool) {
        if !self.is_open() || !self.is_older_than(item) {
            return;
        }
        if let Some(Signal::Stated { fact, opens_it }) = signal {
            let planned_at = ValidTime(self.items[0].claim.mentioned_at);
            let is_same = item.value_key() == self.key;
            // What was over before the plan was made does not fulfil it, and a change that came
            // before it does not overtake it.
            let fulfils = is_same && item.claim.known_end.is_none_or(|end| end > planned_at);
            let overtakes = !is_same && opens_it && item.by >= planned_at;
            let follower = Some(Follower::Fact(fact));
            if fulfils && fulfilments {
                self.close(item, Reason::Changed, Rule::PlanFulfilled, follower);
            } else if overtakes && !fulfilments {
                self.close(item, Reason::Changed, Rule::PlanOvertaken, follower);
            }
        } else if item.claim.op == ClaimOp::End && !fulfilments && item.claim.is_about(&self.key) {
            self.close(item, Reason::Ended, Rule::PlanCancelled, None);
        }
    }
}
