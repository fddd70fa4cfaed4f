//! Why a state is what it is: from a Fact to the rule that let it stand, the Events it rests on,
//! the quoted words, and what it replaced.

use super::context::placed;
use super::error::MemoryError;
use super::facts::{SlotView, is_hidden};
use super::namespace::Namespace;
use super::types::{AsOf, FactCard, QuotedSource, Why, WhyEvent, WhyLink, WhyQuestion};
use crate::model::{Event, EventId, Fact, FactId, FactStatus, Slot, ValidTime, property};
use crate::store::Tx;
use crate::temporal::{self, Rule};
use std::collections::{BTreeSet, HashSet};

/// Links that a chain of replaced Facts shows where no number is asked for.
pub const REPLACED_LINKS: usize = 10;
/// Most links that a chain of replaced Facts shows.
pub const MAX_REPLACED: usize = 200;

impl Namespace {
    /// Explains a Fact, or the state of an entity's property, with up to so many links of what it
    /// replaced.
    ///
    /// # Errors
    /// When there is no such Fact, entity or property, or nothing held then.
    pub fn why(&self, question: &WhyQuestion, links: usize) -> Result<Why, MemoryError> {
        let tx = self.store.begin()?;
        let known_at = match question {
            WhyQuestion::Fact(_) => None,
            WhyQuestion::State { as_of, .. } => as_of.known_at,
        };
        // Whoever asks for a Fact by its id may see what took it back; only what was forgotten is
        // gone from here too.
        let forgotten = match question {
            WhyQuestion::Fact(_) => tx.forgotten_events()?,
            WhyQuestion::State { .. } => tx.hidden_events(known_at)?,
        };
        let (views, wanted, as_of) = match question {
            WhyQuestion::Fact(id) => {
                let fact = tx.fact(id)?.filter(|fact| !is_hidden(fact, &forgotten));
                let fact = fact.ok_or_else(|| self.not_found("fact", id.as_str()))?;
                let view = SlotView::read(&tx, &fact.slot.id(), &forgotten, None)?;
                (view.into_iter().collect::<Vec<_>>(), vec![fact.id], AsOf::default())
            }
            WhyQuestion::State { entity, property, as_of } => {
                let views = self.slots_of_property(&tx, entity, property, &forgotten, known_at)?;
                let wanted = self.standing_facts(&views, *as_of);
                if wanted.is_empty() {
                    return Err(self.not_found("state", &format!("{entity} {property}")));
                }
                (views, wanted, *as_of)
            }
        };
        let mut facts = Vec::new();
        let mut replaced = Vec::new();
        let mut further = 0;
        for view in &views {
            for fact in view.facts.iter().filter(|fact| wanted.contains(&fact.id)) {
                facts.push(self.why_link(&tx, view, fact, as_of, &forgotten)?);
            }
            let chain = replaced_chain(&view.facts, &wanted, as_of);
            let room = links.min(MAX_REPLACED) - replaced.len();
            further += chain.len().saturating_sub(room);
            for fact in chain.into_iter().take(room) {
                replaced.push(self.why_link(&tx, view, fact, as_of, &forgotten)?);
            }
        }
        Ok(Why { facts, replaced, further })
    }

    fn slots_of_property(
        &self,
        tx: &Tx<'_>,
        entity: &str,
        asked: &str,
        forgotten: &HashSet<EventId>,
        known_at: Option<crate::model::TxTime>,
    ) -> Result<Vec<SlotView>, MemoryError> {
        let entity = self.find_entity(tx, entity)?;
        let known = property(asked).or_else(|| {
            let local = asked.strip_prefix(crate::vocab::SG).or_else(|| asked.strip_prefix("sg:"));
            local.and_then(property)
        });
        let mut views = Vec::new();
        let mut others = BTreeSet::new();
        for id in tx.slots_of(&entity.id)? {
            // A Slot's history is read only where it is asked for: the others may be long.
            let Some(slot) = tx.slot(&id)? else { continue };
            match known {
                Some(known) if slot.property != known.name => {}
                Some(_) => views.extend(SlotView::read(tx, &id, forgotten, known_at)?),
                None if others.contains(&slot.property) => {}
                None => {
                    let view = SlotView::read(tx, &id, forgotten, known_at)?;
                    if view.is_some_and(|view| !view.facts.is_empty()) {
                        others.insert(slot.property);
                    }
                }
            }
        }
        if known.is_none() {
            let others: Vec<String> = others.into_iter().collect();
            let has = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
            let reason = format!("{asked:?} is not a property we keep; {} has {has}", entity.label);
            return Err(MemoryError::invalid("property", reason));
        }
        Ok(views)
    }

