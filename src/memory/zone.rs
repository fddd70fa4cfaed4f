//! The civil zone of a namespace, for messages that come without an offset.

use crate::model::{Stamp, StampBasis, parse_instant};
use chrono::{DateTime, FixedOffset, Offset, TimeZone, Utc};

/// An IANA zone or a fixed offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// A zone by its IANA name.
    Named(chrono_tz::Tz),
    /// A fixed offset.
    Fixed(FixedOffset),
}

impl Zone {
    /// Reads an IANA name such as `Asia/Shanghai`, or an offset such as `+08:00`.
    ///
    /// # Errors
    /// Says what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Ok(zone) = text.parse::<chrono_tz::Tz>() {
            return Ok(Self::Named(zone));
        }
        let probe = format!("2000-01-01T00:00:00{text}");
        DateTime::parse_from_rfc3339(&probe).map(|at| Self::Fixed(*at.offset())).map_err(|_| {
            format!("{text:?} is neither an IANA zone (Asia/Shanghai) nor an offset (+08:00)")
        })
    }

    /// Returns the offset in force at an instant.
    pub fn offset_at(self, at: DateTime<Utc>) -> FixedOffset {
        match self {
            Self::Fixed(offset) => offset,
            Self::Named(zone) => zone.offset_from_utc_datetime(&at.naive_utc()).fix(),
        }
    }

    /// Reads a message's time; the zone supplies a missing offset, and the basis says so.
    ///
    /// # Errors
    /// Says what was expected when the text is no date-time.
    pub fn stamp(self, text: &str) -> Result<Stamp, String> {
        let utc = FixedOffset::east_opt(0).expect("zero is a valid offset");
        let first = parse_instant(text, utc)?;
        if first.basis == StampBasis::Given {
            return Ok(first);
        }
        // The civil time was read as if in UTC; find the offset that this civil time has here.
        // In a gap or an overlap of summer time, the offset before it is taken.
        let civil = first.utc.naive_utc();
        let offset = match self {
            Self::Fixed(offset) => offset,
            Self::Named(zone) => zone
                .from_local_datetime(&civil)
                .earliest()
                .map_or_else(|| self.offset_at(first.utc), |at| at.offset().fix()),
        };
        parse_instant(text, offset)
    }

    /// Stands in for a message's missing time.
    pub fn assumed(self, now: DateTime<Utc>) -> Stamp {
        Stamp {
            utc: now,
            offset_seconds: self.offset_at(now).local_minus_utc(),
            basis: StampBasis::Assumed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_supplies_the_offset_of_that_day() {
        let zone = Zone::parse("America/New_York").expect("an IANA zone");
        let winter = zone.stamp("2026-01-10T10:00:00").expect("a civil time");
        let summer = zone.stamp("2026-07-10 10:00").expect("a civil time");
        assert_eq!((winter.offset_seconds, summer.offset_seconds), (-18_000, -14_400));
        assert_eq!(winter.basis, StampBasis::OffsetAssumed);
        let given = zone.stamp("2026-07-10T10:00:00Z").expect("an instant");
        assert_eq!((given.offset_seconds, given.basis), (0, StampBasis::Given));
    }

    #[test]
    fn offsets_are_zones_too() {
        assert_eq!(
            Zone::parse("+05:45").map(|zone| zone.offset_at(Utc::now()).local_minus_utc()),
            Ok(20_700)
        );
        assert!(Zone::parse("Mars/Olympus").is_err());
        assert!(Zone::parse("+08:00").expect("an offset").stamp("yesterday").is_err());
    }
}
