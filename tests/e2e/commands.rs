//! The commands around the loop.

use std::io::Write;
use std::process::Stdio;

use crate::loops::{SHELL, UNITTEST};
use crate::support::{Project, Run, runners};

#[test]
fn init_writes_a_plan_that_works_at_once() {
    let Some(python) = runners::python() else { return };
    let project = Project::git(&UNITTEST.replace("PYTHON", &python));
    project.remove("verify.toml");
    project.verify("init --dry-run").exits(0).says("unittest");
    assert!(!project.at("verify.toml").exists());
    project.verify("init").exits(0);
    project.verify("init").exits(3).says("verify.toml");
    project.commit("plan");
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("app.py", "def add(a, b):\n    return a + b\n");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn init_finds_nothing_in_an_empty_folder() {
    Project::bare().verify("init").exits(3);
}

#[test]
fn parse_reads_a_pipe() {
    let project = Project::bare();
    let mut child = project
        .command(["parse", "-", "--as", "tap", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"1..1\nok 1 - adds\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["schema"], "redgreen/report/1");
    assert_eq!(report["cases"][0]["id"], "adds");
}

/// The log of a job that ran pytest and then a script, with the times of the CI system.
const JOB: &str = "\
2026-11-30T22:01:01.1234567Z ##[group]Run python3 -m pytest
2026-11-30T22:01:01.1234568Z ##[endgroup]
2026-11-30T22:01:02.1234567Z \x1b[1m============================= test session starts ==============================\x1b[0m
2026-11-30T22:01:02.1234567Z platform linux -- Python 3.11.7, pytest-8.3.5, pluggy-1.5.0
2026-11-30T22:01:02.1234567Z collected 1 item
2026-11-30T22:01:02.1234567Z 
2026-11-30T22:01:02.1234567Z test_a.py \x1b[32m.\x1b[0m                                                              [100%]
2026-11-30T22:01:02.1234567Z 
2026-11-30T22:01:02.1234567Z ============================== 1 passed in 0.01s ===============================
2026-11-30T22:01:03.1234567Z ##[group]Run ./smoke.t
2026-11-30T22:01:03.1234567Z 1..1
2026-11-30T22:01:03.1234567Z not ok 1 - pages match
2026-11-30T22:01:03.1234567Z ##[error]Process completed with exit code 1.
";

#[test]
fn parse_finds_each_run_in_the_log_of_a_job() {
    let project = Project::bare();
    project.write("job.log", JOB);
    let run = project.json("parse job.log").exits(0);
    let reports = run.value();
    assert_eq!(reports["schema"], "redgreen/reports/1");
    assert_eq!(
        (&reports["reports"][0]["format"], &reports["reports"][1]["format"]),
        (&"pytest".into(), &"tap".into())
    );
    assert_eq!(reports["reports"][1]["session_lines"], serde_json::json!([11, 12]));
    project.verify("parse job.log").exits(0).says("read as pytest: lines 3 to 9");
    project.verify("parse job.log --judge green --exit-code 0").exits(1).says("case-failed");
    project.verify("parse job.log --as pytest --judge green --exit-code 0").exits(0);
    project.verify("explain job.log").exits(0).says("pages match");
}

#[test]
fn parse_finds_the_format_and_says_why() {
    let project = Project::bare();
    project.write("tap.log", "TAP version 13\n1..1\nok 1 - adds\n");
    project.write("noise.log", "nothing of any runner\n");
    project.verify("parse tap.log").exits(0).says("tap");
    let run = project.json("parse tap.log").exits(0);
    assert_eq!(run.value()["format"], "tap");
    project.verify("parse noise.log").exits(3);
    project.verify("parse gone.log").exits(3).says("gone.log");
    project.verify("parse tap.log --as nonsense").exits(2);
}

#[test]
fn parse_of_many_files_prints_a_line_each_and_one_bad_file_stops_nothing() {
    let project = Project::bare();
    project.write("logs/a.log", "TAP version 13\n1..1\nok 1 - adds\n");
    project.write("logs/b.log", "nothing of any runner\n");
    project.write("logs/c.log", "TAP version 13\n1..1\nnot ok 1 - adds\n");
    let run = project.json("parse logs").exits(3);
    let lines: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0]["source"].as_str().unwrap().ends_with("a.log"));
    assert_eq!(lines[2]["cases"][0]["status"], "failed");
}

#[test]
fn a_file_that_is_named_and_not_there_is_told_among_others() {
    let project = Project::bare();
    project.write("a.log", "TAP version 13\n1..1\nok 1 - adds\n");
    let run = project.json("parse a.log gone.log a.log").exits(3);
    let lines: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{run:?}");
    assert_eq!((&lines[1]["source"], &lines[1]["code"]), (&"gone.log".into(), &"unreadable".into()));
    project.verify("parse a.log gone.log").exits(3).says("gone.log");
}

#[test]
fn a_pipe_in_a_folder_is_not_waited_for_and_an_empty_folder_is_no_success() {
    let project = Project::bare();
    project.write("logs/a.log", "TAP version 13\n1..1\nok 1 - adds\n");
    project.run("mkfifo", ["logs/pipe"]);
    let run = project.json("parse logs").exits(0).says("logs/pipe");
    assert_eq!(run.out.lines().count(), 1, "{run:?}");
    project.run("mkdir", ["empty"]);
    project.verify("parse empty").exits(3).says("empty");
}

#[test]
fn a_line_says_which_formats_fit_where_more_than_one_does() {
    let project = Project::bare();
    project.write("logs/a.log", "TAP version 13\n1..1\nok 1 - adds\n");
    let both = "TAP version 13\n1..1\nok 1 - adds\n<testsuite><testcase name='a'/></testsuite>\n";
    project.write("logs/b.log", both);
    let run = project.json("parse logs").exits(0);
    let lines: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0].get("candidates"), None);
    let words = |key: &str| -> Vec<_> {
        lines[1]["candidates"].as_array().unwrap().iter().map(|it| it[key].clone()).collect()
    };
    assert_eq!(words("format"), ["tap", "junit"]);
    assert_eq!(words("taken"), [true, true]);
    assert_eq!(words("reason")[0], "lines 1 to 3, its own end is there");
}

#[track_caller]
fn judged(output: &str, words: &str, code: i32, problem: Option<&str>) {
    let project = Project::bare();
    project.write("log", output);
    let run = project.json(&format!("parse log --as tap {words}")).exits(code);
    let value = run.value();
    assert_eq!(value["schema"], "redgreen/judgement/1");
    assert_eq!(value["verdict"]["accepted"], problem.is_none(), "{value:#}");
    if let Some(problem) = problem {
        let problems = value["verdict"]["problems"].as_array().unwrap();
        assert!(problems.iter().any(|found| found["code"] == problem), "{value:#}");
    }
}

#[test]
fn parse_judges() {
    let passes = "1..1\nok 1 - adds\n";
    let fails = "1..1\nnot ok 1 - adds\n  ---\n  operator: equal\n  expected: 3\n  ...\n";
    judged(passes, "--judge green --exit-code 0", 0, None);
    judged(passes, "--judge green", 1, Some("exit-unknown"));
    judged(passes, "--judge green --exit-code 1", 1, Some("exit-nonzero"));
    judged(passes, "--judge green --signal SIGKILL", 1, Some("ended-by-signal"));
    judged(passes, "--judge green --signal 9", 1, Some("ended-by-signal"));
    judged(fails, "--judge red --exit-code 1", 0, None);
    judged(fails, "--judge red --exit-code 1 --identity adds", 0, None);
    judged(fails, "--judge red --exit-code 1 --identity subtracts", 1, Some("identity-missing"));
    judged(fails, "--judge red --exit-code 0", 1, Some("exit-zero"));
    judged(passes, "--judge green --signal kill", 1, Some("ended-by-signal"));
    judged("", "--judge green --exit-code 0", 1, Some("report-empty"));
}

#[test]
fn parse_judges_what_ran_beside_the_format_that_was_named() {
    let project = Project::bare();
    let tap = "TAP version 13\n1..1\nok 1 - adds\n";
    let unittest = |end: &str| format!("{}\nRan 1 test in 0.001s\n\n{end}\n", "-".repeat(70));
    project.write("fails.log", &format!("{tap}{}", unittest("FAILED (failures=1)")));
    project.write("passes.log", &format!("{tap}{}", unittest("OK")));
    let judge = |words: &str| project.json(&format!("parse --as tap --judge {words}"));
    let codes = |run: &Run, list: &str| -> Vec<String> {
        let said = run.value()["verdict"][list].as_array().unwrap().clone();
        said.iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect()
    };
    let run = judge("green --exit-code 0 fails.log").exits(1);
    assert_eq!(codes(&run, "problems"), ["foreign-session"]);
    let run = judge("green --exit-code 0 passes.log").exits(0);
    assert_eq!(codes(&run, "notes"), ["foreign-session"]);
    let run = judge("red --exit-code 1 fails.log").exits(1);
    assert!(codes(&run, "notes").contains(&"foreign-session".to_owned()), "{run:?}");
}

#[test]
fn streams_apart_read_like_streams_together() {
    let project = Project::bare();
    project.write("out", "1..1\nok 1 - adds\n");
    project.write("err", "not ok 1 - forged\n");
    let run = project.json("parse --stdout out --stderr err --as tap").exits(0);
    let value = run.value();
    assert_eq!(value["cases"].as_array().unwrap().len(), 1, "{value:#}");
}

#[test]
fn explain_shows_the_lines_that_decided_and_the_page_of_a_code() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.verify("green").exits(1);
    project.verify("red").exits(0);
    project.verify("explain red-0001").exits(0).says("not ok 1 - greets by name");
    project.verify("explain import-failure").exits(0).says("import-failure");
    project.write("tap.log", "TAP version 13\n1..1\nnot ok 1 - adds\n");
    project.verify("explain tap.log").exits(0).says("not ok 1 - adds");
    project.verify("explain import-failur").exits(2).says("import-failure");
    let page = project.json("explain import-failure").exits(0).value();
    assert_eq!((&page["schema"], &page["code"]), (&"redgreen/code/1".into(), &"import-failure".into()));
    project.write("verify.toml", "no plan");
    project.verify("explain tap.log").exits(0).says("not ok 1 - adds");
}

#[test]
fn the_log_lists_the_records_in_order() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.verify("green").exits(1);
    let run = project.verify("log").exits(0);
    let (red, green) = (run.out.find("red-0001").unwrap(), run.out.find("green-0001").unwrap());
    assert!(red < green);
}

#[test]
fn fingerprints_are_printed_and_compared() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    let red = project.json("red").exits(0).value();
    let print = project.json("fingerprint").exits(0).value();
    assert_eq!(print["schema"], "redgreen/fingerprint/1");
    assert_eq!(print["fingerprint"], red["fingerprint"]);
    assert_eq!(project.verify("fingerprint").exits(0).out.trim(), red["fingerprint"].as_str().unwrap());
    project.verify("fingerprint --against red-0001").exits(0);
    project.write("greet.sh", "greet() { :; }\n");
    project.verify("fingerprint --against red-0001").exits(1).says("greet.sh");
}

