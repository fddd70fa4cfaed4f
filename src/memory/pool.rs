//! The data folder: which namespaces there are, and those that are open.

use super::error::MemoryError;
use super::namespace::{Namespace, folders, io, read, write};
use super::signal::Signal;
use super::types::{JobCard, NamespaceInfo, NewTurn, Settings, SettingsPatch, TurnReceipt};
use super::writer::lock;
use crate::clock::Clock;
use crate::journal::{DataLock, Journal, LockInfo};
use crate::model::NamespaceName;
use crate::store::QueryDesk;
use crate::store::reader::ReaderProgram;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

/// Most namespaces open at once. Each takes about 4 MB and 20 file handles; the least recently
/// used ones that nobody holds are closed.
const MAX_OPEN: usize = 256;
/// The folder of all namespaces, inside the data folder.
const NAMESPACES: &str = "namespaces";
/// How long a namespace that is to be opened again waits for those who still read it.
const REOPEN_PATIENCE: Duration = Duration::from_secs(5);
/// How long an erasure waits for them: longer than the longest query.
const ERASE_PATIENCE: Duration = Duration::from_secs(60);
/// What the name's file of a namespace is called from its erasure on, until its folder is gone.
const ERASED: &str = "namespace.erased";

/// Where a memory lives and what time it goes by.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// The data folder.
    pub data: PathBuf,
    /// Where "now" comes from.
    pub clock: Clock,
    /// What runs ad-hoc queries; without it this process does, with fewer kinds of them.
    pub readers: Option<ReaderProgram>,
}

/// The memory service over one data folder. Cheap to clone; all calls block.
#[derive(Clone)]
pub struct Memory {
    inner: Arc<Inner>,
}

struct Inner {
    data: PathBuf,
    clock: Clock,
    lock: Mutex<DataLock>,
    open: RwLock<HashMap<NamespaceName, Arc<Namespace>>>,
    /// Held while a namespace is opened, made or erased.
    opening: Mutex<()>,
    /// Those whose files are being removed.
    erasing: Mutex<BTreeSet<NamespaceName>>,
    /// Those that could not be opened, but may be later: they may have work to do.
    waiting: Mutex<BTreeSet<NamespaceName>>,
    signal: Arc<Signal>,
    desk: QueryDesk,
    job_events: tokio::sync::broadcast::Sender<(NamespaceName, JobCard)>,
}

/// The folder of a namespace: names can hold any character, folder names cannot.
fn folder_name(name: &NamespaceName) -> String {
    hex::encode(&Sha256::digest(name.as_str().as_bytes())[..16])
}

impl Memory {
    /// Takes the data folder. One process at a time: a second one is refused.
    ///
    /// # Errors
    /// When another process holds the folder, or it cannot be written.
    pub fn open(options: MemoryOptions) -> Result<Self, MemoryError> {
        let MemoryOptions { data, clock, readers } = options;
        let namespaces = data.join(NAMESPACES);
        std::fs::create_dir_all(&namespaces).map_err(|error| io(&namespaces, &error))?;
        // Every open store holds files; the soft limit is often far below the hard one.
        if let Err(error) = rlimit::increase_nofile_limit(65_536) {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
        let lock = DataLock::acquire(&data, this_process())?;
        remove_erased(&namespaces)?;
        Ok(Self {
            inner: Arc::new(Inner {
                data,
                clock,
                lock: Mutex::new(lock),
                open: RwLock::new(HashMap::new()),
                opening: Mutex::new(()),
                erasing: Mutex::default(),
                waiting: Mutex::default(),
                signal: Arc::new(Signal::default()),
                desk: readers.map_or_else(QueryDesk::default, QueryDesk::with_readers),
                job_events: tokio::sync::broadcast::channel(256).0,
            }),
        })
    }

    /// Says whether a folder holds a memory, without making one.
    pub fn is_in(data: &Path) -> bool {
        data.join(NAMESPACES).is_dir()
    }

    /// Lets other processes know which address serves this folder.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn announce(&self, address: &str) -> Result<(), MemoryError> {
        lock(&self.inner.lock).set_address(address)?;
        Ok(())
    }

    /// Returns the data folder.
    pub fn data(&self) -> &Path {
        &self.inner.data
    }

    /// Returns the clock.
    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    /// Wakes the workers.
    pub fn wake(&self) {
        self.inner.signal.notify();
    }

    /// Waits until something happened after `seen`; returns what to pass the next time.
    pub fn wait(&self, seen: u64, timeout: std::time::Duration) -> u64 {
        self.inner.signal.wait(seen, timeout)
    }

    /// Opens a namespace again whose writer was stopped by a failure.
    pub fn reopen_if_broken(&self, name: &NamespaceName) {
        if let Err(error) = self.get(name) {
            tracing::error!(namespace = %name, %error, "a namespace could not be reopened");
        }
    }

