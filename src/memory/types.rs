//! What the use cases take and give. Plain data: the doors have wire types of their own.

use crate::model::{
    AssessmentId, BatchId, BlockId, BlockState, ClosingId, Conflict, ConflictId, Entity, EntityId,
    EntityKind, Event, EventId, EventKind, EventStatus, Fact, FactId, FactStatus, JobId, Level,
    Message, MessageId, NamespaceName, Reason, ReceiptId, Role, Slot, ThreadId, ToolCall, TurnId,
    TxTime, ValidTime,
};
use chrono::{DateTime, Utc};

/// A point on both clocks; `None` means now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AsOf {
    /// When it should hold in the world.
    pub valid_at: Option<ValidTime>,
    /// As known at this time.
    pub known_at: Option<TxTime>,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The items, in a total order.
    pub items: Vec<T>,
    /// The cursor of the next page, where there is one.
    pub next: Option<String>,
}

/// Which page of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// At most this many items; 100 by default, 1,000 at most.
    pub limit: Option<usize>,
    /// The `next` of the page before.
    pub cursor: Option<String>,
}

/// Settings of a namespace.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Settings {
    /// Complete turns to a Block.
    pub block_turns: u32,
    /// Decay rate of Block views, 0 = never.
    pub lambda: f64,
    /// The engine for summaries and extraction.
    pub engine: String,
    /// IANA name or offset, for messages that come without one.
    pub timezone: String,
    /// Minutes without a new turn after which the open tail is sealed; 0 = never.
    pub seal_after_idle_minutes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            block_turns: 12,
            lambda: 0.30,
            engine: "rules".to_owned(),
            timezone: "UTC".to_owned(),
            seal_after_idle_minutes: 30,
        }
    }
}

/// A change of settings: what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettingsPatch {
    /// See [`Settings::block_turns`].
    pub block_turns: Option<u32>,
    /// See [`Settings::lambda`].
    pub lambda: Option<f64>,
    /// See [`Settings::engine`].
    pub engine: Option<String>,
    /// See [`Settings::timezone`].
    pub timezone: Option<String>,
    /// See [`Settings::seal_after_idle_minutes`].
    pub seal_after_idle_minutes: Option<u32>,
}

/// How many things a namespace holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field counts what it names")]
pub struct Counts {
    pub threads: u64,
    pub turns: u64,
    pub messages: u64,
    pub open_turns: u64,
    pub blocks: u64,
    pub events: u64,
    pub entities: u64,
    pub facts: u64,
}

/// A namespace and how it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct NamespaceInfo {
    /// Its name.
    pub name: NamespaceName,
    /// Its settings.
    pub settings: Settings,
    /// What it holds.
    pub counts: Counts,
    /// The newest journal record.
    pub revision: u64,
    /// Jobs not done yet; 0 means nothing is outstanding.
    pub pending_jobs: u64,
    /// Jobs that gave up.
    pub failed_jobs: u64,
    /// Journal records that are not searchable yet; 0 = all are.
    pub index_lag: u64,
    /// Why it cannot be opened, where it cannot.
    pub problem: Option<String>,
}

/// A message as it comes in.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The caller's id, if any.
    pub id: Option<String>,
    /// The role.
    pub role: Role,
    /// The speaker's name.
    pub speaker: Option<String>,
    /// The text.
    pub content: Option<String>,
    /// The time as written, with an offset or without; `None` = the time of capture, marked.
    pub at: Option<String>,
    /// Tool name.
    pub name: Option<String>,
    /// Tool calls.
    pub tool_calls: Vec<ToolCall>,
    /// The answered call.
    pub tool_call_id: Option<String>,
}

/// A turn as it comes in.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTurn {
    /// The caller's key.
    pub turn_id: String,
    /// The thread, `main` by default.
    pub thread: Option<String>,
    /// The messages.
    pub messages: Vec<NewMessage>,
}

/// What became of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnReceipt {
    /// The caller's key.
    pub turn_id: TurnId,
    /// Whether it was stored now, or was there already with the same content.
    pub duplicate: bool,
    /// Its number in the namespace, from 1.
    pub turn: u64,
    /// Its messages' ids.
    pub message_ids: Vec<MessageId>,
    /// The Block that this turn completed.
    pub sealed_block: Option<BlockId>,
    /// The journal record that holds it.
    pub revision: u64,
}

