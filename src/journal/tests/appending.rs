use super::*;
use crate::journal::{ChainHash, JournalError, verify_folder};

#[test]
fn a_new_journal_is_empty_and_sound() {
    let dir = folder();
    let journal = open(dir.path());
    check_holds(&journal, 0);
    assert_eq!(journal.last_recorded_at(), None);
    assert_eq!(journal.size_bytes(), fs::metadata(&segments(dir.path())[0]).unwrap().len());
}

#[test]
fn what_was_appended_is_there_after_opening_again() {
    let dir = folder();
    let mut journal = open(dir.path());
    assert_eq!(append(&mut journal, 1, 1).last_seq, 1);
    let group = append(&mut journal, 2, 6);
    assert_eq!((group.first_seq, group.last_seq, group.head), (2, 6, journal.head_hash()));
    let head = journal.head_hash();
    drop(journal);
    let journal = open(dir.path());
    check_holds(&journal, 6);
    assert_eq!(journal.head_hash(), head);
    assert_eq!(journal.last_recorded_at(), Some(at(3)));
}

#[test]
fn an_empty_group_changes_nothing() {
    let dir = folder();
    let mut journal = open(dir.path());
    append(&mut journal, 1, 2);
    let size = journal.size_bytes();
    let outcome = journal.append(&[]).unwrap();
    assert_eq!((outcome.first_seq, outcome.last_seq, outcome.bytes), (3, 2, 0));
    assert_eq!(outcome.head, journal.head_hash());
    assert_eq!(journal.size_bytes(), size);
}

#[test]
fn a_full_segment_is_followed_by_another() {
    let dir = folder();
    let mut journal = open_with(dir.path(), SMALL);
    for seq in 1..=30 {
        append(&mut journal, seq, seq);
    }
    let paths = segments(dir.path());
    assert!(paths.len() > 3);
    assert!(paths[0].ends_with("0000000001.sgj"));
    for path in &paths {
        assert!(fs::metadata(path).unwrap().len() <= SMALL.segment_bytes);
    }
    check_holds(&journal, 30);
    drop(journal);
    let mut journal = open_with(dir.path(), SMALL);
    append(&mut journal, 31, 33);
    check_holds(&journal, 33);
    for from in 0..=34 {
        let numbers: Vec<u64> = read(&journal, from).iter().map(|record| record.seq).collect();
        assert_eq!(numbers, (from.max(1)..=33).collect::<Vec<_>>());
    }
}

#[test]
fn a_group_larger_than_a_segment_stands_in_one() {
    let dir = folder();
    let mut journal = open_with(dir.path(), SMALL);
    append(&mut journal, 1, 40);
    assert_eq!(segments(dir.path()).len(), 1);
    append(&mut journal, 41, 41);
    assert_eq!(segments(dir.path()).len(), 2);
    check_holds(&journal, 41);
}

#[test]
fn a_reader_sees_what_was_durable_when_it_asked() {
    let dir = folder();
    let mut journal = open_with(dir.path(), SMALL);
    append(&mut journal, 1, 10);
    let reader = journal.reader();
    let mut early = reader.read_from(9);
    assert_eq!(early.next().unwrap().unwrap().seq, 9);
    let (body_11, body_12) = (body(11), body(12));
    journal.write_without_sync(&[record(11, &body_11), record(12, &body_12)]).unwrap();
    assert_eq!(reader.read_from(1).count(), 10, "records that are not synced are not seen");
    append(&mut journal, 11, 30);
    assert_eq!(early.map(|record| record.unwrap().seq).collect::<Vec<_>>(), [10]);
    assert_eq!(reader.read_from(1).count(), 30);
    assert_eq!(reader.last_seq(), 30);
}

#[test]
fn a_reader_in_another_thread_sees_a_growing_prefix() {
    let dir = folder();
    let mut journal = open_with(dir.path(), JournalOptions { segment_bytes: 4000 });
    let reader = journal.reader();
    let reading = std::thread::spawn(move || {
        let mut seen = 0;
        while seen < 400 {
            let before = reader.last_seq();
            let numbers: Vec<u64> = reader.read_from(1).map(|record| record.unwrap().seq).collect();
            assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
            assert!(numbers.len() as u64 >= before.max(seen));
            seen = numbers.len() as u64;
        }
    });
    for first in (1..400).step_by(4) {
        append(&mut journal, first, first + 3);
    }
    reading.join().unwrap();
}

