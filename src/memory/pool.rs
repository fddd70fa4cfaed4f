//! The data folder: which namespaces there are, and those that are open.

use super::error::MemoryError;
use super::namespace::{Namespace, folders, io, read, write};
use super::signal::Signal;
use super::types::{JobCard, NamespaceInfo, NewTurn, Settings, SettingsPatch, TurnReceipt};
use super::writer::lock;
use crate::clock::Clock;
use crate::journal::{DataLock, LockInfo};
use crate::model::NamespaceName;
use crate::store::QuerySlots;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, RwLock};

/// Most namespaces open at once. Each takes about 4 MB and 20 file handles; the least recently
/// used ones that nobody holds are closed.
const MAX_OPEN: usize = 256;

/// Where a memory lives and what time it goes by.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// The data folder.
    pub data: PathBuf,
    /// Where "now" comes from.
    pub clock: Clock,
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
    signal: Arc<Signal>,
    slots: QuerySlots,
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
        let MemoryOptions { data, clock } = options;
        let namespaces = data.join("namespaces");
        std::fs::create_dir_all(&namespaces).map_err(|error| io(&namespaces, &error))?;
        // Every open store holds files; the soft limit is often far below the hard one.
        if let Err(error) = rlimit::increase_nofile_limit(65_536) {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
        let lock = DataLock::acquire(&data, this_process())?;
        Ok(Self {
            inner: Arc::new(Inner {
                data,
                clock,
                lock: Mutex::new(lock),
                open: RwLock::new(HashMap::new()),
                opening: Mutex::new(()),
                signal: Arc::new(Signal::default()),
                slots: QuerySlots::default(),
                job_events: tokio::sync::broadcast::channel(256).0,
            }),
        })
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

    /// Tells those who listen how a job stands.
    pub fn tell_job(&self, name: &NamespaceName, card: JobCard) {
        // Nobody listening is the usual case.
        let _ = self.inner.job_events.send((name.clone(), card));
    }

    /// Listens to changes of jobs.
    pub fn job_events(&self) -> tokio::sync::broadcast::Receiver<(NamespaceName, JobCard)> {
        self.inner.job_events.subscribe()
    }

    /// Returns what bounds ad-hoc queries.
    pub(super) fn slots(&self) -> &QuerySlots {
        &self.inner.slots
    }

    fn folder(&self, name: &NamespaceName) -> PathBuf {
        self.inner.data.join("namespaces").join(folder_name(name))
    }

    /// Returns the names of all namespaces, in order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn names(&self) -> Result<Vec<NamespaceName>, MemoryError> {
        let folder = self.inner.data.join("namespaces");
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
            (false, None) => return Err(MemoryError::UnknownNamespace(name.as_str().to_owned())),
        };
        // A broken writer keeps its files locked until the last reader lets go of it.
        if let Some(old) = write(&self.inner.open).remove(name) {
            drop(old);
        }
        let namespace = Namespace::open(
            &folder,
            name.clone(),
            self.inner.clock.clone(),
            self.inner.signal.clone(),
            settings,
        )?;
        if !exists {
            write_name(&folder, name)?;
        }
        let namespace = Arc::new(namespace);
        namespace.touch();
        self.make_room();
        write(&self.inner.open).insert(name.clone(), namespace.clone());
        Ok(namespace)
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
        let default = || Ok(Settings::default());
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
                Ok((self.get_or_create(name, Some(&create))?.info()?, true))
            }
            Err(error) => Err(error),
        }
    }

    /// Erases a namespace with everything in it.
    ///
    /// # Errors
    /// When it does not exist or its folder cannot be removed.
    pub fn erase(&self, name: &NamespaceName) -> Result<(), MemoryError> {
        self.get(name)?;
        let _opening = lock(&self.inner.opening);
        let held = write(&self.inner.open).remove(name);
        if let Some(namespace) = &held {
            namespace.stop("the namespace was erased");
        }
        drop(held);
        let folder = self.folder(name);
        // Without its name the folder is no namespace any more, even if removing it is cut short.
        let file = folder.join(folders::NAME);
        std::fs::remove_file(&file).map_err(|error| io(&file, &error))?;
        std::fs::remove_dir_all(&folder).map_err(|error| io(&folder, &error))
    }

    /// Closes everything; what was acknowledged is durable already.
    pub fn close(&self) {
        write(&self.inner.open).clear();
    }
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
