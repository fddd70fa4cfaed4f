//! The only room that knows Oxigraph.
