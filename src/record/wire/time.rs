//! Instants, as every document writes them.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant in UTC with milliseconds: `2026-01-02T03:04:05.678Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(jiff::Timestamp);

impl From<jiff::Timestamp> for Time {
    fn from(instant: jiff::Timestamp) -> Self {
        // Cut here and not when it is written, so that a time equals itself after it was read again.
        let milliseconds = jiff::Timestamp::from_millisecond(instant.as_millisecond());
        Self(milliseconds.unwrap_or(instant))
    }
}

impl From<Time> for jiff::Timestamp {
    fn from(time: Time) -> Self {
        time.0
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map(jiff::Timestamp::into).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Time {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_always_written() {
        for (nanoseconds, want) in
            [(0, "1970-01-01T00:00:00.000Z"), (1_678_999_999, "1970-01-01T00:00:01.678Z")]
        {
            let time = Time::from(jiff::Timestamp::from_nanosecond(nanoseconds).unwrap());
            assert_eq!(time.to_string(), want);
            assert_eq!(serde_json::from_value::<Time>(want.into()).unwrap(), time);
        }
    }
}
