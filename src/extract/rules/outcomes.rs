//! What becomes of plans and requests: withdrawn, moved to another day, carried out or failed by a
//! tool.

use super::classify::Class;
use super::dialogue::Walk;
use super::draft::{Draft, dating, is_ahead};
use super::scene::Voice;
use super::signs::{DEADLINE, DONE_CUE, MOVED_TRIP, TOOL_ERROR, TOOL_MADE, TOOL_PASSED};
use super::text::Span;
use super::tokens::{content_tokens, shared_tokens};
use crate::model::{ClaimValue, EventKind as K, EventStatus as S, Occurrence};

impl Walk<'_> {
    /// "Forget it": the plan or request that it withdraws is cancelled.
    pub(super) fn withdraw(
        &mut self,
        index: usize,
        sentence: &Span,
        clause: &Span,
        text: &str,
    ) -> Option<usize> {
        let tokens = content_tokens(text);
        let points = tokens.iter().all(|t| {
            [
                "forget", "never", "mind", "scratch", "cancel", "drop", "scrap", "call", "bother",
                "取消",
            ]
            .contains(&t.as_str())
        });
        let target = (0..self.drafts.len()).rev().find(|d| {
            let draft = &self.drafts[*d];
            draft.is_open()
                && if points {
                    draft.line + 6 >= index
                } else {
                    shared_tokens(&tokens, &draft.tokens) > 0
                }
        });
        let Some(target) = target else {
            if points || tokens.len() < 2 {
                return None;
            }
            let time = dating(&self.lines[index], clause, sentence);
            let class = Class { kind: K::Plan, status: S::Cancelled, withdraws: false };
            let draft = Draft::new(
                index,
                &self.lines[index],
                clause.clone(),
                sentence.clone(),
                class,
                time.as_ref(),
            );
            self.drafts.push(draft);
            return Some(self.drafts.len() - 1);
        };
        let day = chrono::TimeDelta::days(1);
        let at_once = self.lines[index].message.at.utc
            - self.lines[self.drafts[target].line].message.at.utc
            < day
            && self.drafts[target].line + 8 >= index;
        if at_once {
            self.drafts[target].status = S::Cancelled;
            self.drafts[target].claims.clear();
            self.drafts[target].add_quote(index, sentence.clone());
            return Some(target);
        }
        let class = Class { kind: K::Plan, status: S::Cancelled, withdraws: false };
        let mut draft =
            Draft::new(index, &self.lines[index], clause.clone(), sentence.clone(), class, None);
        draft.occurred = Occurrence { expression: None, ..self.drafts[target].occurred.clone() };
        draft.supersedes.push(target);
        self.drafts.push(draft);
        Some(self.drafts.len() - 1)
    }

    /// "I moved the flight to July 6th" is a change made and a plan for another day.
    pub(super) fn plan_of_move(
        &mut self,
        change: usize,
        time: Option<&crate::extract::dates::TimeMention>,
    ) {
        let Some(time) = time else { return };
        let mut plan = self.drafts[change].clone();
        plan.kind = K::Plan;
        plan.status = S::Planned;
        plan.occurred = time.occurrence.clone();
        let at = &self.lines[plan.line].message.at;
        if DEADLINE.is_match(&plan.statement)
            && let Some(end) = plan.occurred.local_to
        {
            let words = plan.occurred.expression.clone().unwrap_or_default();
            plan.occurred = Occurrence {
                precision: crate::model::Precision::Deadline,
                basis: plan.occurred.basis,
                ..crate::extract::dates::range_occurrence(
                    at.local_day(),
                    end,
                    plan.occurred.approx,
                    &words,
                    at,
                )
            };
        }
        let old = (0..change).rev().find(|d| {
            let draft = &self.drafts[*d];
            draft.is_open()
                && (shared_tokens(&draft.tokens, &plan.tokens) > 0
                    || (MOVED_TRIP.is_match(&plan.statement)
                        && draft.claims.iter().any(|c| c.subject.name.ends_with(" trip"))))
        });
        if let Some(old) = old {
            let previous = &self.drafts[old];
            if previous.occurred.precision == crate::model::Precision::Range
                && previous.occurred.local_to > plan.occurred.local_from
            {
                plan.occurred.to = previous.occurred.to;
                plan.occurred.local_to = previous.occurred.local_to;
                plan.occurred.precision = crate::model::Precision::Range;
            }
            plan.claims = moved_claims(&previous.claims, &plan.occurred);
            plan.supersedes.push(old);
        } else {
            plan.claims.retain(|c| c.planned);
        }
        for claim in &mut plan.claims {
            claim.planned = true;
        }
        self.drafts[change].claims.retain(|c| matches!(c.property.as_str(), "deadline" | "owner"));
        self.drafts.push(plan);
    }

    pub(super) fn read_assistant(&mut self, index: usize) {
        let line = &self.lines[index];
        for call in &line.message.tool_calls {
            if let Some(result) = &call.result {
                let text = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
                self.read_tool(index, &text);
            }
        }
        // A report right after a tool's result is a second witness of what the tool did.
        let tool = (0..index)
            .rev()
            .take_while(|i| self.lines[*i].voice != Voice::Person)
            .find(|i| self.lines[*i].voice == Voice::Tool);
        if let Some(tool) = tool
            && !line.text.trim().is_empty()
            && let Some(draft) =
                self.drafts.iter_mut().rev().find(|d| !d.dropped && d.sources.contains(&tool))
        {
            let failed = TOOL_ERROR.is_match(self.lines[tool].text);
            if failed || DONE_CUE.is_match(line.text) {
                draft.add_source(index);
            }
        }
    }

    /// A tool's outcome bears on the request or decision of the same exchange.
    pub(super) fn read_tool(&mut self, index: usize, output: &str) {
        let exchange = (0..=index).rev().find(|i| self.lines[*i].voice == Voice::Person);
        let failed = TOOL_ERROR.is_match(output);
        let pending = self.drafts.iter().rposition(|d| {
            !d.dropped
                && exchange.is_some_and(|e| d.sources.contains(&e))
                && matches!(
                    d.kind,
                    K::Request | K::Decision | K::Plan | K::Result | K::Problem | K::Change
                )
        });
        let made = TOOL_MADE.is_match(output);
        let Some(pending) = pending else {
            if exchange.is_some()
                && !failed
                && (made || TOOL_PASSED.is_match(output))
                && self.report_follows(index)
            {
                self.push_tool_event(index, K::Result);
            }
            return;
        };
        let today = self.lines[index].message.at.local_day();
        let draft = &mut self.drafts[pending];
        let ahead = is_ahead(&draft.occurred, today);
        match (draft.kind, failed) {
            (K::Request, false) if !ahead => {
                if made || TOOL_PASSED.is_match(output) || self.report_follows(index) {
                    let draft = &mut self.drafts[pending];
                    draft.kind = K::Result;
                    draft.status = S::Occurred;
                    draft.occurred =
                        crate::extract::dates::day_occurrence(&self.lines[index].message.at, None);
                    for claim in &mut draft.claims {
                        claim.planned = false;
                    }
                }
                self.drafts[pending].add_source(index);
            }
            (K::Request, true) if !ahead => {
                draft.kind = K::Problem;
                draft.status = S::Occurred;
                draft.claims.clear();
                draft.occurred =
                    crate::extract::dates::day_occurrence(&self.lines[index].message.at, None);
                draft.add_source(index);
            }
            (K::Problem, false) if draft.sources.len() > 1 && !ahead => {
                // It failed first and succeeded when tried again.
                draft.kind = K::Result;
                draft.add_source(index);
            }
            (K::Decision | K::Plan | K::Change, true) => self.push_tool_event(index, K::Problem),
            (K::Decision | K::Plan, false) if made && draft.kind == K::Decision => {
                self.push_tool_event(index, K::Change);
            }
            (K::Plan, false) => {}
            _ => draft.add_source(index),
        }
    }

    /// Whether the assistant's next words report that the tool did its work.
    pub(super) fn report_follows(&self, index: usize) -> bool {
        self.lines[index..]
            .iter()
            .skip(1)
            .take_while(|l| l.voice != Voice::Person)
            .filter(|l| l.voice == Voice::Assistant)
            .any(|l| DONE_CUE.is_match(l.text) && !l.text.contains('?') && !l.text.contains('？'))
    }

    pub(super) fn push_tool_event(&mut self, index: usize, kind: K) {
        let line = &self.lines[index];
        let end = line.text.find('\n').unwrap_or(line.text.len());
        let mut end = end.min(300);
        while !line.text.is_char_boundary(end) {
            end -= 1;
        }
        let span = super::text::trim(line.text, 0..end);
        if span.is_empty() || line.voice != Voice::Tool {
            return;
        }
        let class = Class { kind, status: S::Occurred, withdraws: false };
        let mut draft = Draft::new(index, line, span.clone(), span, class, None);
        draft.subject = super::scene::user();
        if kind == K::Change
            && let Some(decision) = self
                .drafts
                .iter()
                .rev()
                .find(|d| !d.dropped && d.kind == K::Decision && d.line < index)
        {
            let mentioned = |c: &&crate::model::Claim| {
                matches!(&c.value, ClaimValue::Entity(e) if line.text.contains(&e.name))
                    && c.op == crate::model::ClaimOp::Assert
            };
            draft.claims = decision.claims.iter().filter(mentioned).cloned().collect();
        }
        self.drafts.push(draft);
    }
}

fn moved_claims(old: &[crate::model::Claim], occurred: &Occurrence) -> Vec<crate::model::Claim> {
    old.iter()
        .filter_map(|claim| {
            let day = match claim.property.as_str() {
                "start_date" | "date" => occurred.local_from,
                "end_date" => occurred.local_to,
                _ => None,
            }?;
            Some(crate::model::Claim { value: ClaimValue::Date(day), ..claim.clone() })
        })
        .collect()
}
