//! Recording turns, sealing, and what stands in for a history.

use super::Answer;
use crate::api::wire::{
    BlocksSealedBody, ContextBody, NewTurnBody, ReceiptBody, ReceiptsBody, SealBody, TurnsBody,
};
use crate::api::{
    ApiError, App, Code, body,
    params::{Ns, Params},
};
use crate::memory::NewTurn;
use crate::model::ThreadId;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

/// What a body of turns holds.
enum Sent {
    One(NewTurnBody),
    Many(Vec<NewTurnBody>),
}

/// Looks whether a body has a list of turns.
#[derive(serde::Deserialize)]
struct Probe {
    turns: Option<serde::de::IgnoredAny>,
}

/// Reads one turn, an array of turns, or `{"turns": […]}`. The first characters decide which, so
/// that an error names the place in the form that was meant.
fn read_turns(bytes: &[u8]) -> Result<Sent, ApiError> {
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        return Ok(Sent::Many(body::parse(bytes, "")?));
    }
    let is_list = body::parse::<Probe>(bytes, "").is_ok_and(|probe| probe.turns.is_some());
    if is_list {
        return Ok(Sent::Many(body::parse::<TurnsBody>(bytes, "")?.turns));
    }
    Ok(Sent::One(body::parse(bytes, "")?))
}

/// Records a turn: durable before it is acknowledged, and idempotent by `turn_id`. Creates the
/// namespace when it is new. An array of turns is taken as `turns:batch` takes it.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/turns", tag = "turns",
    request_body = NewTurnBody,
    responses((status = 201, description = "Stored", body = ReceiptBody),
        (status = 200, description = "There already, with the same content", body = ReceiptBody)))]
pub async fn post_turn(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    body::expect_json(&headers)?;
    let bytes = body::read(body, body::TURNS).await?;
    let sent = read_turns(&bytes)?;
    drop(bytes);
    let (turns, one) = match sent {
        Sent::One(turn) => (vec![turn.into()], true),
        Sent::Many(turns) => (turns.into_iter().map(NewTurn::from).collect(), false),
    };
    let receipts = app.run(move |memory| memory.record(&ns, turns)).await?;
    let status = status_of(&receipts);
    if !one {
        let items = receipts.into_iter().map(Into::into).collect();
        return Ok((status, Json(ReceiptsBody { items })).into_response());
    }
    let receipt = receipts.into_iter().next().ok_or_else(ApiError::internal)?;
    Ok((status, Json(ReceiptBody::from(receipt))).into_response())
}

/// Records many turns in one durable commit, all or none.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/turns:batch", tag = "turns",
    request_body(content = TurnsBody, description = "Or an array of turns; at most 64 MiB"),
    responses((status = 201, description = "Some were stored", body = ReceiptsBody),
        (status = 200, description = "All were there already", body = ReceiptsBody)))]
pub async fn post_turns(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<ReceiptsBody>), ApiError> {
    body::expect_json(&headers)?;
    let bytes = body::read(body, body::BATCH).await?;
    // Parsing 64 MiB takes long enough to hold up other requests on this thread.
    let turns: Vec<NewTurn> = tokio::task::spawn_blocking(move || {
        Ok::<_, ApiError>(match read_turns(&bytes)? {
            Sent::One(turn) => vec![turn.into()],
            Sent::Many(turns) => turns.into_iter().map(Into::into).collect(),
        })
    })
    .await
    .map_err(|_| ApiError::internal())??;
    let receipts = app.run(move |memory| memory.record(&ns, turns)).await?;
    let status = status_of(&receipts);
    Ok((status, Json(ReceiptsBody { items: receipts.into_iter().map(Into::into).collect() })))
}

fn status_of(receipts: &[crate::memory::TurnReceipt]) -> StatusCode {
    if receipts.iter().any(|receipt| !receipt.duplicate) {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    }
}

/// Seals the open tail now, however short: a conversation has ended.
#[utoipa::path(post, path = "/v1/namespaces/{ns}/seal", tag = "turns",
    request_body = SealBody,
    responses((status = 200, body = BlocksSealedBody)))]
pub async fn seal(
    State(app): State<App>,
    Ns(ns): Ns,
    headers: HeaderMap,
    body: Body,
) -> Answer<BlocksSealedBody> {
    let request: SealBody = body::json(&headers, body, body::SMALL).await?;
    let thread = request.thread.map(ThreadId);
    let blocks = app.run(move |memory| memory.seal(&ns, thread.as_ref())).await?;
    Ok(Json(BlocksSealedBody { blocks: blocks.into_iter().map(|id| id.0).collect() }))
}

/// Returns what stands in for a thread's history: decayed Blocks, then the open tail.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/context", tag = "turns",
    params(("thread" = Option<String>, Query, description = "The thread; `main` by default"),
        ("budget" = Option<usize>, Query, description = "Estimated tokens at most")),
    responses((status = 200, body = ContextBody)))]
pub async fn context(State(app): State<App>, Ns(ns): Ns, params: Params) -> Answer<ContextBody> {
    let thread = ThreadId::from(params.text("thread")?.unwrap_or("main"));
    let budget = params.number("budget")?;
    if budget == Some(0) {
        return Err(ApiError::about(Code::InvalidParameter, "budget", "must be at least 1"));
    }
    let context = app.run(move |memory| memory.context(&ns, &thread, budget)).await?;
    Ok(Json(context.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: &str = r#"{"turn_id":"t1","messages":[{"role":"user","content":"hi"}]}"#;

    #[test]
    fn one_an_array_and_an_object_of_turns_are_told_apart() {
        assert!(matches!(read_turns(TURN.as_bytes()), Ok(Sent::One(_))));
        for text in [format!(" [{TURN},{TURN}]"), format!("{{\"turns\":[{TURN},{TURN}]}}")] {
            let Ok(Sent::Many(turns)) = read_turns(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(turns.len(), 2);
        }
    }

    #[test]
    fn an_error_names_the_place_in_the_form_that_was_meant() {
        for (text, field) in [
            (format!("[{TURN},{{\"turn_id\":5}}]"), "[1].turn_id"),
            (format!("{{\"turns\":[{TURN},{{\"turn_id\":5}}]}}"), "turns[1].turn_id"),
            (r#"{"turn_id":"t","messages":[{"role":1}]}"#.to_owned(), "messages[0].role"),
        ] {
            let Err(error) = read_turns(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(error.errors[0].0, field, "{text}");
        }
    }
}
