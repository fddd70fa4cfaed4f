//! Public JSON: one type for each shape that goes in or out, with explicit conversions.
//!
//! Names are `snake_case`, instants are RFC 3339 in UTC with `Z`, unknown values are `null`.

mod act;
mod block;
mod entity;
mod event;
mod gate;
mod history;
mod job;
mod message;
mod namespace;
mod search;
mod service;
mod turn;

pub use act::{ActBody, MergeProposalBody, NewActBody, UndoBody};
pub use block::{BlockBody, BlocksSealedBody, ContextBody, ExpandBody, SealBody};
pub use entity::{
    ConflictBody, EntityBody, EntityStateBody, FactBody, SlotBody, TimelineBody, TimelineEntryBody,
};
pub use event::{
    EventBody, ExtractorBody, OccurrenceBody, ParticipantBody, QuoteBody, RelationBody,
};
pub use gate::{
    AdoptionAnswerBody, AdoptionBody, AssessAnswerBody, AssessBody, RejectedRefBody, SignalBody,
};
pub use history::{
    AnsweredBody, DiffBody, DiffEntryBody, QuotedSourceBody, StaleBody, TouchedBody, WhyBody,
    WhyEventBody, WhyLinkBody,
};
pub use job::JobBody;
pub use message::{MessageBody, ToolCallBody};
pub use namespace::{CountsBody, NamespaceBody, SettingsBody, SettingsPatchBody};
pub use search::{
    FilterBody, HitBody, OmittedBody, OneOrMany, RecallAnswerBody, RecallBody, RecallItemBody,
    SearchAnswerBody, SearchBody,
};
pub use service::{
    BackupAnswerBody, BackupBody, CheckAnswerBody, CheckBody, FieldErrorBody, FindingBody,
    HealthBody, MaintenanceAnswerBody, MaintenanceBody, MaintenanceItemBody, NamedQueryBody,
    ProblemBody, QueryColumnBody, QueryParamBody,
};
pub use turn::{
    NewMessageBody, NewToolCallBody, NewTurnBody, ReceiptBody, ReceiptsBody, TurnsBody,
};

use crate::memory::Page;
use crate::model::to_rfc3339;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One page of a list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ListBody<T> {
    /// The items, in a total order.
    pub items: Vec<T>,
    /// The `cursor` of the next page; null on the last.
    pub next: Option<String>,
}

impl<T> ListBody<T> {
    /// Converts a page.
    pub fn from_page<S: Into<T>>(page: Page<S>) -> Self {
        Self { items: page.items.into_iter().map(Into::into).collect(), next: page.next }
    }

    /// Wraps a list that has one page.
    pub fn whole(items: Vec<T>) -> Self {
        Self { items, next: None }
    }
}

fn time(at: DateTime<Utc>) -> String {
    to_rfc3339(at)
}

fn texts<T: std::fmt::Display>(items: &[T]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}
