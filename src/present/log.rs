//! The records for a person, a line each.

use super::text::safe;
use super::theme::{BAD, FAINT, GOOD, WORD, paint};
use crate::record::wire::LogLine;

/// The records in order.
#[must_use]
pub fn log(records: &[LogLine]) -> Vec<String> {
    let line = |record: &LogLine| {
        let name = record.record.trim_end_matches(".json");
        let verdict = if record.passed { paint(GOOD, "accepted") } else { paint(BAD, "rejected") };
        let when = paint(FAINT, &record.at.to_string());
        format!("{}  {verdict}  task {}  {when}", paint(WORD, &safe(name)), record.task)
    };
    records.iter().map(line).collect()
}
