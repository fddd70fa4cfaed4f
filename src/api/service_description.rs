//! The SPARQL service description of a namespace, in Turtle.

use super::negotiate::{self, accept, choose};
use super::{ApiError, App};
use crate::model::NamespaceName;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Write;

const OFFERS: &[(&str, ())] = &[("text/turtle", ())];

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

/// Answers with the description: language, formats, and the graphs by name.
pub async fn answer(
    app: &App,
    ns: NamespaceName,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    choose(&accept(headers), OFFERS)
        .ok_or_else(|| negotiate::not_acceptable(OFFERS.iter().map(|(kind, ())| *kind)))?;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let segment = utf8_percent_encode(ns.as_str(), NON_ALPHANUMERIC);
    let endpoint = format!("http://{host}/v1/namespaces/{segment}/sparql");
    let graphs = app.run(move |memory| memory.graph_names(&ns)).await?;
    let content = [(header::CONTENT_TYPE, "text/turtle; charset=utf-8")];
    Ok((content, describe(&endpoint, &graphs)).into_response())
}

fn describe(endpoint: &str, graphs: &[String]) -> String {
    let mut text = String::from(
        "@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .\n\
         @prefix formats: <http://www.w3.org/ns/formats/> .\n\n",
    );
    let formats: Vec<String> =
        FORMATS.iter().map(|name| format!("<http://www.w3.org/ns/formats/{name}>")).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<{endpoint}> a sd:Service ;\n  sd:endpoint <{endpoint}> ;\n  \
         sd:supportedLanguage sd:SPARQL11Query ;\n  sd:resultFormat {} ;\n  \
         sd:defaultDataset <{endpoint}#dataset> .\n\n<{endpoint}#dataset> a sd:Dataset ;\n  \
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_graph_is_listed_by_name() {
        let text = describe("http://localhost/sparql", &["urn:a".to_owned(), "urn:b".to_owned()]);
        assert!(text.contains("sd:name <urn:a>") && text.contains("sd:name <urn:b>"));
        assert_eq!(text.matches("sd:NamedGraph").count(), 2);
    }
}
