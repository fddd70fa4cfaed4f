//! The SPARQL 1.1 Protocol, named views, single graphs, exports.

use crate::support::{KIOSK, TestServer, tell_story, with_query};
use reqwest::{Method, StatusCode};
use serde_json::json;

const SPARQL: &str = "/v1/namespaces/a/sparql";
const SELECT: &str = "SELECT ?tool WHERE { ?project sg:packageManager ?tool }";
const CONSTRUCT: &str = "CONSTRUCT WHERE { ?project sg:packageManager ?tool }";

async fn told() -> TestServer {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "a").await;
    server
}

async fn body(request: reqwest::RequestBuilder) -> (StatusCode, String, String) {
    let response = request.send().await.unwrap();
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    (response.status(), kind, response.text().await.unwrap())
}

#[tokio::test]
async fn a_query_comes_three_ways_and_gives_the_same() {
    let server = told().await;
    let ways = [
        server.request(Method::GET, &with_query(SPARQL, &[("query", SELECT)])),
        server
            .request(Method::POST, SPARQL)
            .header("content-type", "application/sparql-query")
            .body(SELECT),
        server
            .request(Method::POST, SPARQL)
            .header("content-type", "application/x-www-form-urlencoded; charset=utf-8")
            .body(format!(
                "query={}",
                percent_encoding::utf8_percent_encode(SELECT, percent_encoding::NON_ALPHANUMERIC)
            )),
    ];
    for request in ways {
        let (status, kind, text) = body(request).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        assert_eq!(kind, "application/sparql-results+json");
        let rows: serde_json::Value = serde_json::from_str(&text).unwrap();
        let rows = rows["results"]["bindings"].as_array().unwrap();
        assert_eq!(rows.len(), 1, "the default graph is the current one: {text}");
        assert!(rows[0]["tool"]["value"].as_str().unwrap().contains("pnpm"));
    }
}

#[tokio::test]
async fn every_form_can_be_asked_for() {
    let server = told().await;
    let ask = |query: &'static str, accept: &'static str| {
        server
            .request(Method::GET, &with_query(SPARQL, &[("query", query)]))
            .header("accept", accept)
    };
    for (accept, expected, mark) in [
        ("application/sparql-results+json", "application/sparql-results+json", "\"bindings\""),
        ("application/json", "application/sparql-results+json", "\"bindings\""),
        ("application/sparql-results+xml", "application/sparql-results+xml", "<sparql"),
        ("text/csv", "text/csv; charset=utf-8", "tool\r\n"),
        ("text/tab-separated-values", "text/tab-separated-values; charset=utf-8", "?tool\n"),
        ("text/turtle, text/csv;q=0.4", "text/csv; charset=utf-8", "pnpm"),
        ("text/html, */*;q=0.1", "application/sparql-results+json", "pnpm"),
    ] {
        let (status, kind, text) = body(ask(SELECT, accept)).await;
        assert_eq!((status, kind.as_str()), (StatusCode::OK, expected), "{accept}: {text}");
        assert!(text.contains(mark), "{accept}: {text}");
    }
    for (accept, expected) in [
        ("text/turtle", "text/turtle; charset=utf-8"),
        ("application/n-triples", "application/n-triples"),
        ("application/rdf+xml", "application/rdf+xml"),
        ("application/ld+json", "application/ld+json"),
        ("application/trig", "application/trig"),
        ("application/n-quads", "application/n-quads"),
    ] {
        let (status, kind, text) = body(ask(CONSTRUCT, accept)).await;
        assert_eq!((status, kind.as_str()), (StatusCode::OK, expected), "{accept}: {text}");
        assert!(text.contains("pnpm"), "{accept}: {text}");
    }
    let (_, _, truth) = body(ask("ASK { ?s sg:packageManager ?o }", "*/*")).await;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&truth).unwrap()["boolean"], true);
    for (query, accept) in [(SELECT, "text/turtle"), (CONSTRUCT, "text/csv"), (SELECT, "image/png")]
    {
        server.problem(ask(query, accept), 406, "not_acceptable").await;
    }
}

#[tokio::test]
async fn graphs_are_chosen_by_the_protocol() {
    let server = told().await;
    let meta = "https://w3id.org/stratagate/id/a/graph/meta";
    let count = "SELECT (COUNT(*) AS ?n) WHERE { ?fact a sg:Fact }";
    let request = server.request(
        Method::GET,
        &with_query(SPARQL, &[("query", count), ("default-graph-uri", meta)]),
    );
    let rows = server.json(request, StatusCode::OK).await;
    let number = rows["results"]["bindings"][0]["n"]["value"].as_str().unwrap();
    assert!(number.parse::<u64>().unwrap() >= 2, "{rows}");
    let named = "SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } }";
    let request = server
        .request(Method::GET, &with_query(SPARQL, &[("query", named), ("named-graph-uri", meta)]));
    let rows = server.json(request, StatusCode::OK).await;
    assert_eq!(rows["results"]["bindings"].as_array().unwrap().len(), 1, "{rows}");
    let request = server.request(
        Method::GET,
        &with_query(SPARQL, &[("query", SELECT), ("default-graph-uri", "meta")]),
    );
    server.problem(request, 400, "invalid_parameter").await;
}

