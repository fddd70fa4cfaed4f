//! The reader's side: one checkpoint, one question after the other.

use super::frames::{Failure, Reply, Request, receive, send};
use crate::store::query::{self, QUERY_STACK_BYTES};
use crate::store::{Names, QueryAnswer, QueryError, QueryOptions, TextQuery, TextSearch};
use crate::vocab::sg;
use oxigraph::model::{NamedNodeRef, Term};
use oxigraph::sparql::CancellationToken;
use oxigraph::store::Store;
use std::io::{self, BufWriter, Stdout, Write};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a reader waits for the next question.
const IDLE: Duration = Duration::from_secs(30);
/// What a reader may have grown by, in bytes, and still be asked again.
const WORN_AT: u64 = 64 * 1024 * 1024;
/// How much lower its priority is than the service's, in steps of `nice`.
const NICE: i32 = 10;

type Requests = Arc<Mutex<mpsc::Receiver<Request>>>;
type Output = Arc<Mutex<BufWriter<Stdout>>>;

/// Answers questions from standard input until it ends, or nobody asks for half a minute.
///
/// # Errors
/// When the pipes break or the first frame is not as it must be.
pub fn run() -> io::Result<()> {
    let (send_on, requests) = mpsc::channel();
    std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(request) = receive(&mut input) {
            if send_on.send(request).is_err() {
                return;
            }
        }
        // Whoever asked is gone, and with it the need for an answer that is being worked on.
        std::process::exit(0);
    })?;
    let requests = Arc::new(Mutex::new(requests));
    // Everything happens on one large stack, which is there before memory is counted.
    let work = std::thread::Builder::new()
        .name("query".to_owned())
        .stack_size(QUERY_STACK_BYTES)
        .spawn(move || work(&requests))?;
    work.join().map_err(|_| io::Error::other("the query failed inside"))?
}

fn next(requests: &Requests) -> Option<Request> {
    let requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
    requests.recv_timeout(IDLE).ok()
}

fn say(output: &Output, reply: &Reply) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    send(&mut *output, reply)
}

fn work(requests: &Requests) -> io::Result<()> {
    let output: Output = Arc::new(Mutex::new(BufWriter::new(io::stdout())));
    let Some(Request::Open { folder, base, memory }) = next(requests) else {
        return Err(io::Error::other("a reader is started by the service only"));
    };
    let store = match Store::open_read_only(&folder) {
        Ok(store) => store,
        Err(error) => {
            let reason = format!("the checkpoint cannot be opened: {error}");
            return say(&output, &Reply::Failed(Failure::Internal(reason)));
        }
    };
    let names = Names::below(base);
    let at_rest = confine(memory)?;
    say(&output, &Reply::Ready)?;
    while let Some(request) = next(requests) {
        let Request::Ask { text, options } = request else {
            return Err(io::Error::other("that is no question"));
        };
        let search = search_by(&output, requests);
        match answer(&store, &names, &text, &options, &search) {
            Ok(answer) => {
                let worn = private_memory() > at_rest + WORN_AT;
                let reply = Reply::Answer {
                    form: answer.form,
                    rows: answer.rows,
                    truncated: answer.truncated,
                    revision: answer.revision,
                    bytes: answer.body.len() as u64,
                    worn,
                };
                say(&output, &reply)?;
                let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
                output.write_all(&answer.body)?;
                output.flush()?;
            }
            Err(error) => say(&output, &Reply::Failed(error.into()))?,
        }
    }
    Ok(())
}

fn answer(
    store: &Store,
    names: &Names,
    text: &str,
    options: &QueryOptions,
    search: &TextSearch,
) -> Result<QueryAnswer, QueryError> {
    let token = CancellationToken::new();
    let (done, ended) = mpsc::channel::<()>();
    let (watched, timeout) = (token.clone(), options.timeout);
    std::thread::Builder::new()
        .name("deadline".to_owned())
        .stack_size(256 * 1024)
        .spawn(move || {
            if ended.recv_timeout(timeout) == Err(mpsc::RecvTimeoutError::Timeout) {
                watched.cancel();
            }
        })
        .map_err(|error| QueryError::Internal(error.to_string()))?;
    let query = query::parse(text, names.base(), |_| Ok(()), search)?;
    let prepared = query::prepare(query, names, options, token);
    let results = prepared.on_store(store).execute().map_err(query::query_error)?;
    let answer = query::serialise(results, options, applied(store, names)?);
    drop(done);
    answer
}

/// The last journal record that is in a store.
fn applied(store: &Store, names: &Names) -> Result<u64, QueryError> {
    let state = names.thing("store", "state");
    let predicate = NamedNodeRef::new_unchecked(sg::APPLIED);
    let graph = names.system.as_ref().into();
    let found = store
        .quads_for_pattern(Some(state.as_ref().into()), Some(predicate), None, Some(graph))
        .next()
        .transpose()
        .map_err(|error| QueryError::Internal(error.to_string()))?;
    Ok(match found.map(|quad| quad.object) {
        Some(Term::Literal(number)) => number.value().parse().unwrap_or(0),
        _ => 0,
    })
}

/// Has the text searches of a query done by the service.
fn search_by(output: &Output, requests: &Requests) -> TextSearch {
    let (output, requests) = (output.clone(), requests.clone());
    Box::new(move |query: &TextQuery| {
        let broken = |reason: String| QueryError::Internal(format!("text search: {reason}"));
        say(&output, &Reply::Search(query.clone())).map_err(|error| broken(error.to_string()))?;
        match next(&requests) {
            Some(Request::Hits(Ok(hits))) => Ok(hits.into_iter().map(Into::into).collect()),
            Some(Request::Hits(Err(failure))) => Err(failure.into_error(Duration::ZERO)),
            _ => Err(broken("the service gave no hits".to_owned())),
        }
    })
}

/// Bounds what the process may take from now on; returns the bytes it has now.
fn confine(memory: u64) -> io::Result<u64> {
    #[cfg(unix)]
    {
        // A lower priority is a courtesy: without it the query runs as the service does.
        let _ = rustix::process::nice(NICE);
        let now = private_memory();
        let limit = now.saturating_add(memory);
        rlimit::setrlimit(rlimit::Resource::DATA, limit, limit)?;
        // A reader that runs out of memory aborts; its memory is of no use to anybody.
        rlimit::setrlimit(rlimit::Resource::CORE, 0, 0)?;
        Ok(now)
    }
    #[cfg(not(unix))]
    {
        let _ = (memory, NICE);
        Ok(0)
    }
}

/// Private writable memory of this process, in bytes, touched or not: what `RLIMIT_DATA` counts.
/// Zero where the system does not say.
fn private_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| {
            line.strip_prefix("VmData:")?.trim().strip_suffix("kB")?.trim().parse().ok()
        })
        .map_or(0, |kilobytes: u64| kilobytes * 1024)
}
