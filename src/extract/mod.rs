//! Engines: what turns a sealed Block into a summary and Events.
//!
//! An engine proposes; it never decides what replaces what (that is [`crate::temporal`]) and never
//! touches a store. The default, [`Rules`], is built in: no network, deterministic, English and
//! Chinese. Start with [`Engine`].

pub mod dates;
mod engine;
mod error;
pub mod gold;
mod rules;

pub use engine::{BlockInput, Engine, Extraction, KnownEntity, KnownEvent, RejectedItem};
pub use error::EngineError;
pub use rules::Rules;
