use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::journal::segment::{TailFile, open_real_tail};
use crate::journal::{Damage, JournalError, Recovery, simulate, verify_folder};

/// What a [`FailingFile`] does next.
#[derive(Default)]
struct Faults {
    syncs_left: AtomicU64,
    bytes_left: AtomicU64,
    cuts_left: AtomicU64,
    syncs: AtomicU64,
}

impl Faults {
    fn none() -> Arc<Self> {
        let many = || AtomicU64::new(u64::MAX / 2);
        Arc::new(Self {
            syncs_left: many(),
            bytes_left: many(),
            cuts_left: many(),
            ..Self::default()
        })
    }

    fn use_up(left: &AtomicU64, wanted: u64) -> u64 {
        let had = left.load(Ordering::SeqCst);
        left.store(had.saturating_sub(wanted), Ordering::SeqCst);
        had.min(wanted)
    }
}

/// A file on a disk that fails when it is told to.
struct FailingFile {
    file: Box<dyn TailFile>,
    faults: Arc<Faults>,
}

impl TailFile for FailingFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let written = Faults::use_up(&self.faults.bytes_left, bytes.len() as u64) as usize;
        self.file.write_at(offset, &bytes[..written])?;
        if written < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.faults.syncs.fetch_add(1, Ordering::SeqCst);
        if Faults::use_up(&self.faults.syncs_left, 1) == 0 {
            return Err(io::Error::other("the disk is gone"));
        }
        self.file.sync_data()
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        if Faults::use_up(&self.faults.cuts_left, 1) == 0 {
            return Err(io::Error::other("the disk is gone"));
        }
        self.file.set_len(len)
    }
}

fn open_failing(dir: &Path, faults: &Arc<Faults>) -> Journal {
    let faults = Arc::clone(faults);
    let open_tail = move |path: &Path| -> io::Result<Box<dyn TailFile>> {
        Ok(Box::new(FailingFile { file: open_real_tail(path)?, faults: Arc::clone(&faults) }))
    };
    Journal::open_on(dir, &namespace(), JournalOptions::default(), Arc::new(open_tail)).unwrap().0
}

fn reopen(dir: &Path) -> Result<(Journal, Recovery), JournalError> {
    Journal::open_with(dir, &namespace(), SMALL)
}

fn try_append(journal: &mut Journal, seq: u64) -> Result<u64, JournalError> {
    journal.append(&[record(seq, &body(seq))]).map(|outcome| outcome.last_seq)
}

