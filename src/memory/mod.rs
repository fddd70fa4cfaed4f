//! The use cases. The only room that combines the others.
