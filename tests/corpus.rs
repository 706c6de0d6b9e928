//! Every recording of the corpus reads as its truth says, and as the reviewed report beside it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests say what went wrong by panicking"
)]

#[allow(dead_code, reason = "the score uses more of it")]
#[path = "support/recording.rs"]
mod recording;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use recording::Recorded;
use redgreen_parsers::Report;
use rstest::rstest;

/// Truth first: what disagrees with it never gets as far as a snapshot.
#[rstest]
fn reads_as_its_truth_says(#[files("corpus/**/recording.toml")] path: PathBuf) {
    let folder = path.parent().unwrap();
    let recorded = Recorded::load(folder).unwrap();
    let reports = recorded.read();
    let wrong: Vec<String> = recorded.disagreements(&reports).iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{}:\n  {}", folder.display(), wrong.join("\n  "));
    compare_with_snapshot(folder, &shown(&reports));
}

#[test]
fn every_output_has_a_recording() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    assert!(recording::folders(&corpus).unwrap().len() >= 8);
}

fn compare_with_snapshot(folder: &Path, report: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    // Neither a path nor a line of this file belongs into a thousand snapshots.
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("report", report));
}

/// JSON with a line for each entry, so that a change is seen where it is.
fn shown(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        let value = serde_json::to_value(report).unwrap();
        for (key, value) in value.as_object().unwrap() {
            match value.as_array().filter(|_| key != "session_lines") {
                Some(entries) => {
                    for entry in entries {
                        writeln!(text, "{key} {entry}").unwrap();
                    }
                }
                None => writeln!(text, "{key} {value}").unwrap(),
            }
        }
    }
    text
}
