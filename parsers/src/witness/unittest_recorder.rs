//! The lines of the recorder of unittest: one JSON object for each call that a result got.
//!
//! A run begins with `begin` and ends with `end`, which holds the runner's own counts. A test that was started and not
//! stopped, and a run without its end, were broken off.

use serde::Deserialize;

use crate::feed::Parser;
use crate::text::lossy;
use crate::{
    CaseKey, Completeness, Failure, Format, Kind, Line, Lines, NewCase, NoteCode, Options, Problem, Report,
    Status, Stream, Totals,
};

#[derive(Deserialize)]
#[serde(tag = "at", rename_all = "lowercase")]
enum Said {
    Unable {
        reason: String,
    },
    Begin,
    Start,
    Stop(Name),
    Result(Box<Told>),
    Problem {
        subject: String,
        #[serde(flatten)]
        why: Why,
    },
    End {
        counts: Counts,
    },
}

#[derive(Deserialize)]
struct Name {
    id: String,
    label: Option<String>,
}

#[derive(Deserialize)]
struct Told {
    #[serde(flatten)]
    name: Name,
    status: Status,
    reason: Option<String>,
    #[serde(flatten)]
    why: Why,
}

#[derive(Deserialize)]
struct Why {
    kind: Option<Kind>,
    error: Option<String>,
    message: Option<String>,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Deserialize)]
struct Counts {
    failed: u64,
    errored: u64,
    skipped: u64,
    xfailed: u64,
    xpassed: u64,
}

/// What was recorded so far.
pub(super) struct Recording {
    format: Format,
    assertion_errors: Vec<String>,
    unable: Option<String>,
    reports: Vec<Report>,
    /// The run that goes on.
    run: Option<Run>,
    broken: bool,
}

struct Run {
    report: Report,
    test: Option<Test>,
}

/// The test that goes on, or the results between tests.
#[derive(Default)]
struct Test {
    own: Option<CaseKey>,
    has_failed_part: bool,
}

impl Recording {
    pub(super) fn new(format: Format, options: &Options) -> Self {
        Self {
            format,
            assertion_errors: options.assertion_errors.clone(),
            unable: None,
            reports: Vec::new(),
            run: None,
            broken: false,
        }
    }

    /// Why nothing could be recorded.
    pub(super) fn unable(&mut self) -> Option<String> {
        self.unable.take()
    }

    fn said(&mut self, said: Said, number: u32) {
        match (said, &mut self.run) {
            (Said::Unable { reason }, _) => self.unable = Some(reason),
            (Said::Begin, run) => {
                let report = Report { completeness: Completeness::Truncated, ..Report::empty(self.format) };
                self.reports.extend(run.replace(Run { report, test: None }).map(|run| run.report));
            }
            (_, None) => self.broken = true,
            (Said::Start, Some(run)) => run.test = Some(Test::default()),
            (Said::Result(told), Some(run)) => run.result(*told, number, &self.assertion_errors),
            (Said::Problem { subject, why }, Some(run)) => run.report.problems.push(Problem {
                kind: why.kind.unwrap_or(Kind::Unknown),
                subject: Some(subject),
                error: why.error,
                message: why.message,
                lines: Lines::one(number),
            }),
            (Said::Stop(name), Some(run)) => run.stop(&name, number),
            (Said::End { counts }, Some(run)) => {
                let ended = run.test.is_none();
                run.report.totals = Totals {
                    passed: Some(run.report.cases.count(Status::Passed)),
                    failed: Some(counts.failed),
                    errored: Some(counts.errored),
                    skipped: Some(counts.skipped),
                    xfailed: Some(counts.xfailed),
                    xpassed: Some(counts.xpassed),
                    ..Totals::default()
                };
                if ended {
                    run.report.completeness = Completeness::Complete;
                }
                self.reports.extend(self.run.take().map(|run| run.report));
            }
        }
    }
}

