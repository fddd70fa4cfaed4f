//! IRIs of one namespace: things, graphs, and back.

use crate::model::{
    AssessmentId, BlockId, ClosingId, ConflictId, EntityId, EventId, FactId, JobId, Level,
    MessageId, NamespaceName, ReceiptId, SlotId, ThreadId, TurnId,
};
use crate::vocab::{ID_BASE, SG};
use oxigraph::model::NamedNode;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but RFC 3986's unreserved characters is encoded, so that an id is one path segment
/// of the IRI whatever it contains.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes an id as one path segment of an IRI.
pub fn encode_segment(id: &str) -> String {
    utf8_percent_encode(id, SEGMENT).to_string()
}

/// Names the terms and things of one namespace.
#[derive(Debug, Clone)]
pub struct Names {
    base: String,
    /// Append-only: conversations, Events, Slots, Facts and their history.
    pub meta: NamedNode,
    /// The materialised present; the default graph of SPARQL.
    pub current: NamedNode,
    /// Adoption counters and anchors.
    pub weights: NamedNode,
    /// Jobs, assessments, adoptions and operator acts.
    pub ledger: NamedNode,
    /// Bookkeeping of the store itself.
    pub system: NamedNode,
}

impl Names {
    /// Names the graphs of a namespace.
    pub fn new(namespace: &NamespaceName) -> Self {
        Self::below(format!("{ID_BASE}{}/", encode_segment(namespace.as_str())))
    }

    /// Names the graphs of the namespace whose IRIs begin with `base`; it ends in a slash.
    pub(super) fn below(base: String) -> Self {
        let graph = |name: &str| NamedNode::new_unchecked(format!("{base}graph/{name}"));
        Self {
            meta: graph("meta"),
            current: graph("current"),
            weights: graph("weights"),
            ledger: graph("ledger"),
            system: graph("system"),
            base,
        }
    }

    /// Returns the base IRI, ending in a slash.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Names a thing by its kind and id.
    pub fn thing(&self, kind: &str, id: &str) -> NamedNode {
        NamedNode::new_unchecked(format!("{}{kind}/{}", self.base, encode_segment(id)))
    }

    /// Names a message, which is unique only within its thread.
    pub fn message(&self, thread: &ThreadId, id: &MessageId) -> NamedNode {
        NamedNode::new_unchecked(format!(
            "{}message/{}/{}",
            self.base,
            encode_segment(thread.as_str()),
            encode_segment(id.as_str())
        ))
    }

    /// Names the place of a message in its thread, counted from 1.
    pub fn place(&self, thread: &ThreadId, position: u64) -> NamedNode {
        self.thing("place", &format!("{}/{position}", thread.as_str()))
    }

    /// Names a stored view of a Block.
    pub fn view(&self, block: &BlockId, level: Level) -> NamedNode {
        self.thing("view", &format!("{block}-{level}"))
    }

    /// Names a commit.
    pub fn commit(&self, seq: u64) -> NamedNode {
        NamedNode::new_unchecked(format!("{}commit/{seq}", self.base))
    }

    /// Returns the id of a thing of the given kind, if the IRI is one of this namespace.
    pub fn id_of(&self, kind: &str, iri: &str) -> Option<String> {
        let rest = iri.strip_prefix(&self.base)?.strip_prefix(kind)?.strip_prefix('/')?;
        (!rest.contains('/')).then(|| decode(rest))
    }

    /// Names an Event and its assertion graph, or the operator's act that stands in its place.
    pub fn event(&self, id: &EventId) -> NamedNode {
        match id.act() {
            Some(act) => self.act(act),
            None => self.thing("event", id.as_str()),
        }
    }

    /// Names an operator's act.
    pub fn act(&self, seq: u64) -> NamedNode {
        self.thing("act", &seq.to_string())
    }

    /// Returns the Event, or the act in an Event's place, that an IRI names.
    pub fn cause_of(&self, iri: &str) -> Option<EventId> {
        let event = self.id_of("event", iri).map(EventId);
        event.or_else(|| self.id_of("act", iri)?.parse().ok().map(EventId::of_act))
    }

    /// Returns thread and id of a message IRI.
    pub fn message_of(&self, iri: &str) -> Option<(ThreadId, MessageId)> {
        let rest = iri.strip_prefix(&self.base)?.strip_prefix("message/")?;
        let (thread, id) = rest.split_once('/')?;
        Some((ThreadId(decode(thread)), MessageId(decode(id))))
    }
}

fn decode(segment: &str) -> String {
    percent_decode_str(segment).decode_utf8_lossy().into_owned()
}

macro_rules! things {
    ($($method:ident, $id:ty, $kind:literal, $what:literal);+ $(;)?) => {
        impl Names {$(
            #[doc = concat!("Names ", $what, ".")]
            pub fn $method(&self, id: &$id) -> NamedNode {
                self.thing($kind, id.as_str())
            }
        )+}
    };
}

things! {
    thread, ThreadId, "thread", "a thread";
    turn, TurnId, "turn", "a turn";
    block, BlockId, "block", "a Block";
    entity, EntityId, "entity", "an entity";
    slot, SlotId, "slot", "a Slot";
    fact, FactId, "fact", "a Fact";
    closing, ClosingId, "closing", "a closing";
    conflict, ConflictId, "conflict", "a conflict";
    job, JobId, "job", "a job";
    assessment, AssessmentId, "assessment", "an assessment";
    adoption, ReceiptId, "adoption", "an adoption";
}

/// Names one of our own terms, or a concept such as `type-decision`.
pub fn term(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{SG}{local}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iri_gives_back_the_id_it_was_made_from() {
        let names = Names::new(&NamespaceName::new("团队/a b").expect("a valid name"));
        let id = EntityId::from("project:site/roadmap 路线");
        assert_eq!(names.id_of("entity", names.entity(&id).as_str()), Some(id.0.clone()));
        let (thread, message) = (ThreadId::from("s/1"), MessageId::from("D1:3"));
        assert_eq!(
            names.message_of(names.message(&thread, &message).as_str()),
            Some((thread, message))
        );
        assert_eq!(names.id_of("fact", names.entity(&id).as_str()), None);
    }
}