    /// Tries again to open what could not be opened.
    pub fn open_waiting(&self) {
        let waiting: Vec<NamespaceName> = lock(&self.inner.waiting).iter().cloned().collect();
        for name in waiting {
            self.reopen_if_broken(&name);
        }
    }

    /// Asks the workers to end: what they are at is left where it can be taken up again.
    pub fn stop_work(&self) {
        self.inner.signal.set_stopping(true);
    }

    /// Lets workers work.
    pub fn allow_work(&self) {
        self.inner.signal.set_stopping(false);
    }

    /// Says whether the workers are to end.
    pub fn is_stopping(&self) -> bool {
        self.inner.signal.is_stopping()
    }

    /// Tells those who listen how a job stands.
    pub fn tell_job(&self, name: &NamespaceName, card: JobCard) {
        // Nobody listening is the usual case.
        let _ = self.inner.job_events.send((name.clone(), card));
    }

    /// Listens to changes of jobs.
    pub fn job_events(&self) -> tokio::sync::broadcast::Receiver<(NamespaceName, JobCard)> {
        self.inner.job_events.subscribe()
    }

    /// Returns what takes in ad-hoc queries.
    pub(super) fn desk(&self) -> &QueryDesk {
        &self.inner.desk
    }

    /// Ends readers of ad-hoc queries that have nothing to do for long.
    pub fn tidy(&self) {
        self.inner.desk.tidy();
    }

    fn folder(&self, name: &NamespaceName) -> PathBuf {
        self.inner.data.join(NAMESPACES).join(folder_name(name))
    }

