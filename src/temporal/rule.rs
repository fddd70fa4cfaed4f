//! The words by which a change says which rule decided it.

use serde::{Deserialize, Serialize};

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $word:literal),+ $(,)?) => {
        /// The rule behind a change of a Slot. The words are stable: `why` shows them and the
        /// journal keeps them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Rule { $($(#[$doc])* $name),+ }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Returns the stable word.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// Finds a rule by its word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

rules! {
    /// Nothing was known of the Slot at that time.
    FirstValue = "first_value",
    /// A property of one value at a time got another one at a later instant.
    LaterValueOfFunctionalProperty = "later_value_of_functional_property",
    /// A property of many values got one more; the others are untouched.
    ValuesCoexist = "values_coexist",
    /// The same value was stated again: one more source, not one more fact.
    Repetition = "repetition",
    /// The value came back after it had ended.
    StatedAgainAfterEnd = "stated_again_after_end",
    /// The source says that the value stopped holding.
    EndStated = "end_stated",
    /// The source says that an earlier statement was wrong.
    Correction = "correction",
    /// Two values claim to begin at the same instant and nothing decides between them.
    EqualInstantsConflict = "equal_instants_conflict",
    /// A later statement decides the present, and with it what a conflict had left open.
    DecidedByLaterValue = "decided_by_later_value",
    /// The candidates of a conflict no longer stand against each other.
    ConflictFellAway = "conflict_fell_away",
    /// An earlier statement of the same value came to light, so the fact begins earlier.
    EarlierEvidence = "earlier_evidence",
    /// Other evidence moved the interval of a fact that rests on the same statement.
    IntervalRestated = "interval_restated",
    /// What ended the fact is now known to be another statement, or none.
    EndRestated = "end_restated",
    /// Only a plan.
    PlanStated = "plan_stated",
    /// A newer plan took the place of this one.
    PlanReplaced = "plan_replaced",
    /// What was planned is said to be so.
    PlanFulfilled = "plan_fulfilled",
    /// Something else came about instead of the plan.
    PlanOvertaken = "plan_overtaken",
    /// The plan was called off.
    PlanCancelled = "plan_cancelled",
    /// An operator decided.
    OperatorAct = "operator_act",
    /// The last source was forgotten or withdrawn.
    SourceWithdrawn = "source_withdrawn",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back_and_is_the_journals_word_too() {
        for rule in Rule::ALL {
            assert_eq!(Rule::parse(rule.as_str()), Some(*rule));
            let json = serde_json::to_string(rule).expect("a unit variant is a string");
            assert_eq!(json, format!("\"{}\"", rule.as_str()));
        }
        assert_eq!(Rule::parse("because"), None);
    }
}
