//! SPARQL over one namespace: what is asked, how it is evaluated, how it is answered.

use super::{Names, QueryError, TextSearch, service};
use oxigraph::io::{RdfFormat, RdfSerializer};
use oxigraph::model::{GraphName as OxGraphName, NamedNode, NamedOrBlankNode};
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{
    CancellationToken, PreparedSparqlQuery, QueryEvaluationError, QueryResults, SparqlEvaluator,
};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::time::Duration;

/// Stack of a query thread. Within the guard's nesting limit the parser and the evaluator need a
/// small part of it; untouched pages cost nothing.
pub(super) const QUERY_STACK_BYTES: usize = 64 * 1024 * 1024;
/// How long a cancelled query may take to notice before its caller is answered anyway.
pub(super) const GRACE: Duration = Duration::from_millis(500);
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the standard's names")]
pub enum ResultsFormat {
    Json,
    Xml,
    Csv,
    Tsv,
}

/// Serialisations of graphs and datasets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

impl QueryForm {
    /// Returns the media type of such an answer.
    pub(super) fn media_type(self, options: &QueryOptions) -> &'static str {
        match self {
            Self::Select | Self::Ask => options.results.results().media_type(),
            Self::Graph => options.graph.media_type(),
        }
    }
}

/// Parses a user's query, has it checked, and runs the text searches in it.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse(
    text: &str,
    base: &str,
    check: impl FnOnce(&spargebra::Query) -> Result<(), QueryError>,
    search: &TextSearch,
) -> Result<spargebra::Query, QueryError> {
    let internal = |error: &dyn std::fmt::Display| QueryError::Internal(error.to_string());
    let mut parser =
        spargebra::SparqlParser::new().with_base_iri(base).map_err(|error| internal(&error))?;
    for (prefix, iri) in PREFIXES {
        parser = parser.with_prefix(*prefix, *iri).map_err(|error| internal(&error))?;
    }
    let mut query =
        parser.parse_query(text).map_err(|error| QueryError::Syntax(error.to_string()))?;
    check(&query)?;
    service::resolve(&mut query, search)?;
    Ok(query)
}

/// Makes a query ready to run: over the asked graphs, or over the present.
pub(super) fn prepare(
    query: spargebra::Query,
    names: &Names,
    options: &QueryOptions,
    token: CancellationToken,
) -> PreparedSparqlQuery {
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
    prepared
}

fn named(iri: &str) -> NamedNode {
    NamedNode::new_unchecked(iri)
}

pub(super) fn query_error(error: QueryEvaluationError) -> QueryError {
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

/// Runs an answer to its end and writes it down; `revision` is what it was asked of.
pub(super) fn serialise(
    results: QueryResults<'_>,
    options: &QueryOptions,
    revision: u64,
) -> Result<QueryAnswer, QueryError> {
    let too_large = |error: std::io::Error| QueryError::Refused(format!("{error}; use LIMIT"));
    let format = options.results.results();
    let buffer = Bounded(Vec::new());
    let mut rows = 0u64;
    let mut truncated = false;
    let (form, buffer) = match results {
        QueryResults::Boolean(value) => {
            let buffer = QueryResultsSerializer::from_format(format)
                .serialize_boolean_to_writer(buffer, value)
                .map_err(too_large)?;
            (QueryForm::Ask, buffer)
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
            (QueryForm::Select, writer.finish().map_err(too_large)?)
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
            (QueryForm::Graph, buffer)
        }
    };
    let media_type = form.media_type(options);
    Ok(QueryAnswer { form, body: buffer.0, media_type, rows, truncated, revision })
}

/// A serialiser that knows our prefixes.
pub(super) fn serializer(format: GraphFormat) -> RdfSerializer {
    let mut serializer = RdfSerializer::from_format(format.rdf());
    for (prefix, iri) in PREFIXES {
        serializer = serializer.with_prefix(*prefix, *iri).expect("our prefixes are valid IRIs");
    }
    serializer
}