/// A Block at a level.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockCard {
    /// Its id.
    pub id: BlockId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its place in the thread.
    pub seq: u64,
    /// Its state.
    pub state: BlockState,
    /// The level of `text`.
    pub level: Level,
    /// Short-term weight, from age.
    pub weight: f64,
    /// Ready Blocks of the thread after the anchor.
    pub age: u64,
    /// The view.
    pub text: String,
    /// Estimated tokens of the view.
    pub tokens: usize,
    /// Its turns.
    pub turns: Vec<TurnId>,
    /// Its messages.
    pub messages: Vec<MessageId>,
    /// When it was sealed.
    pub sealed_at: DateTime<Utc>,
    /// Title, where summarised.
    pub title: Option<String>,
    /// Tags, where summarised.
    pub tags: Vec<String>,
}

/// A message with the place it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedMessage {
    /// The message.
    pub message: Message,
    /// Its thread.
    pub thread: ThreadId,
    /// Its turn.
    pub turn: TurnId,
}

/// What stands in for a thread's history: decayed Blocks, then the open tail.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// Blocks, oldest first, at their present levels.
    pub blocks: Vec<BlockCard>,
    /// Messages not in a Block that stands in for them.
    pub tail: Vec<PlacedMessage>,
    /// Estimated tokens of all of it.
    pub tokens: usize,
}

/// How far a view is expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpandTo {
    /// One level.
    Next,
    /// Straight to a level.
    Level(Level),
}

/// Which Blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockFilter {
    /// Of one thread.
    pub thread: Option<ThreadId>,
    /// In one state.
    pub state: Option<BlockState>,
    /// Page.
    pub page: PageRequest,
}

/// Which Events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventFilter {
    /// Of one type.
    pub kind: Option<EventKind>,
    /// With one asserted status.
    pub status: Option<EventStatus>,
    /// With an entity as participant or subject of a claim.
    pub entity: Option<EntityId>,
    /// Of one thread.
    pub thread: Option<ThreadId>,
    /// Occurrence overlaps `[from, to)`.
    pub from: Option<DateTime<Utc>>,
    /// See `from`.
    pub to: Option<DateTime<Utc>>,
    /// Mention in `[mentioned_from, mentioned_to)`.
    pub mentioned_from: Option<DateTime<Utc>>,
    /// See `mentioned_from`.
    pub mentioned_to: Option<DateTime<Utc>>,
    /// Only those recorded by then, with what superseded them at this point.
    pub as_of: AsOf,
    /// Also forgotten ones.
    pub include_forgotten: bool,
    /// Page.
    pub page: PageRequest,
}

/// An Event with what is recorded beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventCard {
    /// The Event.
    pub event: Event,
    /// Since when an operator has taken it back.
    pub retracted_at: Option<TxTime>,
    /// When it was recorded.
    pub recorded_at: TxTime,
    /// The commit.
    pub revision: u64,
    /// Present weight, 0 to 1.
    pub weight: f64,
    /// Times adopted.
    pub adoptions: u64,
    /// Later Events that replaced a Fact of this one, or supersede it by relation.
    pub superseded_by: Vec<EventId>,
    /// Events in open conflict with it.
    pub conflicts_with: Vec<EventId>,
    /// Pinned by an operator.
    pub pinned: bool,
    /// Forgotten by an operator.
    pub forgotten: bool,
}

/// A Fact seen from a point on both clocks.
#[derive(Debug, Clone, PartialEq)]
pub struct FactCard {
    /// The Fact, with all its history.
    pub fact: Fact,
    /// The value's label (an entity's) or literal.
    pub value_label: String,
    /// How it stands from there.
    pub status: FactStatus,
    /// Its end, as known then.
    pub valid_to: Option<ValidTime>,
    /// The Fact that followed.
    pub superseded_by: Option<FactId>,
    /// Why it ended.
    pub reason: Option<Reason>,
    /// The label of the entity it is about.
    pub subject_label: String,
    /// Whether it holds at the point asked about, where its times are vague; worked out for
    /// states only.
    pub certainty: Option<crate::temporal::Certainty>,
}

/// An entity's state from a point on both clocks.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityState {
    /// The entity.
    pub entity: Entity,
    /// What holds.
    pub current: Vec<FactCard>,
    /// What held.
    pub superseded: Vec<FactCard>,
    /// Open conflicts, with their candidates.
    pub conflicts: Vec<ConflictCard>,
    /// What is only planned.
    pub planned: Vec<FactCard>,
    /// The cursor of the next page, where there is one.
    pub next: Option<String>,
}

