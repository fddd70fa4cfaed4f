//! What can go wrong inside an engine.

/// Why an engine gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The engine cannot be reached or is over its limits; trying again may help.
    #[error("the engine is unavailable: {0}")]
    Unavailable(String),
    /// The engine answered with something that is no result.
    #[error("the engine's answer is unusable: {0}")]
    Unusable(String),
}