    /// The Facts that answer "why is it so": what holds, else the candidates of a conflict, else
    /// what is planned, else what held last.
    fn standing_facts(&self, views: &[SlotView], as_of: AsOf) -> Vec<FactId> {
        let now = ValidTime(self.now());
        let mut lists: [Vec<FactId>; 4] = Default::default();
        for view in views {
            let state = view.state(as_of, now);
            let ids = |facts: &[&Fact]| facts.iter().map(|f| f.id.clone()).collect::<Vec<_>>();
            lists[0].extend(ids(&state.current));
            lists[1].extend(ids(&state.conflict));
            lists[2].extend(ids(&state.planned));
            let last = state.superseded.iter().max_by_key(|fact| fact.valid_to(as_of.known_at));
            lists[3].extend(last.map(|fact| fact.id.clone()));
        }
        lists.into_iter().find(|ids| !ids.is_empty()).unwrap_or_default()
    }

    fn why_link(
        &self,
        tx: &Tx<'_>,
        view: &SlotView,
        fact: &Fact,
        as_of: AsOf,
        forgotten: &HashSet<EventId>,
    ) -> Result<WhyLink, MemoryError> {
        let valid_at = as_of.valid_at.unwrap_or(ValidTime(self.now()));
        let status =
            temporal::status_of(fact, &view.facts, &view.conflicts, valid_at, as_of.known_at);
        let card = Self::fact_card(tx, fact, status.unwrap_or(FactStatus::Planned), as_of)?;
        let end = temporal::end_of(fact, as_of.known_at);
        let closing = end.as_ref().and_then(|end| end.closing);
        let rule = match closing {
            Some(closing) => closing.rule.clone(),
            None if card.status == FactStatus::Conflict => {
                Rule::EqualInstantsConflict.as_str().to_owned()
            }
            None => standing_rule(tx.fact_rule(&fact.id)?, view, fact, as_of),
        };
        let mut events = Vec::new();
        for id in &fact.events {
            events.extend(self.why_event(tx, id, as_of, forgotten)?);
        }
        let taken_back = tx.retraction_cause(&fact.id)?;
        let causes = fact.events.iter().chain(closing.map(|closing| &closing.cause));
        let mut numbers: Vec<u64> =
            causes.chain(&taken_back).filter_map(crate::model::EventId::act).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut acts = Vec::new();
        for number in numbers {
            acts.extend(tx.act(number)?);
        }
        Ok(WhyLink {
            rule_text: rule_text(&rule, &card, &view.slot),
            rule,
            events,
            acts,
            closing: closing.map(|closing| closing.id.clone()),
            fact: card,
        })
    }

    fn why_event(
        &self,
        tx: &Tx<'_>,
        id: &EventId,
        as_of: AsOf,
        forgotten: &HashSet<EventId>,
    ) -> Result<Option<WhyEvent>, MemoryError> {
        let Some(stored) = tx.event(id)? else { return Ok(None) };
        let turns = self.turns();
        let job = self.job(&stored.job).ok();
        let quotes = quotes(tx, &stored.event)?;
        let card = self.event_card(tx, stored, as_of, forgotten, turns)?;
        Ok(Some(WhyEvent { card, quotes, job, adopters: tx.adopters(id)? }))
    }
}

/// The rule by which a Fact stands. It may have been the first value that was known when an older
/// one came to light: then it stands because it is the later of the two.
fn standing_rule(recorded: String, view: &SlotView, fact: &Fact, as_of: AsOf) -> String {
    let gave_way = |other: &Fact| {
        let closing = other.closing(as_of.known_at);
        closing.is_some_and(|closing| closing.superseded_by.as_ref() == Some(&fact.id))
    };
    if recorded == Rule::FirstValue.as_str() && view.facts.iter().any(gave_way) {
        return Rule::LaterValueOfFunctionalProperty.as_str().to_owned();
    }
    recorded
}