    /// Returns the names of all namespaces, in order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn names(&self) -> Result<Vec<NamespaceName>, MemoryError> {
        let folder = self.inner.data.join(NAMESPACES);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(|error| io(&folder, &error))? {
            let entry = entry.map_err(|error| io(&folder, &error))?;
            let file = entry.path().join(folders::NAME);
            // A folder without a name is one whose making or erasing was cut short.
            let Ok(text) = std::fs::read(&file) else { continue };
            let name: NamespaceName = serde_json::from_slice(&text).map_err(|error| {
                MemoryError::Corrupt(format!("{} is no namespace name: {error}", file.display()))
            })?;
            names.push(name);
        }
        names.sort();
        Ok(names)
    }

    /// Opens a namespace that exists.
    ///
    /// # Errors
    /// [`MemoryError::UnknownNamespace`] when it does not.
    pub fn get(&self, name: &NamespaceName) -> Result<Arc<Namespace>, MemoryError> {
        self.get_or_create(name, None)
    }

    fn get_or_create(
        &self,
        name: &NamespaceName,
        create: Option<&dyn Fn() -> Result<Settings, MemoryError>>,
    ) -> Result<Arc<Namespace>, MemoryError> {
        if let Some(open) = self.usable(name) {
            return Ok(open);
        }
        let _opening = lock(&self.inner.opening);
        if let Some(open) = self.usable(name) {
            return Ok(open);
        }
        let folder = self.folder(name);
        let exists = folder.join(folders::NAME).exists();
        let settings = match (exists, create) {
            (true, _) => None,
            (false, Some(create)) => Some(create()?),
            (false, None) => {
                lock(&self.inner.waiting).remove(name);
                return Err(MemoryError::UnknownNamespace(name.as_str().to_owned()));
            }
        };
        if !exists {
            self.clear_for_new(name, &folder)?;
        }
        // A broken writer keeps its files locked until the last reader lets go of it.
        let old = write(&self.inner.open).remove(name);
        if let Some(old) = old {
            wait_until_unused(&old, REOPEN_PATIENCE);
        }
        let opened = Namespace::open(
            &folder,
            name.clone(),
            self.inner.clock.clone(),
            self.inner.signal.clone(),
            settings,
        );
        let mut waiting = lock(&self.inner.waiting);
        match &opened {
            // What is damaged stays so; anything else may pass.
            Err(MemoryError::Unavailable(_)) if exists => waiting.insert(name.clone()),
            _ => waiting.remove(name),
        };
        drop(waiting);
        let namespace = opened?;
        if !exists {
            write_name(&folder, name)?;
        }
        let namespace = Arc::new(namespace);
        namespace.touch();
        self.make_room();
        write(&self.inner.open).insert(name.clone(), namespace.clone());
        // It may have jobs to do and documents to index.
        self.inner.signal.notify();
        Ok(namespace)
    }

    /// Removes what an erasure, or a making that was cut short, has left in the folder of a
    /// namespace that is to be made. Nothing in it was acknowledged, or it was erased since.
    fn clear_for_new(&self, name: &NamespaceName, folder: &Path) -> Result<(), MemoryError> {
        if lock(&self.inner.erasing).contains(name) {
            return Err(MemoryError::Unavailable(format!(
                "namespace {:?} is being erased; try again when that is done",
                name.as_str()
            )));
        }
        if !folder.exists() {
            return Ok(());
        }
        if !folder.join(ERASED).exists() && folder.join(folders::JOURNAL).exists() {
            let (journal, _) = Journal::open(folder, name)?;
            // The first record is written before the name, all others after it.
            if journal.last_seq() > 1 {
                return Err(MemoryError::Corrupt(format!(
                    "{} holds a journal of {} records of namespace {:?}, but no {}: nothing was \
                     changed; put that file back, or remove the folder",
                    folder.display(),
                    journal.last_seq(),
                    name.as_str(),
                    folders::NAME
                )));
            }
        }
        remove_folder(folder)
    }

    /// An open namespace whose writer works.
    fn usable(&self, name: &NamespaceName) -> Option<Arc<Namespace>> {
        let open = read(&self.inner.open).get(name).cloned()?;
        open.touch();
        (!open.is_broken()).then_some(open)
    }

    /// Closes the least recently used namespaces that nobody holds and that have no work left.
    fn make_room(&self) {
        let mut open = write(&self.inner.open);
        while open.len() >= MAX_OPEN {
            let idle = open
                .iter()
                .filter(|(_, namespace)| Arc::strong_count(namespace) == 1)
                .filter(|(_, namespace)| namespace.is_settled())
                .min_by_key(|(_, namespace)| namespace.last_used.load(Ordering::Relaxed))
                .map(|(name, _)| name.clone());
            let Some(name) = idle else { return };
            open.remove(&name);
        }
    }

    /// Returns the namespaces that are open.
    pub fn open_namespaces(&self) -> Vec<Arc<Namespace>> {
        let mut open: Vec<Arc<Namespace>> = read(&self.inner.open).values().cloned().collect();
        open.sort_by(|a, b| a.name.cmp(&b.name));
        open
    }

    /// Records turns; the first one makes the namespace.
    ///
    /// # Errors
    /// All or nothing: see [`MemoryError`].
    pub fn record(
        &self,
        name: &NamespaceName,
        turns: Vec<NewTurn>,
    ) -> Result<Vec<TurnReceipt>, MemoryError> {
        let newest = turns
            .iter()
            .flat_map(|turn| &turn.messages)
            .filter_map(|message| message.at.as_deref())
            .filter_map(|at| super::zone::Zone::parse("UTC").ok()?.stamp(at).ok())
            .map(|stamp| stamp.utc)
            .max();
        if let Some(newest) = newest {
            self.inner.clock.observe(newest);
        }
        // What is refused must not leave a namespace behind.
        let checked = turns.clone();
        let default = || {
            super::capture::check_turns(&checked, chrono::Utc::now())?;
            Ok(Settings::default())
        };
        self.get_or_create(name, Some(&default))?.capture(turns)
    }

    /// Makes a namespace or changes its settings; says whether it was made.
    ///
    /// # Errors
    /// When a setting is not acceptable.
    pub fn configure(
        &self,
        name: &NamespaceName,
        patch: &SettingsPatch,
    ) -> Result<(NamespaceInfo, bool), MemoryError> {
        match self.get(name) {
            Ok(namespace) => {
                namespace.configure(patch)?;
                Ok((namespace.info()?, false))
            }
            Err(MemoryError::UnknownNamespace(_)) => {
                let create = || super::settings::patched(&Settings::default(), patch);
                let namespace = self.get_or_create(name, Some(&create))?;
                // A first turn may have made it in the meantime, with the defaults.
                namespace.configure(patch)?;
                Ok((namespace.info()?, true))
            }
            Err(error) => Err(error),
        }
    }

    /// Erases a namespace with everything in it, whether or not it can be opened. Waits for those
    /// who still read it: their store would write into the folder while it is removed.
    ///
    /// # Errors
    /// When it does not exist or its folder cannot be removed. Once its name is taken away it is
    /// no namespace any more, and what is left of it goes at the next start at the latest.
    pub fn erase(&self, name: &NamespaceName) -> Result<(), MemoryError> {
        let folder = self.folder(name);
        let held = {
            let _opening = lock(&self.inner.opening);
            let (file, erased) = (folder.join(folders::NAME), folder.join(ERASED));
            if !file.exists() {
                return Err(MemoryError::UnknownNamespace(name.as_str().to_owned()));
            }
            let held = write(&self.inner.open).remove(name);
            if let Some(namespace) = &held {
                namespace.stop("the namespace was erased");
            }
            std::fs::rename(&file, &erased)
                .and_then(|()| std::fs::File::open(&folder)?.sync_all())
                .map_err(|error| io(&file, &error))?;
            lock(&self.inner.erasing).insert(name.clone());
            lock(&self.inner.waiting).remove(name);
            held
        };
        self.inner.desk.forget(&folder);
        let unused = held.is_none_or(|held| wait_until_unused(&held, ERASE_PATIENCE));
        if !unused {
            // Its name stays taken until the next start, which removes the files.
            return Err(MemoryError::Unavailable(format!(
                "namespace {:?} is erased, but something still reads it: its files are removed at \
                 the next start",
                name.as_str()
            )));
        }
        let removed = remove_folder(&folder);
        lock(&self.inner.erasing).remove(name);
        removed
    }

    /// Builds a namespace's store again from its journal. The old one is removed when the new one
    /// has all of it.
    ///
    /// # Errors
    /// When somebody holds the namespace for long, or the journal cannot be replayed: then the old
    /// store is in its place again.
    pub fn rebuild_store(&self, name: &NamespaceName) -> Result<(), MemoryError> {
        let folder = self.folder(name);
        let (store, aside) = (folder.join(folders::STORE), folder.join("store.before-rebuild"));
        {
            let _opening = lock(&self.inner.opening);
            if !folder.join(folders::NAME).exists() {
                return Err(MemoryError::UnknownNamespace(name.as_str().to_owned()));
            }
            let held = write(&self.inner.open).remove(name);
            if let Some(held) = held
                && !wait_until_unused(&held, ERASE_PATIENCE)
            {
                write(&self.inner.open).insert(name.clone(), held);
                return Err(MemoryError::Unavailable(format!(
                    "namespace {:?} is in use; its store is as it was; try again when it is idle",
                    name.as_str()
                )));
            }
            self.inner.desk.forget(&folder);
            if aside.exists() {
                std::fs::remove_dir_all(&aside).map_err(|error| io(&aside, &error))?;
            }
            std::fs::rename(&store, &aside).map_err(|error| io(&store, &error))?;
        }
        if let Err(error) = self.get(name) {
            // What the replay has begun is worth nothing.
            let _ = std::fs::remove_dir_all(&store);
            std::fs::rename(&aside, &store).map_err(|error| io(&aside, &error))?;
            return Err(error);
        }
        std::fs::remove_dir_all(&aside).map_err(|error| io(&aside, &error))
    }

    /// Closes everything; what was acknowledged is durable already.
    pub fn close(&self) {
        self.inner.desk.close();
        write(&self.inner.open).clear();
    }
}

