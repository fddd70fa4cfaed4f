//! Full text: the only room that knows tantivy. Everything in it can be rebuilt from the store.
//!
//! One index per namespace folder, so that word statistics are exact and nothing of one namespace
//! shows in another. Documents go in through [`TextIndex::upsert`] and become findable with
//! [`TextIndex::commit`], which keeps the journal sequence beside the data; after a crash
//! [`TextIndex::committed_seq`] says where to catch up from.
//!
//! User text is never parsed as a query grammar. The lexer (`lexer.rs`) cuts documents and queries
//! alike; `query.rs` makes weighted units of a question; `search.rs` walks their postings and
//! scores by BM25F, one saturation per word over all fields (`rank.rs` has every constant and the
//! formula). A document is a hit when it holds enough of what the question is *about*: function
//! words (`words.rs`) count in the ranking but never make a match.
//!
//! # Questions and answers
//!
//! Why do unknown words raise the bar? "How to bake sourdough bread" in a store about work meets
//! one chance "bake". A hit must hold a tenth of the query's content, weighed by rarity; when most
//! of that content stands nowhere in the store, it must hold about two fifths. What stays below is
//! shown as `nearest`, apart from the hits. The very day asked for is always a hit.
//!
//! Why not the engine's own boolean queries? They saturate a word once per field, so that a word
//! repeated over title, text and neighbours counts several times, and their constants are fixed.
//! Walking the postings ourselves also lets common words visit only what rarer ones found.
//!
//! Why is a neighbour's text indexed with the message rather than joined when asked? Because then
//! it has frequencies, lengths and an explanation like every other field.

mod coverage;
mod cues;
mod dates;
mod doc;
mod error;
mod explain;
mod index;
mod lexer;
mod nearness;
mod neighbours;
mod query;
mod rank;
mod ready;
mod request;
mod scan;
mod schema;
mod script;
mod search;
mod select;
mod stem;
mod words;
mod writer;

#[cfg(test)]
mod tests;

pub use coverage::Coverage;
pub use dates::date_words;
pub use doc::{Doc, DocKey, DocKind};
pub use error::TextError;
pub use index::{TextIndex, TextOptions};
pub use lexer::{TOKENISER, TOKENISER_VERSION};
pub use neighbours::words_beside;
pub use rank::Ranking;
pub use request::{Contribution, Explain, Hit, SearchOutcome, SearchRequest, TermUse};
pub use schema::{Part, SCHEMA_VERSION};
