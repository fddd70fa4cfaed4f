//! Runs every view over its fixture and compares with the expected table.
//!
//! `tests/queries/<name>.csv` has one section per case: a line `## <fixture>: <arguments>`, then the
//! table. IRIs of the fixture's namespace are written relative to its base, our terms with `sg:`.

use super::*;
use oxigraph::io::RdfFormat;
use oxigraph::model::{Term, Variable};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use std::fmt::Write;
use std::path::PathBuf;

const BASE: &str = "https://w3id.org/stratagate/id/demo/";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/queries")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn load(fixture: &str) -> Store {
    let store = Store::new().expect("a memory store opens");
    let text = read(&format!("{fixture}.trig"));
    store.load_from_slice(RdfFormat::TriG, text.as_bytes()).expect("the fixture is TriG");
    store
}

fn args(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn short(term: Option<&Term>) -> String {
    let text = match term {
        None => return String::new(),
        Some(Term::NamedNode(node)) => node.as_str(),
        Some(Term::Literal(literal)) => literal.value(),
        Some(Term::BlankNode(node)) => node.as_str(),
    };
    let text = text
        .strip_prefix(BASE)
        .map(str::to_owned)
        .or_else(|| text.strip_prefix(SG).map(|local| format!("sg:{local}")))
        .unwrap_or_else(|| text.to_owned());
    if text.contains([',', '"', '\n']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text
}

/// Runs a view and renders its answer as CSV.
fn table(store: &Store, query: &NamedQuery, args: &BTreeMap<String, String>) -> String {
    let bound = query.bind(BASE, args).unwrap_or_else(|error| panic!("{error}"));
    let results = SparqlEvaluator::new()
        .for_query(bound)
        .on_store(store)
        .execute()
        .unwrap_or_else(|error| panic!("{}: {error}", query.name));
    let mut out = String::new();
    match results {
        QueryResults::Solutions(solutions) => {
            let names: Vec<&str> = solutions.variables().iter().map(Variable::as_str).collect();
            let expected: Vec<&str> = query.columns.iter().map(|column| column.name).collect();
            assert_eq!(names, expected, "{}: the header lists other columns", query.name);
            writeln!(out, "{}", names.join(",")).expect("a string takes text");
            for row in solutions {
                let row = row.unwrap_or_else(|error| panic!("{}: {error}", query.name));
                let cells: Vec<String> = row.values().iter().map(|t| short(t.as_ref())).collect();
                writeln!(out, "{}", cells.join(",")).expect("a string takes text");
            }
        }
        QueryResults::Graph(triples) => {
            let mut lines: Vec<String> = triples
                .map(|triple| {
                    let triple = triple.unwrap_or_else(|error| panic!("{}: {error}", query.name));
                    let cells = [triple.subject.into(), triple.predicate.into(), triple.object];
                    cells.map(|term: Term| short(Some(&term))).join(",")
                })
                .collect();
            lines.sort();
            lines.dedup();
            out = lines.join("\n") + "\n";
        }
        QueryResults::Boolean(value) => writeln!(out, "{value}").expect("a string takes text"),
    }
    out
}

/// The cases of a file: fixture, arguments as written.
fn cases(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(|line| line.split_once(':').expect("a case names its fixture"))
        .map(|(fixture, arguments)| (fixture.to_owned(), arguments.trim().to_owned()))
        .collect()
}

fn check_view(query: &NamedQuery) {
    let expected = read(&format!("{}.csv", query.name));
    let cases = cases(&expected);
    assert!(!cases.is_empty(), "{} has no case", query.name);
    assert!(cases.iter().any(|(fixture, _)| fixture == query.example), "{}", query.name);
    let mut actual = String::new();
    for (fixture, arguments) in cases {
        let pairs: Vec<(&str, &str)> = arguments
            .split_whitespace()
            .map(|pair| pair.split_once('=').expect("an argument is name=value"))
            .collect();
        let rows = table(&load(&fixture), query, &args(&pairs));
        let head = format!("## {fixture}: {arguments}");
        writeln!(actual, "{}\n{rows}", head.trim_end()).expect("a string takes text");
    }
    assert!(
        expected.trim_end() == actual.trim_end(),
        "{}.csv differs from what came out:\n<<<\n{}\n>>>",
        query.name,
        actual.trim_end()
    );
}

macro_rules! views {
    ($($name:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                check_view(NamedQuery::find(stringify!($name)).expect("the view is listed"));
            }
        )+

        #[test]
        fn every_view_has_a_test_and_every_file_is_a_view() {
            let tested = [$(stringify!($name)),+];
            let listed: Vec<&str> = NamedQuery::all().iter().map(|query| query.name).collect();
            assert_eq!(listed, tested);
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("queries");
            let mut files: Vec<String> = std::fs::read_dir(folder)
                .expect("queries/ is there")
                .map(|entry| entry.expect("queries/ can be read").file_name())
                .filter_map(|name| name.to_str()?.strip_suffix(".rq").map(str::to_owned))
                .collect();
            files.sort();
            assert_eq!(files, tested);
        }
    };
}

views![
    blast_radius,
    conflicts,
    current_state,
    diff,
    entities,
    facts_of_message,
    integrity,
    integrity_pairs,
    plans_open,
    possibly_stale,
    state_as_of,
    states_changed_often,
    superseded_history,
    timeline,
    why,
    why_fact,
    why_graph,
];

/// A value of the right kind for every parameter.
fn some_value(param: &Param) -> &'static str {
    match param.kind {
        ParamKind::Iri(Refers::Entity) => "tool:pnpm",
        ParamKind::Iri(Refers::Message) => "main/m1",
        ParamKind::Iri(Refers::Property) => "package_manager",
        ParamKind::Iri(Refers::Class) => "tool",
        ParamKind::Iri(_) => "f_1",
        ParamKind::OneOf(words) => words.split('|').next().unwrap_or(words),
        ParamKind::Text => "words",
        ParamKind::DateTime => "2026-05-06",
        ParamKind::Integer => "3",
    }
}

