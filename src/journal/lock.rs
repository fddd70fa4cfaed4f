//! One process per data folder, and a note beside the lock that says which.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::model::to_rfc3339;

const LOCK_FILE: &str = "stratagate.lock";
const INFO_FILE: &str = "stratagate.lock.json";

/// Another process may hold the lock for an instant only, to see whether it is held; and one that
/// has just taken it needs a moment to write its note. So look again this often, this far apart.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Who holds the lock of a data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockInfo {
    /// The process.
    pub pid: u32,
    /// Where it serves, once it does, as in `http://127.0.0.1:7791`.
    pub address: Option<String>,
    /// Version of the program.
    pub version: String,
    /// When it took the lock.
    pub started_at: DateTime<Utc>,
}

/// Why the lock of a data folder could not be taken or looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process, or another part of this one, holds the lock.
    #[error("{}", held_message(folder, info.as_ref()))]
    Held {
        /// The data folder.
        folder: PathBuf,
        /// Who holds it, where the note beside the lock can be read.
        info: Option<LockInfo>,
    },
    /// The lock is held, but the note that says by whom cannot be read.
    #[error("the data folder {} is in use, but {INFO_FILE} does not say by whom: {reason}", folder.display())]
    Unreadable {
        /// The data folder.
        folder: PathBuf,
        /// What is wrong with the note.
        reason: String,
    },
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

fn held_message(folder: &Path, info: Option<&LockInfo>) -> String {
    let folder = folder.display();
    let Some(LockInfo { pid, address, version, started_at }) = info else {
        return format!(
            "the data folder {folder} is in use by another process; stop that process, or choose \
             another data folder"
        );
    };
    let since = to_rfc3339(*started_at);
    match address {
        Some(address) => format!(
            "the data folder {folder} is in use by process {pid} (stratagate {version}, since \
             {since}), which serves at {address}; send requests there, stop that process, or \
             choose another data folder"
        ),
        None => format!(
            "the data folder {folder} is in use by process {pid} (stratagate {version}, since \
             {since}), which serves no address; wait for it to end, stop it, or choose another \
             data folder"
        ),
    }
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LockError {
    let path = path.to_owned();
    move |source| LockError::Io { action, path, source }
}

/// The exclusive lock of a data folder. Ends with this value, and with the process however it ends.
#[derive(Debug)]
pub struct DataLock {
    folder: PathBuf,
    info: LockInfo,
    /// Holds the lock until it is closed.
    _file: File,
}

impl DataLock {
    /// Takes the lock of a data folder, creating the folder if need be, and writes down who holds
    /// it.
    ///
    /// # Errors
    /// [`LockError::Held`] if it is held, be it by this same process.
    pub fn acquire(folder: &Path, info: LockInfo) -> Result<Self, LockError> {
        fs::create_dir_all(folder).map_err(io_error("create", folder))?;
        let path = folder.join(LOCK_FILE);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(io_error("open", &path))?;
        if !try_often(|| file.try_lock()).map_err(io_error("lock", &path))? {
            let info = read_info(folder).ok();
            return Err(LockError::Held { folder: folder.to_owned(), info });
        }
        let lock = Self { folder: folder.to_owned(), info, _file: file };
        lock.write_info()?;
        Ok(lock)
    }

    /// Writes down where the holder serves, once it is bound.
    pub fn set_address(&mut self, address: impl Into<String>) -> Result<(), LockError> {
        self.info.address = Some(address.into());
        self.write_info()
    }

    /// Returns what is written down about the holder.
    pub fn info(&self) -> &LockInfo {
        &self.info
    }

    /// Tells who holds the lock of a data folder now; `None` if nobody does, whatever an earlier
    /// holder has left behind.
    pub fn read(folder: &Path) -> Result<Option<LockInfo>, LockError> {
        let path = folder.join(LOCK_FILE);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error("open", &path)(error)),
        };
        let mut reason = String::new();
        for _ in 0..ATTEMPTS {
            match file.try_lock_shared() {
                Ok(()) => return Ok(None),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(io_error("lock", &path)(error)),
            }
            match read_info(folder) {
                Ok(info) => return Ok(Some(info)),
                Err(error) => reason = error,
            }
            std::thread::sleep(PAUSE);
        }
        Err(LockError::Unreadable { folder: folder.to_owned(), reason })
    }

    fn write_info(&self) -> Result<(), LockError> {
        let path = self.folder.join(INFO_FILE);
        let temporary = self.folder.join(format!("{INFO_FILE}.tmp"));
        let json = serde_json::to_vec(&self.info).expect("its fields are all plain JSON values");
        File::create(&temporary)
            .and_then(|mut file| file.write_all(&json))
            .map_err(io_error("write", &temporary))?;
        fs::rename(&temporary, &path).map_err(io_error("write", &path))
    }
}

impl Drop for DataLock {
    fn drop(&mut self) {
        // Before the lock goes with its file, so that the next holder's note is never removed. A
        // note that stays is ignored without a lock.
        let _ = fs::remove_file(self.folder.join(INFO_FILE));
    }
}

