//! The bytes of a segment: its header and its record frames.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::error::{Damage, JournalError};
use crate::model::NamespaceName;

/// First bytes of every segment.
pub(super) const SEGMENT_MAGIC: [u8; 8] = *b"SGJRNL\x1a\n";
/// The format this program writes, and the newest it reads.
pub(super) const FORMAT_VERSION: u32 = 1;
/// A header longer than this is not a header, whatever its version.
const MAX_SEGMENT_HEADER: usize = 4096;
/// Bytes of the segment header before the namespace.
const SEGMENT_FIXED: usize = 86;

/// First bytes of every frame. 0xFF never occurs in UTF-8, so that no text looks like a frame, and
/// no single flipped bit makes the first byte zero.
pub(super) const FRAME_MAGIC: [u8; 4] = [0xF7, b'S', b'G', 0xFF];
/// Bytes of a frame before its payload.
pub(super) const FRAME_HEAD: usize = 32;
/// Bytes of a frame after its payload: the chain hash.
pub(super) const FRAME_TAIL: usize = 32;
/// Bytes of a payload before the kind: sequence, time, length of the kind.
const PAYLOAD_FIXED: usize = 21;
/// A record's body may have this many bytes (256 MiB).
pub const MAX_BODY_BYTES: usize = 256 << 20;
/// A record's kind may have this many bytes.
pub const MAX_KIND_BYTES: usize = 255;
const MAX_PAYLOAD: usize = PAYLOAD_FIXED + MAX_KIND_BYTES + MAX_BODY_BYTES;

/// A link of the hash chain: SHA-256 over the link before and a record's payload.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChainHash([u8; 32]);

impl ChainHash {
    /// Wraps the bytes of a link.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the link.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the link before the first record. It differs by namespace, so that a record can
    /// never be moved into the journal of another.
    pub(super) fn genesis(namespace: &NamespaceName) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(b"stratagate journal\0");
        hasher.update(namespace.as_str().as_bytes());
        Self(hasher.finalize().into())
    }

    pub(super) fn next(self, payload: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        hasher.update(payload);
        Self(hasher.finalize().into())
    }
}

impl std::fmt::Display for ChainHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl std::fmt::Debug for ChainHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ChainHash({self})")
    }
}

/// What stands at the head of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SegmentHeader {
    pub namespace: String,
    pub first_seq: u64,
    /// The chain before the first record of the segment.
    pub head_before: ChainHash,
    /// First sequence and closed length of the segment before; both 0 for the first one.
    pub previous_first: u64,
    pub previous_len: u64,
    /// Time of the newest record before the segment.
    pub recorded_before: Option<DateTime<Utc>>,
}

/// Why a segment header cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeaderFlaw {
    Damaged(Damage),
    Newer(u32),
}