/// How much of an entity's state is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityView {
    /// Slots on a page; all of them where none is given.
    pub slots: Option<usize>,
    /// Where the page begins.
    pub cursor: Option<String>,
    /// Leaves out what held before: what holds now is then read without its history.
    pub present_only: bool,
}

/// A conflict with its candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictCard {
    /// The conflict.
    pub conflict: Conflict,
    /// The Slot's property and entity.
    pub slot: Slot,
    /// The candidates.
    pub candidates: Vec<FactCard>,
}

/// Which entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityFilter {
    /// Of one kind.
    pub kind: Option<EntityKind>,
    /// Whose name or alias contains this, case folded.
    pub q: Option<String>,
    /// Known by this time.
    pub known_at: Option<TxTime>,
    /// Page.
    pub page: PageRequest,
}

/// What rested on something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependant {
    /// An answer, by its adoption's id.
    Answer(String),
    /// An Event that refines, fulfils or repeats another.
    Event(EventId),
}

/// Something that rested on a state which has since been superseded or withdrawn.
#[derive(Debug, Clone, PartialEq)]
pub struct StaleItem {
    /// What rested on it.
    pub dependant: Dependant,
    /// When the answer was given or the Event became known.
    pub rested_at: Option<TxTime>,
    /// The property.
    pub property: String,
    /// The value that it rested on, in words.
    pub value: String,
    /// When it became known that the value had ended or was wrong.
    pub ended_known_at: Option<TxTime>,
    /// Why, a word of the closed list.
    pub reason: String,
    /// The value that followed, in words.
    pub next: Option<String>,
    /// The Event it rested on.
    pub event: EventId,
    /// The Fact.
    pub fact: FactId,
}

/// An Event drawn from a message, with the answers that used it.
#[derive(Debug, Clone, PartialEq)]
pub struct Touched {
    /// The Event.
    pub event: EventId,
    /// Its title.
    pub title: String,
    /// Whether it rests on no other message.
    pub only_source: bool,
    /// The answers, oldest first.
    pub answers: Vec<Answered>,
}

/// An answer that used an Event.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The caller's receipt of the answer.
    pub receipt: String,
    /// When it was recorded.
    pub at: Option<TxTime>,
    /// What had been searched for.
    pub query: Option<String>,
}

/// One entry of an entity's timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEntry {
    /// When, in valid time (or the mention, for Events without a time).
    pub at: DateTime<Utc>,
    /// `fact_began`, `fact_ended`, `planned` or `event`.
    pub what: &'static str,
    /// The Fact concerned.
    pub fact: Option<FactCard>,
    /// The Event concerned.
    pub event: Option<EventId>,
    /// A sentence.
    pub text: String,
}

/// What "why" is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyQuestion {
    /// A Fact by id.
    Fact(FactId),
    /// The state of an entity's property.
    State {
        /// The entity: id or unambiguous name.
        entity: String,
        /// The property.
        property: String,
        /// The point on both clocks.
        as_of: AsOf,
    },
}

/// A quote with the message it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct QuotedSource {
    /// The quoted span (the whole text where no span is known).
    pub text: String,
    /// Character range in the message.
    pub start: usize,
    /// See `start`.
    pub end: usize,
    /// The message.
    pub message: PlacedMessage,
}

/// One Event in a why-chain.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyEvent {
    /// The Event.
    pub card: EventCard,
    /// Its quotes with their messages.
    pub quotes: Vec<QuotedSource>,
    /// The job that extracted it.
    pub job: Option<JobCard>,
    /// Adoption receipts that used it.
    pub adopters: Vec<ReceiptId>,
}

/// One link of a why-chain.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyLink {
    /// The Fact.
    pub fact: FactCard,
    /// The rule that let it stand, or end, in a stable word.
    pub rule: String,
    /// The same in words.
    pub rule_text: String,
    /// The Events it rests on.
    pub events: Vec<WhyEvent>,
    /// The acts of operators that it rests on, or that ended it or took it back.
    pub acts: Vec<crate::store::StoredAct>,
    /// The closing that ended the Fact, where it ended.
    pub closing: Option<ClosingId>,
}

