//! Side data: a bounded file of keyed values that expire. Not journaled, not exported, and cheap:
//! it survives the end of a process, however it comes, but not every power cut.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Below this size a file is not rewritten only because most of it is dead.
const REWRITE_FROM_BYTES: u64 = 64 << 10;

/// Why side data could not be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SideError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The value has no JSON form.
    #[error("the side value {key:?} cannot be written as JSON: {reason}")]
    Encode {
        /// Its key.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The value alone is larger than the file may be.
    #[error("the side value {key:?} has {bytes} bytes; {} holds at most {limit}", path.display())]
    TooLarge {
        /// Its key.
        key: String,
        /// Its length as a line.
        bytes: u64,
        /// The cap of the file.
        limit: u64,
        /// The file.
        path: PathBuf,
    },
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SideError {
    let path = path.to_owned();
    move |source| SideError::Io { action, path, source }
}

/// What opening a side file found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideOpening {
    /// Values that are there.
    pub entries: usize,
    /// Lines that could not be read and were skipped.
    pub skipped_lines: usize,
    /// Values that were dropped, oldest first, because the file was above its cap.
    pub dropped: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Line<K, V> {
    Put { key: K, expires_at: Option<DateTime<Utc>>, value: V },
    Remove { key: K },
}

struct Entry<T> {
    value: T,
    expires_at: Option<DateTime<Utc>>,
    /// When it was put, as a count.
    order: u64,
    line_bytes: u64,
}

impl<T> Entry<T> {
    fn is_alive(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }
}

/// A bounded file of keyed values, one JSON line per change, with all values in memory.
pub struct SideLog<T> {
    path: PathBuf,
    max_bytes: u64,
    file: File,
    file_bytes: u64,
    live_bytes: u64,
    /// The file may end inside a line.
    ends_torn: bool,
    entries: HashMap<String, Entry<T>>,
    by_order: BTreeMap<u64, String>,
    next_order: u64,
}

impl<T: Serialize + DeserializeOwned> SideLog<T> {
    /// Opens a side file, or begins it. It never grows past `max_bytes`: the values that were put
    /// first go first.
    pub fn open(path: &Path, max_bytes: u64) -> Result<(Self, SideOpening), SideError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(io_error("create", folder))?;
        }
        let mut log = Self {
            path: path.to_owned(),
            max_bytes,
            file: open_for_appending(path)?,
            file_bytes: 0,
            live_bytes: 0,
            ends_torn: false,
            entries: HashMap::new(),
            by_order: BTreeMap::new(),
            next_order: 0,
        };
        let skipped_lines = log.load()?;
        let found = log.entries.len();
        log.rewrite_if_needed()?;
        let entries = log.entries.len();
        if skipped_lines > 0 {
            tracing::warn!(file = %path.display(), skipped_lines, "skipped unreadable side data");
        }
        Ok((log, SideOpening { entries, skipped_lines, dropped: found - entries }))
    }

    fn load(&mut self) -> Result<usize, SideError> {
        let mut skipped = 0;
        let failed = || io_error("read", &self.path);
        let mut reader = BufReader::new(File::open(&self.path).map_err(failed())?);
        let mut line = Vec::new();
        loop {
            line.clear();
            // A line longer than the cap was never written by us; it is read in pieces, each skipped.
            let limit = self.max_bytes.saturating_add(1);
            let read = reader
                .by_ref()
                .take(limit)
                .read_until(b'\n', &mut line)
                .map_err(io_error("read", &self.path))?;
            if read == 0 {
                return Ok(skipped);
            }
            let bytes = read as u64;
            self.file_bytes += bytes;
            self.ends_torn = line.last() != Some(&b'\n');
            match serde_json::from_slice::<Line<String, T>>(&line) {
                Ok(Line::Put { key, expires_at, value }) => {
                    self.index(key, value, expires_at, bytes);
                }
                Ok(Line::Remove { key }) => {
                    self.forget(&key);
                }
                Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
                Err(_) => skipped += 1,
            }
        }
    }

    /// Puts a value under a key, in place of the one that was there.
    pub fn put(
        &mut self,
        key: &str,
        value: T,
        expires_at: Option<DateTime<Utc>>,
    ) -> Result<(), SideError> {
        let line = encode(key, &Line::Put { key, expires_at, value: &value })?;
        let bytes = line.len() as u64;
        if bytes > self.max_bytes {
            let (key, path) = (key.to_owned(), self.path.clone());
            return Err(SideError::TooLarge { key, bytes, limit: self.max_bytes, path });
        }
        self.write_line(&line)?;
        self.index(key.to_owned(), value, expires_at, bytes);
        self.rewrite_if_needed()
    }

    /// Returns the value under a key, unless it has expired.
    pub fn get(&self, key: &str, now: DateTime<Utc>) -> Option<&T> {
        self.entries.get(key).filter(|entry| entry.is_alive(now)).map(|entry| &entry.value)
    }

    /// Returns the keys and values that have not expired, in the order they were put.
    pub fn iter(&self, now: DateTime<Utc>) -> impl Iterator<Item = (&str, &T)> {
        self.by_order.values().filter_map(move |key| {
            let entry = self.entries.get(key).filter(|entry| entry.is_alive(now))?;
            Some((key.as_str(), &entry.value))
        })
    }

    /// Removes the value under a key, and tells whether there was one.
    pub fn remove(&mut self, key: &str) -> Result<bool, SideError> {
        if !self.entries.contains_key(key) {
            return Ok(false);
        }
        let line = encode(key, &Line::<_, ()>::Remove { key })?;
        self.write_line(&line)?;
        self.forget(key);
        self.rewrite_if_needed()?;
        Ok(true)
    }

    /// Drops what has expired, and returns how many values that was. They are gone from the file
    /// once it is next rewritten.
    pub fn drop_expired(&mut self, now: DateTime<Utc>) -> Result<usize, SideError> {
        let expired: Vec<String> = self
            .entries
            .iter()
            .filter(|(_, entry)| !entry.is_alive(now))
            .map(|(key, _)| key.clone())
            .collect();
        for key in &expired {
            self.forget(key);
        }
        // Their lines carry the time of expiry, so that none needs a line of removal.
        self.rewrite_if_needed()?;
        Ok(expired.len())
    }

    /// Returns how many values are held, expired ones included until they are dropped.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tells whether no value is held.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the length of the file.
    pub fn size_bytes(&self) -> u64 {
        self.file_bytes
    }

    fn index(&mut self, key: String, value: T, expires_at: Option<DateTime<Utc>>, line_bytes: u64) {
        self.forget(&key);
        let order = self.next_order;
        self.next_order += 1;
        self.live_bytes += line_bytes;
        self.by_order.insert(order, key.clone());
        self.entries.insert(key, Entry { value, expires_at, order, line_bytes });
    }

    fn forget(&mut self, key: &str) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_order.remove(&entry.order);
            self.live_bytes -= entry.line_bytes;
        }
    }

    fn write_line(&mut self, line: &[u8]) -> Result<(), SideError> {
        let failed = io_error("write to", &self.path);
        let written = if self.ends_torn {
            let mut lines = Vec::with_capacity(line.len() + 1);
            lines.push(b'\n');
            lines.extend(line);
            self.file.write_all(&lines).map(|()| lines.len())
        } else {
            self.file.write_all(line).map(|()| line.len())
        };
        // Part of the line may be there after a failure.
        self.ends_torn = written.is_err();
        self.file_bytes += written.map_err(failed)? as u64;
        Ok(())
    }

    /// Rewrites the file when it is above its cap or mostly dead.
    fn rewrite_if_needed(&mut self) -> Result<(), SideError> {
        let is_mostly_dead =
            self.file_bytes >= REWRITE_FROM_BYTES && self.file_bytes > 2 * self.live_bytes;
        if self.file_bytes <= self.max_bytes && !is_mostly_dead {
            return Ok(());
        }
        if self.live_bytes > self.max_bytes / 4 * 3 {
            self.drop_oldest();
        }
        self.rewrite()
    }

    /// Drops the values that were put first until a quarter of the cap is free, so that the next
    /// rewrite is far off. The newest always stays.
    fn drop_oldest(&mut self) {
        while self.live_bytes > self.max_bytes / 4 * 3 && self.by_order.len() > 1 {
            let Some((_, key)) = self.by_order.pop_first() else { return };
            if let Some(entry) = self.entries.remove(&key) {
                self.live_bytes -= entry.line_bytes;
            }
        }
    }

    fn rewrite(&mut self) -> Result<(), SideError> {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".tmp");
        let temporary = self.path.with_file_name(name);
        let failed = || io_error("write", &temporary);
        let mut file = BufWriter::new(File::create(&temporary).map_err(failed())?);
        let mut written = 0;
        for key in self.by_order.values() {
            let Some(entry) = self.entries.get_mut(key) else { continue };
            let (expires_at, value) = (entry.expires_at, &entry.value);
            let line = encode(key, &Line::Put { key, expires_at, value })?;
            file.write_all(&line).map_err(failed())?;
            entry.line_bytes = line.len() as u64;
            written += entry.line_bytes;
        }
        file.into_inner().map_err(|error| failed()(error.into_error()))?;
        fs::rename(&temporary, &self.path).map_err(io_error("replace", &self.path))?;
        self.file = open_for_appending(&self.path)?;
        self.ends_torn = false;
        self.file_bytes = written;
        self.live_bytes = written;
        Ok(())
    }
}

fn open_for_appending(path: &Path) -> Result<File, SideError> {
    OpenOptions::new().create(true).append(true).open(path).map_err(io_error("open", path))
}

fn encode<V: Serialize>(key: &str, line: &Line<&str, V>) -> Result<Vec<u8>, SideError> {
    let mut bytes = serde_json::to_vec(line)
        .map_err(|error| SideError::Encode { key: key.to_owned(), reason: error.to_string() })?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests;
