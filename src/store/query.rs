//! Running SPARQL over one namespace: read only, with a deadline that is kept.

use super::{Names, NamespaceStore, QueryError, TextSearch, guard, service};
use oxigraph::io::{RdfFormat, RdfSerializer};
use oxigraph::model::{GraphName as OxGraphName, NamedNode, NamedOrBlankNode};
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{CancellationToken, QueryEvaluationError, QueryResults, SparqlEvaluator};
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Stack of a query thread. Within the guard's nesting limit the parser and the evaluator need a
/// small part of it; untouched pages cost nothing.
const QUERY_STACK_BYTES: usize = 64 * 1024 * 1024;
/// How long a cancelled query may take to notice before its caller is answered anyway.
const GRACE: Duration = Duration::from_millis(500);
/// What a query that waited long for its turn may still take.
const LEAST_TIME: Duration = Duration::from_millis(100);
/// Ad-hoc queries that may run at once, in all namespaces; others wait for their turn.
const AD_HOC_SLOTS: usize = 2;
/// Largest answer, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// Prefixes that every query knows without declaring them.
pub const PREFIXES: &[(&str, &str)] = &[
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("prov", "http://www.w3.org/ns/prov#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("schema", "https://schema.org/"),
    ("sg", crate::vocab::SG),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("time", "http://www.w3.org/2006/time#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

/// Serialisations of solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the standard's names")]
pub enum ResultsFormat {
    Json,
    Xml,
    Csv,
    Tsv,
}

/// Serialisations of graphs and datasets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the standard's names")]
pub enum GraphFormat {
    NQuads,
    TriG,
    Turtle,
    NTriples,
    RdfXml,
    JsonLd,
}

impl GraphFormat {
    pub(super) fn rdf(self) -> RdfFormat {
        match self {
            Self::NQuads => RdfFormat::NQuads,
            Self::TriG => RdfFormat::TriG,
            Self::Turtle => RdfFormat::Turtle,
            Self::NTriples => RdfFormat::NTriples,
            Self::RdfXml => RdfFormat::RdfXml,
            Self::JsonLd => {
                RdfFormat::JsonLd { profile: oxigraph::io::JsonLdProfileSet::default() }
            }
        }
    }

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        self.rdf().media_type()
    }
}

impl ResultsFormat {
    fn results(self) -> QueryResultsFormat {
        match self {
            Self::Json => QueryResultsFormat::Json,
            Self::Xml => QueryResultsFormat::Xml,
            Self::Csv => QueryResultsFormat::Csv,
            Self::Tsv => QueryResultsFormat::Tsv,
        }
    }
}

/// How a query is run and answered.
#[derive(Debug, Clone)]
pub struct QueryOptions {
    /// The deadline.
    pub timeout: Duration,
    /// At most this many rows or triples; the answer says when it was cut.
    pub max_rows: usize,
    /// Graphs that make up the default graph; empty = the query's own, or the current graph.
    pub default_graphs: Vec<String>,
    /// Graphs that can be named; empty = the query's own, or all.
    pub named_graphs: Vec<String>,
    /// Form of solutions and truth values.
    pub results: ResultsFormat,
    /// Form of graphs.
    pub graph: GraphFormat,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            max_rows: 100_000,
            default_graphs: Vec::new(),
            named_graphs: Vec::new(),
            results: ResultsFormat::Json,
            graph: GraphFormat::Turtle,
        }
    }
}

/// What kind of answer a query gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryForm {
    /// Solutions.
    Select,
    /// A truth value.
    Ask,
    /// Triples.
    Graph,
}

/// A serialised answer.
#[derive(Debug, Clone)]
pub struct QueryAnswer {
    /// What kind of answer.
    pub form: QueryForm,
    /// The serialised answer.
    pub body: Vec<u8>,
    /// Its media type.
    pub media_type: &'static str,
    /// Rows or triples in it.
    pub rows: u64,
    /// Whether it was cut at `max_rows`.
    pub truncated: bool,
    /// The revision it saw.
    pub revision: u64,
}

/// Bounds how many ad-hoc queries run at once.
#[derive(Debug, Clone, Default)]
pub struct QuerySlots(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    taken: Mutex<usize>,
    given_back: Condvar,
}

/// A taken slot; given back when dropped, which is when the query's thread has really ended.
struct Slot(Arc<Counted>);