impl Run {
    fn result(&mut self, told: Told, number: u32, assertion_errors: &[String]) {
        let Told { name, status, reason, why } = told;
        let mut between = Test::default();
        let test = self.test.as_mut().unwrap_or(&mut between);
        let cases = &mut self.report.cases;
        let key = match (&name.label, test.own) {
            (None, Some(own)) => {
                if cases.get(own).is_some_and(|case| weight(case.status()) < weight(status)) {
                    cases.set_status(own, status);
                }
                own
            }
            (label, _) => {
                let key = push(cases, &name, status, number);
                match label {
                    None => test.own = Some(key),
                    Some(_) => test.has_failed_part |= is_bad(status),
                }
                key
            }
        };
        if let Some(reason) = reason {
            cases.set_reason(key, reason);
        }
        if is_bad(status) {
            let kind = why.kind.unwrap_or(Kind::Unknown);
            let error = why.error.as_deref().unwrap_or("");
            let by_name = assertion_errors.iter().any(|class| {
                error
                    .strip_suffix(class.as_str())
                    .is_some_and(|module| module.is_empty() || module.ends_with('.'))
            });
            // `failureException` may be any class: what unittest calls a failure is one.
            let said_no = kind == Kind::Exception && (by_name || status == Status::Failed);
            let kind = if said_no { Kind::Assertion } else { kind };
            let (error, message, file, line) = (why.error, why.message, why.file, why.line);
            cases.add_failure(key, Failure { kind, error, message, file, line, lines: Lines::one(number) });
        }
    }

    /// A test without a result of its own failed when a part of it did.
    fn stop(&mut self, name: &Name, number: u32) {
        let test = self.test.take().unwrap_or_default();
        match test.own {
            None if test.has_failed_part => _ = push(&mut self.report.cases, name, Status::Failed, number),
            Some(own) if test.has_failed_part => {
                let cases = &mut self.report.cases;
                if cases.get(own).is_some_and(|case| !is_bad(case.status())) {
                    cases.set_status(own, Status::Failed);
                }
            }
            _ => {}
        }
    }
}

fn push(cases: &mut crate::Cases, name: &Name, status: Status, number: u32) -> CaseKey {
    let lines = Lines::one(number);
    let dotted = |path: &str| path.trim_end_matches('.').split('.').map(str::to_owned).collect();
    match &name.label {
        Some(label) => {
            let id = format!("{} {label}", name.id);
            let split = |test: &str| dotted(test.trim_end());
            cases.push(NewCase { id: &id, name_len: label.len(), status, lines }, split)
        }
        None => {
            let name_len = name.id.len() - name.id.rfind('.').map_or(0, |at| at + 1);
            cases.push(NewCase { id: &name.id, name_len, status, lines }, dotted)
        }
    }
}

/// Within one try the worst counts.
const fn weight(status: Status) -> u8 {
    match status {
        Status::Passed => 0,
        Status::Skipped | Status::Todo | Status::Xfailed => 1,
        Status::Xpassed => 2,
        Status::Failed => 3,
        Status::Errored => 4,
    }
}

const fn is_bad(status: Status) -> bool {
    matches!(status, Status::Failed | Status::Errored)
}

impl Parser for Recording {
    fn line(&mut self, line: Line<'_>, _: Stream) {
        match serde_json::from_slice(line.text) {
            Ok(said) if line.ended => self.said(said, line.number),
            Ok(_) => self.broken = true,
            Err(why) => {
                self.broken = true;
                if let Some(run) = &mut self.run {
                    let message = format!("a line can't be read: {why}: {}", lossy(line.text));
                    run.report.note(NoteCode::InputRepaired, message, Some(Lines::one(line.number)));
                }
            }
        }
    }

    fn end(&mut self) -> Vec<Report> {
        self.reports.extend(self.run.take().map(|run| run.report));
        if self.reports.is_empty() {
            self.reports.push(Report::empty(self.format));
        }
        if self.broken
            && let Some(last) = self.reports.last_mut()
        {
            last.completeness = Completeness::Truncated;
        }
        std::mem::take(&mut self.reports)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Account, account};
    use super::*;

    /// Reads lines, each an object without its braces.
    fn read(lines: &str) -> Account {
        let text: String = lines.trim().lines().map(|line| format!("{{{}}}\n", line.trim())).collect();
        read_raw(&text)
    }

    fn read_raw(text: &str) -> Account {
        let unittest = Format::find("unittest").unwrap();
        let witness = unittest.grammar().witness.as_ref().unwrap();
        let options = Options { assertion_errors: vec!["Odd".to_owned()], ..Options::default() };
        let done = account(unittest, witness, &options, "", |feed| {
            feed(text.as_bytes());
            Ok::<(), std::convert::Infallible>(())
        });
        match done {
            Ok(account) => account,
            Err(never) => match never {},
        }
    }

