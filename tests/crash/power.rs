//! A power cut: nothing that the store, the index or the side files did not sync is there any
//! more; the journal is.

use crate::replay::{act, assert_same, fill};
use crate::support::api::at;
use crate::support::words::{token_of, turn};
use crate::support::{Chance, Server, files, server};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const NS: &str = "power cut";

/// A settled folder whose server was killed, an earlier copy of its store, and what is known.
struct Scene {
    place: tempfile::TempDir,
    data: PathBuf,
    known: Vec<(Value, Value)>,
    export: String,
    info: Value,
}

impl Scene {
    async fn set_up(seed: u64) -> Self {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        let mut chance = Chance::new(seed);
        let server = Server::start(&data);
        server.api.put(&at(NS, ""), json!({"block_turns": 3})).await.well();
        let mut known = fill(&server.api, NS, 9, &mut chance, "early").await;
        // Killed with jobs under way: the copy is no tidy one.
        server.kill();
        let folder = files::namespace_folder(&data, NS);
        for part in ["store", "index"] {
            files::copy(&folder.join(part), &place.path().join("earlier").join(part));
        }
        let server = Server::start(&data);
        known.extend(fill(&server.api, NS, 9, &mut chance, "late").await);
        act(&server.api, NS).await;
        let info = server.api.settle(NS).await;
        let export = server.api.export(NS, "nquads").await;
        server.kill();
        Self { place, data, known, export, info }
    }

    fn earlier(&self, part: &str) -> PathBuf {
        self.place.path().join("earlier").join(part)
    }

    /// Damages a copy of the folder and checks what a start makes of it.
    async fn survives(&self, what: &str, damage: impl FnOnce(&Path)) {
        let copy = self.place.path().join(what);
        files::copy(&self.data, &copy);
        let folder = files::namespace_folder(&copy, NS);
        damage(&folder);
        let server = Server::start(&copy);
        let api = &server.api;
        let info = api.settle(NS).await;
        assert_eq!(info, self.info, "{what}");
        assert_same(&self.export, &api.export(NS, "nquads").await, what);
        for (turn, receipt) in &self.known {
            let again = api.post(&at(NS, "/turns"), turn.clone()).await;
            assert_eq!(again.status, 200, "{what}: {again:?}");
            assert_eq!(again.body["message_ids"], receipt["message_ids"], "{what}");
        }
        for (turn, receipt) in self.known.iter().step_by(4) {
            let word = token_of(turn["turn_id"].as_str().unwrap());
            api.finds(NS, &word, &receipt["message_ids"]).await;
        }
        api.check_is_clean().await;
        // It goes on from there.
        let late = turn(&mut Chance::new(3), "after the cut", "main");
        assert_eq!(api.post(&at(NS, "/turns"), late).await.status, 201);
        api.post(&at(NS, "/seal"), json!({})).await.well();
        api.settle(NS).await;
        api.check_is_clean().await;
        server.kill();
        server::check_folder(&copy);
    }
}

fn append(folder: &Path, bytes: &[u8]) {
    let journal = files::segments(folder).pop().unwrap();
    fs::OpenOptions::new().append(true).open(journal).unwrap().write_all(bytes).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_power_cut_takes_from_the_derived_files_comes_back() {
    let scene = Scene::set_up(21).await;
    scene
        .survives("store of earlier", |folder| {
            files::replace(&scene.earlier("store"), &folder.join("store"));
        })
        .await;
    scene.survives("no store", |folder| fs::remove_dir_all(folder.join("store")).unwrap()).await;
    scene
        .survives("store and index of earlier", |folder| {
            for part in ["store", "index"] {
                files::replace(&scene.earlier(part), &folder.join(part));
            }
        })
        .await;
    scene
        .survives("index of earlier", |folder| {
            files::replace(&scene.earlier("index"), &folder.join("index"));
        })
        .await;
    scene.survives("no index", |folder| fs::remove_dir_all(folder.join("index")).unwrap()).await;
    scene.survives("half an index", |folder| files::halve_files(&folder.join("index"))).await;
    scene
        .survives("nothing but the journal", |folder| {
            for part in ["store", "index", "side"] {
                fs::remove_dir_all(folder.join(part)).unwrap();
            }
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_torn_end_of_the_journal_is_cut_off_and_nothing_else() {
    let scene = Scene::set_up(22).await;
    // What one more write would have left on the disk.
    let further = scene.place.path().join("further");
    files::copy(&scene.data, &further);
    let journal = files::segments(&files::namespace_folder(&further, NS)).pop().unwrap();
    let acknowledged = fs::metadata(&journal).unwrap().len() as usize;
    let server = Server::start(&further);
    let late = turn(&mut Chance::new(4), "never acknowledged", "main");
    assert_eq!(server.api.post(&at(NS, "/turns"), late).await.status, 201);
    server.kill();
    let whole = fs::read(&journal).unwrap();
    let record = &whole[acknowledged..];
    assert!(record.len() > 300);
    let mut chance = Chance::new(9);
    for kept in [20, record.len() / 2, record.len() - 1] {
        let part = &record[..kept];
        let with_store = chance.percent(50);
        scene
            .survives(&format!("{kept} bytes of a record"), |folder| {
                append(folder, part);
                if !with_store {
                    fs::remove_dir_all(folder.join("store")).unwrap();
                }
            })
            .await;
    }
    scene.survives("zeros", |folder| append(folder, &[0; 4096])).await;
    let noise: Vec<u8> = (0..3000).map(|_| chance.next() as u8).collect();
    scene.survives("noise", |folder| append(folder, &noise)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_were_under_way_are_done_after_a_power_cut() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    for round in 0..4_u64 {
        let server = Server::start(&data);
        let api = &server.api;
        api.put(&at(NS, ""), json!({"block_turns": 1})).await.well();
        let mut chance = Chance::new(round);
        let mut turns = Vec::new();
        for number in 0..12 {
            turns.push(turn(&mut chance, &format!("r{round} t{number}"), "main"));
        }
        let batch = json!({"turns": turns});
        assert_eq!(api.post(&at(NS, "/turns:batch"), batch).await.status, 201);
        tokio::time::sleep(std::time::Duration::from_millis(40 * round)).await;
        server.kill();
        let folder = files::namespace_folder(&data, NS);
        for part in ["store", "index", "side"] {
            if chance.percent(60) {
                fs::remove_dir_all(folder.join(part)).unwrap();
            }
        }
        let server = Server::start(&data);
        let api = &server.api;
        let info = api.settle(NS).await;
        assert_eq!(info["counts"]["turns"], 12 * (round + 1));
        assert_eq!(info["counts"]["blocks"], 12 * (round + 1));
        let jobs = api.list(NS, "/jobs").await;
        assert_eq!(jobs.len() as u64, 36 * (round + 1));
        assert!(jobs.iter().all(|job| job["state"] == "done"));
        assert!(api.list(NS, "/blocks").await.iter().all(|block| block["state"] == "ready"));
        api.check_is_clean().await;
        server.kill();
    }
}