#[test]
fn a_large_record_is_kept_whole() {
    let dir = folder();
    let mut journal = open(dir.path());
    let body = "x".repeat(70 << 20);
    let large = Record { recorded_at: at(0), kind: "import", body: body.as_bytes() };
    journal.append(&[large]).unwrap();
    let small = Record { recorded_at: at(0), kind: "turn", body: b"{}" };
    journal.append(&[small]).unwrap();
    drop(journal);
    let journal = open(dir.path());
    let mut records = journal.read_from(1);
    assert!(records.next().unwrap().unwrap().body == body.as_bytes());
    assert_eq!(records.next().unwrap().unwrap().body, b"{}");
}

#[test]
fn a_record_that_cannot_be_kept_is_refused_with_its_group() {
    let dir = folder();
    let mut journal = open(dir.path());
    append(&mut journal, 1, 4);
    let good = Record { recorded_at: at(9), kind: "turn", body: b"{}" };
    let long_kind = "k".repeat(256);
    let refused = [
        (Record { kind: "", ..good.clone() }, "its kind has 0 bytes"),
        (Record { kind: &long_kind, ..good.clone() }, "its kind has 256 bytes"),
        (Record { body: b"\xff", ..good.clone() }, "its body is no JSON text"),
        (Record { body: b"\"\0\"", ..good.clone() }, "its body is no JSON text"),
        (Record { recorded_at: at(8), ..good.clone() }, "recorded times never decrease"),
    ];
    for (bad, reason) in refused {
        let error = journal.append(&[good.clone(), bad]).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(error.contains("record 1 of the group"), "{error}");
    }
    let too_large = vec![b' '; crate::journal::MAX_BODY_BYTES + 1];
    let bad = Record { body: &too_large, ..good };
    assert!(matches!(journal.append(&[bad]), Err(JournalError::InvalidRecord { position: 0, .. })));
    append(&mut journal, 5, 5);
    check_holds(&journal, 5);
}

#[test]
fn recorded_times_do_not_decrease_over_a_new_segment_and_opening() {
    let dir = folder();
    let options = JournalOptions { segment_bytes: 1 };
    let late = Record { recorded_at: at(10), kind: "turn", body: b"{}" };
    let early = Record { recorded_at: at(9), ..late.clone() };
    let mut journal = open_with(dir.path(), options);
    journal.append(std::slice::from_ref(&late)).unwrap();
    journal.append(std::slice::from_ref(&late)).unwrap();
    drop(journal);
    let mut journal = open_with(dir.path(), options);
    assert!(matches!(journal.append(&[early]), Err(JournalError::TimeWentBack { .. })));
    assert_eq!(journal.append(&[late]).unwrap().last_seq, 3);
}

#[test]
fn the_same_records_give_the_same_chain_and_other_namespaces_another() {
    let chain = |name: &str| -> ChainHash {
        let dir = folder();
        let (mut journal, _) =
            Journal::open(dir.path(), &NamespaceName::new(name).unwrap()).unwrap();
        append(&mut journal, 1, 5);
        journal.head_hash()
    };
    assert_eq!(chain("a"), chain("a"));
    assert_ne!(chain("a"), chain("b"));
}

/// Pins the stored form: if this fails, journals that exist cannot be read any more.
#[test]
fn the_stored_form_stays_as_it_is() {
    let dir = folder();
    let mut journal = open(dir.path());
    append(&mut journal, 1, 2);
    let bytes = fs::read(&segments(dir.path())[0]).unwrap();
    assert_eq!(&bytes[..8], b"SGJRNL\x1a\n");
    assert_eq!(bytes.len(), 348);
    assert_eq!(format!("{:08x}", crc32fast::hash(&bytes)), "484fe683");
    assert_eq!(
        journal.head_hash().to_string(),
        "72214fe2a98fd9ad18566e2b03214c010060ac4ad2777631e55d508c03c40fc4"
    );
}

#[test]
fn a_folder_without_a_journal_verifies_as_empty_and_stays_so() {
    let dir = folder();
    let verification = verify_folder(dir.path(), &namespace()).unwrap();
    assert_eq!((verification.segments, verification.records), (0, 0));
    assert!(verification.is_clean());
    assert!(!dir.path().join("journal").exists());
}
