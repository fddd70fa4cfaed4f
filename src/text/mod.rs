//! Full text: the only room that knows tantivy. Everything in it can be rebuilt from the store.
