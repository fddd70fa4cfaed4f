//! The command line's grammar.

use super::demo;
use super::verbs::{
    act, backup, bench, blast, block, check, diff, entity, eval, event, export, forget, jobs,
    maintain, query, reader, recall, record, restore, seal, search, serve, stale, status, timeline,
    why,
};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// A memory service for AI agents: exact conversations, events with sources and two clocks, and a
/// graph that remembers what used to be true.
#[derive(Debug, Parser)]
#[command(
    name = "stratagate",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 done, 1 failed or something was found, 2 the command line could not be understood.

Start with:
  stratagate demo                     the whole story on a bundled conversation
  stratagate serve                    the service on http://127.0.0.1:7437
  stratagate record turns.jsonl       store a conversation
  stratagate recall \"which package manager do we use?\""
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub verb: Verb,
}

/// What every verb understands.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// The data folder [env: STRATAGATE_DATA] [default: the platform's data folder]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub data: Option<PathBuf>,
    /// The namespace [env: STRATAGATE_NAMESPACE] [default: default]
    #[arg(long, short, global = true, value_name = "NAME", help_heading = "Global options")]
    pub namespace: Option<String>,
    /// A settings file [default: stratagate.toml in the data folder]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub config: Option<PathBuf>,
    /// Print JSON, exactly as the HTTP interface answers
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run the service
    Serve(serve::Args),
    /// Tell the whole story on a bundled conversation
    Demo(demo::Args),
    /// Store turns of a conversation
    Record(record::Args),
    /// Close the open tail into a Block: a conversation has ended
    Seal(seal::Args),
    /// Search events, facts, messages and blocks
    Search(search::Args),
    /// Recall a little before an answer, within a token budget
    Recall(recall::Args),
    /// Say why a state is what it is, down to the words that caused it
    Why(why::Args),
    /// Show what holds, held and is planned for an entity
    Entity(entity::Args),
    /// Show one event: what it says, on whose words, and what became of it
    Event(event::Args),
    /// Show an entity's history
    Timeline(timeline::Args),
    /// Show what changed between two points in time
    Diff(diff::Args),
    /// List answers and events that rest on a state which has since ended
    Stale(stale::Args),
    /// List what was drawn from a message, and the answers that used it
    BlastRadius(blast::Args),
    /// Run a named view or a SPARQL query
    Query(query::Args),
    /// Show or expand Blocks
    Block(block::Args),
    /// Show background work, retry or cancel it
    Jobs(jobs::Args),
    /// Decide as the person in charge: resolve, correct, retract, merge, split, undo
    Act(act::Args),
    /// Hide an event from every answer, or bring it back
    Forget(forget::Args),
    /// Write everything in a namespace to a file
    Export(export::Args),
    /// Write a backup of the data folder
    Backup(backup::Args),
    /// Fill an empty data folder from a backup
    Restore(restore::Args),
    /// Compare what is stored with what must follow from it
    Check(check::Args),
    /// Build the text index anew
    Reindex(maintain::Args),
    /// Write the graph of the present anew from the history
    RebuildCurrent(maintain::Args),
    /// Show the server, the data folder and its namespaces
    Status(status::Args),
    /// Measure how well the memory finds and understands, on dialogues with known answers
    Eval(eval::Args),
    /// Measure speed and size on this machine
    Bench(bench::Args),
    /// Answer ad-hoc queries for the service, from standard input
    #[command(hide = true)]
    Reader(reader::Args),
}

/// The point on both clocks.
#[derive(Debug, Clone, Default, Args)]
pub struct AsOf {
    /// When it should hold in the world: a date or an RFC 3339 time
    #[arg(long, value_name = "TIME")]
    pub valid_at: Option<String>,
    /// As known at this time
    #[arg(long, value_name = "TIME")]
    pub known_at: Option<String>,
}

impl AsOf {
    /// Returns query parameters.
    pub fn params(&self) -> Vec<(&'static str, Option<&str>)> {
        vec![("valid_at", self.valid_at.as_deref()), ("known_at", self.known_at.as_deref())]
    }

    /// Describes the point in words; empty for now.
    pub fn words(&self) -> String {
        let mut words = String::new();
        if let Some(at) = &self.valid_at {
            words = format!(" at {at}");
        }
        if let Some(at) = &self.known_at {
            words = format!("{words} as known at {at}");
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_sound_and_every_verb_has_help_with_examples() {
        let command = Cli::command();
        command.clone().debug_assert();
        for verb in command.get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("stratagate "), "{} has no example", verb.get_name());
            assert!(verb.get_about().is_some(), "{} says nothing", verb.get_name());
        }
    }
}
