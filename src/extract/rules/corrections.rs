//! Corrections: an earlier statement was wrong, the world did not change.

use super::claims::CORRECTS;
use super::classify::Class;
use super::dialogue::Walk;
use super::draft::Draft;
use super::endings::affirmed;
use super::relations::{LOOK_BACK, same_slot, same_value};
use super::text::{Span, bare, cue};
use crate::extract::dates::{Shape, TimeMention};
use crate::model::{
    Claim, ClaimOp, ClaimValue, EntityKind, EntityRef, EventKind as K, EventStatus as S,
    Occurrence, Relation, RelationKind, normalise_name,
};

cue!(
    /// Words that only announce a correction; what follows is read like any statement.
    ANNOUNCES,
    r"^(?:(?:a |one |small |quick )*correction|(?:that was |that is |that's |i was )?wrong|i misspoke|更正(?:一下)?|纠正(?:一下)?|勘误|(?:我)?(?:刚才|之前)?(?:说|记|搞|写)错了)[:：,，.。 ]+"
);
cue!(
    CORRECTED,
    r"~(?:it|that|this|the (?P<s>\w+)) (?:was|is|were|should be|should have been) (?:actually |really )?(?P<v>.{2,40})$|~I (?:meant|mean)(?: to say)? (?P<v3>.{2,40})$|(?:应该是|其实是|是)(?P<v2>[^,，。]{1,20})$"
);
cue!(
    MEANT,
    r"^(?:sorry,? |oops,? |wait,? |no,? )*I (?:meant|mean)~|^(?:我)?(?:是)?(?:想说|指的?是)"
);
cue!(
    /// The wrong value and the right one, in either order.
    NOT_THAT,
    r"~(?:it was|it's|it is|that was|that's|that is|I meant|I mean|was|is|are|to say|in|by|uses?|using) (?P<v>[$€£¥]?[\w.+#-]+(?:,\d{3})*(?: [\w.+#-]+){0,2})[,;]? (?:and )?not (?P<o>[$€£¥]?[\w.+#-]+(?:,\d{3})*(?: [\w.+#-]+){0,2})[.!]?$|~not (?P<o2>[\w.+#-]+(?: [\w.+#-]+){0,2})[,;]? but (?P<v2>[\w.+#-]+(?: [\w.+#-]+){0,2})[.!]?$|不是 ?(?P<o3>[^,，。是]{1,12}?) ?[,，]? ?(?:而是|应该是|是) ?(?P<v3>[^,，。]{1,12}?) ?[。!！]?$|(?:应该是|其实是|是|在|用|叫) ?(?P<v4>[^,，。是]{1,12}?) ?[,，]? ?(?:而)?不是 ?(?P<o4>[^,，。]{1,12}?) ?[。!！]?$"
);
cue!(
    /// The value that was the right one from the start.
    ALL_ALONG,
    r"~(?:it|that|this)(?: was|'s been| has been| had been)(?: actually| really| always)* (?P<v>[\w.+#'-]+(?: (?-i:[A-Z])[\w.+#'-]*)?) (?:all along|from the start|the whole time)~|(?:其实)?一直(?:都)?是 ?(?P<v2>[^,，。了]{1,12})$"
);
cue!(
    /// A denial of what was said to have been.
    NEVER_WAS,
    r"~never (?:actually |really )?(?P<v>owned|led|managed|maintained|used|lived|worked|was|were)~"
);
cue!(
    DENIED,
    r"~(?:is|are|was|were|am|do|does|did)(?:n't| not)~|~(?:not|never)~|'(?:m|re|s) not~|从(?:来)?没|不是|不在|没有"
);

/// Where the words end that only announce a correction.
pub(super) fn announcement(text: &str) -> usize {
    ANNOUNCES.find(text).map_or(0, |found| found.end())
}

/// Whether a clause only names another value for something said before.
pub(super) fn only_points(text: &str) -> bool {
    MEANT.is_match(text)
}

/// A statement that was wrong.
struct Wrong {
    claim: Claim,
    class: Class,
    occurred: Occurrence,
    place: Option<usize>,
    known: Option<Relation>,
}