/// The chain from a Fact to the words that caused it, and to what it replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The Facts asked about (several where candidates conflict or values coexist).
    pub facts: Vec<WhyLink>,
    /// What they replaced, newest first.
    pub replaced: Vec<WhyLink>,
    /// How many links of that chain are not shown.
    pub further: usize,
}

/// Which clock a diff runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffClock {
    /// What changed in the world.
    Valid,
    /// What changed in what we know.
    Known,
}

/// One change between two points.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The Fact that changed.
    pub fact: FactCard,
    /// The Event that caused the change.
    pub cause: Option<EventId>,
    /// What that Event says.
    pub cause_text: Option<String>,
}

/// What changed between two points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diff {
    /// Facts that began.
    pub added: Vec<Difference>,
    /// Facts that ended, with the cause.
    pub ended: Vec<Difference>,
    /// Facts withdrawn or corrected.
    pub corrected: Vec<Difference>,
    /// Facts that became candidates of a conflict.
    pub conflicted: Vec<Difference>,
}

/// What can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each names what it searches")]
pub enum HitKind {
    Event,
    Fact,
    Message,
    Block,
}

impl HitKind {
    /// Returns the contract word, singular.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Fact => "fact",
            Self::Message => "message",
            Self::Block => "block",
        }
    }

    /// Reads the contract word, plural or singular.
    pub fn named(word: &str) -> Option<Self> {
        let singular = word.strip_suffix('s').unwrap_or(word);
        [Self::Event, Self::Fact, Self::Message, Self::Block]
            .into_iter()
            .find(|kind| kind.as_str() == singular)
    }
}

/// A search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchRequest {
    /// The words, never parsed as a grammar.
    pub query: String,
    /// What to search; empty = everything.
    pub kinds: Vec<HitKind>,
    /// At most this many hits.
    pub limit: usize,
    /// One thread only.
    pub thread: Option<ThreadId>,
    /// Event types.
    pub types: Vec<EventKind>,
    /// Statuses of the hit.
    pub statuses: Vec<String>,
    /// Said in `[from, to)`.
    pub from: Option<DateTime<Utc>>,
    /// See `from`.
    pub to: Option<DateTime<Utc>>,
    /// `current` (default) or `history`: whether superseded items are wanted.
    pub history: bool,
    /// The point on both clocks.
    pub as_of: AsOf,
    /// Show every part of each score.
    pub explain: bool,
}

/// One hit.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The evidence ref, valid within its batch.
    pub evidence_ref: String,
    /// What it is.
    pub kind: HitKind,
    /// Its id (a message's own id for messages).
    pub id: String,
    /// Its thread, where it has one.
    pub thread: Option<ThreadId>,
    /// The score.
    pub score: f64,
    /// A readable text.
    pub text: String,
    /// The messages behind it.
    pub source_messages: Vec<MessageId>,
    /// When it was said.
    pub at: DateTime<Utc>,
    /// Status word.
    pub status: String,
    /// The parts of the score, where asked.
    pub explain: Option<serde_json::Value>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// The batch that assessments name.
    pub batch: BatchId,
    /// Hits, best first.
    pub hits: Vec<SearchHit>,
    /// The nearest items that did not count as hits.
    pub nearest: Vec<SearchHit>,
    /// Journal records not searchable yet.
    pub pending: u64,
}

/// A recall: a little before an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRequest {
    /// The words.
    pub query: String,
    /// The asking thread: what it can still see is left out.
    pub thread: Option<ThreadId>,
    /// Estimated tokens of the rendered text, 900 by default.
    pub budget: usize,
    /// The point on both clocks.
    pub as_of: AsOf,
}

/// One recalled item.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallItem {
    /// The evidence ref.
    pub evidence_ref: String,
    /// `event` or `entity`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// Why it is there, in words.
    pub why: String,
}

/// Advice that needs no model.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// A stable word, as in `planned_not_done`.
    pub signal: &'static str,
    /// What it is about.
    pub detail: String,
    /// The ref concerned, where there is one.
    pub evidence_ref: Option<String>,
}

/// What was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallAnswer {
    /// The batch.
    pub batch: BatchId,
    /// The rendered text; empty where there is nothing.
    pub text: String,
    /// Estimated tokens of `text`.
    pub tokens: usize,
    /// The items in it.
    pub items: Vec<RecallItem>,
    /// Candidates left out, with the reason.
    pub omitted: Vec<(String, String)>,
    /// Advice.
    pub signals: Vec<Signal>,
}

