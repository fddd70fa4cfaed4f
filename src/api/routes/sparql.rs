//! SPARQL 1.1 Protocol, query operation. Read only.

use crate::api::negotiate::{self, GRAPHS, RESULTS, accept, choose, content_type};
use crate::api::{
    ApiError, App, Code, body,
    params::{Ns, Params},
};
use crate::api::{conditional, described};
use crate::memory::{Memory, MemoryError};
use crate::store::{GraphFormat, QueryAnswer, QueryForm, QueryOptions, ResultsFormat};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use std::time::Duration;

/// Longest query text.
const MAX_QUERY_BYTES: usize = 64 * 1024;
/// Largest body: a form may encode each byte as three.
const MAX_FORM_BYTES: usize = 4 * MAX_QUERY_BYTES;
/// Longest deadline a caller may ask for.
const MAX_TIMEOUT_S: f64 = 30.0;
/// Most rows or triples a caller may ask for.
const MAX_ROWS: usize = 1_000_000;

/// What the caller accepts, settled before the query's form is known.
#[derive(Debug, Clone, Copy)]
pub struct Accepted {
    results: Option<ResultsFormat>,
    graph: Option<GraphFormat>,
}

impl Accepted {
    /// Reads `Accept`.
    ///
    /// # Errors
    /// When nothing in it can be given.
    pub fn read(headers: &HeaderMap) -> Result<Self, ApiError> {
        let accept = accept(headers);
        let (results, graph) = (choose(&accept, RESULTS), choose(&accept, GRAPHS));
        if results.is_none() && graph.is_none() {
            let offers = RESULTS.iter().map(|(kind, _)| *kind);
            return Err(negotiate::not_acceptable(
                offers.chain(GRAPHS.iter().map(|(kind, _)| *kind)),
            ));
        }
        Ok(Self { results, graph })
    }
}

/// Runs a query given as `query=`; without one, describes the service.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/sparql", tag = "sparql",
    params(("query" = Option<String>, Query, description = "A SPARQL 1.1 query"),
        ("default-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that make up the default graph"),
        ("named-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that can be named"),
        ("timeout" = Option<f64>, Query, description = "Seconds, 10 by default, at most 30"),
        ("max_rows" = Option<usize>, Query, description = "Rows or triples at most, 100,000 by default")),
    responses((status = 200, description = "The answer, or the service description", content(
        (String = "application/sparql-results+json"), (String = "application/sparql-results+xml"),
        (String = "text/csv"), (String = "text/tab-separated-values"), (String = "text/turtle"),
        (String = "application/n-triples"), (String = "application/rdf+xml"), (String = "application/ld+json"),
        (String = "application/trig"), (String = "application/n-quads")))))]
pub async fn get_sparql(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if params.has("query") {
        let query = params.raw("query")?.unwrap_or("").to_owned();
        return run(&app, ns, query, &params, &headers).await;
    }
    if params.has("update") {
        return Err(read_only());
    }
    described::service(&app, ns, &headers).await
}

/// Runs a query from a form or from a body of `application/sparql-query`.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/sparql", tag = "sparql",
    params(("default-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that make up the default graph"),
        ("named-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that can be named"),
        ("timeout" = Option<f64>, Query, description = "Seconds, 10 by default, at most 30"),
        ("max_rows" = Option<usize>, Query, description = "Rows or triples at most, 100,000 by default")),
    request_body(content((String = "application/sparql-query"), (String = "application/x-www-form-urlencoded"))),
    responses((status = 200, description = "The answer", content(
        (String = "application/sparql-results+json"), (String = "application/sparql-results+xml"),
        (String = "text/csv"), (String = "text/tab-separated-values"), (String = "text/turtle"),
        (String = "application/n-triples"), (String = "application/rdf+xml"), (String = "application/ld+json"),
        (String = "application/trig"), (String = "application/n-quads")))))]
