//! What a tool's outcome makes of requests and decisions: carried out, or failed.

use super::classify::Class;
use super::dialogue::Walk;
use super::draft::{Draft, is_ahead};
use super::scene::Voice;
use super::signs::{DONE_CUE, TOOL_ERROR, TOOL_MADE, TOOL_PASSED};
use crate::model::{ClaimValue, EventKind as K, EventStatus as S};

impl Walk<'_> {
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
