//! Problems, health, maintenance and named queries.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What went wrong (RFC 9457).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProblemBody {
    /// An IRI that names the kind of problem; nothing is served there.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short title.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// A stable word; programs decide by it.
    pub code: String,
    /// One sentence that names the thing.
    pub detail: String,
    /// The fields and parameters concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldErrorBody>,
}

/// One unacceptable field or parameter.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FieldErrorBody {
    /// The field, as a path in the body, or the parameter.
    pub field: String,
    /// Why it is not acceptable.
    pub reason: String,
}

/// How the service is.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HealthBody {
    /// `ok`.
    pub status: String,
    /// The program's version.
    pub version: String,
}

/// Which namespaces a maintenance call is for.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct MaintenanceBody {
    /// One namespace; all when absent.
    #[serde(default)]
    pub namespace: Option<String>,
}

/// What is checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct CheckBody {
    /// One namespace; all when absent.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Also put right what can be derived again.
    #[serde(default)]
    pub repair: bool,
}

/// What a maintenance call did.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MaintenanceAnswerBody {
    /// One item for each namespace.
    pub items: Vec<MaintenanceItemBody>,
}

/// What a maintenance call did to one namespace.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MaintenanceItemBody {
    /// The namespace.
    pub namespace: String,
    /// How many items were written.
    pub count: u64,
}

/// What a check found.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CheckAnswerBody {
    /// Whether nothing was found, or all of it was repaired.
    pub clean: bool,
    /// Namespaces that were checked.
    pub namespaces: Vec<String>,
    /// The findings.
    pub findings: Vec<FindingBody>,
}

/// One finding.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FindingBody {
    /// The namespace.
    pub namespace: String,
    /// A stable word.
    pub check: String,
    /// What is wrong, and where.
    pub detail: String,
    /// Whether it was repaired.
    #[serde(default)]
    pub repaired: bool,
}

/// Where a backup goes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BackupBody {
    /// An absolute path of a folder that does not exist yet, on the service's machine.
    pub to: String,
}

/// What a backup wrote.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BackupAnswerBody {
    /// The folder.
    pub to: String,
    /// Bytes written.
    pub bytes: u64,
}

/// A view that can be run by name.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NamedQueryBody {
    /// Its name.
    pub name: String,
    /// A short title.
    pub title: String,
    /// What it answers.
    pub purpose: String,
    /// Its parameters.
    pub params: Vec<QueryParamBody>,
    /// The columns of its answer; none where it gives a graph.
    pub columns: Vec<QueryColumnBody>,
    /// The SPARQL text.
    pub sparql: String,
}

/// A parameter of a view.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct QueryParamBody {
    /// Its name.
    pub name: String,
    /// What its values are.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it must be given.
    pub required: bool,
    /// What it says.
    pub meaning: String,
}

/// A column of a view's answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct QueryColumnBody {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub meaning: String,
}
