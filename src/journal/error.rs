//! What can go wrong in a journal, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::model::to_rfc3339;

/// Why a journal could not be opened, read or appended to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The operating system refused; nothing is known to be damaged.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as in `read`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Stored bytes are not what was written. Never repaired in passing.
    #[error(
        "{} is damaged at byte {offset}: {damage}; nothing was changed. keep a copy of this \
         folder, list every finding with `stratagate check`, then restore the namespace from a \
         backup with `stratagate restore`",
        file.display()
    )]
    Corrupt {
        /// The segment.
        file: PathBuf,
        /// Where in the segment, in bytes.
        offset: u64,
        /// What is wrong there.
        damage: Damage,
    },
    /// The segment was written by a newer program.
    #[error(
        "{} has journal format {found}, and this program reads up to {supported}; nothing was \
         changed. start a program at least as new as the one that wrote it",
        file.display()
    )]
    NewerFormat {
        /// The segment.
        file: PathBuf,
        /// Its format version.
        found: u32,
        /// The newest version this program reads.
        supported: u32,
    },
    /// The segment belongs to another namespace.
    #[error(
        "{} is a journal of namespace {found:?}, not of {expected:?}; nothing was changed. move \
         the folder back to where it belongs, or restore this namespace from a backup",
        file.display()
    )]
    WrongNamespace {
        /// The segment.
        file: PathBuf,
        /// The namespace written in it.
        found: String,
        /// The namespace that was to be opened.
        expected: String,
    },
    /// The records could not be written; none of them was recorded, later appends may succeed.
    #[error("cannot write to {}: {source}; none of the records was recorded", path.display())]
    WriteFailed {
        /// The segment.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The records were written, but it is not known whether they are on disk.
    #[error(
        "cannot make {} durable: {source}; the records are not acknowledged and the journal takes \
         no writes until it is opened again",
        path.display()
    )]
    SyncFailed {
        /// The segment.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// An earlier failure left the file in an unknown state.
    #[error(
        "the journal of namespace {namespace:?} takes no writes since an earlier failure \
         ({reason}); open it again"
    )]
    Poisoned {
        /// The namespace.
        namespace: String,
        /// The earlier failure.
        reason: String,
    },
    /// A record that the format cannot hold; none of the group was recorded.
    #[error("record {position} of the group cannot be recorded: {reason}")]
    InvalidRecord {
        /// Its place in the group, from 0.
        position: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A record older than the newest one; none of the group was recorded.
    #[error(
        "record {position} of the group is of {}, before the newest record of {}; recorded times \
         never decrease", to_rfc3339(*given), to_rfc3339(*newest)
    )]
    TimeWentBack {
        /// Its place in the group, from 0.
        position: usize,
        /// Its time.
        given: DateTime<Utc>,
        /// The time it must not be before.
        newest: DateTime<Utc>,
    },
}

impl JournalError {
    pub(super) fn io(
        action: &'static str,
        path: impl AsRef<Path>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::Io { action, path, source }
    }
}

/// What is wrong with stored bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The file ends inside something.
    #[error("the {what} needs {need} bytes and {have} are there")]
    Short {
        /// What is cut.
        what: &'static str,
        /// Its length.
        need: u64,
        /// The bytes that are there.
        have: u64,
    },
    /// The file has become shorter than it was when its last record was acknowledged.
    #[error("the file ends before its last acknowledged record")]
    EndsEarly,
    /// Only zeros where a record should begin.
    #[error("only zeros to the end of the file where record {expected} should begin")]
    Zeros {
        /// The sequence number that is due.
        expected: u64,
    },
    /// The file does not begin like a journal segment.
    #[error("this is no journal segment")]
    NotASegment,
    /// The segment header's checksum does not match.
    #[error("the checksum of the segment header does not match")]
    SegmentHeaderChecksum,
    /// The segment header's fields contradict each other or the file's name.
    #[error("the segment header is inconsistent: {0}")]
    SegmentHeader(String),
    /// A segment between two others, or before the first, is not there.
    #[error("the segment that begins with record {expected} is missing")]
    MissingSegment {
        /// The first sequence number that is missing.
        expected: u64,
    },
    /// A segment that has a successor does not have the length it was closed with.
    #[error("the segment was closed with {closed} bytes and has {found}")]
    SegmentLength {
        /// The length its successor names.
        closed: u64,
        /// The length of the file.
        found: u64,
    },
    /// No record begins where one should.
    #[error("no record begins where record {expected} should")]
    NoRecord {
        /// The sequence number that is due.
        expected: u64,
    },
    /// The checksum of a record's header does not match.
    #[error("the checksum of the header of record {expected} does not match")]
    HeadChecksum {
        /// The sequence number that is due.
        expected: u64,
    },
    /// A record's length is beyond what the format allows.
    #[error("record {seq} has the impossible length {length}")]
    Length {
        /// The sequence number.
        seq: u64,
        /// The length that stands there.
        length: u64,
    },
    /// The checksum of a record's content does not match.
    #[error("the checksum of record {seq} does not match")]
    Checksum {
        /// The sequence number.
        seq: u64,
    },
    /// A record's chain hash does not follow from the one before.
    #[error("the hash chain breaks at record {seq}")]
    Chain {
        /// The sequence number.
        seq: u64,
    },
    /// A record has another sequence number than is due.
    #[error("record {expected} should be here, and record {found} is")]
    Sequence {
        /// The sequence number that is due.
        expected: u64,
        /// The one that stands there.
        found: u64,
    },
    /// A record is older than the one before.
    #[error("record {seq} is older than the record before it")]
    Time {
        /// The sequence number.
        seq: u64,
    },
    /// A record's checksums match, and yet it cannot be read.
    #[error("record {seq} cannot be read: {reason}")]
    Malformed {
        /// The sequence number.
        seq: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl Damage {
    /// Tells whether an interrupted write can look like this. Anything else had a matching
    /// checksum, so that it was written whole.
    pub(super) fn can_be_torn(&self) -> bool {
        matches!(
            self,
            Self::Short { .. }
                | Self::Zeros { .. }
                | Self::NoRecord { .. }
                | Self::HeadChecksum { .. }
                | Self::Checksum { .. }
                | Self::Chain { .. }
        )
    }
}