/// A verdict as it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssessRequest {
    /// The batch.
    pub batch: BatchId,
    /// `sufficient`, `partial` or `wrong`.
    pub verdict: String,
    /// Evidence refs, at most 8.
    pub evidence_refs: Vec<String>,
    /// What fits, at most 160 characters.
    pub fit: String,
    /// What is missing, at most 160 characters.
    pub missing: String,
    /// The next step.
    pub next_strategy: String,
}

/// What the gate made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct AssessAnswer {
    /// The assessment's id.
    pub assessment: AssessmentId,
    /// The verdict that stands.
    pub verdict: String,
    /// Accepted refs.
    pub accepted: Vec<String>,
    /// Rejected refs with reasons.
    pub rejected: Vec<(String, String)>,
    /// The next step that stands.
    pub next_strategy: String,
    /// Why the verdict was lowered, or that it stands.
    pub reason: String,
    /// Advice.
    pub signals: Vec<Signal>,
}

/// What an adoption did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptAnswer {
    /// Recorded now, or a repeat.
    pub duplicate: bool,
    /// The Events it reinforced.
    pub incremented: Vec<EventId>,
}

/// A job and how it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct JobCard {
    /// The id.
    pub id: JobId,
    /// `summarise`, `extract` or `project`.
    pub kind: String,
    /// The Block it works on.
    pub block: BlockId,
    /// `pending`, `running`, `done`, `failed` or `cancelled`.
    pub state: String,
    /// Times tried.
    pub attempts: u32,
    /// The last error.
    pub last_error: Option<String>,
    /// Engine and version, once done.
    pub engine: Option<String>,
    /// When it was enqueued.
    pub enqueued_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Items that were not kept, with reasons.
    pub rejected: Vec<String>,
}

/// Which jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFilter {
    /// In one state.
    pub state: Option<String>,
    /// Of one kind.
    pub kind: Option<String>,
    /// Page.
    pub page: PageRequest,
}

/// A finding of `check`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A stable word, as in `current_differs`.
    pub check: &'static str,
    /// What is wrong, and where.
    pub detail: String,
}

/// A finding, and whether it could be put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// What was found.
    pub finding: Finding,
    /// Whether it is gone now.
    pub gone: bool,
}

/// Serialisations of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Canonical, sorted N-Quads.
    NQuads,
    /// TriG.
    TriG,
    /// One JSON object a line: turns and Events.
    JsonLines,
}

/// What an operator asks to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum ActRequest {
    /// Decide a conflict.
    Resolve {
        /// The conflict.
        conflict: ConflictId,
        /// The candidate that holds.
        keep: FactId,
        /// Why.
        note: Option<String>,
    },
    /// Put a Fact right.
    Correct {
        /// The Fact.
        fact: FactId,
        /// Its right value, as a name, an id, a text or a date.
        value: Option<String>,
        /// Its right start.
        valid_from: Option<ValidTime>,
        /// Its right end.
        valid_to: Option<ValidTime>,
        /// Why.
        note: Option<String>,
    },
    /// Take a Fact back.
    RetractFact {
        /// The Fact.
        fact: FactId,
        /// Why.
        note: Option<String>,
    },
    /// Take an Event back, with all that it says.
    RetractEvent {
        /// The Event.
        event: EventId,
        /// Why.
        note: Option<String>,
    },
    /// Say that two entities are one.
    Merge {
        /// The one that stands for the other from now on: an id or an unambiguous name.
        from: String,
        /// The other.
        into: String,
        /// Why.
        note: Option<String>,
    },
    /// Say that some Events speak of another entity.
    Split {
        /// The entity: an id or an unambiguous name.
        entity: String,
        /// The Events.
        events: Vec<EventId>,
        /// What they speak of.
        into: crate::model::EntityRef,
        /// Why.
        note: Option<String>,
    },
}

impl ActRequest {
    /// Returns the reason that was given.
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::Resolve { note, .. }
            | Self::Correct { note, .. }
            | Self::RetractFact { note, .. }
            | Self::RetractEvent { note, .. }
            | Self::Merge { note, .. }
            | Self::Split { note, .. } => note.as_deref(),
        }
    }
}

/// Two entities that may be one.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeProposal {
    /// The one that would stand for the other.
    pub from: Entity,
    /// The other.
    pub into: Entity,
    /// How near their names are, up to 1.
    pub closeness: f64,
    /// What is near, in words.
    pub reason: String,
}
