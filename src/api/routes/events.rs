//! Events, and the acts of an operator on them.

use super::Answer;
use crate::api::negotiate::{self, accept, choose};
use crate::api::wire::{EventBody, ListBody};
use crate::api::{
    ApiError, App,
    params::{Ns, Params, Segment},
};
use crate::memory::{AsOf, EntityView, EventFilter, Memory, MemoryError};
use crate::model::{EntityId, EventId, EventKind, EventStatus, NamespaceName, ThreadId};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// Forms in which one Event is given.
const FORMS: &[(&str, Form)] =
    &[("application/json", Form::Json), ("application/trig", Form::TriG)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    TriG,
}

/// Lists Events.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/events", tag = "events",
    params(("type" = Option<String>, Query, description = "Of one type"),
        ("status" = Option<String>, Query, description = "With one asserted status"),
        ("entity" = Option<String>, Query, description = "About an entity: its id, or an unambiguous name"),
        ("thread" = Option<String>, Query, description = "Of one thread"),
        ("from" = Option<String>, Query, description = "Occurrence ends after this time"),
        ("to" = Option<String>, Query, description = "Occurrence begins before this time"),
        ("mentioned_from" = Option<String>, Query, description = "Mentioned at or after this time"),
        ("mentioned_to" = Option<String>, Query, description = "Mentioned before this time"),
        ("valid_at" = Option<String>, Query, description = "By what superseded them at this time"),
        ("known_at" = Option<String>, Query, description = "Recorded by this time"),
        ("include_forgotten" = Option<bool>, Query, description = "Also forgotten ones"),
        ("limit" = Option<usize>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = ListBody<EventBody>)))]
pub async fn list_events(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
) -> Answer<ListBody<EventBody>> {
    let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let statuses: Vec<&str> = EventStatus::ALL.iter().map(|status| status.as_str()).collect();
    let as_of = params.as_of()?;
    let (from, to) = params.range("from", "to")?;
    let (mentioned_from, mentioned_to) = params.range("mentioned_from", "mentioned_to")?;
    let mut filter = EventFilter {
        kind: params.word("type", EventKind::parse, &kinds)?,
        status: params.word("status", EventStatus::parse, &statuses)?,
        entity: None,
        thread: params.text("thread")?.map(ThreadId::from),
        from,
        to,
        mentioned_from,
        mentioned_to,
        as_of,
        include_forgotten: params.flag("include_forgotten")?,
        page: params.page()?,
    };
    let entity = params.text("entity")?.map(str::to_owned);
    let page = app
        .run(move |memory| {
            if let Some(name) = entity {
                filter.entity = Some(entity_id(memory, &ns, name)?);
            }
            memory.events(&ns, &filter)
        })
        .await?;
    Ok(Json(ListBody::from_page(page)))
}

/// Finds the id behind a name. One that nobody knows stays as it is and matches nothing.
fn entity_id(memory: &Memory, ns: &NamespaceName, name: String) -> Result<EntityId, MemoryError> {
    let view = EntityView { slots: Some(1), present_only: true, ..EntityView::default() };
    match memory.entity(ns, &name, AsOf::default(), &view) {
        Ok(state) => Ok(state.entity.id),
        Err(MemoryError::NotFound { .. }) => Ok(EntityId(name)),
        Err(error) => Err(error),
    }
}

/// Returns an Event: as JSON, or as TriG with its assertion, provenance and publication info.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/events/{id}", tag = "events",
    params(("valid_at" = Option<String>, Query, description = "By what superseded it at this time"),
        ("known_at" = Option<String>, Query, description = "As known at this time; JSON only")),
    responses((status = 200, content((EventBody = "application/json"), (String = "application/trig")))))]
pub async fn get_event(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(id): Segment,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let form = choose(&accept(&headers), FORMS)
        .ok_or_else(|| negotiate::not_acceptable(FORMS.iter().map(|(kind, _)| *kind)))?;
    let id = EventId(id);
    let as_of = params.as_of()?;
    let mut response = match form {
        Form::Json => {
            let card = app.run(move |memory| memory.event(&ns, &id, as_of)).await?;
            Json(EventBody::from(card)).into_response()
        }
        Form::TriG => {
            let trig = app.run(move |memory| memory.event_trig(&ns, &id)).await?;
            ([(header::CONTENT_TYPE, "application/trig")], trig).into_response()
        }
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

/// Pins an Event: its weight is 1 and it is always a candidate of recall.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/events/{id}/pin", tag = "events",
    responses((status = 200, body = EventBody)))]
pub async fn pin_event(app: State<App>, ns: Ns, id: Segment) -> Answer<EventBody> {
    act(app, ns, id, |memory, ns, id| memory.pin(ns, id, true)).await
}

/// Undoes a pin.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/events/{id}/unpin", tag = "events",
    responses((status = 200, body = EventBody)))]
pub async fn unpin_event(app: State<App>, ns: Ns, id: Segment) -> Answer<EventBody> {
    act(app, ns, id, |memory, ns, id| memory.pin(ns, id, false)).await
}

/// Hides an Event, and the facts that rest on it alone, at every point of both clocks.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/events/{id}/forget", tag = "events",
    responses((status = 200, body = EventBody)))]
pub async fn forget_event(app: State<App>, ns: Ns, id: Segment) -> Answer<EventBody> {
    act(app, ns, id, Memory::forget).await
}

/// Undoes a forget.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/events/{id}/restore", tag = "events",
    responses((status = 200, body = EventBody)))]
pub async fn restore_event(app: State<App>, ns: Ns, id: Segment) -> Answer<EventBody> {
    act(app, ns, id, Memory::restore_event).await
}

async fn act<F>(State(app): State<App>, ns: Ns, id: Segment, operation: F) -> Answer<EventBody>
where
    F: FnOnce(&Memory, &NamespaceName, &EventId) -> Result<crate::memory::EventCard, MemoryError>
        + Send
        + 'static,
{
    let card = app.run(move |memory| operation(memory, &ns.0, &EventId(id.0))).await?;
    Ok(Json(card.into()))
}
