//! Measures appending with sync: `cargo bench --bench journal -- <folder on the disk to measure>`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::DateTime;
use stratagate::journal::{Journal, Record};
use stratagate::model::NamespaceName;

const BODY_BYTES: usize = 1000;

fn main() {
    let parent = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"))
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(&parent).expect("the folder can be written to");
    println!("append and sync in {}, bodies of {BODY_BYTES} bytes", parent.display());
    for (group, rounds) in [(1, 2000), (32, 1000), (256, 200)] {
        measure(&folder.path().join(group.to_string()), group, rounds);
    }
}

fn measure(folder: &std::path::Path, group: usize, rounds: usize) {
    let namespace = NamespaceName::new("bench").expect("the name is valid");
    let (mut journal, _) = Journal::open(folder, &namespace).expect("the journal opens");
    let body = format!("{{\"text\":\"{}\"}}", "x".repeat(BODY_BYTES - 11));
    let recorded_at = DateTime::UNIX_EPOCH;
    let records: Vec<Record> =
        (0..group).map(|_| Record { recorded_at, kind: "turn", body: body.as_bytes() }).collect();
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            journal.append(&records).expect("the records are durable");
            start.elapsed()
        })
        .collect();
    times.sort();
    let total: Duration = times.iter().sum();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{group:>4} a group: p50 {:>8.1?}, p99 {:>8.1?}, {:.0} records a second",
        at(0.5),
        at(0.99),
        (group * rounds) as f64 / total.as_secs_f64()
    );
    let records = group * rounds;
    let start = Instant::now();
    let read = journal.read_from(1).map_while(Result::ok).count();
    assert_eq!(read, records, "every record is read back");
    let read_in = start.elapsed();
    drop(journal);
    let start = Instant::now();
    let (_, recovery) = Journal::open(folder, &namespace).expect("the journal opens");
    println!(
        "     {records} records, read and checked in {read_in:.1?}, opened again in {:.1?} ({} segments)",
        start.elapsed(),
        recovery.segments
    );
}
