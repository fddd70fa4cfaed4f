//! Taking everything out.

use crate::api::export_stream::stream;
use crate::api::{
    ApiError, App,
    params::{Ns, Params},
};
use crate::memory::ExportFormat;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

const FORMATS: &[&str] = &["nquads", "trig", "jsonl"];

/// Returns everything in a namespace: canonical N-Quads, TriG, or JSON lines of turns and Events.
#[utoipa::path(get, path = "/v1/namespaces/{ns}/export", tag = "sparql",
    params(("format" = Option<String>, Query, description = "`nquads` (default), `trig` or `jsonl`")),
    responses((status = 200, content((String = "application/n-quads"), (String = "application/trig"), (String = "application/x-ndjson")))))]
pub async fn export(
    State(app): State<App>,
    Ns(ns): Ns,
    params: Params,
) -> Result<Response, ApiError> {
    let parse = |word: &str| match word {
        "nquads" => Some(ExportFormat::NQuads),
        "trig" => Some(ExportFormat::TriG),
        "jsonl" => Some(ExportFormat::JsonLines),
        _ => None,
    };
    let format = params.word("format", parse, FORMATS)?.unwrap_or(ExportFormat::NQuads);
    let media_type = match format {
        ExportFormat::NQuads => "application/n-quads",
        ExportFormat::TriG => "application/trig",
        ExportFormat::JsonLines => "application/x-ndjson",
    };
    let body = stream(&app, move |memory, out| memory.export(&ns, format, out)).await?;
    Ok(([(header::CONTENT_TYPE, media_type)], body).into_response())
}