impl SegmentHeader {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SEGMENT_FIXED + self.namespace.len() + 4);
        bytes.extend(SEGMENT_MAGIC);
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend(((SEGMENT_FIXED + self.namespace.len() + 4) as u32).to_le_bytes());
        bytes.extend(self.first_seq.to_le_bytes());
        bytes.extend(self.head_before.0);
        bytes.extend(self.previous_first.to_le_bytes());
        bytes.extend(self.previous_len.to_le_bytes());
        // i64::MIN seconds stand for "no record before"; chrono's range is far inside.
        let (seconds, nanos) = self
            .recorded_before
            .map_or((i64::MIN, 0), |at| (at.timestamp(), at.timestamp_subsec_nanos()));
        bytes.extend(seconds.to_le_bytes());
        bytes.extend(nanos.to_le_bytes());
        bytes.extend((self.namespace.len() as u16).to_le_bytes());
        bytes.extend(self.namespace.as_bytes());
        let crc = crc32fast::hash(&bytes);
        bytes.extend(crc.to_le_bytes());
        bytes
    }

    /// Reads a header from the first bytes of a segment and returns it with its length.
    pub(super) fn decode(bytes: &[u8]) -> Result<(Self, u64), HeaderFlaw> {
        let damaged = |damage| Err(HeaderFlaw::Damaged(damage));
        if bytes.len() < 16 {
            return damaged(short("segment header", 16, bytes.len()));
        }
        if bytes[..8] != SEGMENT_MAGIC {
            return damaged(Damage::NotASegment);
        }
        let version = u32_at(bytes, 8);
        let length = u32_at(bytes, 12) as usize;
        if !(20..=MAX_SEGMENT_HEADER).contains(&length) {
            return damaged(Damage::SegmentHeaderChecksum);
        }
        if bytes.len() < length {
            return damaged(short("segment header", length, bytes.len()));
        }
        // Every version keeps its checksum in the last four bytes, so that a newer one can be told
        // from a damaged one.
        if crc32fast::hash(&bytes[..length - 4]) != u32_at(bytes, length - 4) {
            return damaged(Damage::SegmentHeaderChecksum);
        }
        if version > FORMAT_VERSION {
            return Err(HeaderFlaw::Newer(version));
        }
        let inconsistent = |what: &str| damaged(Damage::SegmentHeader(what.to_owned()));
        if version == 0 || length < SEGMENT_FIXED + 4 {
            return inconsistent("version and length do not fit");
        }
        let namespace_len = usize::from(u16_at(bytes, SEGMENT_FIXED - 2));
        if SEGMENT_FIXED + namespace_len + 4 != length {
            return inconsistent("the length of the namespace does not fit");
        }
        let Ok(namespace) =
            std::str::from_utf8(&bytes[SEGMENT_FIXED..SEGMENT_FIXED + namespace_len])
        else {
            return inconsistent("the namespace is not UTF-8");
        };
        let seconds = u64_at(bytes, 72) as i64;
        let recorded_before = if seconds == i64::MIN {
            None
        } else if let Some(at) = DateTime::from_timestamp(seconds, u32_at(bytes, 80)) {
            Some(at)
        } else {
            return inconsistent("the time before it is out of range");
        };
        let header = Self {
            namespace: namespace.to_owned(),
            first_seq: u64_at(bytes, 16),
            head_before: hash_at(bytes, 24),
            previous_first: u64_at(bytes, 56),
            previous_len: u64_at(bytes, 64),
            recorded_before,
        };
        Ok((header, length as u64))
    }

    /// The longest a header of this version can be; enough to read to know any header.
    pub(super) const fn read_len() -> usize {
        MAX_SEGMENT_HEADER
    }
}

/// What stands before a record's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameHead {
    pub payload_len: usize,
    pub seq: u64,
    /// The first sequence number of the group this record was written with.
    pub group: u64,
    pub payload_crc: u32,
}

impl FrameHead {
    /// Reads the head of the frame in which record `expected` is due.
    pub(super) fn decode(bytes: &[u8], expected: u64) -> Result<Self, Damage> {
        if bytes[..4] != FRAME_MAGIC {
            return Err(Damage::NoRecord { expected });
        }
        if crc32fast::hash(&bytes[..24]) != u32_at(bytes, 24) {
            return Err(Damage::HeadChecksum { expected });
        }
        let head = Self {
            payload_len: u32_at(bytes, 4) as usize,
            seq: u64_at(bytes, 8),
            group: u64_at(bytes, 16),
            payload_crc: u32_at(bytes, 28),
        };
        if !(PAYLOAD_FIXED..=MAX_PAYLOAD).contains(&head.payload_len) {
            return Err(Damage::Length { seq: head.seq, length: head.payload_len as u64 });
        }
        if head.group == 0 || head.group > head.seq {
            return Err(Damage::Malformed { seq: head.seq, reason: "its group begins after it" });
        }
        Ok(head)
    }

    pub(super) fn frame_len(&self) -> u64 {
        (FRAME_HEAD + self.payload_len + FRAME_TAIL) as u64
    }
}

/// A record to be appended. The journal gives it its sequence number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
    /// When it is recorded; never before the newest record of the journal.
    pub recorded_at: DateTime<Utc>,
    /// What it is, as in `turn`: 1 to 255 bytes.
    pub kind: &'a str,
    /// Its content: JSON text of at most 256 MiB.
    pub body: &'a [u8],
}

