//! Where ad-hoc queries are taken in: how many run at once, how long each may take, and where.

use super::query::{self, GRACE, QUERY_STACK_BYTES};
use super::reader::{Reader, ReaderProgram};
use super::{NamespaceStore, QueryAnswer, QueryError, QueryOptions, TextSearch, Tx, guard};
use oxigraph::sparql::CancellationToken;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// What a query that waited long for its turn may still take.
const LEAST_TIME: Duration = Duration::from_millis(100);
/// Ad-hoc queries that may run at once, in all namespaces; others wait for their turn.
const AD_HOC_SLOTS: usize = 2;

/// Takes in the ad-hoc queries of all namespaces.
///
/// With a [`ReaderProgram`] each runs in a process of its own, whose memory is bounded and which
/// is ended at the deadline whatever it does. Without one it runs on a thread of this process,
/// where a query that could not be stopped is refused instead.
#[derive(Default)]
pub struct QueryDesk {
    slots: Arc<Counted>,
    program: Option<ReaderProgram>,
    /// Readers that wait for the next question, the one used last at the end.
    idle: Mutex<Vec<Reader>>,
}

#[derive(Debug, Default)]
struct Counted {
    taken: Mutex<usize>,
    given_back: Condvar,
}

/// A taken slot; given back when dropped, which is when the query has really ended.
struct Slot(Arc<Counted>);

impl Counted {
    /// Takes a slot, waiting for one as long as the caller would wait for the answer.
    fn take(self: &Arc<Self>, patience: Duration) -> Result<Slot, QueryError> {
        // A count that was being changed by a thread that panicked is still a count.
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut taken, _) = self
            .given_back
            .wait_timeout_while(taken, patience, |taken| *taken >= AD_HOC_SLOTS)
            .unwrap_or_else(PoisonError::into_inner);
        if *taken >= AD_HOC_SLOTS {
            return Err(QueryError::Busy);
        }
        *taken += 1;
        Ok(Slot(self.clone()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.given_back.notify_one();
    }
}

impl QueryDesk {
    /// A desk that hands queries to another process.
    pub fn with_readers(program: ReaderProgram) -> Self {
        Self { program: Some(program), ..Self::default() }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the readers that have nothing to do for long; to be called now and then.
    pub fn tidy(&self) {
        self.idle().retain_mut(Reader::is_alive);
    }

    /// Ends the readers of everything below a folder.
    pub fn forget(&self, folder: &Path) {
        self.idle().retain(|reader| !reader.reads_below(folder));
    }

    /// Ends all readers.
    pub fn close(&self) {
        self.idle().clear();
    }

    /// A reader of the store as it is now.
    fn reader(
        &self,
        store: &NamespaceStore,
        program: &ReaderProgram,
    ) -> Result<Reader, QueryError> {
        let checkpoint = store.checkpoints.current(store)?;
        let mut idle = self.idle();
        idle.retain_mut(|reader| !reader.is_outdated(&checkpoint) && reader.is_alive());
        if let Some(at) = idle.iter().rposition(|reader| reader.reads(&checkpoint)) {
            return Ok(idle.remove(at));
        }
        drop(idle);
        Reader::start(program, checkpoint, store.names.base())
    }

    fn keep(&self, reader: Reader) {
        let mut idle = self.idle();
        idle.push(reader);
        if idle.len() > AD_HOC_SLOTS {
            idle.remove(0);
        }
    }
}

impl NamespaceStore {
    /// Parses, checks and runs a user's query; `search` answers its calls of `SERVICE sg:search`.
    ///
    /// # Errors
    /// See [`QueryError`]. A query waits for its turn within its deadline, and its caller is
    /// answered at the deadline whatever the query does.
    pub fn query(
        &self,
        text: &str,
        options: &QueryOptions,
        desk: &QueryDesk,
        search: TextSearch,
    ) -> Result<QueryAnswer, QueryError> {
        guard::scan(text)?;
        let started = Instant::now();
        let slot = desk.slots.take(options.timeout)?;
        let Some(program) = &desk.program else {
            let options = remaining(options, started);
            let (text, base) = (text.to_owned(), self.names.base().to_owned());
            return self.run(&options, Some(slot), move || {
                query::parse(&text, &base, guard::check, &search)
            });
        };
        let mut reader = desk.reader(self, program)?;
        let answer = reader.ask(text, &remaining(options, started), &search);
        if reader.can_go_on() {
            desk.keep(reader);
        }
        drop(slot);
        answer
    }

