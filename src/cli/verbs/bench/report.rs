//! What was measured, as a table and as JSON.

use crate::cli::measure::{Samples, rounded};
use crate::cli::output::{add, count, table};
use serde_json::{Value, json};

/// One operation, many times.
pub struct Operation {
    name: &'static str,
    samples: Samples,
    p50_target_ms: Option<f64>,
    p99_target_ms: Option<f64>,
    baseline: Option<(String, Samples)>,
}

impl Operation {
    /// Names it.
    pub fn new(name: &'static str, samples: Samples) -> Self {
        Self { name, samples, p50_target_ms: None, p99_target_ms: None, baseline: None }
    }

    /// Says what it should stay below, in milliseconds.
    pub fn target(mut self, p50: f64, p99: f64) -> Self {
        self.p50_target_ms = Some(p50);
        self.p99_target_ms = Some(p99);
        self
    }

    /// Says what only its 99th percentile should stay below, in milliseconds.
    pub fn target_p99(mut self, p99: f64) -> Self {
        self.p99_target_ms = Some(p99);
        self
    }

    /// Sets a baseline beside it.
    pub fn beside(mut self, name: String, samples: Samples) -> Self {
        self.baseline = Some((name, samples));
        self
    }

    fn row(&self) -> Vec<String> {
        let (p50, p99) = (self.samples.percentile_ms(0.5), self.samples.percentile_ms(0.99));
        let against = |value: f64, target: Option<f64>| match target {
            None => "-".to_owned(),
            Some(target) if value < target => format!("< {target} met"),
            Some(target) => format!("< {target} missed"),
        };
        let (ratio, beside) = self.baseline.as_ref().map_or_else(
            || (String::new(), String::new()),
            |(name, floor)| {
                let floor = floor.percentile_ms(0.5);
                (format!("{:.1}x", p50 / floor.max(1e-6)), format!("{name}: {floor:.3} ms"))
            },
        );
        vec![
            self.name.to_owned(),
            format!("{p50:.2}"),
            against(p50, self.p50_target_ms),
            format!("{p99:.2}"),
            against(p99, self.p99_target_ms),
            ratio,
            beside,
        ]
    }

    fn json(&self) -> Value {
        let mut value = self.samples.json();
        value["name"] = self.name.into();
        value["p50_target_ms"] = json!(self.p50_target_ms);
        value["p99_target_ms"] = json!(self.p99_target_ms);
        if let Some((name, floor)) = &self.baseline {
            value["baseline"] = floor.json();
            value["baseline"]["name"] = name.as_str().into();
        }
        value
    }
}

/// One number.
pub struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

impl Figure {
    /// Names it.
    pub fn new(name: &'static str, value: f64, unit: &'static str) -> Self {
        Self { name, value, unit, at_least: None, at_most: None }
    }

    /// Says what it should reach.
    pub fn at_least(mut self, target: f64) -> Self {
        self.at_least = Some(target);
        self
    }

    /// Says what it should stay below.
    pub fn at_most(mut self, target: f64) -> Self {
        self.at_most = Some(target);
        self
    }

    fn row(&self) -> Vec<String> {
        let digits = usize::from(self.value < 1_000.0 && !self.unit.is_empty()) * 2;
        let verdict = |met: bool| if met { "met" } else { "missed" };
        let target = match (self.at_least, self.at_most) {
            (Some(target), _) => format!("> {target:.0} {}", verdict(self.value > target)),
            (_, Some(target)) => format!("< {target:.1} {}", verdict(self.value < target)),
            _ => String::new(),
        };
        vec![self.name.to_owned(), format!("{:.digits$} {}", self.value, self.unit), target]
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "value": rounded(self.value),
            "unit": self.unit,
            "at_least": self.at_least,
            "at_most": self.at_most.map(rounded),
        })
    }
}

/// What was measured at one size.
#[derive(Default)]
pub struct Stage {
    /// Messages stored after capture was measured.
    pub messages: u64,
    operations: Vec<Operation>,
    figures: Vec<Figure>,
}

impl Stage {
    /// Adds an operation.
    pub fn operation(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// Adds a number.
    pub fn figure(&mut self, figure: Figure) {
        self.figures.push(figure);
    }
}

/// Everything that was measured.
pub struct Report {
    /// The load of the last minute, at the end.
    pub load: Option<f64>,
    /// Processors.
    pub processors: usize,
    /// The generator's seed.
    pub seed: u64,
    /// By size.
    pub stages: Vec<Stage>,
    /// After compaction.
    pub optimised: Vec<Figure>,
}

const OPERATIONS: [&str; 7] =
    ["operation", "p50 ms", "target", "p99 ms", "target", "ratio", "beside (p50)"];
const FIGURES: [&str; 3] = ["figure", "value", "target"];

impl Report {
    /// Lays it out for people.
    pub fn text(&self) -> String {
        let mut text = format!("{}, seed {}", count(self.processors, "processor"), self.seed);
        if let Some(load) = self.load {
            add!(text, ", load {load:.1}");
        }
        text.push('\n');
        for stage in &self.stages {
            add!(text, "\n{} messages stored\n", stage.messages);
            let rows: Vec<Vec<String>> = stage.operations.iter().map(Operation::row).collect();
            text.push_str(&table(&OPERATIONS, &rows));
            let rows: Vec<Vec<String>> = stage.figures.iter().map(Figure::row).collect();
            text.push_str(&table(&FIGURES, &rows));
        }
        let rows: Vec<Vec<String>> = self.optimised.iter().map(Figure::row).collect();
        add!(text, "\nafter compaction\n{}", table(&FIGURES, &rows));
        text
    }

    /// Returns it as JSON.
    pub fn json(&self) -> Value {
        let stages: Vec<Value> = self
            .stages
            .iter()
            .map(|stage| {
                json!({
                    "messages": stage.messages,
                    "operations": stage.operations.iter().map(Operation::json).collect::<Vec<_>>(),
                    "figures": stage.figures.iter().map(Figure::json).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "processors": self.processors,
            "load": self.load,
            "seed": self.seed,
            "stages": stages,
            "compacted": self.optimised.iter().map(Figure::json).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_missed_target_says_so() {
        let mut samples = Samples::default();
        samples.push(Duration::from_millis(7));
        let row = Operation::new("x", samples).target(5.0, 25.0).row();
        assert_eq!(row[..5], ["x", "7.00", "< 5 missed", "7.00", "< 25 met"]);
        let row = Figure::new("y", 900.0, "turns/s").at_least(1_000.0).row();
        assert_eq!(row, ["y", "900.00 turns/s", "> 1000 missed"]);
        let row = Figure::new("z", 12_345.0, "").row();
        assert_eq!(row, ["z", "12345 ", ""]);
    }
}
