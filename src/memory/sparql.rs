//! Asking in SPARQL: a caller's own queries, with text search inside.

use super::error::MemoryError;
use super::namespace::Namespace;
use super::pool::Memory;
use super::search::Finder;
use super::types::{AsOf, HitKind, SearchRequest};
use crate::model::{BlockId, EventId, FactId, MessageId, NamespaceName};
use crate::store::{QueryAnswer, QueryError, QueryOptions, TextHit, TextQuery};

impl Memory {
    /// Runs a user's SPARQL query over one namespace.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn sparql(
        &self,
        name: &NamespaceName,
        query: &str,
        options: &QueryOptions,
    ) -> Result<QueryAnswer, MemoryError> {
        let namespace = self.get(name)?;
        let searched = namespace.clone();
        let search = Box::new(move |query: &TextQuery| {
            searched.find_for_query(query).map_err(|error| QueryError::Internal(error.to_string()))
        });
        Ok(namespace.store.query(query, options, self.desk(), search)?)
    }
}

impl Namespace {
    /// Finds what a query's text search asks for. What was superseded is found too, because the
    /// query can tell by its validity; what was forgotten is not.
    fn find_for_query(&self, query: &TextQuery) -> Result<Vec<TextHit>, MemoryError> {
        let tx = self.store.begin()?;
        let forgotten = tx.hidden_events(None)?;
        let finder = Finder::new(self, &tx, &forgotten, AsOf::default());
        let request = SearchRequest {
            query: query.text.clone(),
            kinds: query.kinds.iter().filter_map(|kind| HitKind::named(kind)).collect(),
            limit: query.limit,
            history: true,
            ..SearchRequest::default()
        };
        let names = self.store.names();
        let (found, _) = finder.search(&request)?;
        Ok(found
            .into_iter()
            .map(|found| {
                let hit = found.hit;
                let thing = match (hit.kind, &hit.thread) {
                    (HitKind::Message, Some(thread)) => names.message(thread, &MessageId(hit.id)),
                    (HitKind::Message, None) | (HitKind::Block, _) => names.block(&BlockId(hit.id)),
                    (HitKind::Event, _) => names.event(&EventId(hit.id)),
                    (HitKind::Fact, _) => names.fact(&FactId(hit.id)),
                };
                TextHit { thing, score: hit.score, snippet: hit.text }
            })
            .collect())
    }
}
