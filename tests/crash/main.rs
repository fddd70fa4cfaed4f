//! What survives: the real program, over HTTP, killed, robbed of its derived files, raced.
//!
//! Every test starts the built binary on a folder of its own. Chance comes from a seed that is
//! printed, so that a round that failed can be run again: `STRATAGATE_KILL_SEED=… `. More rounds:
//! `STRATAGATE_KILL_ROUNDS=…`, or `scripts/kill-rounds`.

mod concurrency;
mod creation;
mod kill;
mod power;
mod replay;
mod second_process;
mod support;
