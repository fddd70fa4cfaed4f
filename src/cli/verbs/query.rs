//! `stratagate query`

use super::input;
use crate::api::wire::{ListBody, NamedQueryBody};
use crate::cli::door::{Call, Reply, encode};
use crate::cli::output::{self, table};
use crate::cli::session::{Session, with_params};
use anyhow::{Context, anyhow, bail};
use axum::http::Method;
use clap::ValueEnum;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate query --list
  stratagate query current_state -p entity=project:tideline
  stratagate query 'SELECT ?s ?p ?o WHERE { ?s ?p ?o } LIMIT 10'
  stratagate query --file question.rq --format csv
  stratagate query 'CONSTRUCT WHERE { ?s ?p ?o }' --format turtle")]
pub struct Args {
    /// The name of a view, or a SPARQL 1.1 query
    query: Option<String>,
    /// Read the SPARQL query from a file, or from stdin with `-`
    #[arg(long, short, value_name = "FILE", conflicts_with = "query")]
    file: Option<PathBuf>,
    /// List the views
    #[arg(long, conflicts_with_all = ["query", "file"])]
    list: bool,
    /// A parameter of a view, as in `-p entity=project:tideline`
    #[arg(long = "param", short, value_name = "NAME=VALUE")]
    params: Vec<String>,
    /// How the answer is written; a table by default
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Seconds until it is stopped [default: 10, at most 30]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Xml,
    Csv,
    Tsv,
    Turtle,
    Ntriples,
    Rdfxml,
    Jsonld,
    Trig,
    Nquads,
}

impl Format {
    fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/sparql-results+json",
            Self::Xml => "application/sparql-results+xml",
            Self::Csv => "text/csv",
            Self::Tsv => "text/tab-separated-values",
            Self::Turtle => "text/turtle",
            Self::Ntriples => "application/n-triples",
            Self::Rdfxml => "application/rdf+xml",
            Self::Jsonld => "application/ld+json",
            Self::Trig => "application/trig",
            Self::Nquads => "application/n-quads",
        }
    }
}

/// What a query with no format is answered in: solutions that become a table, or a graph as text.
const TABLE: &str = "application/sparql-results+json, text/turtle;q=0.9";
/// The same with `--json`.
const JSON: &str = "application/sparql-results+json, application/ld+json;q=0.9";

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    if args.list {
        return list(session).await;
    }
    let accept = match args.format {
        Some(format) => format.media_type(),
        None if session.json => JSON,
        None => TABLE,
    };
    let timeout = ("timeout", args.timeout.as_deref());
    let text = match (&args.query, &args.file) {
        (_, Some(file)) => {
            String::from_utf8(input::read(file)?).context("the query is no UTF-8")?
        }
        (Some(query), None) => query.clone(),
        (None, None) => bail!("name a view or give a query; `stratagate query --list` lists views"),
    };
    let is_name = args.file.is_none() && !text.contains(|c: char| c.is_whitespace() || c == '{');
    if !is_name && !args.params.is_empty() {
        bail!("parameters are for views; write values into the query itself");
    }
    let door = session.door().await?;
    let reply = if is_name {
        let mut params = vec![timeout];
        for param in &args.params {
            let (name, value) = param
                .split_once('=')
                .ok_or_else(|| anyhow!("{param:?} is no parameter; write NAME=VALUE"))?;
            params.push((name, Some(value)));
        }
        let path = with_params(&session.path(&format!("/queries/{}", encode(&text))), params);
        let call = Call { accept: Some(accept), ..Call::default() };
        door.call(Method::GET, &path, call).await?
    } else {
        let call = Call {
            accept: Some(accept),
            content_type: Some("application/sparql-query"),
            body: text.into_bytes(),
        };
        let path = with_params(&session.path("/sparql"), [timeout]);
        door.call(Method::POST, &path, call).await?
    };
    door.close().await;
    print(&reply, args.format.is_none() && !session.json)?;
    if reply.header("x-stratagate-truncated").is_some() {
        eprintln!("stratagate: the answer was cut off; use LIMIT and OFFSET");
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(session: &Session) -> anyhow::Result<ExitCode> {
    let door = session.door().await?;
    let reply = door.get(&session.path("/queries")).await?;
    door.close().await;
    session.show(&reply, |page: ListBody<NamedQueryBody>| {
        let rows: Vec<Vec<String>> = page
            .items
            .into_iter()
            .map(|query| {
                let params: Vec<String> = query
                    .params
                    .into_iter()
                    .map(|p| if p.required { p.name } else { format!("[{}]", p.name) })
                    .collect();
                vec![query.name, params.join(" "), query.purpose]
            })
            .collect();
        table(&["view", "parameters", "answers"], &rows)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn print(reply: &Reply, as_table: bool) -> anyhow::Result<()> {
    let kind = reply.header("content-type").unwrap_or("");
    if !as_table || !kind.starts_with("application/sparql-results+json") {
        return output::write(&reply.body);
    }
    let results: Value = reply.json()?;
    if let Some(truth) = results["boolean"].as_bool() {
        return output::text(if truth { "yes" } else { "no" });
    }
    let names: Vec<&str> = results["head"]["vars"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let solutions = results["results"]["bindings"].as_array().cloned().unwrap_or_default();
    let rows: Vec<Vec<String>> = solutions
        .iter()
        .map(|solution| names.iter().map(|name| cell(&solution[*name])).collect())
        .collect();
    output::text(&format!("{}({})", table(&names, &rows), output::count(rows.len(), "row")))
}

/// Shows a term short: literals bare, IRIs of things by their last part.
fn cell(term: &Value) -> String {
    let value = term["value"].as_str().unwrap_or("");
    if term["type"] != "uri" {
        return output::line(value, 120);
    }
    match value.strip_prefix(crate::vocab::ID_BASE) {
        Some(thing) => {
            let thing = thing.split_once('/').map_or(thing, |(_, thing)| thing);
            percent_encoding::percent_decode_str(thing).decode_utf8_lossy().into_owned()
        }
        None => value
            .strip_prefix(crate::vocab::SG)
            .map_or_else(|| format!("<{value}>"), |term| format!("sg:{term}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn terms_are_shown_short() {
        let uri = |value: &str| json!({"type": "uri", "value": value});
        assert_eq!(
            cell(&uri("https://w3id.org/stratagate/id/a%2Fb/entity/tool%3Apnpm")),
            "entity/tool:pnpm"
        );
        assert_eq!(cell(&uri("https://w3id.org/stratagate/ns#Event")), "sg:Event");
        assert_eq!(cell(&uri("urn:x")), "<urn:x>");
        assert_eq!(cell(&json!({"type": "literal", "value": "a\nb"})), "a b");
        assert_eq!(cell(&Value::Null), "");
    }
}
