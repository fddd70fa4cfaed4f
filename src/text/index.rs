//! One index in one folder: opening, its version marker, snapshots for reading.

use super::doc::DocKind;
use super::error::TextError;
use super::lexer::{TOKENISER, TOKENISER_VERSION};
use super::rank::Ranking;
use super::ready::{READY, ReadyTokenizer};
use super::schema::{Fields, Part, SCHEMA_VERSION, fields};
use super::writer::Writer;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::directory::error::OpenReadError;
use tantivy::schema::Schema;
use tantivy::{Index, IndexReader, ReloadPolicy, Searcher, TantivyError};

/// The file that says which schema and tokeniser made the index.
const MARKER: &str = "sg-text.json";

/// How an index is opened.
#[derive(Debug, Clone)]
pub struct TextOptions {
    /// Memory of the writer before it flushes a segment, in bytes; at least 15 MB.
    pub writer_memory_bytes: usize,
    /// The constants of the ranking.
    pub ranking: Ranking,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { writer_memory_bytes: 20_000_000, ranking: Ranking::default() }
    }
}

/// The text index of one namespace. All calls take `&self` and may come from any thread: writes
/// take turns, searches run on snapshots and never wait for them.
pub struct TextIndex {
    pub(super) dir: PathBuf,
    pub(super) options: TextOptions,
    pub(super) fields: Fields,
    pub(super) index: Index,
    pub(super) reader: IndexReader,
    pub(super) writer: Mutex<Writer>,
    lengths: Mutex<Option<(u64, Arc<Lengths>)>>,
}

impl std::fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextIndex").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl TextIndex {
    /// Opens the index in a folder of its own, making both where they are missing. An index of
    /// another schema or tokeniser version, or one that cannot be read, is wiped: then
    /// [`Self::needs_rebuild`] is true and everything must be sent again.
    ///
    /// # Errors
    /// Fails when the folder cannot be used. A folder that is locked is never wiped.
    pub fn open(dir: impl AsRef<Path>, options: TextOptions) -> Result<Self, TextError> {
        let dir = dir.as_ref().to_path_buf();
        let fields = fields();
        let (index, reader) = match open_existing(&dir, &fields.schema)? {
            Some(opened) => opened,
            None => create(&dir, &fields.schema)?,
        };
        index.tokenizers().register(READY, ReadyTokenizer);
        let committed = index.load_metas()?.payload.and_then(|payload| payload.parse().ok());
        let writer = Mutex::new(Writer::idle(committed));
        Ok(Self { dir, options, fields, index, reader, writer, lengths: Mutex::default() })
    }

    /// Says whether the index holds nothing it could catch up from: it is new, was wiped, or a
    /// rebuild was interrupted.
    pub fn needs_rebuild(&self) -> bool {
        self.committed_seq().is_none()
    }

    /// Returns the journal sequence of the last commit, which survives `kill -9`.
    pub fn committed_seq(&self) -> Option<u64> {
        self.locked_writer().committed
    }

    /// Returns the number of findable documents.
    pub fn doc_count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Returns the constants of the ranking.
    pub fn ranking(&self) -> &Ranking {
        &self.options.ranking
    }

    pub(super) fn locked_writer(&self) -> std::sync::MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a snapshot and the mean lengths that belong to it.
    pub(super) fn snapshot(&self) -> Result<(Searcher, Arc<Lengths>), TextError> {
        let searcher = self.reader.searcher();
        let generation = searcher.generation().generation_id();
        let mut cached = self.lengths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, lengths)) = cached.as_ref()
            && *of == generation
        {
            return Ok((searcher, Arc::clone(lengths)));
        }
        let lengths = Arc::new(Lengths::measure(&searcher, &self.fields, &self.options.ranking)?);
        *cached = Some((generation, Arc::clone(&lengths)));
        Ok((searcher, lengths))
    }
}

type Opened = (Index, IndexReader);

