//! The measuring itself.

use super::corpus::{Corpus, Random, Speaker};
use super::report::{Figure, Operation, Report, Stage};
use super::{Args, baseline, machine};
use crate::cli::measure::{Folder, Samples, new_namespace, wait};
use crate::cli::output::Progress;
use crate::jobs::Runner;
use crate::memory::{
    AsOf, EntityView, Memory, MemoryError, REPLACED_LINKS, RecallRequest, SearchRequest,
    WhyQuestion,
};
use crate::model::{NamespaceName, ValidTime};
use crate::store::QueryOptions;
use anyhow::{Context, bail};
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use std::collections::BTreeMap;
use std::time::Instant;

/// Turns of one batch while loading, and of one measured batch.
const LOAD_TURNS: usize = 500;
const BATCH_TURNS: usize = 100;
/// How long a process rests before its memory is looked at.
const REST: std::time::Duration = std::time::Duration::from_secs(10);
/// Most batches that are measured.
const BATCHES: usize = 10;

/// Everything a stage needs at hand.
struct Bench<'a> {
    folder: &'a Folder,
    args: &'a Args,
    corpus: &'a Corpus,
    ns: NamespaceName,
    random: Random,
    progress: Progress,
    text_bytes: u64,
}

fn start() -> anyhow::Result<DateTime<Utc>> {
    Utc.with_ymd_and_hms(2025, 1, 6, 8, 0, 0).single().context("the start of the conversations")
}

/// Fills a memory from size to size and measures at each.
pub fn run(folder: &Folder, args: &Args) -> anyhow::Result<Report> {
    let corpus = Corpus::new(args.seed);
    let mut speaker = corpus.speaker(args.seed, start()?);
    let mut memory = folder.open()?;
    let ns = new_namespace(&memory, "bench")?;
    let mut bench = Bench {
        folder,
        args,
        corpus: &corpus,
        ns,
        random: Random::new(args.seed ^ 0xbe9c),
        progress: Progress::new(),
        text_bytes: 0,
    };
    let mut stages = Vec::new();
    say("an empty namespace");
    let runner = Runner::start(&memory)?;
    let mut empty = Stage::default();
    bench.capture(&memory, &mut speaker, &mut empty)?;
    stages.push(empty);
    drop(runner);
    for size in &args.sizes {
        let mut stage = Stage::default();
        let runner = Runner::start(&memory)?;
        bench.load(&memory, &mut speaker, *size, &mut stage)?;
        bench.capture(&memory, &mut speaker, &mut stage)?;
        memory.seal(&bench.ns, None)?;
        bench.settle(&memory)?;
        bench.ask(&memory, &mut stage)?;
        bench.history(&memory, &mut stage)?;
        drop(runner);
        memory.close();
        drop(memory);
        memory = bench.reopen(&mut stage)?;
        bench.sizes(&mut stage);
        stages.push(stage);
    }
    let optimised = bench.optimise(&memory)?;
    memory.close();
    Ok(Report {
        load: machine::load(),
        processors: machine::processors(),
        seed: args.seed,
        stages,
        optimised,
    })
}

/// Tells a phase, also to a log file.
fn say(text: &str) {
    eprintln!("bench: {text}");
}

