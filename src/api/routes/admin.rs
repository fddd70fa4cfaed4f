//! Maintenance of the data folder, for the operator of this machine.

use super::Answer;
use crate::api::wire::{
    BackupAnswerBody, BackupBody, CheckAnswerBody, CheckBody, FindingBody, MaintenanceAnswerBody,
    MaintenanceBody, MaintenanceItemBody,
};
use crate::api::{ApiError, App, body};
use crate::memory::{Finding, Memory, MemoryError, Repaired};
use crate::model::NamespaceName;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use std::path::PathBuf;

async fn namespace_in(headers: &HeaderMap, body: Body) -> Result<Option<NamespaceName>, ApiError> {
    let body: MaintenanceBody = body::json(headers, body, body::SMALL).await?;
    named(body.namespace)
}

fn named(namespace: Option<String>) -> Result<Option<NamespaceName>, ApiError> {
    namespace
        .map(NamespaceName::new)
        .transpose()
        .map_err(|error| ApiError::value("namespace", error.to_string()))
}

/// Compares what is stored with what follows from the journal and the rules; puts right what can
/// be derived again, where that is asked for.
#[utoipa::path(post, path = "/v1/admin/check", tag = "admin",
    request_body = CheckBody, responses((status = 200, body = CheckAnswerBody)))]
pub async fn check(
    State(app): State<App>,
    headers: HeaderMap,
    body: Body,
) -> Answer<CheckAnswerBody> {
    let CheckBody { namespace, repair } = body::json(&headers, body, body::SMALL).await?;
    let namespace = named(namespace)?;
    let checked = app
        .run(move |memory| {
            if repair {
                return memory.repair(namespace.as_ref());
            }
            let checked = memory.check(namespace.as_ref())?;
            let untouched = |findings: Vec<Finding>| {
                findings.into_iter().map(|finding| Repaired { finding, gone: false }).collect()
            };
            Ok(checked.into_iter().map(|(name, findings)| (name, untouched(findings))).collect())
        })
        .await?;
    let mut answer = CheckAnswerBody { clean: true, namespaces: Vec::new(), findings: Vec::new() };
    for (namespace, findings) in checked {
        answer.namespaces.push(namespace.to_string());
        answer.findings.extend(findings.into_iter().map(|Repaired { finding, gone }| {
            FindingBody {
                namespace: namespace.to_string(),
                check: finding.check.to_owned(),
                detail: finding.detail,
                repaired: gone,
            }
        }));
    }
    answer.clean = answer.findings.iter().all(|finding| finding.repaired);
    Ok(Json(answer))
}

/// Builds the text index anew from the store.
#[utoipa::path(post, path = "/v1/admin/reindex", tag = "admin",
    request_body = MaintenanceBody, responses((status = 200, body = MaintenanceAnswerBody)))]
pub async fn reindex(
    app: State<App>,
    headers: HeaderMap,
    body: Body,
) -> Answer<MaintenanceAnswerBody> {
    maintain(app, headers, body, Memory::reindex).await
}

/// Writes the current graph anew from the history.
#[utoipa::path(post, path = "/v1/admin/rebuild-current", tag = "admin",
    request_body = MaintenanceBody, responses((status = 200, body = MaintenanceAnswerBody)))]
pub async fn rebuild_current(
    app: State<App>,
    headers: HeaderMap,
    body: Body,
) -> Answer<MaintenanceAnswerBody> {
    maintain(app, headers, body, Memory::rebuild_current).await
}

async fn maintain<F>(
    State(app): State<App>,
    headers: HeaderMap,
    body: Body,
    operation: F,
) -> Answer<MaintenanceAnswerBody>
where
    F: FnOnce(&Memory, Option<&NamespaceName>) -> Result<Vec<(NamespaceName, u64)>, MemoryError>
        + Send
        + 'static,
{
    let namespace = namespace_in(&headers, body).await?;
    let done = app.run(move |memory| operation(memory, namespace.as_ref())).await?;
    let items = done
        .into_iter()
        .map(|(namespace, count)| MaintenanceItemBody { namespace: namespace.to_string(), count })
        .collect();
    Ok(Json(MaintenanceAnswerBody { items }))
}

/// Writes a backup of the whole data folder that opens on its own.
#[utoipa::path(post, path = "/v1/admin/backup", tag = "admin",
    request_body = BackupBody, responses((status = 200, body = BackupAnswerBody)))]
pub async fn backup(
    State(app): State<App>,
    headers: HeaderMap,
    body: Body,
) -> Answer<BackupAnswerBody> {
    let body: BackupBody = body::json(&headers, body, body::SMALL).await?;
    let folder = PathBuf::from(&body.to);
    if !folder.is_absolute() || body.to.contains('\0') {
        return Err(ApiError::value("to", format!("{:?} is not an absolute path", body.to)));
    }
    let bytes = app.run(move |memory| memory.backup(&folder)).await?;
    Ok(Json(BackupAnswerBody { to: body.to, bytes }))
}
