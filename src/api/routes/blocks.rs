//! Blocks and their views.

use super::Answer;
use crate::api::wire::{BlockBody, ExpandBody, ListBody};
use crate::api::{
    ApiError, App, body,
    params::{Ns, Params, Segment},
};
use crate::memory::{BlockFilter, ExpandTo};
use crate::model::{BlockId, BlockState, Level, ThreadId};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;

const STATES: &[&str] = &["sealed", "summarised", "ready", "failed"];

/// Lists Blocks at their present levels.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/blocks", tag = "blocks",
    params(("thread" = Option<String>, Query, description = "Of one thread"),
        ("state" = Option<String>, Query, description = "`sealed`, `summarised`, `ready` or `failed`"),
        ("limit" = Option<usize>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = ListBody<BlockBody>)))]
pub async fn list_blocks(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
) -> Answer<ListBody<BlockBody>> {
    let filter = BlockFilter {
        thread: params.text("thread")?.map(ThreadId::from),
        state: params.word("state", BlockState::parse, STATES)?,
        page: params.page()?,
    };
    let page = app.run(move |memory| memory.blocks(&ns, &filter)).await?;
    Ok(Json(ListBody::from_page(page)))
}

/// Returns a Block at its present level, or at the one asked for. Looking changes no anchor.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/blocks/{id}", tag = "blocks",
    params(("level" = Option<String>, Query, description = "`L0` to `L5`")),
    responses((status = 200, body = BlockBody)))]
pub async fn get_block(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(id): Segment,
    params: Params,
) -> Answer<BlockBody> {
    let level = match params.text("level")? {
        None => None,
        Some(text) => Some(
            text.parse::<Level>()
                .map_err(|error| ApiError::parameter("level", error.to_string()))?,
        ),
    };
    let card = app.run(move |memory| memory.block(&ns, &BlockId(id), level)).await?;
    Ok(Json(card.into()))
}

/// Expands a Block one level, or straight to one; it decays again from there.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/blocks/{id}/expand", tag = "blocks",
    request_body = ExpandBody,
    responses((status = 200, body = BlockBody)))]
pub async fn expand_block(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(id): Segment,
    headers: HeaderMap,
    body: Body,
) -> Answer<BlockBody> {
    let request: ExpandBody = body::json(&headers, body, body::SMALL).await?;
    let to = if request.to == "next" {
        ExpandTo::Next
    } else {
        let level = request.to.parse::<Level>();
        ExpandTo::Level(
            level.map_err(|error| ApiError::value("to", format!("{error}, or `next`")))?,
        )
    };
    let card = app.run(move |memory| memory.expand(&ns, &BlockId(id), to)).await?;
    Ok(Json(card.into()))
}
