//! One constant per term of `ontology/`. No logic.
//!
//! `sg:` terms are ours; a test holds them equal to `ontology/core.ttl` both ways. The base IRI is
//! stable but not registered anywhere: nothing is fetched from it.

/// Namespace IRI of our own terms.
pub const SG: &str = "https://w3id.org/stratagate/ns#";
/// Base of the IRIs of things: `{ID_BASE}{namespace}/{kind}/{id}`.
pub const ID_BASE: &str = "https://w3id.org/stratagate/id/";

/// The service that searches inside SPARQL, as in `SERVICE sg:search { … }`.
pub const SEARCH_SERVICE: &str = "https://w3id.org/stratagate/ns#search";

macro_rules! terms {
    ($base:literal; $($(#[$doc:meta])* $name:ident = $local:literal),+ $(,)?) => {
        $(
            $(#[$doc])*
            pub const $name: &str = concat!($base, $local);
        )+
        /// All terms of this module.
        pub const ALL: &[&str] = &[$($name),+];
    };
}

/// Our own classes and properties (the properties that facts are kept under are in
/// [`crate::model::PROPERTIES`]).
pub mod sg {
    terms! { "https://w3id.org/stratagate/ns#";
        // Classes.
        /// A conversation.
        THREAD = "Thread",
        /// A closed exchange.
        TURN = "Turn",
        /// A message, exactly as said.
        MESSAGE = "Message",
        /// A sealed run of turns.
        BLOCK = "Block",
        /// A stored view of a Block (L0 to L2).
        BLOCK_VIEW = "BlockView",
        /// What happened, with its sources; also the name of its assertion graph.
        EVENT = "Event",
        /// A span of a message.
        QUOTE = "Quote",
        /// A statement an Event makes, before the rules decided.
        CLAIM = "Claim",
        /// A thing that facts are kept about.
        ENTITY = "Entity",
        /// A human being.
        PERSON = "Person",
        /// Something worked on.
        PROJECT = "Project",
        /// A company, team or group.
        ORGANIZATION = "Organization",
        /// A tool, library, language or service.
        TOOL = "Tool",
        /// A place.
        PLACE = "Place",
        /// Anything else.
        THING = "Thing",
        /// Entity and property (and qualifier).
        SLOT = "Slot",
        /// One value of a Slot over an interval.
        FACT = "Fact",
        /// One act that ended a Fact.
        CLOSING = "Closing",
        /// Candidates that cannot be decided.
        CONFLICT = "Conflict",
        /// One accepted write.
        COMMIT = "Commit",
        /// A piece of background work.
        JOB = "Job",
        /// A verdict of the evidence gate.
        ASSESSMENT = "Assessment",
        /// Events that were really used in an answer.
        ADOPTION = "Adoption",
        /// An act of an operator.
        OPERATOR_ACT = "OperatorAct",
        /// The class of the properties that facts are kept under.
        FACT_PROPERTY = "FactProperty",
        // Conversation.
        /// The caller's thread name.
        THREAD_ID = "threadId",
        /// The caller's key of a turn.
        TURN_ID = "turnId",
        /// The message's id in its thread.
        MESSAGE_ID = "messageId",
        /// Belongs to a thread.
        IN_THREAD = "inThread",
        /// Belongs to a turn.
        IN_TURN = "inTurn",
        /// The Block that holds a message, or that an Event was extracted from.
        IN_BLOCK = "inBlock",
        /// Number of the turn in its namespace, from 1.
        TURN_NUMBER = "turnNumber",
        /// Place in the thread, from 1.
        POSITION = "position",
        /// SHA-256 over the turn's content, to recognise a repeat.
        CONTENT_HASH = "contentHash",
        /// Chat role (`sg:role` is a fact property: a position somebody holds).
        ROLE = "chatRole",
        /// Who spoke.
        SPEAKER = "speaker",
        /// The exact text.
        TEXT = "text",
        /// Seconds east of UTC that the instant came with.
        OFFSET_SECONDS = "offsetSeconds",
        /// given, offset_assumed or assumed.
        TIME_BASIS = "timeBasis",
        /// Tool name on a tool message.
        TOOL_NAME = "toolName",
        /// Tool calls, as a JSON text.
        TOOL_CALLS = "toolCalls",
        /// The call a tool message answers.
        TOOL_CALL_ID = "toolCallId",
        // Blocks.
        /// Place of a Block among those of its thread, from 1.
        SEQUENCE = "sequence",
        /// When a Block was sealed.
        SEALED_AT = "sealedAt",
        /// size, call or idle.
        SEAL_CAUSE = "sealCause",
        /// sealed, summarised, ready or failed.
        BLOCK_STATE = "blockState",
        /// L0, L1 or L2.
        LEVEL = "level",
        /// A tag.
        TAG = "tag",
        /// The level a Block decays from.
        ANCHOR_LEVEL = "anchorLevel",
        /// The Block position a Block decays from.
        ANCHOR_POSITION = "anchorPosition",
        // Events.
        /// One or two sentences.
        SUMMARY = "summary",
        /// The Event's type, a concept.
        EVENT_TYPE = "eventType",
        /// What the conversation asserted, a concept.
        STATUS_ASSERTED = "assertedStatus",
        /// A quote of an Event.
        HAS_QUOTE = "quote",
        /// The message a quote is from.
        OF_MESSAGE = "ofMessage",
        /// First character of a quote, from 0.
        START = "start",
        /// One past the last character of a quote.
        END = "end",
        /// An entity that takes part.
        PARTICIPANT = "participant",
        /// When the conversation spoke of it.
        MENTIONED_AT = "mentionedAt",
        /// Start of the occurrence.
        OCCURRED_FROM = "occurredFrom",
        /// End of the occurrence, exclusive.
        OCCURRED_TO = "occurredTo",
        /// First local day.
        LOCAL_FROM = "localFrom",
        /// Last local day.
        LOCAL_TO = "localTo",
        /// How exactly a time is known, a concept.
        PRECISION = "precision",
        /// The original wording of a time.
        TIME_TEXT = "timeText",
        /// What a time rests on: explicit, relative, inferred or unknown.
        BASIS = "basis",
        /// Whether the wording says "about".
        APPROX = "approx",
        /// user, project or session.
        SCOPE = "scope",
        /// How much forgetting would hurt, a concept.
        CRITICALITY = "criticality",
        /// Why, in the source's words.
        REASON_TEXT = "reasonText",
        /// The engine and its version.
        EXTRACTOR = "extractor",
        /// Event relation.
        SUPERSEDES = "supersedes",
        /// Event relation.
        CONFLICTS_WITH = "conflictsWith",
        /// Event relation.
        FULFILS = "fulfils",
        /// Event relation.
        REFINES = "refines",
        /// Event relation.
        SAME_AS = "sameAs",
        /// Event relation.
        BEFORE = "before",
        /// Event relation.
        AFTER = "after",
        // Claims, slots, facts.
        /// The Event that makes a claim.
        OF_EVENT = "ofEvent",
        /// Order of a claim in its Event, from 0.
        ORDINAL = "ordinal",
        /// assert or end.
        OPERATION = "operation",
        /// Says that an earlier statement was wrong.
        CORRECTS = "corrects",
        /// Normalised name, by which entities are the same.
        NAME_KEY = "nameKey",
        /// The entity a Slot, Fact or claim is about.
        ABOUT = "about",
        /// The property of a Slot, Fact or claim.
        PROPERTY = "property",
        /// Tells Slots of one property apart.
        QUALIFIER = "qualifier",
        /// The Slot of a Fact, claim or Conflict.
        IN_SLOT = "slot",
        /// The value.
        VALUE = "value",
        /// Start of validity, inclusive.
        VALID_FROM = "validFrom",
        /// End of validity, exclusive.
        VALID_TO = "validTo",
        /// A future end that the source itself states.
        KNOWN_END = "knownEnd",
        /// Rests on plans only.
        PLANNED = "planned",
        /// When we came to know.
        RECORDED_AT = "recordedAt",
        /// When it was withdrawn.
        RETRACTED_AT = "retractedAt",
        /// An Event a Fact rests on.
        RESTS_ON = "restsOn",
        /// The Event that opened a Fact.
        OPENED_BY = "openedBy",
        /// A closing of a Fact.
        HAS_CLOSING = "closing",
        /// The Event that caused a closing.
        CAUSE = "cause",
        /// Why, a concept from a closed list.
        REASON = "reason",
        /// The Fact that took its place.
        SUPERSEDED_BY = "supersededBy",
        /// A candidate of a Conflict.
        CANDIDATE = "candidate",
        /// When a Conflict was resolved or fell away.
        RESOLVED_AT = "resolvedAt",
        /// What resolved a Conflict.
        RESOLVED_BY = "resolvedBy",
        /// Link from entity or Slot to a Fact in force, in the current graph.
        CURRENT_FACT = "currentFact",
        /// Link from a Slot to an open Conflict, in the current graph.
        OPEN_CONFLICT = "openConflict",
        // Commits and bookkeeping.
        /// The commit that recorded a thing.
        REVISION = "revision",
        /// Number of a commit.
        REVISION_NUMBER = "revisionNumber",
        /// What a commit did.
        COMMIT_KIND = "commitKind",
        /// Kind of a job: summarise, extract or project.
        JOB_KIND = "jobKind",
        /// pending, done, failed or cancelled.
        JOB_STATE = "jobState",
        /// What a job works on.
        TARGET = "target",
        /// How often a job was tried.
        ATTEMPTS = "attempts",
        /// The last error of a job.
        LAST_ERROR = "lastError",
        /// An item that was not kept, with its reason.
        REJECTED = "rejected",
        /// Number of adoptions.
        ADOPTION_COUNT = "adoptionCount",
        /// The namespace's turn that an Event's weight decays from.
        ANCHOR_TURN = "anchorTurn",
        /// Pinned by an operator.
        PINNED = "pinned",
        /// Forgotten by an operator, since.
        FORGOTTEN_AT = "forgottenAt",
        /// The act because of which a claim does not count now.
        SET_ASIDE_BY = "setAsideBy",
        /// The entity that this one stands for since a merge.
        MERGED_INTO = "mergedInto",
        /// The act that this one undid.
        UNDOES = "undoes",
        /// The act by which this one is undone now.
        UNDONE_BY = "undoneBy",
        /// The retrieval an assessment judged.
        BATCH = "batch",
        /// The query of a batch.
        QUERY = "query",
        /// sufficient, partial or wrong.
        VERDICT = "verdict",
        /// An evidence ref.
        EVIDENCE = "evidence",
        /// The assessment an adoption rests on.
        OF_ASSESSMENT = "ofAssessment",
        /// The caller's key of an adoption.
        RECEIPT_ID = "receiptId",
        /// An Event that was adopted.
        ADOPTED = "adopted",
        /// A remark in words.
        NOTE = "note",
        /// A JSON text kept exactly.
        PAYLOAD = "payload",
        /// Whether a fact property holds one value at a time.
        FUNCTIONAL = "functional",
        // Text search inside SPARQL; never stored.
        /// The words to find.
        MATCH = "match",
        /// What to search: events, facts, messages or blocks.
        IN = "in",
        /// Most hits.
        LIMIT = "limit",
        /// The score of a hit.
        SCORE = "score",
        /// A readable text of a hit.
        SNIPPET = "snippet",
        // Store bookkeeping, in the system graph only.
        /// Last applied journal sequence.
        APPLIED = "applied",
        /// Version of the stored form.
        FORMAT_VERSION = "formatVersion",
        /// A migration that has run, with its hash.
        MIGRATION = "migration",
        /// A turn of a thread that is in no Block yet.
        OPEN_TURN = "openTurn",
        /// Counter.
        TURN_COUNT = "turnCount",
        /// Counter.
        MESSAGE_COUNT = "messageCount",
        /// Counter.
        BLOCK_COUNT = "blockCount",
        /// Counter.
        EVENT_COUNT = "eventCount",
        /// Counter.
        FACT_COUNT = "factCount",
        /// Counter.
        ENTITY_COUNT = "entityCount",
        /// Namespace settings, as a JSON text.
        SETTINGS = "settings",
    }
}

/// PROV-O terms in use.
pub mod prov {
    terms! { "http://www.w3.org/ns/prov#";
        /// A thing with provenance.
        ENTITY = "Entity",
        /// Something that happens over time and uses or makes entities.
        ACTIVITY = "Activity",
        /// Something that bears responsibility.
        AGENT = "Agent",
        /// A thing made of members.
        COLLECTION = "Collection",
        /// Member of a collection.
        HAD_MEMBER = "hadMember",
        /// Derived from.
        WAS_DERIVED_FROM = "wasDerivedFrom",
        /// Made by an activity.
        WAS_GENERATED_BY = "wasGeneratedBy",
        /// Said or done by an agent.
        WAS_ATTRIBUTED_TO = "wasAttributedTo",
        /// A newer form of.
        WAS_REVISION_OF = "wasRevisionOf",
        /// Instant of making.
        GENERATED_AT_TIME = "generatedAtTime",
        /// Start of an activity.
        STARTED_AT_TIME = "startedAtTime",
        /// End of an activity.
        ENDED_AT_TIME = "endedAtTime",
        /// Used by an activity.
        USED = "used",
    }
}

/// RDF, RDFS and SKOS terms in use.
pub mod rdf {
    /// `rdf:type`.
    pub const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
    /// `rdfs:label`.
    pub const LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";
    /// `skos:prefLabel`.
    pub const PREF_LABEL: &str = "http://www.w3.org/2004/02/skos/core#prefLabel";
    /// `skos:altLabel`.
    pub const ALT_LABEL: &str = "http://www.w3.org/2004/02/skos/core#altLabel";
}

/// XSD datatypes in use.
pub mod xsd {
    terms! { "http://www.w3.org/2001/XMLSchema#";
        /// Plain text.
        STRING = "string",
        /// An instant; we only write `Z`.
        DATE_TIME = "dateTime",
        /// A calendar date.
        DATE = "date",
        /// A whole number.
        INTEGER = "integer",
        /// True or false.
        BOOLEAN = "boolean",
    }
}

#[cfg(test)]
mod tests;
