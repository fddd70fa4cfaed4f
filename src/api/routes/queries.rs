//! The views that can be run by name.

use super::{Answer, sparql};
use crate::api::wire::{ListBody, NamedQueryBody, QueryColumnBody, QueryParamBody};
use crate::api::{
    ApiError, App, body,
    params::{Ns, Params, Segment, instant},
};
use crate::model::to_rfc3339;
use crate::store::{NamedQuery, ParamKind};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use std::collections::BTreeMap;

/// Parameters that say how a view is run, not what it is asked.
const OPTIONS: &[&str] = &["timeout", "max_rows", "default-graph-uri", "named-graph-uri"];

/// Parameters that mean "now" where they are absent.
const CLOCKS: &[&str] = &["valid_at", "known_at"];

/// Lists the views.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/queries", tag = "sparql",
    responses((status = 200, body = ListBody<NamedQueryBody>)))]
pub async fn list_queries(State(app): State<App>, Ns(ns): Ns) -> Answer<ListBody<NamedQueryBody>> {
    app.run(move |memory| memory.namespace(&ns)).await?;
    let items = NamedQuery::all().iter().filter(|query| query.public).map(body_of).collect();
    Ok(Json(ListBody::whole(items)))
}

fn body_of(query: &NamedQuery) -> NamedQueryBody {
    NamedQueryBody {
        name: query.name.to_owned(),
        title: query.title.to_owned(),
        purpose: query.purpose.to_owned(),
        params: query
            .params
            .iter()
            .map(|param| QueryParamBody {
                name: param.name.to_owned(),
                kind: param.kind.as_str().to_owned(),
                required: !param.optional && !CLOCKS.contains(&param.name),
                meaning: param.meaning.to_owned(),
            })
            .collect(),
        columns: query
            .columns
            .iter()
            .map(|column| QueryColumnBody {
                name: column.name.to_owned(),
                meaning: column.meaning.to_owned(),
            })
            .collect(),
        sparql: query.text.to_owned(),
    }
}

/// Reads date-times as every other call reads them, so that they mean the same here.
fn settle_times(name: &str, arguments: &mut BTreeMap<String, String>) -> Result<(), ApiError> {
    let Some(view) = NamedQuery::find(name) else { return Ok(()) };
    for param in view.params.iter().filter(|param| param.kind == ParamKind::DateTime) {
        if let Some(text) = arguments.get_mut(param.name) {
            let at = instant(text).map_err(|reason| ApiError::parameter(param.name, reason))?;
            *text = to_rfc3339(at);
        }
    }
    Ok(())
}

/// Runs a view; its parameters are those of the query string.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/queries/{name}", tag = "sparql",
    params(("timeout" = Option<f64>, Query, description = "Seconds, 10 by default, at most 30"),
        ("max_rows" = Option<usize>, Query, description = "Rows or triples at most, 100,000 by default")),
    responses((status = 200, description = "The answer, in the forms of the SPARQL endpoint", content(
        (String = "application/sparql-results+json"), (String = "application/sparql-results+xml"),
        (String = "text/csv"), (String = "text/tab-separated-values"), (String = "text/turtle")))))]
pub async fn get_query(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(name): Segment,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let mut arguments = BTreeMap::new();
    for (key, _) in params.except(OPTIONS) {
        if let Some(value) = params.text(key)? {
            arguments.insert(key.to_owned(), value.to_owned());
        }
    }
    settle_times(&name, &mut arguments)?;
    sparql::answer(&app, &params, &headers, move |memory, options| {
        memory.named_query(&ns, &name, &arguments, options)
    })
    .await
}

/// Runs a view; its parameters come as a form or as a JSON object of strings.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/queries/{name}", tag = "sparql",
    request_body(content((BTreeMap<String, String> = "application/json"), (String = "application/x-www-form-urlencoded"))),
    responses((status = 200, description = "The answer, in the forms of the SPARQL endpoint", content(
        (String = "application/sparql-results+json"), (String = "application/sparql-results+xml"),
        (String = "text/csv"), (String = "text/tab-separated-values"), (String = "text/turtle")))))]
pub async fn post_query(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(name): Segment,
    params: Params,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let mut arguments: BTreeMap<String, String> = BTreeMap::new();
    if body::media_type(&headers).as_deref() == Some("application/x-www-form-urlencoded") {
        let bytes = body::read(body, body::SMALL).await?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| ApiError::parameter("body", "the form is not UTF-8"))?;
        let form = Params::parse(text)?;
        for (key, value) in form.except(OPTIONS) {
            arguments.insert(key.to_owned(), value.to_owned());
        }
    } else {
        arguments = body::json(&headers, body, body::SMALL).await?;
    }
    for (key, value) in params.except(OPTIONS) {
        arguments.insert(key.to_owned(), value.to_owned());
    }
    settle_times(&name, &mut arguments)?;
    sparql::answer(&app, &params, &headers, move |memory, options| {
        memory.named_query(&ns, &name, &arguments, options)
    })
    .await
}
