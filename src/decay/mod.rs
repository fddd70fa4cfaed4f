//! Decay: pure arithmetic for Block levels and Event weights.
