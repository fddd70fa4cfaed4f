//! The journal of one namespace, open for appending.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};

use super::error::JournalError;
use super::format::{ChainHash, Record, SegmentHeader, encode_frame};
use super::reader::{JournalReader, Records};
use super::recovery::{self, Recovery};
use super::segment::{self, OpenTail, Segment, TailFile, open_real_tail};
use super::verify::{Verification, verify_segments};
use crate::model::NamespaceName;

/// A buffer larger than this is given back after a large group.
const KEEP_BUFFER_BYTES: usize = 1 << 20;

/// How a journal is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalOptions {
    /// A segment is closed before it would grow past this many bytes. A larger group of records
    /// still stands in one segment, alone.
    pub segment_bytes: u64,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self { segment_bytes: 64 << 20 }
    }
}

/// What is durable. Only this much is ever read.
#[derive(Debug, Clone)]
pub(super) struct Durable {
    pub segments: Vec<Segment>,
    pub last_seq: u64,
    pub head: ChainHash,
}

/// What the journal and its readers share.
pub(super) struct Shared {
    pub namespace: NamespaceName,
    durable: RwLock<Durable>,
}

impl Shared {
    pub(super) fn durable(&self) -> Durable {
        self.read(Clone::clone)
    }

    pub(super) fn read<T>(&self, look: impl FnOnce(&Durable) -> T) -> T {
        // Every change is one assignment after the last thing that can fail.
        look(&self.durable.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Durable)) {
        change(&mut self.durable.write().unwrap_or_else(PoisonError::into_inner));
    }
}

/// What an append did. The records are durable when this is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppendOutcome {
    /// The number of the first record of the group; the others follow without gaps.
    pub first_seq: u64,
    /// The number of the last record; one less than `first_seq` if the group was empty.
    pub last_seq: u64,
    /// The chain after the group.
    pub head: ChainHash,
    /// Bytes written.
    pub bytes: u64,
}

/// The end of what is durable: a file and how many of its bytes count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DurableEnd {
    /// The segment that is appended to.
    pub file: PathBuf,
    /// Its bytes up to here were synced.
    pub len: u64,
    /// The newest record in them, 0 if there is none.
    pub last_seq: u64,
}

/// The journal of one namespace, open for appending. One at a time: the data folder's lock keeps
/// other processes out, the owner of the namespace keeps a second one out of its own.
pub struct Journal {
    folder: PathBuf,
    options: JournalOptions,
    open_tail: OpenTail,
    shared: Arc<Shared>,
    pub(super) tail: Box<dyn TailFile>,
    /// Length of the header of the segment that is appended to.
    header_len: u64,
    recorded_at: Option<DateTime<Utc>>,
    buffer: Vec<u8>,
    poisoned: Option<String>,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal")
            .field("folder", &self.folder)
            .field("namespace", &self.shared.namespace)
            .field("last_seq", &self.last_seq())
            .field("poisoned", &self.poisoned)
            .finish_non_exhaustive()
    }
}

impl Journal {
    /// Opens the journal of a namespace in the namespace's folder, or begins it.
    ///
    /// The segments stand in `dir/journal`. The headers of all and the records of the last one are
    /// checked here; [`Journal::verify`] checks everything.
    ///
    /// # Errors
    /// An interrupted last write is cut off and told in the [`Recovery`]; anything else that is
    /// damaged is an error and stays as it is.
    pub fn open(dir: &Path, namespace: &NamespaceName) -> Result<(Self, Recovery), JournalError> {
        Self::open_with(dir, namespace, JournalOptions::default())
    }

    /// Opens a journal like [`Journal::open`], with options.
    pub fn open_with(
        dir: &Path,
        namespace: &NamespaceName,
        options: JournalOptions,
    ) -> Result<(Self, Recovery), JournalError> {
        Self::open_on(dir, namespace, options, Arc::new(open_real_tail))
    }

