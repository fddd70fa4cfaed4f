//! Handlers, one file per resource. Each translates a request into one use case and its answer
//! into a wire type; nothing is decided here.

pub mod acts;
pub mod admin;
pub mod blocks;
pub mod entities;
pub mod events;
pub mod export;
pub mod gate;
pub mod graph;
pub mod history;
pub mod jobs;
pub mod namespaces;
pub mod queries;
pub mod search;
pub mod service;
pub mod sparql;
pub mod turns;

use super::ApiError;
use axum::Json;

/// What most handlers answer.
type Answer<T> = Result<Json<T>, ApiError>;
