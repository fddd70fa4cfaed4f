//! What an answer does to what was said before it: confirms, completes, corrects or refuses it.

use super::claims::fill;
use super::classify::{Class, Clause, classify};
use super::dialogue::Walk;
use super::draft::{Draft, dating};
use super::scene::Voice;
use super::signs::{
    ACCEPTS, AFFIRMS, ASKED_NOUN, END_FRAGMENT, IT, OFFER, POINTS_BACK, PROPOSES, REFUSES, RETURN,
    SUGGESTS, TO_DO_FOR, reason_in, refusal_reason,
};
use super::text::bare;
use super::tokens::{content_tokens, shared_tokens};
use crate::model::{EntityKind, EventKind as K, EventStatus as S, Occurrence};

impl Walk<'_> {
    /// "Yes": joins the question to the sources, or takes the question's content as stated.
    pub(super) fn confirm(&mut self, index: usize, own_from: usize) {
        let Some(before) = self.line_before(index) else { return };
        let line = &self.lines[index];
        let asked = self.question_before(index).filter(|(b, _)| *b == before);
        let question_text = match asked {
            Some((_, place)) => {
                bare(self.lines[before].text, &self.lines[before].sentences[place].span).to_owned()
            }
            None => self.lines[before].text.to_owned(),
        };
        let question_tokens = content_tokens(&question_text);
        let own: Vec<usize> = (own_from..self.drafts.len()).collect();
        let answer_tokens = content_tokens(line.text);
        if let Some(first) = own.first().copied() {
            if END_FRAGMENT.is_match(&self.drafts[first].statement)
                && self.drafts[first].kind == K::Plan
                && own_from > 0
            {
                // "Yes, back on the 17th" completes the plan that was asked about.
                self.drafts[first].dropped = true;
                let target = (0..own_from).rev().find(|d| {
                    self.drafts[*d].is_open() && self.drafts[*d].occurred.local_from.is_some()
                });
                if let Some(target) = target {
                    let span = line.sentences[0].span.clone();
                    self.drafts[target].add_quote(index, span);
                    self.refine_end(target, index);
                }
                return;
            }
            let points_back = POINTS_BACK.is_match(line.text)
                || shared_tokens(&question_tokens, &answer_tokens) > 0;
            if asked.is_some()
                && points_back
                && self.lines[before].voice == Voice::Assistant
                && self.drafts[first].line == index
                && self.answers_at_once(first, index)
            {
                self.drafts[first].add_source(before);
                self.resolve_pointer(first, &question_text);
                return;
            }
        }
        let takes_up = |d: &usize| {
            matches!(self.drafts[*d].kind, K::Request | K::Plan | K::Decision)
                && self.drafts[*d].line == index
        };
        if asked.is_some()
            && self.lines[before].voice == Voice::Assistant
            && let Some(first) = own.iter().copied().find(takes_up)
        {
            self.drafts[first].add_source(before);
            return;
        }
        if asked.is_none() && own.is_empty() && self.accept_proposal(index, before) {
            return;
        }
        if asked
            .is_some_and(|(_, place)| self.adopt_question(index, before, place, &question_tokens))
            || !own.is_empty()
        {
            return;
        }
        // It says again, or agrees to, what is known already.
        let related = (0..own_from).rev().filter(|d| !self.drafts[*d].dropped).max_by_key(|d| {
            let draft = &self.drafts[*d];
            let near = usize::from(draft.line + 2 >= before);
            (shared_tokens(&question_tokens, &draft.tokens) * 2 + near, *d)
        });
        let Some(related) = related else { return };
        let shared = shared_tokens(&question_tokens, &self.drafts[related].tokens);
        let chat = self.lines[before].voice == Voice::Person;
        if chat && (asked.is_none() || shared < 2 || self.drafts[related].line + 6 < index) {
            return;
        }
        let adjacent = self.drafts[related].line + 2 >= before;
        if shared > 0
            || (adjacent && asked.is_some())
            || (adjacent && self.lines[before].voice == Voice::Assistant)
        {
            let span = line.sentences[0].span.clone();
            let at_once = line.message.at.utc
                - self.lines[self.drafts[related].line].message.at.utc
                < chrono::TimeDelta::days(1);
            if self.lines[before].voice == Voice::Assistant && at_once && (shared > 0 || adjacent) {
                self.drafts[related].add_source(before);
            }
            self.drafts[related].add_quote(index, span);
            self.refine_end(related, index);
        }
    }

    pub(super) fn answers_at_once(&self, draft: usize, index: usize) -> bool {
        self.lines[index].sentences.first().is_some_and(|s| self.drafts[draft].sentence == s.span)
            || AFFIRMS.is_match(self.lines[index].text.trim_start())
    }

    /// "Send it to Tom" after "the licence list?": the object stands in the question.
    pub(super) fn resolve_pointer(&mut self, draft: usize, question: &str) {
        let line = self.drafts[draft].line;
        let statement = self.drafts[draft].statement.clone();
        if let Some(noun) = ASKED_NOUN.captures(question) {
            let resolved = IT.replace(&statement, format!("the {}", &noun["o"])).into_owned();
            if resolved != statement {
                let speaker = self.lines[line].person();
                let mut copy = self.drafts[draft].clone();
                copy.statement.clone_from(&resolved);
                let ground = self.ground(&speaker, line, &resolved);
                fill(&mut copy, &ground);
                self.drafts[draft].claims = copy.claims;
                self.drafts[draft].tokens.extend(content_tokens(&noun["o"]));
                self.drafts[draft].tokens.sort();
                self.drafts[draft].tokens.dedup();
            }
        }
    }

    /// A later answer that gives the end of a plan ("back on the 17th").
    pub(super) fn refine_end(&mut self, draft: usize, index: usize) {
        let Some(time) =
            self.lines[index].times.iter().find(|t| t.mention.occurrence.local_from.is_some())
        else {
            return;
        };
        let said = &time.mention.occurrence;
        let draft = &mut self.drafts[draft];
        if draft.is_open()
            && RETURN.is_match(self.lines[index].text)
            && draft.occurred.local_from < said.local_to
        {
            draft.occurred.to = said.to;
            draft.occurred.local_to = said.local_to;
            draft.occurred.precision = crate::model::Precision::Range;
        }
    }

    /// Takes the content of a confirmed question as stated by the one who confirms.
    pub(super) fn adopt_question(
        &mut self,
        index: usize,
        asked_in: usize,
        place: usize,
        question_tokens: &[String],
    ) -> bool {
        let line = &self.lines[asked_in];
        let sentence = line.sentences[place].span.clone();
        let text = bare(&line.blank, &sentence);
        let (shift, rewritten) = as_statement(text);
        let clause = sentence.start + shift..sentence.start + text.len();
        if clause.is_empty() || line.message.at.utc > self.lines[index].message.at.utc {
            return false;
        }
        let at = &self.lines[index].message.at;
        let times = line.times_in(&clause);
        let seen = Clause {
            text: &rewritten,
            sentence: &rewritten,
            is_question: false,
            times: &times,
            today: at.local_day(),
            to_agent: self.to_agent,
        };
        let offered = shift > 0 && TO_DO_FOR.is_match(text) && content_tokens(&rewritten).len() > 1;
        let class = if offered {
            Some(Class { kind: K::Request, status: S::Planned, withdraws: false })
        } else {
            classify(&seen).filter(|c| !c.withdraws && !matches!(c.kind, K::Problem))
        };
        let Some(class) = class else { return false };
        // Repeating what was just said adds a witness, not an Event.
        let repeats = self.drafts.iter().rev().take(6).any(|d| {
            !d.dropped
                && shared_tokens(question_tokens, &d.tokens) * 2 >= question_tokens.len().max(1)
                || (d.is_open() && same_date(&d.occurred, &times))
        });
        if repeats {
            return false;
        }
        let time = dating(line, &clause, &sentence);
        let mut draft = Draft::new(asked_in, line, clause, sentence, class, time.as_ref());
        draft.statement.clone_from(&rewritten);
        draft.add_quote(index, self.lines[index].sentences[0].span.clone());
        let speaker = self.lines[index].person();
        let ground = self.ground(&speaker, index, &rewritten);
        draft.subject = speaker.clone();
        fill(&mut draft, &ground);
        for claim in &mut draft.claims {
            if claim.subject.kind == EntityKind::Person
                && claim.subject.name == self.lines[asked_in].person().name
            {
                claim.subject = speaker.clone();
            }
        }
        self.adopt_change(&mut draft);
        self.drafts.push(draft);
        true
    }

    /// "I suggest we add an index." "Agreed.": what was proposed is decided.
    pub(super) fn accept_proposal(&mut self, index: usize, before: usize) -> bool {
        let line = &self.lines[before];
        let Some(sentence) =
            line.sentences.iter().rfind(|s| SUGGESTS.is_match(&line.blank[s.span.clone()]))
        else {
            return false;
        };
        let text = bare(line.text, &sentence.span);
        let statement = SUGGESTS.replace(text, "").trim().to_owned();
        if line.voice != Voice::Assistant
            || !ACCEPTS.is_match(self.lines[index].text.trim_start())
            || content_tokens(&statement).is_empty()
        {
            return false;
        }
        let class = Class { kind: K::Decision, status: S::Occurred, withdraws: false };
        let mut draft =
            Draft::new(before, line, sentence.span.clone(), sentence.span.clone(), class, None);
        draft.statement = statement;
        draft.occurred = crate::extract::dates::day_occurrence(&self.lines[index].message.at, None);
        draft.add_quote(index, self.lines[index].sentences[0].span.clone());
        let sentence_text = draft.statement.clone();
        self.finish(&mut draft, &sentence_text);
        draft.subject = self.lines[index].person();
        self.drafts.push(draft);
        true
    }

    /// A new state confirmed right after the change that led to it holds from that change on.
    pub(super) fn adopt_change(&self, draft: &mut Draft) {
        if draft.kind != K::Preference || draft.dated_by.is_some() {
            return;
        }
        let change = self.drafts.iter().rev().find(|d| {
            !d.dropped
                && d.line + 3 >= draft.line
                && matches!(d.kind, K::Change | K::Result)
                && d.dated_by.is_some()
        });
        if let Some(change) = change {
            draft.add_source(change.line);
            let from = change.occurred.clone();
            draft.occurred = Occurrence {
                expression: from.expression.clone(),
                approx: from.approx,
                ..crate::extract::dates::open_from(
                    from.local_from,
                    from.basis,
                    &self.lines[draft.line].message.at,
                )
            };
            for claim in &mut draft.claims {
                claim.valid = Some(draft.occurred.clone());
            }
        }
    }

    /// A refusal right after a proposal: it was proposed and never held.
    pub(super) fn reject_proposal(&mut self, index: usize) {
        let Some(before) = self.line_before(index) else { return };
        let text = self.lines[index].blank.trim_start();
        if !REFUSES.is_match(text)
            || text.to_lowercase().starts_with("no problem")
            || text.to_lowercase().starts_with("not sure")
        {
            return;
        }
        let line = &self.lines[before];
        let Some(place) =
            line.sentences.iter().rposition(|s| PROPOSES.is_match(&line.blank[s.span.clone()]))
        else {
            return;
        };
        let sentence = line.sentences[place].span.clone();
        if TO_DO_FOR.is_match(&line.blank[sentence.clone()]) {
            return;
        }
        if content_tokens(&line.blank[sentence.clone()]).is_empty() {
            return;
        }
        let times = line.times_in(&sentence);
        let class = Class { kind: K::Proposal, status: S::Rejected, withdraws: false };
        let mut draft = Draft::new(before, line, sentence.clone(), sentence, class, times.first());
        let refusal = self.lines[index].sentences[0].span.clone();
        let words = bare(self.lines[index].text, &refusal);
        draft.reason = reason_in(words).or_else(|| refusal_reason(words));
        draft.add_quote(index, refusal);
        // What another person proposed was drafted as theirs; the refusal is what became of it.
        for earlier in &mut self.drafts {
            if earlier.line == before
                && earlier.is_open()
                && shared_tokens(&earlier.tokens, &draft.tokens) > 0
            {
                earlier.dropped = true;
            }
        }
        self.drafts.push(draft);
    }
}

fn same_date(occurrence: &Occurrence, times: &[crate::extract::dates::TimeMention]) -> bool {
    occurrence.local_from.is_some()
        && times.iter().any(|t| t.occurrence.local_from == occurrence.local_from)
}

/// Turns a confirmed question into the statement it asks about; returns where that begins in it.
fn as_statement(question: &str) -> (usize, String) {
    let Some(c) = OFFER.captures(question) else {
        return (0, question.to_owned());
    };
    let rest = &question[c[0].len()..];
    let head = c["h"].to_lowercase();
    let words = if head.contains(" i") || head.contains("me") || head == "要我" {
        rest.to_owned()
    } else if head.starts_with("so ") {
        return (0, question.to_owned());
    } else {
        format!("let's {rest}")
    };
    (c[0].len(), words)
}