/// The quoted spans with their messages; a source without a quote is given whole.
fn quotes(tx: &Tx<'_>, event: &Event) -> Result<Vec<QuotedSource>, MemoryError> {
    let mut quoted = Vec::new();
    for source in &event.sources {
        let Some(stored) = tx.message(&event.thread, source)? else { continue };
        let mut spans: Vec<(usize, usize, String)> = event
            .quotes
            .iter()
            .filter(|quote| quote.message == *source)
            .map(|quote| (quote.start, quote.end, quote.text.clone()))
            .collect();
        if spans.is_empty() {
            let text = stored.message.text();
            spans.push((0, text.chars().count(), text.to_owned()));
        }
        for (start, end, text) in spans {
            quoted.push(QuotedSource { text, start, end, message: placed(stored.clone()) });
        }
    }
    Ok(quoted)
}

/// What the wanted Facts replaced, and what that replaced, newest first.
fn replaced_chain<'f>(facts: &'f [Fact], wanted: &[FactId], as_of: AsOf) -> Vec<&'f Fact> {
    let mut seen: BTreeSet<&FactId> = BTreeSet::new();
    let mut found: Vec<&Fact> = Vec::new();
    let mut front: Vec<FactId> = wanted.to_vec();
    while let Some(successor) = front.pop() {
        for fact in facts {
            let by = fact.closing(as_of.known_at).and_then(|c| c.superseded_by.as_ref());
            if by == Some(&successor) && !wanted.contains(&fact.id) && seen.insert(&fact.id) {
                found.push(fact);
                front.push(fact.id.clone());
            }
        }
    }
    found.sort_by_key(|fact| std::cmp::Reverse((fact.valid_to(as_of.known_at), fact.id.clone())));
    found
}

/// Says a rule in words.
fn rule_text(rule: &str, card: &FactCard, slot: &Slot) -> String {
    let name = slot.property.replace('_', " ");
    match Rule::parse(rule) {
        Some(Rule::FirstValue) => format!("no other value of {name} was known for that time"),
        Some(Rule::LaterValueOfFunctionalProperty) => match card.superseded_by {
            Some(_) => format!("{name} holds one value at a time, and a later one took its place"),
            None => format!("{name} holds one value at a time, and this is the latest"),
        },
        Some(Rule::ValuesCoexist) => format!("{name} can hold several values at once"),
        Some(Rule::Repetition) => "the same was said again".to_owned(),
        Some(Rule::StatedAgainAfterEnd) => "it was said again after it had ended".to_owned(),
        Some(Rule::EndStated) => "the source says that it ended".to_owned(),
        Some(Rule::Correction) => "the source says that the earlier statement was wrong".to_owned(),
        Some(Rule::EqualInstantsConflict) => {
            "two values begin at the same instant, and nothing decides between them".to_owned()
        }
        Some(Rule::DecidedByLaterValue) => "a later statement decided a conflict".to_owned(),
        Some(Rule::ConflictFellAway) => "the conflict it was part of fell away".to_owned(),
        Some(Rule::EarlierEvidence) => {
            "an earlier statement of the same value came to light".to_owned()
        }
        Some(Rule::IntervalRestated) => "other evidence moved its interval".to_owned(),
        Some(Rule::EndRestated) => "other evidence moved its end".to_owned(),
        Some(Rule::PlanStated) => "it is planned; nothing says that it is done".to_owned(),
        Some(Rule::PlanReplaced) => "a newer plan took its place".to_owned(),
        Some(Rule::PlanFulfilled) => "what was planned is said to be so".to_owned(),
        Some(Rule::PlanOvertaken) => "something else came about instead".to_owned(),
        Some(Rule::PlanCancelled) => "the plan was called off".to_owned(),
        Some(Rule::OperatorAct) => "an operator decided it".to_owned(),
        Some(Rule::SourceWithdrawn) => "its last source was withdrawn".to_owned(),
        None => rule.replace('_', " "),
    }
}
