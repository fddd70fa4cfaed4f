//! Walks through the lines of a Block and drafts its Events: what people state, what a "yes"
//! confirms, what a refusal rejects, what a tool's success or failure shows.

use super::claims::{Ground, fill, subject_of};
use super::classify::{Class, Clause, classify};
use super::corrections::{announcement, corrects, only_points};
use super::draft::{Draft, dating, is_ahead};
use super::familiar::Familiar;
use super::names::{person, project_in};
use super::scene::{Line, Voice};
use super::signs::{
    AFFIRMS, BECAUSE, BECAUSE_CLAUSE, COMPLAINT, DOES_NOTHING, FRAGMENT_MAYBE, FRAGMENT_SURE,
    FRAGMENT_VERB, MUST_STAY, NEW_NAME, RESCHEDULES, WILL, reason_text, takes_reason,
};
use super::text::{Span, bare};
use crate::extract::dates::{Tense, tense_of};
use crate::extract::{BlockInput, KnownEvent};
use crate::model::{
    ClaimOp, ClaimValue, EntityKind, EntityRef, EventKind as K, EventStatus as S, Role,
    normalise_name,
};
use std::collections::BTreeMap;

/// What the walk has learnt so far.
pub(super) struct Walk<'a> {
    pub lines: &'a [Line<'a>],
    pub drafts: Vec<Draft>,
    pub project: Option<EntityRef>,
    pub trip: Option<EntityRef>,
    pub person: Option<EntityRef>,
    /// Whether the project was named in this Block.
    pub named_here: bool,
    /// The project that each property was last stated of.
    pub holders: BTreeMap<String, EntityRef>,
    pub to_agent: bool,
    /// Earlier Events of the thread.
    pub known: &'a [KnownEvent],
    /// The names that the conversation knows.
    pub familiar: Familiar,
}

pub(super) fn walk<'a>(lines: &'a [Line<'a>], input: &BlockInput<'a>) -> Vec<Draft> {
    let to_agent = lines.iter().any(|l| matches!(l.voice, Voice::Assistant | Voice::Tool))
        || lines.iter().all(|l| l.message.speaker.is_none());
    let mut walk = Walk {
        lines,
        drafts: Vec::new(),
        project: known_project(input),
        trip: known_trip(input),
        person: None,
        named_here: false,
        holders: known_holders(input),
        to_agent,
        known: input.events,
        familiar: Familiar::before(input),
    };
    for (index, line) in lines.iter().enumerate() {
        match line.voice {
            Voice::System => {}
            Voice::Tool => walk.read_tool(index, line.text),
            Voice::Assistant => walk.read_assistant(index),
            Voice::Person => walk.read_person(index),
        }
    }
    walk.drafts
}

/// The project that each property was last stated of before the Block.
fn known_holders(input: &BlockInput<'_>) -> BTreeMap<String, EntityRef> {
    let claims = input.events.iter().flat_map(|event| &event.claims);
    claims
        .filter(|claim| claim.subject.kind == EntityKind::Project)
        .map(|claim| (claim.property.clone(), claim.subject.clone()))
        .collect()
}

/// Whether all that is known of a project is when it is due, how far it is and whose it is: "the
/// launch" is something to do, not what a conversation is about from then on.
fn is_piece_of_work(name: &str, input: &BlockInput<'_>) -> bool {
    let mut told = input
        .events
        .iter()
        .flat_map(|event| &event.claims)
        .filter(|claim| claim.subject.kind == EntityKind::Project && claim.subject.name == name)
        .map(|claim| claim.property.as_str())
        .peekable();
    let work = ["status", "date", "start_date", "end_date", "deadline", "owner", "recipient"];
    !super::familiar::is_proper(name)
        && told.peek().is_some()
        && told.all(|property| work.contains(&property))
}

