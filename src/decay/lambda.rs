//! The speed of short-term decay.

use serde::{Deserialize, Serialize};

/// How fast Blocks decay, per ready Block of distance: a finite number, at least 0; 0 is never.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Lambda(f64);

/// A number that cannot be a speed of decay.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("lambda is {0}; it must be a finite number, 0 (never decays) or more")]
pub struct InvalidLambda(pub f64);

impl Lambda {
    /// No decay at all.
    pub const NEVER: Self = Self(0.0);

    /// Checks and wraps a number.
    ///
    /// # Errors
    /// Refuses negative numbers, infinities and NaN.
    ///
    /// # Examples
    /// ```
    /// use stratagate::decay::Lambda;
    ///
    /// assert!(Lambda::new(0.3).is_ok());
    /// assert!(Lambda::new(-0.1).is_err());
    /// ```
    pub fn new(value: f64) -> Result<Self, InvalidLambda> {
        if value.is_finite() && value >= 0.0 {
            // `-0.0` would otherwise be written back with its sign.
            Ok(Self(value.abs()))
        } else {
            Err(InvalidLambda(value))
        }
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Default for Lambda {
    fn default() -> Self {
        Self(0.30)
    }
}

impl TryFrom<f64> for Lambda {
    type Error = InvalidLambda;

    fn try_from(value: f64) -> Result<Self, InvalidLambda> {
        Self::new(value)
    }
}

impl From<Lambda> for f64 {
    fn from(lambda: Lambda) -> Self {
        lambda.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_numbers_from_zero_up_are_speeds() {
        for value in [0.0, -0.0, 0.3, 1e300] {
            assert!(Lambda::new(value).is_ok(), "{value}");
        }
        for value in [-0.3, -f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Lambda::new(value).is_err(), "{value}");
        }
        assert_eq!(
            InvalidLambda(-0.3).to_string(),
            "lambda is -0.3; it must be a finite number, 0 (never decays) or more"
        );
    }

    #[test]
    fn the_check_stands_on_the_stored_form_too() {
        assert_eq!(serde_json::to_string(&Lambda::default()).expect("a number"), "0.3");
        assert_eq!(serde_json::from_str::<Lambda>("0").expect("never"), Lambda::NEVER);
        assert!(serde_json::from_str::<Lambda>("-1").is_err());
    }
}