#[test]
fn no_parameter_is_left_in_a_query_when_all_are_given() {
    for query in NamedQuery::all() {
        let all: BTreeMap<String, String> =
            query.params.iter().map(|p| (p.name.to_owned(), some_value(p).to_owned())).collect();
        let sse = query.bind(BASE, &all).expect("all values are right").to_sse();
        for param in query.params.iter().filter(|p| !matches!(p.name, "limit" | "offset")) {
            assert!(query.text.contains(&format!("?{}", param.name)), "{}", query.name);
            let variable = format!("?{}", param.name);
            let stays = sse
                .split('(')
                .filter(|part| part.starts_with("triple ") || part.starts_with("bound "));
            for part in stays {
                let mut words = part.split([' ', ')']);
                assert!(!words.any(|word| word == variable), "{}: {part}", query.name);
            }
        }
    }
}

#[test]
fn what_must_be_given_is_asked_for_by_name() {
    let query = NamedQuery::find("state_as_of").expect("the view is listed");
    let error = query.bind(BASE, &args(&[("valid_at", "2026-05-07")])).expect_err("no known_at");
    assert!(matches!(error, BindError::Missing { param: "known_at", .. }), "{error}");
    let error = query.bind(BASE, &args(&[("when", "now")])).expect_err("no such parameter");
    assert!(error.to_string().contains("valid_at"), "{error}");
}

#[test]
fn a_wrong_value_is_refused_with_the_name_of_its_parameter() {
    for (name, param, value) in [
        ("state_as_of", "valid_at", "next week"),
        ("state_as_of", "entity", "pnpm"),
        ("state_as_of", "entity", "http://not an iri"),
        ("state_as_of", "property", "package-manager"),
        ("state_as_of", "limit", "-1"),
        ("entities", "type", "animal"),
        ("blast_radius", "message", "m1"),
        ("states_changed_often", "at_least", "two"),
        ("diff", "clock", "wall"),
        ("diff", "to", "2026-04-01"),
    ] {
        let query = NamedQuery::find(name).expect("the view is listed");
        let mut given: BTreeMap<String, String> = query
            .params
            .iter()
            .filter(|p| !p.optional)
            .map(|p| (p.name.to_owned(), some_value(p).to_owned()))
            .collect();
        given.insert(param.to_owned(), value.to_owned());
        match query.bind(BASE, &given) {
            Err(BindError::Invalid { param: named, .. }) => assert_eq!(named, param),
            other => panic!("{name} with {param}={value}: {other:?}"),
        }
    }
}

