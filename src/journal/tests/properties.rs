use proptest::prelude::*;

use super::*;
use crate::journal::{JournalError, Recovery, simulate, verify_folder};

type Given = (i64, String, String);

fn any_record() -> impl Strategy<Value = Given> {
    let body = prop_oneof![
        4 => "[ -~]{0,80}",
        1 => "\\PC{0,40}",
        1 => (400usize..3000).prop_map(|n| "y".repeat(n)),
    ];
    (0i64..3, "[a-z_]{1,12}", body)
}

fn any_groups() -> impl Strategy<Value = Vec<Vec<Given>>> {
    prop::collection::vec(prop::collection::vec(any_record(), 1..5), 1..8)
}

/// The records of some groups with the times they add up to.
fn expected(groups: &[Vec<Given>]) -> Vec<(DateTime<Utc>, String, Vec<u8>)> {
    let mut second = 0;
    let given = groups.iter().flatten();
    given
        .map(|(step, kind, body)| {
            second += step;
            (at(second), kind.clone(), body.clone().into_bytes())
        })
        .collect()
}

fn as_records(expected: &[(DateTime<Utc>, String, Vec<u8>)]) -> Vec<Record<'_>> {
    expected.iter().map(|(at, kind, body)| Record { recorded_at: *at, kind, body }).collect()
}

fn write(dir: &Path, groups: &[Vec<Given>], options: JournalOptions) -> Journal {
    let expected = expected(groups);
    let records = as_records(&expected);
    let mut journal = open_with(dir, options);
    let mut start = 0;
    for group in groups {
        journal.append(&records[start..start + group.len()]).unwrap();
        start += group.len();
    }
    journal
}

/// Checks that a journal reads as the first records that were written, and returns how many.
fn check_is_prefix(journal: &Journal, groups: &[Vec<Given>]) -> usize {
    let stored = read(journal, 1);
    let expected = expected(groups);
    assert!(stored.len() <= expected.len());
    for (stored, (at, kind, body)) in stored.iter().zip(&expected) {
        assert_eq!((&stored.recorded_at, &stored.kind, &stored.body), (at, kind, body));
    }
    assert!(journal.verify().unwrap().is_clean());
    stored.len()
}

fn reopen(dir: &Path) -> Result<(Journal, Recovery), JournalError> {
    Journal::open_with(dir, &namespace(), SMALL)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_is_read(groups in any_groups(), segment_bytes in 1u64..4000) {
        let dir = folder();
        let journal = write(dir.path(), &groups, JournalOptions { segment_bytes });
        let count: usize = groups.iter().map(Vec::len).sum();
        prop_assert_eq!(check_is_prefix(&journal, &groups), count);
        drop(journal);
        let (journal, recovery) = reopen(dir.path()).unwrap();
        prop_assert_eq!(recovery.last_seq as usize, count);
        prop_assert_eq!(check_is_prefix(&journal, &groups), count);
    }

    #[test]
    fn a_power_cut_keeps_every_acknowledged_record(
        groups in any_groups(),
        kept in 0u64..8000,
        segment_bytes in 1u64..4000,
    ) {
        let dir = folder();
        let (last, synced) = groups.split_last().unwrap();
        let journal = write(dir.path(), synced, JournalOptions { segment_bytes });
        let expected = expected(&groups);
        let synced_count = expected.len() - last.len();
        let end = simulate::kill_before_sync(journal, &as_records(&expected[synced_count..])).unwrap();
        simulate::power_cut(&end, kept).unwrap();
        let (journal, recovery) = reopen(dir.path()).unwrap();
        prop_assert!(recovery.last_seq as usize >= synced_count);
        prop_assert_eq!(check_is_prefix(&journal, &groups), recovery.last_seq as usize);
        drop(journal);
        prop_assert_eq!(reopen(dir.path()).unwrap().1.torn, None);
    }

    #[test]
    fn lost_sectors_of_an_unsynced_group_never_cost_an_acknowledged_record(
        groups in any_groups(),
        lost in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
    ) {
        let dir = folder();
        let (last, synced) = groups.split_last().unwrap();
        let journal = write(dir.path(), synced, JournalOptions::default());
        let expected = expected(&groups);
        let synced_count = expected.len() - last.len();
        let end = simulate::kill_before_sync(journal, &as_records(&expected[synced_count..])).unwrap();
        let mut bytes = fs::read(&end.file).unwrap();
        let (from, to) = (end.len as usize, bytes.len());
        for index in lost {
            let sector = from / 512 + index.index(to.div_ceil(512) - from / 512);
            bytes[(sector * 512).max(from)..((sector + 1) * 512).min(to)].fill(0);
        }
        fs::write(&end.file, bytes).unwrap();
        let (journal, recovery) = reopen(dir.path()).unwrap();
        prop_assert!(recovery.last_seq as usize >= synced_count);
        prop_assert_eq!(check_is_prefix(&journal, &groups), recovery.last_seq as usize);
    }

    /// A flipped bit is an error at opening or reading, and always a finding; only in the last
    /// record may it pass for an interrupted write.
    #[test]
    fn a_flipped_bit_is_never_read_as_data(
        groups in any_groups(),
        segment_bytes in 1u64..4000,
        file in any::<prop::sample::Index>(),
        bit in any::<prop::sample::Index>(),
    ) {
        let dir = folder();
        drop(write(dir.path(), &groups, JournalOptions { segment_bytes }));
        let count: usize = groups.iter().map(Vec::len).sum();
        let paths = segments(dir.path());
        let file = file.get(&paths);
        flip_bit(file, bit.index(fs::metadata(file).unwrap().len() as usize * 8) as u64);
        prop_assert!(!verify_folder(dir.path(), &namespace()).unwrap().is_clean());
        let Ok((journal, recovery)) = reopen(dir.path()) else { return Ok(()) };
        if recovery.torn.is_some() {
            prop_assert_eq!(recovery.last_seq as usize, count - 1);
            prop_assert_eq!(check_is_prefix(&journal, &groups), count - 1);
            return Ok(());
        }
        let mut failed = false;
        for (read, (at, kind, body)) in journal.read_from(1).zip(expected(&groups)) {
            match read {
                Ok(stored) => {
                    prop_assert_eq!((stored.recorded_at, stored.kind, stored.body), (at, kind, body));
                }
                Err(JournalError::Corrupt { file: named, .. }) => {
                    // A changed end of a segment shows at the first record of the next one.
                    prop_assert!(&named >= file);
                    failed = true;
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
        prop_assert!(failed, "a flipped bit in a closed segment is found when it is read");
    }

    #[test]
    fn bytes_that_are_no_journal_are_refused_or_cut_but_never_read(
        groups in any_groups(),
        garbage in prop::collection::vec(any::<u8>(), 1..200),
        place in any::<prop::sample::Index>(),
    ) {
        let dir = folder();
        drop(write(dir.path(), &groups, JournalOptions::default()));
        let path = &segments(dir.path())[0];
        let mut bytes = fs::read(path).unwrap();
        let place = place.index(bytes.len() + 1);
        bytes.splice(place..place, garbage);
        fs::write(path, bytes).unwrap();
        if let Ok((journal, recovery)) = reopen(dir.path()) {
            prop_assert!(recovery.torn.is_some());
            check_is_prefix(&journal, &groups);
        }
    }
}