impl Walk<'_> {
    /// The latest statement, in this Block or before it, of which a claim is the one looked for.
    fn wrong(&self, is_it: impl Fn(&Claim) -> bool) -> Option<Wrong> {
        let class = |kind, status| Class { kind, status, withdraws: false };
        let here =
            self.drafts.iter().enumerate().rev().take(LOOK_BACK).find_map(|(place, draft)| {
                let claim = draft.claims.iter().find(|claim| !draft.dropped && is_it(claim))?;
                Some(Wrong {
                    claim: claim.clone(),
                    class: class(draft.kind, draft.status),
                    occurred: draft.occurred.clone(),
                    place: Some(place),
                    known: None,
                })
            });
        here.or_else(|| {
            self.known.iter().rev().find_map(|event| {
                let claim = event.claims.iter().find(|claim| is_it(claim))?;
                let target = event.id.clone();
                Some(Wrong {
                    claim: claim.clone(),
                    class: class(event.kind, event.status),
                    occurred: event.occurred.clone(),
                    place: None,
                    known: Some(Relation { kind: RelationKind::Supersedes, target }),
                })
            })
        })
    }

    /// Puts a claim in the place of a wrong one.
    fn put_right(
        &mut self,
        index: usize,
        sentence: &Span,
        clause: &Span,
        wrong: Wrong,
        right: Claim,
    ) -> usize {
        let line = &self.lines[index];
        let class = wrong.class;
        let mut draft = Draft::new(index, line, clause.clone(), sentence.clone(), class, None);
        bare(line.text, sentence).clone_into(&mut draft.statement);
        draft.occurred = Occurrence { expression: None, ..wrong.occurred };
        if let ClaimValue::Date(_) = right.value
            && let Some(time) = line.times_in(sentence).into_iter().next_back()
        {
            draft.occurred = time.occurrence.clone();
            draft.dated_by = Some(time);
        }
        draft.claims = vec![Claim { corrects: true, ..right }];
        draft.supersedes.extend(wrong.place);
        draft.known.extend(wrong.known);
        self.drafts.push(draft);
        self.drafts.len() - 1
    }

    /// Whether a sentence has put something right already.
    fn is_put_right(&self, index: usize, sentence: &Span) -> bool {
        self.drafts.last().is_some_and(|draft| {
            draft.line == index
                && draft.sentence == *sentence
                && draft.claims.iter().any(|c| c.corrects)
        })
    }

    /// Whether nothing more is to be read in a clause: all of its sentence was one correction.
    pub(super) fn is_spent(&self, index: usize, sentence: &Span) -> bool {
        let said = bare(&self.lines[index].blank, sentence);
        self.is_put_right(index, sentence) && (NOT_THAT.is_match(said) || ALL_ALONG.is_match(said))
    }

    /// "Actually it was Rust, I was wrong": an earlier statement gets another value.
    pub(super) fn correct(
        &mut self,
        index: usize,
        sentence: &Span,
        clause: &Span,
        text: &str,
    ) -> Option<usize> {
        if self.is_put_right(index, sentence) {
            return None;
        }
        self.correct_named(index, sentence, clause)
            .or_else(|| self.correct_all_along(index, sentence, clause))
            .or_else(|| self.take_back(index, sentence, clause, text))
            .or_else(|| self.correct_pointed(index, sentence, clause, text))
    }

    /// "Actually it was yarn, not npm": the statement that named the wrong value gets the right one.
    fn correct_named(&mut self, index: usize, sentence: &Span, clause: &Span) -> Option<usize> {
        let line = &self.lines[index];
        let said = bare(&line.blank, sentence);
        let c = NOT_THAT.captures(said)?;
        let group = |names: &[&str]| names.iter().find_map(|name| c.name(name));
        let wrong = group(&["o", "o2", "o3", "o4"])?.as_str().trim();
        let right = group(&["v", "v2", "v3", "v4"])?.as_str().trim();
        let day = line.times_in(sentence).first().and_then(day_of);
        let names_it = |claim: &Claim| {
            claim.op == ClaimOp::Assert
                && match &claim.value {
                    ClaimValue::Entity(entity) => {
                        normalise_name(&entity.name) == normalise_name(wrong)
                    }
                    // "Not 12,000" of what was "12,000 euros".
                    ClaimValue::Text(text) => {
                        normalise_name(text) == normalise_name(wrong)
                            || text.strip_prefix(wrong).is_some_and(|rest| rest.starts_with(' '))
                    }
                    ClaimValue::Date(_) | ClaimValue::Any => false,
                }
        };
        let wrong = self.wrong(names_it)?;
        let value = match &wrong.claim.value {
            ClaimValue::Entity(entity) => ClaimValue::Entity(EntityRef::new(entity.kind, right)),
            ClaimValue::Text(_) => ClaimValue::Text(right.to_owned()),
            ClaimValue::Date(_) => ClaimValue::Date(day?),
            ClaimValue::Any => return None,
        };
        let fixed = Claim { value, ..wrong.claim.clone() };
        Some(self.put_right(index, sentence, clause, wrong, fixed))
    }

    /// "It was Jonas all along": who was said to be it was not.
    fn correct_all_along(&mut self, index: usize, sentence: &Span, clause: &Span) -> Option<usize> {
        let said = bare(&self.lines[index].blank, sentence).to_owned();
        let c = ALL_ALONG.captures(&said)?;
        let right = c.name("v").or(c.name("v2"))?.as_str().trim();
        let tool = super::lexicon::tools(right).into_iter().next();
        let person = super::names::person(right);
        let fits = |claim: &Claim| {
            claim.op == ClaimOp::Assert
                && match (&claim.value, &tool) {
                    (ClaimValue::Entity(_), Some(tool)) => tool.property == claim.property,
                    (ClaimValue::Entity(value), None) => {
                        value.kind == EntityKind::Person && person.is_some()
                    }
                    _ => false,
                }
        };
        let about = |claim: &Claim| {
            said.to_lowercase().contains(&claim.subject.name.to_lowercase()) && fits(claim)
        };
        let wrong = self.wrong(about).or_else(|| self.wrong(fits))?;
        let value = match (tool, person) {
            (Some(tool), _) => super::claims::tool(&tool.name),
            (None, Some(person)) => ClaimValue::Entity(person),
            (None, None) => return None,
        };
        let fixed = Claim { value, ..wrong.claim.clone() };
        Some(self.put_right(index, sentence, clause, wrong, fixed))
    }

    /// "That was wrong, it is not owned by Priya": what was said is taken back.
    fn take_back(
        &mut self,
        index: usize,
        sentence: &Span,
        clause: &Span,
        text: &str,
    ) -> Option<usize> {
        if !DENIED.is_match(text) {
            return None;
        }
        let class = Class { kind: K::State, status: S::Ongoing, withdraws: false };
        let line = &self.lines[index];
        let mut draft = Draft::new(index, line, clause.clone(), sentence.clone(), class, None);
        draft.statement = affirmed(&present(text));
        let words = bare(line.text, sentence);
        let speaker = line.person();
        super::claims::fill(&mut draft, &self.ground(&speaker, index, words));
        let stated = std::mem::take(&mut draft.claims);
        // Nothing is taken back that was not said.
        let (wrong, claim) = stated.into_iter().find_map(|claim| {
            let wrong = self.wrong(|told| {
                told.op == ClaimOp::Assert
                    && same_slot(told, &claim)
                    && same_value(&told.value, &claim.value)
            })?;
            Some((wrong, claim))
        })?;
        let taken = Claim { op: ClaimOp::End, valid: None, planned: wrong.claim.planned, ..claim };
        Some(self.put_right(index, sentence, clause, wrong, taken))
    }

    /// "It was Rust", "I meant Thursday": the last value of that kind was wrong.
    fn correct_pointed(
        &mut self,
        index: usize,
        sentence: &Span,
        clause: &Span,
        text: &str,
    ) -> Option<usize> {
        let c = CORRECTED.captures(text)?;
        let line = &self.lines[index];
        let value = ["v", "v2", "v3"].iter().find_map(|g| c.name(g))?.as_str().trim();
        let tool = super::lexicon::tools(value).into_iter().next();
        let day = line.times_in(clause).first().and_then(day_of);
        let named = c.name("s").map(|m| m.as_str().to_lowercase());
        let wrong = self.wrong(|claim| {
            let fits = match &claim.value {
                ClaimValue::Entity(_) => {
                    tool.as_ref().is_some_and(|t| t.property == claim.property)
                }
                ClaimValue::Date(_) => day.is_some(),
                ClaimValue::Text(_) | ClaimValue::Any => false,
            };
            // "The review is on the 6th" puts nothing right that was said of the launch.
            let told = named.as_ref().is_none_or(|name| {
                claim.subject.name.to_lowercase().contains(name) || claim.property.contains(name)
            });
            fits && told && claim.op == ClaimOp::Assert
        })?;
        let value = match (&wrong.claim.value, tool, day) {
            (ClaimValue::Date(_), _, Some(day)) => ClaimValue::Date(day),
            (_, Some(tool), _) => super::claims::tool(&tool.name),
            _ => return None,
        };
        let fixed = Claim { value, ..wrong.claim.clone() };
        Some(self.put_right(index, sentence, clause, wrong, fixed))
    }
}

/// The day that time words name as a value: of a deadline its end.
fn day_of(time: &TimeMention) -> Option<chrono::NaiveDate> {
    match time.shape {
        Shape::Deadline | Shape::Until => time.occurrence.local_to,
        _ => time.occurrence.local_from,
    }
}

/// "Never owned" as "owns": the form in which it was said.
fn present(text: &str) -> String {
    let form = |c: &regex::Captures<'_>| {
        match c["v"].to_lowercase().as_str() {
            "owned" => "owns",
            "led" => "leads",
            "managed" => "manages",
            "maintained" => "maintains",
            "used" => "uses",
            "lived" => "lives",
            "worked" => "works",
            _ => "is",
        }
        .to_owned()
    };
    let text = LEAD.replace(text, "");
    NEVER_WAS.replace(&text, form).into_owned()
}

cue!(LEAD, r"^(?:(?:and|but|so|well|sorry|no|actually|in fact|that was wrong)[,;:]? )+");

/// Whether a sentence puts an earlier one right.
pub(super) fn corrects(sentence: &str) -> bool {
    CORRECTS.is_match(sentence) || ANNOUNCES.is_match(sentence) || ALL_ALONG.is_match(sentence)
}
