//! `dotnet test`, by recordings: a stand-in of that name prints one, and writes the report that was recorded with it.

use std::path::Path;

use super::projects::with_line;
use super::{Row, row};
use crate::support::Project;

/// A project whose `dotnet` plays what it is told, and whose check has these lines.
fn project(lines: &str) -> Project {
    let files = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "tests"
command = ["./dotnet", "test"]
parser = "dotnet"
>> tests/a.cs
>> dotnet
#!/bin/sh
for word; do case "$word" in "trx;LogFilePrefix="*) prefix="${word#trx;LogFilePrefix=}";; esac; done
if [ -f written.trx ] && [ -n "$prefix" ]; then cp written.trx "$prefix"_net10.0_20260102030405.trx; fi
cat printed
exit "$(cat code)"
"#;
    let project = Project::bare();
    project.files(&with_line(files, lines));
    project.run("chmod", ["+x", "dotnet"]);
    project.write(".gitignore", "printed\nwritten.trx\ncode\n");
    project.run("git", ["init", "-q", "-b", "main"]);
    project.commit("start");
    project
}

/// Has the stand-in play this recording, with the report that came with it, if one was kept.
fn play(project: &Project, recording: &str, code: i32) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/dotnet").join(recording);
    let console =
        ["stdout", "merged"].map(|name| from.join(name)).into_iter().find(|path| path.exists()).unwrap();
    std::fs::copy(console, project.at("printed")).unwrap();
    if std::fs::copy(from.join("artifacts/report.trx"), project.at("written.trx")).is_err() {
        _ = std::fs::remove_file(project.at("written.trx"));
    }
    project.write("code", &code.to_string());
}

/// Judges a row by a green of this recording.
#[track_caller]
fn green(row: &Row, lines: &str, recording: &str, code: i32) {
    let project = project(&format!("phases = [\"green\"]\n{lines}"));
    project.json("begin").exits(0);
    play(&project, recording, code);
    row.judges(&project);
}

/// The recordings below were made without a report.
const NO_WITNESS: &str = "witness = \"off\"";

#[test]
fn skip_attribute() {
    green(row("skip_attribute"), NO_WITNESS, "xunit-2.9.3/windmill-skips--normal", 0);
}

#[test]
fn skips_with_a_reason() {
    let lines = format!("{NO_WITNESS}\napproved_skip_reason = \"they need a device\"");
    green(row("skips_with_a_reason"), &lines, "xunit-2.9.3/windmill-skips--normal", 0);
}

#[test]
fn filter_that_matches_nothing() {
    for recording in [
        "xunit-2.9.3/filter-matches-nothing--f-none",
        "mstest-4.5.3/filter-category-nothing--f-none-detailed",
    ] {
        green(row("filter_that_matches_nothing"), NO_WITNESS, recording, 0);
    }
}

#[test]
fn filter_that_matches_something() {
    green(
        row("filter_that_matches_something"),
        NO_WITNESS,
        "xunit-4.0.2-mtp/hopper-filter-v3--filter-class",
        0,
    );
}

#[test]
fn environment_exit() {
    // The exit code of the host is 0; the runner's is not, and would not have to be.
    for code in [0, 1] {
        green(row("environment_exit"), NO_WITNESS, "xunit-2.9.3/exit-zero-from-test--bare", code);
    }
}

#[test]
fn assembly_that_passes() {
    green(row("assembly_that_passes"), NO_WITNESS, "xunit-2.9.3/tideline-green", 0);
}

#[test]
fn project_without_tests() {
    green(row("project_without_tests"), NO_WITNESS, "xunit-2.9.3/not-a-test-project", 0);
}

#[test]
fn warnings_of_the_compiler() {
    green(row("warnings_of_the_compiler"), NO_WITNESS, "xunit-2.9.3/tide-warnings-only-green", 0);
}

#[test]
fn assembly_of_before() {
    let project = project("identities = [\"ShelfTests.Only_one_sort\"]");
    play(&project, "xunit-2.4.1/larder-asserts--trx-kept", 1);
    project.json("begin").exits(0);
    project.json("red").exits(0);
    // What was built before the tests were written: they are not in it.
    play(&project, "xunit-2.4.1/tideline-green--trx-kept", 0);
    row("assembly_of_before").judges(&project);
}

#[test]
fn assembly_of_now() {
    green(row("assembly_of_now"), NO_WITNESS, "nunit-5.0.0/abacus-green-nunit--release", 0);
}

#[test]
fn one_assembly_green_another_red() {
    for code in [0, 1] {
        green(
            row("one_assembly_green_another_red"),
            NO_WITNESS,
            "xunit-2.9.3/one-green-one-red--tl-on",
            code,
        );
    }
}

#[test]
fn console_without_its_report() {
    green(row("console_without_its_report"), "", "xunit-2.9.3/tideline-green", 0);
}

#[test]
fn report_of_another_run() {
    let project = project("phases = [\"green\"]");
    project.json("begin").exits(0);
    play(&project, "xunit-2.4.1/larder-asserts--trx-kept", 0);
    let printed =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/dotnet/xunit-2.4.1/tideline-green/stdout");
    std::fs::copy(printed, project.at("printed")).unwrap();
    row("report_of_another_run").judges(&project);
}

#[test]
fn console_with_its_report() {
    green(row("console_with_its_report"), "", "xunit-2.4.1/tideline-green--trx-kept", 0);
}
