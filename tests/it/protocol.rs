//! The read cases of the W3C test suites for the SPARQL 1.1 Protocol, the Service Description and
//! the Graph Store HTTP Protocol, as a table of requests of our own. Each row names the case it
//! stands for; `docs/sparql.md` lists the cases that do not apply and why.

use crate::support::{TestServer, tell_story};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;

const META: &str = "https://w3id.org/stratagate/id/a/graph/meta";
const CURRENT: &str = "https://w3id.org/stratagate/id/a/graph/current";
const FORM: &str = "application/x-www-form-urlencoded";
const DIRECT: &str = "application/sparql-query";
const JSON: &str = "application/sparql-results+json";

/// One request and what must come of it.
struct Case {
    name: &'static str,
    method: Method,
    /// Below `/v1/namespaces/a/`, with its query string.
    path: String,
    content_type: Option<&'static str>,
    accept: Option<&'static str>,
    body: Vec<u8>,
    status: u16,
    /// What the answer's media type begins with.
    media_type: &'static str,
    /// What the answer contains.
    mark: &'static str,
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn get(name: &'static str, path: String, status: u16, media_type: &'static str) -> Case {
    Case {
        name,
        method: Method::GET,
        path,
        content_type: None,
        accept: None,
        body: Vec::new(),
        status,
        media_type,
        mark: "",
    }
}

fn post(
    name: &'static str,
    content_type: &'static str,
    body: impl Into<Vec<u8>>,
    status: u16,
    media_type: &'static str,
) -> Case {
    Case {
        method: Method::POST,
        content_type: Some(content_type),
        body: body.into(),
        ..get(name, "sparql".to_owned(), status, media_type)
    }
}

const PROBLEM: &str = "application/problem+json";

/// Query operation of the protocol: `query_*` and the `bad_*` cases that concern queries.
fn protocol() -> Vec<Case> {
    let ask = encode("ASK {}");
    let in_meta = "ASK { ?fact a sg:Fact }";
    let both = format!("ASK {{ GRAPH <{META}> {{ ?fact a sg:Fact }} ?s sg:packageManager ?tool }}");
    let named = "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g";
    vec![
        Case { mark: "true", ..get("query_get", format!("sparql?query={ask}"), 200, JSON) },
        Case { mark: "true", ..post("query_post_form", FORM, format!("query={ask}"), 200, JSON) },
        Case { mark: "true", ..post("query_post_direct", DIRECT, "ASK {}", 200, JSON) },
        Case {
            mark: "true",
            ..get(
                "query_dataset_default_graphs_get",
                format!(
                    "sparql?query={}&default-graph-uri={}&default-graph-uri={}",
                    encode(in_meta),
                    encode(META),
                    encode(CURRENT)
                ),
                200,
                JSON,
            )
        },
        Case {
            mark: "true",
            path: format!("sparql?default-graph-uri={}", encode(META)),
            ..post("query_dataset_default_graphs_post", DIRECT, in_meta, 200, JSON)
        },
        Case {
            mark: "graph/meta",
            ..get(
                "query_dataset_named_graphs_get",
                format!("sparql?query={}&named-graph-uri={}", encode(named), encode(META)),
                200,
                JSON,
            )
        },
        Case {
            mark: "graph/meta",
            path: format!("sparql?named-graph-uri={}", encode(META)),
            ..post("query_dataset_named_graphs_post", DIRECT, named, 200, JSON)
        },
        Case {
            mark: "true",
            ..post(
                "query_dataset_full",
                FORM,
                format!(
                    "query={}&default-graph-uri={}&named-graph-uri={}",
                    encode(&both),
                    encode(CURRENT),
                    encode(META)
                ),
                200,
                JSON,
            )
        },
        Case {
            mark: "true",
            // What the protocol names wins over what the query names.
            path: format!("sparql?default-graph-uri={}", encode(META)),
            ..post(
                "query_multiple_dataset",
                DIRECT,
                format!("ASK FROM <{CURRENT}> {{ ?fact a sg:Fact }}"),
                200,
                JSON,
            )
        },
        Case {
            accept: Some("application/sparql-results+xml"),
            ..post(
                "query_content_type_select",
                DIRECT,
                "SELECT * { ?s ?p ?o } LIMIT 1",
                200,
                "application/sparql-results+xml",
            )
        },
        Case {
            accept: Some("application/sparql-results+xml;q=0.3, application/json"),
            ..post("query_content_type_ask", DIRECT, "ASK {}", 200, JSON)
        },
        Case {
            accept: Some("text/turtle"),
            ..post(
                "query_content_type_describe",
                DIRECT,
                format!("DESCRIBE <{META}>"),
                200,
                "text/turtle",
            )
        },
        Case {
            accept: Some("application/rdf+xml"),
            ..post(
                "query_content_type_construct",
                DIRECT,
                "CONSTRUCT WHERE { ?s sg:packageManager ?o }",
                200,
                "application/rdf+xml",
            )
        },
        Case {
            method: Method::PUT,
            ..get("bad_query_method", format!("sparql?query={ask}"), 405, PROBLEM)
        },
        get("bad_multiple_queries", format!("sparql?query={ask}&query={ask}"), 400, PROBLEM),
        post("bad_query_wrong_media_type", "text/plain", "ASK {}", 415, PROBLEM),
        Case {
            content_type: None,
            ..post("bad_query_missing_form_type", FORM, format!("query={ask}"), 415, PROBLEM)
        },
        Case {
            content_type: None,
            ..post("bad_query_missing_direct_type", DIRECT, "ASK {}", 415, PROBLEM)
        },
        post("bad_query_non_utf8", DIRECT, b"ASK { ?s ?p \"\xff\xfe\" }".to_vec(), 400, PROBLEM),
        get("bad_query_syntax", format!("sparql?query={}", encode("ASK {")), 400, PROBLEM),
        // The update operation does not exist here: its cases end in clear refusals.
        post("update_post_form", FORM, format!("update={}", encode("CLEAR ALL")), 400, PROBLEM),
        post("update_post_direct", "application/sparql-update", "CLEAR ALL", 415, PROBLEM),
        get("bad_update_get", format!("sparql?update={}", encode("CLEAR ALL")), 400, PROBLEM),
    ]
}

fn service_description() -> Vec<Case> {
    let described =
        |name, mark| Case { mark, ..get(name, "sparql".to_owned(), 200, "text/turtle") };
    vec![
        described("returns-rdf", "@prefix"),
        described("has-endpoint-triple", "sd:endpoint"),
        described("conforms-to-schema", "sd:supportedLanguage"),
        Case {
            accept: Some("application/rdf+xml"),
            ..get("returns-rdf (negotiated)", "sparql".to_owned(), 200, "application/rdf+xml")
        },
    ]
}

fn graph_store() -> Vec<Case> {
    let meta = encode(META);
    let write =
        |name, method| Case { method, ..get(name, format!("graph?graph={meta}"), 405, PROBLEM) };
    vec![
        Case {
            mark: "sg:Fact",
            ..get("GET of PUT - Initial state", format!("graph?graph={meta}"), 200, "text/turtle")
        },
        Case {
            mark: "pnpm",
            ..get("GET of PUT - default graph", "graph?default".to_owned(), 200, "text/turtle")
        },
        Case {
            accept: Some("application/n-triples"),
            mark: "<http",
            ..get(
                "GET with content negotiation",
                format!("graph?graph={meta}"),
                200,
                "application/n-triples",
            )
        },
        Case {
            method: Method::HEAD,
            ..get("HEAD on an existing graph", format!("graph?graph={meta}"), 200, "text/turtle")
        },
        get(
            "GET of DELETE - existing graph (there is none)",
            "graph?graph=urn%3Anothing".to_owned(),
            404,
            PROBLEM,
        ),
        Case {
            method: Method::HEAD,
            ..get(
                "HEAD on a non-existing graph",
                "graph?graph=urn%3Anothing".to_owned(),
                404,
                PROBLEM,
            )
        },
        get("GET without a graph", "graph".to_owned(), 400, PROBLEM),
        Case {
            accept: Some("image/png"),
            ..get("GET not acceptable", "graph?default".to_owned(), 406, PROBLEM)
        },
        write("PUT - Initial state", Method::PUT),
        write("POST - existing graph", Method::POST),
        write("DELETE - existing graph", Method::DELETE),
        write("PATCH", Method::PATCH),
    ]
}

#[tokio::test]
async fn the_read_cases_of_the_standards_hold() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    let mut failed = Vec::new();
    for case in protocol().into_iter().chain(service_description()).chain(graph_store()) {
        let path = format!("/v1/namespaces/a/{}", case.path);
        let mut request = server.request(case.method, &path).body(case.body);
        if let Some(kind) = case.content_type {
            request = request.header("content-type", kind);
        }
        if let Some(accept) = case.accept {
            request = request.header("accept", accept);
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let kind = response.headers().get("content-type");
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("").to_owned();
        let text = response.text().await.expect("a body");
        if status != case.status || !kind.starts_with(case.media_type) || !text.contains(case.mark)
        {
            failed.push(format!(
                "{}: {status} {kind}: {}",
                case.name,
                text.chars().take(200).collect::<String>()
            ));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
