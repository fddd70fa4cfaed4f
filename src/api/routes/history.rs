//! Why a state is what it is, and what changed between two points.

use super::Answer;
use crate::api::wire::{DiffBody, ListBody, StaleBody, TouchedBody, WhyBody};
use crate::api::{
    ApiError, App,
    params::{Ns, Params},
};
use crate::memory::{DiffClock, REPLACED_LINKS, WhyQuestion};
use crate::model::{FactId, MessageId, ThreadId, TxTime};
use axum::Json;
use axum::extract::State;

/// Returns the chain from a fact to the words that caused it, and to what it replaced.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/why", tag = "history",
    params(("fact" = Option<String>, Query, description = "A fact's id; or `entity` and `property`"),
        ("entity" = Option<String>, Query, description = "An entity's id, or an unambiguous name"),
        ("property" = Option<String>, Query, description = "A property, as in `package_manager`"),
        ("valid_at" = Option<String>, Query, description = "When it should hold in the world"),
        ("known_at" = Option<String>, Query, description = "As known at this time"),
        ("links" = Option<usize>, Query, description = "Links of the chain of what it replaced, up to 200; 10 by default")),
    responses((status = 200, body = WhyBody)))]
pub async fn why(State(app): State<App>, Ns(ns): Ns, params: Params) -> Answer<WhyBody> {
    let as_of = params.as_of()?;
    let question = match params.text("fact")? {
        Some(fact) if params.has("entity") || params.has("property") => {
            let reason = format!("{fact:?} already says it; leave out `entity` and `property`");
            return Err(ApiError::parameter("fact", reason));
        }
        Some(fact) => WhyQuestion::Fact(FactId::from(fact)),
        None if !params.has("entity") && !params.has("property") => {
            return Err(ApiError::parameter("fact", "is missing; or give `entity` and `property`"));
        }
        None => WhyQuestion::State {
            entity: params.required("entity")?.to_owned(),
            property: params.required("property")?.to_owned(),
            as_of,
        },
    };
    let links = params.number("links")?.unwrap_or(REPLACED_LINKS);
    let why = app.run(move |memory| memory.why(&ns, &question, links)).await?;
    Ok(Json(why.into()))
}

/// Returns what changed between two points, each change with its cause.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/diff", tag = "history",
    params(("from" = String, Query, description = "The earlier point"),
        ("to" = String, Query, description = "The later point"),
        ("clock" = Option<String>, Query, description = "`valid` (default): what changed in the world; `known`: what changed in what we know")),
    responses((status = 200, body = DiffBody)))]
pub async fn diff(State(app): State<App>, Ns(ns): Ns, params: Params) -> Answer<DiffBody> {
    params.required("from")?;
    params.required("to")?;
    let (Some(from), Some(to)) = params.range("from", "to")? else {
        return Err(ApiError::internal());
    };
    let clock = |word: &str| match word {
        "valid" => Some(DiffClock::Valid),
        "known" => Some(DiffClock::Known),
        _ => None,
    };
    let clock = params.word("clock", clock, &["valid", "known"])?.unwrap_or(DiffClock::Valid);
    let diff = app.run(move |memory| memory.diff(&ns, from, to, clock)).await?;
    Ok(Json(diff.into()))
}

/// Returns what rested on a state that has since been superseded or withdrawn: answers that used
/// it and Events that built on it.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/possibly_stale", tag = "history",
    params(("entity" = Option<String>, Query, description = "Only this entity: its id, or an unambiguous name"),
        ("known_at" = Option<String>, Query, description = "As known at this time")),
    responses((status = 200, body = ListBody<StaleBody>)))]
pub async fn possibly_stale(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
) -> Answer<ListBody<StaleBody>> {
    let entity = params.text("entity")?.map(str::to_owned);
    let known_at = params.time("known_at")?.map(TxTime);
    let items =
        app.run(move |memory| memory.possibly_stale(&ns, entity.as_deref(), known_at)).await?;
    Ok(Json(ListBody::whole(items.into_iter().map(StaleBody::from).collect())))
}

/// Returns what would be in doubt if a message turned out to be wrong: the Events drawn from it,
/// each with the answers that used it.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/blast_radius", tag = "history",
    params(("message" = String, Query, description = "The message's id"),
        ("thread" = Option<String>, Query, description = "Its thread; `main` by default")),
    responses((status = 200, body = ListBody<TouchedBody>)))]
pub async fn blast_radius(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
) -> Answer<ListBody<TouchedBody>> {
    let message = MessageId::from(params.required("message")?);
    let thread = ThreadId::from(params.text("thread")?.unwrap_or("main"));
    let items = app.run(move |memory| memory.blast_radius(&ns, &thread, &message)).await?;
    Ok(Json(ListBody::whole(items.into_iter().map(TouchedBody::from).collect())))
}
