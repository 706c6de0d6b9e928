//! What jest writes for `--json --outputFile`, and vitest's reporter of that form: one object for the whole run.
//!
//! <https://jestjs.io/docs/configuration#testresultsprocessor-string> shows it. Paths are absolute. What a test threw is
//! the text of its stack, with colours where the console has them.

use serde::Deserialize;

use super::NOWHERE;
use crate::grammar::Witness;
use crate::note::no_assertions;
use crate::text::clean;
use crate::{
    Completeness, Failure, Format, Kind, NewCase, NoteCode, Options, Problem, Report, Status, Totals,
};

const SEPARATOR: &str = " › ";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    num_failed_tests: u64,
    num_passed_tests: u64,
    num_pending_tests: u64,
    #[serde(default)]
    num_todo_tests: u64,
    #[serde(default)]
    was_interrupted: bool,
    test_results: Vec<File>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: String,
    #[serde(default)]
    message: String,
    status: String,
    #[serde(default)]
    assertion_results: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    #[serde(default)]
    failure_messages: Option<Vec<String>>,
    /// Of `expect` alone.
    #[serde(default)]
    num_passing_asserts: Option<u64>,
}

/// Reads the object. `root` is the folder from which the console shows paths.
pub(super) fn read(
    bytes: &[u8],
    console: Format,
    witness: &Witness,
    options: &Options,
    root: &str,
) -> Vec<Report> {
    let mut report = Report::empty(console);
    let Ok(run) = serde_json::from_slice::<Run>(bytes) else {
        if !bytes.is_empty() {
            report.completeness = Completeness::Truncated;
        }
        return vec![report];
    };
    let interrupted = run.was_interrupted;
    report.completeness = if interrupted { Completeness::Truncated } else { Completeness::Complete };
    report.totals = Totals {
        passed: Some(run.num_passed_tests),
        failed: Some(run.num_failed_tests),
        skipped: Some(run.num_pending_tests),
        todo: Some(run.num_todo_tests),
        ..Totals::default()
    };
    // Older versions write 0 for every test.
    let tests = run.test_results.iter().flat_map(|file| &file.assertion_results);
    let counts = tests.into_iter().any(|test| test.num_passing_asserts > Some(0));
    for file in &run.test_results {
        let path = below(&file.name, root);
        if file.assertion_results.is_empty() && file.status == "failed" {
            let said = plain(&file.message);
            let kind = console.grammar().kind("", said.trim_start()).filter(|kind| *kind != Kind::Assertion);
            report.problems.push(Problem {
                kind: kind.unwrap_or(Kind::Exception),
                subject: Some(path.clone()),
                error: None,
                message: Some(said).filter(|said| !said.is_empty()),
                lines: NOWHERE,
            });
        }
        for test in &file.assertion_results {
            push(&mut report, &path, test, witness, options, counts);
        }
    }
    vec![report]
}

fn push(report: &mut Report, path: &str, test: &Test, witness: &Witness, options: &Options, counts: bool) {
    // A word that nobody knows is no pass.
    let status = witness.words.get(&test.status).copied().unwrap_or(Status::Skipped);
    let suite: Vec<String> =
        [path.to_owned()].into_iter().chain(test.ancestor_titles.iter().cloned()).collect();
    let id = format!("{}{SEPARATOR}{}", suite.join(SEPARATOR), test.title);
    let new = NewCase { id: &id, name_len: test.title.len(), status, lines: NOWHERE };
    let key = report.cases.push_with_suite(new, &suite);
    if counts && status == Status::Passed && test.num_passing_asserts == Some(0) {
        report.note(NoteCode::NoAssertions, no_assertions(&id), None);
    }
    if status != Status::Failed {
        return;
    }
    for text in test.failure_messages.iter().flatten() {
        let failure = failure(&plain(text), report.format, options);
        report.cases.add_failure(key, failure);
    }
}

fn failure(text: &str, format: Format, options: &Options) -> Failure {
    let text = text.trim_start();
    let head = text.lines().next().unwrap_or("");
    let class = head.split_once(": ").map(|(class, _)| class);
    let class = class.map(|class| class.split(" [").next().unwrap_or(class));
    let class = class.filter(|class| class.ends_with("Error") || class.ends_with("Exception"));
    // Matchers throw an `Error`, as anyone may.
    let message = text.strip_prefix("Error: ").unwrap_or(text);
    let class = class.filter(|class| *class != "Error");
    let kind = match class {
        Some(class) if format.grammar().is_assertion(class, &options.assertion_errors) => Kind::Assertion,
        Some(_) => format.grammar().kind("", text).unwrap_or(Kind::Exception),
        None => format.grammar().kind("", message).unwrap_or(Kind::Unknown),
    };
    let error = class.map(str::to_owned);
    let message = Some(message.to_owned());
    Failure { kind, error, message, file: None, line: None, lines: NOWHERE }
}