impl QuerySlots {
    /// Takes a slot, waiting for one as long as the caller would wait for the answer.
    fn take(&self, patience: Duration) -> Result<Slot, QueryError> {
        // A count that was being changed by a thread that panicked is still a count.
        let taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut taken, _) = self
            .0
            .given_back
            .wait_timeout_while(taken, patience, |taken| *taken >= AD_HOC_SLOTS)
            .unwrap_or_else(PoisonError::into_inner);
        if *taken >= AD_HOC_SLOTS {
            return Err(QueryError::Busy);
        }
        *taken += 1;
        Ok(Slot(self.0.clone()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.given_back.notify_one();
    }
}

impl NamespaceStore {
    /// Parses, checks and runs a user's query on a thread of its own; `search` answers its calls
    /// of `SERVICE sg:search`.
    ///
    /// # Errors
    /// See [`QueryError`]. A query waits for its turn within its deadline. At the deadline the caller is answered whatever the query does; a query
    /// that does not notice its cancellation keeps its slot until it ends.
    pub fn query(
        &self,
        text: &str,
        options: &QueryOptions,
        slots: &QuerySlots,
        search: TextSearch,
    ) -> Result<QueryAnswer, QueryError> {
        guard::scan(text)?;
        let started = Instant::now();
        let slot = slots.take(options.timeout)?;
        let left = options.timeout.saturating_sub(started.elapsed()).max(LEAST_TIME);
        let options = &QueryOptions { timeout: left, ..options.clone() };
        let text = text.to_owned();
        let base = self.names.base().to_owned();
        self.run(options, Some(slot), move || {
            let mut parser = spargebra::SparqlParser::new()
                .with_base_iri(&base)
                .map_err(|error| QueryError::Internal(error.to_string()))?;
            for (prefix, iri) in PREFIXES {
                parser = parser
                    .with_prefix(*prefix, *iri)
                    .map_err(|error| QueryError::Internal(error.to_string()))?;
            }
            let mut query =
                parser.parse_query(&text).map_err(|error| QueryError::Syntax(error.to_string()))?;
            guard::check(&query)?;
            service::resolve(&mut query, &search)?;
            Ok(query)
        })
    }

    /// Runs one of the product's own queries; it takes no ad-hoc slot.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn run_prepared(
        &self,
        query: spargebra::Query,
        options: &QueryOptions,
    ) -> Result<QueryAnswer, QueryError> {
        self.run(options, None, move || Ok(query))
    }

    fn run(
        &self,
        options: &QueryOptions,
        slot: Option<Slot>,
        query: impl FnOnce() -> Result<spargebra::Query, QueryError> + Send + 'static,
    ) -> Result<QueryAnswer, QueryError> {
        let token = CancellationToken::new();
        let (send, receive) = mpsc::channel();
        let (store, names) = (self.store.clone(), self.names.clone());
        let worker_options = options.clone();
        let worker_token = token.clone();
        std::thread::Builder::new()
            .name("query".to_owned())
            .stack_size(QUERY_STACK_BYTES)
            .spawn(move || {
                let answer = query().and_then(|query| {
                    evaluate(&store, &names, query, &worker_options, worker_token)
                });
                // Before the answer: whoever has it may ask the next question at once, or close
                // the store and end the program.
                drop((slot, store));
                // The caller may have given up; then nobody listens, and that is fine.
                let _ = send.send(answer);
            })
            .map_err(|error| QueryError::Internal(error.to_string()))?;
        let started = Instant::now();
        match receive.recv_timeout(options.timeout) {
            Ok(answer) => answer,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                Err(QueryError::Internal("the query's thread ended early".to_owned()))
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                token.cancel();
                match receive.recv_timeout(GRACE) {
                    Ok(Ok(answer)) => Ok(answer),
                    Ok(Err(error @ (QueryError::Syntax(_) | QueryError::Refused(_)))) => Err(error),
                    _ => Err(QueryError::TimedOut(started.elapsed())),
                }
            }
        }
    }
}

