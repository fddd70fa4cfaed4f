//! Segments as files: their names, listing, creation, and the one file that is written to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{Damage, JournalError};
use super::format::{ChainHash, FORMAT_VERSION, FRAME_TAIL, HeaderFlaw, SegmentHeader, hash_at};
use crate::model::NamespaceName;

/// The folder of the segments, inside the namespace's folder.
const FOLDER: &str = "journal";
const SUFFIX: &str = ".sgj";
const TEMPORARY: &str = ".tmp";

/// A segment and how much of it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub first_seq: u64,
    pub path: PathBuf,
    pub len: u64,
}

/// The file that is appended to. A trait so that tests can stand in a disk that fails.
pub(super) trait TailFile: Send + Sync {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    fn sync_data(&mut self) -> io::Result<()>;
    fn set_len(&mut self, len: u64) -> io::Result<()>;
}

impl TailFile for File {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        File::sync_data(self)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }
}

/// Opens a segment for appending.
pub(super) type OpenTail = Arc<dyn Fn(&Path) -> io::Result<Box<dyn TailFile>> + Send + Sync>;

/// Opens the real file.
pub(super) fn open_real_tail(path: &Path) -> io::Result<Box<dyn TailFile>> {
    Ok(Box::new(OpenOptions::new().read(true).write(true).open(path)?))
}

pub(super) fn folder_of(dir: &Path) -> PathBuf {
    dir.join(FOLDER)
}

pub(super) fn path_of(folder: &Path, first_seq: u64) -> PathBuf {
    folder.join(format!("{first_seq:010}{SUFFIX}"))
}

/// Lists the segments of a folder by their first sequence number, with their present lengths.
pub(super) fn list(folder: &Path) -> Result<Vec<Segment>, JournalError> {
    let mut segments = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(segments),
        Err(error) => return Err(JournalError::io("list", folder)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(JournalError::io("list", folder))?;
        let name = entry.file_name();
        let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(SUFFIX)) else {
            continue;
        };
        let path = entry.path();
        let Ok(first_seq) = stem.parse::<u64>() else {
            let damage = Damage::SegmentHeader("its name is no sequence number".to_owned());
            return Err(JournalError::Corrupt { file: path, offset: 0, damage });
        };
        let len = entry.metadata().map_err(JournalError::io("inspect", &path))?.len();
        segments.push(Segment { first_seq, path, len });
    }
    segments.sort_by_key(|segment| segment.first_seq);
    Ok(segments)
}

/// Removes what an interrupted creation left behind.
pub(super) fn remove_temporaries(folder: &Path) -> Result<(), JournalError> {
    for entry in fs::read_dir(folder).map_err(JournalError::io("list", folder))? {
        let entry = entry.map_err(JournalError::io("list", folder))?;
        if entry.file_name().to_str().is_some_and(|name| name.ends_with(TEMPORARY)) {
            let path = entry.path();
            fs::remove_file(&path).map_err(JournalError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Creates the journal's folder so that it survives a power cut.
pub(super) fn create_folder(dir: &Path) -> Result<PathBuf, JournalError> {
    let folder = folder_of(dir);
    let missing: Vec<&Path> = folder.ancestors().take_while(|path| !path.exists()).collect();
    fs::create_dir_all(&folder).map_err(JournalError::io("create", &folder))?;
    for created in missing {
        if let Some(parent) = created.parent() {
            sync_folder(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?;
        }
    }
    Ok(folder)
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(folder: &Path) -> Result<(), JournalError> {
    // Only Unix can open a folder; elsewhere the file system keeps its own order.
    #[cfg(unix)]
    File::open(folder)
        .and_then(|file| file.sync_all())
        .map_err(JournalError::io("make durable", folder))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Creates an empty segment: whole under its name, or not at all.
pub(super) fn create(folder: &Path, header: &SegmentHeader) -> Result<Segment, JournalError> {
    let path = path_of(folder, header.first_seq);
    let temporary = folder.join(format!("{:010}{TEMPORARY}", header.first_seq));
    let bytes = header.encode();
    File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()
        })
        .map_err(JournalError::io("create", &temporary))?;
    fs::rename(&temporary, &path).map_err(JournalError::io("create", &path))?;
    sync_folder(folder)?;
    Ok(Segment { first_seq: header.first_seq, path, len: bytes.len() as u64 })
}

/// Reads a segment's header and checks it against the file's name and the namespace.
pub(super) fn read_header(
    file: &mut File,
    segment: &Segment,
    namespace: &NamespaceName,
) -> Result<(SegmentHeader, u64), JournalError> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))
        .and_then(|_| file.take(SegmentHeader::read_len() as u64).read_to_end(&mut bytes))
        .map_err(JournalError::io("read", &segment.path))?;
    let file = || segment.path.clone();
    let corrupt = |damage| JournalError::Corrupt { file: file(), offset: 0, damage };
    let (header, length) = SegmentHeader::decode(&bytes).map_err(|flaw| match flaw {
        HeaderFlaw::Damaged(damage) => corrupt(damage),
        HeaderFlaw::Newer(found) => {
            JournalError::NewerFormat { file: file(), found, supported: FORMAT_VERSION }
        }
    })?;
    if header.namespace != namespace.as_str() {
        return Err(JournalError::WrongNamespace {
            file: file(),
            found: header.namespace,
            expected: namespace.to_string(),
        });
    }
    if header.first_seq != segment.first_seq {
        return Err(corrupt(Damage::SegmentHeader(format!(
            "the file's name says record {} and the header {}",
            segment.first_seq, header.first_seq
        ))));
    }
    Ok((header, length))
}

pub(super) fn open(segment: &Segment) -> Result<File, JournalError> {
    File::open(&segment.path).map_err(JournalError::io("open", &segment.path))
}

/// Checks that a segment's header follows on the segment before it, or on nothing.
pub(super) fn check_link(
    before: Option<&Segment>,
    segment: &Segment,
    header: &SegmentHeader,
    namespace: &NamespaceName,
) -> Result<(), JournalError> {
    let corrupt = |file: &Segment, offset, damage| {
        Err(JournalError::Corrupt { file: file.path.clone(), offset, damage })
    };
    let Some(before) = before else {
        if header.first_seq != 1 {
            return corrupt(segment, 0, Damage::MissingSegment { expected: 1 });
        }
        if header.head_before != ChainHash::genesis(namespace) {
            return corrupt(segment, 0, Damage::Chain { seq: 1 });
        }
        return Ok(());
    };
    if header.previous_first != before.first_seq {
        return corrupt(segment, 0, Damage::MissingSegment { expected: header.previous_first });
    }
    if header.previous_len != before.len {
        let damage = Damage::SegmentLength { closed: header.previous_len, found: before.len };
        return corrupt(before, before.len.min(header.previous_len), damage);
    }
    if last_hash(before)? != header.head_before {
        return corrupt(segment, 0, Damage::Chain { seq: header.first_seq });
    }
    Ok(())
}

/// Reads the chain hash that a closed segment ends with.
fn last_hash(segment: &Segment) -> Result<ChainHash, JournalError> {
    let mut bytes = [0; FRAME_TAIL];
    let mut file = open(segment)?;
    file.seek(SeekFrom::Start(segment.len.saturating_sub(FRAME_TAIL as u64)))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(JournalError::io("read", &segment.path))?;
    Ok(hash_at(&bytes, 0))
}
