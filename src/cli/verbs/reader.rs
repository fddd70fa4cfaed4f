//! `stratagate reader`: the process in which the service runs ad-hoc queries. Not for people.

use anyhow::Context;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The service starts it and speaks with it in frames; there is nothing to type. To ask a query:
  stratagate query 'SELECT * WHERE { ?s ?p ?o } LIMIT 10'")]
pub struct Args {}

pub fn run() -> anyhow::Result<ExitCode> {
    crate::store::reader::run().context("the reader ended")?;
    Ok(ExitCode::SUCCESS)
}
