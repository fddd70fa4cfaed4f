//! The evidence gate and adoptions.

use super::Answer;
use crate::api::wire::{AdoptionAnswerBody, AdoptionBody, AssessAnswerBody, AssessBody};
use crate::api::{App, body, params::Ns};
use crate::model::{AssessmentId, ReceiptId};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;

/// Puts a verdict on a batch before the gate, which may lower it and says why.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/assess", tag = "gate",
    request_body = AssessBody,
    responses((status = 200, body = AssessAnswerBody)))]
pub async fn assess(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Answer<AssessAnswerBody> {
    let body: AssessBody = body::json(&headers, body, body::SMALL).await?;
    let request = body.into();
    let answer = app.run(move |memory| memory.assess(&ns, &request)).await?;
    Ok(Json(answer.into()))
}

/// Records what was really used in a final answer. Only this reinforces.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/adoptions", tag = "gate",
    request_body = AdoptionBody,
    responses((status = 200, body = AdoptionAnswerBody)))]
pub async fn adopt(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Answer<AdoptionAnswerBody> {
    let body: AdoptionBody = body::json(&headers, body, body::SMALL).await?;
    let receipt = ReceiptId(body.receipt_id);
    let assessment = AssessmentId(body.assessment);
    let refs = body.evidence_refs;
    let answer = app.run(move |memory| memory.adopt(&ns, &receipt, &assessment, &refs)).await?;
    Ok(Json(answer.into()))
}
