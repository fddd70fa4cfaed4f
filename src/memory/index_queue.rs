//! What waits for the text index, and how far the index is behind the store.

use super::change::Change;
use super::writer::lock;
use crate::model::{BlockId, EventId, FactId, MessageId, SlotId, ThreadId};
use crate::temporal::SlotChange;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Touched documents kept in memory; beyond, the journal is read again.
const MAX_QUEUED: usize = 200_000;

/// Touched documents that are soon done.
const SHORT: usize = 200;

/// A document that has to be built again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touched {
    /// A message.
    Message(ThreadId, MessageId),
    /// A Block.
    Block(BlockId),
    /// An Event.
    Event(EventId),
    /// A Fact.
    Fact(FactId),
    /// A Fact, and the Events it rests on: their state is that of what they said.
    Changed(FactId),
    /// All Facts of a Slot, and the Events they rest on.
    Slot(SlotId),
}

/// What waits for the index.
pub struct IndexQueue {
    indexed: AtomicU64,
    queue: Mutex<Queue>,
    /// Held while documents are built and sent: two senders could leave the older text of a
    /// document, or commit half of what the other is sending.
    pub(super) sending: Mutex<()>,
}

struct Queue {
    /// Touched documents, up to `through`.
    touched: BTreeSet<Touched>,
    /// The newest journal sequence whose documents are in `touched` or in the index.
    through: u64,
    /// The newest journal sequence that the store has applied. The journal may be further: what
    /// documents are built from is the store.
    applied: u64,
    /// Whether some changes have to be read from the journal again.
    gap: bool,
    /// Whether the index has to be built again as a whole.
    rebuild: bool,
    /// When a batch was last committed.
    last_sent: Instant,
}

/// What is to be sent to the index at once.
#[derive(Debug, PartialEq, Eq)]
pub struct Due {
    /// Documents to build.
    pub touched: BTreeSet<Touched>,
    /// What is searchable once they are sent, and those of the gap.
    pub through: u64,
    /// Whether the journal has to be read for what else was touched.
    pub gap: bool,
    /// Whether everything has to be built.
    pub rebuild: bool,
}

impl Due {
    /// Says whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.touched.is_empty() && !self.gap && !self.rebuild
    }
}

impl IndexQueue {
    /// Starts behind what the index has committed; the gap to what the store has applied is read
    /// from the journal. An index that is ahead of the store belongs to another past of it, and is
    /// built again.
    pub fn new(committed: Option<u64>, applied: u64) -> Self {
        let usable = committed.filter(|committed| *committed <= applied);
        let committed_or_none = usable.unwrap_or(0);
        let queue = Queue {
            touched: BTreeSet::new(),
            through: committed_or_none,
            applied,
            gap: true,
            rebuild: usable.is_none(),
            last_sent: Instant::now(),
        };
        Self {
            indexed: AtomicU64::new(committed_or_none),
            queue: Mutex::new(queue),
            sending: Mutex::new(()),
        }
    }

    /// Returns the newest sequence that is searchable.
    pub fn indexed(&self) -> u64 {
        self.indexed.load(Ordering::SeqCst)
    }

    /// Says whether documents wait that no sequence tells of.
    pub fn is_waiting(&self) -> bool {
        !lock(&self.queue).touched.is_empty()
    }

    /// Says whether what waits is soon done.
    pub fn is_short(&self) -> bool {
        let queue = lock(&self.queue);
        !queue.gap && !queue.rebuild && queue.touched.len() <= SHORT
    }

    /// Notes what an applied change touches.
    pub fn push(&self, seq: u64, change: &Change) {
        let mut queue = lock(&self.queue);
        queue.applied = seq;
        if queue.gap {
            return;
        }
        if queue.touched.len() > MAX_QUEUED {
            queue.gap = true;
            return;
        }
        queue.touched.extend(touched(change));
        queue.through = seq;
    }

    /// Takes everything that is due. From here on changes are noted again; those that are applied
    /// by now and were not noted are read from the journal. Both are decided under one lock, so
    /// that no change falls between them; and the journal is read no further than the store has
    /// applied, because documents are built from the store.
    pub fn take(&self) -> Due {
        let mut queue = lock(&self.queue);
        let (gap, rebuild) = (queue.gap, queue.rebuild);
        queue.gap = false;
        queue.rebuild = false;
        if gap {
            queue.through = queue.applied;
        }
        Due { touched: std::mem::take(&mut queue.touched), through: queue.through, gap, rebuild }
    }

    /// Takes back what could not be sent. The journal alone would not do: it does not know of
    /// Slots that time has changed.
    pub fn give_back(&self, mut due: Due) {
        let mut queue = lock(&self.queue);
        queue.touched.append(&mut due.touched);
        queue.gap |= due.gap;
        queue.rebuild |= due.rebuild;
    }

    /// Notes that everything up to a sequence is searchable.
    pub fn note_sent(&self, through: u64) {
        self.indexed.fetch_max(through, Ordering::SeqCst);
        lock(&self.queue).last_sent = Instant::now();
    }

    /// Returns the newest sequence that the store has applied.
    pub fn applied(&self) -> u64 {
        lock(&self.queue).applied
    }

    /// Returns when something was last sent.
    pub fn last_sent(&self) -> Instant {
        lock(&self.queue).last_sent
    }

    /// Notes Slots whose Facts changed their state by time alone.
    pub fn touch_slots(&self, slots: &[SlotId]) {
        lock(&self.queue).touched.extend(slots.iter().cloned().map(Touched::Slot));
    }
}

