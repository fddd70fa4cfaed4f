//! What the operating system says of this process and its files.

use std::path::Path;

/// Returns the resident memory of this process in MiB, where the system tells (`VmRSS`).
pub fn resident_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024.0)
}

/// Returns the load of the last minute, where the system tells: figures taken on a busy machine
/// say little.
pub fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Returns the number of processors that this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Returns the time this process has spent computing, in seconds, where the system tells.
pub fn processor_seconds() -> Option<f64> {
    // Fields 14 and 15 (user and system) count hundredths of a second on every Linux of today;
    // the name in field 2 may hold spaces, so counting starts after it.
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}

/// Adds up the bytes of all files below a folder whose path has a part of this name.
pub fn bytes_of_part(folder: &Path, part: &str) -> u64 {
    fn walk(folder: &Path, part: &str, inside: bool, sum: &mut u64) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let here = inside || entry.file_name() == part;
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => walk(&entry.path(), part, here, sum),
                Ok(meta) if here => *sum += meta.len(),
                // A file that went away while we looked takes no room.
                _ => {}
            }
        }
    }
    let mut sum = 0;
    walk(folder, part, false, &mut sum);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_below_the_part_only() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("namespaces/ab/store/deep");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(inner.join("a"), [0; 10]).unwrap();
        std::fs::write(folder.path().join("namespaces/ab/other"), [0; 7]).unwrap();
        assert_eq!(bytes_of_part(folder.path(), "store"), 10);
        assert_eq!(bytes_of_part(folder.path(), "index"), 0);
    }
}
