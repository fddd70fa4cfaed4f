use super::*;
use crate::memory::types::NewMessage;
use crate::model::Role;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn memory(place: &Path) -> Memory {
    let clock = Clock::Fixed(chrono::DateTime::UNIX_EPOCH + chrono::Duration::days(20_000));
    Memory::open(MemoryOptions { data: place.to_owned(), clock, readers: None }).unwrap()
}

fn name() -> NamespaceName {
    NamespaceName::new("pool".to_owned()).unwrap()
}

fn said(id: &str) -> NewTurn {
    let message = NewMessage {
        id: None,
        role: Role::User,
        speaker: None,
        content: Some(format!("turn {id}")),
        at: None,
        name: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
    };
    NewTurn { turn_id: id.to_owned(), thread: None, messages: vec![message] }
}

fn record(memory: &Memory, id: &str) -> u64 {
    memory.record(&name(), vec![said(id)]).unwrap()[0].turn
}

#[test]
fn a_stopped_namespace_is_opened_again_when_its_last_reader_has_gone() {
    let place = tempfile::tempdir().unwrap();
    let memory = memory(place.path());
    assert_eq!(record(&memory, "one"), 1);
    let held = memory.get(&name()).unwrap();
    held.stop("the disk was full");
    assert!(held.capture(vec![said("lost")]).is_err());
    let reader = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(150));
        drop(held);
    });
    // Its files are locked until the reader lets go; the write waits for that, and is not refused.
    assert_eq!(record(&memory, "two"), 2);
    reader.join().unwrap();
    assert_eq!(memory.namespace(&name()).unwrap().counts.turns, 2);
}

#[test]
fn what_could_not_be_opened_is_tried_again_without_being_asked_for() {
    let place = tempfile::tempdir().unwrap();
    let memory = memory(place.path());
    record(&memory, "one");
    let held = memory.get(&name()).unwrap();
    held.stop("the disk was full");
    let path = held.folder.clone();
    drop(held);
    // Something in the way of the store, for a while.
    write(&memory.inner.open).clear();
    let (store, aside) = (path.join(folders::STORE), path.join("aside"));
    std::fs::rename(&store, &aside).unwrap();
    std::fs::write(&store, "no folder").unwrap();
    assert!(memory.get(&name()).is_err());
    assert!(memory.open_namespaces().is_empty());
    std::fs::remove_file(&store).unwrap();
    std::fs::rename(&aside, &store).unwrap();
    memory.open_waiting();
    assert_eq!(memory.open_namespaces().len(), 1, "its jobs would never be done");
    assert!(lock(&memory.inner.waiting).is_empty());
}

#[test]
fn a_write_that_panics_stops_the_writer_and_costs_nothing_that_was_written() {
    let place = tempfile::tempdir().unwrap();
    let memory = memory(place.path());
    record(&memory, "one");
    let namespace = memory.get(&name()).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        // As a rule with a bug does, after it has moved the state at hand.
        namespace.write(|_| -> Result<super::super::writer::Planned<()>, MemoryError> {
            panic!("a bug in a rule")
        })
    }));
    assert!(panicked.is_err());
    assert!(namespace.is_broken());
    assert!(namespace.capture(vec![said("lost")]).is_err());
    drop(namespace);
    assert_eq!(record(&memory, "two"), 2);
    assert!(!memory.get(&name()).unwrap().is_broken());
}

#[test]
fn whether_writes_are_stopped_is_known_without_waiting_for_the_writer() {
    let place = tempfile::tempdir().unwrap();
    let memory = memory(place.path());
    record(&memory, "one");
    let namespace = memory.get(&name()).unwrap();
    let writing = namespace.lock_writer();
    let (send, receive) = std::sync::mpsc::channel();
    let other = memory.clone();
    std::thread::spawn(move || {
        // Every reading call begins with this.
        send.send(other.get(&name()).is_ok()).unwrap();
    });
    assert!(receive.recv_timeout(Duration::from_secs(20)).unwrap());
    drop(writing);
}

#[test]
fn a_clock_that_was_set_back_does_not_hide_what_was_just_written() {
    let place = tempfile::tempdir().unwrap();
    let ahead = memory(place.path());
    record(&ahead, "one");
    let newest = ahead.get(&name()).unwrap().now();
    drop(ahead);
    let clock = Clock::Fixed(newest - chrono::Duration::days(3));
    let back = Memory::open(MemoryOptions { data: place.path().to_owned(), clock, readers: None })
        .unwrap();
    assert_eq!(back.get(&name()).unwrap().now(), newest);
    assert_eq!(record(&back, "two"), 2);
    assert!(back.check(None).unwrap()[0].1.is_empty());
}
