//! The JSON of a report, written straight from the compact table.

mod write;

use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

use crate::{Case, Cases, Format, Lines, Report};

/// The value of `schema` in a report.
const REPORT_SCHEMA: &str = "redgreen/report/1";

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_struct("Report", 8 + usize::from(self.session_lines.is_some()))?;
        map.serialize_field("schema", REPORT_SCHEMA)?;
        map.serialize_field("format", &self.format)?;
        map.serialize_field("runner", &self.runner)?;
        map.serialize_field("completeness", &self.completeness)?;
        map.serialize_field("totals", &self.totals)?;
        map.serialize_field("cases", &self.cases)?;
        map.serialize_field("problems", &self.problems)?;
        map.serialize_field("notes", &self.notes)?;
        if let Some(lines) = &self.session_lines {
            map.serialize_field("session_lines", lines)?;
        }
        map.end()
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.word())
    }
}

impl Serialize for Lines {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        [self.first, self.last].serialize(to)
    }
}

impl Serialize for Cases {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.len()))?;
        for case in self.iter() {
            list.serialize_element(&case)?;
        }
        list.end()
    }
}

impl Serialize for Case<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_struct("Case", 8)?;
        map.serialize_field("id", self.id())?;
        map.serialize_field("suite", self.suite())?;
        map.serialize_field("name", self.name())?;
        map.serialize_field("status", &self.status())?;
        map.serialize_field("failures", self.failures())?;
        map.serialize_field("reason", &self.reason())?;
        map.serialize_field("duration_seconds", &self.duration_seconds())?;
        map.serialize_field("lines", &self.lines())?;
        map.end()
    }
}