/// Waits until nobody else holds a namespace; says whether it came to that.
fn wait_until_unused(namespace: &Arc<Namespace>, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    while Arc::strong_count(namespace) > 1 {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

/// Removes what erasures have left that were cut short.
fn remove_erased(namespaces: &Path) -> Result<(), MemoryError> {
    for entry in std::fs::read_dir(namespaces).map_err(|error| io(namespaces, &error))? {
        let folder = entry.map_err(|error| io(namespaces, &error))?.path();
        if folder.join(ERASED).exists() {
            tracing::info!(folder = %folder.display(), "removing the rest of an erased namespace");
            remove_folder(&folder)?;
        }
    }
    Ok(())
}

/// Removes a namespace's folder, the mark of its erasure last: cut short, it is still erased.
fn remove_folder(folder: &Path) -> Result<(), MemoryError> {
    for entry in std::fs::read_dir(folder).map_err(|error| io(folder, &error))? {
        let entry = entry.map_err(|error| io(folder, &error))?;
        let (path, kind) = (entry.path(), entry.file_type());
        let removed = match kind {
            Ok(kind) if kind.is_dir() => std::fs::remove_dir_all(&path),
            Ok(_) if entry.file_name() == ERASED => Ok(()),
            Ok(_) => std::fs::remove_file(&path),
            Err(error) => Err(error),
        };
        removed.map_err(|error| io(&path, &error))?;
    }
    std::fs::remove_dir_all(folder).map_err(|error| io(folder, &error))
}

fn this_process() -> LockInfo {
    LockInfo {
        pid: std::process::id(),
        address: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: Clock::System.now(),
    }
}

fn write_name(folder: &Path, name: &NamespaceName) -> Result<(), MemoryError> {
    let text = serde_json::to_vec(name).map_err(|e| MemoryError::Unavailable(e.to_string()))?;
    let (file, temporary) = (folder.join(folders::NAME), folder.join("namespace.json.new"));
    let written = std::fs::write(&temporary, text)
        .and_then(|()| std::fs::File::open(&temporary)?.sync_all())
        .and_then(|()| std::fs::rename(&temporary, &file))
        .and_then(|()| std::fs::File::open(folder)?.sync_all());
    written.map_err(|error| io(&file, &error))?;
    if let Some(parent) = folder.parent() {
        std::fs::File::open(parent)
            .and_then(|parent| parent.sync_all())
            .map_err(|error| io(parent, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
