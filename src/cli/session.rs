//! What a verb works with: settings, the door, and where answers go.

use super::args::Global;
use super::door::{Door, Reply, encode};
use super::output::{self, add};
use crate::config::{Config, Layer};
use crate::memory::Memory;
use crate::store::reader::ReaderProgram;
use crate::telemetry::{self, LogForm};
use anyhow::bail;
use serde::de::DeserializeOwned;

/// One run of the program.
pub struct Session {
    pub config: Config,
    pub json: bool,
}

impl Session {
    /// Settles the settings and starts the log.
    pub fn new(global: &Global) -> anyhow::Result<Self> {
        let flags = Layer {
            data: global.data.clone(),
            namespace: global.namespace.clone(),
            ..Layer::default()
        };
        let env = Layer::from_env(|name| std::env::var(name).ok())?;
        let config = Config::settle(flags, env, global.config.as_deref())?;
        Ok(Self { config, json: global.json })
    }

    /// Starts the log at the level from the settings, or at a verb's own.
    pub fn start_logs(&self, level: &str, form: LogForm) {
        telemetry::start_logs(self.config.log.as_deref().unwrap_or(level), form);
    }

    /// Opens the way to the data. A folder that is not there is not made: whoever reads from it
    /// has named the wrong one, or has not begun.
    pub async fn door(&self) -> anyhow::Result<Door> {
        let data = &self.config.data;
        if !Memory::is_in(data) {
            let what = if data.exists() { "holds no memory" } else { "does not exist" };
            bail!(
                "the data folder {} {what}, so there is no namespace {:?}: begin with `stratagate \
                 serve` or `stratagate record FILE`, or name another folder with --data",
                data.display(),
                self.config.namespace
            );
        }
        self.door_or_new().await
    }

    /// Opens the way to the data; a folder that is not there is made.
    pub async fn door_or_new(&self) -> anyhow::Result<Door> {
        self.start_logs("error", LogForm::Text);
        Door::open(&self.config.data, self.readers()).await
    }

    /// Returns what runs ad-hoc queries.
    pub fn readers(&self) -> Option<ReaderProgram> {
        ReaderProgram::this(self.config.query_memory_mib)
    }

    /// Returns a path below the namespace.
    pub fn path(&self, rest: &str) -> String {
        namespace_path(&self.config.namespace, rest)
    }

    /// Prints an answer: as it came with `--json`, else as the verb renders it.
    pub fn show<T: DeserializeOwned>(
        &self,
        reply: &Reply,
        render: impl FnOnce(T) -> String,
    ) -> anyhow::Result<()> {
        if self.json {
            return output::json(&reply.json::<serde_json::Value>()?);
        }
        output::text(&render(reply.json()?))
    }
}

/// Returns a path below a namespace.
pub fn namespace_path(namespace: &str, rest: &str) -> String {
    format!("/v1/namespaces/{}{rest}", encode(namespace))
}

/// Adds query parameters that have a value to a path.
pub fn with_params<'a>(
    path: &str,
    params: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> String {
    let mut path = path.to_owned();
    let mut separator = '?';
    for (name, value) in params {
        if let Some(value) = value {
            path.push(separator);
            add!(path, "{name}={}", encode(value));
            separator = '&';
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_segment_whatever_they_contain() {
        assert_eq!(
            namespace_path("dsh:a/b 演", "/seal"),
            "/v1/namespaces/dsh%3Aa%2Fb%20%E6%BC%94/seal"
        );
    }

    #[test]
    fn only_given_parameters_are_sent() {
        let path = with_params("/x", [("a", None), ("b", Some("1+1")), ("c", Some("&"))]);
        assert_eq!(path, "/x?b=1%2B1&c=%26");
    }
}
