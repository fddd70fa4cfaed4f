//! The only place that reads the wall clock.

use chrono::{DateTime, TimeZone, Utc};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Where "now" comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// The newest message time seen so far, in microseconds since 1970: demos and tests only,
    /// because it backdates what was known when.
    Messages(Arc<AtomicI64>),
    /// One instant, for tests.
    Fixed(DateTime<Utc>),
}

impl Clock {
    /// A clock that is driven by the newest message.
    pub fn messages() -> Self {
        Self::Messages(Arc::new(AtomicI64::new(0)))
    }

    /// Returns the present instant, to the microsecond.
    pub fn now(&self) -> DateTime<Utc> {
        let now = match self {
            Self::System => Utc::now(),
            // Before any message this clock stands at its beginning: the wall clock must never show
            // through, or everything after it would count as known only then.
            Self::Messages(newest) => {
                Utc.timestamp_micros(newest.load(Ordering::SeqCst)).single().unwrap_or_default()
            }
            Self::Fixed(at) => *at,
        };
        DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
    }

    /// Lets a clock that messages drive know of one.
    pub fn observe(&self, at: DateTime<Utc>) {
        if let Self::Messages(newest) = self {
            newest.fetch_max(at.timestamp_micros(), Ordering::SeqCst);
        }
    }

    /// Says whether messages drive the clock.
    pub fn is_driven_by_messages(&self) -> bool {
        matches!(self, Self::Messages(_))
    }
}
