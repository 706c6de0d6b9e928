//! Every recording of the corpus reads as its truth says.
//!
//! Truth comes from an independent channel of the same run, or from the person who made the output; never from our own
//! parser.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests say what went wrong by panicking"
)]

use std::fs;
use std::path::PathBuf;

use redgreen::judge::{self, Expectations, Reading, Run};
use redgreen::observe::facts::Ended;
use redgreen_parsers::{Format, Options, Report, parse};
use rstest::rstest;
use serde::Deserialize;

#[derive(Deserialize)]
struct Recording {
    exit_code: i32,
    truth: Truth,
}

#[derive(Deserialize)]
struct Truth {
    red: bool,
    green: bool,
    #[serde(default)]
    cases: Vec<Case>,
}

#[derive(Deserialize, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    id: String,
    status: String,
    kind: Option<String>,
}

#[rstest]
fn reads_as_its_truth_says(#[files("corpus/**/recording.toml")] path: PathBuf) {
    let recording: Recording = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let folder = path.parent().unwrap();
    let format = folder.ancestors().nth(2).unwrap().file_name().unwrap().to_str().unwrap();
    let format = Format::find(format).unwrap_or_else(|| panic!("{format} is no format"));
    let output = fs::read(folder.join("merged")).unwrap();

    let reports = parse(format, &output, &Options::default());
    let [report] = reports.as_slice() else { panic!("{} sessions", reports.len()) };
    let mut seen = seen(report);
    let mut truth = recording.truth.cases;
    seen.sort();
    truth.sort();
    assert_eq!(seen, truth);

    let readings = [Reading { format, reports }];
    let ended = Ended::Exit(recording.exit_code);
    let run = Run { ended: Some(&ended), readings: &readings, foreign: &[] };
    let expectations = Expectations {
        approved_skip_reason: Some("the truth is written with skips approved".to_owned()),
        ..Expectations::default()
    };
    let red = judge::red(&run, &expectations);
    assert_eq!(red.accepted(), recording.truth.red, "red: {:#?}", red.problems);
    let green = judge::green(&run, &expectations);
    assert_eq!(green.accepted(), recording.truth.green, "green: {:#?}", green.problems);
}

/// The cases, and the problems as truth lists them: by what broke, or `<run>`.
fn seen(report: &Report) -> Vec<Case> {
    let cases = report.cases.iter().map(|case| Case {
        id: case.id().to_owned(),
        status: case.status().word().to_owned(),
        kind: case.failures().first().map(|failure| failure.kind.word().to_owned()),
    });
    let problems = report.problems.iter().map(|problem| Case {
        id: problem.subject.clone().unwrap_or_else(|| "<run>".to_owned()),
        status: "errored".to_owned(),
        kind: Some(problem.kind.word().to_owned()),
    });
    cases.chain(problems).collect()
}