#[test]
fn status_says_what_to_do_next() {
    let project = Project::git(SHELL);
    project.verify("status").exits(0).says("verify begin");
    project.verify("begin").exits(0);
    project.verify("status").exits(0).says("verify red");
    project.verify("red").exits(0);
    project.verify("status").exits(0).says("verify green");
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.verify("green").exits(0);
    let status = project.json("status").exits(0).value();
    assert_eq!(status["next"], "verify deliver");
    assert_eq!(status["checks"][0]["red"], "accepted");
    assert_eq!(status["checks"][0]["green"], "accepted");
    project.verify("status --exit-code").exits(0);
}

#[test]
fn schemas_completions_and_the_manual_are_printed() {
    let project = Project::bare();
    for name in ["evidence", "report", "status", "fingerprint", "error", "judgement"] {
        let schema = project.verify(&format!("schema {name}")).exits(0).value();
        assert!(schema["$schema"].as_str().unwrap().contains("2020-12"), "{name}");
    }
    project.verify("completions bash").exits(0).says("verify");
    project.verify("completions tcsh").exits(2);
    project.verify("man").exits(0).says(".TH verify");
}

#[test]
fn quiet_says_the_verdict_alone() {
    let project = Project::git(SHELL);
    project.verify("begin --quiet").exits(0);
    let run = project.verify("green --quiet").exits(1);
    assert_eq!(run.out.lines().count(), 1, "{run:?}");
    assert!(run.out.starts_with("green rejected") && run.err.is_empty(), "{run:?}");
}

#[test]
fn help_names_every_command() {
    let help = Project::bare().verify("--help").exits(0).out;
    for command in [
        "init",
        "begin",
        "red",
        "green",
        "guard",
        "deliver",
        "status",
        "parse",
        "explain",
        "log",
        "fingerprint",
        "schema",
        "completions",
        "man",
        "demo",
    ] {
        assert!(help.contains(command), "{command}");
    }
}

#[test]
fn the_demo_tells_its_story_and_leaves_nothing() {
    let project = Project::bare();
    let mut command = project.command(["demo"]);
    command.env("TMPDIR", project.path());
    let run = Run::of(command).exits(0);
    for word in ["begin", "red", "green", "deliver", "frozen-edited"] {
        assert!(run.out.contains(word) || run.err.contains(word), "{word}: {run:?}");
    }
    assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 0, "nothing is left");

    project.verify("demo --keep kept").exits(0);
    assert!(project.at("kept/verify.toml").exists());
    project.verify("demo --keep kept").exits(2);
}