/// Opens what stands there, or `None` where it is missing, of another version or broken.
fn open_existing(dir: &Path, schema: &Schema) -> Result<Option<Opened>, TextError> {
    let marker = dir.join(MARKER);
    let found = match std::fs::read_to_string(&marker) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(TextError::Folder { path: marker, source }),
    };
    if found != marker_text() {
        tracing::info!(dir = %dir.display(), "text index of another version: rebuilding");
        return Ok(None);
    }
    let opened = Index::open_in_dir(dir).and_then(|index| {
        let reader = reader_of(&index)?;
        Ok((index, reader))
    });
    match opened {
        Ok((index, reader)) if index.schema() == *schema => Ok(Some((index, reader))),
        Ok(_) => Ok(None),
        Err(error) if is_broken(&error) => {
            tracing::warn!(dir = %dir.display(), %error, "text index unreadable: rebuilding");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn reader_of(index: &Index) -> tantivy::Result<IndexReader> {
    index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()
}

/// Tells damage from trouble that passes (no file handles left, no permission, a lock).
fn is_broken(error: &TantivyError) -> bool {
    use std::io::ErrorKind::{InvalidData, UnexpectedEof};
    match error {
        TantivyError::DataCorruption(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::SchemaError(_)
        | TantivyError::DeserializeError(_)
        | TantivyError::OpenReadError(
            OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_),
        ) => true,
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => {
            matches!(io_error.kind(), InvalidData | UnexpectedEof)
        }
        TantivyError::IoError(error) => matches!(error.kind(), InvalidData | UnexpectedEof),
        _ => false,
    }
}

/// Makes an empty index. The marker is written last, so that an interrupted start starts over.
fn create(dir: &Path, schema: &Schema) -> Result<Opened, TextError> {
    let folder = |source| TextError::Folder { path: dir.to_path_buf(), source };
    if dir.exists() {
        std::fs::remove_dir_all(dir).map_err(folder)?;
    }
    std::fs::create_dir_all(dir).map_err(folder)?;
    let index = Index::create_in_dir(dir, schema.clone())?;
    std::fs::write(dir.join(MARKER), marker_text()).map_err(folder)?;
    let reader = reader_of(&index)?;
    Ok((index, reader))
}

fn marker_text() -> String {
    format!(
        "{{\"schema\":{SCHEMA_VERSION},\"tokeniser\":\"{TOKENISER}\",\"tokeniser_version\":{TOKENISER_VERSION}}}\n"
    )
}

/// Mean field lengths by kind, as ready factors for every stored length.
pub(super) struct Lengths {
    /// `1 / (1 - b + b * len / mean) * weight` by kind, field and length code.
    factors: Vec<f32>,
}

/// Documents looked at per segment to find the means; more would not move them.
const SAMPLES: u32 = 2_000;

impl Lengths {
    fn measure(searcher: &Searcher, fields: &Fields, ranking: &Ranking) -> Result<Self, TextError> {
        let kinds = DocKind::ALL.len();
        let mut sums = vec![[0u64; Part::ALL.len()]; kinds];
        let mut counts = vec![[0u64; Part::ALL.len()]; kinds];
        for segment in searcher.segment_readers() {
            let kind_column = segment.fast_fields().u64("kind")?;
            let stride = (segment.max_doc() / SAMPLES).max(1) as usize;
            for part in Part::ALL {
                let Ok(norms) = segment.get_fieldnorms_reader(fields.part(part)) else { continue };
                for doc in (0..segment.max_doc()).step_by(stride) {
                    let kind = kind_column.first(doc).unwrap_or(0) as usize % kinds;
                    let len = norms.fieldnorm(doc);
                    // A field that is empty in some documents has the mean of the others.
                    if len > 0 {
                        sums[kind][part as usize] += u64::from(len);
                        counts[kind][part as usize] += 1;
                    }
                }
            }
        }
        let mut factors = Vec::with_capacity(kinds * Part::ALL.len() * 256);
        for kind in 0..kinds {
            for part in Part::ALL {
                let count = counts[kind][part as usize].max(1);
                let mean = sums[kind][part as usize] as f32 / count as f32;
                for code in 0..=255u8 {
                    let len = tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm(code);
                    factors.push(ranking.field_frequency(part, 1, len, mean));
                }
            }
        }
        Ok(Self { factors })
    }

    /// Returns what one occurrence counts in a document of this kind and length.
    pub(super) fn factor(&self, kind: usize, part: Part, code: u8) -> f32 {
        self.factors[(kind * Part::ALL.len() + part as usize) * 256 + code as usize]
    }
}
