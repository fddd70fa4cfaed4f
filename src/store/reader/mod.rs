//! Ad-hoc queries in a process of their own.
//!
//! The query engine has no memory limit, and some of its loops never notice a cancellation. So a
//! user's query runs in a child process, the *reader*, over a checkpoint of the store: hard links
//! that are made in milliseconds and never change. Its memory is bounded by the system, it has a
//! lower priority than the service, and it is killed at its deadline. A reader waits a little for
//! the next question on the same state of the store, because starting one takes longer than most
//! questions.
//!
//! The two speak in frames over the reader's standard input and output; see [`frames`]. The
//! reader holds no lock, opens nothing but its checkpoint, and ends when its input ends.

mod checkpoint;
mod child;
mod frames;
mod parent;

pub use checkpoint::{Checkpoint, Checkpoints};
pub use child::run;
pub use parent::{Reader, ReaderProgram};