impl Record<'_> {
    pub(super) fn check(&self, position: usize) -> Result<(), JournalError> {
        let invalid = |reason: String| Err(JournalError::InvalidRecord { position, reason });
        if self.kind.is_empty() || self.kind.len() > MAX_KIND_BYTES {
            return invalid(format!(
                "its kind has {} bytes; 1 to {MAX_KIND_BYTES} are allowed",
                self.kind.len()
            ));
        }
        if self.body.len() > MAX_BODY_BYTES {
            return invalid(format!(
                "its body has {} bytes; at most {MAX_BODY_BYTES} are allowed",
                self.body.len()
            ));
        }
        // Recovery relies on text never looking like a frame or like a sector of zeros.
        if std::str::from_utf8(self.body).is_err() || self.body.contains(&0) {
            return invalid("its body is no JSON text".to_owned());
        }
        Ok(())
    }
}

/// Appends the frame of a checked record to `buffer` and returns the new head of the chain.
pub(super) fn encode_frame(
    buffer: &mut Vec<u8>,
    record: &Record<'_>,
    seq: u64,
    group: u64,
    before: ChainHash,
) -> ChainHash {
    let payload_len = PAYLOAD_FIXED + record.kind.len() + record.body.len();
    buffer.reserve(FRAME_HEAD + payload_len + FRAME_TAIL);
    let start = buffer.len();
    buffer.extend(FRAME_MAGIC);
    buffer.extend((payload_len as u32).to_le_bytes());
    buffer.extend(seq.to_le_bytes());
    buffer.extend(group.to_le_bytes());
    let head_crc = crc32fast::hash(&buffer[start..]);
    buffer.extend(head_crc.to_le_bytes());
    buffer.extend([0; 4]);
    buffer.extend(seq.to_le_bytes());
    buffer.extend(record.recorded_at.timestamp().to_le_bytes());
    buffer.extend(record.recorded_at.timestamp_subsec_nanos().to_le_bytes());
    buffer.push(record.kind.len() as u8);
    buffer.extend(record.kind.as_bytes());
    buffer.extend(record.body);
    let payload = &buffer[start + FRAME_HEAD..];
    let payload_crc = payload_crc(before, payload);
    let hash = before.next(payload);
    buffer[start + 28..start + FRAME_HEAD].copy_from_slice(&payload_crc.to_le_bytes());
    buffer.extend(hash.0);
    hash
}

/// Returns the checksum of a payload that follows on a link of the chain.
pub(super) fn payload_crc(before: ChainHash, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&before.0);
    hasher.update(payload);
    hasher.finalize()
}

/// A record as it stands in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// Its number: 1, 2, 3, ... without gaps.
    pub seq: u64,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// What it is.
    pub kind: String,
    /// The chain after it.
    pub hash: ChainHash,
    /// Its content, as it was given.
    pub body: Vec<u8>,
}

/// Takes a payload apart whose checksum matches.
pub(super) fn decode_payload(
    mut payload: Vec<u8>,
    seq: u64,
    hash: ChainHash,
) -> Result<StoredRecord, Damage> {
    let malformed = |reason| Err(Damage::Malformed { seq, reason });
    if u64_at(&payload, 0) != seq {
        return malformed("its header and its content disagree on its number");
    }
    let Some(recorded_at) =
        DateTime::from_timestamp(u64_at(&payload, 8) as i64, u32_at(&payload, 16))
    else {
        return malformed("its time is out of range");
    };
    let body_start = PAYLOAD_FIXED + usize::from(payload[20]);
    let Some(kind) = payload.get(PAYLOAD_FIXED..body_start) else {
        return malformed("its kind is longer than the record");
    };
    let Ok(kind) = std::str::from_utf8(kind).map(str::to_owned) else {
        return malformed("its kind is not UTF-8");
    };
    payload.drain(..body_start);
    Ok(StoredRecord { seq, recorded_at, kind, hash, body: payload })
}

pub(super) fn hash_at(bytes: &[u8], at: usize) -> ChainHash {
    ChainHash(bytes[at..at + 32].try_into().expect("the slice has 32 bytes"))
}

fn short(what: &'static str, need: usize, have: usize) -> Damage {
    Damage::Short { what, need: need as u64, have: have as u64 }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().expect("the slice has 2 bytes"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("the slice has 4 bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("the slice has 8 bytes"))
}
