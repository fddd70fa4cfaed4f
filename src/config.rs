//! Settings: a flag wins over the environment, which wins over `stratagate.toml`.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Where the service listens by default.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:7437";
/// The namespace of a command that names none.
pub const DEFAULT_NAMESPACE: &str = "default";
/// Name of the settings file in the data folder.
pub const FILE_NAME: &str = "stratagate.toml";

/// Why settings cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not as expected.
    #[error("{path}: {source}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A variable is no number.
    #[error("{name} is {value:?}, which is no whole number")]
    Number {
        /// The variable.
        name: &'static str,
        /// What it holds.
        value: String,
    },
    /// One query would get too little or too much.
    #[error("query_memory_mib is {0}; it must be from 16 to 65536")]
    QueryMemory(u64),
    /// The platform names no data folder.
    #[error("this platform names no data folder; use --data DIR or STRATAGATE_DATA")]
    NoDataFolder,
}

/// Settings from one source; what is `None` is left to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layer {
    /// The data folder.
    pub data: Option<PathBuf>,
    /// The namespace of commands that name none.
    pub namespace: Option<String>,
    /// Where `serve` listens.
    pub listen: Option<String>,
    /// What is logged, as in `info` or `stratagate=debug`.
    pub log: Option<String>,
    /// Origins whose pages may call and read.
    pub allow_origin: Option<Vec<String>>,
    /// Memory that one ad-hoc query may take, in MiB.
    pub query_memory_mib: Option<u64>,
}

/// Settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The data folder.
    pub data: PathBuf,
    /// The namespace of commands that name none.
    pub namespace: String,
    /// Where `serve` listens.
    pub listen: String,
    /// What is logged, where something is said about it.
    pub log: Option<String>,
    /// Origins whose pages may call and read.
    pub allow_origin: Vec<String>,
    /// Memory that one ad-hoc query may take, in MiB, where something is said about it.
    pub query_memory_mib: Option<u64>,
}

impl Layer {
    /// Reads `STRATAGATE_…` variables by the given look-up; empty ones count as absent.
    ///
    /// # Errors
    /// When a number is none.
    pub fn from_env(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let get = |name: &str| look_up(name).filter(|value| !value.is_empty());
        let number = |name: &'static str| {
            let parse =
                |value: String| value.parse().map_err(|_| ConfigError::Number { name, value });
            get(name).map(parse).transpose()
        };
        Ok(Self {
            data: get("STRATAGATE_DATA").map(PathBuf::from),
            namespace: get("STRATAGATE_NAMESPACE"),
            listen: get("STRATAGATE_LISTEN"),
            log: get("STRATAGATE_LOG"),
            allow_origin: get("STRATAGATE_ALLOW_ORIGIN")
                .map(|list| list.split(',').map(|one| one.trim().to_owned()).collect()),
            query_memory_mib: number("STRATAGATE_QUERY_MEMORY_MIB")?,
        })
    }

    /// Reads a settings file.
    ///
    /// # Errors
    /// When it cannot be read, or has an unknown key or a value of the wrong type.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        toml::from_str(&text).map_err(|source| ConfigError::Parse {
            path: path.to_owned(),
            source: Box::new(source),
        })
    }

    /// Fills what is absent from another source.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            data: self.data.or(other.data),
            namespace: self.namespace.or(other.namespace),
            listen: self.listen.or(other.listen),
            log: self.log.or(other.log),
            allow_origin: self.allow_origin.or(other.allow_origin),
            query_memory_mib: self.query_memory_mib.or(other.query_memory_mib),
        }
    }
}

impl Config {
    /// Settles all settings. `file` is a settings file named by a flag; without one, the one in
    /// the data folder is read where it exists.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn settle(flags: Layer, env: Layer, file: Option<&Path>) -> Result<Self, ConfigError> {
        let mut layer = flags.or(env);
        if let Some(path) = file {
            layer = layer.or(Layer::from_file(path)?);
        }
        let data = match layer.data.take() {
            Some(data) => data,
            None => platform_data_folder().ok_or(ConfigError::NoDataFolder)?,
        };
        let beside = data.join(FILE_NAME);
        if file.is_none() && beside.is_file() {
            layer = layer.or(Layer { data: None, ..Layer::from_file(&beside)? });
        }
        if let Some(mib) = layer.query_memory_mib.filter(|mib| !(16..=65_536).contains(mib)) {
            return Err(ConfigError::QueryMemory(mib));
        }
        Ok(Self {
            data,
            namespace: layer.namespace.unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned()),
            listen: layer.listen.unwrap_or_else(|| DEFAULT_LISTEN.to_owned()),
            log: layer.log,
            allow_origin: layer.allow_origin.unwrap_or_default(),
            query_memory_mib: layer.query_memory_mib,
        })
    }
}

fn platform_data_folder() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "stratagate").map(|dirs| dirs.data_dir().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(namespace: &str) -> Layer {
        Layer { namespace: Some(namespace.to_owned()), ..Layer::default() }
    }

    #[test]
    fn a_flag_wins_over_the_environment_which_wins_over_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_owned();
        std::fs::write(data.join(FILE_NAME), "namespace = 'file'\nlisten = '127.0.0.1:1'").unwrap();
        let env = Layer { data: Some(data), ..named("env") };

        let config = Config::settle(named("flag"), env.clone(), None).unwrap();
        assert_eq!((config.namespace.as_str(), config.listen.as_str()), ("flag", "127.0.0.1:1"));
        let config = Config::settle(Layer::default(), env.clone(), None).unwrap();
        assert_eq!(config.namespace, "env");
        let env = Layer { namespace: None, ..env };
        let config = Config::settle(Layer::default(), env, None).unwrap();
        assert_eq!(config.namespace, "file");
    }

    #[test]
    fn without_any_source_the_defaults_stand() {
        let folder = tempfile::tempdir().unwrap();
        let flags = Layer { data: Some(folder.path().to_owned()), ..Layer::default() };
        let config = Config::settle(flags, Layer::default(), None).unwrap();
        assert_eq!(config.namespace, DEFAULT_NAMESPACE);
        assert_eq!(config.listen, DEFAULT_LISTEN);
    }

    #[test]
    fn an_unknown_key_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.toml");
        std::fs::write(&path, "lisen = '127.0.0.1:1'").unwrap();
        let error = Layer::from_file(&path).unwrap_err().to_string();
        assert!(error.contains("lisen") && error.contains("my.toml"), "{error}");
    }

    #[test]
    fn empty_variables_count_as_absent() {
        let env = Layer::from_env(|name| (name == "STRATAGATE_LISTEN").then(String::new)).unwrap();
        assert_eq!(env, Layer::default());
    }
}
