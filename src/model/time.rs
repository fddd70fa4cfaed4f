//! Instants, intervals and occurrences.
//!
//! Two axes that the compiler keeps apart: [`ValidTime`] (when something holds in the world) and
//! [`TxTime`] (when we came to know it). Every stored instant is UTC; the offset it came with is
//! kept beside it in a [`Stamp`].

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// A point of valid time: when something holds in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ValidTime(pub DateTime<Utc>);

/// A point of transaction time: when we came to know or stopped believing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TxTime(pub DateTime<Utc>);

/// How a message's time was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StampBasis {
    /// Date, time and offset were given.
    Given,
    /// Date and time were given; the namespace's zone supplied the offset.
    OffsetAssumed,
    /// No time was given; the time of capture stands in.
    Assumed,
}

/// An instant together with the civil offset it was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The instant, in UTC.
    pub utc: DateTime<Utc>,
    /// Seconds east of UTC that local calendar days are counted in.
    pub offset_seconds: i32,
    /// How the instant was found.
    pub basis: StampBasis,
}

impl Stamp {
    /// Wraps an instant that came with its offset.
    pub fn given(at: DateTime<FixedOffset>) -> Self {
        Self {
            utc: at.with_timezone(&Utc),
            offset_seconds: at.offset().local_minus_utc(),
            basis: StampBasis::Given,
        }
    }

    /// Returns the instant in its own offset.
    pub fn local(&self) -> DateTime<FixedOffset> {
        self.utc.with_timezone(&self.offset())
    }

    /// Returns the offset itself; an impossible one counts as UTC.
    pub fn offset(&self) -> FixedOffset {
        FixedOffset::east_opt(self.offset_seconds)
            .unwrap_or_else(|| FixedOffset::east_opt(0).expect("zero is a valid offset"))
    }

    /// Returns the local calendar day.
    pub fn local_day(&self) -> NaiveDate {
        self.local().date_naive()
    }
}

/// How exactly a time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the variants are the words of the contract")]
pub enum Precision {
    Instant,
    Day,
    Week,
    Month,
    Quarter,
    Season,
    Year,
    Range,
    Deadline,
    OpenEnd,
    Unknown,
}

impl Precision {
    /// All precisions with their contract words.
    pub const ALL: [(Self, &'static str); 11] = [
        (Self::Instant, "instant"),
        (Self::Day, "day"),
        (Self::Week, "week"),
        (Self::Month, "month"),
        (Self::Quarter, "quarter"),
        (Self::Season, "season"),
        (Self::Year, "year"),
        (Self::Range, "range"),
        (Self::Deadline, "deadline"),
        (Self::OpenEnd, "open_end"),
        (Self::Unknown, "unknown"),
    ];

    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(p, _)| *p == self).map_or("unknown", |(_, word)| word)
    }

    /// Finds a precision by its contract word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, w)| *w == word).map(|(p, _)| *p)
    }
}

/// What a time rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A date or time was written out.
    Explicit,
    /// A relative expression, resolved against the message's time.
    Relative,
    /// No time words: the mention itself stands in.
    Inferred,
    /// Not known.
    Unknown,
}

impl Basis {
    /// Returns the contract word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Relative => "relative",
            Self::Inferred => "inferred",
            Self::Unknown => "unknown",
        }
    }

    /// Finds a basis by its contract word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Explicit, Self::Relative, Self::Inferred, Self::Unknown]
            .into_iter()
            .find(|basis| basis.as_str() == word)
    }
}

/// When something happened, happens or is planned.
///
/// `from` and `to` are UTC instants, half-open; `local_from` and `local_to` are calendar dates in
/// the message's own offset, both inclusive. An open or unknown bound is `None`, never a far date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// Start, inclusive.
    pub from: Option<DateTime<Utc>>,
    /// End, exclusive.
    pub to: Option<DateTime<Utc>>,
    /// First local day.
    pub local_from: Option<NaiveDate>,
    /// Last local day.
    pub local_to: Option<NaiveDate>,
    /// How exactly the time is known.
    pub precision: Precision,
    /// The original wording, as it stands in the message.
    pub expression: Option<String>,
    /// What the time rests on.
    pub basis: Basis,
    /// Whether the wording itself says "about".
    pub approx: bool,
}

impl Occurrence {
    /// A time that is not known; the wording, if any, is kept.
    pub fn unknown(expression: Option<String>) -> Self {
        Self {
            from: None,
            to: None,
            local_from: None,
            local_to: None,
            precision: Precision::Unknown,
            expression,
            basis: Basis::Unknown,
            approx: false,
        }
    }
}

/// Writes an instant as RFC 3339 in UTC with `Z`, with fractions only where there are any.
pub fn to_rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// Reads a date-time with or without an offset, or a plain date (its first instant).
///
/// `default_offset` supplies the offset where none is written; the basis says which case it was.
///
/// # Errors
/// Says what was expected when the text is no date-time.
pub fn parse_instant(text: &str, default_offset: FixedOffset) -> Result<Stamp, String> {
    let text = text.trim();
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return in_range(Stamp::given(at), text);
    }
    let naive =
        ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"]
            .iter()
            .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
            .or_else(|| {
                NaiveDate::parse_from_str(text, "%Y-%m-%d")
                    .ok()
                    .and_then(|day| day.and_hms_opt(0, 0, 0))
            })
            .ok_or_else(|| {
                format!("{text:?} is not an RFC 3339 date-time such as 2026-05-06T09:30:00+08:00")
            })?;
    let local = naive
        .and_local_timezone(default_offset)
        .single()
        .ok_or_else(|| format!("{text:?} is out of range"))?;
    in_range(Stamp { basis: StampBasis::OffsetAssumed, ..Stamp::given(local) }, text)
}

/// Refuses what leaves the years that RFC 3339 and XSD can both write, once it is UTC.
fn in_range(stamp: Stamp, text: &str) -> Result<Stamp, String> {
    if (1..=9999).contains(&stamp.utc.year()) {
        Ok(stamp)
    } else {
        Err(format!("{text:?} is out of range: in UTC it is not in the years 0001 to 9999"))
    }
}
