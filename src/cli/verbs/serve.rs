//! `stratagate serve`

use crate::api::{self, App, BODY_TIMEOUT};
use crate::cli::door::open_memory;
use crate::cli::session::Session;
use crate::clock::Clock;
use crate::jobs::Runner;
use crate::memory::MemoryOptions;
use crate::store::reader::ReaderProgram;
use crate::telemetry::{self, LogForm};
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// How often old metric samples are dropped.
const TIDY_EVERY: Duration = Duration::from_secs(5);

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Prints one line on stdout once it listens: `listening on http://127.0.0.1:PORT`. Logs go to stderr.
Only loopback addresses are taken; port 0 lets the system choose. Ctrl-C or SIGTERM stops cleanly.

Examples:
  stratagate serve
  stratagate --data ./memory serve --listen 127.0.0.1:0
  STRATAGATE_LOG=stratagate=debug stratagate serve --log-form json")]
pub struct Args {
    /// Where to listen [env: STRATAGATE_LISTEN] [default: 127.0.0.1:7437]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Let web pages of this origin call and read, as in https://tools.example; may be repeated
    /// [env: STRATAGATE_ALLOW_ORIGIN]
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// Memory that one ad-hoc SPARQL query may take, in MiB; two run at once
    /// [env: STRATAGATE_QUERY_MEMORY_MIB] [default: 320]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(16..=65536))]
    query_memory_mib: Option<u64>,
    /// Where "now" comes from; `messages` is for demos and tests only
    #[arg(long, value_enum, default_value = "system")]
    clock: ClockKind,
    /// How long a request's body may stay away before its next bytes
    #[arg(long, value_name = "SECONDS", default_value_t = BODY_TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=3600))]
    body_timeout: u64,
    /// How log lines look
    #[arg(long, value_enum, default_value = "text")]
    log_form: LogFormKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClockKind {
    /// The machine's clock.
    System,
    /// The newest message time: backdates what was known when.
    Messages,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormKind {
    Text,
    Json,
}

pub async fn run(session: &Session, args: Args) -> anyhow::Result<ExitCode> {
    let form = match args.log_form {
        LogFormKind::Text => LogForm::Text,
        LogFormKind::Json => LogForm::Json,
    };
    session.start_logs("info", form);
    telemetry::start_metrics();
    let wanted = args.listen.as_deref().unwrap_or(&session.config.listen);
    let wanted = api::check_loopback(wanted)?;
    let origins = if args.allow_origin.is_empty() {
        &session.config.allow_origin
    } else {
        &args.allow_origin
    };
    let origins: Vec<String> = origins
        .iter()
        .map(|origin| api::check_allowed_origin(origin))
        .collect::<Result<_, _>>()
        .map_err(anyhow::Error::msg)?;
    let clock = match args.clock {
        ClockKind::System => Clock::System,
        ClockKind::Messages => warn_of_message_clock(),
    };
    // The folder first: two servers on one folder must not depend on who gets the port.
    let memory = args.query_memory_mib.or(session.config.query_memory_mib);
    let options = MemoryOptions {
        data: session.config.data.clone(),
        clock,
        readers: ReaderProgram::this(memory),
    };
    let memory = open_memory(options).await?;
    let listener = tokio::net::TcpListener::bind(wanted).await.map_err(|source| {
        let error = anyhow::Error::from(api::ServeError::Listen { address: wanted, source });
        anyhow!("{error:#}; another server may be running: choose another address with --listen")
    })?;
    let address = format!("http://{}", listener.local_addr()?);
    memory.announce(&address)?;
    let runner = Runner::start(&memory)?;
    let tidying = tokio::spawn(async {
        let mut ticks = tokio::time::interval(TIDY_EVERY);
        loop {
            ticks.tick().await;
            telemetry::tidy_metrics();
        }
    });
    let mut out = std::io::stdout();
    writeln!(out, "listening on {address}").and_then(|()| out.flush())?;
    tracing::info!(%address, data = %session.config.data.display(), "listening");

    let app = App::new(memory.clone())
        .with_origins(&origins)
        .with_body_timeout(Duration::from_secs(args.body_timeout));
    let working = memory.clone();
    let stop = async move {
        asked_to_stop().await;
        working.stop_work();
    };
    let served = api::serve(listener, app, stop).await;
    tidying.abort();
    // Waits for the background threads, so that their last writes are whole.
    tokio::task::spawn_blocking(move || {
        drop(runner);
        memory.close();
    })
    .await
    .context("stopping failed")?;
    served?;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

fn warn_of_message_clock() -> Clock {
    eprintln!(
        "stratagate: WARNING: --clock messages: \"now\" is the newest message time, so records say \
         that we knew things before we did. For demos and tests only."
    );
    tracing::warn!("the clock is driven by message times: for demos and tests only");
    Clock::messages()
}

/// Ready at Ctrl-C or SIGTERM.
async fn asked_to_stop() {
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "Ctrl-C cannot be heard");
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(error) => {
                tracing::error!(%error, "SIGTERM cannot be heard");
                std::future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