    /// Says whether a namespace's folder has a journal, without beginning one.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn exists(dir: &Path) -> Result<bool, JournalError> {
        Ok(!segment::list(&segment::folder_of(dir))?.is_empty())
    }

    pub(super) fn open_on(
        dir: &Path,
        namespace: &NamespaceName,
        options: JournalOptions,
        open_tail: OpenTail,
    ) -> Result<(Self, Recovery), JournalError> {
        let folder = segment::create_folder(dir)?;
        let opened = recovery::open(&folder, namespace, &open_tail)?;
        let durable = Durable {
            segments: opened.segments,
            last_seq: opened.recovery.last_seq,
            head: opened.end.head,
        };
        let shared = Shared { namespace: namespace.clone(), durable: RwLock::new(durable) };
        let journal = Self {
            folder,
            options,
            open_tail,
            shared: Arc::new(shared),
            tail: opened.tail,
            header_len: opened.header_len,
            recorded_at: opened.end.recorded_at,
            buffer: Vec::new(),
            poisoned: None,
        };
        Ok((journal, opened.recovery))
    }

    /// Appends a group of records with one write and one sync. All of them are durable when this
    /// returns; an empty group changes nothing.
    ///
    /// # Errors
    /// None of the records is acknowledged on any error. After [`JournalError::SyncFailed`] the
    /// journal takes no writes until it is opened again ([`JournalError::Poisoned`]).
    pub fn append(&mut self, records: &[Record<'_>]) -> Result<AppendOutcome, JournalError> {
        self.refuse_if_poisoned()?;
        self.check(records)?;
        let (before, last_seq) = self.shared.read(|durable| (durable.head, durable.last_seq));
        let first_seq = last_seq + 1;
        let head = self.encode(records, first_seq, before);
        let bytes = self.buffer.len() as u64;
        let outcome =
            AppendOutcome { first_seq, last_seq: last_seq + records.len() as u64, head, bytes };
        let Some(newest) = records.last() else { return Ok(outcome) };
        self.rotate_if_full(bytes)?;
        self.write_and_sync()?;
        self.recorded_at = Some(newest.recorded_at);
        self.shared.change(|durable| {
            durable.last_seq = outcome.last_seq;
            durable.head = head;
            if let Some(tail) = durable.segments.last_mut() {
                tail.len += bytes;
            }
        });
        Ok(outcome)
    }

    fn refuse_if_poisoned(&self) -> Result<(), JournalError> {
        match &self.poisoned {
            None => Ok(()),
            Some(reason) => Err(JournalError::Poisoned {
                namespace: self.shared.namespace.to_string(),
                reason: reason.clone(),
            }),
        }
    }

    fn check(&self, records: &[Record<'_>]) -> Result<(), JournalError> {
        let mut newest = self.recorded_at;
        for (position, record) in records.iter().enumerate() {
            record.check(position)?;
            if let Some(newest) = newest
                && record.recorded_at < newest
            {
                let given = record.recorded_at;
                return Err(JournalError::TimeWentBack { position, given, newest });
            }
            newest = Some(record.recorded_at);
        }
        Ok(())
    }

    /// Fills the buffer with the frames of a group and returns the chain after it.
    fn encode(&mut self, records: &[Record<'_>], group: u64, before: ChainHash) -> ChainHash {
        self.buffer.clear();
        self.buffer.shrink_to(KEEP_BUFFER_BYTES);
        let mut head = before;
        for (seq, record) in (group..).zip(records) {
            head = encode_frame(&mut self.buffer, record, seq, group, head);
        }
        head
    }

    fn rotate_if_full(&mut self, bytes: u64) -> Result<(), JournalError> {
        let (last, last_seq, head) = self.shared.read(|durable| {
            let last = durable.segments.last().expect("an open journal has a segment");
            (last.clone(), durable.last_seq, durable.head)
        });
        if last.len <= self.header_len || last.len + bytes <= self.options.segment_bytes {
            return Ok(());
        }
        let header = SegmentHeader {
            namespace: self.shared.namespace.to_string(),
            first_seq: last_seq + 1,
            head_before: head,
            previous_first: last.first_seq,
            previous_len: last.len,
            recorded_before: self.recorded_at,
        };
        let created = segment::create(&self.folder, &header)
            .and_then(|created| {
                let tail = (self.open_tail)(&created.path)
                    .map_err(JournalError::io("open", &created.path))?;
                Ok((created, tail))
            })
            .inspect_err(|error| {
                // Once the new segment has its name, appending to the old one would make the two
                // contradict each other.
                let path = segment::path_of(&self.folder, header.first_seq);
                if !matches!(path.try_exists(), Ok(false)) {
                    self.poisoned = Some(error.to_string());
                }
            })?;
        let (segment, tail) = created;
        self.tail = tail;
        self.header_len = segment.len;
        self.shared.change(|durable| durable.segments.push(segment));
        Ok(())
    }

    fn write_and_sync(&mut self) -> Result<(), JournalError> {
        let DurableEnd { file: path, len, .. } = self.durable_end();
        if let Err(source) = self.tail.write_at(len, &self.buffer) {
            // Half a group may be there; without it the file is as it was.
            if let Err(error) = self.tail.set_len(len) {
                self.poisoned =
                    Some(format!("{source}; then the half-written end stayed: {error}"));
            }
            return Err(JournalError::WriteFailed { path, source });
        }
        if let Err(source) = self.tail.sync_data() {
            self.poisoned = Some(source.to_string());
            // The caller is told that nothing was recorded, so nothing should come back at the
            // next opening. If this fails too, the records may come back: they are whole.
            if let Err(error) = self.tail.set_len(len) {
                tracing::warn!(
                    file = %path.display(),
                    %error,
                    "records that were not acknowledged could not be taken back"
                );
            }
            return Err(JournalError::SyncFailed { path, source });
        }
        Ok(())
    }

    /// Returns the durable records from number `seq` on, as they are now, one at a time.
    pub fn read_from(&self, seq: u64) -> Records {
        self.reader().read_from(seq)
    }

    /// Returns a reader with a handle of its own, for other threads.
    pub fn reader(&self) -> JournalReader {
        JournalReader::new(Arc::clone(&self.shared))
    }

    /// Returns the namespace.
    pub fn namespace(&self) -> &NamespaceName {
        &self.shared.namespace
    }

    /// Returns the number of the newest durable record, 0 if there is none.
    pub fn last_seq(&self) -> u64 {
        self.shared.read(|durable| durable.last_seq)
    }

    /// Returns the chain after the newest durable record.
    pub fn head_hash(&self) -> ChainHash {
        self.shared.read(|durable| durable.head)
    }

    /// Returns the time of the newest record. A record may not be older, so a writer takes the
    /// later of its clock and this.
    pub fn last_recorded_at(&self) -> Option<DateTime<Utc>> {
        self.recorded_at
    }

    /// Returns the bytes of all segments.
    pub fn size_bytes(&self) -> u64 {
        self.shared.read(|durable| durable.segments.iter().map(|segment| segment.len).sum())
    }

    /// Returns where the durable bytes end.
    pub fn durable_end(&self) -> DurableEnd {
        self.shared.read(|durable| {
            let tail = durable.segments.last().expect("an open journal has a segment");
            DurableEnd { file: tail.path.clone(), len: tail.len, last_seq: durable.last_seq }
        })
    }

    /// Tells whether the journal refuses writes until it is opened again.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned.is_some()
    }

    /// Reads everything that is durable and checks it: checksums, chain, sequence, times, and that
    /// the segments follow on each other.
    ///
    /// # Errors
    /// Damage is in the findings; an error means that a file could not be read.
    pub fn verify(&self) -> Result<Verification, JournalError> {
        verify_segments(&self.shared.durable().segments, &self.shared.namespace)
    }

    /// Writes a group without syncing it, as a process does that is killed in between.
    pub(super) fn write_without_sync(
        &mut self,
        records: &[Record<'_>],
    ) -> Result<(), JournalError> {
        self.refuse_if_poisoned()?;
        self.check(records)?;
        let DurableEnd { file, len, last_seq } = self.durable_end();
        self.encode(records, last_seq + 1, self.head_hash());
        self.tail.write_at(len, &self.buffer).map_err(JournalError::io("write to", file))
    }
}
