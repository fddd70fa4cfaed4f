//! Why a state is what it is, and what changed between two points.

use super::Answer;
use crate::api::wire::{DiffBody, WhyBody};
use crate::api::{
    ApiError, App,
    params::{Ns, Params},
};
use crate::memory::{DiffClock, REPLACED_LINKS, WhyQuestion};
use crate::model::FactId;
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
