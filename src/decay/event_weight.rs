//! The long-term weight of an Event.

use crate::model::Criticality;

/// The decay per turn of an Event that was never adopted.
const DECAY_PER_TURN: f64 = 0.15;

/// How strongly adoptions slow the decay.
const ADOPTION_GAIN: f64 = 1.5;

/// The most a superseded Event weighs.
pub const SUPERSEDED_CAP: f64 = 0.1;

/// What has been decided about an Event beside what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// A newer Event took its place.
    pub superseded: bool,
    /// Someone pinned it.
    pub pinned: bool,
    /// Someone had it forgotten.
    pub forgotten: bool,
}

/// Returns the least that an Event of this criticality weighs while it stands.
pub fn floor(criticality: Criticality) -> f64 {
    match criticality {
        Criticality::Routine => 0.0,
        Criticality::Preference => 0.3,
        Criticality::Identity => 0.9,
        Criticality::Safety => 1.0,
    }
}

/// Returns the weight of an Event, from 0 to 1.
///
/// `turns_since_anchor` counts the namespace's turns since the Event was formed or last adopted;
/// days play no part. A forgotten Event weighs nothing, else a pinned one weighs 1, else a
/// superseded one at most [`SUPERSEDED_CAP`].
///
/// # Examples
/// ```
/// use stratagate::decay::{Standing, event_weight};
/// use stratagate::model::Criticality;
///
/// let weight = |turns, adoptions| {
///     event_weight(turns, adoptions, Criticality::Routine, Standing::default())
/// };
/// assert_eq!(weight(0, 0), 1.0);
/// assert!(weight(20, 3) > weight(20, 0));
/// ```
pub fn event_weight(
    turns_since_anchor: u64,
    adoptions: u64,
    criticality: Criticality,
    standing: Standing,
) -> f64 {
    if standing.forgotten {
        return 0.0;
    }
    if standing.pinned {
        return 1.0;
    }
    let uses = 1.0 + adoptions as f64;
    let resistance = 1.0 + ADOPTION_GAIN * uses.ln();
    let decayed = (-(turns_since_anchor as f64) * DECAY_PER_TURN / resistance).exp();
    let weight = decayed.max(floor(criticality));
    if standing.superseded { weight.min(SUPERSEDED_CAP) } else { weight }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(turns: u64, adoptions: u64, criticality: Criticality, expected: f64) {
        let weight = event_weight(turns, adoptions, criticality, Standing::default());
        assert!((weight - expected).abs() < 1e-9, "{weight} instead of {expected}");
    }

    #[test]
    fn the_formula_at_points_worked_out_by_hand() {
        check(0, 0, Criticality::Routine, 1.0);
        // exp(-0.15 * 10) = exp(-1.5)
        check(10, 0, Criticality::Routine, 0.223_130_160_148_429_8);
        // n = 2: exp(-1.5 / (1 + 1.5 ln 2)) = exp(-0.735_355_38…)
        check(10, 1, Criticality::Routine, (-1.5 / 2.039_720_770_839_917_7_f64).exp());
        check(600, 0, Criticality::Routine, (-90.0_f64).exp());
    }

    #[test]
    fn each_criticality_has_its_floor() {
        check(10_000, 0, Criticality::Routine, 0.0);
        check(10_000, 0, Criticality::Preference, 0.3);
        check(10_000, 0, Criticality::Identity, 0.9);
        check(10_000, 0, Criticality::Safety, 1.0);
    }

    #[test]
    fn forgotten_beats_pinned_beats_superseded_beats_the_floor() {
        let weight = |superseded, pinned, forgotten| {
            let standing = Standing { superseded, pinned, forgotten };
            event_weight(50, 2, Criticality::Safety, standing)
        };
        for (superseded, pinned) in [(false, false), (true, false), (false, true), (true, true)] {
            assert!(weight(superseded, pinned, true) <= 0.0);
        }
        assert!(weight(false, true, false) >= 1.0);
        assert!(weight(true, true, false) >= 1.0);
        assert!((weight(true, false, false) - SUPERSEDED_CAP).abs() < 1e-12);
    }

    #[test]
    fn a_restored_superseded_event_keeps_its_cap() {
        let standing = Standing { superseded: true, ..Standing::default() };
        assert!(event_weight(0, 0, Criticality::Routine, standing) <= SUPERSEDED_CAP);
    }
}
