//! What becomes of plans told before, in this Block or in an earlier one: called off, refused, moved
//! to another day.

use super::classify::Class;
use super::dialogue::Walk;
use super::draft::{Draft, dating};
use super::relations::{LOOK_BACK, is_functional, is_open_plan, same_slot};
use super::signs::{DEADLINE, FROM_TO, MOVED_TRIP};
use super::text::{Span, bare};
use super::tokens::{content_tokens, shared_tokens};
use crate::model::{
    Claim, ClaimOp, ClaimValue, EventKind as K, EventStatus as S, Occurrence, Precision, Relation,
    RelationKind,
};

/// A plan that was told before.
#[derive(Debug, Clone, Copy)]
enum Told {
    /// By a draft of this Block.
    Here(usize),
    /// By an Event of an earlier Block.
    Before(usize),
}

/// Stems that tell what became of a plan, not which plan is meant.
const OUTCOMES: &[&str] = &[
    "cancel",
    "cancell",
    "call",
    "off",
    "scrap",
    "scrapp",
    "drop",
    "dropp",
    "abandon",
    "forget",
    "never",
    "mind",
    "scratch",
    "bother",
    "mov",
    "postpon",
    "push",
    "back",
    "delay",
    "reschedul",
    "shift",
    "brought",
    "forward",
    "extend",
    "later",
    "earlier",
    "date",
    "time",
    "again",
    "anymor",
    "longer",
    "plan",
    "decid",
    "against",
    "vot",
    "agre",
    "opt",
    "reject",
    "rul",
    "turn",
    "down",
    "team",
    "happen",
    "tak",
    "plac",
    "go",
    "visit",
    "取消",
];

super::text::cue!(
    /// Words that call something off only where there was a plan of it: "the heating is off".
    OFF,
    r"~is off~|~(?:will not|not going to)~"
);
super::text::cue!(
    HAN_OUTCOME,
    r"(?:的)?(?:时间|日期|计划)?(?:已经|已|又|被|也|先|都|要|会|暂时)*(?:取消|作废|不(?:去|办|做|开|搞|搬|买)了|泡汤|推迟|提前|改到|改期|延期|延到|挪到).*$|^(?:取消(?:了|掉)?|(?:我们?|咱们|团队)?(?:把|将))|^(?:我们?|咱们|团队|大家)?(?:已经|最终|最后|还是)?决定不(?:再)?(?:去|做|办|用|买|搬|开|参加)?|了$"
);

/// The words that tell which plan a clause speaks of.
fn meant(text: &str) -> Vec<String> {
    let subject = HAN_OUTCOME.replace_all(text, "");
    let named = |token: &String| {
        !OUTCOMES.contains(&token.as_str()) && !token.starts_with(|c: char| c.is_ascii_digit())
    };
    content_tokens(&subject).into_iter().filter(named).collect()
}

/// Whether all that a clause names is part of a plan: one word in common is too little, "the
/// review with Ann" is not what becomes of the lunch with Ann.
fn speaks_of(meant: &[String], plan: &[String], claims: &[Claim]) -> bool {
    let trip = claims.iter().any(|claim| claim.subject.name.ends_with(" trip"));
    let subjects: Vec<String> =
        claims.iter().flat_map(|claim| content_tokens(&claim.subject.name)).collect();
    !meant.is_empty()
        && meant.iter().all(|token| {
            plan.contains(token) || subjects.contains(token) || trip && MOVED_TRIP.is_match(token)
        })
}

/// What takes a plan's claims back: it ends the plans of their Slots, never what holds.
fn called_off(claims: &[Claim]) -> Vec<Claim> {
    let planned = claims.iter().filter(|claim| claim.planned && claim.op == ClaimOp::Assert);
    planned
        .map(|claim| Claim { op: ClaimOp::End, valid: None, corrects: false, ..claim.clone() })
        .collect()
}

