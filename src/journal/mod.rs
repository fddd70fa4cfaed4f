//! The journal: what makes a write durable before it is acknowledged.
