//! What all of these tests need: a server to kill, a namespace to talk to, words to say, chance.

pub mod api;
pub mod chance;
pub mod files;
pub mod server;
pub mod words;

pub use api::Api;
pub use chance::Chance;
pub use server::Server;
