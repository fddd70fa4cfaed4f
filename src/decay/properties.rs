//! What holds for any numbers at all.

use super::{
    Anchor, Expansion, Lambda, Standing, event_weight, floor, level_at, levels_dropped, weight,
};
use crate::model::{Criticality, Level};
use proptest::prelude::*;

fn level() -> impl Strategy<Value = Level> {
    proptest::sample::select(Level::ALL.to_vec())
}

fn lambda() -> impl Strategy<Value = Lambda> {
    prop_oneof![Just(0.0), 0.0..2.0, 0.0..f64::MAX]
        .prop_map(|value| Lambda::new(value).expect("the range starts at zero"))
}

fn criticality() -> impl Strategy<Value = Criticality> {
    proptest::sample::select(Criticality::ALL.to_vec())
}

fn expansion() -> impl Strategy<Value = Expansion> {
    prop_oneof![Just(Expansion::Next), level().prop_map(Expansion::To)]
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..40u64, any::<u64>()]
}

proptest! {
    #[test]
    fn short_term_weight_is_bounded_and_never_grows(
        lambda in lambda(),
        age in number(),
        further in number(),
    ) {
        let (now, later) = (weight(lambda, age), weight(lambda, age.saturating_add(further)));
        prop_assert!((0.0..=1.0).contains(&now) && later <= now, "{} then {}", now, later);
    }

    #[test]
    fn a_level_never_rises_with_age(
        anchor in level(),
        lambda in lambda(),
        age in number(),
        further in number(),
    ) {
        let later = level_at(anchor, lambda, age.saturating_add(further));
        prop_assert!(later <= level_at(anchor, lambda, age));
        prop_assert!(level_at(anchor, lambda, age) <= anchor);
    }

    /// A thread as it goes: Blocks become ready, now and then one is expanded.
    #[test]
    fn a_level_never_rises_without_an_expansion(
        lambda in lambda(),
        steps in proptest::collection::vec(proptest::option::weighted(0.2, expansion()), 0..40),
    ) {
        let mut anchor = Anchor::at_birth(1);
        let mut newest = 1;
        let mut shown = Level::L5;
        for step in steps {
            if let Some(to) = step {
                anchor = anchor.expanded(lambda, newest - anchor.seq, to, newest);
                let wider = anchor.level_at(lambda, newest - anchor.seq);
                prop_assert!(wider >= shown, "an expansion lowered {} to {}", shown, wider);
                shown = wider;
            } else {
                newest += 1;
                let later = anchor.level_at(lambda, newest - anchor.seq);
                prop_assert!(later <= shown, "{} rose to {} by itself", shown, later);
                shown = later;
            }
        }
    }

    #[test]
    fn event_weight_is_bounded_and_never_grows_with_turns(
        turns in number(),
        further in number(),
        adoptions in number(),
        criticality in criticality(),
        superseded in any::<bool>(),
        pinned in any::<bool>(),
        forgotten in any::<bool>(),
    ) {
        let standing = Standing { superseded, pinned, forgotten };
        let now = event_weight(turns, adoptions, criticality, standing);
        let later = event_weight(turns.saturating_add(further), adoptions, criticality, standing);
        prop_assert!((0.0..=1.0).contains(&now) && later <= now, "{} then {}", now, later);
    }

    #[test]
    fn adoptions_never_lower_the_weight(
        turns in number(),
        adoptions in number(),
        more in number(),
        criticality in criticality(),
    ) {
        let weight = |n| event_weight(turns, n, criticality, Standing::default());
        prop_assert!(weight(adoptions.saturating_add(more)) >= weight(adoptions));
        prop_assert!(weight(adoptions) >= floor(criticality));
    }

    #[test]
    fn standing_overrules_the_formula(
        turns in number(),
        adoptions in number(),
        criticality in criticality(),
        superseded in any::<bool>(),
        pinned in any::<bool>(),
    ) {
        let weight = |superseded, pinned, forgotten| {
            event_weight(turns, adoptions, criticality, Standing { superseded, pinned, forgotten })
        };
        prop_assert!(weight(superseded, pinned, true) <= 0.0);
        prop_assert!(weight(superseded, true, false) >= 1.0);
        prop_assert!(weight(true, false, false) <= 0.1);
    }
}

#[test]
fn the_guide_has_the_true_numbers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/views.md");
    let guide = std::fs::read_to_string(path).expect("the guide can be read");
    for age in 0..10 {
        let weight = weight(Lambda::default(), age);
        let more = if age == 9 { " and more" } else { "" };
        let dropped = levels_dropped(weight);
        let level = Level::L5.lowered(dropped);
        let row = format!("| {age}{more} | {weight:.4} | {dropped} | {level} |\n");
        assert!(guide.contains(&row), "the guide lacks {row:?}");
    }
    for turns in [0, 5, 10, 20, 40, 80] {
        let weights = [0, 1, 4, 16].map(|adoptions| {
            let weight = event_weight(turns, adoptions, Criticality::Routine, Standing::default());
            format!("{weight:.3}")
        });
        let row = format!("| {turns} | {} |\n", weights.join(" | "));
        assert!(guide.contains(&row), "the guide lacks {row:?}");
    }
}
