//! Reading durable records, also while others are appended.

use std::sync::Arc;

use super::error::JournalError;
use super::format::StoredRecord;
use super::frames::{Flaw, Frames};
use super::segment::{self, Segment};
use super::writer::Shared;
use crate::model::NamespaceName;

/// Reads a journal that another part of the program appends to. Sees durable records only.
#[derive(Clone)]
pub struct JournalReader {
    shared: Arc<Shared>,
}

impl JournalReader {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Returns the number of the newest durable record, 0 if there is none.
    pub fn last_seq(&self) -> u64 {
        self.shared.read(|durable| durable.last_seq)
    }

    /// Returns the records from number `seq` on that are durable now, one at a time. What is
    /// appended later is not among them.
    pub fn read_from(&self, seq: u64) -> Records {
        let segments = self.shared.durable().segments;
        Records::new(segments, self.shared.namespace.clone(), seq)
    }
}

/// The records of a journal in order. Ends after the first error.
pub struct Records {
    segments: std::iter::Peekable<std::vec::IntoIter<Segment>>,
    namespace: NamespaceName,
    from: u64,
    /// The segment that is being read.
    current: Option<(Segment, Frames)>,
    before: Option<Segment>,
    has_failed: bool,
}

impl Records {
    pub(super) fn new(mut segments: Vec<Segment>, namespace: NamespaceName, from: u64) -> Self {
        // The segment that holds the record is the last one that begins at or before it.
        let start = segments.partition_point(|segment| segment.first_seq <= from);
        let mut segments = segments.split_off(start.saturating_sub(1).saturating_sub(1));
        // One segment more is kept in front, so that the first one's link is checked too.
        let before = (start >= 2).then(|| segments.remove(0));
        Self {
            segments: segments.into_iter().peekable(),
            namespace,
            from,
            current: None,
            before,
            has_failed: false,
        }
    }

    fn read_next(&mut self) -> Result<Option<StoredRecord>, JournalError> {
        loop {
            if self.current.is_none() {
                let Some(segment) = self.segments.next() else { return Ok(None) };
                let frames = self.start(&segment)?;
                self.current = Some((segment, frames));
            }
            let Some((segment, frames)) = &mut self.current else { continue };
            let read = if frames.next_seq < self.from {
                match frames.skip() {
                    Ok(true) => continue,
                    Ok(false) => Ok(None),
                    Err(flaw) => Err(flaw),
                }
            } else {
                frames.next()
            };
            match read {
                Ok(Some(record)) => return Ok(Some(record)),
                Ok(None) => self.before = self.current.take().map(|(segment, _)| segment),
                Err(flaw) => return Err(name_flaw(flaw, segment, frames.offset)),
            }
        }
    }

    fn start(&self, segment: &Segment) -> Result<Frames, JournalError> {
        let mut file = segment::open(segment)?;
        let (header, header_len) = segment::read_header(&mut file, segment, &self.namespace)?;
        segment::check_link(self.before.as_ref(), segment, &header, &self.namespace)?;
        Frames::new(
            file,
            header_len,
            segment.len,
            header.head_before,
            header.first_seq,
            header.recorded_before,
        )
        .map_err(JournalError::io("read", &segment.path))
    }
}

fn name_flaw(flaw: Flaw, segment: &Segment, offset: u64) -> JournalError {
    match flaw {
        Flaw::Io(error) => JournalError::io("read", &segment.path)(error),
        Flaw::Damaged(damage) => {
            JournalError::Corrupt { file: segment.path.clone(), offset, damage }
        }
    }
}

impl Iterator for Records {
    type Item = Result<StoredRecord, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let next = self.read_next();
        self.has_failed = next.is_err();
        next.transpose()
    }
}
