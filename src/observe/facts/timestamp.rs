//! Moments, as records write them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment. Shown and stored by RFC 3339 in UTC with milliseconds: `2026-01-02T03:04:05.678Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    // Kept no finer than it is shown, so that a moment read back equals the one written.
    pub(in crate::observe) fn to_the_millisecond(moment: jiff::Timestamp) -> Self {
        Self(jiff::Timestamp::from_millisecond(moment.as_millisecond()).unwrap_or(moment))
    }

    /// Seconds since the start of 1970. `None`: beyond what a calendar holds.
    #[must_use]
    pub fn of_seconds(seconds: f64) -> Option<Self> {
        let duration = jiff::SignedDuration::try_from_secs_f64(seconds).ok()?;
        jiff::Timestamp::from_duration(duration).ok().map(Self::to_the_millisecond)
    }

    /// Milliseconds since the start of 1970.
    #[must_use]
    pub fn milliseconds(self) -> i64 {
        self.0.as_millisecond()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        text.parse().map(Self::to_the_millisecond)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let check = |text: &str, shown: &str| {
            let moment: Timestamp = text.parse().unwrap();
            assert_eq!(moment.to_string(), shown);
            let json = serde_json::to_string(&moment).unwrap();
            assert_eq!(json, format!("\"{shown}\""));
            assert_eq!(serde_json::from_str::<Timestamp>(&json).unwrap(), moment);
        };
        check("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z");
        check("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z");
        check("2026-01-02T04:04:05.6789+01:00", "2026-01-02T03:04:05.678Z");
    }
}
