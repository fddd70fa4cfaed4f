//! Opening: finding the end of what was acknowledged, and telling a torn write from damage.

use std::io::Read;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{Damage, JournalError};
use super::format::{ChainHash, SegmentHeader};
use super::frames::{Flaw, Frames};
use super::segment::{self, OpenTail, Segment, TailFile};
use crate::model::NamespaceName;

/// What opening a journal found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The newest record, 0 if there is none.
    pub last_seq: u64,
    /// How many segments there are.
    pub segments: usize,
    /// The end that was cut off, if a write was interrupted. What it held was never acknowledged.
    pub torn: Option<TornTail>,
}

/// The end of an interrupted write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// The segment.
    pub file: PathBuf,
    /// Where the segment was cut.
    pub offset: u64,
    /// How many bytes were cut off.
    pub bytes: u64,
    /// What was wrong with them.
    pub damage: Damage,
}

/// A journal that is ready to be appended to.
pub(super) struct Opened {
    pub segments: Vec<Segment>,
    pub tail: Box<dyn TailFile>,
    pub end: Frames,
    pub header_len: u64,
    pub recovery: Recovery,
}

/// Opens the journal in `folder`, creating its first segment if there is none.
pub(super) fn open(
    folder: &Path,
    namespace: &NamespaceName,
    open_tail: &OpenTail,
) -> Result<Opened, JournalError> {
    segment::remove_temporaries(folder)?;
    // An earlier process may have stopped between naming a segment and making the name durable.
    segment::sync_folder(folder)?;
    let mut segments = segment::list(folder)?;
    if segments.is_empty() {
        let header = SegmentHeader {
            namespace: namespace.to_string(),
            first_seq: 1,
            head_before: ChainHash::genesis(namespace),
            previous_first: 0,
            previous_len: 0,
            recorded_before: None,
        };
        segments.push(segment::create(folder, &header)?);
    }
    let mut last = None;
    for (i, current) in segments.iter().enumerate() {
        let mut file = segment::open(current)?;
        let (header, header_len) = segment::read_header(&mut file, current, namespace)?;
        let before = i.checked_sub(1).map(|before| &segments[before]);
        segment::check_link(before, current, &header, namespace)?;
        last = Some((file, header, header_len));
    }
    let (file, header, header_len) = last.expect("there is at least one segment by now");
    let last = segments.last_mut().expect("there is at least one segment by now");
    let read_failed = JournalError::io("read", &last.path);
    let mut frames = Frames::new(
        file,
        header_len,
        last.len,
        header.head_before,
        header.first_seq,
        header.recorded_before,
    )
    .map_err(read_failed)?;
    let torn = read_to_the_end(&mut frames, last)?;
    let mut tail = open_tail(&last.path).map_err(JournalError::io("open", &last.path))?;
    last.len = frames.offset;
    if torn.is_some() {
        tail.set_len(last.len).map_err(JournalError::io("cut", &last.path))?;
    }
    make_last_group_durable(tail.as_mut(), last, &frames)?;
    let recovery = Recovery { last_seq: frames.next_seq - 1, segments: segments.len(), torn };
    Ok(Opened { segments, tail, end: frames, header_len, recovery })
}

/// Reads the last segment and leaves `frames` behind its last whole record.
fn read_to_the_end(
    frames: &mut Frames,
    segment: &Segment,
) -> Result<Option<TornTail>, JournalError> {
    loop {
        let damage = match frames.next() {
            Ok(Some(_)) => continue,
            Ok(None) => return Ok(None),
            Err(Flaw::Io(error)) => return Err(JournalError::io("read", &segment.path)(error)),
            Err(Flaw::Damaged(damage)) => damage,
        };
        let (file, offset) = (segment.path.clone(), frames.offset);
        let torn = damage.can_be_torn()
            && nothing_acknowledged_follows(frames)
                .map_err(JournalError::io("read", &segment.path))?;
        if !torn {
            return Err(JournalError::Corrupt { file, offset, damage });
        }
        let bytes = segment.len - offset;
        tracing::warn!(
            file = %file.display(),
            offset,
            bytes,
            reason = %damage,
            "cut the end of an interrupted write off the journal; it was never acknowledged"
        );
        return Ok(Some(TornTail { file, offset, bytes, damage }));
    }
}

/// Decides whether a bad frame can be the trace of an interrupted write.
///
/// A group is written only after the group before it was synced. So a record of a later group
/// proves that the bad one was acknowledged: that is damage. A record of the same group proves it
/// only if no sector in between is missing, for a power cut may keep the sectors of one unsynced
/// write in any order.
fn nothing_acknowledged_follows(frames: &mut Frames) -> std::io::Result<bool> {
    let bad_seq = frames.next_seq;
    let mut from = frames.offset + 1;
    while let Some((offset, head)) = frames.find_head_after(from)? {
        if head.group > bad_seq || !frames.has_hole_before(offset)? {
            return Ok(false);
        }
        from = offset + 1;
    }
    Ok(true)
}

/// Writes the last group again, byte for byte, and syncs it.
///
/// The group may be there because a process was killed between writing and syncing, or because a
/// sync failed. After a failed sync the system may call pages clean that never reached the disk;
/// only writing them again makes the next sync a true one.
fn make_last_group_durable(
    tail: &mut dyn TailFile,
    segment: &Segment,
    frames: &Frames,
) -> Result<(), JournalError> {
    if let Some((_, start)) = frames.group {
        let mut bytes = vec![0; (segment.len - start) as usize];
        let mut file = segment::open(segment)?;
        file.seek(SeekFrom::Start(start))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(JournalError::io("read", &segment.path))?;
        tail.write_at(start, &bytes).map_err(JournalError::io("write to", &segment.path))?;
    }
    tail.sync_data().map_err(JournalError::io("make durable", &segment.path))
}