#[test]
fn a_value_never_becomes_query_text() {
    let store = load("story");
    let query = NamedQuery::find("entities").expect("the view is listed");
    for hostile in ["\" . ?s ?p ?o . #", "x\")) } #", "pnpm' UNION {", "\\u0022"] {
        let rows = table(&store, query, &args(&[("q", hostile), ("known_at", "2026-06-01")]));
        assert_eq!(rows.lines().count(), 1, "{hostile} found something: {rows}");
    }
}

#[test]
fn ids_and_iris_name_the_same_things() {
    let store = load("story");
    let query = NamedQuery::find("current_state").expect("the view is listed");
    let full = format!("{BASE}entity/project%3Athis-project");
    let by_id = table(&store, query, &args(&[("entity", "project:This Project")]));
    assert_eq!(by_id.lines().count(), 4);
    for spelling in [full.clone(), format!("<{full}>")] {
        assert_eq!(table(&store, query, &args(&[("entity", &spelling)])), by_id);
    }
}

#[test]
fn times_without_an_offset_are_utc() {
    let query = NamedQuery::find("state_as_of").expect("the view is listed");
    let bind = |at| query.bind(BASE, &args(&[("valid_at", at), ("known_at", at)]));
    let day = bind("2026-05-07").expect("a date is a time");
    for same in ["2026-05-07T00:00:00", "2026-05-07T00:00:00Z", "2026-05-07T08:00:00+08:00"] {
        assert_eq!(bind(same).expect("a date-time is a time"), day);
    }
}

#[test]
fn limit_and_offset_cut_pages_that_fit_together() {
    let store = load("story");
    let query = NamedQuery::find("entities").expect("the view is listed");
    let page = |limit: &str, offset: &str| {
        let args = args(&[("known_at", "2026-06-01"), ("limit", limit), ("offset", offset)]);
        table(&store, query, &args).lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = page("", "");
    assert_eq!([page("5", "0"), page("5", "5"), page("50", "10")].concat(), whole);
    assert!(page("0", "").is_empty());
}

#[test]
fn clocks_that_are_not_given_stand_at_now() {
    let query = NamedQuery::find("state_as_of").expect("the view is listed");
    let now = "2026-05-20T10:00:00Z".parse().expect("a date-time");
    let mut given = args(&[("known_at", "2026-05-07")]);
    query.with_clocks_at(&mut given, now);
    assert_eq!(given["valid_at"], "2026-05-20T10:00:00Z");
    assert_eq!(given["known_at"], "2026-05-07");
    let mut none = BTreeMap::new();
    NamedQuery::find("current_state").expect("the view is listed").with_clocks_at(&mut none, now);
    assert!(none.is_empty());
}

#[test]
fn the_present_as_of_now_is_the_current_graph() {
    let store = load("story");
    let now = [("valid_at", "2026-06-01"), ("known_at", "2026-06-01")];
    let facts = |name: &str, pairs: &[(&str, &str)]| {
        let query = NamedQuery::find(name).expect("the view is listed");
        let rows = table(&store, query, &args(pairs));
        let facts: std::collections::BTreeSet<String> = rows
            .lines()
            .skip(1)
            .filter_map(|line| line.rsplit(',').next().map(str::to_owned))
            .collect();
        assert!(!facts.is_empty());
        facts
    };
    assert_eq!(facts("current_state", &[]), facts("state_as_of", &now));
}

#[test]
fn the_integrity_view_lists_the_functional_properties() {
    let text = NamedQuery::find("integrity_pairs").expect("the view is listed").text;
    let start = text.find("VALUES ?property {").expect("the list is there");
    let list = &text[start..start + text[start..].find('}').expect("the list ends")];
    let mut listed: Vec<&str> = list.split_whitespace().filter(|w| w.starts_with("sg:")).collect();
    listed.sort_unstable();
    let mut expected: Vec<String> = crate::model::PROPERTIES
        .iter()
        .filter(|property| property.functional)
        .map(|property| format!("sg:{}", property.local_name()))
        .collect();
    expected.sort_unstable();
    assert_eq!(listed, expected);
}

#[test]
fn a_base_that_is_no_iri_is_refused() {
    let query = NamedQuery::find("current_state").expect("the view is listed");
    assert!(matches!(query.bind("no base", &BTreeMap::new()), Err(BindError::Base { .. })));
}

#[test]
fn every_rule_of_the_integrity_view_can_be_broken() {
    let mut number = 0;
    for view in ["integrity", "integrity_pairs"] {
        let text = NamedQuery::find(view).expect("the view is listed").text;
        let rules = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("BIND(\"")?.strip_suffix("\" AS ?rule)"));
        let expected = read(&format!("{view}.csv"));
        for rule in rules {
            assert!(expected.contains(&format!("\n{rule},")), "no case breaks the rule: {rule}");
            number += 1;
        }
    }
    assert!(number > 25);
}

