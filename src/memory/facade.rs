//! The service's face: every use case by namespace name.

use super::error::MemoryError;
use super::pool::Memory;
use super::types::{
    ActRequest, AdoptAnswer, AsOf, AssessAnswer, AssessRequest, BlockCard, BlockFilter, Context,
    Diff, DiffClock, EntityFilter, EntityState, EntityView, EventCard, EventFilter, ExpandTo,
    ExportFormat, Finding, JobCard, JobFilter, MergeProposal, NamespaceInfo, Page, PageRequest,
    RecallAnswer, RecallRequest, Repaired, SearchAnswer, SearchRequest, StaleItem, TimelineEntry,
    Touched, Why, WhyQuestion,
};
use crate::model::{
    AssessmentId, BlockId, Entity, EventId, JobId, Level, MessageId, NamespaceName, ReceiptId,
    ThreadId, TxTime,
};
use crate::store::{GraphFormat, GraphName, QueryAnswer, QueryOptions, StoredAct};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::io::Write;

type Result<T> = std::result::Result<T, MemoryError>;

/// Methods that only find the namespace and ask it.
macro_rules! by_namespace {
    ($($(#[$doc:meta])* $name:ident -> $method:ident ( $($arg:ident : $type:ty),* ) -> $answer:ty);+ $(;)?) => {
        impl Memory {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// [`MemoryError::UnknownNamespace`], and see the use case.
            pub fn $name(&self, ns: &NamespaceName, $($arg: $type),*) -> Result<$answer> {
                self.get(ns)?.$method($($arg),*)
            }
        )+}
    };
}

by_namespace! {
    /// Returns settings, counts and what is outstanding.
    namespace -> info() -> NamespaceInfo;
    /// Seals open tails now.
    seal -> seal(thread: Option<&ThreadId>) -> Vec<BlockId>;
    /// Returns what stands in for a thread's history.
    context -> context(thread: &ThreadId, budget: Option<usize>) -> Context;
    /// Lists Blocks.
    blocks -> blocks(filter: &BlockFilter) -> Page<BlockCard>;
    /// Shows a Block.
    block -> block(id: &BlockId, level: Option<Level>) -> BlockCard;
    /// Expands a Block's view.
    expand -> expand(id: &BlockId, to: ExpandTo) -> BlockCard;
    /// Lists Events.
    events -> events(filter: &EventFilter) -> Page<EventCard>;
    /// Finds an Event.
    event -> event(id: &EventId, as_of: AsOf) -> EventCard;
    /// Returns an Event as TriG.
    event_trig -> event_trig(id: &EventId) -> Vec<u8>;
    /// Pins an Event, or lets go of it.
    pin -> pin(id: &EventId, pinned: bool) -> EventCard;
    /// Forgets an Event.
    forget -> forget(id: &EventId) -> EventCard;
    /// Restores a forgotten Event.
    restore_event -> restore(id: &EventId) -> EventCard;
    /// Carries out an act of an operator.
    act -> act(request: &ActRequest) -> StoredAct;
    /// Undoes an act of an operator.
    undo -> undo(seq: u64, note: Option<&str>) -> StoredAct;
    /// Finds an act of an operator.
    act_of -> act_of(seq: u64) -> StoredAct;
    /// Proposes entities that may be one.
    merge_proposals -> merge_proposals() -> Vec<MergeProposal>;
    /// Lists acts of operators, the newest first.
    acts -> acts(page: &PageRequest) -> Page<StoredAct>;
    /// Lists entities.
    entities -> entities(filter: &EntityFilter) -> Page<Entity>;
    /// Returns an entity's state.
    entity -> entity(entity: &str, as_of: AsOf, view: &EntityView) -> EntityState;
    /// Returns an entity's timeline.
    timeline -> timeline(entity: &str, as_of: AsOf, page: &PageRequest) -> (Entity, Page<TimelineEntry>);
    /// Explains a state.
    why -> why(question: &WhyQuestion, links: usize) -> Why;
    /// Compares two points of a clock.
    diff -> diff(from: DateTime<Utc>, to: DateTime<Utc>, clock: DiffClock) -> Diff;
    /// Lists what rested on states that have since ended.
    possibly_stale -> possibly_stale(entity: Option<&str>, known_at: Option<TxTime>) -> Vec<StaleItem>;
    /// Lists what was drawn from a message.
    blast_radius -> blast_radius(thread: &ThreadId, message: &MessageId) -> Vec<Touched>;
    /// Searches.
    search -> search(request: &SearchRequest) -> SearchAnswer;
    /// Recalls.
    recall -> recall(request: &RecallRequest) -> RecallAnswer;
    /// Judges a verdict on a batch.
    assess -> assess(request: &AssessRequest) -> AssessAnswer;
    /// Records what was really used.
    adopt -> adopt(receipt: &ReceiptId, assessment: &AssessmentId, refs: &[String]) -> AdoptAnswer;
    /// Lists jobs.
    jobs -> jobs(filter: &JobFilter) -> Page<JobCard>;
    /// Finds a job.
    job -> job(id: &JobId) -> JobCard;
    /// Lets a failed or cancelled job run again.
    retry_job -> retry_job(id: &JobId) -> JobCard;
    /// Cancels a pending job.
    cancel_job -> cancel_job(id: &JobId) -> JobCard;
    /// Runs a view by name.
    named_query -> named_query(name: &str, arguments: &BTreeMap<String, String>, options: &QueryOptions) -> QueryAnswer;
    /// Returns one graph.
    graph -> graph(graph: &GraphName, format: GraphFormat) -> Vec<u8>;
    /// Writes everything out.
    export -> export(format: ExportFormat, out: &mut dyn Write) -> ();
}

impl Memory {
    /// Returns how every namespace stands.
    ///
    /// # Errors
    /// When the folder or a namespace cannot be read.
    pub fn namespaces(&self) -> Result<Vec<NamespaceInfo>> {
        let infos = self.names()?.into_iter().map(|name| {
            // One that is damaged must not hide the others.
            self.namespace(&name).unwrap_or_else(|error| NamespaceInfo {
                name,
                settings: super::types::Settings::default(),
                counts: super::types::Counts::default(),
                revision: 0,
                pending_jobs: 0,
                failed_jobs: 0,
                index_lag: 0,
                problem: Some(error.to_string()),
            })
        });
        Ok(infos.collect())
    }

    /// Returns the IRIs of the graphs that can be named, the default one first.
    ///
    /// # Errors
    /// [`MemoryError::UnknownNamespace`].
    pub fn graph_names(&self, ns: &NamespaceName) -> Result<Vec<String>> {
        Ok(self.get(ns)?.graph_names())
    }

    fn each<T>(
        &self,
        ns: Option<&NamespaceName>,
        run: impl Fn(&super::namespace::Namespace) -> Result<T>,
    ) -> Result<Vec<(NamespaceName, T)>> {
        let names = match ns {
            Some(name) => vec![name.clone()],
            None => self.names()?,
        };
        names
            .into_iter()
            .map(|name| {
                let done = run(&*self.get(&name)?)?;
                Ok((name, done))
            })
            .collect()
    }

    /// Checks one namespace or all of them. One that cannot even be opened is a finding.
    ///
    /// # Errors
    /// When the folder cannot be read, or the namespace asked for does not exist.
    pub fn check(&self, ns: Option<&NamespaceName>) -> Result<Vec<(NamespaceName, Vec<Finding>)>> {
        let names = match ns {
            Some(name) => {
                if !self.names()?.contains(name) {
                    return Err(MemoryError::UnknownNamespace(name.as_str().to_owned()));
                }
                vec![name.clone()]
            }
            None => self.names()?,
        };
        Ok(names
            .into_iter()
            .map(|name| {
                let findings = self.get(&name).and_then(|namespace| namespace.check());
                let findings = findings.unwrap_or_else(|error| {
                    vec![Finding { check: "cannot_open", detail: error.to_string() }]
                });
                (name, findings)
            })
            .collect())
    }

    /// Checks, and puts right what can be derived again: the present and the copies from the facts,
    /// the index from the store, the store from its journal. Returns what was found, each with
    /// whether it is gone now.
    ///
    /// # Errors
    /// See [`Memory::check`]; or when something cannot be built again.
    pub fn repair(
        &self,
        ns: Option<&NamespaceName>,
    ) -> Result<Vec<(NamespaceName, Vec<Repaired>)>> {
        let mut all = Vec::new();
        for (name, findings) in self.check(ns)? {
            let is = |words: &[&str]| findings.iter().any(|found| words.contains(&found.check));
            // Only a store that opens can be built again, and only from a journal that is whole.
            let hopeless = is(&["cannot_open", "journal_damaged"]);
            if !findings.is_empty() && !hopeless {
                let of_the_store = [
                    "facts_differ",
                    "event_without_source",
                    "dangling_source",
                    "integrity",
                    "store_behind",
                ];
                if is(&of_the_store) {
                    self.rebuild_store(&name)?;
                }
                if is(&["fact_copy_differs", "current_differs", "present_differs"]) {
                    let namespace = self.get(&name)?;
                    namespace.copy_facts()?;
                    namespace.rebuild_current()?;
                }
                if is(&["index_differs"]) || is(&of_the_store) {
                    self.get(&name)?.reindex()?;
                }
            }
            let left = if findings.is_empty() || hopeless {
                findings.clone()
            } else {
                self.get(&name)?.check()?
            };
            let told = findings.into_iter().map(|finding| {
                let gone = !left.contains(&finding);
                Repaired { finding, gone }
            });
            all.push((name, told.collect()));
        }
        Ok(all)
    }

    /// Builds text indexes again. Returns the number of documents of each.
    ///
    /// # Errors
    /// See [`MemoryError`].
    pub fn reindex(&self, ns: Option<&NamespaceName>) -> Result<Vec<(NamespaceName, u64)>> {
        self.each(ns, super::namespace::Namespace::reindex)
    }

    /// Builds current graphs again. Returns the number of Slots of each.
    ///
    /// # Errors
    /// See [`MemoryError`].
    pub fn rebuild_current(&self, ns: Option<&NamespaceName>) -> Result<Vec<(NamespaceName, u64)>> {
        self.each(ns, super::namespace::Namespace::rebuild_current)
    }
}
