mod accidents;
mod appending;
mod properties;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use tempfile::TempDir;

use super::{Journal, JournalOptions, Record, StoredRecord};
use crate::model::NamespaceName;

/// Small segments, so that a few records make several.
const SMALL: JournalOptions = JournalOptions { segment_bytes: 600 };

fn namespace() -> NamespaceName {
    NamespaceName::new("dsh:演示/1").expect("the name is valid")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_750_000_000 + second, 123_456_789).expect("the second is in range")
}

fn open(dir: &Path) -> Journal {
    open_with(dir, JournalOptions::default())
}

fn open_with(dir: &Path, options: JournalOptions) -> Journal {
    let (journal, recovery) =
        Journal::open_with(dir, &namespace(), options).expect("the journal opens");
    assert_eq!(recovery.torn, None);
    journal
}

fn body(seq: u64) -> String {
    format!("{{\"number\":{seq},\"text\":\"{}\"}}", "gelesen ".repeat(seq as usize % 7))
}

/// Appends records `from..=to` as one group.
fn append(journal: &mut Journal, from: u64, to: u64) -> super::AppendOutcome {
    let bodies: Vec<String> = (from..=to).map(body).collect();
    let records: Vec<Record> =
        (from..=to).zip(&bodies).map(|(seq, body)| record(seq, body)).collect();
    journal.append(&records).expect("the group is appended")
}

fn record(seq: u64, body: &str) -> Record<'_> {
    Record { recorded_at: at(seq as i64 / 2), kind: "turn", body: body.as_bytes() }
}

fn read(journal: &Journal, from: u64) -> Vec<StoredRecord> {
    journal.read_from(from).collect::<Result<_, _>>().expect("every record is read")
}

/// Checks that a journal holds exactly the records `1..=last` as [`append`] writes them.
fn check_holds(journal: &Journal, last: u64) {
    let records = read(journal, 1);
    assert_eq!(records.len() as u64, last);
    for (seq, stored) in (1..).zip(&records) {
        assert_eq!(stored.seq, seq);
        assert_eq!(stored.recorded_at, at(seq as i64 / 2));
        assert_eq!(stored.kind, "turn");
        assert_eq!(String::from_utf8_lossy(&stored.body), body(seq));
    }
    assert_eq!(journal.last_seq(), last);
    assert_eq!(records.last().map(|r| r.hash), (last > 0).then(|| journal.head_hash()));
    let verification = journal.verify().expect("every file is read");
    assert_eq!(verification.findings, []);
    assert_eq!(verification.records, last);
    assert_eq!(verification.head, journal.head_hash());
}

fn segments(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir.join("journal"))
        .expect("the folder is there")
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()
        .expect("the folder can be listed");
    paths.sort();
    paths
}

fn flip_bit(path: &Path, bit: u64) {
    let mut bytes = fs::read(path).expect("the segment can be read");
    bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
    fs::write(path, bytes).expect("the segment can be written");
}