fn evaluate(
    store: &oxigraph::store::Store,
    names: &Names,
    query: spargebra::Query,
    options: &QueryOptions,
    token: CancellationToken,
) -> Result<QueryAnswer, QueryError> {
    let internal = |error: &dyn std::fmt::Display| QueryError::Internal(error.to_string());
    let transaction = store.start_transaction().map_err(|error| internal(&error))?;
    let tx = super::Tx::new(transaction, names);
    let revision = tx.applied().map_err(|error| internal(&error))?;
    let mut prepared = SparqlEvaluator::new().with_cancellation_token(token).for_query(query);
    let dataset = prepared.dataset_mut();
    if !options.default_graphs.is_empty() || !options.named_graphs.is_empty() {
        dataset.set_default_graph(options.default_graphs.iter().map(|g| named(g).into()).collect());
        dataset.set_available_named_graphs(
            options.named_graphs.iter().map(|g| NamedOrBlankNode::from(named(g))).collect(),
        );
    } else if dataset.is_default_dataset() {
        dataset.set_default_graph(vec![OxGraphName::from(names.current.clone())]);
    }
    let results = prepared.on_transaction(tx.raw()).execute().map_err(query_error)?;
    let mut answer = serialise(results, options)?;
    answer.revision = revision;
    Ok(answer)
}

fn named(iri: &str) -> NamedNode {
    NamedNode::new_unchecked(iri)
}

fn query_error(error: QueryEvaluationError) -> QueryError {
    match error {
        QueryEvaluationError::Cancelled => QueryError::TimedOut(Duration::ZERO),
        QueryEvaluationError::UnsupportedCustomFunction(name) => {
            QueryError::Refused(format!("the function {name} is not known"))
        }
        QueryEvaluationError::UnsupportedService(name) => {
            QueryError::Refused(format!("SERVICE {name} is not available"))
        }
        other => QueryError::Internal(other.to_string()),
    }
}

/// A buffer that refuses to grow past a limit.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_ANSWER_BYTES {
            return Err(std::io::Error::other("the answer is larger than 64 MiB"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn serialise(results: QueryResults<'_>, options: &QueryOptions) -> Result<QueryAnswer, QueryError> {
    let too_large = |error: std::io::Error| QueryError::Refused(format!("{error}; use LIMIT"));
    let format = options.results.results();
    let buffer = Bounded(Vec::new());
    let mut rows = 0u64;
    let mut truncated = false;
    let (form, buffer, media_type) = match results {
        QueryResults::Boolean(value) => {
            let buffer = QueryResultsSerializer::from_format(format)
                .serialize_boolean_to_writer(buffer, value)
                .map_err(too_large)?;
            (QueryForm::Ask, buffer, format.media_type())
        }
        QueryResults::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let mut writer = QueryResultsSerializer::from_format(format)
                .serialize_solutions_to_writer(buffer, variables)
                .map_err(too_large)?;
            for solution in solutions {
                let solution = solution.map_err(query_error)?;
                if rows >= options.max_rows as u64 {
                    truncated = true;
                    break;
                }
                writer.serialize(&solution).map_err(too_large)?;
                rows += 1;
            }
            (QueryForm::Select, writer.finish().map_err(too_large)?, format.media_type())
        }
        QueryResults::Graph(triples) => {
            let mut writer = serializer(options.graph).for_writer(buffer);
            for triple in triples {
                let triple = triple.map_err(query_error)?;
                if rows >= options.max_rows as u64 {
                    truncated = true;
                    break;
                }
                writer.serialize_triple(&triple).map_err(too_large)?;
                rows += 1;
            }
            let buffer = writer.finish().map_err(too_large)?;
            (QueryForm::Graph, buffer, options.graph.media_type())
        }
    };
    Ok(QueryAnswer { form, body: buffer.0, media_type, rows, truncated, revision: 0 })
}

/// A serialiser that knows our prefixes.
pub(super) fn serializer(format: GraphFormat) -> RdfSerializer {
    let mut serializer = RdfSerializer::from_format(format.rdf());
    for (prefix, iri) in PREFIXES {
        serializer = serializer.with_prefix(*prefix, *iri).expect("our prefixes are valid IRIs");
    }
    serializer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_waits_for_its_turn_and_not_for_ever() {
        let slots = QuerySlots::default();
        let first: Vec<Slot> =
            (0..AD_HOC_SLOTS).map(|_| slots.take(Duration::ZERO).expect("a free slot")).collect();
        assert!(matches!(slots.take(Duration::from_millis(5)), Err(QueryError::Busy)));
        let waiting = slots.clone();
        let waiter = std::thread::spawn(move || waiting.take(Duration::from_secs(60)).is_ok());
        drop(first);
        assert!(waiter.join().unwrap());
        assert!(slots.take(Duration::ZERO).is_ok(), "what the waiter had is given back");
    }
}
