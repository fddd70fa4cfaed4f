//! What can go wrong in a use case.

/// Why a use case was refused or failed. What was stored before stays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// There is no such thing.
    #[error("no {what} {id:?} in namespace {namespace:?}")]
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// Its id.
        id: String,
        /// The namespace asked.
        namespace: String,
    },
    /// There is no such namespace.
    #[error("no namespace {0:?}; a first turn or a PUT creates it")]
    UnknownNamespace(String),
    /// A value is not acceptable.
    #[error("{field}: {reason}")]
    Invalid {
        /// The field, as a path in the request.
        field: String,
        /// Why.
        reason: String,
    },
    /// It contradicts what is stored.
    #[error("{0}")]
    Conflict(String),
    /// It is larger than allowed.
    #[error("{what} has {size} bytes; at most {limit} are allowed, and nothing was stored")]
    TooLarge {
        /// What is too large.
        what: String,
        /// Its size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// A query was refused or cut off.
    #[error("{0}")]
    Query(#[from] crate::store::QueryError),
    /// Stored data is damaged.
    #[error("{0}")]
    Corrupt(String),
    /// It cannot be done now; what was accepted stays.
    #[error("{0}")]
    Unavailable(String),
}

impl MemoryError {
    /// Names an unacceptable value.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), reason: reason.into() }
    }
}

impl From<crate::store::StoreError> for MemoryError {
    fn from(error: crate::store::StoreError) -> Self {
        match error {
            crate::store::StoreError::Corrupt(_) => Self::Corrupt(error.to_string()),
            other => Self::Unavailable(other.to_string()),
        }
    }
}

impl From<crate::journal::JournalError> for MemoryError {
    fn from(error: crate::journal::JournalError) -> Self {
        match error {
            crate::journal::JournalError::Corrupt { .. } => Self::Corrupt(error.to_string()),
            other => Self::Unavailable(other.to_string()),
        }
    }
}

impl From<crate::journal::LockError> for MemoryError {
    fn from(error: crate::journal::LockError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<crate::journal::SideError> for MemoryError {
    fn from(error: crate::journal::SideError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<crate::text::TextError> for MemoryError {
    fn from(error: crate::text::TextError) -> Self {
        Self::Unavailable(error.to_string())
    }
}
