//! Backup and restore: journal and a checkpoint of the store; everything else is derived.

use super::error::MemoryError;
use super::namespace::{Namespace, folders, io};
use super::pool::Memory;
use std::path::{Component, Path, PathBuf};

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
    /// When the folder lies in the data folder, is not empty, or cannot be written.
    pub fn backup(&self, to: &Path) -> Result<u64, MemoryError> {
        need_outside("to", to, self.data())?;
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
    need_outside("data", data, from)?;
    need_empty(data)?;
    copy_folder(&source, &data.join("namespaces"))
}

/// Refuses to copy a folder into itself: it would hold a copy of itself for ever, or never end.
fn need_outside(field: &str, to: &Path, from: &Path) -> Result<(), MemoryError> {
    let (inner, outer) = (real_place(to)?, real_place(from)?);
    if !inner.starts_with(&outer) {
        return Ok(());
    }
    let reason = format!(
        "{} lies in {}, which is what is copied; nothing was written, name a folder outside of it",
        inner.display(),
        outer.display()
    );
    Err(MemoryError::invalid(field, reason))
}

/// Finds where a path leads, through symbolic links and `..`, also when its end is not there yet.
fn real_place(path: &Path) -> Result<PathBuf, MemoryError> {
    let mut place = PathBuf::new();
    let path = std::path::absolute(path).map_err(|error| io(path, &error))?;
    for component in path.components() {
        match component {
            Component::ParentDir => {
                place.pop();
            }
            part => place.push(part),
        }
        match place.canonicalize() {
            Ok(real) => place = real,
            // What is not there is no link either.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(io(&place, &error)),
        }
    }
    Ok(place)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_through_what_is_not_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let place = |path: &str| real_place(&folder.path().join(path)).unwrap();
        assert_eq!(place("new/deep"), real.join("new/deep"));
        assert_eq!(place("new/../other"), real.join("other"));
        std::fs::create_dir(real.join("data")).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(real.join("data"), real.join("link")).unwrap();
            assert_eq!(place("link/new"), real.join("data/new"));
            assert_eq!(place("link/../new"), real.join("new"));
        }
        let refused = need_outside("to", &real.join("data/in"), &real.join("data"));
        assert!(refused.unwrap_err().to_string().contains("data/in"));
        assert!(need_outside("to", &real.join("data2"), &real.join("data")).is_ok());
    }
}
