//! What measuring verbs share: a memory of their own, samples, and the machine's figures.

use super::args::Global;
use crate::clock::Clock;
use crate::jobs::{self, Runner};
use crate::memory::{Memory, MemoryOptions};
use crate::model::NamespaceName;
use crate::store::reader::ReaderProgram;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest wait between two looks at the background work.
const STEP: Duration = Duration::from_millis(500);

/// The folder that a measurement fills.
pub enum Folder {
    /// Named by the user and kept.
    Given(PathBuf),
    /// Removed at the end.
    Temporary(tempfile::TempDir),
}

impl Folder {
    /// Takes `--data`, or makes a temporary folder. `STRATAGATE_DATA` is not looked at, so that no
    /// real memory is touched.
    pub fn choose(global: &Global, prefix: &str) -> anyhow::Result<Self> {
        match &global.data {
            Some(path) => Ok(Self::Given(path.clone())),
            None => Ok(Self::Temporary(
                tempfile::Builder::new()
                    .prefix(prefix)
                    .tempdir()
                    .context("cannot make a temporary folder")?,
            )),
        }
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::Given(path) => path,
            Self::Temporary(folder) => folder.path(),
        }
    }

    /// Opens a memory in it.
    pub fn open(&self) -> anyhow::Result<Memory> {
        let options = MemoryOptions {
            data: self.path().to_owned(),
            clock: Clock::System,
            readers: ReaderProgram::this(None),
        };
        Memory::open(options).with_context(|| format!("cannot open {}", self.path().display()))
    }
}

/// Makes a namespace that must be new, so that nothing else is measured with it.
pub fn new_namespace(memory: &Memory, name: &str) -> anyhow::Result<NamespaceName> {
    let name = NamespaceName::new(name)?;
    if memory.names()?.contains(&name) {
        bail!("{} has a namespace {name} already; name an empty folder", memory.data().display());
    }
    Ok(name)
}

/// Runs all background work of a namespace to its end; returns how long it took.
pub fn settle(memory: &Memory, name: &NamespaceName) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let runner = Runner::start(memory)?;
    wait(memory, name, |_| ())?;
    drop(runner);
    Ok(started.elapsed())
}

/// Waits for workers that run already; tells the number of pending jobs now and then.
pub fn wait(
    memory: &Memory,
    name: &NamespaceName,
    mut tell: impl FnMut(u64),
) -> anyhow::Result<Duration> {
    let started = Instant::now();
    while !jobs::settle(memory, name, STEP)? {
        tell(memory.namespace(name)?.pending_jobs);
    }
    let failed = memory.namespace(name)?.failed_jobs;
    if failed > 0 {
        bail!("{failed} jobs of {name} gave up: what was measured would not be the whole");
    }
    Ok(started.elapsed())
}

/// How long something took, many times.
#[derive(Debug, Clone, Default)]
pub struct Samples(Vec<Duration>);

impl Samples {
    /// Runs something and notes how long it took.
    pub fn time<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = run();
        self.0.push(started.elapsed());
        done
    }

    /// Adds one sample.
    pub fn push(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// Adds the samples of another run.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// Counts the samples.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns all of it together.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// Returns the sample below which a share of all lie (nearest rank), in milliseconds.
    pub fn percentile_ms(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        let at = rank.clamp(1, sorted.len().max(1)) - 1;
        sorted.get(at).map_or(0.0, |sample| sample.as_secs_f64() * 1e3)
    }

    /// Returns median, 99th percentile and number as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "samples": self.len(),
            "p50_ms": rounded(self.percentile_ms(0.5)),
            "p99_ms": rounded(self.percentile_ms(0.99)),
        })
    }
}

/// Rounds to three decimals.
pub fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples_that_were_taken() {
        let samples = Samples((1..=200).map(Duration::from_millis).collect());
        assert!((samples.percentile_ms(0.5) - 100.0).abs() < 1e-9);
        assert!((samples.percentile_ms(0.99) - 198.0).abs() < 1e-9);
        assert!((Samples::default().percentile_ms(0.5)).abs() < 1e-9);
        let one = Samples(vec![Duration::from_millis(7)]);
        assert!((one.percentile_ms(0.99) - 7.0).abs() < 1e-9);
    }
}
