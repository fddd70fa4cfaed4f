//! The rooms and the arrows between them: which room may use which. The table stands in
//! `ARCHITECTURE.md`; this test keeps it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each room may use, from the block marked `arrows` in `ARCHITECTURE.md`.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let page = std::fs::read_to_string(page).expect("ARCHITECTURE.md can be read");
    let (_, rest) = page.split_once("```arrows\n").expect("it has a block marked `arrows`");
    let (block, _) = rest.split_once("```").expect("the block ends");
    block
        .lines()
        .map(|line| {
            let (room, uses) = line.split_once(':').expect("each line is `room: rooms`");
            let uses = uses.split(',').map(str::trim).filter(|name| !name.is_empty());
            (room.to_owned(), uses.map(str::to_owned).collect())
        })
        .collect()
}

/// Foreign crates that only certain rooms may name, so that what is behind a seam stays there.
const SEAMS: &[(&str, &[&str])] = &[
    ("oxigraph", &["store"]),
    ("tantivy", &["text"]),
    ("axum", &["api", "cli"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
    ("reqwest", &["cli", "extract"]),
];

/// Measures the plain engines, to which the measuring commands state our ratio.
const FLOOR: &str = "cli/verbs/bench/baseline.rs";

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

/// Files that only tests are built from may compare with anything.
fn is_test(file: &Path) -> bool {
    file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests")
}

/// Code without comments: what a comment names is no arrow.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("the sources can be read");
    text.lines()
        .map(|line| if line.trim_start().starts_with("//") { "" } else { line })
        .collect::<Vec<_>>()
        .join("\n")
}

/// All source files of ours that are not tests, with their rooms.
fn files() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    rust_files(&source(), &mut found);
    found
        .into_iter()
        .filter(|file| !is_test(file.strip_prefix(source()).expect("a file of ours")))
        .map(|file| (room(&file), file))
        .filter(|(room, _)| room != "lib" && room != "main")
        .collect()
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
    let (files, table) = (files(), table());
    let known: BTreeSet<String> = files.iter().map(|(room, _)| room.clone()).collect();
    let mut wrong = Vec::new();
    for (from, file) in &files {
        let Some(may) = table.get(from) else {
            wrong.push(format!("{from} is not in the table"));
            continue;
        };
        for to in used_rooms(&code(file), &known) {
            if to != *from && !may.contains(&to) {
                wrong.push(format!("{} uses {to}, which {from} may not", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn foreign_crates_stay_behind_their_seams() {
    let mut wrong = Vec::new();
    for (from, file) in files() {
        let text = code(&file);
        for (name, rooms) in SEAMS {
            let path = format!("{name}::");
            let named = text.match_indices(&path).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
            });
            let is_allowed = rooms.contains(&from.as_str()) || file.ends_with(FLOOR);
            if named && !is_allowed {
                wrong.push(format!("{} names {name}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_no_cycle_and_no_room_that_is_gone() {
    let rooms: BTreeSet<String> = files().into_iter().map(|(room, _)| room).collect();
    let table = table();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    // Takes away rooms that use only rooms taken away before; a cycle would leave some.
    while done.len() < table.len() {
        let next = table.iter().find(|(name, uses)| {
            !done.contains(name.as_str()) && uses.iter().all(|to| done.contains(to.as_str()))
        });
        let Some((name, _)) = next else {
            panic!("the table has a cycle among what is left after {done:?}");
        };
        assert!(rooms.contains(name), "{name} is in the table but not in src");
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
