//! The data folder from outside.

use std::fs;
use std::path::{Path, PathBuf};

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Puts a copy of `from` in the place of `to`.
pub fn replace(from: &Path, to: &Path) {
    fs::remove_dir_all(to).unwrap();
    copy(from, to);
}

/// Returns the folder of a namespace.
pub fn namespace_folder(data: &Path, name: &str) -> PathBuf {
    for entry in fs::read_dir(data.join("namespaces")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = fs::read(folder.join("namespace.json")) else { continue };
        if serde_json::from_slice::<String>(&text).unwrap() == name {
            return folder;
        }
    }
    panic!("no folder of namespace {name:?} in {}", data.display());
}

/// Returns the journal's segments, oldest first.
pub fn segments(namespace: &Path) -> Vec<PathBuf> {
    fn find(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                find(&path, found);
            } else if path.extension().is_some_and(|end| end == "sgj") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    find(&namespace.join("journal"), &mut found);
    found.sort();
    assert!(!found.is_empty(), "no journal in {}", namespace.display());
    found
}

/// Cuts every file of a folder in half, as a disk does that kept only some pages.
pub fn halve_files(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        let half = file.metadata().unwrap().len() / 2;
        file.set_len(half).unwrap();
    }
}

/// Flips one bit of a file.
pub fn flip_bit(path: &Path, offset: u64, bit: u8) {
    let mut bytes = fs::read(path).unwrap();
    bytes[offset as usize] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}