/// Returns where each frame of a segment begins, and where the last one ends.
fn frame_offsets(path: &Path) -> Vec<usize> {
    let bytes = fs::read(path).unwrap();
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut offsets = vec![u32_at(12)];
    while let Some(&at) = offsets.last()
        && at < bytes.len()
    {
        offsets.push(at + 64 + u32_at(at + 4));
    }
    offsets
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn every_append_is_one_sync() {
    let dir = folder();
    let faults = Faults::none();
    let mut journal = open_failing(dir.path(), &faults);
    let before = faults.syncs.load(Ordering::SeqCst);
    append(&mut journal, 1, 1);
    append(&mut journal, 2, 33);
    assert_eq!(faults.syncs.load(Ordering::SeqCst) - before, 2);
}

#[test]
fn a_failed_sync_ends_all_writes_until_the_journal_is_opened_again() {
    let dir = folder();
    let faults = Faults::none();
    let mut journal = open_failing(dir.path(), &faults);
    append(&mut journal, 1, 3);
    faults.syncs_left.store(0, Ordering::SeqCst);
    assert!(matches!(try_append(&mut journal, 4), Err(JournalError::SyncFailed { .. })));
    faults.syncs_left.store(100, Ordering::SeqCst);
    let error = try_append(&mut journal, 4).unwrap_err();
    assert!(matches!(error, JournalError::Poisoned { .. }));
    assert!(error.to_string().contains("the disk is gone"), "{error}");
    assert!(journal.is_poisoned());
    check_holds(&journal, 3);
    drop(journal);
    let mut journal = open(dir.path());
    check_holds(&journal, 3);
    append(&mut journal, 4, 4);
    check_holds(&journal, 4);
}

/// After a failed sync the pages may be called clean without being on disk, so opening must write
/// them again: a sync alone would prove nothing.
#[test]
fn records_left_by_a_failed_sync_are_written_again_at_opening() {
    let dir = folder();
    let faults = Faults::none();
    let mut journal = open_failing(dir.path(), &faults);
    append(&mut journal, 1, 3);
    faults.syncs_left.store(0, Ordering::SeqCst);
    faults.cuts_left.store(0, Ordering::SeqCst);
    assert!(try_append(&mut journal, 4).is_err());
    drop(journal);
    let again = Faults::none();
    let mut journal = open_failing(dir.path(), &again);
    let written = u64::MAX / 2 - again.bytes_left.load(Ordering::SeqCst);
    let offsets = frame_offsets(&segments(dir.path())[0]);
    assert_eq!(written as usize, offsets[4] - offsets[3]);
    assert_eq!(again.syncs.load(Ordering::SeqCst), 1);
    check_holds(&journal, 4);
    append(&mut journal, 5, 5);
    check_holds(&journal, 5);
}

#[test]
fn a_full_disk_leaves_no_trace_and_writing_goes_on_when_there_is_room() {
    let dir = folder();
    let faults = Faults::none();
    let mut journal = open_failing(dir.path(), &faults);
    append(&mut journal, 1, 3);
    let len = journal.size_bytes();
    faults.bytes_left.store(20, Ordering::SeqCst);
    assert!(matches!(try_append(&mut journal, 4), Err(JournalError::WriteFailed { .. })));
    assert!(!journal.is_poisoned());
    assert_eq!(fs::metadata(&segments(dir.path())[0]).unwrap().len(), len);
    faults.bytes_left.store(u64::MAX / 2, Ordering::SeqCst);
    append(&mut journal, 4, 5);
    check_holds(&journal, 5);
}

#[test]
fn a_half_written_end_that_cannot_be_taken_back_ends_all_writes() {
    let dir = folder();
    let faults = Faults::none();
    let mut journal = open_failing(dir.path(), &faults);
    append(&mut journal, 1, 3);
    faults.bytes_left.store(20, Ordering::SeqCst);
    faults.cuts_left.store(0, Ordering::SeqCst);
    assert!(matches!(try_append(&mut journal, 4), Err(JournalError::WriteFailed { .. })));
    assert!(matches!(try_append(&mut journal, 4), Err(JournalError::Poisoned { .. })));
    drop(journal);
    let (journal, recovery) = reopen(dir.path()).unwrap();
    assert_eq!(recovery.torn.map(|torn| torn.bytes), Some(20));
    check_holds(&journal, 3);
}

#[test]
fn a_killed_process_loses_no_acknowledged_record() {
    let dir = folder();
    let mut journal = open(dir.path());
    append(&mut journal, 1, 3);
    let bodies = [body(4), body(5)];
    let group = [record(4, &bodies[0]), record(5, &bodies[1])];
    let end = simulate::kill_before_sync(journal, &group).unwrap();
    assert_eq!(end.last_seq, 3);
    // The bytes are in the system's cache, so they are still there: whole, and now made durable.
    let (journal, recovery) = reopen(dir.path()).unwrap();
    assert_eq!((recovery.last_seq, recovery.torn), (5, None));
    check_holds(&journal, 5);
}

/// Runs itself a second time, as the process that is killed in the middle of appending.
#[test]
fn a_process_killed_while_it_appends_loses_no_acknowledged_record() {
    const CHILD: &str = "STRATAGATE_TEST_JOURNAL_FOLDER";
    const NAME: &str =
        "journal::tests::accidents::a_process_killed_while_it_appends_loses_no_acknowledged_record";
    if let Some(dir) = std::env::var_os(CHILD) {
        let mut journal = open_with(Path::new(&dir), JournalOptions { segment_bytes: 20_000 });
        for first in (1..1_000_000).step_by(3) {
            let outcome = append(&mut journal, first, first + 2);
            println!("\nacknowledged {}", outcome.last_seq);
        }
        return;
    }
    let dir = folder();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(CHILD, dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut acknowledged = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let Some(seq) = line.strip_prefix("acknowledged ") else { continue };
        acknowledged = seq.parse().unwrap();
        if acknowledged == 600 {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(acknowledged >= 600);
    let (mut journal, recovery) = Journal::open(dir.path(), &namespace()).unwrap();
    assert!(recovery.last_seq >= acknowledged && recovery.segments > 1);
    check_holds(&journal, recovery.last_seq);
    append(&mut journal, recovery.last_seq + 1, recovery.last_seq + 2);
    check_holds(&journal, recovery.last_seq + 2);
}

#[test]
fn a_power_cut_at_any_byte_leaves_all_acknowledged_records_and_no_half_one() {
    let dir = folder();
    let mut journal = open(dir.path());
    append(&mut journal, 1, 3);
    let bodies = [body(4), body(5)];
    let group = [record(4, &bodies[0]), record(5, &bodies[1])];
    let end = simulate::kill_before_sync(journal, &group).unwrap();
    let whole = fs::read(&end.file).unwrap();
    let offsets = frame_offsets(&end.file);
    for kept in 0..=whole.len() as u64 - end.len {
        fs::write(&end.file, &whole).unwrap();
        simulate::power_cut(&end, kept).unwrap();
        let (mut journal, recovery) = Journal::open(dir.path(), &namespace()).unwrap();
        let len = (end.len + kept) as usize;
        let held = offsets.iter().filter(|offset| **offset <= len).count() as u64 - 1;
        assert_eq!(recovery.last_seq, held);
        assert_eq!(recovery.torn.is_some(), !offsets.contains(&len));
        check_holds(&journal, held);
        append(&mut journal, held + 1, held + 2);
        drop(journal);
        let (journal, recovery) = Journal::open(dir.path(), &namespace()).unwrap();
        assert_eq!(recovery.torn, None);
        check_holds(&journal, held + 2);
    }
}

#[test]
fn a_tail_of_zeros_is_torn() {
    for zeros in [1, 31, 32, 100, 5000, 200_000] {
        let dir = folder();
        append(&mut open(dir.path()), 1, 3);
        change(&segments(dir.path())[0], |bytes| bytes.extend(vec![0; zeros]));
        let (journal, recovery) = reopen(dir.path()).unwrap();
        let torn = recovery.torn.unwrap();
        assert_eq!((torn.bytes, torn.damage), (zeros as u64, Damage::Zeros { expected: 4 }));
        check_holds(&journal, 3);
    }
}

#[test]
fn a_power_cut_may_keep_the_later_half_of_a_group() {
    let dir = folder();
    let mut journal = open(dir.path());
    append(&mut journal, 1, 3);
    let large = format!("\"{}\"", "x".repeat(3000));
    let group: Vec<Record> = (4..=8).map(|seq| record(seq, &large)).collect();
    let end = simulate::kill_before_sync(journal, &group).unwrap();
    let whole = fs::read(&end.file).unwrap();
    let sectors = whole.len() / 512;
    for lost in end.len as usize / 512..sectors {
        // A lost sector keeps what was synced before, and is zero from there on.
        let mut bytes = whole.clone();
        bytes[(lost * 512).max(end.len as usize)..(lost + 1) * 512].fill(0);
        fs::write(&end.file, bytes).unwrap();
        let (journal, recovery) = reopen(dir.path()).unwrap();
        let torn = recovery.torn.expect("a group without a sector is torn");
        assert!(recovery.last_seq >= 3 && torn.offset <= (lost * 512) as u64 + 512);
        let numbers = read(&journal, 1).len() as u64;
        assert_eq!(numbers, recovery.last_seq);
    }
}

#[test]
fn a_lost_sector_of_an_acknowledged_group_is_damage() {
    let dir = folder();
    let mut journal = open(dir.path());
    let large = format!("\"{}\"", "x".repeat(3000));
    let group: Vec<Record> = (1..=3).map(|seq| record(seq, &large)).collect();
    journal.append(&group).unwrap();
    append(&mut journal, 4, 4);
    drop(journal);
    change(&segments(dir.path())[0], |bytes| bytes[1024..1536].fill(0));
    assert!(matches!(reopen(dir.path()), Err(JournalError::Corrupt { .. })));
}

#[test]
fn a_bad_record_before_a_good_one_is_damage_and_stays_as_it_is() {
    let dir = folder();
    let mut journal = open(dir.path());
    for seq in 1..=4 {
        append(&mut journal, seq, seq);
    }
    drop(journal);
    let path = &segments(dir.path())[0];
    let offsets = frame_offsets(path);
    change(path, |bytes| bytes[offsets[1] + 70] ^= 4);
    let before = fs::read(path).unwrap();
    let error = reopen(dir.path()).unwrap_err();
    let JournalError::Corrupt { file, offset, damage } = &error else { panic!("{error}") };
    assert_eq!((file, *offset), (path, offsets[1] as u64));
    assert_eq!(*damage, Damage::Checksum { seq: 2 });
    let text = error.to_string();
    for part in ["0000000001.sgj", "nothing was changed", "stratagate check", "restore"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(fs::read(path).unwrap(), before);
    let findings = verify_folder(dir.path(), &namespace()).unwrap().findings;
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].reason, "the checksum of record 2 does not match");
}

#[test]
fn verifying_lists_every_finding() {
    let dir = folder();
    let mut journal = open_with(dir.path(), SMALL);
    for seq in 1..=20 {
        append(&mut journal, seq, seq);
    }
    let paths = segments(dir.path());
    let (first, third) = (frame_offsets(&paths[0]), frame_offsets(&paths[2]));
    change(&paths[0], |bytes| bytes[first[0]] ^= 1);
    change(&paths[0], |bytes| bytes[first[2] + 40] ^= 1);
    change(&paths[2], |bytes| bytes[third[1] - 1] ^= 1);
    let verification = journal.verify().unwrap();
    let found: Vec<(&Path, u64)> =
        verification.findings.iter().map(|f| (f.file.as_path(), f.offset)).collect();
    let at = |path: usize, offset: usize| (paths[path].as_path(), offset as u64);
    // A changed chain hash also fails the record that follows on it.
    assert_eq!(
        found,
        [at(0, first[0]), at(0, first[2]), at(2, third[0]), at(2, third[1])],
        "{:?}",
        verification.findings
    );
    assert_eq!(verification.records, 16);
    assert!(journal.read_from(1).next().unwrap().is_err());
    assert_eq!(journal.read_from(1).count(), 1, "nothing is read past damage");
}

#[test]
fn a_missing_segment_is_named() {
    for (missing, reason) in [
        (0, "the segment that begins with record 1 is missing"),
        (1, "the segment that begins with record"),
    ] {
        let dir = folder();
        let mut journal = open_with(dir.path(), SMALL);
        for seq in 1..=20 {
            append(&mut journal, seq, seq);
        }
        drop(journal);
        fs::remove_file(&segments(dir.path())[missing]).unwrap();
        let error = reopen(dir.path()).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("is missing"), "{error}");
        let verification = verify_folder(dir.path(), &namespace()).unwrap();
        assert!(verification.findings.iter().any(|f| f.reason.contains("is missing")));
    }
}

#[test]
fn a_closed_segment_that_is_shorter_or_longer_is_damage() {
    for cut in [true, false] {
        let dir = folder();
        let mut journal = open_with(dir.path(), SMALL);
        for seq in 1..=20 {
            append(&mut journal, seq, seq);
        }
        drop(journal);
        change(&segments(dir.path())[1], |bytes| {
            if cut { bytes.truncate(bytes.len() - 1) } else { bytes.push(0) }
        });
        let error = reopen(dir.path()).unwrap_err().to_string();
        assert!(error.contains("the segment was closed with"), "{error}");
        assert!(!verify_folder(dir.path(), &namespace()).unwrap().is_clean());
    }
}

#[test]
fn a_segment_that_shrinks_while_it_is_open_is_damage() {
    let dir = folder();
    let mut journal = open(dir.path());
    append(&mut journal, 1, 1);
    append(&mut journal, 2, 2);
    change(&segments(dir.path())[0], |bytes| bytes.truncate(bytes.len() - 5));
    let mut records = journal.read_from(1);
    assert_eq!(records.next().unwrap().unwrap().seq, 1);
    let error = records.next().unwrap().unwrap_err();
    assert!(matches!(error, JournalError::Corrupt { damage: Damage::EndsEarly, .. }), "{error}");
    let verification = journal.verify().unwrap();
    assert_eq!(verification.findings.len(), 1);
    assert_eq!(verification.records, 1);
}

#[test]
fn a_segment_of_another_namespace_is_refused_by_name() {
    let dir = folder();
    append(&mut open(dir.path()), 1, 3);
    let other = NamespaceName::new("other").unwrap();
    let error = Journal::open(dir.path(), &other).unwrap_err();
    assert!(matches!(error, JournalError::WrongNamespace { .. }));
    assert!(error.to_string().contains("\"dsh:演示/1\", not of \"other\""), "{error}");
    assert!(!verify_folder(dir.path(), &other).unwrap().is_clean());
}

#[test]
fn a_newer_format_is_refused_with_both_versions() {
    let dir = folder();
    append(&mut open(dir.path()), 1, 3);
    change(&segments(dir.path())[0], |bytes| {
        bytes[8] = 2;
        let end = bytes[12] as usize - 4;
        let crc = crc32fast::hash(&bytes[..end]);
        bytes[end..end + 4].copy_from_slice(&crc.to_le_bytes());
    });
    let error = reopen(dir.path()).unwrap_err();
    assert!(matches!(error, JournalError::NewerFormat { found: 2, supported: 1, .. }), "{error}");
}

#[test]
fn an_interrupted_creation_of_a_segment_is_cleared_away() {
    let dir = folder();
    append(&mut open(dir.path()), 1, 3);
    fs::write(dir.path().join("journal/0000000004.tmp"), b"SGJ").unwrap();
    let journal = open(dir.path());
    check_holds(&journal, 3);
    assert_eq!(segments(dir.path()).len(), 1);
}

#[test]
fn a_new_segment_without_records_is_sound() {
    let dir = folder();
    let mut journal = open_with(dir.path(), SMALL);
    append(&mut journal, 1, 3);
    append(&mut journal, 4, 8);
    drop(journal);
    let paths = segments(dir.path());
    assert_eq!(paths.len(), 2);
    let header_len = frame_offsets(&paths[1])[0];
    change(&paths[1], |bytes| bytes.truncate(header_len));
    let (mut journal, recovery) = reopen(dir.path()).unwrap();
    assert_eq!((recovery.last_seq, recovery.torn), (3, None));
    append(&mut journal, 4, 5);
    check_holds(&journal, 5);
}
