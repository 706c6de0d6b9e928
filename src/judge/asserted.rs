//! `no-assertions`: a test passed, and whoever counts its assertions counted none.

use std::collections::HashSet;

use redgreen_parsers::{Failure, Format, Kind, Note, NoteCode, Report};

use super::findings::Findings;
use super::inventory::masked;
use super::run::Expectations;
use super::witness::Heard;
use super::{Code, Problem};

/// The ids of the cases that failed in these reports on an assertion of those that the runner counts.
///
/// jest counts `expect` alone: a test that failed by Node's `assert` may pass with none.
#[must_use]
pub fn counted(reports: &[Report]) -> Vec<String> {
    let mut ids = Vec::new();
    for report in reports {
        let counts =
            |failure: &Failure| failure.kind == Kind::Assertion && is_counted(report.format, failure);
        let failed = report.cases.iter().filter(|case| case.failures().iter().any(counts));
        ids.extend(failed.map(|case| case.id().to_owned()));
    }
    ids
}

fn is_counted(format: Format, failure: &Failure) -> bool {
    let Some(rule) = format.grammar().witness.as_ref().and_then(|witness| witness.counted.as_ref()) else {
        return true;
    };
    failure.message.as_ref().is_some_and(|message| rule.pattern.is_match(message.trim_start().as_bytes()))
}

/// A note, and a reason to reject where an identity names the case and red saw it fail on an assertion that is counted:
/// the test asserts, and now nothing came of it.
pub(super) fn judge(
    heard: &[Heard<'_>],
    expected_cases: &HashSet<&str>,
    expected: &Expectations<'_>,
    found: &mut Findings,
) {
    let in_red: HashSet<_> = expected.counted_in_red.iter().map(|id| masked(id)).collect();
    let of = |note: &&Note| note.code == NoteCode::NoAssertions;
    for heard in heard {
        // What is heard in the console's place has no notes of its own.
        let reports = heard.reports.iter().chain(heard.witness);
        for note in reports.flat_map(|report| &report.notes).filter(of) {
            let id = note.message.split('`').nth(1).unwrap_or("");
            let say = || Problem::new(Code::NoAssertions, note.message.clone()).at(note.lines);
            if expected_cases.contains(id) && in_red.contains(&masked(id)) {
                found.reject(Code::NoAssertions, || {
                    let message = format!("{}; red saw it fail on one", note.message);
                    Problem::new(Code::NoAssertions, message).at(note.lines)
                });
            } else {
                found.note(Code::NoAssertions, say);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use redgreen_parsers::{Lines, NewCase, Status};

    use super::*;

    #[test]
    fn what_a_runner_counts() {
        let check = |format: &str, kind, message: &str, want: usize| {
            let mut report = Report::empty(Format::find(format).unwrap());
            let lines = Lines::one(1);
            let new = NewCase { id: "a.t", name_len: 1, status: Status::Failed, lines };
            let key = report.cases.push(new, |_| Vec::new());
            let said = Some(message.to_owned());
            report.cases.add_failure(
                key,
                Failure { kind, error: None, message: said, file: None, line: None, lines },
            );
            assert_eq!(counted(&[report]).len(), want, "{format} {message:?}");
        };
        check("jest", Kind::Assertion, "expect(received).toBe(expected)", 1);
        check("jest", Kind::Assertion, "assert.strictEqual(received, expected)", 0);
        check("jest", Kind::Exception, "expect(", 0);
        check("junit", Kind::Assertion, "1 is not 2", 1);
        check("junit", Kind::Exception, "1 is not 2", 0);
    }
}
