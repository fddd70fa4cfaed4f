//! Entities, their states and their timelines.

use super::Answer;
use crate::api::wire::{EntityBody, EntityStateBody, ListBody, TimelineBody};
use crate::api::{
    App,
    params::{Ns, Params, Segment},
};
use crate::memory::{EntityFilter, EntityView};
use crate::model::EntityKind;
use axum::Json;
use axum::extract::State;

/// Lists entities.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/entities", tag = "entities",
    params(("type" = Option<String>, Query, description = "`person`, `project`, `organization`, `tool`, `place` or `thing`"),
        ("q" = Option<String>, Query, description = "A part of the name or an alias"),
        ("known_at" = Option<String>, Query, description = "Known by this time"),
        ("limit" = Option<usize>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = ListBody<EntityBody>)))]
pub async fn list_entities(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
) -> Answer<ListBody<EntityBody>> {
    let kinds: Vec<&str> = EntityKind::ALL.iter().map(|(_, word)| *word).collect();
    let as_of = params.as_of()?;
    let filter = EntityFilter {
        kind: params.word("type", EntityKind::parse, &kinds)?,
        q: params.words("q")?.map(str::to_owned),
        known_at: as_of.known_at,
        page: params.page()?,
    };
    let page = app.run(move |memory| memory.entities(&ns, &filter)).await?;
    Ok(Json(ListBody::from_page(page)))
}

/// Returns what held of an entity at `valid_at` as known at `known_at`: now by default. With `limit`
/// so many of its Slots; `next` then leads to more.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/entities/{id}", tag = "entities",
    params(("valid_at" = Option<String>, Query, description = "When it should hold in the world"),
        ("known_at" = Option<String>, Query, description = "As known at this time"),
        ("present_only" = Option<bool>, Query, description = "Leaves `superseded` empty: faster where the history is long"),
        ("limit" = Option<usize>, Query, description = "Slots on a page; all by default"),
        ("cursor" = Option<String>, Query)),
    responses((status = 200, body = EntityStateBody)))]
pub async fn get_entity(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(id): Segment,
    params: Params,
) -> Answer<EntityStateBody> {
    let as_of = params.as_of()?;
    let page = params.page()?;
    let view = EntityView {
        slots: page.limit,
        cursor: page.cursor,
        present_only: params.flag("present_only")?,
    };
    let state = app.run(move |memory| memory.entity(&ns, &id, as_of, &view)).await?;
    Ok(Json(state.into()))
}

/// Returns an entity's history in order of valid time.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/entities/{id}/timeline", tag = "entities",
    params(("valid_at" = Option<String>, Query, description = "When it should hold in the world"),
        ("known_at" = Option<String>, Query, description = "As known at this time"),
        ("limit" = Option<usize>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = TimelineBody)))]
pub async fn get_timeline(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(id): Segment,
    params: Params,
) -> Answer<TimelineBody> {
    let as_of = params.as_of()?;
    let page = params.page()?;
    let (entity, page) = app.run(move |memory| memory.timeline(&ns, &id, as_of, &page)).await?;
    let ListBody { items, next } = ListBody::from_page(page);
    Ok(Json(TimelineBody { entity: entity.into(), items, next }))
}
