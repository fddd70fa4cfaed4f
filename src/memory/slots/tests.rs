use super::*;
use crate::clock::Clock;
use crate::extract::Rules;
use crate::memory::namespace::Namespace;
use crate::memory::pool::{Memory, MemoryOptions};
use crate::memory::types::{ActRequest, AsOf, EntityView, NewMessage, NewTurn};
use crate::memory::writer::lock;
use crate::model::{EntityKind, EntityRef, FactId, NamespaceName, Role};
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
    Memory::open(MemoryOptions { data: place.to_owned(), clock, readers: None }).unwrap()
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

/// What holds of every entity, in words.
fn present(namespace: &Namespace) -> Vec<String> {
    let tx = namespace.store.begin().unwrap();
    let mut lines = Vec::new();
    for id in tx.entity_ids().unwrap() {
        let state = namespace.entity(id.as_str(), AsOf::default(), &EntityView::default()).unwrap();
        for (list, facts) in
            [("current", state.current), ("planned", state.planned), ("past", state.superseded)]
        {
            for card in facts {
                let fact = card.fact;
                lines.push(format!(
                    "{list} {} {} {} {:?} {:?} {:?}",
                    fact.slot.entity,
                    fact.slot.property,
                    card.value_label,
                    fact.valid_from,
                    card.valid_to,
                    fact.events,
                ));
            }
        }
        for conflict in state.conflicts {
            lines.push(format!("conflict {:?}", conflict.conflict.candidates.len()));
        }
    }
    lines.sort();
    lines.dedup();
    lines
}

/// The act that a number stands for, where the namespace has what it needs.
fn some_act(namespace: &Namespace, number: usize) -> Option<ActRequest> {
    let tx = namespace.store.begin().unwrap();
    let hidden = tx.hidden_events(None).unwrap();
    let live: Vec<FactId> = tx
        .fact_ids()
        .unwrap()
        .into_iter()
        .filter(|id| {
            let fact = tx.fact(id).unwrap().unwrap();
            fact.retracted_at.is_none() && !crate::memory::facts::is_hidden(&fact, &hidden)
        })
        .collect();
    let fact = live.get(number % live.len().max(1)).cloned()?;
    let note = Some(format!("number {number}"));
    Some(match number % 5 {
        0 => ActRequest::RetractFact { fact, note },
        1 => {
            let events = tx.event_ids().unwrap();
            let event = events.get(number % events.len())?.clone();
            ActRequest::RetractEvent { event, note }
        }
        2 => ActRequest::Correct {
            fact,
            value: Some(format!("value {}", number % 7)),
            valid_from: None,
            valid_to: None,
            note,
        },
        3 => {
            let ids = tx.entity_ids().unwrap();
            let pick = |at: usize| ids.get(at % ids.len()).map(|id| id.0.clone());
            ActRequest::Merge { from: pick(number)?, into: pick(number / 5)?, note }
        }
        _ => {
            let fact = tx.fact(&fact).unwrap()?;
            ActRequest::Split {
                entity: fact.slot.entity.0.clone(),
                events: fact.events.into_iter().filter(|event| event.act().is_none()).collect(),
                into: EntityRef::new(EntityKind::Project, format!("split {}", number % 3)),
                note,
            }
        }
    })
}

#[test]
fn whatever_operators_do_the_present_is_what_events_and_acts_give_and_undoing_brings_it_back() {
    let place = tempfile::tempdir().unwrap();
    let memory = memory(place.path());
    memory.record(&name(), (0..30).map(turn).collect()).unwrap();
    let namespace = memory.get(&name()).unwrap();
    work(&namespace);
    let before = present(&namespace);
    let mut done = Vec::new();
    let mut number = 7;
    for _ in 0..40 {
        // A fixed walk over kinds and targets.
        number = (number * 31 + 17) % 10_007;
        let Some(request) = some_act(&namespace, number) else { continue };
        // What is refused changes nothing, which the check sees as well.
        if let Ok(act) = namespace.act(&request) {
            done.push(act.row.seq);
        }
        assert_eq!(namespace.check().unwrap(), Vec::new(), "after {request:?}");
        let tx = namespace.store.begin().unwrap();
        assert_eq!(lock(&namespace.graph).differing(&tx).unwrap(), Vec::<SlotId>::new());
    }
    assert!(done.len() > 15, "only {} acts were possible", done.len());
    assert_ne!(present(&namespace), before);
    let undoings: Vec<u64> =
        done.iter().rev().map(|act| namespace.undo(*act, None).unwrap().row.seq).collect();
    assert_eq!(namespace.check().unwrap(), Vec::new());
    assert_eq!(present(&namespace), before, "all of it is undone");
    // And the undoings can be undone.
    for undoing in undoings.iter().rev().take(10) {
        namespace.undo(*undoing, None).unwrap();
        assert_eq!(namespace.check().unwrap(), Vec::new());
    }
}

#[test]
fn what_is_derived_is_put_right() {
    let place = tempfile::tempdir().unwrap();
    let memory = memory(place.path());
    memory.record(&name(), (0..12).map(turn).collect()).unwrap();
    let namespace = memory.get(&name()).unwrap();
    work(&namespace);
    let whole = present(&namespace);
    let mut tx = namespace.store.begin().unwrap();
    let current = tx.names.current.clone();
    tx.clear_graph(&current).unwrap();
    tx.commit().unwrap();
    // And a fact that no claim gives.
    let mut tx = namespace.store.begin().unwrap();
    let fact = tx.fact_ids().unwrap().remove(0);
    let at = crate::model::TxTime(namespace.now());
    tx.retract_fact(&fact, at, crate::model::Reason::Retracted, None);
    tx.commit().unwrap();
    drop(namespace);
    let found = memory.check(None).unwrap().remove(0).1;
    let is = |word: &str| found.iter().any(|finding| finding.check == word);
    assert!(is("current_differs") && is("facts_differ"), "{found:?}");
    let repaired = memory.repair(None).unwrap().remove(0).1;
    assert_eq!(repaired.len(), found.len());
    assert!(repaired.iter().all(|one| one.gone), "{repaired:?}");
    assert_eq!(memory.check(None).unwrap().remove(0).1, Vec::new());
    let namespace = memory.get(&name()).unwrap();
    assert_eq!(present(&namespace), whole);
}
