//! The calls and the named views answer alike, on every dialogue of `tests/extract`, at many points
//! of both clocks.

use crate::support::{TestServer, with_query};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Most points of each clock that are compared for one entity.
const POINTS: usize = 4;

/// Ids of the things that the IRIs in a column name.
fn ids(rows: &Value, column: &str) -> BTreeSet<String> {
    let rows = rows["results"]["bindings"].as_array().expect("rows");
    let of_row = |row: &Value| {
        let iri = row[column]["value"].as_str().unwrap_or_default();
        iri.rsplit('/').next().unwrap_or_default().to_owned()
    };
    rows.iter().map(of_row).collect()
}

fn facts(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().expect("a list");
    list.iter().map(|fact| fact["id"].as_str().expect("an id").to_owned()).collect()
}

async fn view(server: &TestServer, name: &str, params: &[(&str, &str)]) -> Value {
    server.get(&with_query(&format!("/v1/namespaces/a/queries/{name}"), params)).await
}

/// Tells a dialogue, and returns when each message was said.
async fn tell(server: &TestServer, dialogue: &Value) -> Vec<String> {
    server.configure("a", json!({"block_turns": 1})).await;
    let mut times = Vec::new();
    for (number, message) in dialogue["messages"].as_array().expect("messages").iter().enumerate() {
        let mut told = json!({
            "id": message["id"], "role": message["role"], "content": message["content"],
            "at": message["time"],
        });
        if message["speaker"].is_string() {
            told["speaker"] = message["speaker"].clone();
        }
        server.record("a", json!({"turn_id": format!("t{number}"), "messages": [told]})).await;
        server.settle("a").await;
        times.push(message["time"].as_str().expect("a time").to_owned());
    }
    times
}

/// Some of the points, the first and the last among them.
fn some(times: &[String]) -> Vec<&str> {
    let last = times.len() - 1;
    let places: BTreeSet<usize> = (0..POINTS).map(|n| n * last / (POINTS - 1)).collect();
    places.into_iter().map(|place| times[place].as_str()).collect()
}

/// Facts that were only ever planned.
async fn never_held(server: &TestServer) -> BTreeSet<String> {
    let query = "SELECT ?fact { GRAPH <https://w3id.org/stratagate/id/a/graph/meta> { \
        ?fact a sg:Fact ; sg:planned true } }";
    let rows = server.get(&with_query("/v1/namespaces/a/sparql", &[("query", query)])).await;
    assert!(rows["results"].is_object(), "{rows}");
    ids(&rows, "fact")
}

/// Compares one entity's answers; returns how many Facts it has.
async fn compare(server: &TestServer, name: &str, id: &str, times: &[String]) -> usize {
    let path = format!("/v1/namespaces/a/entities/{}", id.replace(' ', "%20").replace('/', "%2F"));
    let now = server.get(&path).await;
    let current = facts(&now["current"]);
    let rows = view(server, "current_state", &[("entity", id)]).await;
    assert_eq!(ids(&rows, "fact"), current, "{name}: {id} now: {now:#}\n{rows:#}");
    let timeline = server.get(&with_query(&format!("{path}/timeline"), &[("limit", "1000")])).await;
    let listed = {
        let entries = timeline["items"].as_array().expect("entries").iter();
        entries
            .filter(|entry| entry["fact"].is_object())
            .map(|entry| entry["fact"]["id"].as_str().expect("an id").to_owned())
            .collect::<BTreeSet<String>>()
    };
    // A plan that was given up never held: the view of what used to be true leaves it out.
    let plans = never_held(server).await;
    let superseded = facts(&now["superseded"]);
    let held: BTreeSet<String> = superseded.difference(&plans).cloned().collect();
    let mut rows = view(server, "superseded_history", &[("entity", id)]).await;
    // Of the same value, only better known since: no value that gave way to another.
    let bindings = rows["results"]["bindings"].as_array_mut().expect("rows");
    bindings.retain(|row| row["reason"]["value"] != "refined");
    assert_eq!(ids(&rows, "fact"), held, "{name}: {id} earlier: {now:#}\n{rows:#}");
    for valid in some(times) {
        for known in some(times) {
            let point = [("valid_at", valid), ("known_at", known)];
            let then = server.get(&with_query(&path, &point)).await;
            let rows = view(server, "state_as_of", &[&point[..], &[("entity", id)]].concat()).await;
            let held = facts(&then["current"]);
            assert_eq!(
                ids(&rows, "fact"),
                held,
                "{name}: {id} at {valid}, known {known}: {then:#}\n{rows:#}"
            );
        }
    }
    let all: BTreeSet<String> = current.union(&superseded).cloned().collect();
    assert!(all.is_subset(&listed), "{name}: {id} history: {all:?} {timeline:#}");
    for fact in &current {
        let why = server.get(&format!("/v1/namespaces/a/why?fact={fact}")).await;
        let quoted = &why["facts"][0]["events"][0]["quotes"];
        assert!(quoted.as_array().is_some_and(|quotes| !quotes.is_empty()), "{fact}: {why:#}");
        let rows = view(server, "why_fact", &[("fact", fact)]).await;
        let events = ids(&rows, "event");
        let told: BTreeSet<String> = why["facts"][0]["events"]
            .as_array()
            .expect("events")
            .iter()
            .map(|event| event["event"]["id"].as_str().unwrap_or_default().to_owned())
            .collect();
        assert!(told.is_subset(&events), "{name}: why {fact}: {told:?} {events:?}\n{why:#}");
    }
    all.len()
}

#[tokio::test]
async fn calls_and_views_answer_alike_on_every_dialogue() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/extract");
    let mut dialogues = 0;
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("the dialogues") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        let dialogue: Value = serde_json::from_str(&text).expect("JSON");
        let name = dialogue["id"].as_str().expect("an id").to_owned();
        let server = TestServer::start_with_message_clock();
        let times = tell(&server, &dialogue).await;
        let entities = server.get("/v1/namespaces/a/entities?limit=1000").await;
        for entity in entities["items"].as_array().expect("entities") {
            let id = entity["id"].as_str().expect("an id");
            compared += compare(&server, &name, id, &times).await;
        }
        dialogues += 1;
    }
    assert!(dialogues >= 20 && compared >= 50, "{dialogues} dialogues, {compared} facts");
}