/// The text without escapes.
fn plain(text: &str) -> String {
    let mut scratch = Vec::new();
    let lines =
        text.lines().map(|line| String::from_utf8_lossy(clean(line.as_bytes(), &mut scratch)).into_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// The path from `root`, with `/`.
fn below(path: &str, root: &str) -> String {
    let rest = path.strip_prefix(root.trim_end_matches(['/', '\\'])).filter(|_| !root.is_empty());
    let rest = rest.and_then(|rest| rest.strip_prefix(['/', '\\'])).unwrap_or(path);
    rest.replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(json: &str) -> Report {
        let jest = Format::find("jest").unwrap();
        let witness = jest.grammar().witness.as_ref().unwrap();
        read(json.as_bytes(), jest, witness, &Options::default(), "/srv/app/").remove(0)
    }

    fn run(files: &str) -> String {
        format!(
            "{{\"numFailedTests\":1,\"numPassedTests\":2,\"numPendingTests\":0,\"success\":false,\
             \"testResults\":[{files}],\"wasInterrupted\":false}}"
        )
    }

    fn test(status: &str, message: &str) -> String {
        let messages = if message.is_empty() { String::new() } else { format!("\"{message}\"") };
        format!(
            "{{\"ancestorTitles\":[\"sum\"],\"title\":\"adds\",\"fullName\":\"sum adds\",\"status\":\"{status}\",\
             \"failureMessages\":[{messages}]}}"
        )
    }

    #[track_caller]
    fn check(test: &str, status: Status, kinds: &[Kind]) {
        let file = format!(
            "{{\"name\":\"/srv/app/src/a.test.js\",\"status\":\"passed\",\"assertionResults\":[{test}]}}"
        );
        let report = report(&run(&file));
        assert_eq!(report.completeness, Completeness::Complete);
        let case = report.cases.iter().next().unwrap();
        assert_eq!((case.id(), case.name()), ("src/a.test.js › sum › adds", "adds"));
        assert_eq!(case.status(), status);
        assert_eq!(case.failures().iter().map(|failure| failure.kind).collect::<Vec<_>>(), kinds);
    }

    #[test]
    fn words_are_those_of_the_grammar() {
        check(&test("passed", ""), Status::Passed, &[]);
        check(&test("pending", ""), Status::Skipped, &[]);
        check(&test("todo", ""), Status::Todo, &[]);
        check(&test("disabled", ""), Status::Skipped, &[]);
        check(&test("unheard-of", ""), Status::Skipped, &[]);
    }

    #[test]
    fn what_was_thrown_has_a_kind() {
        let failed = |message: &str, kind| check(&test("failed", message), Status::Failed, &[kind]);
        failed(
            "Error: expect(received).toBe(expected) // Object.is equality\\n\\nExpected: 3",
            Kind::Assertion,
        );
        failed("Error: \\u001b[2mexpect(\\u001b[22mreceived).toBe(1)", Kind::Assertion);
        failed("AssertionError [ERR_ASSERTION]: 1 == 2\\n    at x", Kind::Assertion);
        failed("TypeError: x is not a function\\n    at x", Kind::Exception);
        failed("Error: boom", Kind::Unknown);
    }

    #[test]
    fn a_test_without_an_assertion_is_noted_where_others_are_counted() {
        let notes = |counts: &[&str]| {
            let test = |count: &&str| test("passed", "").replacen('{', &format!("{{{count}"), 1);
            let tests = counts.iter().map(test).collect::<Vec<_>>().join(",");
            let file = format!(
                "{{\"name\":\"/srv/app/a.js\",\"status\":\"passed\",\"assertionResults\":[{tests}]}}"
            );
            report(&run(&file)).notes.iter().map(|note| note.message.clone()).collect::<Vec<_>>()
        };
        let (none, one) = ("\"numPassingAsserts\":0,", "\"numPassingAsserts\":1,");
        assert_eq!(notes(&[one, none]), ["`a.js › sum › adds` passed, and no assertion is counted in it"]);
        assert_eq!(notes(&[none, none]), [""; 0]);
        assert_eq!(notes(&[one, ""]), [""; 0]);
    }

    #[test]
    fn a_file_that_did_not_load_is_a_problem() {
        let file = "{\"name\":\"/srv/app/a.test.js\",\"status\":\"failed\",\"message\":\"  ● Test suite failed\",\
                    \"assertionResults\":[]}";
        let report = report(&run(file));
        assert_eq!(report.problems[0].subject.as_deref(), Some("a.test.js"));
    }

    #[test]
    fn what_is_cut_or_was_interrupted_is_truncated() {
        let whole = run("");
        assert_eq!(report(&whole[..whole.len() - 1]).completeness, Completeness::Truncated);
        assert_eq!(
            report(&whole.replace("Interrupted\":false", "Interrupted\":true")).completeness,
            Completeness::Truncated
        );
        assert_eq!(report("").completeness, Completeness::Empty);
    }
}
