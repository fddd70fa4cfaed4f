//! Setting up logs and metrics.

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;
use tracing_subscriber::EnvFilter;

/// Bounds of the request duration histogram, in seconds.
const DURATION_BOUNDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

static METRICS: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogForm {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Sends log lines to stderr. `RUST_LOG` wins over `level`. Calling it twice changes nothing.
pub fn start_logs(level: &str, form: LogForm) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second call fails because a subscriber stands already, which is what is wanted.
    let _ = match form {
        LogForm::Text => builder.with_ansi(false).try_init(),
        LogForm::Json => builder.json().flatten_event(true).try_init(),
    };
}

/// Starts counting. Calling it twice changes nothing.
pub fn start_metrics() {
    METRICS.get_or_init(|| {
        let handle =
            PrometheusBuilder::new().set_buckets(DURATION_BOUNDS).ok()?.install_recorder().ok()?;
        metrics::describe_counter!("stratagate_http_requests_total", "Answered HTTP requests");
        metrics::describe_histogram!(
            "stratagate_http_request_duration_seconds",
            metrics::Unit::Seconds,
            "Time from request to answer"
        );
        metrics::gauge!("stratagate_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        Some(handle)
    });
}

/// Returns all metrics in the Prometheus text format; empty before [`start_metrics`].
pub fn render_metrics() -> String {
    METRICS.get().and_then(Option::as_ref).map(PrometheusHandle::render).unwrap_or_default()
}

/// Drops what old histogram samples no longer need; to be called every few seconds.
pub fn tidy_metrics() {
    if let Some(handle) = METRICS.get().and_then(Option::as_ref) {
        handle.run_upkeep();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_rendered() {
        start_metrics();
        start_metrics();
        metrics::counter!("stratagate_test_total").increment(2);
        let text = render_metrics();
        assert!(text.contains("stratagate_test_total 2"), "{text}");
        assert!(text.contains("stratagate_build_info"), "{text}");
    }
}
