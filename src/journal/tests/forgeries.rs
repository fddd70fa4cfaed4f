//! Segments whose checksums are all right and that are wrong all the same.

use super::*;
use crate::journal::format::{ChainHash, SegmentHeader, encode_frame};
use crate::journal::{Damage, JournalError, verify_folder};

/// Number, group and second of a record.
type Forgery = (u64, u64, i64);

struct Forged {
    header: SegmentHeader,
    records: Vec<Forgery>,
}

impl Forged {
    fn first(records: &[Forgery]) -> Self {
        let header = SegmentHeader {
            namespace: namespace().to_string(),
            first_seq: 1,
            head_before: ChainHash::genesis(&namespace()),
            previous_first: 0,
            previous_len: 0,
            recorded_before: None,
        };
        Self { header, records: records.to_vec() }
    }

    /// A segment that follows on another as it should.
    fn after(before: &Self, records: &[Forgery]) -> Self {
        let (bytes, head) = before.encode();
        let header = SegmentHeader {
            namespace: namespace().to_string(),
            first_seq: records[0].0,
            head_before: head,
            previous_first: before.header.first_seq,
            previous_len: bytes.len() as u64,
            recorded_before: before.records.last().map(|(.., second)| at(*second)),
        };
        Self { header, records: records.to_vec() }
    }

    fn encode(&self) -> (Vec<u8>, ChainHash) {
        let mut bytes = self.header.encode();
        let mut head = self.header.head_before;
        for (seq, group, second) in &self.records {
            let record = Record { recorded_at: at(*second), kind: "turn", body: b"{}" };
            head = encode_frame(&mut bytes, &record, *seq, *group, head);
        }
        (bytes, head)
    }

    fn write(&self, dir: &Path) -> PathBuf {
        let folder = dir.join("journal");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{:010}.sgj", self.header.first_seq));
        fs::write(&path, self.encode().0).unwrap();
        path
    }
}

fn open_error(dir: &Path) -> Damage {
    match Journal::open(dir, &namespace()) {
        Err(JournalError::Corrupt { damage, .. }) => damage,
        other => panic!("{other:?}"),
    }
}

fn findings(dir: &Path) -> Vec<String> {
    let findings = verify_folder(dir, &namespace()).unwrap().findings;
    findings.into_iter().map(|finding| finding.reason).collect()
}

#[test]
fn a_sound_forgery_is_read() {
    let dir = folder();
    let first = Forged::first(&[(1, 1, 0), (2, 1, 0), (3, 3, 5)]);
    first.write(dir.path());
    Forged::after(&first, &[(4, 4, 5)]).write(dir.path());
    let journal = open(dir.path());
    assert_eq!(read(&journal, 1).len(), 4);
    assert_eq!(findings(dir.path()), [""; 0]);
}

#[test]
fn a_record_that_cannot_follow_is_damage_even_at_the_end() {
    let cases: [(&[Forgery], Damage); 4] = [
        (&[(1, 1, 0), (3, 3, 0)], Damage::Sequence { expected: 2, found: 3 }),
        (&[(1, 1, 0), (1, 1, 0)], Damage::Sequence { expected: 2, found: 1 }),
        (&[(1, 1, 1), (2, 2, 0)], Damage::Time { seq: 2 }),
        (
            &[(1, 1, 0), (2, 2, 0), (3, 1, 0)],
            Damage::Malformed { seq: 3, reason: "it belongs to a group that is not there" },
        ),
    ];
    for (records, damage) in cases {
        let dir = folder();
        Forged::first(records).write(dir.path());
        assert_eq!(open_error(dir.path()), damage);
        assert_eq!(findings(dir.path()), [damage.to_string()]);
    }
}

#[test]
fn a_time_before_the_segment_before_is_damage() {
    let dir = folder();
    let first = Forged::first(&[(1, 1, 9)]);
    first.write(dir.path());
    let mut second = Forged::after(&first, &[(2, 2, 8)]);
    second.write(dir.path());
    assert_eq!(open_error(dir.path()), Damage::Time { seq: 2 });
    // A header that hides it is found by a full check.
    second.header.recorded_before = Some(at(8));
    second.write(dir.path());
    open(dir.path());
    let reasons = findings(dir.path());
    assert!(reasons[0].contains("another time for the record before it"), "{reasons:?}");
}

