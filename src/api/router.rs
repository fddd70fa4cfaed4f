//! Every call, registered together with its description.

use super::routes::{
    acts, admin, blocks, entities, events, export, gate, graph, history, jobs, namespaces, queries,
    search, service, sparql, turns,
};
use super::wire::ProblemBody;
use super::{ApiError, App, Code, guard, observe};
use axum::Router;
use axum::extract::Request;
use axum::middleware;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;
use utoipa::OpenApi;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::{
    ContentBuilder, ObjectBuilder, PathItem, Ref, RefOr, Required, ResponseBuilder, Type,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "StrataGate",
        description = "A memory service for AI agents: exact conversations, Events with sources and \
            two clocks, and a graph that remembers what used to be true."
    ),
    components(schemas(ProblemBody))
)]
struct Description;

fn described() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(service::healthz))
        .routes(routes!(service::readyz))
        .routes(routes!(service::metrics))
        .routes(routes!(service::openapi_json))
        .routes(routes!(service::ontology))
        .routes(routes!(service::void))
        .routes(routes!(namespaces::list_namespaces))
        .routes(routes!(
            namespaces::get_namespace,
            namespaces::put_namespace,
            namespaces::delete_namespace
        ))
        .routes(routes!(turns::post_turn))
        .routes(routes!(turns::post_turns))
        .routes(routes!(turns::seal))
        .routes(routes!(turns::context))
        .routes(routes!(blocks::list_blocks))
        .routes(routes!(blocks::get_block))
        .routes(routes!(blocks::expand_block))
        .routes(routes!(events::list_events))
        .routes(routes!(events::get_event))
        .routes(routes!(events::pin_event))
        .routes(routes!(events::unpin_event))
        .routes(routes!(events::forget_event))
        .routes(routes!(events::restore_event))
        .routes(routes!(entities::list_entities))
        .routes(routes!(entities::get_entity))
        .routes(routes!(entities::get_timeline))
        .routes(routes!(acts::post_act, acts::list_acts))
        .routes(routes!(acts::get_act))
        .routes(routes!(acts::undo_act))
        .routes(routes!(acts::merge_proposals))
        .routes(routes!(history::why))
        .routes(routes!(history::diff))
        .routes(routes!(history::possibly_stale))
        .routes(routes!(history::blast_radius))
        .routes(routes!(search::search))
        .routes(routes!(search::recall))
        .routes(routes!(gate::assess))
        .routes(routes!(gate::adopt))
        .routes(routes!(jobs::list_jobs))
        .routes(routes!(jobs::job_events))
        .routes(routes!(jobs::get_job))
        .routes(routes!(jobs::retry_job))
        .routes(routes!(jobs::cancel_job))
        .routes(routes!(sparql::get_sparql, sparql::post_sparql))
        .routes(routes!(queries::list_queries))
        .routes(routes!(queries::get_query, queries::post_query))
        .routes(routes!(graph::get_graph))
        .routes(routes!(export::export))
        .routes(routes!(admin::check))
        .routes(routes!(admin::reindex))
        .routes(routes!(admin::rebuild_current))
        .routes(routes!(admin::backup))
}

/// Builds the router over a memory.
pub fn router(app: App) -> Router {
    let (router, _) = described().split_for_parts();
    let router = router.fallback(unknown_route).method_not_allowed_fallback(method_not_allowed);
    // It answers every OPTIONS, so it is there only where an origin is allowed.
    let router = match app.origins() {
        [] => router,
        origins => router.layer(guard::cors(origins)),
    };
    router
        .layer(RequestBodyTimeoutLayer::new(app.body_timeout()))
        .layer(middleware::from_fn_with_state(app.clone(), guard::check_host_and_origin))
        .layer(CatchPanicLayer::custom(guard::answer_panic))
        .layer(middleware::from_fn(observe::observe))
        .with_state(app)
}

async fn unknown_route(request: Request) -> ApiError {
    let (method, path) = (request.method(), request.uri().path());
    ApiError::new(
        Code::UnknownRoute,
        format!("there is no {method} {path:?}; GET /openapi.json lists all calls"),
    )
}

async fn method_not_allowed(request: Request) -> ApiError {
    let detail = format!("{} is not allowed here; the Allow header says what is", request.method());
    ApiError::new(Code::MethodNotAllowed, detail)
}

/// Returns the description of every call.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = described().into_openapi();
    for (path, item) in &mut document.paths.paths {
        let names: Vec<&str> = path
            .split('/')
            .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
            .collect();
        for operation in operations(item) {
            describe_path(operation, &names);
            describe_problems(operation);
        }
    }
    document
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete].into_iter().flatten()
}

/// Describes the variable segments, which mean the same in every path.
fn describe_path(operation: &mut Operation, names: &[&str]) {
    let parameters = operation.parameters.get_or_insert_default();
    for name in names {
        let description = match *name {
            "ns" => "The namespace: any UTF-8 of 1 to 200 bytes, percent-encoded",
            "name" => "The view's name",
            _ => "The id, percent-encoded",
        };
        let parameter = ParameterBuilder::new()
            .name(*name)
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some(description))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .build();
        parameters.push(RefOr::T(parameter));
    }
}

/// Every call can answer with a problem.
fn describe_problems(operation: &mut Operation) {
    let content = ContentBuilder::new()
        .schema(Some(RefOr::Ref(Ref::from_schema_name("ProblemBody"))))
        .build();
    let response = ResponseBuilder::new()
        .description("A problem; docs/errors.md lists the codes")
        .content(super::error::PROBLEM_JSON, content)
        .build();
    operation.responses.responses.insert("default".to_owned(), RefOr::T(response));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_segment_is_described_once() {
        let mut document = openapi();
        for (path, item) in &mut document.paths.paths {
            let variables = path.matches('{').count();
            for operation in operations(item) {
                let described = operation
                    .parameters
                    .iter()
                    .flatten()
                    .filter(|parameter| {
                        matches!(parameter, RefOr::T(p) if p.parameter_in == ParameterIn::Path)
                    })
                    .count();
                assert_eq!(described, variables, "{path}");
            }
        }
    }
}