    /// The cases of a recording, as `id status kind…`.
    #[track_caller]
    fn check(lines: &str, completeness: Completeness, wanted: &[&str]) {
        let Account::Reports(reports) = read(lines) else { panic!("not read") };
        let of = |report: &Report| -> Vec<String> {
            let shown = |case: crate::Case<'_>| {
                let kinds: String = case.failures().iter().map(|it| format!(" {}", it.kind.word())).collect();
                format!("{} {}{kinds}", case.id(), case.status().word())
            };
            report.cases.iter().map(shown).collect()
        };
        assert_eq!(reports.iter().flat_map(of).collect::<Vec<_>>(), wanted);
        assert!(reports.iter().all(|report| report.completeness == completeness), "{reports:#?}");
    }

    const BEGIN: &str = r#""at": "begin""#;
    const START: &str = r#""at": "start", "id": "m.C.t""#;
    const STOP: &str = r#""at": "stop", "id": "m.C.t""#;
    const END: &str =
        r#""at": "end", "counts": {"failed":0,"errored":0,"skipped":0,"xfailed":0,"xpassed":0}"#;

    fn result(status: &str, more: &str) -> String {
        format!(r#""at": "result", "id": "m.C.t", "status": "{status}"{more}"#)
    }

    #[track_caller]
    fn check_results(results: &[String], wanted: &[&str]) {
        let lines = format!("{BEGIN}\n{START}\n{}\n{STOP}\n{END}", results.join("\n"));
        check(&lines, Completeness::Complete, wanted);
    }

    #[test]
    fn a_test_has_the_worst_of_its_results() {
        let assertion = r#", "kind": "assertion", "error": "AssertionError", "message": "no""#;
        let teardown = r#", "kind": "teardown", "error": "KeyError""#;
        check_results(&[result("passed", "")], &["m.C.t passed"]);
        check_results(&[result("failed", assertion)], &["m.C.t failed assertion"]);
        check_results(
            &[result("failed", assertion), result("errored", teardown)],
            &["m.C.t errored assertion teardown"],
        );
        check_results(
            &[result("failed", r#", "kind": "exception", "error": "E""#)],
            &["m.C.t failed assertion"],
        );
        check_results(
            &[result("errored", r#", "kind": "exception", "error": "E""#)],
            &["m.C.t errored exception"],
        );
        check_results(
            &[result("errored", r#", "kind": "exception", "error": "lib.Odd""#)],
            &["m.C.t errored assertion"],
        );
    }

    #[test]
    fn a_test_fails_with_a_part_of_it() {
        let part = result("failed", r#", "label": "(i=1)", "kind": "assertion""#);
        check_results(&[part], &["m.C.t (i=1) failed assertion", "m.C.t failed"]);
        let skipped = result("skipped", r#", "label": "(i=1)", "reason": "why""#);
        check_results(&[skipped, result("passed", "")], &["m.C.t (i=1) skipped", "m.C.t passed"]);
    }

    #[test]
    fn what_has_no_end_is_truncated() {
        let passed = result("passed", "");
        let truncated = Completeness::Truncated;
        check(&format!("{BEGIN}\n{START}"), truncated, &[]);
        check(&format!("{BEGIN}\n{START}\n{passed}\n{STOP}"), truncated, &["m.C.t passed"]);
        check(&format!("{BEGIN}\n{START}\n{passed}\n{END}"), truncated, &["m.C.t passed"]);
        let Account::Reports(two) = read(&format!("{BEGIN}\n{END}\n{BEGIN}")) else { panic!("not read") };
        let ends: Vec<_> = two.iter().map(|report| report.completeness).collect();
        assert_eq!(ends, [Completeness::Complete, truncated]);
        check("", Completeness::Empty, &[]);
    }

    #[test]
    fn what_is_no_recording_is_no_complete_one() {
        check(&format!("{BEGIN}\n{END}\n\"at\": \"nowhere\""), Completeness::Truncated, &[]);
        check(&format!("{BEGIN}\n{END}\n{STOP}"), Completeness::Truncated, &[]);
        let Account::Reports(cut) = read_raw(&format!("{{{BEGIN}}}\n{{{END}}}")) else { panic!("not read") };
        assert_eq!(cut[0].completeness, Completeness::Truncated);
    }

    #[test]
    fn a_recorder_that_cannot_says_why() {
        let unable = read(r#""at": "unable", "reason": "too old""#);
        assert_eq!(unable, Account::Unable("too old".to_owned()));
    }

    #[test]
    fn what_broke_outside_any_test_is_a_problem() {
        let problem =
            r#""at": "problem", "subject": "m.C", "kind": "setup", "error": "KeyError", "message": "1""#;
        let Account::Reports(reports) = read(&format!("{BEGIN}\n{problem}\n{END}")) else {
            panic!("not read")
        };
        assert_eq!(reports[0].problems.len(), 1);
        assert_eq!(reports[0].problems[0].kind, Kind::Setup);
    }
}
