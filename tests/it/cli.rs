//! The command line: with a server, without one, for people and for programs.

use crate::support::{PROGRAM, TestServer, program, run, run_json, tell_story, turn};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn stdout(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Records a small story without a server and ends its work.
fn record_story(data: &Path) {
    let file = data.with_extension("jsonl");
    let turns = [
        turn("k1", "2026-05-06T09:30:00+08:00", "Use npm for the kiosk-web project.", "I will."),
        turn(
            "k2",
            "2026-05-08T14:10:00+08:00",
            "Let's switch the kiosk-web project to pnpm, because CI installs take 6 minutes.",
            "The lockfile is converted.",
        ),
    ];
    let lines: Vec<String> = turns.iter().map(Value::to_string).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let output = run(data, &["record", file.to_str().unwrap(), "--seal"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 turns stored in default"), "{}", stdout(&output));
}

#[test]
fn every_verb_works_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    record_story(&data);
    let info = run_json(&data, &["status"]);
    assert_eq!(info["server"], Value::Null);
    assert_eq!(info["namespaces"][0]["pending_jobs"], 0, "recording ended its own work");

    let found = run_json(&data, &["search", "pnpm"]);
    assert!(!found["hits"].as_array().unwrap().is_empty());
    let recalled = run_json(&data, &["recall", "which", "package", "manager"]);
    assert!(recalled["batch"].is_string());
    let state = run_json(&data, &["entity", "kiosk-web"]);
    assert_eq!(state["current"][0]["value"], "pnpm");
    let then = run_json(&data, &["entity", "kiosk-web", "--valid-at", "2026-05-07"]);
    assert_eq!(then["current"][0]["value"], "npm");
    let why = run_json(&data, &["why", "kiosk-web", "package_manager"]);
    let fact = why["facts"][0]["fact"]["id"].as_str().unwrap();
    assert_eq!(run_json(&data, &["why", fact])["facts"][0]["fact"]["id"], fact);
    assert_eq!(run_json(&data, &["why", "--fact", fact]), run_json(&data, &["why", fact]));
    let named = ["why", "--entity", "kiosk-web", "--property", "package_manager"];
    assert_eq!(run_json(&data, &named), why);
    assert!(run_json(&data, &["timeline", "kiosk-web"])["items"].is_array());
    let diff = run_json(&data, &["diff", "2026-05-07", "2026-05-09"]);
    assert_eq!(diff["ended"][0]["fact"]["value"], "npm");
    let blocks = run_json(&data, &["block"]);
    let block = blocks["items"][0]["id"].as_str().unwrap();
    assert_eq!(run_json(&data, &["block", block, "--level", "L5"])["level"], "L5");
    assert!(run_json(&data, &["jobs", "--state", "done"])["items"].is_array());
    let rows = run_json(&data, &["query", "SELECT ?s WHERE { ?s sg:packageManager ?o }"]);
    assert_eq!(rows["results"]["bindings"].as_array().unwrap().len(), 1);
    assert!(run_json(&data, &["query", "--list"])["items"].as_array().unwrap().len() > 5);
    let rows = run_json(&data, &["query", "current_state", "-p", "entity=project:kiosk-web"]);
    assert!(rows.to_string().contains("pnpm"));
    assert_eq!(run_json(&data, &["check"])["clean"], true);
    assert!(run_json(&data, &["reindex"])["items"].is_array());
    assert!(run_json(&data, &["rebuild-current"])["items"].is_array());
    let event = why["facts"][0]["events"][0]["event"]["id"].as_str().unwrap();
    assert_eq!(run_json(&data, &["forget", event])["forgotten"], true);
    assert_eq!(run_json(&data, &["forget", event, "--undo"])["forgotten"], false);
    assert_eq!(run_json(&data, &["seal"])["blocks"], json!([]));
}

#[test]
fn people_read_sentences_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    record_story(&data);
    for (args, marks) in [
        (
            vec!["why", "kiosk-web", "package_manager"],
            vec!["pnpm", "CI installs take 6 minutes", "npm", "rule", "2026-05-08"],
        ),
        (vec!["entity", "kiosk-web"], vec!["current", "superseded", "package_manager"]),
        (vec!["timeline", "kiosk-web"], vec!["fact_began", "2026-05-06"]),
        (
            vec!["diff", "2026-05-07", "2026-05-09"],
            vec!["added", "ended", "npm", "by \"Let's switch", "(e_"],
        ),
        (vec!["search", "pnpm"], vec!["event", "batch"]),
        (vec!["block"], vec!["level", "ready"]),
        (vec!["status"], vec!["none is running", "default"]),
        (vec!["check"], vec!["nothing found"]),
        (vec!["query", "SELECT ?s { ?s sg:packageManager ?o }"], vec!["(1 row)"]),
        (vec!["query", "ASK { ?s sg:packageManager ?o }"], vec!["yes"]),
        (vec!["query", "--list"], vec!["current_state"]),
    ] {
        let output = run(&data, &args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        for mark in marks {
            assert!(stdout(&output).contains(mark), "{args:?} lacks {mark:?}: {}", stdout(&output));
        }
    }
    let found = stdout(&run(&data, &["search", "pnpm", "--in", "events"]));
    let first = found.lines().next().unwrap();
    assert_eq!(first.matches("e_").count(), 1, "{first}");
}

#[tokio::test]
async fn a_running_server_is_found_by_its_folder() {
    let server = TestServer::start_with_message_clock();
    tell_story(&server, "default").await;
    let status = run_json(server.data(), &["status"]);
    assert_eq!(status["server"], server.base());
    assert_eq!(
        run_json(server.data(), &["entity", "kiosk-web"]),
        server.get("/v1/namespaces/default/entities/kiosk-web").await
    );
    let target = server.data().with_extension("nq");
    let output = run(server.data(), &["export", "--output", target.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let request = server.request(reqwest::Method::GET, "/v1/namespaces/default/export");
    let direct = request.send().await.unwrap().bytes().await.unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), direct);
    let refused = run(server.data(), &["restore", "/nowhere"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains(server.base()), "{}", stderr(&refused));
}

#[test]
fn turns_come_from_stdin_too_and_twice_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let body = turn("t1", "2026-05-06T09:30:00Z", "Hello.", "Hi.").to_string();
    for status in ["stored", "duplicate"] {
        let mut child = program(folder.path())
            .args(["-n", "other", "record", "-", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["items"][0]["status"], status);
    }
    let info = run_json(folder.path(), &["status"]);
    assert_eq!(info["namespaces"][0]["name"], "other");
}

#[test]
fn failures_are_one_line_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    record_story(&data);
    for (args, marks) in [
        (vec!["-n", "nobody", "search", "x"], vec!["nobody", "unknown_namespace"]),
        (vec!["record", "/no/such/file"], vec!["/no/such/file"]),
        (vec!["why", "kiosk-web"], vec!["property"]),
        (
            vec!["why", "kiosk-web", "nosuch"],
            vec!["\"nosuch\" is not a property", "kiosk-web has package_manager"],
        ),
        (vec!["event", "e_nothing"], vec!["e_nothing", "not_found"]),
        (vec!["query", "SELECT * WHERE {"], vec!["invalid_query"]),
        (vec!["query", "DELETE WHERE { ?s ?p ?o }"], vec!["only reads", "query_refused"]),
        (vec!["query"], vec!["--list"]),
        (vec!["restore", "/no/such/backup"], vec!["/no/such/backup"]),
    ] {
        let output = run(&data, &args);
        let errors = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{args:?}: {errors}");
        for mark in marks {
            assert!(errors.contains(mark), "{args:?}: {errors}");
        }
    }
    for args in [vec![], vec!["fly"], vec!["search"], vec!["serve", "--clock", "sundial"]] {
        assert_eq!(run(&data, &args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn reading_makes_no_folder_and_says_how_to_begin() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for args in [
        vec!["search", "x"],
        vec!["recall", "x"],
        vec!["entity"],
        vec!["event", "e_1"],
        vec!["query", "--list"],
        vec!["status"],
        vec!["check"],
        vec!["export"],
        vec!["jobs"],
    ] {
        let output = run(&data, &args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let errors = stderr(&output);
        assert_eq!(errors.lines().count(), 1, "{args:?}: {errors}");
        for mark in ["does not exist", data.to_str().unwrap(), "stratagate record"] {
            assert!(errors.contains(mark), "{args:?}: {errors}");
        }
        assert!(!data.exists(), "{args:?} has made the folder");
    }
}

#[test]
fn a_cause_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let errors = stderr(&run(folder.path(), &["serve", "--listen", &address]));
    assert_eq!(errors.matches("os error").count(), 1, "{errors}");
    assert!(errors.contains(&address) && errors.contains("--listen"), "{errors}");
}

#[test]
fn an_event_reads_as_a_card() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    record_story(&data);
    let why = run_json(&data, &["why", "kiosk-web", "package_manager"]);
    let id = |list: &str| why[list][0]["events"][0]["event"]["id"].as_str().unwrap().to_owned();
    let (new, old) = (id("facts"), id("replaced"));
    let card = run_json(&data, &["event", &new]);
    assert_eq!((&card["id"], &card["status"]), (&json!(new), &json!("occurred")));
    let text = stdout(&run(&data, &["event", &new]));
    for mark in [
        &new,
        "switch the kiosk-web project to pnpm",
        "occurred",
        "2026-05-08 06:10 by user, in thread main",
        "CI installs take 6 minutes",
        "project:kiosk-web",
    ] {
        assert!(text.contains(mark), "{mark:?}: {text}");
    }
    let text = stdout(&run(&data, &["event", &old]));
    for mark in ["superseded by \"", "to pnpm", &new] {
        assert!(text.contains(mark), "{mark:?}: {text}");
    }
}

#[test]
fn settings_come_from_flag_environment_and_file() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    std::fs::write(data.join("stratagate.toml"), "namespace = 'from-file'").unwrap();
    let named = |args: &[&str], env: Option<&str>| {
        let mut command = program(data);
        if let Some(name) = env {
            command.env("STRATAGATE_NAMESPACE", name);
        }
        stderr(&command.args(args).output().unwrap())
    };
    assert!(named(&["search", "x"], None).contains("from-file"));
    assert!(named(&["search", "x"], Some("from-env")).contains("from-env"));
    assert!(named(&["-n", "from-flag", "search", "x"], Some("from-env")).contains("from-flag"));
    std::fs::write(data.join("stratagate.toml"), "nmaespace = 'x'").unwrap();
    assert!(named(&["status"], None).contains("nmaespace"));
}

#[test]
fn a_backup_is_a_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    record_story(&data);
    let (backup, restored) = (folder.path().join("backup"), folder.path().join("restored"));
    assert!(run(&data, &["backup", backup.to_str().unwrap()]).status.success());
    let again = run(&data, &["backup", backup.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(1), "an existing folder is not overwritten");
    let output = run(&restored, &["restore", backup.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let export = |data: &Path| stdout(&run(data, &["export"]));
    assert_eq!(export(&restored), export(&data));
    assert_eq!(run_json(&restored, &["check"])["clean"], true);
    let twice = run(&restored, &["restore", backup.to_str().unwrap()]);
    assert_eq!(twice.status.code(), Some(1), "a folder that is not empty is not overwritten");
}

#[test]
fn help_and_version_answer_and_help_has_examples() {
    let output = Command::new(PROGRAM).arg("--version").output().unwrap();
    assert!(stdout(&output).starts_with("stratagate "));
    for verb in ["serve", "demo", "record", "search", "why", "query", "check"] {
        let output = Command::new(PROGRAM).args([verb, "--help"]).output().unwrap();
        assert!(stdout(&output).contains("Examples:"), "{verb}");
    }
}

#[test]
fn the_demo_tells_the_whole_story() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("demo");
    let output = run(&data, &["demo"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for mark in [
        "L0",
        "L5",
        "npm",
        "pnpm",
        "superseded",
        "sufficient",
        "partial",
        "weight",
        "duplicate",
        "CI installs take 6 minutes",
        "planned",
        "serve --clock messages",
        "curl",
    ] {
        assert!(text.contains(mark), "{mark:?} is not told:\n{text}");
    }
    assert_eq!(run_json(&data, &["check"])["clean"], true);
    let twice = run(&data, &["demo"]);
    assert_eq!(twice.status.code(), Some(1), "a told demo is not told into the same folder");
}