/// The trip last told before the Block, while it is still to come or under way.
fn known_trip(input: &BlockInput<'_>) -> Option<EntityRef> {
    let today = input.messages.first()?.at.local_day();
    let claims = input.events.iter().rev().flat_map(|event| &event.claims);
    let told = claims.clone().find(|claim| claim.subject.name.ends_with(" trip"))?;
    let over = claims
        .filter(|claim| claim.subject == told.subject)
        .any(|claim| claim.planned && claim.op == ClaimOp::End);
    let ahead = input.events.iter().flat_map(|event| &event.claims).any(|claim| {
        claim.subject == told.subject
            && matches!(claim.value, ClaimValue::Date(day) if day >= today)
    });
    (ahead && !over).then(|| told.subject.clone())
}

/// The project of the conversation before the Block, where only one can be meant.
fn known_project(input: &BlockInput<'_>) -> Option<EntityRef> {
    // A tool's output names what it works on, not what the people talk about.
    let mut people =
        input.before.iter().rev().filter(|m| !matches!(m.role, Role::Tool | Role::System));
    let said = people.find_map(|m| project_in(m.text()));
    said.or_else(|| {
        let subject =
            input.events.iter().rev().flat_map(|e| &e.claims).map(|c| &c.subject).find(|s| {
                s.kind == EntityKind::Project
                    && s.name != "this project"
                    && !is_piece_of_work(&s.name, input)
            });
        subject.cloned()
    })
    .or_else(|| {
        let mut projects = input
            .entities
            .iter()
            .filter(|e| e.kind == EntityKind::Project && e.name != "this project")
            .filter(|e| !is_piece_of_work(&e.name, input));
        let only = projects.next()?;
        projects.next().is_none().then(|| EntityRef {
            kind: only.kind,
            name: only.name.clone(),
            aliases: only.aliases.clone(),
        })
    })
}