#[tokio::test]
async fn the_service_describes_itself() {
    let server = told().await;
    let (status, kind, text) = body(server.request(Method::GET, SPARQL)).await;
    assert_eq!((status, kind.as_str()), (StatusCode::OK, "text/turtle; charset=utf-8"));
    for mark in ["sd:Service", "SPARQL11Query", "graph/meta", "Turtle", "sg:search"] {
        assert!(text.contains(mark), "{mark}: {text}");
    }
    let request = server.request(Method::GET, SPARQL).header("accept", "application/ld+json");
    let (status, kind, text) = body(request).await;
    assert_eq!((status, kind.as_str()), (StatusCode::OK, "application/ld+json"), "{text}");
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
    let request = server.request(Method::GET, SPARQL).header("accept", "text/csv");
    server.problem(request, 406, "not_acceptable").await;
    let request = server.request(Method::GET, "/v1/namespaces/nobody/sparql");
    server.problem(request, 404, "unknown_namespace").await;
    let (status, _, text) = body(server.request(Method::GET, "/.well-known/void")).await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.contains("void:sparqlEndpoint") && text.contains(SPARQL), "{text}");
}

#[tokio::test]
async fn an_answer_that_is_known_is_not_sent_again() {
    let server = told().await;
    let path = with_query(SPARQL, &[("query", SELECT)]);
    let first = server.request(Method::GET, &path).send().await.unwrap();
    let tag = first.headers()["etag"].to_str().unwrap().to_owned();
    let again = || server.request(Method::GET, &path).header("if-none-match", tag.as_str());
    let response = again().send().await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(response.headers()["etag"], tag.as_str());
    assert!(response.text().await.unwrap().is_empty());
    server
        .record(
            "a",
            json!({"turn_id": "later", "messages": [
                {"role": "user", "content": "We talked about the weather.", "at": "2026-05-20T09:00:00Z"}]}),
        )
        .await;
    server.settle("a").await;
    assert_eq!(again().send().await.unwrap().status(), StatusCode::OK, "the revision moved on");
}

/// Values of one column.
fn column(text: &str, name: &str) -> Vec<String> {
    let rows: serde_json::Value = serde_json::from_str(text).unwrap();
    let rows = rows["results"]["bindings"].as_array().expect("bindings").clone();
    rows.iter().map(|row| row[name]["value"].as_str().unwrap_or("").to_owned()).collect()
}

#[tokio::test]
async fn text_is_searched_inside_a_query_and_joins_the_graph() {
    let server = told().await;
    let ask = |query: &str| server.request(Method::GET, &with_query(SPARQL, &[("query", query)]));
    // From words to the message, from there to the Event and the value it gave.
    let (status, _, text) = body(ask("SELECT ?said ?value ?score WHERE {
           SERVICE sg:search { ?message sg:match \"installs minutes\" ; sg:in \"messages\" ;
                               sg:score ?score ; sg:snippet ?said ; sg:limit 5 }
           GRAPH <https://w3id.org/stratagate/id/a/graph/meta> {
             ?event prov:wasDerivedFrom ?message . ?fact sg:openedBy ?event ; sg:value ?value }
         } ORDER BY DESC(?score)"))
    .await;
    assert_eq!(status, StatusCode::OK, "{text}");
    let values = column(&text, "value");
    assert!(values.iter().any(|value| value.ends_with("pnpm")), "{text}");
    assert!(column(&text, "said")[0].contains("CI installs take 6 minutes"), "{text}");
    let scores: Vec<f64> = column(&text, "score").iter().map(|s| s.parse().unwrap()).collect();
    assert!(scores.iter().all(|score| *score > 0.0), "{text}");

    // What was superseded is found too; the graph says so.
    let facts = "SELECT ?hit WHERE { SERVICE sg:search { ?hit sg:match \"npm package manager\" ; sg:in \"facts\" } }";
    let (_, _, text) = body(ask(facts)).await;
    assert_eq!(column(&text, "hit").len(), 2, "npm and pnpm: {text}");
    let (_, _, text) =
        body(ask("ASK { SERVICE sg:search { ?hit sg:match \"zzyzx quux\" } }")).await;
    assert!(text.contains("false"), "{text}");

    for bad in [
        "SELECT * { ?hit sg:speaker ?who . SERVICE sg:search { ?hit sg:match ?who } }",
        "SELECT * { SERVICE sg:search { ?hit sg:match \"x\" ; sg:limit 5000 } }",
        "SELECT * { SERVICE sg:search { ?hit sg:match \"x\" ; sg:in \"people\" } }",
        "SELECT * { SERVICE ?where { ?hit sg:match \"x\" } }",
    ] {
        server.problem(ask(bad), 400, "query_refused").await;
    }
    // User text is never a grammar.
    for words in ["- *", "a:(^", "AND OR NOT", "\\\"quoted\\\""] {
        let query = format!("SELECT * {{ SERVICE sg:search {{ ?hit sg:match \"{words}\" }} }}");
        assert_eq!(ask(&query).send().await.unwrap().status(), StatusCode::OK, "{words}");
    }
}