impl Bench<'_> {
    fn record(
        &mut self,
        memory: &Memory,
        turns: Vec<crate::memory::NewTurn>,
    ) -> anyhow::Result<()> {
        let texts = turns.iter().flat_map(|turn| &turn.messages);
        let bytes: usize = texts.filter_map(|m| m.content.as_ref()).map(String::len).sum();
        self.text_bytes += bytes as u64;
        memory.record(&self.ns, turns)?;
        Ok(())
    }

    /// Fills up to a number of messages and lets all background work end.
    fn load(
        &mut self,
        memory: &Memory,
        speaker: &mut Speaker<'_>,
        size: usize,
        stage: &mut Stage,
    ) -> anyhow::Result<()> {
        say(&format!("loading up to {size} messages"));
        let stored = memory.namespace(&self.ns)?.counts.messages as usize;
        let mut missing = size.saturating_sub(stored) / 2;
        let loaded = missing;
        let (started, computed) = (Instant::now(), machine::processor_seconds());
        while missing > 0 {
            let turns = speaker.turns(missing.min(LOAD_TURNS));
            missing -= turns.len();
            self.record(memory, turns)?;
            self.progress.show(&format!("{missing} turns to load"));
        }
        memory.seal(&self.ns, None)?;
        let captured = started.elapsed().as_secs_f64();
        self.settle(memory)?;
        if loaded > 0 {
            let all = started.elapsed().as_secs_f64();
            let rate = |seconds: f64| loaded as f64 / seconds.max(1e-9);
            stage.figure(Figure::new("load, captured", rate(captured), "turns/s"));
            stage.figure(Figure::new("load, jobs and index done", rate(all), "turns/s"));
            if let (Some(before), Some(after)) = (computed, machine::processor_seconds()) {
                let each = (after - before) * 1e3 / loaded as f64;
                stage.figure(Figure::new("processor time, all work", each, "ms/turn"));
            }
        }
        Ok(())
    }

    fn settle(&mut self, memory: &Memory) -> anyhow::Result<()> {
        let progress = &mut self.progress;
        wait(memory, &self.ns, |jobs| progress.show(&format!("{jobs} jobs to do")))?;
        Ok(())
    }

    /// Durable capture, one turn at a time and in batches, with the background work that it sets
    /// off going on beside it.
    fn capture(
        &mut self,
        memory: &Memory,
        speaker: &mut Speaker<'_>,
        stage: &mut Stage,
    ) -> anyhow::Result<()> {
        say("capture");
        let mut single = Samples::default();
        for _ in 0..self.args.samples {
            let turns = speaker.turns(1);
            let begun = Instant::now();
            self.record(memory, turns)?;
            single.push(begun.elapsed());
        }
        let mut batch = Samples::default();
        let batches = (self.args.samples / 20).clamp(1, BATCHES);
        for _ in 0..batches {
            let turns = speaker.turns(BATCH_TURNS);
            let begun = Instant::now();
            self.record(memory, turns)?;
            batch.push(begun.elapsed());
        }
        let turns_each_s = (batches * BATCH_TURNS) as f64 / batch.total().as_secs_f64().max(1e-9);
        self.settle(memory)?;
        let info = memory.namespace(&self.ns)?;
        let journal = machine::bytes_of_part(self.folder.path(), "journal");
        let record = (journal / info.revision.max(1)).clamp(512, 1 << 20) as usize;
        let floor = baseline::plain_fsync(self.folder.path(), record, self.args.samples)?;
        stage.operation(
            Operation::new("capture, one turn", single)
                .target(5.0, 25.0)
                .beside(format!("plain fsync of {record} bytes"), floor),
        );
        stage.figure(Figure::new("capture, batches", turns_each_s, "turns/s").at_least(1_000.0));
        stage.messages = info.counts.messages;
        Ok(())
    }

    /// Search and recall.
    fn ask(&mut self, memory: &Memory, stage: &mut Stage) -> anyhow::Result<()> {
        say("search and recall");
        let questions: Vec<String> =
            (0..self.args.samples).map(|_| self.corpus.question(&mut self.random)).collect();
        let mut recall = Samples::default();
        let mut search = Samples::default();
        for question in &questions {
            let request = SearchRequest {
                query: question.clone(),
                kinds: Vec::new(),
                limit: 10,
                thread: None,
                types: Vec::new(),
                statuses: Vec::new(),
                from: None,
                to: None,
                history: false,
                as_of: AsOf::default(),
                explain: false,
            };
            search.time(|| memory.search(&self.ns, &request))?;
        }
        for question in &questions {
            let request = RecallRequest {
                query: question.clone(),
                thread: None,
                budget: 900,
                as_of: AsOf::default(),
            };
            recall.time(|| memory.recall(&self.ns, &request))?;
        }
        let texts = baseline::texts(self.corpus, self.args.seed, stage.messages as usize);
        let floor = baseline::plain_tantivy(self.folder.path(), &texts, &questions)?;
        stage.operation(Operation::new("recall", recall).target(5.0, 20.0));
        stage.operation(
            Operation::new("search", search)
                .target_p99(20.0)
                .beside("plain tantivy over the messages".to_owned(), floor),
        );
        Ok(())
    }

    /// Entity, why and as-of.
    fn history(&mut self, memory: &Memory, stage: &mut Stage) -> anyhow::Result<()> {
        say("entity, why and as-of");
        let info = memory.namespace(&self.ns)?;
        stage.figure(Figure::new("events", info.counts.events as f64, ""));
        stage.figure(Figure::new("facts", info.counts.facts as f64, ""));
        let span = TimeDelta::minutes((info.counts.turns / 2) as i64);
        let middle = AsOf { valid_at: Some(ValidTime(start()? + span)), known_at: None };
        let (ns, whole) = (self.ns.clone(), EntityView::default());
        let entity =
            self.sample(|slot, _| memory.entity(&ns, slot, AsOf::default(), &whole).map(drop))?;
        let entity_as_of =
            self.sample(|slot, _| memory.entity(&ns, slot, middle, &whole).map(drop))?;
        let asked = |slot: &str, property: &str, as_of| WhyQuestion::State {
            entity: slot.to_owned(),
            property: property.to_owned(),
            as_of,
        };
        let why = self.sample(|slot, property| {
            memory.why(&ns, &asked(slot, property, AsOf::default()), REPLACED_LINKS).map(drop)
        })?;
        let view = self.sample(|slot, property| {
            let arguments = BTreeMap::from([
                ("entity".to_owned(), slot.to_owned()),
                ("property".to_owned(), property.to_owned()),
                ("valid_at".to_owned(), crate::model::to_rfc3339(start_or_epoch() + span)),
            ]);
            memory.named_query(&ns, "state_as_of", &arguments, &QueryOptions::default()).map(drop)
        })?;
        let subjects = (info.counts.facts as usize).max(100);
        let floor = baseline::plain_oxigraph(self.folder.path(), subjects, self.args.samples)?;
        let plain = "plain Oxigraph, ten quads".to_owned();
        stage.operation(
            Operation::new("entity", entity).target_p99(5.0).beside(plain.clone(), floor.clone()),
        );
        stage.operation(
            Operation::new("why", why).target_p99(5.0).beside(plain.clone(), floor.clone()),
        );
        stage.operation(
            Operation::new("entity, as of", entity_as_of).beside(plain.clone(), floor.clone()),
        );
        stage.operation(
            Operation::new("one slot, as of (view)", view).target_p99(10.0).beside(plain, floor),
        );
        Ok(())
    }

    /// Asks about random Slots. One that nothing was said of yet is passed over.
    fn sample(
        &mut self,
        mut ask: impl FnMut(&str, &str) -> Result<(), MemoryError>,
    ) -> anyhow::Result<Samples> {
        let mut samples = Samples::default();
        for _ in 0..self.args.samples * 20 {
            if samples.len() == self.args.samples {
                return Ok(samples);
            }
            let (entity, property) = self.corpus.slot(&mut self.random);
            let begun = Instant::now();
            match ask(&entity, property) {
                Ok(()) => samples.push(begun.elapsed()),
                Err(MemoryError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if samples.len() == 0 {
            bail!("no Slot has a value: nothing could be measured");
        }
        Ok(samples)
    }

    /// Opens the folder again, cold in this process, and asks the first question.
    fn reopen(&mut self, stage: &mut Stage) -> anyhow::Result<Memory> {
        say("opening");
        let started = Instant::now();
        let memory = self.folder.open()?;
        memory.namespace(&self.ns)?;
        let opened = started.elapsed().as_secs_f64();
        let request = RecallRequest {
            query: self.corpus.question(&mut self.random),
            thread: None,
            budget: 900,
            as_of: AsOf::default(),
        };
        memory.recall(&self.ns, &request)?;
        let first = started.elapsed().as_secs_f64();
        stage.figure(Figure::new("open", opened, "s").at_most(0.5));
        stage.figure(Figure::new("open and first recall", first, "s"));
        Ok(memory)
    }

    /// Memory and disk.
    fn sizes(&self, stage: &mut Stage) {
        if let Some(resident) = machine::resident_mib() {
            stage.figure(Figure::new("resident memory, just after", resident, "MiB"));
        }
        // Freed memory goes back after some seconds without work.
        std::thread::sleep(REST);
        if let Some(resident) = machine::resident_mib() {
            stage.figure(Figure::new("resident memory", resident, "MiB").at_most(500.0));
        }
        let mib = |bytes: u64| bytes as f64 / (1024.0 * 1024.0);
        stage.figure(Figure::new("source text", mib(self.text_bytes), "MiB"));
        for part in ["journal", "store", "index", "side"] {
            let bytes = machine::bytes_of_part(self.folder.path(), part);
            stage.figure(Figure::new(part, mib(bytes), "MiB"));
        }
    }

    /// Compacts the store and compares its size with the target.
    fn optimise(&self, memory: &Memory) -> anyhow::Result<Vec<Figure>> {
        say("compacting the store");
        let namespace = memory.get(&self.ns)?;
        namespace.optimize()?;
        let quads = namespace.quads()?;
        let mib = |bytes: f64| bytes / (1024.0 * 1024.0);
        let store = machine::bytes_of_part(self.folder.path(), "store") as f64;
        let all: u64 = ["journal", "store", "index", "side"]
            .iter()
            .map(|part| machine::bytes_of_part(self.folder.path(), part))
            .sum();
        let allowed = 3.0 * self.text_bytes as f64 + 300.0 * quads as f64;
        Ok(vec![
            Figure::new("quads", quads as f64, ""),
            Figure::new("store, compacted", mib(store), "MiB"),
            Figure::new("store, bytes a quad", store / (quads.max(1)) as f64, "bytes"),
            Figure::new("all on disk", mib(all as f64), "MiB").at_most(mib(allowed)),
        ])
    }
}

fn start_or_epoch() -> DateTime<Utc> {
    start().unwrap_or(DateTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_run_measures_everything_and_leaves_a_sound_memory() {
        let kept = tempfile::tempdir().unwrap();
        let folder = Folder::Given(kept.path().to_owned());
        let args =
            Args { of: None, sizes: vec![400], quick: false, samples: 4, seed: 5, keep: false };
        let report = run(&folder, &args).unwrap().json();
        let names: Vec<&str> = report["stages"][1]["operations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|operation| operation["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "capture, one turn",
                "recall",
                "search",
                "entity",
                "why",
                "entity, as of",
                "one slot, as of (view)"
            ]
        );
        let memory = folder.open().unwrap();
        let checked = memory.check(None).unwrap();
        assert!(checked.iter().all(|(_, findings)| findings.is_empty()), "{checked:?}");
    }
}
