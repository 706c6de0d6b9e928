//! What the channels of TAP producers told of a run: node's second reporter, and `TAP::Parser`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::recording::TrueCase;
use super::told::{Told, case, lines, problem};
use crate::shell::Done;

/// The second reporter of `node --test`.
pub(super) const NODE_PROBE: (&str, &str) = ("redgreen_truth.mjs", include_str!("probes/node_truth.mjs"));
/// The reader of Perl's output.
const PERL_PROBE: &str = include_str!("probes/tap_truth.pl");

#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
enum NodeSaid {
    Plan,
    Test(NodeTest),
    End,
}

#[derive(Debug, Deserialize)]
struct NodeTest {
    name: String,
    ok: bool,
    skip: bool,
    todo: bool,
    failure: Option<String>,
    code: Option<serde_json::Value>,
    error: String,
    message: String,
    stack: String,
    children: Vec<NodeTest>,
}

/// Reads what the second reporter wrote. `files` are the project's own: a test of such a name is the file itself.
pub(super) fn node(text: &str, files: &[String]) -> Done<Told> {
    let mut told =
        Told { source: "a second reporter of the same run", completeness: "truncated", ..Told::default() };
    for said in lines(text)? {
        match said {
            NodeSaid::Plan => {}
            NodeSaid::Test(test) => node_test(&test, "", files, &mut told),
            NodeSaid::End => told.completeness = "complete",
        }
    }
    if told.completeness == "complete" && told.cases.is_empty() && told.problems.is_empty() {
        told.problems.push(problem("collection", None));
    }
    Ok(told)
}

/// The numbers that producers put behind their results, as `# pass 3`; each line of its own, the last of a word counts.
pub(super) fn claimed(console: &str) -> BTreeMap<String, u64> {
    let (mut said, mut totals) = (BTreeMap::new(), BTreeMap::new());
    for line in console.lines() {
        let Some((word, count)) = line.strip_prefix("# ").and_then(|rest| rest.trim_end().rsplit_once(' '))
        else {
            continue;
        };
        if let Ok(count) = count.parse::<u64>() {
            said.insert(word.trim_end(), count);
        }
    }
    let words = [
        ("pass", "passed"),
        ("fail", "failed"),
        ("cancelled", "failed"),
        ("skip", "skipped"),
        ("skipped", "skipped"),
        ("todo", "todo"),
    ];
    for (theirs, ours) in words {
        *totals.entry(ours.to_owned()).or_default() += said.get(theirs).copied().unwrap_or(0);
    }
    totals.retain(|_, count| *count > 0);
    totals
}

/// What of pytest's own truth `pytest-tap` can print: it has one word for expected failures and unexpected passes, and
/// what failed while tests were gathered is not said at all.
pub(super) fn of_pytest(mut told: Told) -> Told {
    for case in &mut told.cases {
        // Behind the file it has dots.
        if let Some((file, name)) = case.id.split_once("::") {
            case.id = format!("{file}::{}", name.replace("::", "."));
        }
        match case.status.as_str() {
            "xfailed" | "xpassed" => "todo".clone_into(&mut case.status),
            "errored" => "failed".clone_into(&mut case.status),
            _ => {}
        }
        // No hook is named, only what was raised.
        for kind in &mut case.kinds {
            if kind == "setup" {
                "exception".clone_into(kind);
            }
        }
    }
    told
}

fn node_test(test: &NodeTest, above: &str, files: &[String], told: &mut Told) {
    // Blanks at the end of a line are no part of a description.
    let name = test.name.trim_end();
    let id = if above.is_empty() { name.to_owned() } else { format!("{above} > {name}") };
    let is_file = files.iter().any(|file| !file.is_empty() && test.name.ends_with(file.as_str()));
    let at = told.cases.len();
    for child in &test.children {
        node_test(child, &id, files, told);
    }
    let failed = !test.ok && !test.todo;
    let kinds = if failed { node_kinds(test) } else { Vec::new() };
    if is_file && test.children.is_empty() {
        if failed {
            told.problems.push(problem(kinds.first().map_or("unknown", String::as_str), None));
        }
        return;
    }
    let status = match (test.skip, test.todo, test.ok) {
        (true, _, _) => "skipped",
        (_, true, _) => "todo",
        (_, _, true) => "passed",
        (_, _, false) => "failed",
    };
    told.cases.insert(at, case(&id, status, kinds));
}

