//! Puts together, after each line, what belongs together: a problem and its restriction, a decision
//! and its reason, a plan and its owner.

use super::dialogue::Walk;
use super::signs::{
    AFFIRMS, COMPLAINT, CONSEQUENCE, DOES_NOTHING, REFUSES, reason_text, takes_reason,
};
use super::text::bare;
use crate::extract::dates::Shape;
use crate::model::EventKind as K;

impl Walk<'_> {
    /// After a line: merges what belongs together and finds reasons.
    pub(super) fn settle_line(&mut self, from: usize) {
        for at in from..self.drafts.len() {
            if self.drafts[at].dropped {
                continue;
            }
            self.merge_restriction(at, from);
            self.merge_complaint(at, from);
            self.merge_owner(at, from);
            self.merge_consequence(at, from);
            self.take_reason(at, from);
        }
    }

    /// "Shin splints. No running until mid June": the restriction belongs to the problem.
    pub(super) fn merge_restriction(&mut self, at: usize, from: usize) {
        let Some(problem) = at.checked_sub(1).filter(|p| *p >= from) else { return };
        if self.drafts[problem].kind == K::Problem
            && matches!(self.drafts[at].kind, K::Constraint | K::Plan)
            && self.drafts[at].dated_by.as_ref().is_some_and(|t| t.shape == Shape::Until)
            && !self.drafts[problem].dropped
            && self.drafts[problem].line == self.drafts[at].line
        {
            let restriction = self.drafts[at].clone();
            let kept = &mut self.drafts[problem];
            if kept.dated_by.is_none() {
                kept.occurred = restriction.occurred;
                kept.dated_by = restriction.dated_by;
            }
            kept.statement = format!("{}; {}", kept.statement, restriction.statement);
            for (line, span) in restriction.quotes {
                kept.add_quote(line, span);
            }
            kept.claims
                .extend(restriction.claims.into_iter().filter(|c| c.property != "constraint"));
            kept.tokens.extend(restriction.tokens);
            kept.tokens.sort();
            self.drafts[at].dropped = true;
        }
    }

    /// "We switched to B, A was too slow": the complaint after it is why.
    pub(super) fn merge_complaint(&mut self, at: usize, from: usize) {
        let Some(first) = at.checked_sub(1).filter(|p| *p >= from && !self.drafts[*p].dropped)
        else {
            return;
        };
        let complaint = &self.drafts[at];
        let undated = complaint.dated_by.is_none() && complaint.claims.is_empty();
        if complaint.kind == K::Problem
            && undated
            && matches!(self.drafts[first].kind, K::Decision | K::Change)
            && complaint.sentence == self.drafts[first].sentence
            && complaint.line == self.drafts[first].line
            && self.drafts[first].reason.is_none()
        {
            self.drafts[first].reason = reason_text(&self.drafts[at].statement);
            self.drafts[at].dropped = true;
        }
    }

    /// "Deadline is the end of August, Kevin is on it": one plan with its owner.
    pub(super) fn merge_owner(&mut self, at: usize, from: usize) {
        let Some(plan) = at.checked_sub(1).filter(|p| *p >= from && !self.drafts[*p].dropped)
        else {
            return;
        };
        let same_sentence = self.drafts[plan].line == self.drafts[at].line
            && self.drafts[plan].sentence == self.drafts[at].sentence;
        let owner = self.drafts[at].claims.iter().any(|c| c.property == "owner");
        if same_sentence
            && owner
            && self.drafts[at].kind == K::State
            && self.drafts[plan].kind == K::Plan
            && self.drafts[plan].is_open()
            && self.drafts[at].dated_by.is_none()
        {
            let mut claims = std::mem::take(&mut self.drafts[at].claims);
            let day = &self.drafts[plan].occurred;
            let dated = matches!(
                day.precision,
                crate::model::Precision::Day | crate::model::Precision::Week
            );
            for claim in &mut claims {
                claim.valid = dated.then(|| day.clone());
            }
            self.drafts[plan].claims.extend(claims);
            let tokens = std::mem::take(&mut self.drafts[at].tokens);
            self.drafts[plan].tokens.extend(tokens);
            self.drafts[plan].tokens.sort();
            self.drafts[plan].tokens.dedup();
            self.drafts[at].dropped = true;
        }
    }

    /// "I'm vegetarian, so please only suggest meatless dinners": the rest follows from the first.
    pub(super) fn merge_consequence(&mut self, at: usize, from: usize) {
        let Some(first) = at.checked_sub(1).filter(|p| *p >= from && !self.drafts[*p].dropped)
        else {
            return;
        };
        let same_sentence = self.drafts[first].line == self.drafts[at].line
            && self.drafts[first].sentence == self.drafts[at].sentence;
        let text = self.lines[self.drafts[at].line].text;
        let before = text[self.drafts[first].clause.end.min(self.drafts[at].clause.start)
            ..self.drafts[at].clause.start]
            .trim();
        let more_of_it = self.drafts[at].kind == K::Constraint
            && matches!(self.drafts[first].kind, K::Constraint | K::Preference)
            && self.lines[self.drafts[at].line].chinese;
        let led = more_of_it
            || CONSEQUENCE.is_match(&self.drafts[at].statement)
            || before.ends_with("so")
            || self.drafts[first].claims.iter().any(|c| c.property == "allergic_to");
        let rule = |k: K| matches!(k, K::Preference | K::State | K::Constraint);
        let follows = matches!(self.drafts[at].kind, K::Preference | K::Constraint | K::Request)
            && self.drafts[at].dated_by.is_none();
        if rule(self.drafts[first].kind)
            && follows
            && (same_sentence && led)
            && !self.drafts[at]
                .claims
                .iter()
                .any(|c| matches!(c.property.as_str(), "allergic_to" | "diet"))
        {
            self.drafts[at].dropped = true;
        }
    }

    /// The complaint before a decision in the same message is why; unless it has a date of its
    /// own it is not an Event beside it.
    pub(super) fn take_reason(&mut self, at: usize, from: usize) {
        let kind = self.drafts[at].kind;
        if !takes_reason(kind) || self.drafts[at].reason.is_some() {
            return;
        }
        let line = &self.lines[self.drafts[at].line];
        let clause = self.drafts[at].clause.clone();
        if let Some(before) = at.checked_sub(1).filter(|p| {
            *p >= from && !self.drafts[*p].dropped && self.drafts[*p].line == self.drafts[at].line
        }) {
            let earlier = &self.drafts[before];
            let gap = &line.text[earlier.clause.end.min(clause.start)..clause.start];
            let joined = gap.contains("so")
                || gap.contains("所以")
                || earlier.sentence == self.drafts[at].sentence
                    && CONSEQUENCE.is_match(&self.drafts[at].statement);
            // A state told in a sentence of its own is no reason of a taste; of a change it may be.
            let complaint = (earlier.kind == K::Problem
                || earlier.kind == K::State
                    && (earlier.sentence == self.drafts[at].sentence
                        || matches!(kind, K::Decision | K::Change | K::Plan | K::Result)))
                && earlier.sentence.end <= self.drafts[at].clause.end;
            if complaint
                || joined
                || (matches!(earlier.kind, K::Result | K::Change)
                    && earlier.sentence == self.drafts[at].sentence
                    && kind == K::Preference)
            {
                let statement = earlier.statement.clone();
                let undated = earlier.dated_by.is_none()
                    && earlier.kind == K::Problem
                    && super::lexicon::AILMENT.find(&statement).is_none();
                self.drafts[at].reason = reason_text(&statement);
                if undated && self.drafts[before].claims.is_empty() {
                    self.drafts[before].dropped = true;
                }
                return;
            }
        }
        // A sentence before that is no Event itself, in the same message.
        if matches!(kind, K::Decision | K::Change) && self.to_agent {
            let place = line.sentences.iter().position(|s| s.span == self.drafts[at].sentence);
            if let Some(previous) = place.and_then(|p| p.checked_sub(1)) {
                let sentence = &line.sentences[previous];
                let used = self.drafts.iter().any(|d| {
                    !d.dropped && d.line == self.drafts[at].line && d.sentence == sentence.span
                });
                let words = bare(line.text, &sentence.span);
                if !used
                    && !sentence.is_question
                    && words.chars().count() > 8
                    && COMPLAINT.is_match(words)
                    && !DOES_NOTHING.is_match(words)
                    && !AFFIRMS.is_match(words)
                    && !REFUSES.is_match(words)
                {
                    self.drafts[at].reason = reason_text(words);
                }
            }
        }
    }
}
