//! Namespaces: list, create or change, read, erase.

use super::Answer;
use crate::api::wire::{ListBody, NamespaceBody, SettingsPatchBody};
use crate::api::{ApiError, App, body, params::Ns};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

/// Lists all namespaces.
#[utoipa::path(get, path = "/v1/namespaces", tag = "namespaces",
    responses((status = 200, body = ListBody<NamespaceBody>)))]
pub async fn list_namespaces(State(app): State<App>) -> Answer<ListBody<NamespaceBody>> {
    let namespaces = app.run(crate::memory::Memory::namespaces).await?;
    Ok(Json(ListBody::whole(namespaces.into_iter().map(Into::into).collect())))
}

/// Returns a namespace's settings, counts and progress.
#[utoipa::path(get, path = "/v1/namespaces/{ns}", tag = "namespaces",
    responses((status = 200, body = NamespaceBody)))]
pub async fn get_namespace(State(app): State<App>, Ns(ns): Ns) -> Answer<NamespaceBody> {
    let info = app.run(move |memory| memory.namespace(&ns)).await?;
    Ok(Json(info.into()))
}

/// Creates a namespace, or changes its settings; what the body leaves out stays.
#[utoipa::path(put, path = "/v1/namespaces/{ns}", tag = "namespaces",
    request_body = SettingsPatchBody,
    responses((status = 200, description = "Changed, or as it was", body = NamespaceBody),
        (status = 201, description = "Created", body = NamespaceBody)))]
pub async fn put_namespace(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<NamespaceBody>), ApiError> {
    let patch: SettingsPatchBody = body::json(&headers, body, body::SMALL).await?;
    let (info, created) = app.run(move |memory| memory.configure(&ns, &patch.into())).await?;
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(info.into())))
}

/// Erases a namespace with everything in it, for good.
#[utoipa::path(delete, path = "/v1/namespaces/{ns}", tag = "namespaces",
    responses((status = 204, description = "Erased")))]
pub async fn delete_namespace(State(app): State<App>, Ns(ns): Ns) -> Result<StatusCode, ApiError> {
    app.run(move |memory| memory.erase(&ns)).await?;
    Ok(StatusCode::NO_CONTENT)
}
