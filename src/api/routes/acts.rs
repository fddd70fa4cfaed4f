//! Acts of an operator: what a person in charge decides, each with its record, each undoable.

use super::Answer;
use crate::api::wire::{ActBody, ListBody, MergeProposalBody, NewActBody, UndoBody};
use crate::api::{
    ApiError, App, body,
    params::{Ns, Params, Segment},
};
use crate::memory::ActRequest;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

/// Carries out an act: resolves a conflict, corrects or retracts, merges or splits entities.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/acts", tag = "acts",
    request_body = NewActBody,
    responses((status = 201, body = ActBody)))]
pub async fn post_act(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<ActBody>), ApiError> {
    let body: NewActBody = body::json(&headers, body, body::SMALL).await?;
    let request = ActRequest::try_from(body)?;
    let act = app.run(move |memory| memory.act(&ns, &request)).await?;
    Ok((StatusCode::CREATED, Json(act.into())))
}

/// Lists acts, the newest first.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/acts", tag = "acts",
    params(("limit" = Option<usize>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = ListBody<ActBody>)))]
pub async fn list_acts(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
) -> Answer<ListBody<ActBody>> {
    let page = params.page()?;
    let page = app.run(move |memory| memory.acts(&ns, &page)).await?;
    Ok(Json(ListBody::from_page(page)))
}

/// Returns an act.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/acts/{id}", tag = "acts",
    responses((status = 200, body = ActBody)))]
pub async fn get_act(State(app): State<App>, Ns(ns): Ns, Segment(id): Segment) -> Answer<ActBody> {
    let seq = number(&id)?;
    let act = app.run(move |memory| memory.act_of(&ns, seq)).await?;
    Ok(Json(act.into()))
}

/// Undoes an act: what it took back counts again, and what it said does not.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/acts/{id}/undo", tag = "acts",
    request_body = UndoBody,
    responses((status = 201, body = ActBody)))]
pub async fn undo_act(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(id): Segment,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<ActBody>), ApiError> {
    let seq = number(&id)?;
    let body: UndoBody = body::json(&headers, body, body::SMALL).await?;
    let act = app.run(move |memory| memory.undo(&ns, seq, body.note.as_deref())).await?;
    Ok((StatusCode::CREATED, Json(act.into())))
}

/// Proposes entities that may be one, the surest first. Only an act merges them.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/merge_proposals", tag = "acts",
    responses((status = 200, body = ListBody<MergeProposalBody>)))]
pub async fn merge_proposals(
    State(app): State<App>,
    Ns(ns): Ns,
) -> Answer<ListBody<MergeProposalBody>> {
    let proposals = app.run(move |memory| memory.merge_proposals(&ns)).await?;
    let items = proposals.into_iter().map(Into::into).collect();
    Ok(Json(ListBody::whole(items)))
}

fn number(id: &str) -> Result<u64, ApiError> {
    id.parse().map_err(|_| ApiError::parameter("id", format!("{id:?} is no number of an act")))
}
