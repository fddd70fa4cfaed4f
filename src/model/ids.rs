//! Identifiers. Every one is a newtype over a string, made from content or from the caller's key,
//! so that the same data gives the same ids in every store.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// Returns the identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    )+};
}

ids! {
    /// One conversation inside a namespace.
    ThreadId,
    /// The caller's key of a turn, unique in its namespace.
    TurnId,
    /// A message, unique in its thread.
    MessageId,
    /// A sealed run of turns: `b_` and a hash of its thread and turns.
    BlockId,
    /// An Event: `e_` and a hash of its sources, type and normalised statement.
    EventId,
    /// An entity: its kind and normalised name, as in `tool:pnpm`.
    EntityId,
    /// Entity + property (+ qualifier): `s_` and a hash of the three.
    SlotId,
    /// One value of a Slot over an interval: `f_` and a hash of Slot, value and opening Event.
    FactId,
    /// One act that ended a Fact: `c_` and a hash.
    ClosingId,
    /// Candidates of one Slot that cannot be decided: `x_` and a hash.
    ConflictId,
    /// A piece of background work: `j_` and a hash of its kind and target.
    JobId,
    /// One retrieval and its evidence refs.
    BatchId,
    /// One verdict of the evidence gate.
    AssessmentId,
    /// The caller's key of an adoption.
    ReceiptId,
}

/// What the id of an operator's act begins with where it stands in an Event's place.
const ACT: &str = "act_";

impl EventId {
    /// The id under which an operator's act stands where otherwise an Event would: as the source
    /// of a claim, or as the cause of a change. `act` is its record's number.
    pub fn of_act(act: u64) -> Self {
        Self(format!("{ACT}{act}"))
    }

    /// Returns the act, if it is one.
    pub fn act(&self) -> Option<u64> {
        self.0.strip_prefix(ACT)?.parse().ok()
    }
}

/// Why a text cannot name a namespace.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NamespaceNameError {
    /// The name is empty or only white space.
    #[error("the namespace name is empty")]
    Empty,
    /// The name is longer than 200 bytes of UTF-8.
    #[error("the namespace name has {0} bytes; at most 200 are allowed")]
    TooLong(usize),
    /// The name has a control character.
    #[error("the namespace name contains a control character")]
    Control,
}

/// The name of a namespace: the wall between memories. Any UTF-8 of 1 to 200 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NamespaceName(String);

impl NamespaceName {
    /// Checks and wraps a name.
    ///
    /// # Errors
    /// Refuses an empty name, one of more than 200 bytes, and control characters.
    pub fn new(name: impl Into<String>) -> Result<Self, NamespaceNameError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(NamespaceNameError::Empty);
        }
        if name.len() > 200 {
            return Err(NamespaceNameError::TooLong(name.len()));
        }
        if name.chars().any(char::is_control) {
            return Err(NamespaceNameError::Control);
        }
        Ok(Self(name))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for NamespaceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for NamespaceName {
    type Error = NamespaceNameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(name)
    }
}

impl From<NamespaceName> for String {
    fn from(name: NamespaceName) -> Self {
        name.0
    }
}

/// Returns the first 20 hex digits (80 bits) of the SHA-256 over the parts, each preceded by its
/// length so that no two lists of parts collide by concatenation.
pub fn content_hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let digest = hasher.finalize();
    hex::encode(&digest[..10])
}

/// Folds a name to the key by which entities are the same: NFKC, lower case, runs of spaces,
/// hyphens and underscores as one hyphen. `"Site Roadmap"`, `"site-roadmap"` and `"SITE  ROADMAP"`
/// share a key.
pub fn normalise_name(name: &str) -> String {
    let folded: String = name.nfkc().flat_map(char::to_lowercase).collect();
    // Lower-casing can leave a decomposed sequence (İ), so compose once more.
    let folded: String = folded.nfkc().collect();
    let mut key = String::with_capacity(folded.len());
    let is_gap = |c: char| {
        c.is_whitespace() || matches!(c, '-' | '_' | '\u{2010}'..='\u{2015}') || c.is_control()
    };
    for c in folded.trim_matches(is_gap).chars() {
        if !is_gap(c) {
            key.push(c);
        } else if !key.ends_with('-') {
            key.push('-');
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_share_a_key() {
        for spelling in ["Site Roadmap", "site-roadmap", "SITE  ROADMAP", " site_roadmap "] {
            assert_eq!(normalise_name(spelling), "site-roadmap");
        }
        assert_eq!(normalise_name("Cafe\u{301}"), normalise_name("café"));
    }

    #[test]
    fn parts_do_not_collide_by_concatenation() {
        assert_ne!(content_hash(["ab", "c"]), content_hash(["a", "bc"]));
    }

    #[test]
    fn a_namespace_needs_a_name_of_its_own() {
        assert_eq!(NamespaceName::new(" "), Err(NamespaceNameError::Empty));
        assert!(NamespaceName::new("x".repeat(201)).is_err());
        assert!(NamespaceName::new("dsh:演示/1").is_ok());
    }
}
