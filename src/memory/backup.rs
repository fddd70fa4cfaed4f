//! Backup and restore: journal and a checkpoint of the store; everything else is derived.

use super::error::MemoryError;
use super::namespace::{Namespace, folders, io};
use super::pool::Memory;
use std::path::Path;

impl Namespace {
    /// Copies journal and store into a folder that does not exist yet. Writes wait meanwhile.
    fn backup_to(&self, folder: &Path) -> Result<u64, MemoryError> {
        std::fs::create_dir_all(folder).map_err(|error| io(folder, &error))?;
        let writer = self.lock_writer();
        if writer.broken.is_some() {
            return Err(MemoryError::Unavailable(format!(
                "namespace {:?} is stopped after a failure; reopen it first",
                self.name.as_str()
            )));
        }
        self.store.backup(&folder.join(folders::STORE))?;
        let journal = folder.join(folders::JOURNAL);
        let bytes = copy_folder(&self.folder.join(folders::JOURNAL), &journal)?;
        drop(writer);
        let name = copy_file(&self.folder.join(folders::NAME), &folder.join(folders::NAME))?;
        Ok(bytes + name + folder_bytes(&folder.join(folders::STORE))?)
    }
}

impl Memory {
    /// Writes a backup of every namespace into an empty or new folder. Returns the bytes written.
    ///
    /// # Errors
    /// When the folder is not empty or cannot be written.
    pub fn backup(&self, to: &Path) -> Result<u64, MemoryError> {
        need_empty(to)?;
        let names = self.names()?;
        let mut bytes = 0;
        for name in &names {
            let namespace = self.get(name)?;
            let folder = namespace.folder.file_name().ok_or_else(|| {
                MemoryError::Unavailable(format!("{} has no name", namespace.folder.display()))
            })?;
            bytes += namespace.backup_to(&to.join("namespaces").join(folder))?;
        }
        if names.is_empty() {
            let folder = to.join("namespaces");
            std::fs::create_dir_all(&folder).map_err(|error| io(&folder, &error))?;
        }
        Ok(bytes)
    }
}

/// Restores a backup into an empty or new data folder. Returns the bytes written; text
/// indexes are built when a namespace is first opened.
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
    copy_folder(&source, &data.join("namespaces"))
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

fn copy_folder(from: &Path, to: &Path) -> Result<u64, MemoryError> {
    let mut bytes = 0;
    std::fs::create_dir_all(to).map_err(|error| io(to, &error))?;
    for entry in std::fs::read_dir(from).map_err(|error| io(from, &error))? {
        let entry = entry.map_err(|error| io(from, &error))?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type().map_err(|error| io(&entry.path(), &error))?;
        if kind.is_dir() {
            bytes += copy_folder(&entry.path(), &target)?;
        } else {
            bytes += copy_file(&entry.path(), &target)?;
        }
    }
    std::fs::File::open(to).and_then(|f| f.sync_all()).map_err(|error| io(to, &error))?;
    Ok(bytes)
}

fn copy_file(from: &Path, to: &Path) -> Result<u64, MemoryError> {
    let bytes = std::fs::copy(from, to).map_err(|error| io(from, &error))?;
    std::fs::File::open(to).and_then(|f| f.sync_all()).map_err(|error| io(to, &error))?;
    Ok(bytes)
}

fn folder_bytes(folder: &Path) -> Result<u64, MemoryError> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).map_err(|error| io(folder, &error))? {
        let entry = entry.map_err(|error| io(folder, &error))?;
        let meta = entry.metadata().map_err(|error| io(&entry.path(), &error))?;
        bytes += if meta.is_dir() { folder_bytes(&entry.path())? } else { meta.len() };
    }
    Ok(bytes)
}
