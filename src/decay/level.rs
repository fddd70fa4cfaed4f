//! Short-term decay: the level a Block is shown at, by its distance from the present.

use super::{Expansion, Lambda, expand};
use crate::model::Level;

/// The weights above which 0, 1, 2, 3 and 4 levels are dropped.
const STEPS: [f64; 5] = [0.7, 0.5, 0.3, 0.15, 0.08];

/// Returns the short-term weight `exp(-lambda * age)`: 1 at the anchor, towards 0 from there.
pub fn weight(lambda: Lambda, age: u64) -> f64 {
    (-lambda.get() * age as f64).exp()
}

/// Returns how many levels a weight costs, 5 at the most.
pub fn levels_dropped(weight: f64) -> usize {
    STEPS.iter().position(|step| weight > *step).unwrap_or(STEPS.len())
}

/// Returns the level that a Block anchored at `anchor_level` has come down to at an age.
///
/// # Examples
/// ```
/// use stratagate::decay::{Lambda, level_at};
/// use stratagate::model::Level;
///
/// assert_eq!(level_at(Level::L5, Lambda::default(), 4), Level::L3);
/// assert_eq!(level_at(Level::L5, Lambda::NEVER, 1_000), Level::L5);
/// ```
pub fn level_at(anchor_level: Level, lambda: Lambda, age: u64) -> Level {
    anchor_level.lowered(levels_dropped(weight(lambda, age)))
}

/// Counts the ready Blocks of a thread after a place in it: the age of a Block anchored there.
pub fn age_after(anchor_seq: u64, ready_seqs: impl IntoIterator<Item = u64>) -> u64 {
    ready_seqs.into_iter().filter(|seq| *seq > anchor_seq).count() as u64
}

/// Where the decay of a Block starts from: a level, and the place in the thread at which the
/// Block had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// The level at the anchor.
    pub level: Level,
    /// The sequence number of the Block that was the newest ready one then.
    pub seq: u64,
}

impl Anchor {
    /// The anchor that every Block is born with: its source, at its own place.
    pub fn at_birth(block_seq: u64) -> Self {
        Self { level: Level::L5, seq: block_seq }
    }

    /// Returns the level after `age` further ready Blocks.
    pub fn level_at(self, lambda: Lambda, age: u64) -> Level {
        level_at(self.level, lambda, age)
    }

    /// Expands a Block that has come to `age`; `newest_ready_seq` is the present position. The
    /// level it gets and that position are the new anchor. A target below the present level is
    /// no expansion and leaves the anchor where it was.
    #[must_use]
    pub fn expanded(self, lambda: Lambda, age: u64, to: Expansion, newest_ready_seq: u64) -> Self {
        let current = self.level_at(lambda, age);
        match to {
            Expansion::To(target) if target < current => self,
            _ => Self { level: expand(current, to), seq: newest_ready_seq.max(self.seq) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_design() {
        let expected = ["L5", "L5", "L4", "L3", "L3", "L2", "L2", "L1", "L1", "L0", "L0", "L0"];
        for (age, level) in expected.iter().enumerate() {
            let found = level_at(Level::L5, Lambda::default(), age as u64);
            assert_eq!(found.as_str(), *level, "age {age}");
        }
        assert_eq!(level_at(Level::L5, Lambda::default(), u64::MAX), Level::L0);
    }

    #[test]
    fn age_four_passes_its_step_by_a_hair() {
        let weight = weight(Lambda::default(), 4);
        assert!(weight > 0.3 && weight < 0.3013, "{weight}");
        assert_eq!(levels_dropped(weight), 2);
    }

    #[test]
    fn a_step_itself_counts_as_below() {
        for (dropped, step) in STEPS.iter().enumerate() {
            assert_eq!(levels_dropped(*step), dropped + 1);
            assert_eq!(levels_dropped(step + 1e-12), dropped);
        }
        assert_eq!(levels_dropped(0.0), 5);
    }

    #[test]
    fn lambda_zero_never_decays() {
        for age in [0, 1, 9, 1_000_000, u64::MAX] {
            assert_eq!(weight(Lambda::NEVER, age).to_bits(), 1.0_f64.to_bits());
            assert_eq!(level_at(Level::L3, Lambda::NEVER, age), Level::L3);
        }
    }

    #[test]
    fn only_ready_blocks_after_the_anchor_make_it_older() {
        assert_eq!(age_after(3, [1, 2, 3]), 0);
        assert_eq!(age_after(3, [1, 4, 6]), 2);
        assert_eq!(age_after(0, []), 0);
    }

    #[test]
    fn an_expanded_block_decays_again_from_where_it_was_expanded() {
        let lambda = Lambda::default();
        let born = Anchor::at_birth(1);
        let ready = |newest: u64| 1..=newest;
        let age = age_after(born.seq, ready(10));
        assert_eq!(born.level_at(lambda, age), Level::L0);

        let wider = born.expanded(lambda, age, Expansion::To(Level::L5), 10);
        assert_eq!(wider, Anchor { level: Level::L5, seq: 10 });
        assert_eq!(wider.level_at(lambda, age_after(wider.seq, ready(10))), Level::L5);
        // Four Blocks later it follows the decay, it does not stick at what was asked for.
        assert_eq!(wider.level_at(lambda, age_after(wider.seq, ready(14))), Level::L3);

        let by_one = born.expanded(lambda, age, Expansion::Next, 10);
        assert_eq!(by_one, Anchor { level: Level::L1, seq: 10 });
        assert_eq!(by_one.level_at(lambda, age_after(by_one.seq, ready(12))), Level::L0);
    }

    #[test]
    fn a_target_below_the_present_level_changes_nothing() {
        let lambda = Lambda::default();
        let anchor = Anchor::at_birth(7);
        assert_eq!(anchor.expanded(lambda, 3, Expansion::To(Level::L1), 10), anchor);
    }
}
