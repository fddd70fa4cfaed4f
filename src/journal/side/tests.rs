use std::collections::BTreeMap as Map;

use proptest::prelude::*;

use super::*;

const ROOMY: u64 = 1 << 20;

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_750_000_000 + second, 0).unwrap()
}

fn open(path: &Path, max_bytes: u64) -> (SideLog<String>, SideOpening) {
    SideLog::open(path, max_bytes).unwrap()
}

fn held(log: &SideLog<String>) -> Vec<(String, String)> {
    log.iter(at(0)).map(|(key, value)| (key.to_owned(), value.clone())).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn values_are_there_after_opening_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("side/batches.jsonl");
    let (mut log, opening) = open(&path, ROOMY);
    assert_eq!(opening, SideOpening { entries: 0, skipped_lines: 0, dropped: 0 });
    log.put("a", "one".to_owned(), None).unwrap();
    log.put("b", "two\nlines".to_owned(), Some(at(9))).unwrap();
    log.put("a", "three".to_owned(), None).unwrap();
    log.put("c", "four".to_owned(), None).unwrap();
    assert!(log.remove("c").unwrap());
    assert!(!log.remove("c").unwrap());
    drop(log);
    let (log, opening) = open(&path, ROOMY);
    assert_eq!(opening, SideOpening { entries: 2, skipped_lines: 0, dropped: 0 });
    assert_eq!(held(&log), pairs(&[("b", "two\nlines"), ("a", "three")]));
    assert_eq!(log.size_bytes(), fs::metadata(&path).unwrap().len());
}

#[test]
fn a_value_ends_when_it_expires() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("leases.jsonl");
    let (mut log, _) = open(&path, ROOMY);
    log.put("a", "short".to_owned(), Some(at(10))).unwrap();
    log.put("b", "for ever".to_owned(), None).unwrap();
    assert!(log.get("a", at(9)).is_some());
    assert!(log.get("a", at(10)).is_none(), "the end does not belong to it");
    assert_eq!(log.iter(at(10)).count(), 1);
    assert_eq!((log.len(), log.is_empty()), (2, false));
    assert_eq!(log.drop_expired(at(9)).unwrap(), 0);
    assert_eq!(log.drop_expired(at(10)).unwrap(), 1);
    assert_eq!(log.len(), 1);
    assert!(log.get("a", at(0)).is_none());
}

#[test]
fn lines_that_cannot_be_read_are_skipped_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("batches.jsonl");
    let (mut log, _) = open(&path, ROOMY);
    log.put("a", "one".to_owned(), None).unwrap();
    log.put("b", "two".to_owned(), None).unwrap();
    drop(log);
    let text = fs::read(&path).unwrap();
    let first_line = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let mut damaged = b"\xff\0garbage\n{\"op\":\"put\",\"key\":\"x\",\"value\":5}\n\n".to_vec();
    damaged.extend(&text[..first_line]);
    damaged.extend(&text[first_line..text.len() - 4]);
    fs::write(&path, &damaged).unwrap();
    let (mut log, opening) = open(&path, ROOMY);
    assert_eq!(opening, SideOpening { entries: 1, skipped_lines: 3, dropped: 0 });
    // What follows must not be swallowed by the torn line.
    log.put("c", "three".to_owned(), None).unwrap();
    drop(log);
    assert_eq!(held(&open(&path, ROOMY).0), pairs(&[("a", "one"), ("c", "three")]));
}

#[test]
fn a_file_that_is_mostly_dead_is_rewritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("attempts.jsonl");
    let (mut log, _) = open(&path, ROOMY);
    log.put("kept", "x".to_owned(), None).unwrap();
    for round in 0..10_000 {
        log.put("counter", round.to_string(), None).unwrap();
        assert!(log.size_bytes() <= REWRITE_FROM_BYTES + 100);
    }
    assert_eq!(log.size_bytes(), fs::metadata(&path).unwrap().len());
    drop(log);
    assert_eq!(held(&open(&path, ROOMY).0), pairs(&[("kept", "x"), ("counter", "9999")]));
}

#[test]
fn the_oldest_values_go_first_when_the_file_is_full() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("batches.jsonl");
    let (mut log, _) = open(&path, 2000);
    log.put("0", "x".repeat(100), None).unwrap();
    for key in 1..200 {
        log.put(&key.to_string(), "x".repeat(100), None).unwrap();
        assert!(log.size_bytes() <= 2000);
        assert!(fs::metadata(&path).unwrap().len() <= 2000);
    }
    let keys: Vec<u32> = log.iter(at(0)).map(|(key, _)| key.parse().unwrap()).collect();
    assert!(keys.len() >= 5);
    assert_eq!(keys, (200 - keys.len() as u32..200).collect::<Vec<_>>());
    drop(log);
    let (log, opening) = open(&path, 500);
    assert_eq!(opening.dropped, keys.len() - log.len());
    assert!(log.get("199", at(0)).is_some() && log.size_bytes() <= 500);
}

#[test]
fn a_value_larger_than_the_file_is_refused_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("batches.jsonl");
    let (mut log, _) = open(&path, 200);
    log.put("a", "one".to_owned(), None).unwrap();
    let refused = log.put("b", "x".repeat(300), None).unwrap_err();
    assert!(matches!(refused, SideError::TooLarge { limit: 200, .. }), "{refused}");
    assert_eq!(held(&log), pairs(&[("a", "one")]));
}

#[test]
fn a_file_without_line_ends_is_no_reason_to_fill_the_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("batches.jsonl");
    fs::write(&path, "x".repeat(100_000)).unwrap();
    let (mut log, opening) = open(&path, 1000);
    assert!(opening.skipped_lines > 1);
    assert_eq!(log.size_bytes(), 0, "a file above its cap is rewritten at once");
    log.put("a", "one".to_owned(), None).unwrap();
    drop(log);
    assert_eq!(held(&open(&path, 1000).0), pairs(&[("a", "one")]));
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8, String),
    Remove(u8),
    Reopen,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u8..8, "\\PC{0,30}").prop_map(|(key, value)| Step::Put(key, value)),
        2 => (0u8..8).prop_map(Step::Remove),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_side_file_is_a_map_that_survives(
        steps in prop::collection::vec(any_step(), 0..60),
        torn in 0usize..40,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("side.jsonl");
        let mut log = open(&path, ROOMY).0;
        let mut map: Map<String, String> = Map::new();
        for step in steps {
            match step {
                Step::Put(key, value) => {
                    log.put(&key.to_string(), value.clone(), None).unwrap();
                    map.insert(key.to_string(), value);
                }
                Step::Remove(key) => {
                    let had = map.remove(&key.to_string()).is_some();
                    prop_assert_eq!(log.remove(&key.to_string()).unwrap(), had);
                }
                Step::Reopen => {
                    drop(log);
                    // A process was killed while it wrote a line.
                    let mut text = fs::read(&path).unwrap();
                    text.extend(&br#"{"op":"put","key":"1","expires_at":null,"value":"#[..torn]);
                    fs::write(&path, text).unwrap();
                    log = open(&path, ROOMY).0;
                }
            }
            let now: Map<String, String> = held(&log).into_iter().collect();
            prop_assert_eq!(&now, &map);
        }
    }
}
