//! The rooms and the arrows between them: which room may use which. `ARCHITECTURE.md` explains
//! the table, this test keeps it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each room may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("api", &["jobs", "memory", "model", "store", "telemetry", "vocab"]),
    (
        "cli",
        &[
            "api",
            "clock",
            "config",
            "decay",
            "extract",
            "jobs",
            "journal",
            "memory",
            "model",
            "store",
            "telemetry",
            "temporal",
            "text",
            "views",
            "vocab",
        ],
    ),
    ("clock", &[]),
    ("config", &[]),
    ("decay", &["model"]),
    ("extract", &["model"]),
    ("jobs", &["clock", "extract", "memory", "model", "store"]),
    ("journal", &["model"]),
    (
        "memory",
        &[
            "clock", "decay", "extract", "journal", "model", "store", "temporal", "text", "views",
            "vocab",
        ],
    ),
    ("model", &[]),
    ("store", &["journal", "model", "temporal", "vocab"]),
    ("telemetry", &[]),
    ("temporal", &["model"]),
    ("text", &["model"]),
    ("views", &["model"]),
    ("vocab", &["model"]),
];

/// Foreign crates that only certain rooms may name, so that what is behind a seam stays there.
const SEAMS: &[(&str, &[&str])] = &[
    ("oxigraph", &["store"]),
    ("tantivy", &["text"]),
    ("axum", &["api", "cli"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
    ("reqwest", &["cli", "extract"]),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the sources can be read") {
        let path = entry.expect("the sources can be read").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The room of a file: the first part of its path below `src`.
fn room(file: &Path) -> String {
    let below = file.strip_prefix(source()).expect("a file of ours");
    let first = below.components().next().expect("a file has a name");
    let name = first.as_os_str().to_string_lossy();
    name.strip_suffix(".rs").unwrap_or(&name).to_owned()
}

/// Code without comments and tests' foot: what a comment names is no arrow.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("the sources can be read");
    text.lines()
        .map(|line| if line.trim_start().starts_with("//") { "" } else { line })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The rooms a text names by `crate::…`, singly or in braces.
fn used_rooms(text: &str, known: &BTreeSet<String>) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for rest in text.split("crate::").skip(1) {
        for name in first_names(rest) {
            if known.contains(&name) {
                used.insert(name);
            }
        }
    }
    used
}

/// The first name of a path, or of each path in a list in braces.
fn first_names(rest: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(list) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let (mut names, mut depth, mut start) = (Vec::new(), 1, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            names.push(word(&list[start..at]));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names
}

#[test]
fn no_room_uses_one_it_may_not() {
    let mut files = Vec::new();
    rust_files(&source(), &mut files);
    let known: BTreeSet<String> =
        files.iter().map(|f| room(f)).filter(|r| r != "lib" && r != "main").collect();
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut wrong = Vec::new();
    for file in &files {
        let from = room(file);
        if from == "lib" || from == "main" {
            continue;
        }
        let Some(may) = allowed.get(from.as_str()) else {
            wrong.push(format!("{from} is not in the table"));
            continue;
        };
        for to in used_rooms(&code(file), &known) {
            if to != from && !may.contains(&to.as_str()) {
                wrong.push(format!("{} uses {to}, which {from} may not", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn foreign_crates_stay_behind_their_seams() {
    let mut files = Vec::new();
    rust_files(&source(), &mut files);
    let mut wrong = Vec::new();
    for file in &files {
        let (from, text) = (room(file), code(file));
        for (name, rooms) in SEAMS {
            let named =
                text.contains(&format!("use {name}::")) || text.contains(&format!(" {name}::"));
            if named && !rooms.contains(&from.as_str()) {
                wrong.push(format!("{} names {name}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_no_cycle_and_no_room_that_is_gone() {
    let mut files = Vec::new();
    rust_files(&source(), &mut files);
    let rooms: BTreeSet<String> = files.iter().map(|file| room(file)).collect();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    // Takes away rooms that use only rooms taken away before; a cycle would leave some.
    while done.len() < ALLOWED.len() {
        let next = ALLOWED
            .iter()
            .find(|(name, uses)| !done.contains(name) && uses.iter().all(|to| done.contains(to)));
        let Some((name, _)) = next else {
            panic!("the table has a cycle among what is left after {done:?}");
        };
        assert!(rooms.contains(*name), "{name} is in the table but not in src");
        done.insert(name);
    }
}

#[test]
fn names_in_braces_count_too() {
    let known: BTreeSet<String> =
        ["store", "text", "model"].into_iter().map(str::to_owned).collect();
    let text = "use crate::{model::{Event, text}, store};\nlet x = 1;";
    let used: Vec<String> = used_rooms(text, &known).into_iter().collect();
    assert_eq!(used, ["model", "store"]);
    let used: Vec<String> = used_rooms("crate::text::search()", &known).into_iter().collect();
    assert_eq!(used, ["text"]);
}
