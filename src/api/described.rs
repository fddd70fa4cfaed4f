//! Small documents about ourselves, in whichever RDF form the caller accepts.

use super::conditional;
use super::negotiate::{self, GRAPHS, accept, choose, content_type};
use super::{ApiError, App};
use crate::model::NamespaceName;
use crate::store::{GraphFormat, turtle_as};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Write;

const FORMATS: &[&str] = &[
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "Turtle",
    "N-Triples",
    "RDF_XML",
    "JSON-LD",
    "TriG",
    "N-Quads",
];

const PREFIXES: &str = "\
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
@prefix sg: <https://w3id.org/stratagate/ns#> .
@prefix void: <http://rdfs.org/ns/void#> .

";

/// Answers with a Turtle document, in Turtle as it stands or in another form.
///
/// # Errors
/// When nothing in `Accept` can be given.
pub fn turtle(headers: &HeaderMap, document: &str) -> Result<Response, ApiError> {
    let format = choose(&accept(headers), GRAPHS)
        .ok_or_else(|| negotiate::not_acceptable(GRAPHS.iter().map(|(kind, _)| *kind)))?;
    let bytes = match format {
        GraphFormat::Turtle => document.as_bytes().to_vec(),
        other => turtle_as(document, other).map_err(|error| {
            tracing::error!(%error, "a document of our own could not be written");
            ApiError::internal()
        })?,
    };
    let mut response = conditional::answer(headers, &conditional::tag_of(None, &bytes), bytes)?;
    let kind = HeaderValue::from_str(&content_type(format.media_type()))
        .map_err(|_| ApiError::internal())?;
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

fn base_of(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("http://{host}")
}

fn place_of(base: &str, ns: &NamespaceName) -> String {
    format!("{base}/v1/namespaces/{}", utf8_percent_encode(ns.as_str(), NON_ALPHANUMERIC))
}

/// Answers with the service description of a namespace's endpoint (SPARQL 1.1 Service
/// Description): language, features, forms, and the graphs by name.
///
/// # Errors
/// When the namespace is unknown, or nothing in `Accept` can be given.
pub async fn service(
    app: &App,
    ns: NamespaceName,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let place = place_of(&base_of(headers), &ns);
    let graphs = app.run(move |memory| memory.graph_names(&ns)).await?;
    turtle(headers, &describe_service(&place, &graphs))
}

fn describe_service(place: &str, graphs: &[String]) -> String {
    let endpoint = format!("{place}/sparql");
    let formats: Vec<String> =
        FORMATS.iter().map(|name| format!("<http://www.w3.org/ns/formats/{name}>")).collect();
    let mut text = PREFIXES.to_owned();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<{endpoint}> a sd:Service ;\n  sd:endpoint <{endpoint}> ;\n  \
         sd:supportedLanguage sd:SPARQL11Query ;\n  sd:feature sg:search ;\n  \
         sd:resultFormat {} ;\n  sd:defaultDataset <{endpoint}#dataset> .\n\n\
         <{endpoint}#dataset> a sd:Dataset, void:Dataset ;\n  void:sparqlEndpoint <{endpoint}> ;\n  \
         void:vocabulary <https://w3id.org/stratagate/ns#>, <http://www.w3.org/ns/prov#> ;\n  \
         void:dataDump <{place}/export?format=nquads>, <{place}/export?format=trig> ;\n  \
         sd:defaultGraph <{endpoint}#default> .\n<{endpoint}#default> a sd:Graph .",
        formats.join(",\n    ")
    );
    for (number, graph) in graphs.iter().enumerate() {
        let _ = writeln!(
            text,
            "<{endpoint}#dataset> sd:namedGraph <{endpoint}#graph-{number}> .\n\
             <{endpoint}#graph-{number}> a sd:NamedGraph ; sd:name <{graph}> .",
        );
    }
    text
}

/// Answers with the VoID description of everything here, one dataset a namespace.
///
/// # Errors
/// When nothing in `Accept` can be given.
pub async fn datasets(app: &App, headers: &HeaderMap) -> Result<Response, ApiError> {
    let names = app.run(crate::memory::Memory::names).await?;
    turtle(headers, &describe_datasets(&base_of(headers), &names))
}

fn describe_datasets(base: &str, names: &[NamespaceName]) -> String {
    let mut text = PREFIXES.to_owned();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<{base}/.well-known/void> a void:DatasetDescription ;\n  dcterms:title \"StrataGate\" .\n"
    );
    for name in names {
        let place = place_of(base, name);
        let title = name.as_str().escape_default();
        let _ = writeln!(
            text,
            "<{base}/.well-known/void> foaf:topic <{place}/sparql#dataset> .\n\
             <{place}/sparql#dataset> a void:Dataset ;\n  dcterms:title \"{}\" ;\n  \
             void:sparqlEndpoint <{place}/sparql> ;\n  \
             void:vocabulary <https://w3id.org/stratagate/ns#>, <http://www.w3.org/ns/prov#> ;\n  \
             void:dataDump <{place}/export?format=nquads>, <{place}/export?format=trig> .\n",
            turtle_escapes(&title.to_string())
        );
    }
    text
}

/// Rust writes `\u{6f14}` where Turtle writes `\u6F14`.
fn turtle_escapes(escaped: &str) -> String {
    let mut out = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find("\\u{") {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}') else { break };
        let code = &rest[at + 3..at + end];
        let _ = write!(out, "\\U{code:0>8}");
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out.replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_graph_is_listed_by_name() {
        let text = describe_service("http://localhost/ns", &["urn:a".into(), "urn:b".into()]);
        assert!(text.contains("sd:name <urn:a>") && text.contains("sd:name <urn:b>"));
        assert_eq!(text.matches("sd:NamedGraph").count(), 2);
    }

    #[test]
    fn every_document_is_rdf_whatever_a_namespace_is_called() {
        for name in ["plain", "演示", "it's \"quoted\"", "back\\slash", "."] {
            let name = NamespaceName::new(name).unwrap();
            let text = describe_datasets("http://localhost:1", std::slice::from_ref(&name));
            let lines = turtle_as(&text, GraphFormat::NTriples).expect("the document is Turtle");
            assert!(String::from_utf8(lines).unwrap().contains("sparqlEndpoint"), "{name:?}");
            let text = describe_service(&place_of("http://localhost:1", &name), &[]);
            turtle_as(&text, GraphFormat::NTriples).expect("the document is Turtle");
        }
    }
}
