//! `kill -9` at any moment: what was acknowledged is there once, the rest whole or not at all.

use crate::support::Api;
use crate::support::api::{Answer, at};
use crate::support::words::{token_of, turn};
use crate::support::{Chance, Server, files, server};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Rounds without a setting, over all folders.
const ROUNDS: u64 = 24;
/// Folders, each with a server of its own, side by side.
const FOLDERS: u64 = 3;
/// Tasks that write at once.
const WRITERS: usize = 4;
/// Namespaces that live as long as their folder.
const LASTING: [&str; 2] = ["kill rounds", "断电/测试"];

/// What is known of a namespace from outside.
#[derive(Default)]
struct Known {
    /// Acknowledged turns with the answers they got.
    turns: BTreeMap<String, (Value, Value)>,
    /// Requests whose answer never came: the turns of each.
    open: Vec<Vec<Value>>,
    /// Acknowledged adoptions: the request and what it incremented.
    adoptions: Vec<(Value, Value)>,
    /// Blocks that calls of seal have named.
    sealed: BTreeSet<String>,
    /// The newest acknowledged turn of this round.
    newest: Option<String>,
    /// Acknowledged turns and jobs tried again that the tally has.
    counted: usize,
    retried: BTreeSet<String>,
    /// Writes of turns that wait for their answer.
    in_flight: u64,
    /// Whether an erasure was acknowledged, or was under way.
    erased: Option<bool>,
}

impl Known {
    /// Takes in what the answer to a write of turns says.
    fn learn(&mut self, turns: &[Value], items: &[Value]) {
        assert_eq!(turns.len(), items.len());
        for (turn, item) in turns.iter().zip(items) {
            let id = turn["turn_id"].as_str().unwrap();
            assert_eq!(item["turn_id"], id);
            if let Some((_, before)) = self.turns.get(id) {
                same_receipt(before, item);
                assert_eq!(item["status"], "duplicate", "stored twice: {item}");
            }
            self.turns.insert(id.to_owned(), (turn.clone(), item.clone()));
            self.newest = Some(id.to_owned());
        }
    }
}

/// A receipt says the same whenever it is given.
fn same_receipt(before: &Value, after: &Value) {
    for field in ["turn_id", "turn", "message_ids", "sealed_block", "revision"] {
        assert_eq!(before[field], after[field], "{field} changed: {before} -> {after}");
    }
}

type World = Arc<Mutex<BTreeMap<String, Known>>>;

/// What the rounds saw, for the line that is printed at the end.
#[derive(Default)]
struct Tally {
    rounds: AtomicU64,
    turns: AtomicU64,
    unanswered: AtomicU64,
    came_back: AtomicU64,
    killed_at_start: AtomicU64,
    retried_jobs: AtomicU64,
    erased: AtomicU64,
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn killing_the_server_at_any_moment_loses_and_doubles_nothing() {
    let rounds = number("STRATAGATE_KILL_ROUNDS").unwrap_or(ROUNDS);
    let seed = number("STRATAGATE_KILL_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        now.as_nanos() as u64
    });
    println!("STRATAGATE_KILL_SEED={seed} STRATAGATE_KILL_ROUNDS={rounds}");
    let tally = Arc::new(Tally::default());
    let mut folders = Vec::new();
    for folder in 0..FOLDERS {
        let chance = Chance::new(seed.wrapping_add(folder));
        let share = rounds / FOLDERS + u64::from(folder < rounds % FOLDERS);
        folders.push(tokio::spawn(run_folder(folder, share, chance, tally.clone())));
    }
    for folder in folders {
        folder.await.unwrap();
    }
    println!(
        "{} rounds: {} turns acknowledged, {} unanswered requests ({} of them had been written), \
         {} kills before it listened, {} jobs tried more than once, {} namespaces erased",
        tally.rounds.load(Ordering::SeqCst),
        tally.turns.load(Ordering::SeqCst),
        tally.unanswered.load(Ordering::SeqCst),
        tally.came_back.load(Ordering::SeqCst),
        tally.killed_at_start.load(Ordering::SeqCst),
        tally.retried_jobs.load(Ordering::SeqCst),
        tally.erased.load(Ordering::SeqCst),
    );
}

