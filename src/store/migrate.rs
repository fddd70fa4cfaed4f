//! Numbered, forward-only, hash-checked steps of the stored form.

use super::{NamespaceStore, StoreError};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use sha2::{Digest, Sha256};

/// The newest stored form this program writes.
pub const FORMAT_VERSION: u32 = 1;

/// One step, from the form before it to form `number`.
struct Migration {
    number: u32,
    name: &'static str,
    up: &'static str,
    check: &'static str,
}

const MIGRATIONS: &[Migration] = &[Migration {
    number: 1,
    name: "0001_initial",
    up: include_str!("../../migrations/0001_initial/up.ru"),
    check: include_str!("../../migrations/0001_initial/check.rq"),
}];

impl Migration {
    /// The step's name with the hash of its text: a shipped step never changes.
    fn fingerprint(&self) -> String {
        let digest = Sha256::digest(self.up.as_bytes());
        format!("{} {}", self.name, hex::encode(&digest[..16]))
    }
}

impl NamespaceStore {
    /// Checks the stored form: refuses a newer one and a history that differs from ours. Returns
    /// the stored version; 0 = an empty store.
    ///
    /// # Errors
    /// [`StoreError::Newer`], or [`StoreError::Migration`] when a step that ran is not the step
    /// this program knows.
    pub fn check_format(&self, namespace: &str) -> Result<u32, StoreError> {
        let tx = self.begin()?;
        let stored = tx.format_version()?;
        if stored > FORMAT_VERSION {
            return Err(StoreError::Newer {
                namespace: namespace.to_owned(),
                stored,
                known: FORMAT_VERSION,
            });
        }
        let ran = tx.migrations()?;
        for step in MIGRATIONS.iter().filter(|step| step.number <= stored) {
            if !ran.contains(&step.fingerprint()) {
                return Err(StoreError::Migration {
                    namespace: namespace.to_owned(),
                    name: step.name.to_owned(),
                    reason: "the step that ran on this store is not the one this program knows"
                        .to_owned(),
                });
            }
        }
        Ok(stored)
    }

    /// Runs the steps up to a form, each in one transaction and followed by its check. Running a
    /// step twice changes nothing.
    ///
    /// # Errors
    /// [`StoreError::Migration`] names the step that failed; those before it stay.
    pub fn migrate(&self, namespace: &str, to: u32) -> Result<(), StoreError> {
        let from = self.check_format(namespace)?;
        for step in MIGRATIONS.iter().filter(|s| s.number > from && s.number <= to) {
            tracing::info!(namespace, migration = step.name, "migrating the stored form");
            self.run_step(step).map_err(|reason| StoreError::Migration {
                namespace: namespace.to_owned(),
                name: step.name.to_owned(),
                reason,
            })?;
        }
        Ok(())
    }

    fn run_step(&self, step: &Migration) -> Result<(), String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let base = self.names.base();
        let evaluator = || SparqlEvaluator::new().with_base_iri(base).map_err(|e| text(&e));
        let mut transaction = self.store.start_transaction().map_err(|e| text(&e))?;
        evaluator()?
            .parse_update(step.up)
            .map_err(|e| text(&e))?
            .on_transaction(&mut transaction)
            .execute()
            .map_err(|e| text(&e))?;
        let checked = evaluator()?
            .parse_query(step.check)
            .map_err(|e| text(&e))?
            .on_transaction(&transaction)
            .execute()
            .map_err(|e| text(&e))?;
        let holds = matches!(checked, QueryResults::Boolean(true));
        drop(checked);
        if !holds {
            return Err("its check does not hold afterwards; nothing was changed".to_owned());
        }
        let mut tx = super::Tx::new(transaction, &self.names);
        tx.set_format(step.number, &step.fingerprint()).map_err(|e| text(&e))?;
        tx.commit().map_err(|e| text(&e))
    }
}
