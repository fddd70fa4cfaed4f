//! Service level: health, metrics, the OpenAPI document, the ontology.

use super::Answer;
use crate::api::wire::HealthBody;
use crate::api::{ApiError, App, Code, described};
use crate::telemetry;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};

/// The terms of the graph.
const ONTOLOGY: &str = include_str!("../../../ontology/core.ttl");

fn health() -> HealthBody {
    HealthBody { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

/// Says that the process answers.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, body = HealthBody)))]
pub async fn healthz() -> Json<HealthBody> {
    Json(health())
}

/// Says that the data folder is open and readable.
#[utoipa::path(get, path = "/readyz", tag = "service", responses((status = 200, body = HealthBody)))]
pub async fn readyz(State(app): State<App>) -> Answer<HealthBody> {
    app.run(crate::memory::Memory::namespaces).await.map_err(|error| {
        ApiError::new(
            Code::Unavailable,
            format!("the data folder cannot be read: {}", error.detail),
        )
    })?;
    Ok(Json(health()))
}

/// Returns metrics in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", tag = "service",
    responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn metrics() -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        telemetry::render_metrics(),
    )
}

/// Returns this description.
#[utoipa::path(get, path = "/openapi.json", tag = "service",
    responses((status = 200, description = "OpenAPI 3.1", content_type = "application/json")))]
pub async fn openapi_json() -> impl IntoResponse {
    Json(crate::api::openapi())
}

/// Returns the ontology: the terms that the graph uses.
#[utoipa::path(get, path = "/ontology", tag = "service",
    responses((status = 200, description = "The ontology in the form that `Accept` asks for",
        content((String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
            (String = "application/ld+json"), (String = "application/trig"), (String = "application/n-quads")))))]
pub async fn ontology(headers: HeaderMap) -> Result<Response, ApiError> {
    described::turtle(&headers, ONTOLOGY)
}

/// Returns the VoID description of every namespace: where it can be asked and fetched.
#[utoipa::path(get, path = "/.well-known/void", tag = "service",
    responses((status = 200, description = "The description in the form that `Accept` asks for",
        content((String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
            (String = "application/ld+json"), (String = "application/trig"), (String = "application/n-quads")))))]
pub async fn void(State(app): State<App>, headers: HeaderMap) -> Result<Response, ApiError> {
    described::datasets(&app, &headers).await
}
