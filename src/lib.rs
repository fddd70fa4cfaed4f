//! StrataGate
pub mod model;
pub mod vocab;
pub mod store;
pub mod temporal;
