//! The program from outside: HTTP and the command line, against the real binary.
//!
//! Each test has a server (or a data folder) of its own on a port the system chose. Nothing leaves
//! the loopback interface.

mod acts;
mod admin;
mod agreement;
mod blocks;
mod cli;
mod entities;
mod events;
mod gate;
mod guard;
mod history;
mod jobs;
mod namespaces;
mod openapi;
mod protocol;
mod search;
mod service;
mod sparql;
mod support;
mod turns;
