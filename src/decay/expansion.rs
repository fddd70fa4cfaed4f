//! Expansions: what a caller may ask for, and what a Block then shows.

use crate::model::Level;
use std::str::FromStr;

/// What a caller asks an expansion for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expansion {
    /// One level more exact.
    Next,
    /// Straight to a level.
    To(Level),
}

/// A text that names no target of an expansion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown expansion target {0:?}: use next, L0, L1, L2, L3, L4 or L5")]
pub struct UnknownExpansion(pub String);

impl FromStr for Expansion {
    type Err = UnknownExpansion;

    fn from_str(text: &str) -> Result<Self, UnknownExpansion> {
        if text == "next" {
            return Ok(Self::Next);
        }
        text.parse().map(Self::To).map_err(|_| UnknownExpansion(text.to_owned()))
    }
}

/// Returns the level after an expansion. It is never below the present one: a view is made more
/// exact by a call, and less exact by decay alone.
pub fn expand(current: Level, to: Expansion) -> Level {
    match to {
        Expansion::Next => current.raised(),
        Expansion::To(level) => level.max(current),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_goes_one_level_and_a_name_goes_straight() {
        assert_eq!(expand(Level::L2, Expansion::Next), Level::L3);
        assert_eq!(expand(Level::L5, Expansion::Next), Level::L5);
        assert_eq!(expand(Level::L0, Expansion::To(Level::L4)), Level::L4);
        assert_eq!(expand(Level::L4, Expansion::To(Level::L4)), Level::L4);
    }

    #[test]
    fn a_target_below_the_present_level_does_not_lower_it() {
        assert_eq!(expand(Level::L4, Expansion::To(Level::L1)), Level::L4);
    }

    #[test]
    fn an_unknown_target_is_an_error_and_never_means_next() {
        assert_eq!("next".parse(), Ok(Expansion::Next));
        assert_eq!("L3".parse(), Ok(Expansion::To(Level::L3)));
        for text in ["L9", "2.6", "", "NEXT", "l3", " L3", "L", "3"] {
            let error = text.parse::<Expansion>().expect_err(text);
            assert_eq!(error, UnknownExpansion(text.to_owned()));
        }
    }
}
