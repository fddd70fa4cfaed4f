//! Reading the frames of one segment, one after the other, and looking for frames past a bad one.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use chrono::{DateTime, Utc};

use super::error::Damage;
use super::format::{
    ChainHash, FRAME_HEAD, FRAME_MAGIC, FRAME_TAIL, FrameHead, StoredRecord, decode_payload,
    hash_at, payload_crc,
};

/// Why the next frame could not be read.
#[derive(Debug)]
pub(super) enum Flaw {
    Io(io::Error),
    Damaged(Damage),
}

impl From<io::Error> for Flaw {
    fn from(error: io::Error) -> Self {
        // Nothing is read past the length that the segment is known to have.
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damaged(Damage::EndsEarly),
            _ => Self::Io(error),
        }
    }
}

impl From<Damage> for Flaw {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

/// A position in a segment and what must follow there.
pub(super) struct Frames {
    file: BufReader<File>,
    /// Where the next frame begins.
    pub offset: u64,
    /// Nothing is read at or past this offset.
    pub end: u64,
    /// The chain before the next frame.
    pub head: ChainHash,
    /// The sequence number that is due.
    pub next_seq: u64,
    /// The newest time so far.
    pub recorded_at: Option<DateTime<Utc>>,
    /// Where the group of the last frame that was read begins, and its first number.
    pub group: Option<(u64, u64)>,
}

impl Frames {
    pub(super) fn new(
        file: File,
        offset: u64,
        end: u64,
        head: ChainHash,
        next_seq: u64,
        recorded_at: Option<DateTime<Utc>>,
    ) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 16, file);
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { file, offset, end, head, next_seq, recorded_at, group: None })
    }

    /// Reads and checks the next frame; `None` at the end. After a flaw the position is unchanged,
    /// and only [`Frames::resume_at`] may follow.
    pub(super) fn next(&mut self) -> Result<Option<StoredRecord>, Flaw> {
        let Some(head) = self.next_head()? else { return Ok(None) };
        // `next_head` has compared the length with what is left of the file.
        let mut payload = vec![0; head.payload_len];
        self.file.read_exact(&mut payload)?;
        let hash = self.read_tail()?;
        let seq = head.seq;
        if payload_crc(self.head, &payload) != head.payload_crc {
            return Err(Damage::Checksum { seq }.into());
        }
        if self.head.next(&payload) != hash {
            return Err(Damage::Chain { seq }.into());
        }
        let record = decode_payload(payload, seq, hash)?;
        if self.recorded_at.is_some_and(|newest| record.recorded_at < newest) {
            return Err(Damage::Time { seq }.into());
        }
        self.recorded_at = Some(record.recorded_at);
        self.step_over(&head, hash);
        Ok(Some(record))
    }

    /// Goes past the next frame by its header alone; false at the end. The content is not checked,
    /// but the checksum of the frame after it covers the chain hash that is taken from here.
    pub(super) fn skip(&mut self) -> Result<bool, Flaw> {
        let Some(head) = self.next_head()? else { return Ok(false) };
        self.file.seek_relative(head.payload_len as i64)?;
        let hash = self.read_tail()?;
        self.step_over(&head, hash);
        Ok(true)
    }

    fn next_head(&mut self) -> Result<Option<FrameHead>, Flaw> {
        let left = self.end.saturating_sub(self.offset);
        if left == 0 {
            return Ok(None);
        }
        let short = |what, need: u64| Flaw::Damaged(Damage::Short { what, need, have: left });
        let expected = self.next_seq;
        if left < FRAME_HEAD as u64 {
            let mut rest = vec![0; left as usize];
            self.file.read_exact(&mut rest)?;
            if rest.iter().all(|byte| *byte == 0) {
                return Err(Damage::Zeros { expected }.into());
            }
            return Err(short("header of a record", FRAME_HEAD as u64));
        }
        let mut bytes = [0; FRAME_HEAD];
        self.file.read_exact(&mut bytes)?;
        if bytes == [0; FRAME_HEAD] && self.only_zeros_follow()? {
            return Err(Damage::Zeros { expected }.into());
        }
        let head = FrameHead::decode(&bytes, expected)?;
        if head.seq != expected {
            return Err(Damage::Sequence { expected, found: head.seq }.into());
        }
        if head.group != head.seq && self.group.is_none_or(|(group, _)| group != head.group) {
            return Err(Damage::Malformed {
                seq: head.seq,
                reason: "it belongs to a group that is not there",
            }
            .into());
        }
        if head.frame_len() > left {
            return Err(short("record", head.frame_len()));
        }
        Ok(Some(head))
    }

    fn only_zeros_follow(&mut self) -> io::Result<bool> {
        let mut left = self.end - self.offset - FRAME_HEAD as u64;
        let mut chunk = vec![0; 1 << 16];
        while left > 0 {
            let take = left.min(chunk.len() as u64) as usize;
            self.file.read_exact(&mut chunk[..take])?;
            if chunk[..take].iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
            left -= take as u64;
        }
        Ok(true)
    }

    fn read_tail(&mut self) -> io::Result<ChainHash> {
        let mut bytes = [0; FRAME_TAIL];
        self.file.read_exact(&mut bytes)?;
        Ok(hash_at(&bytes, 0))
    }

    fn step_over(&mut self, head: &FrameHead, hash: ChainHash) {
        if self.group.is_none_or(|(group, _)| group != head.group) {
            self.group = Some((head.group, self.offset));
        }
        self.offset += head.frame_len();
        self.head = hash;
        self.next_seq = head.seq + 1;
    }

    /// Finds the first frame header past a bad frame: where it begins and what it says. Its own
    /// checksum makes it certain that a record was written there.
    pub(super) fn find_head_after(&mut self, from: u64) -> io::Result<Option<(u64, FrameHead)>> {
        const CHUNK: usize = 1 << 18;
        let end = self.end.min(self.file.get_ref().metadata()?.len());
        let mut start = from;
        let mut window = Vec::with_capacity(CHUNK);
        while start + FRAME_HEAD as u64 <= end {
            let take = (end - start).min(CHUNK as u64) as usize;
            window.resize(take, 0);
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(&mut window)?;
            for at in 0..=take - FRAME_HEAD {
                if window[at] != FRAME_MAGIC[0] {
                    continue;
                }
                if let Ok(head) = FrameHead::decode(&window[at..at + FRAME_HEAD], self.next_seq)
                    && head.seq > self.next_seq
                {
                    return Ok(Some((start + at as u64, head)));
                }
            }
            start += (take - FRAME_HEAD + 1) as u64;
        }
        Ok(None)
    }

    /// Continues at a frame that [`Frames::find_head_after`] has found; the chain is taken from
    /// the hash just before it.
    pub(super) fn resume_at(&mut self, offset: u64, head: &FrameHead) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset - FRAME_TAIL as u64))?;
        self.head = self.read_tail()?;
        self.offset = offset;
        self.next_seq = head.seq;
        self.group = Some((head.group, offset));
        Ok(())
    }

    /// Tells whether a sector of the disk that lies between the bad frame and `until` was never
    /// written: a power cut may lose any sector of a write that was not yet synced.
    pub(super) fn has_hole_before(&mut self, until: u64) -> io::Result<bool> {
        const SECTOR: u64 = 512;
        let mut start = self.offset;
        self.file.seek(SeekFrom::Start(start))?;
        let mut sector = [0; SECTOR as usize];
        loop {
            let sector_end = (start / SECTOR + 1) * SECTOR;
            if sector_end > until {
                return Ok(false);
            }
            let part = &mut sector[..(sector_end - start) as usize];
            self.file.read_exact(part)?;
            if part.iter().all(|byte| *byte == 0) {
                return Ok(true);
            }
            start = sector_end;
        }
    }
}
