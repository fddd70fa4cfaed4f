//! Why a state is what it is, and what changed.

use super::{ActBody, EventBody, FactBody, JobBody, MessageBody, texts};
use crate::memory::{
    Dependant, Diff, Difference, QuotedSource, StaleItem, Touched, Why, WhyEvent, WhyLink,
};
use crate::model::to_rfc3339;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The chain from a fact to the words that caused it, and to what it replaced.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WhyBody {
    /// The facts asked about; several where candidates conflict or values coexist.
    pub facts: Vec<WhyLinkBody>,
    /// What they replaced, newest first: as many links as were asked for.
    pub replaced: Vec<WhyLinkBody>,
    /// How many further links the chain has.
    #[serde(default)]
    pub further: usize,
}

/// One link of the chain.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WhyLinkBody {
    /// The fact.
    pub fact: FactBody,
    /// The rule that let it stand, or end, in a stable word.
    pub rule: String,
    /// The same in words.
    pub rule_text: String,
    /// The Events it rests on.
    pub events: Vec<WhyEventBody>,
    /// The acts of operators that it rests on, or that ended it or took it back.
    #[serde(default)]
    pub acts: Vec<ActBody>,
    /// The closing that ended it.
    pub closing: Option<String>,
}

/// One Event of the chain.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WhyEventBody {
    /// The Event.
    pub event: EventBody,
    /// Its quotes with their messages.
    pub quotes: Vec<QuotedSourceBody>,
    /// The job that extracted it.
    pub job: Option<JobBody>,
    /// Receipts of the adoptions that used it.
    pub adopters: Vec<String>,
}

/// A quote with the message it is from.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct QuotedSourceBody {
    /// The quoted span.
    pub text: String,
    /// Its first character, from 0.
    pub start: usize,
    /// One past its last character.
    pub end: usize,
    /// The message.
    pub message: MessageBody,
}

/// Something that rested on a state which has since been superseded or withdrawn.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StaleBody {
    /// `answer` (an adoption) or `event` (one that refines, fulfils or repeats another).
    pub kind: String,
    /// The id of what rested on it.
    pub dependant: String,
    /// When the answer was given or the Event became known.
    pub rested_at: Option<String>,
    /// The property.
    pub property: String,
    /// The value that it rested on.
    pub value: String,
    /// When it became known that the value had ended or was wrong.
    pub ended_known_at: Option<String>,
    /// Why: changed, corrected, refined, ended, retracted or expired.
    pub reason: String,
    /// The value that followed.
    pub next: Option<String>,
    /// The Event it rested on.
    pub event: String,
    /// The fact.
    pub fact: String,
}

impl From<StaleItem> for StaleBody {
    fn from(item: StaleItem) -> Self {
        let (kind, dependant) = match item.dependant {
            Dependant::Answer(id) => ("answer", id),
            Dependant::Event(id) => ("event", id.0),
        };
        Self {
            kind: kind.to_owned(),
            dependant,
            rested_at: item.rested_at.map(|at| to_rfc3339(at.0)),
            property: item.property,
            value: item.value,
            ended_known_at: item.ended_known_at.map(|at| to_rfc3339(at.0)),
            reason: item.reason,
            next: item.next,
            event: item.event.0,
            fact: item.fact.0,
        }
    }
}

/// An Event drawn from a message, with the answers that used it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TouchedBody {
    /// The Event's id.
    pub event: String,
    /// Its title.
    pub title: String,
    /// Whether it rests on no other message.
    pub only_source: bool,
    /// The answers that adopted it, oldest first.
    pub answers: Vec<AnsweredBody>,
}

/// An answer that used an Event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AnsweredBody {
    /// The receipt that the caller gave.
    pub receipt: String,
    /// When it was recorded.
    pub at: Option<String>,
    /// What had been searched for.
    pub query: Option<String>,
}

impl From<Touched> for TouchedBody {
    fn from(touched: Touched) -> Self {
        let answers = touched.answers.into_iter().map(|answer| AnsweredBody {
            receipt: answer.receipt,
            at: answer.at.map(|at| to_rfc3339(at.0)),
            query: answer.query,
        });
        Self {
            event: touched.event.0,
            title: touched.title,
            only_source: touched.only_source,
            answers: answers.collect(),
        }
    }
}

/// What changed between two points.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DiffBody {
    /// Facts that began.
    pub added: Vec<DiffEntryBody>,
    /// Facts that ended.
    pub ended: Vec<DiffEntryBody>,
    /// Facts withdrawn or corrected.
    pub corrected: Vec<DiffEntryBody>,
    /// Facts that became candidates of a conflict.
    pub conflicted: Vec<DiffEntryBody>,
}

/// One change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DiffEntryBody {
    /// The fact.
    pub fact: FactBody,
    /// The Event that caused the change.
    pub cause: Option<String>,
    /// What that Event says; null when it was forgotten.
    #[serde(default)]
    pub cause_text: Option<String>,
}

impl From<Why> for WhyBody {
    fn from(why: Why) -> Self {
        Self {
            facts: why.facts.into_iter().map(Into::into).collect(),
            replaced: why.replaced.into_iter().map(Into::into).collect(),
            further: why.further,
        }
    }
}

impl From<WhyLink> for WhyLinkBody {
    fn from(link: WhyLink) -> Self {
        Self {
            fact: link.fact.into(),
            rule: link.rule,
            rule_text: link.rule_text,
            events: link.events.into_iter().map(Into::into).collect(),
            acts: link.acts.into_iter().map(Into::into).collect(),
            closing: link.closing.map(|id| id.0),
        }
    }
}

impl From<WhyEvent> for WhyEventBody {
    fn from(event: WhyEvent) -> Self {
        Self {
            event: event.card.into(),
            quotes: event.quotes.into_iter().map(Into::into).collect(),
            job: event.job.map(Into::into),
            adopters: texts(&event.adopters),
        }
    }
}

impl From<QuotedSource> for QuotedSourceBody {
    fn from(quote: QuotedSource) -> Self {
        Self { text: quote.text, start: quote.start, end: quote.end, message: quote.message.into() }
    }
}

impl From<Diff> for DiffBody {
    fn from(diff: Diff) -> Self {
        let entries = |entries: Vec<Difference>| {
            entries
                .into_iter()
                .map(|entry| DiffEntryBody {
                    fact: entry.fact.into(),
                    cause: entry.cause.map(|id| id.0),
                    cause_text: entry.cause_text,
                })
                .collect()
        };
        Self {
            added: entries(diff.added),
            ended: entries(diff.ended),
            corrected: entries(diff.corrected),
            conflicted: entries(diff.conflicted),
        }
    }
}
