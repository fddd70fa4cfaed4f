//! Search and recall. Both only read: no weight, anchor or count changes.

use super::Answer;
use crate::api::wire::{RecallAnswerBody, RecallBody, SearchAnswerBody, SearchBody};
use crate::api::{App, body, params::Ns};
use crate::memory::{RecallRequest, SearchRequest};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;

/// Searches Events, facts, messages and Block views.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/search", tag = "search",
    request_body = SearchBody,
    responses((status = 200, body = SearchAnswerBody)))]
pub async fn search(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Answer<SearchAnswerBody> {
    let body: SearchBody = body::json(&headers, body, body::SMALL).await?;
    let request = SearchRequest::try_from(body)?;
    let answer = app.run(move |memory| memory.search(&ns, &request)).await?;
    Ok(Json(answer.into()))
}

/// Recalls a little before an answer: at most 4 Events and 4 entities within the budget.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/recall", tag = "search",
    request_body = RecallBody,
    responses((status = 200, body = RecallAnswerBody)))]
pub async fn recall(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Answer<RecallAnswerBody> {
    let body: RecallBody = body::json(&headers, body, body::SMALL).await?;
    let request = RecallRequest::try_from(body)?;
    let answer = app.run(move |memory| memory.recall(&ns, &request)).await?;
    Ok(Json(answer.into()))
}
