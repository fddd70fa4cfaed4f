//! The HTTP door: router, extractors, wire types, problem bodies, the SPARQL protocol.
//!
//! Only this room spells a status code, and only [`error`] maps an error to one. Public JSON has
//! its own types in [`wire`], each with an explicit conversion, so a stored form can change
//! without the contract changing. The command line goes through the same router, in process or
//! over a socket, so that the two can never differ.
//!
//! Invariants: every path is registered together with its OpenAPI description; every blocking
//! call goes through [`App::run`]; every request is checked by [`guard`] before anything else; no
//! line of the log carries the text of a memory.
//!
//! Start with [`router`], then any file of [`routes`].

mod body;
mod conditional;
mod described;
pub mod error;
mod export_stream;
mod guard;
mod negotiate;
mod observe;
mod params;
mod router;
pub mod routes;
mod server;
mod state;
mod unread;
pub mod wire;

pub use error::{ApiError, Code};
pub use guard::check_allowed_origin;
pub use router::{openapi, router};
pub use server::{ServeError, check_loopback, serve};
pub use state::{App, BODY_TIMEOUT};