#[tokio::test]
async fn what_is_no_read_is_refused() {
    let server = told().await;
    let direct = |query: &str| {
        server
            .request(Method::POST, SPARQL)
            .header("content-type", "application/sparql-query")
            .body(query.to_owned())
    };
    for query in ["", "SELECT", "nonsense", "SELECT * WHERE {"] {
        server.problem(direct(query), 400, "invalid_query").await;
    }
    let outgoing = "SELECT * WHERE { SERVICE <http://127.0.0.1:9/sparql> { ?s ?p ?o } }";
    server.problem(direct(outgoing), 400, "query_refused").await;
    for hostile in
        ["{".repeat(20_000), format!("SELECT * WHERE {}", "{".repeat(20_000)), "(".repeat(60_000)]
    {
        let status = direct(&hostile).send().await.unwrap().status();
        assert_eq!(status, StatusCode::BAD_REQUEST);
    }
    server.problem(direct(&"#".repeat(70_000)), 413, "too_large").await;
    let request = server.request(Method::GET, &with_query(SPARQL, &[("update", "CLEAR ALL")]));
    server.problem(request, 400, "query_refused").await;
    for update in [
        "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
        "DELETE WHERE { ?s ?p ?o }",
        "# c\nPREFIX a: <urn:a#> LOAD <urn:x>",
        "CLEAR ALL",
    ] {
        let problem = server.problem(direct(update), 400, "query_refused").await;
        assert!(problem["detail"].as_str().unwrap().contains("only reads"), "{problem}");
    }
    let request = server
        .request(Method::POST, SPARQL)
        .header("content-type", "application/sparql-update")
        .body("CLEAR ALL");
    server.problem(request, 415, "unsupported_media_type").await;
    server
        .problem(server.request(Method::POST, SPARQL).body(SELECT), 415, "unsupported_media_type")
        .await;
    server.problem(server.request(Method::PUT, SPARQL), 405, "method_not_allowed").await;
    for query in [
        "query=ASK%7B%7D&query=ASK%7B%7D",
        "query=ASK%7B%7D&timeout=soon",
        "query=ASK%7B%7D&timeout=60",
    ] {
        let request = server.request(Method::GET, &format!("{SPARQL}?{query}"));
        server.problem(request, 400, "invalid_parameter").await;
    }
    assert_eq!(server.get("/healthz").await["status"], "ok", "the service stands");
}

#[tokio::test]
async fn a_query_that_never_ends_is_stopped_at_its_deadline() {
    let server = told().await;
    let meta = "https://w3id.org/stratagate/id/a/graph/meta";
    // Every message beside every other, eight deep.
    let deep: Vec<String> = (0..8).map(|n| format!("?m{n} a ?class .")).collect();
    let endless =
        format!("SELECT (COUNT(*) AS ?n) WHERE {{ GRAPH <{meta}> {{ {} }} }}", deep.join(" "));
    let started = std::time::Instant::now();
    let request = server.request(
        Method::GET,
        &with_query(SPARQL, &[("query", endless.as_str()), ("timeout", "0.3")]),
    );
    let problem = server.problem(request, 503, "query_timed_out").await;
    assert!(started.elapsed().as_secs() < 10, "{problem}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_query_that_takes_too_much_memory_is_ended_alone() {
    let server = TestServer::start_with(&["--clock", "messages", "--query-memory-mib", "32"]);
    tell_story(&server, "a").await;
    let ask = |query: &str| server.request(Method::GET, &with_query(SPARQL, &[("query", query)]));
    // Three times everything beside everything, sorted: millions of rows that must all be kept.
    let sorted = "SELECT * { GRAPH ?g { ?a ?b ?c . ?d ?e ?f . ?h ?i ?j } } ORDER BY ?j ?f ?c";
    // A string that is doubled until it is a gigabyte long.
    let doublings: Vec<String> =
        (0..27).map(|n| format!("BIND(CONCAT(?s{n}, ?s{n}) AS ?s{})", n + 1)).collect();
    let doublings = doublings.join(" ");
    let doubled =
        format!("SELECT (STRLEN(?s27) AS ?n) {{ BIND(\"0123456789\" AS ?s0) {doublings} }}");
    for hostile in [sorted, &doubled] {
        let problem = server.problem(ask(hostile), 400, "query_out_of_memory").await;
        assert!(problem["detail"].as_str().unwrap().contains("32 MiB"), "{problem}");
        // Whoever asks next is served.
        let (status, _, text) = body(ask(SELECT)).await;
        assert_eq!(status, StatusCode::OK, "{text}");
    }
    // A path without an end may be asked: it ends by itself here.
    let closure = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?new prov:wasRevisionOf+ ?old } }";
    let (status, _, text) = body(ask(closure)).await;
    assert_eq!(status, StatusCode::OK, "{text}");
}

