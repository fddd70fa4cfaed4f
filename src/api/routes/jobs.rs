//! Background work: what is pending, what failed, and its changes as they happen.

use super::Answer;
use crate::api::wire::{JobBody, ListBody};
use crate::api::{
    ApiError, App,
    params::{Ns, Params, Segment},
};
use crate::memory::{JobCard, JobFilter};
use crate::model::{JobId, NamespaceName};
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::{Stream, StreamExt};
use std::convert::Infallible;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;

const STATES: &[&str] = &["pending", "running", "done", "failed", "cancelled"];
const KINDS: &[&str] = &["summarise", "extract", "project"];

/// Lists jobs.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/jobs", tag = "jobs",
    params(("state" = Option<String>, Query, description = "`pending`, `running`, `done`, `failed` or `cancelled`"),
        ("kind" = Option<String>, Query, description = "`summarise`, `extract` or `project`"),
        ("limit" = Option<usize>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = ListBody<JobBody>)))]
pub async fn list_jobs(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
) -> Answer<ListBody<JobBody>> {
    let known = |list: &'static [&'static str]| {
        move |word: &str| list.contains(&word).then(|| word.to_owned())
    };
    let filter = JobFilter {
        state: params.word("state", known(STATES), STATES)?,
        kind: params.word("kind", known(KINDS), KINDS)?,
        page: params.page()?,
    };
    let page = app.run(move |memory| memory.jobs(&ns, &filter)).await?;
    Ok(Json(ListBody::from_page(page)))
}

/// Returns a job.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/jobs/{id}", tag = "jobs",
    responses((status = 200, body = JobBody)))]
pub async fn get_job(State(app): State<App>, Ns(ns): Ns, Segment(id): Segment) -> Answer<JobBody> {
    let card = app.run(move |memory| memory.job(&ns, &JobId(id))).await?;
    Ok(Json(card.into()))
}

/// Tries a failed or cancelled job again.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/jobs/{id}/retry", tag = "jobs",
    responses((status = 200, body = JobBody)))]
pub async fn retry_job(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(id): Segment,
) -> Answer<JobBody> {
    let card = app.run(move |memory| memory.retry_job(&ns, &JobId(id))).await?;
    Ok(Json(card.into()))
}

/// Cancels a job that is not done. Its source stays, and it can be retried.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/jobs/{id}/cancel", tag = "jobs",
    responses((status = 200, body = JobBody)))]
pub async fn cancel_job(
    State(app): State<App>,
    Ns(ns): Ns,
    Segment(id): Segment,
) -> Answer<JobBody> {
    let card = app.run(move |memory| memory.cancel_job(&ns, &JobId(id))).await?;
    Ok(Json(card.into()))
}

/// Sends each change of a job as a server-sent event named `job`; `lagged` says how many were
/// missed by a slow reader.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/jobs/events", tag = "jobs",
    responses((status = 200, description = "`text/event-stream` of jobs", body = JobBody, content_type = "text/event-stream")))]
pub async fn job_events(
    State(app): State<App>,
    Ns(ns): Ns,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    // Subscribed before the check, so that nothing between the two is missed.
    let changes = app.memory().job_events();
    let name = ns.clone();
    app.run(move |memory| memory.namespace(&name)).await?;
    let stopped = app.clone().stopped();
    let events = BroadcastStream::new(changes)
        .filter_map(move |change| futures::future::ready(as_event(&ns, change).map(Ok)))
        .take_until(Box::pin(stopped));
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

fn as_event(
    ns: &NamespaceName,
    change: Result<(NamespaceName, JobCard), BroadcastStreamRecvError>,
) -> Option<Event> {
    match change {
        Ok((namespace, card)) if namespace == *ns => {
            let id = card.id.to_string();
            Event::default().event("job").id(id).json_data(JobBody::from(card)).ok()
        }
        Ok(_) => None,
        Err(BroadcastStreamRecvError::Lagged(missed)) => {
            Some(Event::default().event("lagged").data(missed.to_string()))
        }
    }
}
