//! Temporal rules: pure folding of claims into facts on two clocks.