async fn run_folder(folder: u64, rounds: u64, mut chance: Chance, tally: Arc<Tally>) {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let world: World = Arc::default();
    let mut server = Server::start(&data);
    for ns in LASTING {
        server.api.put(&at(ns, ""), json!({"block_turns": 3})).await.well();
        world.lock().unwrap().insert(ns.to_owned(), Known::default());
    }
    for round in 0..rounds {
        println!("folder {folder} round {round}");
        write_until_killed(server, &world, &mut chance, round).await;
        while chance.percent(20) {
            // Killed again while it recovers.
            let mut starting = server::spawn(&data, &[]);
            tokio::time::sleep(Duration::from_millis(chance.below(250))).await;
            starting.kill().unwrap();
            starting.wait().unwrap();
            tally.killed_at_start.fetch_add(1, Ordering::SeqCst);
        }
        if chance.percent(10) {
            server::check_folder(&data);
        }
        server = Server::start(&data);
        verify(&server.api, &world, &mut chance, &tally).await;
        tally.rounds.fetch_add(1, Ordering::SeqCst);
    }
    compare_with_replay(server, &data, place.path()).await;
}

/// Lets tasks write, and kills the server while they do.
async fn write_until_killed(server: Server, world: &World, chance: &mut Chance, round: u64) {
    let mut names: Vec<String> = world.lock().unwrap().keys().cloned().collect();
    if chance.percent(40) {
        let fresh = format!("fresh {round}");
        world.lock().unwrap().insert(fresh.clone(), Known::default());
        names.push(fresh);
    }
    let mut tasks = Vec::new();
    for writer in 0..WRITERS {
        let task = Writer {
            api: server.api.clone(),
            world: world.clone(),
            chance: chance.fork(),
            names: names.clone(),
            prefix: format!("r{round}w{writer}"),
            made: 0,
        };
        tasks.push(tokio::spawn(task.run()));
    }
    if let Some(old) = names.iter().find(|name| !LASTING.contains(&name.as_str()))
        && chance.percent(30)
    {
        let (api, world, old) = (server.api.clone(), world.clone(), old.clone());
        let wait = chance.below(400);
        tasks.push(tokio::spawn(async move { erase_while_in_use(&api, &world, &old, wait).await }));
    }
    // Most kills come while much is going on; some in the first moments, some at rest.
    let wait = if chance.percent(15) { chance.below(30) } else { chance.between(30, 900) };
    tokio::time::sleep(Duration::from_millis(wait)).await;
    server.kill();
    for task in tasks {
        task.await.unwrap();
    }
}

async fn erase_while_in_use(api: &Api, world: &World, name: &str, wait_ms: u64) {
    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
    // From here on nobody can say whether it is there; the writers leave it alone.
    world.lock().unwrap().get_mut(name).unwrap().erased = Some(false);
    // A turn that comes after the erasure makes the namespace anew, and rightly so.
    while world.lock().unwrap()[name].in_flight > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    if let Ok(answer) = api.send(Method::DELETE, &at(name, ""), None).await {
        // 404: the first turn, which makes it, had not come yet.
        assert!([204, 404].contains(&answer.status), "{answer:?}");
        if answer.status == 204 {
            world.lock().unwrap().get_mut(name).unwrap().erased = Some(true);
        }
    }
}

/// One task that writes.
struct Writer {
    api: Api,
    world: World,
    chance: Chance,
    names: Vec<String>,
    prefix: String,
    made: u64,
}

impl Writer {
    async fn run(mut self) {
        loop {
            let ns = self.chance.pick(&self.names.clone()).clone();
            let alive = match self.chance.below(100) {
                0..60 => self.record(&ns, 1).await,
                60..75 => {
                    let turns = self.chance.between(2, 6);
                    self.record(&ns, turns).await
                }
                75..82 => self.seal(&ns).await,
                82..90 => self.expand(&ns).await,
                _ => self.adopt(&ns).await,
            };
            if alive.is_none() {
                return;
            }
        }
    }

