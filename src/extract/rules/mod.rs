//! The built-in engine: rules over English and Chinese, deterministic, without a network.
//!
//! It reads only what people say ([`scene`]), cuts it into clauses ([`text`]), recognises each
//! clause by its grammar ([`classify`]), lets the dialogue confirm, refuse, withdraw or carry out
//! ([`dialogue`]), and states what the words state about entities ([`claims`], [`tooling`]).
//!
//! Precision goes before recall: no sign, no Event. Why? An Event that was never said does more
//! harm in a memory than one that is only findable as a message.

mod answers;
mod bodies;
mod claims;
mod classify;
mod corrections;
mod dialogue;
mod draft;
mod endings;
mod familiar;
mod foreign;
mod lexicon;
mod name_words;
mod names;
mod outcomes;
mod owners;
mod people;
mod plans;
mod relations;
mod scene;
mod settle;
mod signs;
mod summary;
mod talk;
mod tastes;
mod text;
mod tokens;
mod tooling;
mod undertakings;

#[cfg(test)]
mod tests;

use super::{BlockInput, Engine, EngineError, Extraction, RejectedItem};
use crate::model::{
    BlockSummary, ClaimValue, Criticality, EntityKind, EntityRef, Event, EventId, EventKind,
    EventStatus, Extractor, Relation, RelationKind, Scope,
};
use draft::Draft;
use scene::Line;
use std::collections::{BTreeMap, HashSet};

/// The built-in engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules;

impl Engine for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn version(&self) -> &'static str {
        "3"
    }

    fn summarise(&self, input: &BlockInput<'_>) -> Result<BlockSummary, EngineError> {
        let lines = scene::lines(input.messages);
        let drafts = draft_all(&lines, input);
        let tags = tags_of(&lines, &drafts);
        Ok(summary::summarise(&lines, &drafts, tags))
    }

    fn extract(&self, input: &BlockInput<'_>) -> Result<Extraction, EngineError> {
        let lines = scene::lines(input.messages);
        let drafts = draft_all(&lines, input);
        Ok(self.events(input, &lines, &drafts))
    }
}