impl Walk<'_> {
    pub(super) fn read_person(&mut self, index: usize) {
        let line = &self.lines[index];
        if line.sentences.is_empty()
            || DOES_NOTHING.is_match(line.text.trim()) && self.question_before(index).is_none()
        {
            return;
        }
        let named = project_in(&line.blank).or_else(|| self.familiar.project_in(&line.blank));
        if let Some(project) = named {
            self.project = Some(project);
            self.named_here = true;
        }
        self.reject_proposal(index);
        let before = self.drafts.len();
        self.draft_line(index, index, line.sentences.len());
        let affirmed = AFFIRMS.find(line.blank.trim_start()).map(|m| m.end());
        if affirmed.is_some() {
            self.confirm(index, before);
        }
        self.settle_line(before);
    }

    /// Drafts what the sentences of a line state.
    pub(super) fn draft_line(&mut self, index: usize, said_by: usize, sentences: usize) {
        let line = &self.lines[index];
        for sentence in line.sentences.iter().take(sentences) {
            let _sentence_text = bare(&line.blank, &sentence.span);
            let mut idle: Vec<Span> = Vec::new();
            let mut last_made: Option<usize> = None;
            for clause in &sentence.clauses {
                let made =
                    self.draft_clause(index, said_by, &sentence.span, clause, sentence.is_question);
                let text = bare(&line.blank, clause);
                self.person = super::names::person_at_head(text)
                    .filter(|head| !self.familiar.is_project(&head.name))
                    .or_else(|| super::names::han_person_at_head(text))
                    .or_else(|| super::claims::relative_at_head(text, &line.person()))
                    .or_else(|| NEW_NAME.captures(text).and_then(|c| person(&c["n"])))
                    .or(self.person.take());
                if let Some(at) = made {
                    if let Some(reason) = idle.last().filter(|i| {
                        COMPLAINT.is_match(&line.text[(*i).clone()]) && {
                            self.drafts[at].reason.is_none()
                                && takes_reason(self.drafts[at].kind)
                                && !sentence.is_question
                        }
                    }) {
                        // What was complained of in the same breath is why.
                        let first = idle.first().map_or(reason.start, |s| s.start);
                        self.drafts[at].reason = reason_text(&line.text[first..reason.end]);
                    }
                    idle.clear();
                    last_made = Some(at);
                } else {
                    let words = bare(line.text, clause);
                    if let Some(at) = last_made {
                        self.add_afterthought(at, words);
                    } else if words.chars().count() > 5 {
                        idle.push(clause.clone());
                    }
                }
            }
        }
    }

    /// A clause after a drafted one: its reason, or a word that something stays as it was.
    pub(super) fn add_afterthought(&mut self, at: usize, words: &str) {
        let draft = &mut self.drafts[at];
        let explains = BECAUSE_CLAUSE.is_match(words) || draft.kind == K::Decision;
        // "…, since April I work from home" tells since when, not why.
        let at = &self.lines[draft.line].message.at;
        if words.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("since"))
            && !crate::extract::dates::find(words, at).is_empty()
        {
            return;
        }
        if draft.reason.is_none()
            && takes_reason(draft.kind)
            && explains
            && !MUST_STAY.is_match(words)
            && words.chars().count() > 5
        {
            draft.reason = reason_text(words);
        }
    }

    pub(super) fn draft_clause(
        &mut self,
        index: usize,
        said_by: usize,
        sentence: &Span,
        clause: &Span,
        is_question: bool,
    ) -> Option<usize> {
        let line = &self.lines[index];
        let mut clause = clause.clone();
        let text = &line.blank[clause.clone()];
        if let Some(yes) = AFFIRMS.find(text).filter(|m| m.end() < text.len()) {
            clause.start += yes.end();
            clause = super::text::trim(&line.blank, clause);
        }
        let announced = announcement(&line.blank[clause.clone()]);
        clause = super::text::trim(&line.blank, clause.start + announced..clause.end);
        let spelt = super::classify::normalised(bare(&line.blank, &clause)).into_owned();
        let text = spelt.as_str();
        if !text.chars().any(char::is_alphanumeric) {
            return None;
        }
        let at = &self.lines[said_by].message.at;
        let time = dating(line, &clause, sentence);
        let mut times = line.times_in(&clause);
        if times.is_empty() {
            times.extend(time.clone());
        }
        let seen = Clause {
            text,
            sentence: bare(&line.blank, sentence),
            is_question,
            times: &times,
            today: at.local_day(),
            to_agent: self.to_agent,
        };
        let sentence_words = bare(&line.blank, sentence).to_owned();
        if corrects(&sentence_words) && !is_question {
            let (text, clause) = (text.to_owned(), clause.clone());
            if let Some(made) = self.correct(index, sentence, &clause, &text) {
                return Some(made);
            }
            if only_points(&text) || self.is_spent(index, sentence) {
                return None;
            }
        }
        let class = classify(&seen).or_else(|| self.fragment(index, text))?;
        let time = if class.status == S::Negated && time.is_none() {
            // "The pool was closed on Wednesday, so I did not go."
            line.times_in(&(sentence.start..clause.start)).pop()
        } else {
            time
        };
        if class.withdraws {
            return self.withdraw(index, sentence, &clause, text);
        }
        if class.kind == K::Plan
            && class.status == S::Planned
            && time.is_none()
            && text.is_ascii()
            && text.split_whitespace().count() < 4
            && FRAGMENT_SURE.captures(text).is_none()
        {
            return None;
        }
        let moves = matches!(class.kind, K::Plan | K::Change)
            && class.status != S::Tentative
            && time.as_ref().is_some_and(|t| is_ahead(&t.occurrence, at.local_day()))
            && RESCHEDULES.is_match(text)
            && !WILL.is_match(text);
        let class =
            if moves { Class { kind: K::Change, status: S::Occurred, ..class } } else { class };
        let mut draft =
            Draft::new(index, line, clause.clone(), sentence.clone(), class, time.as_ref());
        bare(line.text, &clause).clone_into(&mut draft.statement);
        self.finish(&mut draft, bare(line.text, sentence));
        let place = self.drafts.len();
        self.drafts.push(draft);
        if moves {
            self.plan_of_move(place, time.as_ref());
        }
        Some(place)
    }

    /// What a clause of a line is read against.
    pub(super) fn ground<'g>(
        &'g self,
        speaker: &'g EntityRef,
        line: usize,
        sentence: &'g str,
    ) -> Ground<'g> {
        Ground {
            speaker,
            project: self.project.as_ref(),
            sentence,
            trip: self.trip.as_ref(),
            person: self.person.as_ref(),
            named_here: self.named_here,
            holders: &self.holders,
            familiar: &self.familiar,
            today: self.lines[line].message.at.local_day(),
        }
    }

    /// Fills in subject, reason and claims.
    pub(super) fn finish(&mut self, draft: &mut Draft, sentence: &str) {
        let speaker = self.lines[draft.line].person();
        let ground = self.ground(&speaker, draft.line, sentence);
        draft.subject = subject_of(&draft.statement, &ground);
        fill(draft, &ground);
        if draft.status == S::Rejected {
            self.refuse(draft);
        }
        self.yield_to_firm_plans(draft);
        self.learn_names(draft);
        if draft.reason.is_none() && takes_reason(draft.kind) {
            draft.reason = BECAUSE
                .find(&draft.statement)
                .filter(|m| m.start() > 0 || BECAUSE_CLAUSE.is_match(&draft.statement))
                .and_then(|m| {
                    let rest = &draft.statement[m.end()..];
                    // "Since" is a time as often as a reason.
                    let at = &self.lines[draft.line].message.at;
                    let dated = m.as_str().to_lowercase().starts_with("since")
                        && (tense_of(rest) == Tense::Past
                            || !crate::extract::dates::find(&draft.statement[m.start()..], at)
                                .is_empty());
                    if dated { None } else { reason_text(rest) }
                });
        }
        if let Some(claim) = draft.claims.iter().find(|c| c.subject.name.ends_with(" trip")) {
            self.trip = Some(claim.subject.clone());
        }
    }

    /// Keeps the names that a draft's claims tell: what uses a database is no person.
    fn learn_names(&mut self, draft: &mut Draft) {
        for claim in &draft.claims {
            self.familiar.learn(claim);
            let own = !matches!(claim.subject.kind, EntityKind::Person);
            if own && normalise_name(&claim.subject.name) == normalise_name(&draft.subject.name) {
                draft.subject = claim.subject.clone();
            }
            if claim.subject.kind == EntityKind::Project {
                self.holders.insert(claim.property.clone(), claim.subject.clone());
            }
        }
    }

    /// An answer in fragments ("Sintra for sure, maybe Cascais") to what somebody asked.
    pub(super) fn fragment(&self, index: usize, text: &str) -> Option<Class> {
        self.question_before(index)?;
        if FRAGMENT_VERB.is_match(text) {
            return None;
        }
        let status = if FRAGMENT_SURE.is_match(text) {
            S::Planned
        } else if FRAGMENT_MAYBE.is_match(text) {
            S::Tentative
        } else {
            return None;
        };
        Some(Class { kind: K::Plan, status, withdraws: false })
    }

    /// The line before, if another party asked or said something there.
    pub(super) fn line_before(&self, index: usize) -> Option<usize> {
        let own = self.lines[index].message.speaker_or_role();
        (0..index)
            .rev()
            .find(|i| {
                !matches!(self.lines[*i].voice, Voice::Tool | Voice::System)
                    && !self.lines[*i].text.trim().is_empty()
            })
            .filter(|i| self.lines[*i].message.speaker_or_role() != own)
    }

    pub(super) fn question_before(&self, index: usize) -> Option<(usize, usize)> {
        let before = self.line_before(index)?;
        let place = self.lines[before].sentences.iter().rposition(|s| s.is_question)?;
        Some((before, place))
    }
}