fn node_kinds(test: &NodeTest) -> Vec<String> {
    let failure = test.failure.as_deref().unwrap_or("");
    let code = test.code.as_ref().and_then(|code| code.as_str()).unwrap_or("");
    let kind = match failure {
        "subtestsFailed" => return Vec::new(),
        "testTimeoutFailure" => "timeout",
        // It never ran: something above it failed.
        "cancelledByParent" => "unknown",
        _ if code == "ERR_ASSERTION" || test.error == "AssertionError" => "assertion",
        _ if code == "ERR_MODULE_NOT_FOUND" || code == "MODULE_NOT_FOUND" => "import",
        _ if test.error == "SyntaxError" && test.message.contains("does not provide an export") => "import",
        _ if test.error == "SyntaxError" => "syntax",
        "hookFailed" if test.stack.contains("after") => "teardown",
        "hookFailed" => "setup",
        _ => "exception",
    };
    vec![kind.to_owned()]
}

#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
enum PerlSaid {
    Test(Point),
    End { good_plan: bool, bail: bool, planned: Option<u64> },
}

#[derive(Debug, Deserialize)]
struct Point {
    name: String,
    number: u64,
    ok: bool,
    directive: String,
    children: Vec<Point>,
}

/// Reads TAP with `TAP::Parser`. A failed point of Test::More is an assertion.
pub(super) fn perl(tap: &[u8], scratch: &Path) -> Done<Told> {
    let probe = scratch.join("tap_truth.pl");
    std::fs::write(&probe, PERL_PROBE)?;
    let mut child = Command::new("perl").arg(&probe).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(tap)?;
    }
    let output = child.wait_with_output()?;
    let mut told =
        Told { source: "TAP::Parser on the same output", completeness: "truncated", ..Told::default() };
    for said in lines(std::str::from_utf8(&output.stdout)?)? {
        match said {
            PerlSaid::Test(point) => perl_point(&point, "", &mut told.cases),
            PerlSaid::End { good_plan, bail, planned } => {
                told.completeness = if bail || planned.is_none() { "truncated" } else { "complete" };
                if planned == Some(0) {
                    told.problems.push(problem("collection", None));
                }
                told.plan_mismatch = !good_plan && !bail;
                if bail {
                    told.problems.push(problem("interrupted", None));
                }
            }
        }
    }
    Ok(told)
}

fn perl_point(point: &Point, above: &str, cases: &mut Vec<TrueCase>) {
    let name = if point.name.is_empty() { format!("#{}", point.number) } else { unescaped(&point.name) };
    let id = if above.is_empty() { name } else { format!("{above} > {name}") };
    let at = cases.len();
    for child in &point.children {
        perl_point(child, &id, cases);
    }
    let failed_below = cases[at..].iter().any(|case| case.status == "failed");
    let status = match (point.directive.as_str(), point.ok) {
        ("skip", _) => "skipped",
        ("todo", _) => "todo",
        (_, true) => "passed",
        (_, false) => "failed",
    };
    let kinds = if status == "failed" && !failed_below { vec!["assertion".to_owned()] } else { Vec::new() };
    cases.insert(at, case(&id, status, kinds));
}

/// `TAP::Parser` leaves escapes as they are.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match (next, rest.peek()) {
            ('\\', Some('\\' | '#')) => plain.extend(rest.next()),
            _ => plain.push(next),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_what_follows() {
        assert_eq!(unescaped(r"a \# b \\ c \d"), r"a # b \ c \d");
    }

    #[test]
    fn claims_are_lines_of_their_own() {
        let claimed = claimed("# tests 3\n# pass  2\n# fail 1\n# todo 0\nsays # pass 9\n");
        assert_eq!(
            claimed.into_iter().collect::<Vec<_>>(),
            [("failed".to_owned(), 1), ("passed".to_owned(), 2)]
        );
    }

    #[test]
    fn a_file_that_is_listed_among_its_tests_is_no_test() {
        let one = |name: &str, ok: bool| {
            format!(
                "{{\"what\":\"test\",\"name\":\"{name}\",\"ok\":{ok},\"skip\":false,\"todo\":false,\"type\":\"test\",\
                 \"failure\":null,\"code\":null,\"error\":\"Error\",\"message\":\"\",\"stack\":\"\",\"children\":[]}}\n"
            )
        };
        let files = ["a.test.mjs".to_owned()];
        let kinds = |text: &str| -> Vec<String> {
            let told = node(&(text.to_owned() + "{\"what\":\"end\"}\n"), &files).unwrap();
            assert!(told.cases.is_empty());
            told.problems.into_iter().map(|problem| problem.kind).collect()
        };
        assert_eq!(kinds(&one("/x/a.test.mjs", true)), ["collection"]);
        assert_eq!(kinds(&one("a.test.mjs", false)), ["exception"]);
    }
}