#[tokio::test]
async fn named_views_run_with_their_parameters() {
    let server = told().await;
    let list = server.get("/v1/namespaces/a/queries").await;
    let names: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|q| q["name"].as_str().unwrap()).collect();
    for name in [
        "current_state",
        "superseded_history",
        "state_as_of",
        "timeline",
        "why",
        "diff",
        "conflicts",
        "plans_open",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    let path = format!("/v1/namespaces/a/queries/current_state?entity={KIOSK}");
    let rows = server.get(&path).await;
    assert!(rows.to_string().contains("pnpm"), "{rows}");
    let request = server.request(Method::POST, "/v1/namespaces/a/queries/current_state");
    let posted = server.json(request.json(&json!({"entity": KIOSK})), StatusCode::OK).await;
    assert_eq!(posted, rows);
    let request = server.request(Method::GET, &path).header("accept", "text/csv");
    assert!(body(request).await.1.starts_with("text/csv"));
    let request = server.request(Method::GET, "/v1/namespaces/a/queries/no_such_view");
    server.problem(request, 404, "not_found").await;
    let request = server.request(
        Method::GET,
        &format!("/v1/namespaces/a/queries/state_as_of?entity={KIOSK}&valid_at=soon"),
    );
    server.problem(request, 400, "invalid_parameter").await;
}

#[tokio::test]
async fn single_graphs_are_read_by_name() {
    let server = told().await;
    let graph = "/v1/namespaces/a/graph";
    let meta = "https://w3id.org/stratagate/id/a/graph/meta";
    for query in ["?default", "?graph=default", "?graph=meta", &format!("?graph={meta}")] {
        let (status, kind, text) =
            body(server.request(Method::GET, &format!("{graph}{query}"))).await;
        assert_eq!(
            (status, kind.as_str()),
            (StatusCode::OK, "text/turtle; charset=utf-8"),
            "{text}"
        );
        assert!(text.contains("pnpm"), "{query}");
    }
    let request = server
        .request(Method::GET, &format!("{graph}?default"))
        .header("accept", "application/n-triples");
    assert_eq!(body(request).await.1, "application/n-triples");
    for query in ["", "?default&graph=meta"] {
        let request = server.request(Method::GET, &format!("{graph}{query}"));
        server.problem(request, 400, "invalid_parameter").await;
    }
    for query in ["?graph=nonsense", "?graph=urn:nonsense"] {
        let request = server.request(Method::GET, &format!("{graph}{query}"));
        server.problem(request, 404, "not_found").await;
    }
    server
        .problem(
            server.request(Method::PUT, &format!("{graph}?default")),
            405,
            "method_not_allowed",
        )
        .await;
}

#[tokio::test]
async fn an_export_is_whole_and_sorted() {
    let server = told().await;
    let export = "/v1/namespaces/a/export";
    let (status, kind, nquads) = body(server.request(Method::GET, export)).await;
    assert_eq!((status, kind.as_str()), (StatusCode::OK, "application/n-quads"));
    let lines: Vec<&str> = nquads.lines().collect();
    assert!(lines.is_sorted() && lines.len() > 50);
    assert!(nquads.contains("CI installs take 6 minutes"));
    let (_, kind, _) = body(server.request(Method::GET, &format!("{export}?format=trig"))).await;
    assert_eq!(kind, "application/trig");
    let (_, kind, jsonl) =
        body(server.request(Method::GET, &format!("{export}?format=jsonl"))).await;
    assert_eq!(kind, "application/x-ndjson");
    for line in jsonl.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("each line is JSON");
    }
    let request = server.request(Method::GET, &format!("{export}?format=docx"));
    server.problem(request, 400, "invalid_parameter").await;
}