    /// `None` when the server is gone. A namespace that is being erased may refuse.
    async fn call(&self, ns: &str, path: &str, body: &Value) -> Option<Answer> {
        let answer = self.api.send(Method::POST, &at(ns, path), Some(body)).await.ok()?;
        let erased = self.world.lock().unwrap()[ns].erased.is_some();
        let fine = match answer.status {
            200 | 201 => true,
            // Not made yet, or erased by now; a turn makes it.
            404 => !path.starts_with("/turns"),
            _ => erased && answer.status == 503 && !path.starts_with("/turns"),
        };
        assert!(fine, "{path}: {answer:?}");
        Some(answer)
    }

    async fn record(&mut self, ns: &str, count: u64) -> Option<()> {
        let mut turns = Vec::new();
        for _ in 0..count {
            self.made += 1;
            let thread = *self.chance.pick(&["main", "side", "第三"]);
            let id = format!("{ns} {}n{}", self.prefix, self.made);
            turns.push(turn(&mut self.chance, &id, thread));
        }
        {
            let mut world = self.world.lock().unwrap();
            let known = world.get_mut(ns).unwrap();
            if known.erased.is_some() {
                return Some(());
            }
            // A repeat among new ones.
            if count > 1 && self.chance.percent(30) {
                turns.extend(known.turns.values().next_back().map(|(turn, _)| turn.clone()));
            }
            known.open.push(turns.clone());
            known.in_flight += 1;
        }
        let (path, body) = match turns.as_slice() {
            [one] => ("/turns", one.clone()),
            _ => ("/turns:batch", json!({"turns": turns})),
        };
        let answer = self.call(ns, path, &body).await;
        let mut world = self.world.lock().unwrap();
        let known = world.get_mut(ns).unwrap();
        known.in_flight -= 1;
        let answer = answer?;
        known.open.retain(|open| *open != turns);
        let items = match answer.body["items"].as_array() {
            Some(items) => items.clone(),
            None => vec![answer.body],
        };
        known.learn(&turns, &items);
        Some(())
    }

    async fn seal(&mut self, ns: &str) -> Option<()> {
        let answer = self.call(ns, "/seal", &json!({})).await?;
        if let Some(blocks) = answer.body["blocks"].as_array() {
            let blocks = blocks.iter().map(|id| id.as_str().unwrap().to_owned());
            self.world.lock().unwrap().get_mut(ns).unwrap().sealed.extend(blocks);
        }
        Some(())
    }

    async fn expand(&mut self, ns: &str) -> Option<()> {
        let sealed: Vec<String> = self.world.lock().unwrap()[ns].sealed.iter().cloned().collect();
        if sealed.is_empty() {
            return Some(());
        }
        let block = self.chance.pick(&sealed).clone();
        self.call(ns, &format!("/blocks/{block}/expand"), &json!({"to": "next"})).await?;
        Some(())
    }

    /// Searches, has the batch judged, and adopts what was accepted.
    async fn adopt(&mut self, ns: &str) -> Option<()> {
        let word = *self.chance.pick(&["pnpm", "database", "prototype", "项目"]);
        let body = json!({"query": word, "in": ["events"], "limit": 3});
        let found = self.call(ns, "/search", &body).await?;
        let Some(hit) = found.body["hits"].as_array().and_then(|hits| hits.first()) else {
            return Some(());
        };
        let refs = json!([hit["ref"]]);
        let body = json!({"batch": found.body["batch"], "verdict": "sufficient",
            "evidence_refs": refs, "fit": "", "missing": "", "next_strategy": "answer"});
        let judged = self.call(ns, "/assess", &body).await?;
        if judged.status != 200 || judged.body["accepted"] != refs {
            return Some(());
        }
        self.made += 1;
        let receipt = json!({"receipt_id": format!("{}a{}", self.prefix, self.made),
            "assessment": judged.body["assessment"], "evidence_refs": refs});
        let adopted = self.call(ns, "/adoptions", &receipt).await?;
        if adopted.status < 300 {
            let incremented = adopted.body["incremented"].clone();
            let mut world = self.world.lock().unwrap();
            world.get_mut(ns).unwrap().adoptions.push((receipt, incremented));
        }
        Some(())
    }
}

