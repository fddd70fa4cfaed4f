//! Checking a whole journal, and listing everything that is wrong with it.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::error::{Damage, JournalError};
use super::format::{ChainHash, SegmentHeader};
use super::frames::{Flaw, Frames};
use super::segment::{self, Segment};
use crate::model::NamespaceName;

/// What a full check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Segments that were read.
    pub segments: usize,
    /// Records that are whole.
    pub records: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// The chain after the last whole record.
    pub head: ChainHash,
    /// Everything that is wrong, in the order of the files.
    pub findings: Vec<Finding>,
}

impl Verification {
    /// Tells whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The segment.
    pub file: PathBuf,
    /// Where in the segment, in bytes.
    pub offset: u64,
    /// What is wrong there.
    pub reason: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at byte {}: {}", self.file.display(), self.offset, self.reason)
    }
}

/// Checks the journal in a namespace's folder without opening it, so that one that cannot be
/// opened can be looked at. An interrupted last write is a finding here. Changes nothing.
pub fn verify_folder(dir: &Path, namespace: &NamespaceName) -> Result<Verification, JournalError> {
    verify_segments(&segment::list(&segment::folder_of(dir))?, namespace)
}

/// What must follow at the start of the next segment.
struct Due {
    seq: u64,
    head: ChainHash,
    recorded_at: Option<DateTime<Utc>>,
}

pub(super) fn verify_segments(
    segments: &[Segment],
    namespace: &NamespaceName,
) -> Result<Verification, JournalError> {
    let mut result = Verification {
        segments: segments.len(),
        records: 0,
        bytes: segments.iter().map(|segment| segment.len).sum(),
        head: ChainHash::genesis(namespace),
        findings: Vec::new(),
    };
    let mut due = Some(Due { seq: 1, head: result.head, recorded_at: None });
    let mut before = None;
    for segment in segments {
        let mut file = segment::open(segment)?;
        match segment::read_header(&mut file, segment, namespace) {
            Ok((header, header_len)) => {
                check_start(&mut result, before, segment, &header, due.as_ref(), namespace)?;
                let frames = Frames::new(
                    file,
                    header_len,
                    segment.len,
                    header.head_before,
                    header.first_seq,
                    header.recorded_before,
                )
                .map_err(JournalError::io("read", &segment.path))?;
                due = verify_frames(&mut result, segment, frames)?;
            }
            Err(error @ JournalError::Io { .. }) => return Err(error),
            Err(error) => {
                result.findings.push(finding(error, segment));
                due = None;
            }
        }
        before = Some(segment);
    }
    Ok(result)
}

/// Compares a segment's header with what the records before it have led to.
fn check_start(
    result: &mut Verification,
    before: Option<&Segment>,
    segment: &Segment,
    header: &SegmentHeader,
    due: Option<&Due>,
    namespace: &NamespaceName,
) -> Result<(), JournalError> {
    match segment::check_link(before, segment, header, namespace) {
        Ok(()) => {}
        Err(error @ JournalError::Io { .. }) => return Err(error),
        Err(error) => {
            result.findings.push(finding(error, segment));
            return Ok(());
        }
    }
    let Some(due) = due else { return Ok(()) };
    let damage = if header.first_seq != due.seq {
        Damage::Sequence { expected: due.seq, found: header.first_seq }
    } else if header.head_before != due.head {
        Damage::Chain { seq: header.first_seq }
    } else if header.recorded_before != due.recorded_at {
        Damage::SegmentHeader("it names another time for the record before it".to_owned())
    } else {
        return Ok(());
    };
    let reason = damage.to_string();
    result.findings.push(Finding { file: segment.path.clone(), offset: 0, reason });
    Ok(())
}

/// Checks one segment to its end, and tells what must follow unless its end is damaged.
fn verify_frames(
    result: &mut Verification,
    segment: &Segment,
    mut frames: Frames,
) -> Result<Option<Due>, JournalError> {
    loop {
        match frames.next() {
            Ok(Some(record)) => {
                result.records += 1;
                result.head = record.hash;
            }
            Ok(None) => break,
            Err(Flaw::Io(error)) => return Err(JournalError::io("read", &segment.path)(error)),
            Err(Flaw::Damaged(damage)) => {
                let (file, offset) = (segment.path.clone(), frames.offset);
                result.findings.push(Finding { file, offset, reason: damage.to_string() });
                let resumed = frames
                    .find_head_after(offset + 1)
                    .and_then(|found| match found {
                        Some((at, head)) => frames.resume_at(at, &head).map(|()| true),
                        None => Ok(false),
                    })
                    .map_err(JournalError::io("read", &segment.path))?;
                if !resumed {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(Due { seq: frames.next_seq, head: frames.head, recorded_at: frames.recorded_at }))
}

fn finding(error: JournalError, segment: &Segment) -> Finding {
    match error {
        JournalError::Corrupt { file, offset, damage } => {
            Finding { file, offset, reason: damage.to_string() }
        }
        other => Finding { file: segment.path.clone(), offset: 0, reason: other.to_string() },
    }
}