pub async fn post_sparql(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    match body::media_type(&headers).as_deref() {
        Some("application/sparql-query") => {
            if params.has("query") {
                return Err(ApiError::parameter("query", "is given beside a query in the body"));
            }
            let bytes = body::read(body, MAX_QUERY_BYTES).await?;
            let query = utf8(&bytes)?;
            run(&app, ns, query, &params, &headers).await
        }
        Some("application/x-www-form-urlencoded") => {
            let bytes = body::read(body, MAX_FORM_BYTES).await?;
            let form = Params::parse(&utf8(&bytes)?)?;
            if form.has("update") {
                return Err(read_only());
            }
            let query = form
                .raw("query")?
                .ok_or_else(|| ApiError::parameter("query", "is missing"))?
                .to_owned();
            run(&app, ns, query, &form, &headers).await
        }
        other => Err(ApiError::new(
            Code::UnsupportedMediaType,
            format!(
                "the body is {}; send application/sparql-query or application/x-www-form-urlencoded",
                other.unwrap_or("of no stated type")
            ),
        )),
    }
}

fn utf8(bytes: &[u8]) -> Result<String, ApiError> {
    std::str::from_utf8(bytes)
        .map(str::to_owned)
        .map_err(|_| ApiError::new(Code::InvalidQuery, "the query is not UTF-8"))
}

async fn run(
    app: &App,
    ns: crate::model::NamespaceName,
    query: String,
    params: &Params,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    if query.len() > MAX_QUERY_BYTES {
        let detail =
            format!("the query has {} bytes; at most {MAX_QUERY_BYTES} are taken", query.len());
        return Err(ApiError::new(Code::TooLarge, detail));
    }
    if is_update(&query) {
        return Err(read_only());
    }
    answer(app, params, headers, move |memory, options| memory.sparql(&ns, &query, options)).await
}

/// Says that this door takes no updates.
fn read_only() -> ApiError {
    let detail = "it is an update, and this endpoint only reads: send SELECT, ASK, CONSTRUCT or \
        DESCRIBE; writes go through the other calls";
    ApiError::new(Code::QueryRefused, detail)
}

/// Words that begin an update, and no query (SPARQL 1.1 Update, section 3).
const UPDATES: [&str; 10] =
    ["INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD"];

/// Says whether a text is an update: by its first word after comments and prefixes.
fn is_update(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.starts_with('#') {
            rest = rest.find(['\n', '\r']).map_or("", |end| &rest[end..]);
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let word = &rest[..end];
        if !(word.eq_ignore_ascii_case("PREFIX") || word.eq_ignore_ascii_case("BASE")) {
            return UPDATES.iter().any(|update| word.eq_ignore_ascii_case(update));
        }
        // A declaration ends with its IRI.
        let Some(end) = rest.find('>') else { return false };
        rest = &rest[end + 1..];
    }
}

/// Runs a query and serialises its answer as the caller accepts it.
pub async fn answer<F>(
    app: &App,
    params: &Params,
    headers: &HeaderMap,
    query: F,
) -> Result<Response, ApiError>
where
    F: FnOnce(&Memory, &QueryOptions) -> Result<QueryAnswer, MemoryError> + Send + 'static,
{
    let accepted = Accepted::read(headers)?;
    let options = options(params, accepted)?;
    let answer = app.run(move |memory| query(memory, &options)).await?;
    let given = match answer.form {
        QueryForm::Select | QueryForm::Ask => accepted.results.is_some(),
        QueryForm::Graph => accepted.graph.is_some(),
    };
    if !given {
        let offers: Vec<&str> = match answer.form {
            QueryForm::Graph => GRAPHS.iter().map(|(kind, _)| *kind).collect(),
            _ => RESULTS.iter().map(|(kind, _)| *kind).collect(),
        };
        return Err(negotiate::not_acceptable(offers));
    }
    let tag = conditional::tag_of(Some(answer.revision), &answer.body);
    let mut response = conditional::answer(headers, &tag, answer.body)?;
    let headers = response.headers_mut();
    let text = |text: &str| HeaderValue::from_str(text).map_err(|_| ApiError::internal());
    headers.insert(header::CONTENT_TYPE, text(&content_type(answer.media_type))?);
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    headers.insert("x-stratagate-revision", text(&answer.revision.to_string())?);
    headers.insert("x-stratagate-rows", text(&answer.rows.to_string())?);
    if answer.truncated {
        headers.insert("x-stratagate-truncated", HeaderValue::from_static("true"));
    }
    Ok(response)
}