async fn verify(api: &Api, world: &World, chance: &mut Chance, tally: &Tally) {
    let mut all = std::mem::take(&mut *world.lock().unwrap());
    let mut gone = Vec::new();
    for (ns, known) in &mut all {
        if verify_erased(api, ns, known, tally).await {
            gone.push(ns.clone());
            continue;
        }
        verify_turns(api, ns, known, tally).await;
        let info = api.settle(ns).await;
        verify_settled(api, ns, known, &info, chance, tally).await;
        known.newest = None;
    }
    all.retain(|ns, _| !gone.contains(ns));
    api.check_is_clean().await;
    *world.lock().unwrap() = all;
}

/// What was erased stays away, and its name can be used again without anything of it coming
/// back. An erasure that was cut short has happened or has not.
async fn verify_erased(api: &Api, ns: &str, known: &mut Known, tally: &Tally) -> bool {
    let there = api.get(&at(ns, "")).await;
    if known.erased != Some(true) && there.status == 200 {
        known.erased = None;
        return false;
    }
    if known.erased.is_none() {
        // Never made: nothing was acknowledged in it.
        assert_eq!((there.status, known.turns.len()), (404, 0), "{ns:?} is gone: {there:?}");
        return true;
    }
    assert_eq!(there.status, 404, "{ns:?} was erased: {there:?}");
    tally.erased.fetch_add(1, Ordering::SeqCst);
    let (made, new) = (format!("{ns} again"), turn(&mut Chance::new(1), "after", "main"));
    let answer = api.post(&at(ns, "/turns"), new.clone()).await;
    assert_eq!(answer.status, 201, "{made}: {answer:?}");
    assert_eq!(answer.body["turn"], 1, "something came back: {answer:?}");
    assert_eq!(api.info(ns).await["counts"]["turns"], 1);
    assert_eq!(api.delete(&at(ns, "")).await.status, 204);
    true
}

/// Every acknowledged turn is there once; every other one whole or not at all.
async fn verify_turns(api: &Api, ns: &str, known: &mut Known, tally: &Tally) {
    let before = api.info(ns).await["counts"]["turns"].as_u64().unwrap();
    let acknowledged = known.turns.len() as u64;
    let open = std::mem::take(&mut known.open);
    let mut unsure: BTreeSet<String> = BTreeSet::new();
    for turn in open.iter().flatten() {
        unsure.insert(turn["turn_id"].as_str().unwrap().to_owned());
    }
    unsure.retain(|id| !known.turns.contains_key(id));
    assert!(
        (acknowledged..=acknowledged + unsure.len() as u64).contains(&before),
        "{ns:?} holds {before} turns; {acknowledged} were acknowledged, {} are unsure",
        unsure.len()
    );
    let all: Vec<Value> = known.turns.values().map(|(turn, _)| turn.clone()).collect();
    for chunk in all.chunks(500) {
        let answer = api.post(&at(ns, "/turns:batch"), json!({"turns": chunk})).await;
        assert_eq!(answer.status, 200, "acknowledged turns are missing: {answer:?}");
        known.learn(chunk, answer.body["items"].as_array().unwrap());
    }
    let new = known.turns.len() - known.counted;
    tally.turns.fetch_add(new as u64, Ordering::SeqCst);
    let mut came_back = 0;
    for turns in open {
        tally.unanswered.fetch_add(1, Ordering::SeqCst);
        let mut statuses = BTreeSet::new();
        for turn in &turns {
            let answer = api.post(&at(ns, "/turns"), turn.clone()).await;
            let id = turn["turn_id"].as_str().unwrap();
            if unsure.contains(id) {
                statuses.insert(answer.status);
                came_back += u64::from(answer.status == 200);
                tally.came_back.fetch_add(u64::from(answer.status == 200), Ordering::SeqCst);
            }
            known.learn(std::slice::from_ref(turn), &[answer.well()]);
        }
        assert!(statuses.len() <= 1, "a batch was torn apart: {turns:?} gave {statuses:?}");
    }
    known.counted = known.turns.len();
    assert_eq!(before, acknowledged + came_back, "{ns:?} counts turns that nobody sent");
}

