//! The service's side: starting a reader, asking it, ending it.

use super::Checkpoint;
use super::frames::{Failure, Hit, Reply, Request, receive, send};
use crate::store::query::GRACE;
use crate::store::{QueryAnswer, QueryError, QueryOptions, TextSearch};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Memory that one query may take, in MiB, unless set otherwise: two at once and the service
/// itself stay below 1 GiB together.
const DEFAULT_MEMORY_MIB: u64 = 320;

/// What is run as a reader.
#[derive(Debug, Clone)]
pub struct ReaderProgram {
    program: PathBuf,
    memory: u64,
}

impl ReaderProgram {
    /// This very program, with its verb `reader`; `memory_mib` is what one query may take, in MiB.
    /// `None` where a process cannot be bounded in that way.
    pub fn this(memory_mib: Option<u64>) -> Option<Self> {
        // The link stays right when the file is replaced while the program runs.
        let program = PathBuf::from("/proc/self/exe");
        let memory = memory_mib.unwrap_or(DEFAULT_MEMORY_MIB).saturating_mul(1024 * 1024);
        (cfg!(target_os = "linux") && program.exists()).then_some(Self { program, memory })
    }
}

/// A running reader.
pub struct Reader {
    process: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    checkpoint: Arc<Checkpoint>,
    memory: u64,
    /// Whether it has failed, or has grown so much that a fresh one is better.
    worn: bool,
}

fn lock(process: &Mutex<Child>) -> MutexGuard<'_, Child> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reader {
    /// Starts a reader over a checkpoint.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        program: &ReaderProgram,
        checkpoint: Arc<Checkpoint>,
        base: &str,
    ) -> Result<Self, QueryError> {
        let failed = |error: io::Error| {
            QueryError::Internal(format!("the reader process could not be started: {error}"))
        };
        let mut process = Command::new(&program.program)
            .arg("reader")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        let mut reader = Self {
            process: Arc::new(Mutex::new(process)),
            input,
            output: BufReader::new(output),
            checkpoint,
            memory: program.memory,
            worn: true,
        };
        let open = Request::Open {
            folder: reader.checkpoint.folder(),
            base: base.to_owned(),
            memory: program.memory,
        };
        send(&mut reader.input, &open).map_err(failed)?;
        match receive(&mut reader.output).map_err(failed)? {
            Reply::Ready => reader.worn = false,
            Reply::Failed(failure) => return Err(failure.into_error(Duration::ZERO)),
            other => return Err(failed(io::Error::other(format!("it says {other:?}")))),
        }
        Ok(reader)
    }

    /// Whether it runs.
    pub fn is_alive(&mut self) -> bool {
        matches!(lock(&self.process).try_wait(), Ok(None))
    }

    /// Whether it can be asked again.
    pub fn can_go_on(&self) -> bool {
        !self.worn
    }

    /// Whether it reads this state.
    pub fn reads(&self, checkpoint: &Arc<Checkpoint>) -> bool {
        Arc::ptr_eq(&self.checkpoint, checkpoint)
    }

    /// Whether it reads another state of the same store.
    pub fn is_outdated(&self, checkpoint: &Arc<Checkpoint>) -> bool {
        !self.reads(checkpoint) && self.checkpoint.is_beside(checkpoint)
    }

    /// Whether what it reads is below a folder.
    pub fn reads_below(&self, folder: &Path) -> bool {
        self.checkpoint.folder().starts_with(folder)
    }

    /// Asks a question; `search` finds what it searches for in the text index.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn ask(
        &mut self,
        text: &str,
        options: &QueryOptions,
        search: &TextSearch,
    ) -> Result<QueryAnswer, QueryError> {
        let started = Instant::now();
        // Until the answer is whole.
        self.worn = true;
        let watch = Watch::over(self.process.clone(), options.timeout + GRACE);
        let told = self.talk(text, options, search);
        let cut = watch.end();
        match told {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(failure)) => Err(failure.into_error(started.elapsed())),
            Err(_) if cut => Err(QueryError::TimedOut(started.elapsed())),
            Err(error) => Err(self.cause_of_death(&error)),
        }
    }

    fn talk(
        &mut self,
        text: &str,
        options: &QueryOptions,
        search: &TextSearch,
    ) -> io::Result<Result<QueryAnswer, Failure>> {
        let ask = Request::Ask { text: text.to_owned(), options: options.clone() };
        send(&mut self.input, &ask)?;
        loop {
            match receive(&mut self.output)? {
                Reply::Search(query) => {
                    let hits = search(&query);
                    let hits = hits.map(|hits| hits.into_iter().map(Hit::from).collect());
                    send(&mut self.input, &Request::Hits(hits.map_err(Failure::from)))?;
                }
                Reply::Answer { form, rows, truncated, revision, bytes, worn } => {
                    let mut body = Vec::new();
                    let read = (&mut self.output).take(bytes).read_to_end(&mut body)?;
                    if read as u64 != bytes {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    self.worn = worn;
                    let media_type = form.media_type(options);
                    return Ok(Ok(QueryAnswer {
                        form,
                        body,
                        media_type,
                        rows,
                        truncated,
                        revision,
                    }));
                }
                Reply::Failed(failure) => {
                    // One that was cut off may have left much behind.
                    self.worn = !matches!(failure, Failure::Syntax(_) | Failure::Refused(_));
                    return Ok(Err(failure));
                }
                Reply::Ready => return Err(io::Error::other("it is ready twice")),
            }
        }
    }

    /// Says why a reader broke off.
    fn cause_of_death(&self, error: &io::Error) -> QueryError {
        let mut process = lock(&self.process);
        // It may be alive and talk nonsense; it is of no use any more.
        let _ = process.kill();
        let status = process.wait();
        let mut last_words = String::new();
        if let Some(stderr) = process.stderr.take() {
            // What cannot be read says nothing; the status remains.
            let _ = stderr.take(16 * 1024).read_to_string(&mut last_words);
        }
        let of_memory = ["memory allocation of", "bad_alloc", "out of memory", "Cannot allocate"];
        if of_memory.iter().any(|words| last_words.contains(words)) {
            return QueryError::OutOfMemory(self.memory);
        }
        if last_words.contains("overflowed its stack") {
            return QueryError::Refused("it is nested too deeply".to_owned());
        }
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        QueryError::Internal(format!("the reader broke off: {error}; {status}; {last_words}"))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut process = lock(&self.process);
        // One that has ended already needs no signal, but must be waited for all the same.
        let _ = process.kill();
        let _ = process.wait();
    }
}

/// Kills a reader when its time is over.
struct Watch {
    stop: mpsc::Sender<()>,
    thread: Option<std::thread::JoinHandle<bool>>,
}

impl Watch {
    fn over(process: Arc<Mutex<Child>>, limit: Duration) -> Self {
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::Builder::new().name("query watch".to_owned()).spawn(move || {
            let over = stopped.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
            if over {
                // A failure means that it has ended.
                let _ = lock(&process).kill();
            }
            over
        });
        if let Err(error) = &thread {
            tracing::error!(%error, "a query runs without a watch over its deadline");
        }
        Self { stop, thread: thread.ok() }
    }

    /// Ends the watch; says whether it had to kill.
    fn end(self) -> bool {
        // A watch that killed listens no more.
        let _ = self.stop.send(());
        self.thread.is_some_and(|thread| thread.join().unwrap_or(false))
    }
}
