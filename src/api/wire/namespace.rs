//! Namespaces.

use crate::memory::{Counts, NamespaceInfo, Settings, SettingsPatch};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A namespace and how it stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NamespaceBody {
    /// Its name.
    pub name: String,
    /// Its settings.
    pub settings: SettingsBody,
    /// What it holds.
    pub counts: CountsBody,
    /// The newest journal record.
    pub revision: u64,
    /// Jobs not done yet; 0 means nothing is outstanding.
    pub pending_jobs: u64,
    /// Jobs that gave up.
    pub failed_jobs: u64,
    /// Journal records that are not searchable yet; 0 = all are.
    pub index_lag: u64,
    /// Why it cannot be opened, where it cannot; everything else is then unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Settings of a namespace.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SettingsBody {
    /// Complete turns to a Block.
    pub block_turns: u32,
    /// Decay rate of Block views; 0 = never.
    pub lambda: f64,
    /// The engine for summaries and extraction.
    pub engine: String,
    /// IANA name or offset, for messages that come without one.
    pub timezone: String,
    /// Minutes without a new turn after which the open tail is sealed; 0 = never.
    pub seal_after_idle_minutes: u32,
}

/// A change of settings: what is absent stays.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsPatchBody {
    /// Complete turns to a Block. Sealed Blocks are never cut again.
    pub block_turns: Option<u32>,
    /// Decay rate of Block views; 0 = never.
    pub lambda: Option<f64>,
    /// The engine for summaries and extraction.
    pub engine: Option<String>,
    /// IANA name or offset, for messages that come without one.
    pub timezone: Option<String>,
    /// Minutes without a new turn after which the open tail is sealed; 0 = never.
    pub seal_after_idle_minutes: Option<u32>,
}

/// How many things a namespace holds.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[allow(missing_docs, reason = "each field counts what it names")]
pub struct CountsBody {
    pub threads: u64,
    pub turns: u64,
    pub messages: u64,
    pub open_turns: u64,
    pub blocks: u64,
    pub events: u64,
    pub entities: u64,
    pub facts: u64,
}

impl From<NamespaceInfo> for NamespaceBody {
    fn from(info: NamespaceInfo) -> Self {
        Self {
            name: info.name.into(),
            settings: info.settings.into(),
            counts: info.counts.into(),
            revision: info.revision,
            pending_jobs: info.pending_jobs,
            failed_jobs: info.failed_jobs,
            index_lag: info.index_lag,
            problem: info.problem,
        }
    }
}

impl From<Settings> for SettingsBody {
    fn from(settings: Settings) -> Self {
        Self {
            block_turns: settings.block_turns,
            lambda: settings.lambda,
            engine: settings.engine,
            timezone: settings.timezone,
            seal_after_idle_minutes: settings.seal_after_idle_minutes,
        }
    }
}

impl From<SettingsPatchBody> for SettingsPatch {
    fn from(patch: SettingsPatchBody) -> Self {
        Self {
            block_turns: patch.block_turns,
            lambda: patch.lambda,
            engine: patch.engine,
            timezone: patch.timezone,
            seal_after_idle_minutes: patch.seal_after_idle_minutes,
        }
    }
}

impl From<Counts> for CountsBody {
    fn from(counts: Counts) -> Self {
        Self {
            threads: counts.threads,
            turns: counts.turns,
            messages: counts.messages,
            open_turns: counts.open_turns,
            blocks: counts.blocks,
            events: counts.events,
            entities: counts.entities,
            facts: counts.facts,
        }
    }
}