#[test]
fn a_segment_that_was_replaced_by_one_of_equal_length_breaks_the_chain() {
    let dir = folder();
    let first = Forged::first(&[(1, 1, 0), (2, 2, 0)]);
    Forged::after(&first, &[(3, 3, 5)]).write(dir.path());
    Forged::first(&[(1, 1, 0), (2, 2, 1)]).write(dir.path());
    assert_eq!(open_error(dir.path()), Damage::Chain { seq: 3 });
    assert!(findings(dir.path()).contains(&Damage::Chain { seq: 3 }.to_string()));
}

#[test]
fn a_journal_that_does_not_begin_at_the_beginning_breaks_the_chain() {
    let dir = folder();
    let mut first = Forged::first(&[(1, 1, 0)]);
    first.header.head_before = ChainHash::from_bytes([7; 32]);
    first.write(dir.path());
    assert_eq!(open_error(dir.path()), Damage::Chain { seq: 1 });
    assert_eq!(findings(dir.path()), [Damage::Chain { seq: 1 }.to_string()]);
}

#[test]
fn a_gap_between_two_segments_is_found_when_it_is_read() {
    let dir = folder();
    let first = Forged::first(&[(1, 1, 0), (2, 2, 0)]);
    first.write(dir.path());
    Forged::after(&first, &[(4, 4, 0)]).write(dir.path());
    let gap = Damage::Sequence { expected: 3, found: 4 };
    let mut records = open(dir.path()).read_from(2);
    assert_eq!(records.next().unwrap().unwrap().seq, 2);
    let error = records.next().unwrap().unwrap_err();
    assert!(matches!(error, JournalError::Corrupt { damage, .. } if damage == gap));
    assert_eq!(findings(dir.path()), [gap.to_string()]);
}

/// The header of a closed segment is right, its last hash too, and a record in it was exchanged
/// together with its own checksums: only the full chain shows it.
#[test]
fn an_exchanged_record_is_found_by_the_chain() {
    let dir = folder();
    let first = Forged::first(&[(1, 1, 0), (2, 2, 0)]);
    let path = first.write(dir.path());
    Forged::after(&first, &[(3, 3, 5)]).write(dir.path());
    let (original, _) = first.encode();
    let (mut forged, _) = Forged::first(&[(1, 1, 0), (2, 2, 1)]).encode();
    let end = original.len() - 32;
    forged[end..].copy_from_slice(&original[end..]);
    fs::write(path, forged).unwrap();
    let journal = open(dir.path());
    let error = journal.read_from(1).nth(1).unwrap().unwrap_err();
    assert!(matches!(error, JournalError::Corrupt { damage: Damage::Chain { seq: 2 }, .. }));
    assert!(findings(dir.path()).contains(&Damage::Chain { seq: 2 }.to_string()));
}

#[test]
fn a_renamed_segment_is_damage() {
    let dir = folder();
    let path = Forged::first(&[(1, 1, 0)]).write(dir.path());
    for name in ["0000000002.sgj", "first.sgj"] {
        let renamed = path.with_file_name(name);
        fs::rename(&path, &renamed).unwrap();
        assert!(matches!(open_error(dir.path()), Damage::SegmentHeader(_)));
        fs::rename(&renamed, &path).unwrap();
    }
    open(dir.path());
}

/// The search for a record past a bad one goes through the file in pieces; one that lies across
/// two pieces must not be missed, or damage would pass for an interrupted write.
#[test]
fn a_good_record_is_found_wherever_it_lies_after_a_bad_one() {
    const PIECE: usize = 1 << 18;
    for shift in 0..70 {
        let dir = folder();
        let mut journal = open(dir.path());
        // The second frame begins this many bytes after the first: 64 around the payload, and 25
        // before the body.
        let body = vec![b' '; PIECE + 36 - shift - 64 - 25];
        journal.append(&[Record { recorded_at: at(0), kind: "turn", body: &body }]).unwrap();
        journal.append(&[Record { recorded_at: at(0), kind: "turn", body: b"{}" }]).unwrap();
        let path = journal.durable_end().file;
        drop(journal);
        let header_len = u64::from(fs::read(&path).unwrap()[12]);
        flip_bit(&path, (header_len + 100) * 8);
        assert_eq!(open_error(dir.path()), Damage::Checksum { seq: 1 });
    }
}
