//! The real program as a process.

use super::Api;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stratagate");

/// A running server; killed when dropped.
pub struct Server {
    child: Child,
    pub api: Api,
}

impl Server {
    /// Starts a server and waits until it listens.
    pub fn start(data: &Path) -> Self {
        Self::start_with(data, &[])
    }

    pub fn start_with(data: &Path, arguments: &[&str]) -> Self {
        let mut child = spawn(data, arguments);
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let Some(address) = line.trim().strip_prefix("listening on ") else {
            let status = child.wait().unwrap();
            panic!("the server ended with {status}; its log:\n{}", log_of(data));
        };
        Self { api: Api::new(address), child }
    }

    /// SIGKILL: nothing of the program runs any more, what it wrote stays with the system.
    pub fn kill(mut self) {
        self.kill_now();
    }

    fn kill_now(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server process without waiting for it.
pub fn spawn(data: &Path, arguments: &[&str]) -> Child {
    Command::new(PROGRAM)
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .args(arguments)
        .env("STRATAGATE_LOG", "stratagate=info,stratagate::api=warn")
        .stdout(Stdio::piped())
        .stderr(Stdio::from(log_file(data)))
        .spawn()
        .unwrap()
}

/// Runs a verb of the command line.
pub fn run(data: &Path, arguments: &[&str]) -> Output {
    Command::new(PROGRAM)
        .args(arguments)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs a verb that must succeed; returns what it printed.
pub fn run_well(data: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = run(data, arguments);
    assert!(
        output.status.success(),
        "{arguments:?} ended with {}: {}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Checks a folder that no server holds.
pub fn check_folder(data: &Path) {
    let printed = run_well(data, &["check", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&printed).unwrap();
    assert_eq!(answer["clean"], true, "{answer}");
}

/// The log of all servers on a folder stands beside it.
fn log_path(data: &Path) -> PathBuf {
    data.with_extension("log")
}

fn log_file(data: &Path) -> File {
    OpenOptions::new().create(true).append(true).open(log_path(data)).unwrap()
}

/// Returns the newest lines of the log.
pub fn log_of(data: &Path) -> String {
    let text = std::fs::read_to_string(log_path(data)).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}
