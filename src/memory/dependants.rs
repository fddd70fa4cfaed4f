//! What rests on something: answers and Events behind a state that has since ended, and answers
//! behind a message.

use super::error::MemoryError;
use super::namespace::Namespace;
use super::types::{Answered, Dependant, StaleItem, Touched};
use crate::model::{EventId, FactId, MessageId, ThreadId, TxTime, to_rfc3339};
use crate::store::{QueryOptions, ResultsFormat, property_name};
use chrono::DateTime;
use serde_json::Value;
use std::collections::BTreeMap;

/// One row of a view.
struct Row(Value);

impl Row {
    fn text(&self, column: &str) -> Option<&str> {
        self.0.get(column)?.get("value")?.as_str()
    }

    fn needed(&self, column: &str) -> Result<&str, MemoryError> {
        self.text(column)
            .ok_or_else(|| MemoryError::Corrupt(format!("a row of a view has no {column}")))
    }

    fn time(&self, column: &str) -> Result<Option<TxTime>, MemoryError> {
        let Some(text) = self.text(column) else { return Ok(None) };
        let at = DateTime::parse_from_rfc3339(text)
            .map_err(|_| MemoryError::Corrupt(format!("{text:?} is no instant")))?;
        Ok(Some(TxTime(at.to_utc())))
    }
}

impl Namespace {
    fn rows(&self, view: &str, arguments: &[(&str, String)]) -> Result<Vec<Row>, MemoryError> {
        let arguments: BTreeMap<String, String> =
            arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let options = QueryOptions { results: ResultsFormat::Json, ..QueryOptions::default() };
        let answer = self.named_query(view, &arguments, &options)?;
        let mut document: Value = serde_json::from_slice(&answer.body)
            .map_err(|error| MemoryError::Corrupt(format!("a view's answer: {error}")))?;
        Ok(match document.pointer_mut("/results/bindings").map(Value::take) {
            Some(Value::Array(rows)) => rows.into_iter().map(Row).collect(),
            _ => Vec::new(),
        })
    }

    fn id_in(&self, kind: &str, iri: &str) -> Result<String, MemoryError> {
        self.store
            .names()
            .id_of(kind, iri)
            .ok_or_else(|| MemoryError::Corrupt(format!("<{iri}> is no {kind} of this namespace")))
    }

    /// Lists answers and Events that rested on something which has since been superseded or
    /// withdrawn, newest end first.
    ///
    /// # Errors
    /// When the entity is unknown.
    pub fn possibly_stale(
        &self,
        entity: Option<&str>,
        known_at: Option<TxTime>,
    ) -> Result<Vec<StaleItem>, MemoryError> {
        let mut arguments = Vec::new();
        if let Some(entity) = entity {
            arguments.push(("entity", self.find_entity(&self.store.begin()?, entity)?.id.0));
        }
        if let Some(at) = known_at {
            arguments.push(("known_at", to_rfc3339(at.0)));
        }
        let mut items = Vec::new();
        for row in self.rows("possibly_stale", &arguments)? {
            let dependant = row.needed("dependant")?;
            let dependant = match row.needed("kind")? {
                "answer" => Dependant::Answer(self.id_in("adoption", dependant)?),
                _ => Dependant::Event(EventId(self.id_in("event", dependant)?)),
            };
            items.push(StaleItem {
                dependant,
                rested_at: row.time("rested_at")?,
                property: property_name(row.needed("property")?).unwrap_or_default(),
                value: row.needed("label")?.to_owned(),
                ended_known_at: row.time("ended_known_at")?,
                reason: row.text("reason").unwrap_or_default().to_owned(),
                next: row.text("next").filter(|text| !text.is_empty()).map(str::to_owned),
                event: EventId(self.id_in("event", row.needed("event")?)?),
                fact: FactId(self.id_in("fact", row.needed("fact")?)?),
            });
        }
        Ok(items)
    }

    /// Lists the Events drawn from a message, each with the answers that adopted it.
    ///
    /// # Errors
    /// When the message is unknown.
    pub fn blast_radius(
        &self,
        thread: &ThreadId,
        message: &MessageId,
    ) -> Result<Vec<Touched>, MemoryError> {
        if self.store.begin()?.message(thread, message)?.is_none() {
            return Err(self.not_found("message", &format!("{thread}/{message}")));
        }
        let iri = self.store.names().message(thread, message).as_str().to_owned();
        let mut items: Vec<Touched> = Vec::new();
        for row in self.rows("blast_radius", &[("message", iri)])? {
            let event = EventId(self.id_in("event", row.needed("event")?)?);
            if items.last().is_none_or(|last| last.event != event) {
                items.push(Touched {
                    event: event.clone(),
                    title: row.needed("title")?.to_owned(),
                    only_source: row.text("only_source") == Some("true"),
                    answers: Vec::new(),
                });
            }
            if let (Some(adoption), Some(touched)) = (row.text("adoption"), items.last_mut()) {
                touched.answers.push(Answered {
                    receipt: row.text("receipt").unwrap_or(adoption).to_owned(),
                    at: row.time("answered_at")?,
                    query: row.text("query").map(str::to_owned),
                });
            }
        }
        Ok(items)
    }
}