impl Walk<'_> {
    /// The latest open plan that all the named words belong to.
    fn told_plan(&self, meant: &[String], upto: usize) -> Option<Told> {
        let here = (0..upto).rev().take(LOOK_BACK).find(|place| {
            let draft = &self.drafts[*place];
            draft.is_open() && speaks_of(meant, &draft.tokens, &draft.claims)
        });
        here.map(Told::Here).or_else(|| {
            let before = self.known.iter().rposition(|event| {
                is_open_plan(event.kind, event.status)
                    && speaks_of(meant, &content_tokens(&event.title), &event.claims)
            });
            before.map(Told::Before)
        })
    }

    fn told_claims(&self, told: Told) -> &[Claim] {
        match told {
            Told::Here(place) => &self.drafts[place].claims,
            Told::Before(place) => &self.known[place].claims,
        }
    }

    fn told_time(&self, told: Told) -> &Occurrence {
        match told {
            Told::Here(place) => &self.drafts[place].occurred,
            Told::Before(place) => &self.known[place].occurred,
        }
    }

    /// Notes that a draft takes the place of a plan.
    fn supersede(&self, draft: &mut Draft, told: Told) {
        match told {
            Told::Here(place) => draft.supersedes.push(place),
            Told::Before(place) => draft.known.push(Relation {
                kind: RelationKind::Supersedes,
                target: self.known[place].id.clone(),
            }),
        }
    }

    /// "Forget it": the plan or request that it withdraws is cancelled.
    pub(super) fn withdraw(
        &mut self,
        index: usize,
        sentence: &Span,
        clause: &Span,
        text: &str,
    ) -> Option<usize> {
        let tokens = content_tokens(text);
        let meant = meant(text);
        let points = meant.is_empty();
        let loosely = || {
            (0..self.drafts.len()).rev().take(LOOK_BACK).find(|place| {
                let draft = &self.drafts[*place];
                draft.is_open()
                    && if points {
                        draft.line + 6 >= index
                    } else {
                        shared_tokens(&tokens, &draft.tokens) > 0
                    }
            })
        };
        let told = self.told_plan(&meant, self.drafts.len()).or_else(|| loosely().map(Told::Here));
        let class = Class { kind: K::Plan, status: S::Cancelled, withdraws: false };
        let line = &self.lines[index];
        let Some(told) = told else {
            if points || tokens.len() < 2 || OFF.is_match(text) {
                return None;
            }
            let time = dating(line, clause, sentence);
            let draft =
                Draft::new(index, line, clause.clone(), sentence.clone(), class, time.as_ref());
            self.drafts.push(draft);
            return Some(self.drafts.len() - 1);
        };
        if let Told::Here(target) = told
            && self.is_dropped_at_once(target, index)
        {
            self.drafts[target].status = S::Cancelled;
            self.drafts[target].claims.clear();
            self.drafts[target].add_quote(index, sentence.clone());
            return Some(target);
        }
        let mut draft = Draft::new(index, line, clause.clone(), sentence.clone(), class, None);
        draft.occurred = Occurrence { expression: None, ..self.told_time(told).clone() };
        draft.claims = called_off(self.told_claims(told));
        self.supersede(&mut draft, told);
        self.drafts.push(draft);
        Some(self.drafts.len() - 1)
    }

    /// Whether a plan is made and dropped in one exchange: that is one Event. What it had replaced
    /// needs an Event of its own to end it.
    fn is_dropped_at_once(&self, target: usize, index: usize) -> bool {
        let plan = &self.drafts[target];
        let passed = self.lines[index].message.at.utc - self.lines[plan.line].message.at.utc;
        passed < chrono::TimeDelta::days(1)
            && plan.line + 8 >= index
            && plan.supersedes.is_empty()
            && plan.known.is_empty()
    }

    /// "We decided against Bazel": the plan to use it is called off.
    pub(super) fn refuse(&self, draft: &mut Draft) {
        let said = bare(self.lines[draft.line].text, &draft.clause).to_lowercase();
        let names = |claim: &Claim| {
            claim.planned
                && claim.op == ClaimOp::Assert
                && match &claim.value {
                    ClaimValue::Entity(entity) => said.contains(&entity.name.to_lowercase()),
                    ClaimValue::Text(_) | ClaimValue::Date(_) | ClaimValue::Any => false,
                }
        };
        let here = self.drafts.iter().rposition(|d| d.is_open() && d.claims.iter().any(names));
        let told = here.map(Told::Here).or_else(|| {
            let open = |e: &crate::extract::KnownEvent| is_open_plan(e.kind, e.status);
            let before = self.known.iter().rposition(|e| open(e) && e.claims.iter().any(names));
            before.map(Told::Before)
        });
        let Some(told) = told else {
            // "We decided not to go to Rome" names the plan, not a value of it.
            if let Some(told) = self.told_plan(&meant(&said), self.drafts.len()) {
                draft.claims = called_off(self.told_claims(told));
                self.supersede(draft, told);
            }
            return;
        };
        let named: Vec<Claim> =
            self.told_claims(told).iter().filter(|claim| names(claim)).cloned().collect();
        draft.claims = called_off(&named);
        self.supersede(draft, told);
    }

    /// Drops from an idea what a firm plan has settled: "I might" retires no "I will".
    pub(super) fn yield_to_firm_plans(&self, draft: &mut Draft) {
        if draft.status != S::Tentative {
            return;
        }
        let here = || self.drafts.iter().rev().take(LOOK_BACK).map(|d| (d.status, &d.claims));
        let before = || self.known.iter().rev().map(|e| (e.status, &e.claims));
        draft.claims.retain(|idea| {
            let latest = here().chain(before()).find_map(|(status, claims)| {
                let claim = claims.iter().find(|c| c.planned && same_slot(c, idea))?;
                Some(status == S::Planned && claim.op == ClaimOp::Assert)
            });
            !(is_functional(idea) && latest == Some(true))
        });
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
        self.take_new_day(&mut plan);
        self.date_deadline(&mut plan);
        let sentence = bare(self.lines[plan.line].text, &plan.sentence);
        self.finish(&mut plan, sentence);
        let loosely = || {
            (0..change).rev().take(LOOK_BACK).find(|place| {
                let draft = &self.drafts[*place];
                draft.is_open()
                    && (shared_tokens(&draft.tokens, &plan.tokens) > 0
                        || (MOVED_TRIP.is_match(&plan.statement)
                            && draft.claims.iter().any(|c| c.subject.name.ends_with(" trip"))))
            })
        };
        let told =
            self.told_plan(&meant(&plan.statement), change).or_else(|| loosely().map(Told::Here));
        plan.claims.retain(|claim| claim.planned && claim.op == ClaimOp::Assert);
        if let Some(told) = told {
            let previous = self.told_time(told);
            if previous.precision == Precision::Range
                && previous.local_to > plan.occurred.local_from
            {
                plan.occurred.to = previous.to;
                plan.occurred.local_to = previous.local_to;
                plan.occurred.precision = Precision::Range;
            }
            let moved = moved_claims(self.told_claims(told), &plan.occurred);
            // The flight is the trip that was told: it has no date beside it.
            if !moved.is_empty() {
                plan.claims = moved;
            }
            self.supersede(&mut plan, told);
        }
        for claim in &mut plan.claims {
            claim.planned = true;
        }
        self.drafts[change].claims.retain(|c| matches!(c.property.as_str(), "deadline" | "owner"));
        self.drafts.push(plan);
    }

    /// Of "from the 10th to the 17th" the day that something was moved to.
    fn take_new_day(&self, plan: &mut Draft) {
        let at = &self.lines[plan.line].message.at;
        if let (Precision::Range, Some(last)) = (plan.occurred.precision, plan.occurred.local_to)
            && FROM_TO.is_match(&plan.statement)
        {
            let words = plan.occurred.expression.clone().unwrap_or_default();
            plan.occurred = Occurrence {
                precision: Precision::Day,
                basis: plan.occurred.basis,
                ..crate::extract::dates::range_occurrence(last, last, false, &words, at)
            };
        }
    }

    /// A deadline that was moved runs from the mention to its new end.
    fn date_deadline(&self, plan: &mut Draft) {
        let at = &self.lines[plan.line].message.at;
        if DEADLINE.is_match(&plan.statement)
            && let Some(end) = plan.occurred.local_to
        {
            let words = plan.occurred.expression.clone().unwrap_or_default();
            plan.occurred = Occurrence {
                precision: Precision::Deadline,
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
    }
}

fn moved_claims(old: &[Claim], occurred: &Occurrence) -> Vec<Claim> {
    old.iter()
        .filter(|claim| claim.op == ClaimOp::Assert)
        .filter_map(|claim| {
            let day = match claim.property.as_str() {
                "start_date" | "date" => occurred.local_from,
                "end_date" => occurred.local_to,
                _ => None,
            }?;
            Some(Claim { value: ClaimValue::Date(day), ..claim.clone() })
        })
        .collect()
}
