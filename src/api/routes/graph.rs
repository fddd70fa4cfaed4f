//! Reading single graphs (SPARQL 1.1 Graph Store Protocol, indirect identification).

use crate::api::negotiate::{self, GRAPHS, accept, choose, content_type};
use crate::api::{
    ApiError, App, conditional,
    params::{Ns, Params},
};
use crate::store::GraphName;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};

/// Returns one graph.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/graph", tag = "sparql",
    params(("graph" = Option<String>, Query, description = "A graph's IRI, or the last part of it as in `meta`"),
        ("default" = Option<String>, Query, description = "Without a value: the default graph, which is the current state")),
    responses((status = 200, description = "The graph in the form that `Accept` asks for",
        content((String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
            (String = "application/ld+json"), (String = "application/trig"), (String = "application/n-quads")))))]
pub async fn get_graph(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let graph = match (params.has("default"), params.text("graph")?) {
        (true, None) | (false, Some("default")) => GraphName::Default,
        (false, Some(name)) => GraphName::Named(name.to_owned()),
        (true, Some(_)) => {
            return Err(ApiError::parameter("graph", "is given together with `default`"));
        }
        (false, None) => {
            return Err(ApiError::parameter("graph", "is missing; or give `default`"));
        }
    };
    let format = choose(&accept(&headers), GRAPHS)
        .ok_or_else(|| negotiate::not_acceptable(GRAPHS.iter().map(|(kind, _)| *kind)))?;
    let bytes = app
        .run(move |memory| {
            let graph = match graph {
                GraphName::Named(name) if !name.contains(':') => {
                    let ending = format!("/graph/{name}");
                    let known = memory.graph_names(&ns)?;
                    let iri = known.into_iter().find(|iri| iri.ends_with(&ending));
                    GraphName::Named(iri.unwrap_or(name))
                }
                graph => graph,
            };
            memory.graph(&ns, &graph, format)
        })
        .await?;
    let answer = conditional::answer(&headers, &conditional::tag_of(None, &bytes), bytes)?;
    let headers = [
        (header::CONTENT_TYPE, content_type(format.media_type())),
        (header::VARY, "accept".to_owned()),
    ];
    Ok((headers, answer).into_response())
}
