//! Background work: what runs, when, and how often it was tried.
