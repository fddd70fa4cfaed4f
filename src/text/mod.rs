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

mod coverage;
mod cues;
mod dates;
mod doc;
mod error;
mod explain;
mod index;
mod lexer;
mod nearness;
mod query;
mod rank;
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
pub use rank::Ranking;
pub use request::{Contribution, Explain, Hit, SearchOutcome, SearchRequest, TermUse};
pub use schema::{Part, SCHEMA_VERSION};
