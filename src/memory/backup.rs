//! Backup and restore: journal and a checkpoint of the store; everything else is derived.

use super::error::MemoryError;
use super::namespace::{Namespace, folders, io};
use super::pool::Memory;
use super::writer::lock;
use std::path::Path;

impl Namespace {
    /// Copies journal and store into a folder that does not exist yet. Writes wait meanwhile.
    fn backup_to(&self, folder: &Path) -> Result<(), MemoryError> {
        std::fs::create_dir_all(folder).map_err(|error| io(folder, &error))?;
        let writer = lock(&self.writer);
        if writer.broken.is_some() {
            return Err(MemoryError::Unavailable(format!(
                "namespace {:?} is stopped after a failure; reopen it first",
                self.name.as_str()
            )));
        }
        self.store.backup(&folder.join(folders::STORE))?;
        copy_folder(&self.folder.join(folders::JOURNAL), &folder.join(folders::JOURNAL))?;
        drop(writer);
        copy_file(&self.folder.join(folders::NAME), &folder.join(folders::NAME))
    }
}

impl Memory {
    /// Writes a backup of every namespace into an empty or new folder. Returns their number.
    ///
    /// # Errors
    /// When the folder is not empty or cannot be written.
    pub fn backup(&self, to: &Path) -> Result<u64, MemoryError> {
        need_empty(to)?;
        let names = self.names()?;
        for name in &names {
            let namespace = self.get(name)?;
            let folder = namespace.folder.file_name().ok_or_else(|| {
                MemoryError::Unavailable(format!("{} has no name", namespace.folder.display()))
            })?;
            namespace.backup_to(&to.join("namespaces").join(folder))?;
        }
        if names.is_empty() {
            let folder = to.join("namespaces");
            std::fs::create_dir_all(&folder).map_err(|error| io(&folder, &error))?;
        }
        Ok(names.len() as u64)
    }
}

/// Restores a backup into an empty or new data folder. Returns the number of namespaces; their
/// text indexes are built when they are first opened.
///
/// # Errors
/// When the folder is not empty, or the backup is none.
pub fn restore(from: &Path, data: &Path) -> Result<u64, MemoryError> {
    let source = from.join("namespaces");
    if !source.is_dir() {
        return Err(MemoryError::invalid(
            "from",
            format!("{} is no backup: it has no folder \"namespaces\"", from.display()),
        ));
    }
    need_empty(data)?;
    copy_folder(&source, &data.join("namespaces"))?;
    let mut count = 0;
    for entry in std::fs::read_dir(&source).map_err(|error| io(&source, &error))? {
        let entry = entry.map_err(|error| io(&source, &error))?;
        count += u64::from(entry.path().join(folders::NAME).exists());
    }
    Ok(count)
}

fn need_empty(folder: &Path) -> Result<(), MemoryError> {
    let occupied = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return Err(io(folder, &error)),
    };
    if occupied {
        return Err(MemoryError::invalid(
            "to",
            format!("{} is not empty; nothing was written, name a new folder", folder.display()),
        ));
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), MemoryError> {
    std::fs::create_dir_all(to).map_err(|error| io(to, &error))?;
    for entry in std::fs::read_dir(from).map_err(|error| io(from, &error))? {
        let entry = entry.map_err(|error| io(from, &error))?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type().map_err(|error| io(&entry.path(), &error))?;
        if kind.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            copy_file(&entry.path(), &target)?;
        }
    }
    std::fs::File::open(to).and_then(|f| f.sync_all()).map_err(|error| io(to, &error))
}

fn copy_file(from: &Path, to: &Path) -> Result<(), MemoryError> {
    std::fs::copy(from, to).map_err(|error| io(from, &error))?;
    std::fs::File::open(to).and_then(|f| f.sync_all()).map_err(|error| io(to, &error))
}
