use super::*;
use crate::clock::Clock;
use crate::extract::Rules;
use crate::memory::namespace::Namespace;
use crate::memory::pool::{Memory, MemoryOptions};
use crate::memory::types::{NewMessage, NewTurn};
use crate::memory::writer::lock;
use crate::model::{NamespaceName, Role};
use std::path::Path;

const SAID: [&str; 8] = [
    "We use npm for atlas-web.",
    "We switched atlas-web from npm to pnpm.",
    "We use Postgres for atlas-web.",
    "atlas-web no longer uses pnpm.",
    "We use pnpm for atlas-web.",
    "Ana owns atlas-web now.",
    "Ben owns atlas-web now.",
    "We switched atlas-web from pnpm to yarn.",
];

fn memory(place: &Path) -> Memory {
    let clock = Clock::Fixed(chrono::DateTime::UNIX_EPOCH + chrono::Duration::days(20_600));
    Memory::open(MemoryOptions { data: place.to_owned(), clock }).unwrap()
}

fn name() -> NamespaceName {
    NamespaceName::new("slots".to_owned()).unwrap()
}

fn turn(number: usize) -> NewTurn {
    // Days go forwards and backwards, so that late evidence comes in.
    let day =
        chrono::DateTime::UNIX_EPOCH + chrono::Duration::days(20_000 + (number * 7 % 60) as i64);
    let message = NewMessage {
        id: None,
        role: Role::User,
        speaker: None,
        content: Some(SAID[number % SAID.len()].to_owned()),
        at: Some(day.to_rfc3339()),
        name: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
    };
    NewTurn { turn_id: format!("t{number}"), thread: None, messages: vec![message] }
}

fn work(namespace: &Namespace) {
    namespace.seal(None).unwrap();
    while let Some(job) = namespace.next_job() {
        namespace.run_job(&job, &Rules).unwrap();
    }
}

#[test]
fn what_is_kept_of_a_slot_is_what_the_store_says_of_it() {
    let place = tempfile::tempdir().unwrap();
    let memory = memory(place.path());
    for first in (0..48).step_by(6) {
        memory.record(&name(), (first..first + 6).map(turn).collect()).unwrap();
        let namespace = memory.get(&name()).unwrap();
        work(&namespace);
        let kept = lock(&namespace.graph);
        assert!(kept.slots.len() > 1, "the conversation changes Slots");
        let tx = namespace.store.begin().unwrap();
        assert_eq!(kept.differing(&tx).unwrap(), Vec::<SlotId>::new());
    }
    let namespace = memory.get(&name()).unwrap();
    let events = namespace.store.begin().unwrap().event_ids().unwrap();
    for event in &events {
        namespace.forget(event).unwrap();
        let tx = namespace.store.begin().unwrap();
        assert_eq!(lock(&namespace.graph).differing(&tx).unwrap(), Vec::<SlotId>::new());
        drop(tx);
        namespace.restore(event).unwrap();
    }
    let tx = namespace.store.begin().unwrap();
    assert_eq!(lock(&namespace.graph).differing(&tx).unwrap(), Vec::<SlotId>::new());
    assert_eq!(namespace.check().unwrap().len(), 0);
}

#[test]
fn little_used_slots_make_room() {
    let mut kept = SlotCache::default();
    let conflict = Conflict {
        id: crate::model::ConflictId("x".to_owned()),
        slot: SlotId("s".to_owned()),
        candidates: Vec::new(),
        recorded_at: crate::model::TxTime(chrono::DateTime::UNIX_EPOCH),
        resolved_at: None,
        resolved_by: None,
    };
    for number in 0..5 {
        let conflicts = vec![conflict.clone(); MAX_ITEMS / 2];
        let contents = SlotContents { conflicts, ..SlotContents::default() };
        kept.keep(&SlotId(number.to_string()), contents);
        assert!(kept.items <= MAX_ITEMS);
    }
    assert_eq!(kept.slots.len(), 2);
    let conflicts = vec![conflict; MAX_ITEMS * 2];
    kept.keep(&SlotId("large".to_owned()), SlotContents { conflicts, ..SlotContents::default() });
    assert_eq!(kept.slots.len(), 1, "the newest stays however large");
}