fn draft_all(lines: &[Line<'_>], input: &BlockInput<'_>) -> Vec<Draft> {
    let mut drafts = dialogue::walk(lines, input);
    relations::relate(&mut drafts, lines, input.events);
    drafts
}

impl Rules {
    fn events(self, input: &BlockInput<'_>, lines: &[Line<'_>], drafts: &[Draft]) -> Extraction {
        let ids: Vec<EventId> = drafts.iter().map(|d| id_of(d, lines, input)).collect();
        let mut out = Extraction::default();
        let mut seen: HashSet<&EventId> = HashSet::new();
        let known: HashSet<&EventId> = input.events.iter().map(|e| &e.id).collect();
        for (index, draft) in drafts.iter().enumerate().filter(|(_, d)| !d.dropped) {
            if !seen.insert(&ids[index]) {
                out.rejected.push(RejectedItem {
                    item: draft.statement.clone(),
                    reason: "the same statement from the same messages is there already".to_owned(),
                });
                continue;
            }
            let link = |kind, targets: &[usize]| -> Vec<Relation> {
                targets
                    .iter()
                    .filter(|t| !drafts[**t].dropped && ids[**t] != ids[index])
                    .map(|t| Relation { kind, target: ids[*t].clone() })
                    .collect()
            };
            let mut relations = link(RelationKind::Fulfils, &draft.fulfils);
            relations.extend(link(RelationKind::Supersedes, &draft.supersedes));
            relations.extend(link(RelationKind::Refines, &draft.refines));
            relations.extend(
                draft
                    .known
                    .iter()
                    .filter(|r| known.contains(&r.target) && r.target != ids[index])
                    .cloned(),
            );
            out.events.push(self.event(input, lines, draft, ids[index].clone(), relations));
        }
        out
    }

    fn event(
        self,
        input: &BlockInput<'_>,
        lines: &[Line<'_>],
        draft: &Draft,
        id: EventId,
        relations: Vec<Relation>,
    ) -> Event {
        let first = draft.sources.first().copied().unwrap_or(draft.line);
        let speaker = lines[draft.line].message.speaker_or_role().to_owned();
        Event {
            id,
            title: summary::shorten(&draft.statement, 100),
            summary: summary_of(draft, lines),
            kind: draft.kind,
            status: draft.status,
            tags: tags_of_draft(draft),
            quotes: draft.quotes(lines),
            participants: participants(draft, lines),
            thread: input.thread.clone(),
            block: input.block.clone(),
            sources: draft.sources.iter().map(|i| lines[*i].message.id.clone()).collect(),
            mentioned_at: lines[first].message.at,
            occurred: draft.occurred.clone(),
            scope: scope(draft),
            criticality: criticality(draft),
            relations,
            speaker,
            reason: draft.reason.clone(),
            extractor: Extractor {
                name: self.name().to_owned(),
                version: self.version().to_owned(),
            },
            claims: draft.claims.clone(),
        }
    }
}

fn id_of(draft: &Draft, lines: &[Line<'_>], input: &BlockInput<'_>) -> EventId {
    let sources: Vec<_> = draft.sources.iter().map(|i| lines[*i].message.id.clone()).collect();
    Event::id_for(input.thread, &sources, draft.kind, &draft.statement)
}

/// The sentences it rests on, as they were said.
fn summary_of(draft: &Draft, lines: &[Line<'_>]) -> String {
    let line = &lines[draft.line];
    let mut said = text::bare(line.text, &draft.sentence).to_owned();
    if said.is_empty() {
        said.clone_from(&draft.statement);
    }
    if let Some(reason) = draft.reason.as_deref().filter(|r| !said.contains(*r)) {
        let chinese = text::is_chinese(&said);
        said = if chinese {
            format!("{said}（原因：{reason}）")
        } else {
            format!("{said} (reason: {reason})")
        };
    }
    summary::shorten(&said, 400)
}

fn participants(draft: &Draft, lines: &[Line<'_>]) -> Vec<EntityRef> {
    let mut found: BTreeMap<crate::model::EntityId, EntityRef> = BTreeMap::new();
    let speaker = lines[draft.line].person();
    let about = std::iter::once(&draft.subject).chain(std::iter::once(&speaker));
    for entity in about.chain(&draft.participants) {
        found.entry(entity.id()).or_insert_with(|| entity.clone());
    }
    for claim in &draft.claims {
        found.entry(claim.subject.id()).or_insert_with(|| claim.subject.clone());
        if let ClaimValue::Entity(value) = &claim.value {
            found.entry(value.id()).or_insert_with(|| value.clone());
        }
    }
    found.into_values().collect()
}

fn tags_of_draft(draft: &Draft) -> Vec<String> {
    let mut tags: Vec<String> = draft.claims.iter().map(|c| c.property.clone()).collect();
    tags.extend(lexicon::tools(&draft.statement).into_iter().map(|t| t.name));
    tags.sort();
    tags.dedup();
    tags
}

fn tags_of(lines: &[Line<'_>], drafts: &[Draft]) -> Vec<String> {
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for draft in drafts.iter().filter(|d| !d.dropped) {
        for claim in &draft.claims {
            *counted.entry(claim.subject.name.clone()).or_default() += 2;
            if let ClaimValue::Entity(value) = &claim.value {
                *counted.entry(value.name.clone()).or_default() += 2;
            }
        }
    }
    for line in lines {
        for found in lexicon::tools(&line.blank) {
            *counted.entry(found.name).or_default() += 1;
        }
    }
    for plain in ["user", "this project"] {
        counted.remove(plain);
    }
    let mut ranked: Vec<(String, usize)> = counted.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranked.into_iter().map(|(tag, _)| summary::shorten(&tag, 40)).collect()
}

fn scope(draft: &Draft) -> Scope {
    let about = draft.claims.first().map_or(draft.subject.kind, |c| c.subject.kind);
    match (draft.kind, about) {
        (EventKind::Request, _) if draft.claims.is_empty() => Scope::Session,
        (EventKind::Preference | EventKind::Habit, _) => Scope::User,
        (_, EntityKind::Person) if draft.kind != EventKind::Decision => Scope::User,
        _ => Scope::Project,
    }
}

fn criticality(draft: &Draft) -> Criticality {
    let has = |names: &[&str]| {
        draft.claims.iter().any(|c| !c.planned && names.contains(&c.property.as_str()))
    };
    let negative = matches!(draft.status, EventStatus::Rejected | EventStatus::Cancelled);
    if !negative && (has(&["allergic_to"]) || DANGER.is_match(&draft.statement)) {
        Criticality::Safety
    } else if has(&["diet", "home_city", "employer", "role", "birthday", "partner"]) {
        Criticality::Identity
    } else if matches!(draft.kind, EventKind::Preference | EventKind::Habit) {
        Criticality::Preference
    } else {
        Criticality::Routine
    }
}

text::cue!(
    DANGER,
    r"~(?:allerg\w+|anaphyla\w+|epipen|pacemaker|diabetic|diabetes|epilep\w+|seizures?|suicid\w+|overdose|insulin|blood thinners?|medication|heart condition|asthma(?:tic)?)~|过敏|糖尿病|癫痫|心脏病|哮喘|高血压|药物|自杀"
);