async fn verify_settled(
    api: &Api,
    ns: &str,
    known: &mut Known,
    info: &Value,
    chance: &mut Chance,
    tally: &Tally,
) {
    let counts = &info["counts"];
    assert_eq!(counts["turns"], known.turns.len(), "{info}");
    let messages: usize =
        known.turns.values().map(|(turn, _)| turn["messages"].as_array().unwrap().len()).sum();
    assert_eq!(counts["messages"], messages, "{info}");
    // The counters and the things themselves.
    for (class, count) in
        [("Turn", "turns"), ("Message", "messages"), ("Block", "blocks"), ("Event", "events")]
    {
        let query =
            format!("SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE {{ GRAPH ?g {{ ?s a sg:{class} }} }}");
        assert_eq!(counts[count], api.count(ns, &query).await, "{class} in {ns:?}");
    }
    let numbers: BTreeSet<u64> =
        known.turns.values().map(|(_, receipt)| receipt["turn"].as_u64().unwrap()).collect();
    let wanted: BTreeSet<u64> = (1..=known.turns.len() as u64).collect();
    assert_eq!(numbers, wanted, "turn numbers of {ns:?}");

    let blocks = api.list(ns, "/blocks").await;
    let mut in_blocks = BTreeSet::new();
    for block in &blocks {
        assert_eq!(block["state"], "ready", "{block}");
        for turn in block["turns"].as_array().unwrap() {
            assert!(in_blocks.insert(turn.to_string()), "{turn} is in two Blocks");
        }
    }
    let ids: BTreeSet<&str> = blocks.iter().map(|block| block["id"].as_str().unwrap()).collect();
    for sealed in &known.sealed {
        assert!(ids.contains(sealed.as_str()), "Block {sealed} was sealed and is gone");
    }
    let jobs = api.list(ns, "/jobs").await;
    assert_eq!(jobs.len(), blocks.len() * 3, "three jobs for each Block");
    for job in &jobs {
        assert_eq!(job["state"], "done", "{job}");
        let attempts = job["attempts"].as_u64().unwrap();
        assert!(attempts >= 1, "{job}");
        if attempts > 1 && known.retried.insert(job["id"].as_str().unwrap().to_owned()) {
            tally.retried_jobs.fetch_add(1, Ordering::SeqCst);
        }
    }
    for (request, incremented) in &known.adoptions {
        let again = api.post(&at(ns, "/adoptions"), request.clone()).await.well();
        assert_eq!(again["status"], "duplicate", "{again}");
        assert_eq!(again["incremented"], *incremented, "{again}");
    }
    let mut canaries: Vec<&String> = known.newest.iter().collect();
    let all: Vec<&String> = known.turns.keys().collect();
    if !all.is_empty() {
        canaries.extend([*chance.pick(&all), *chance.pick(&all)]);
    }
    for id in canaries {
        api.finds(ns, &token_of(id), &known.turns[id].1["message_ids"]).await;
    }
}

/// After all that, the journals alone give the same stores.
async fn compare_with_replay(server: Server, data: &Path, place: &Path) {
    let mut exports = Vec::new();
    for ns in LASTING {
        server.api.settle(ns).await;
        exports.push(server.api.export(ns, "nquads").await);
    }
    server.kill();
    let replayed = place.join("replayed");
    files::copy(data, &replayed);
    for ns in LASTING {
        let folder = files::namespace_folder(&replayed, ns);
        for derived in ["store", "index", "side"] {
            std::fs::remove_dir_all(folder.join(derived)).unwrap();
        }
    }
    let begun = Instant::now();
    let server = Server::start(&replayed);
    for (ns, export) in LASTING.iter().zip(exports) {
        let after = server.api.export(ns, "nquads").await;
        assert!(
            export == after,
            "the replay of {ns:?} differs:\n{}",
            crate::replay::difference(&export, &after)
        );
    }
    server.api.check_is_clean().await;
    println!("replayed in {:?}", begun.elapsed());
}