fn page(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a query of the documentation as the endpoint does: with our prefixes, relative to the
/// namespace, over the present. Gives the names of the columns, then the rows.
fn run_example(store: &Store, example: &str) -> Vec<String> {
    let prefixes = include_str!("../../../ontology/prefixes.ttl");
    let mut evaluator = SparqlEvaluator::new().with_base_iri(BASE).expect("an IRI");
    for line in prefixes.lines().filter_map(|line| line.strip_prefix("@prefix ")) {
        let (name, iri) = line.split_once(": <").expect("a prefix line");
        let iri = iri.trim_end_matches("> .");
        evaluator = evaluator.with_prefix(name, iri).expect("an IRI");
    }
    let mut query = evaluator.parse_query(example).unwrap_or_else(|e| panic!("{example}: {e}"));
    let current = NamedNode::new_unchecked(format!("{BASE}graph/current"));
    query.dataset_mut().set_default_graph(vec![current.into()]);
    match query.on_store(store).execute().unwrap_or_else(|e| panic!("{e}")) {
        QueryResults::Solutions(rows) => {
            let names: Vec<&str> = rows.variables().iter().map(Variable::as_str).collect();
            let mut lines = vec![names.join(",")];
            for row in rows {
                let row = row.unwrap_or_else(|error| panic!("{example}: {error}"));
                let cells: Vec<String> = row.values().iter().map(|t| short(t.as_ref())).collect();
                lines.push(cells.join(","));
            }
            lines
        }
        QueryResults::Graph(triples) => {
            let triples = triples.map(|t| t.unwrap_or_else(|e| panic!("{example}: {e}")));
            std::iter::once(String::new()).chain(triples.map(|t| t.to_string())).collect()
        }
        QueryResults::Boolean(value) => vec![String::new(), value.to_string()],
    }
}

#[test]
fn the_examples_in_the_documentation_find_something() {
    let text = page("sparql.md");
    let store = load("story");
    let mut found = 0;
    // What stands before them needs the text index; the tests from outside run that.
    let (_, examples) = text.split_once("\n## Twelve examples\n").expect("the section is there");
    for example in examples.split("```sparql\n").skip(1) {
        let example = &example[..example.find("```").expect("the block ends")];
        assert!(run_example(&store, example).len() > 1, "finds nothing: {example}");
        found += 1;
    }
    assert_eq!(found, 12);
}

#[test]
fn the_twenty_questions_have_their_answers() {
    let text = page("questions.md");
    let store = load("story");
    let mut answers = String::new();
    let mut asked = 0;
    for section in text.split("\n### ").skip(1) {
        let (title, rest) = section.split_once('\n').expect("a title is a line");
        let (_, query) = rest.split_once("```sparql\n").expect("each question has a query");
        let query = &query[..query.find("```").expect("the block ends")];
        writeln!(answers, "## {title}").expect("a string takes text");
        for line in run_example(&store, query) {
            writeln!(answers, "{line}").expect("a string takes text");
        }
        answers.push('\n');
        asked += 1;
    }
    assert_eq!(asked, 20);
    let expected = read("questions.txt");
    assert!(
        expected.trim_end() == answers.trim_end(),
        "questions.txt differs from what came out:\n<<<\n{answers}>>>"
    );
}

#[test]
fn every_public_view_is_in_the_documentation() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("docs/sparql.md")).expect("the page is there");
    for query in NamedQuery::all().iter().filter(|query| query.public) {
        let row = format!("| `{}` | {} |", query.name, query.purpose);
        assert!(text.contains(&row), "no row for {}", query.name);
        for param in query.params.iter().filter(|p| !matches!(p.name, "limit" | "offset")) {
            let star = if param.optional { "" } else { "\\*" };
            let row = text.lines().find(|line| line.starts_with(&row)).expect("found above");
            assert!(
                row.contains(&format!("`{}`{star}", param.name)),
                "{}: {}",
                query.name,
                param.name
            );
        }
    }
}
