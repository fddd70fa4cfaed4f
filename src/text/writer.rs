//! Writing: one long-lived writer, opened when first needed, closable when idle.

use super::doc::{Doc, DocKey};
use super::error::TextError;
use super::index::TextIndex;
use super::schema::to_engine;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tantivy::indexer::IndexWriterOptions;
use tantivy::{IndexWriter, TantivyError, Term};

/// The writer's state behind its lock.
pub(super) struct Writer {
    engine: Option<IndexWriter>,
    /// Writes since the last commit.
    pending: usize,
    /// The sequence of the last commit.
    pub committed: Option<u64>,
}

impl Writer {
    pub(super) fn idle(committed: Option<u64>) -> Self {
        Self { engine: None, pending: 0, committed }
    }
}

impl TextIndex {
    /// Adds documents, each replacing the one of the same key. Findable after the next commit.
    ///
    /// # Errors
    /// After an error the writer is closed and everything since the last commit must be sent again.
    pub fn upsert(&self, docs: &[Doc]) -> Result<(), TextError> {
        // Cutting the text is most of the work; it is done before the lock is taken.
        let ready: Vec<_> =
            docs.iter().map(|doc| (doc.key.term(), to_engine(&self.fields, doc))).collect();
        self.write(docs.len(), |writer| {
            for (key, doc) in ready {
                writer.delete_term(Term::from_field_text(self.fields.key, &key));
                writer.add_document(doc)?;
            }
            Ok(())
        })
    }

    /// Takes documents out; unknown keys are no error. Effective after the next commit.
    ///
    /// # Errors
    /// As [`Self::upsert`].
    pub fn delete(&self, keys: &[DocKey]) -> Result<(), TextError> {
        self.write(keys.len(), |writer| {
            for key in keys {
                writer.delete_term(Term::from_field_text(self.fields.key, &key.term()));
            }
            Ok(())
        })
    }

    /// Makes all writes so far findable and durable, together with the journal sequence they
    /// reach up to.
    ///
    /// # Errors
    /// As [`Self::upsert`].
    pub fn commit(&self, seq: u64) -> Result<(), TextError> {
        self.commit_payload(Some(seq))
    }

    /// Empties the index for a rebuild. Until the next commit it counts as needing one.
    ///
    /// # Errors
    /// As [`Self::upsert`].
    pub fn clear(&self) -> Result<(), TextError> {
        self.write(1, |writer| writer.delete_all_documents().map(|_| ()))?;
        self.commit_payload(None)
    }

    /// Returns the number of writes that wait for a commit.
    pub fn pending(&self) -> usize {
        self.locked_writer().pending
    }

    /// Says whether a writer is open and holds its memory.
    pub fn is_writer_open(&self) -> bool {
        self.locked_writer().engine.is_some()
    }

    /// Closes an idle writer and frees its memory, after its merges are done. Does nothing and
    /// returns `false` while writes wait for a commit.
    ///
    /// # Errors
    /// Fails when a merge failed; the index stays as it was.
    pub fn close_writer(&self) -> Result<bool, TextError> {
        let mut state = self.locked_writer();
        if state.pending > 0 {
            return Ok(false);
        }
        if let Some(engine) = state.engine.take() {
            engine.wait_merging_threads()?;
            self.reader.reload()?;
        }
        Ok(true)
    }

    fn commit_payload(&self, seq: Option<u64>) -> Result<(), TextError> {
        let payload = seq.map_or_else(String::new, |seq| seq.to_string());
        let mut state = self.locked_writer();
        self.step(&mut state, |writer| {
            let mut prepared = writer.prepare_commit()?;
            prepared.set_payload(&payload);
            prepared.commit().map(|_| ())
        })?;
        state.committed = seq;
        state.pending = 0;
        // Under the lock, so that no older snapshot can replace a newer one.
        self.reader.reload()?;
        Ok(())
    }

    fn write(
        &self,
        writes: usize,
        step: impl FnOnce(&mut IndexWriter) -> Result<(), TantivyError>,
    ) -> Result<(), TextError> {
        let mut state = self.locked_writer();
        self.step(&mut state, step)?;
        state.pending += writes;
        Ok(())
    }

    /// Runs one step on the open writer. A writer that failed or panicked is never used again.
    fn step(
        &self,
        state: &mut Writer,
        step: impl FnOnce(&mut IndexWriter) -> Result<(), TantivyError>,
    ) -> Result<(), TextError> {
        let mut engine = match state.engine.take() {
            Some(engine) => engine,
            None => self.open_writer()?,
        };
        let reason = match catch_unwind(AssertUnwindSafe(|| step(&mut engine))) {
            Ok(Ok(())) => {
                state.engine = Some(engine);
                return Ok(());
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the engine panicked".to_owned(),
        };
        state.pending = 0;
        // Dropping joins the worker threads, which may have panicked themselves.
        drop(catch_unwind(AssertUnwindSafe(|| drop(engine))));
        Err(TextError::Writer { reason, committed_seq: state.committed })
    }

    fn open_writer(&self) -> Result<IndexWriter, TextError> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(self.options.writer_memory_bytes.max(15_000_000))
            .build();
        self.index.writer_with_options(options).map_err(|error| match error {
            TantivyError::LockFailure(..) => TextError::Locked(self.dir.clone()),
            other => other.into(),
        })
    }
}