/// Says which documents a change touches.
pub fn touched(change: &Change) -> Vec<Touched> {
    let mut touched = Vec::new();
    match change {
        Change::Captured { turns, blocks } => {
            for captured in turns {
                let thread = &captured.turn.thread;
                for message in &captured.turn.messages {
                    touched.push(Touched::Message(thread.clone(), message.id.clone()));
                }
            }
            touched.extend(blocks.iter().map(|block| Touched::Block(block.id.clone())));
        }
        Change::Sealed { blocks } => {
            touched.extend(blocks.iter().map(|block| Touched::Block(block.id.clone())));
        }
        Change::Summarised { run, .. } => touched.push(Touched::Block(run.block.clone())),
        Change::Extracted { events, .. } => {
            touched.extend(events.iter().map(|event| Touched::Event(event.id.clone())));
        }
        Change::Projected { participants, changes, .. } => {
            touched.extend(participants.iter().map(|(event, _)| Touched::Event(event.clone())));
            for placed in changes {
                touch_change(&placed.slot.id(), &placed.change, &mut touched);
            }
        }
        Change::Forgotten { event, changes } | Change::Restored { event, changes } => {
            touched.push(Touched::Event(event.clone()));
            for placed in changes {
                touch_change(&placed.slot.id(), &placed.change, &mut touched);
            }
        }
        Change::Acted { act, participants, changes, .. } => {
            let retracted = act.retracted.iter().map(|(event, _)| event);
            let sources = act.set_aside.iter().chain(&act.brought_back).map(|claim| &claim.event);
            let moved = participants.iter().map(|(event, _)| event);
            let events: BTreeSet<&EventId> = retracted.chain(sources).chain(moved).collect();
            touched.extend(events.into_iter().cloned().map(Touched::Event));
            for placed in changes {
                touch_change(&placed.slot.id(), &placed.change, &mut touched);
            }
        }
        Change::Pinned { event, .. } => touched.push(Touched::Event(event.clone())),
        Change::Created { .. }
        | Change::Configured { .. }
        | Change::Migrated { .. }
        | Change::JobFailed { .. }
        | Change::JobRetried { .. }
        | Change::JobCancelled { .. }
        | Change::Expanded { .. }
        | Change::Assessed { .. }
        | Change::Adopted { .. } => {}
    }
    touched
}

/// A change of a Slot touches the Facts it names, and not the rest of a long history. Only a
/// conflict that is decided names none: then all of the Slot is touched.
fn touch_change(slot: &SlotId, change: &SlotChange, touched: &mut Vec<Touched>) {
    if !change.resolved.is_empty() {
        touched.push(Touched::Slot(slot.clone()));
    }
    let facts = change
        .opened
        .iter()
        .map(|opened| &opened.fact.id)
        .chain(change.retracted.iter().map(|retracted| &retracted.fact))
        .chain(change.reopened.iter().map(|reopened| &reopened.fact))
        .chain(change.closed.iter().map(|closed| &closed.fact))
        .chain(change.sources.iter().map(|sources| &sources.fact))
        .chain(change.conflicts.iter().flat_map(|opened| &opened.conflict.candidates));
    touched.extend(facts.cloned().map(Touched::Changed));
    let removed = change.sources.iter().flat_map(|sources| &sources.removed);
    touched.extend(removed.cloned().map(Touched::Event));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pinned(event: &str) -> Change {
        Change::Pinned { event: EventId(event.to_owned()), pinned: true }
    }

    fn event(id: &str) -> Touched {
        Touched::Event(EventId(id.to_owned()))
    }

    #[test]
    fn what_was_applied_while_there_was_a_gap_is_read_from_the_journal() {
        let queue = IndexQueue::new(Some(3), 5);
        // Not noted, because the journal has to be read anyway; but it counts as applied.
        queue.push(6, &pinned("six"));
        let due = queue.take();
        assert_eq!((due.through, due.gap, due.rebuild), (6, true, false));
        queue.note_sent(due.through);
        queue.push(7, &pinned("seven"));
        let due = queue.take();
        assert_eq!((due.through, due.gap), (7, false));
        assert_eq!(due.touched, BTreeSet::from([event("seven")]));
    }

    #[test]
    fn a_gap_is_closed_no_further_than_the_store_has_applied() {
        // The journal may hold record 6 by now: it is indexed when it is applied.
        let queue = IndexQueue::new(Some(3), 5);
        assert_eq!(queue.take().through, 5);
        queue.note_sent(5);
        queue.push(6, &pinned("six"));
        assert_eq!(queue.take().touched, BTreeSet::from([event("six")]));
    }

    #[test]
    fn what_could_not_be_sent_is_due_again_with_slots_that_no_record_tells_of() {
        let queue = IndexQueue::new(Some(5), 5);
        queue.note_sent(queue.take().through);
        let slot = SlotId("s_1".to_owned());
        queue.touch_slots(std::slice::from_ref(&slot));
        queue.push(6, &pinned("six"));
        let due = queue.take();
        queue.give_back(due);
        queue.push(7, &pinned("seven"));
        assert_eq!(queue.indexed(), 5);
        let due = queue.take();
        let all = BTreeSet::from([event("six"), event("seven"), Touched::Slot(slot)]);
        assert_eq!((due.touched, due.through), (all, 7));
    }

    #[test]
    fn an_index_that_is_ahead_of_the_store_or_empty_is_built_again() {
        for committed in [None, Some(9)] {
            let queue = IndexQueue::new(committed, 5);
            assert_eq!(queue.indexed(), 0);
            let due = queue.take();
            assert!(due.rebuild);
            assert_eq!(due.through, 5);
            queue.give_back(due);
            assert!(queue.take().rebuild, "until it is done");
        }
    }
}
