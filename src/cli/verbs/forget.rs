//! `stratagate forget`

use crate::api::wire::EventBody;
use crate::cli::door::{Call, encode};
use crate::cli::session::Session;
use axum::http::Method;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stratagate forget e_0a1b2c3d4e5f60718293
  stratagate forget e_0a1b2c3d4e5f60718293 --undo")]
pub struct Args {
    /// An event's id
    event: String,
    /// Bring it back
    #[arg(long)]
    undo: bool,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let verb = if args.undo { "restore" } else { "forget" };
    let path = session.path(&format!("/events/{}/{verb}", encode(&args.event)));
    let door = session.door().await?;
    let reply = door.call(Method::POST, &path, Call::default()).await?;
    door.close().await;
    session.show(&reply, |event: EventBody| {
        if event.forgotten {
            format!("{} is hidden from every answer: {}", event.id, event.title)
        } else {
            format!("{} is back: {}", event.id, event.title)
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
