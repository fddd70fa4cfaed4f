//! The journal: what makes a write durable before it is acknowledged.
//!
//! Every accepted write of a namespace is a [`Record`] here before anything else learns of it: one
//! write and one `fdatasync` per group ([`Journal::append`]). The store and the index are applied
//! from it and can be made again from it ([`Journal::read_from`]). Beside the journal stand the
//! lock of the data folder ([`DataLock`]) and the files for side data that need none of this
//! ([`SideLog`]).
//!
//! Invariants:
//! - What `append` has returned survives `kill -9` and a power cut, and is read back byte for byte
//!   or not at all.
//! - Numbers count 1, 2, 3, ... without gaps; recorded times never decrease.
//! - An interrupted last write is cut off with a log line. Anything else that is damaged is an error
//!   that names file, byte and reason; nothing is repaired or skipped in passing.
//! - Readers see durable records only.
//!
//! Nothing here reads a clock. All of it blocks.
//!
//! # The stored form
//!
//! `journal/<first number, ten digits>.sgj`, little endian throughout. A segment is created whole
//! (temporary file, sync, rename, sync of the folder) and closed by the creation of the next one.
//!
//! | Bytes of a segment's header | Field |
//! | --- | --- |
//! | 8 | magic `SGJRNL 1A 0A` |
//! | 4 | format version, 1 |
//! | 4 | length of this header |
//! | 8 | number of the first record |
//! | 32 | chain hash before the first record |
//! | 8 + 8 | first number and closed length of the segment before (0, 0 for none) |
//! | 8 + 4 | time of the record before: seconds and nanoseconds (least `i64` for none) |
//! | 2 + n | namespace |
//! | 4 | CRC-32 of all bytes before |
//!
//! | Bytes of a record's frame | Field |
//! | --- | --- |
//! | 4 | magic `F7 53 47 FF` |
//! | 4 | length of the payload, at most 256 MiB and 276 bytes |
//! | 8 | number |
//! | 8 | number of the first record of its group |
//! | 4 | CRC-32 of the 24 bytes before |
//! | 4 | CRC-32 of the chain hash before and the payload |
//! | n | payload: number (8), time (8 + 4), kind (1 + n), body |
//! | 32 | chain hash: SHA-256 of the chain hash before and the payload |
//!
//! The chain begins with SHA-256 of `stratagate journal`, a zero byte and the namespace.
//!
//! # Questions
//!
//! *When is a bad record torn, and when is it damage?* A group is written only after the one before
//! it was synced. So a bad record with a record of a later group after it was acknowledged once:
//! damage. With nothing after it, it is taken for torn. With records of its own group after it, it
//! is torn only if a whole sector in between was never written (a power cut may keep the sectors of
//! one write in any order), and damage otherwise. That is why a frame names its group, why its
//! header has a checksum of its own, and why bodies may not hold zero bytes.
//!
//! *Is a group all or nothing?* No. A group shares one sync, not one fate: after a power cut the first
//! records of a group that was never acknowledged may be there. What must not be torn apart belongs
//! into one record.
//!
//! *Why does a failed sync end all writes until the journal is opened again?* After it, the system
//! may hold pages that it calls clean and that never reached the disk; a later sync would succeed
//! and prove nothing. Opening therefore writes the last group again before it syncs.
//!
//! *What if the last segment is removed as a whole?* The rest is a sound, shorter journal. Whoever
//! keeps the last applied number must compare it with [`Journal::last_seq`].

mod error;
mod format;
mod frames;
mod lock;
mod reader;
mod recovery;
mod segment;
mod side;
pub mod simulate;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use error::{Damage, JournalError};
pub use format::{ChainHash, MAX_BODY_BYTES, MAX_KIND_BYTES, Record, StoredRecord};
pub use lock::{DataLock, LockError, LockInfo};
pub use reader::{JournalReader, Records};
pub use recovery::{Recovery, TornTail};
pub use side::{SideError, SideLog, SideOpening};
pub use verify::{Finding, Verification, verify_folder};
pub use writer::{AppendOutcome, DurableEnd, Journal, JournalOptions};
