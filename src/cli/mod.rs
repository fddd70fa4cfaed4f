//! The command line: one file per verb.
//!
//! Every verb speaks HTTP through a [`door::Door`]: to the server that holds the data folder, or,
//! where none runs, to the same router in this process. So a verb can do nothing that the HTTP
//! interface cannot, and both always agree. Only the verbs that measure (`eval`, `bench`) call
//! the memory itself, on a folder of their own.
//!
//! Exit codes: 0 done (and `check` found nothing), 1 failed (or `check` found something), 2 the
//! command line could not be understood.

mod args;
mod demo;
mod door;
mod measure;
mod output;
mod session;
mod settle;
mod verbs;

use anyhow::Context;
use args::{Cli, Verb};
use clap::Parser;
use session::Session;
use std::process::ExitCode;

/// Parses the command line, runs the verb, and returns the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("stratagate: {}", said_once(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    // Its memory is bounded, and it waits for nothing but its one pipe: no runtime for it.
    if let Verb::Reader(_) = cli.verb {
        return verbs::reader::run();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let code = runtime.block_on(dispatch(cli));
    // A blocking call that outlives its caller, such as a cut-off query, must not hold up the exit.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    code
}

async fn dispatch(cli: Cli) -> anyhow::Result<ExitCode> {
    // These have a folder of their own and look at no settings.
    let verb = match cli.verb {
        Verb::Demo(args) => return demo::run(&cli.global, args).await,
        Verb::Eval(args) => return verbs::eval::run(&cli.global, args).await,
        Verb::Bench(args) => return verbs::bench::run(&cli.global, args).await,
        verb => verb,
    };
    let session = Session::new(&cli.global)?;
    match verb {
        Verb::Demo(_) | Verb::Eval(_) | Verb::Bench(_) | Verb::Reader(_) => {
            unreachable!("they returned above")
        }
        Verb::Serve(args) => verbs::serve::run(&session, args).await,
        Verb::Record(args) => verbs::record::run(&session, args).await,
        Verb::Seal(args) => verbs::seal::run(&session, args).await,
        Verb::Search(args) => verbs::search::run(&session, args).await,
        Verb::Recall(args) => verbs::recall::run(&session, args).await,
        Verb::Why(args) => verbs::why::run(&session, args).await,
        Verb::Entity(args) => verbs::entity::run(&session, args).await,
        Verb::Event(args) => verbs::event::run(&session, args).await,
        Verb::Timeline(args) => verbs::timeline::run(&session, args).await,
        Verb::Diff(args) => verbs::diff::run(&session, args).await,
        Verb::Stale(args) => verbs::stale::run(&session, args).await,
        Verb::BlastRadius(args) => verbs::blast::run(&session, args).await,
        Verb::Query(args) => verbs::query::run(&session, args).await,
        Verb::Block(args) => verbs::block::run(&session, args).await,
        Verb::Jobs(args) => verbs::jobs::run(&session, args).await,
        Verb::Act(args) => verbs::act::run(&session, args).await,
        Verb::Forget(args) => verbs::forget::run(&session, args).await,
        Verb::Export(args) => verbs::export::run(&session, args).await,
        Verb::Backup(args) => verbs::backup::run(&session, args).await,
        Verb::Restore(args) => verbs::restore::run(&session, args).await,
        Verb::Check(args) => verbs::check::run(&session, args).await,
        Verb::Reindex(args) => verbs::maintain::reindex(&session, args).await,
        Verb::RebuildCurrent(args) => verbs::maintain::rebuild_current(&session, args).await,
        Verb::Status(args) => verbs::status::run(&session, args).await,
    }
}

/// Tells an error with its causes on one line. Some errors tell their cause themselves: it is not
/// told again.
fn said_once(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain() {
        let cause = output::line(&cause.to_string(), usize::MAX);
        if said.is_empty() {
            said = cause;
        } else if !said.ends_with(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn a_cause_is_told_once_and_on_one_line() {
        let error = anyhow!("in use\n  by another").context("cannot open: in use by another");
        assert_eq!(said_once(&error), "cannot open: in use by another");
        let error = anyhow!("no space").context("cannot write").context("nothing was stored");
        assert_eq!(said_once(&error), "nothing was stored: cannot write: no space");
    }
}