fn options(params: &Params, accepted: Accepted) -> Result<QueryOptions, ApiError> {
    let mut options = QueryOptions {
        default_graphs: iris(params, "default-graph-uri")?,
        named_graphs: iris(params, "named-graph-uri")?,
        ..QueryOptions::default()
    };
    if let Some(text) = params.text("timeout")? {
        let seconds = text
            .strip_suffix('s')
            .unwrap_or(text)
            .parse::<f64>()
            .ok()
            .filter(|seconds| (0.001..=MAX_TIMEOUT_S).contains(seconds))
            .ok_or_else(|| {
                let reason = format!("{text:?} is not a number of seconds up to {MAX_TIMEOUT_S}");
                ApiError::parameter("timeout", reason)
            })?;
        options.timeout = Duration::from_secs_f64(seconds);
    }
    if let Some(rows) = params.number("max_rows")? {
        if !(1..=MAX_ROWS).contains(&rows) {
            return Err(ApiError::parameter("max_rows", format!("must be from 1 to {MAX_ROWS}")));
        }
        options.max_rows = rows;
    }
    options.results = accepted.results.unwrap_or(options.results);
    options.graph = accepted.graph.unwrap_or(options.graph);
    Ok(options)
}

/// Reads graph IRIs; one that could not stand in a query is refused.
fn iris(params: &Params, name: &str) -> Result<Vec<String>, ApiError> {
    let all: Vec<String> = params.all(name).into_iter().filter(|iri| !iri.is_empty()).collect();
    for iri in &all {
        let bad = |c: char| c.is_control() || " <>\"{}|\\^`".contains(c);
        if !iri.contains(':') || iri.contains(bad) {
            return Err(ApiError::parameter(name, format!("{iri:?} is not an absolute IRI")));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options_of(text: &str) -> Result<QueryOptions, ApiError> {
        let accepted = Accepted { results: None, graph: None };
        options(&Params::parse(text).expect("readable"), accepted)
    }

    #[test]
    fn deadlines_and_rows_are_bounded() {
        assert_eq!(options_of("").unwrap().timeout, Duration::from_secs(10));
        assert_eq!(options_of("timeout=0.5").unwrap().timeout, Duration::from_millis(500));
        for text in ["timeout=31", "timeout=-1", "timeout=NaN", "timeout=soon", "max_rows=0"] {
            assert!(options_of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_update_is_told_by_its_first_word() {
        for text in [
            "DELETE WHERE { ?s ?p ?o }",
            "  # a comment\n insert data { <urn:a> <urn:b> 1 }",
            "PREFIX a: <urn:a#> BASE <urn:x> # SELECT\n LOAD <urn:y>",
            "CLEAR ALL",
        ] {
            assert!(is_update(text), "{text}");
        }
        for text in [
            "",
            "#",
            "PREFIX a:",
            "SELECT ?delete { ?s ?p ?o }",
            "# DELETE\nASK { }",
            "PREFIX delete: <urn:a> SELECT * { }",
            "DELETED",
        ] {
            assert!(!is_update(text), "{text}");
        }
    }

    #[test]
    fn several_graphs_can_be_named_by_absolute_iris() {
        let options = options_of("default-graph-uri=urn:a&default-graph-uri=urn:b").unwrap();
        assert_eq!(options.default_graphs, ["urn:a", "urn:b"]);
        assert!(options_of("named-graph-uri=meta").is_err());
        assert!(options_of("named-graph-uri=urn:a%3E").is_err());
    }
}