fn try_often(mut lock: impl FnMut() -> Result<(), TryLockError>) -> io::Result<bool> {
    for attempt in 1..=ATTEMPTS {
        match lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

fn read_info(folder: &Path) -> Result<LockInfo, String> {
    let text = fs::read(folder.join(INFO_FILE)).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    fn info(pid: u32) -> LockInfo {
        let started_at = DateTime::from_timestamp(1_750_000_000, 0).unwrap();
        LockInfo { pid, address: None, version: "0.1.0".to_owned(), started_at }
    }

    #[test]
    fn a_second_holder_is_refused_and_told_who_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("new/data");
        assert_eq!(DataLock::read(&folder).unwrap(), None);
        let mut lock = DataLock::acquire(&folder, info(41)).unwrap();
        let refused = DataLock::acquire(&folder, info(42)).unwrap_err().to_string();
        assert!(refused.contains("process 41"), "{refused}");
        assert!(refused.contains("serves no address"), "{refused}");
        assert!(refused.contains(&folder.display().to_string()), "{refused}");
        lock.set_address("http://127.0.0.1:7791").unwrap();
        let refused = DataLock::acquire(&folder, info(42)).unwrap_err();
        assert!(refused.to_string().contains("send requests there"), "{refused}");
        let LockError::Held { info: Some(held), .. } = refused else { panic!("{refused}") };
        assert_eq!(held.address.as_deref(), Some("http://127.0.0.1:7791"));
        assert_eq!(DataLock::read(&folder).unwrap().as_ref(), Some(&held));
        assert_eq!(lock.info(), &held);
    }

    #[test]
    fn a_lock_that_was_let_go_can_be_taken() {
        let dir = tempfile::tempdir().unwrap();
        drop(DataLock::acquire(dir.path(), info(1)).unwrap());
        assert_eq!(DataLock::read(dir.path()).unwrap(), None);
        let lock = DataLock::acquire(dir.path(), info(2)).unwrap();
        assert_eq!(DataLock::read(dir.path()).unwrap().map(|info| info.pid), Some(2));
        drop(lock);
    }

    #[test]
    fn a_note_without_a_lock_counts_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let note = serde_json::to_vec(&info(7)).unwrap();
        fs::write(dir.path().join(INFO_FILE), note).unwrap();
        assert_eq!(DataLock::read(dir.path()).unwrap(), None);
        File::create(dir.path().join(LOCK_FILE)).unwrap();
        assert_eq!(DataLock::read(dir.path()).unwrap(), None);
        DataLock::acquire(dir.path(), info(8)).unwrap();
    }

    #[test]
    fn a_lock_without_a_readable_note_is_still_held() {
        let dir = tempfile::tempdir().unwrap();
        let _lock = DataLock::acquire(dir.path(), info(1)).unwrap();
        fs::write(dir.path().join(INFO_FILE), "{").unwrap();
        assert!(matches!(DataLock::read(dir.path()), Err(LockError::Unreadable { .. })));
        let refused = DataLock::acquire(dir.path(), info(2)).unwrap_err();
        assert!(matches!(refused, LockError::Held { info: None, .. }));
        assert!(refused.to_string().contains("in use by another process"), "{refused}");
    }

    #[test]
    fn looking_at_a_lock_never_makes_it_unavailable() {
        let dir = tempfile::tempdir().unwrap();
        drop(DataLock::acquire(dir.path(), info(1)).unwrap());
        std::thread::scope(|scope| {
            let looking = scope.spawn(|| {
                for _ in 0..2000 {
                    // Between the lock and its note, or its note and the lock, the note may be
                    // missing; that is not an answer of "nobody".
                    let _ = DataLock::read(dir.path());
                }
            });
            for pid in 0..50 {
                drop(DataLock::acquire(dir.path(), info(pid)).unwrap());
            }
            looking.join().unwrap();
        });
    }

    /// Runs itself a second time, as the process that is killed.
    #[test]
    fn a_killed_process_holds_nothing() {
        const CHILD: &str = "STRATAGATE_TEST_LOCK_FOLDER";
        if let Some(folder) = std::env::var_os(CHILD) {
            let _lock = DataLock::acquire(Path::new(&folder), info(std::process::id())).unwrap();
            println!("\nthe lock is held");
            // Ends when it is killed, or when the parent is gone and with it the other end.
            let _ = io::stdin().lines().next();
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "journal::lock::tests::a_killed_process_holds_nothing",
                "--nocapture",
            ])
            .env(CHILD, dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        assert!(output.lines().any(|line| line.unwrap() == "the lock is held"));
        let held = DataLock::read(dir.path()).unwrap().unwrap();
        assert_eq!(held.pid, child.id());
        let refused = DataLock::acquire(dir.path(), info(1)).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", child.id())), "{refused}");
        // On Unix this is SIGKILL: nothing in the process runs after it.
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(dir.path().join(INFO_FILE).exists(), "the note of a killed process stays");
        assert_eq!(DataLock::read(dir.path()).unwrap(), None);
        let lock = DataLock::acquire(dir.path(), info(1)).unwrap();
        assert_eq!(DataLock::read(dir.path()).unwrap().as_ref(), Some(lock.info()));
    }
}
