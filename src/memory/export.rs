//! Reading whole graphs, and running the named views.

use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::ExportFormat;
use crate::model::EventId;
use crate::store::{
    BindError, GraphFormat, GraphName, NamedQuery, QueryAnswer, QueryError, QueryOptions,
};
use std::collections::BTreeMap;
use std::io::Write;

impl Namespace {
    /// Writes everything out.
    ///
    /// # Errors
    /// When the store or the writer fails.
    pub fn export(&self, format: ExportFormat, out: &mut dyn Write) -> Result<(), MemoryError> {
        match format {
            ExportFormat::NQuads => Ok(self.store.write_nquads(out)?),
            ExportFormat::TriG => Ok(self.store.write_trig(out)?),
            ExportFormat::JsonLines => self.write_jsonl(out),
        }
    }

    /// One JSON object a line, in journal order: every record as it was accepted. It is complete:
    /// the graph is what these records give.
    fn write_jsonl(&self, out: &mut dyn Write) -> Result<(), MemoryError> {
        for record in self.journal.read_from(1) {
            let record = record?;
            let body: serde_json::Value = serde_json::from_slice(&record.body)
                .map_err(|error| MemoryError::Corrupt(error.to_string()))?;
            let line = serde_json::json!({
                "revision": record.seq,
                "recorded_at": crate::model::to_rfc3339(record.recorded_at),
                "kind": record.kind,
                "record": body,
            });
            writeln!(out, "{line}").map_err(|error| MemoryError::Unavailable(error.to_string()))?;
        }
        Ok(())
    }

    /// Returns an Event with provenance and publication info as TriG.
    ///
    /// # Errors
    /// When there is none of that id.
    pub fn event_trig(&self, id: &EventId) -> Result<Vec<u8>, MemoryError> {
        let known = self.store.begin()?.event_recorded_at(id)?;
        known.ok_or_else(|| self.not_found("event", id.as_str()))?;
        Ok(self.store.event_trig(id)?)
    }

    /// Returns one graph.
    ///
    /// # Errors
    /// When there is no such graph.
    pub fn graph(&self, graph: &GraphName, format: GraphFormat) -> Result<Vec<u8>, MemoryError> {
        let name = match graph {
            GraphName::Default => "default",
            GraphName::Named(iri) => iri.as_str(),
        };
        self.store.graph(graph, format)?.ok_or_else(|| self.not_found("graph", name))
    }

    /// Returns the IRIs of the graphs that can be named, the default one first. There is one more
    /// for each Event, named by the Event.
    pub fn graph_names(&self) -> Vec<String> {
        let names = self.store.names();
        [&names.current, &names.meta, &names.weights, &names.ledger]
            .into_iter()
            .map(|graph| graph.as_str().to_owned())
            .collect()
    }

    /// Runs a view by name; the clocks stand at now where no time is given.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn named_query(
        &self,
        name: &str,
        arguments: &BTreeMap<String, String>,
        options: &QueryOptions,
    ) -> Result<QueryAnswer, MemoryError> {
        let view =
            NamedQuery::find(name).ok_or_else(|| QueryError::UnknownQuery(name.to_owned()))?;
        let mut arguments = arguments.clone();
        view.with_clocks_at(&mut arguments, self.now());
        let query = view.bind(self.store.names().base(), &arguments).map_err(|error| {
            let parameter = match &error {
                BindError::Unknown { param, .. } => param.clone(),
                BindError::Missing { param, .. } | BindError::Invalid { param, .. } => {
                    (*param).to_owned()
                }
                other => return QueryError::Internal(other.to_string()),
            };
            QueryError::BadParameter { name: parameter, reason: error.to_string() }
        })?;
        Ok(self.store.run_prepared(query, options)?)
    }
}