    /// Runs one of the product's own queries; it takes no ad-hoc slot.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn run_prepared(
        &self,
        query: spargebra::Query,
        options: &QueryOptions,
    ) -> Result<QueryAnswer, QueryError> {
        self.run(options, None, move || Ok(query))
    }

    fn run(
        &self,
        options: &QueryOptions,
        slot: Option<Slot>,
        query: impl FnOnce() -> Result<spargebra::Query, QueryError> + Send + 'static,
    ) -> Result<QueryAnswer, QueryError> {
        let token = CancellationToken::new();
        let (send, receive) = mpsc::channel();
        let (store, names) = (self.store.clone(), self.names.clone());
        let worker_options = options.clone();
        let worker_token = token.clone();
        std::thread::Builder::new()
            .name("query".to_owned())
            .stack_size(QUERY_STACK_BYTES)
            .spawn(move || {
                let answer = query().and_then(|query| {
                    evaluate(&store, &names, query, &worker_options, worker_token)
                });
                // Before the answer: whoever has it may ask the next question at once, or close
                // the store and end the program.
                drop((slot, store));
                // The caller may have given up; then nobody listens, and that is fine.
                let _ = send.send(answer);
            })
            .map_err(|error| QueryError::Internal(error.to_string()))?;
        let started = Instant::now();
        match receive.recv_timeout(options.timeout) {
            Ok(answer) => answer,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                Err(QueryError::Internal("the query's thread ended early".to_owned()))
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                token.cancel();
                match receive.recv_timeout(GRACE) {
                    Ok(Ok(answer)) => Ok(answer),
                    Ok(Err(error @ (QueryError::Syntax(_) | QueryError::Refused(_)))) => Err(error),
                    _ => Err(QueryError::TimedOut(started.elapsed())),
                }
            }
        }
    }
}

/// The options with what is left of the time.
fn remaining(options: &QueryOptions, started: Instant) -> QueryOptions {
    let left = options.timeout.saturating_sub(started.elapsed()).max(LEAST_TIME);
    QueryOptions { timeout: left, ..options.clone() }
}

fn evaluate(
    store: &oxigraph::store::Store,
    names: &super::Names,
    query: spargebra::Query,
    options: &QueryOptions,
    token: CancellationToken,
) -> Result<QueryAnswer, QueryError> {
    let internal = |error: &dyn std::fmt::Display| QueryError::Internal(error.to_string());
    let transaction = store.start_transaction().map_err(|error| internal(&error))?;
    let tx = Tx::new(transaction, names);
    let revision = tx.applied().map_err(|error| internal(&error))?;
    let prepared = query::prepare(query, names, options, token);
    let results = prepared.on_transaction(tx.raw()).execute().map_err(query::query_error)?;
    query::serialise(results, options, revision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_waits_for_its_turn_and_not_for_ever() {
        let slots = Arc::new(Counted::default());
        let first: Vec<Slot> =
            (0..AD_HOC_SLOTS).map(|_| slots.take(Duration::ZERO).expect("a free slot")).collect();
        assert!(matches!(slots.take(Duration::from_millis(5)), Err(QueryError::Busy)));
        let waiting = slots.clone();
        let waiter = std::thread::spawn(move || waiting.take(Duration::from_secs(60)).is_ok());
        drop(first);
        assert!(waiter.join().unwrap());
        assert!(slots.take(Duration::ZERO).is_ok(), "what the waiter had is given back");
    }
}
