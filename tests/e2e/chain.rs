//! The state folder: its chain, its lock, and what a kill leaves.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::loops::SHELL;
use crate::support::Project;

fn three_records() -> Project {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.verify("green").exits(1);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.verify("green").exits(0);
    project.verify("log --check").exits(0);
    project
}

fn record(project: &Project, name: &str) -> PathBuf {
    project.at(&format!(".verify/evidence/{name}.json"))
}

#[test]
fn an_edited_record_is_found() {
    let project = three_records();
    let path = record(&project, "green-0001");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("\"passed\":false", "\"passed\":true").replace("\"passed\": false", "\"passed\": true"),
    )
    .unwrap();
    let run = project.verify("log --check");
    assert!(matches!(run.code, Some(1 | 3)), "{run:?}");
    run.says("green-0001");
}

#[test]
fn a_deleted_record_is_found_also_the_last_one() {
    for name in ["red-0001", "green-0001", "green-0002"] {
        let project = three_records();
        fs::remove_file(record(&project, name)).unwrap();
        project.verify("log --check").exits(1).says(name);
        project.verify("status").exits(3).says(name);
    }
}

#[test]
fn status_says_nothing_of_a_task_whose_log_is_gone() {
    let project = three_records();
    fs::write(project.at(".verify/log.jsonl"), "").unwrap();
    project.verify("status").exits(3).says("chain-broken");
}

#[test]
fn swapped_records_are_found() {
    let project = three_records();
    let (one, two) = (record(&project, "green-0001"), record(&project, "green-0002"));
    let aside = record(&project, "aside");
    fs::rename(&one, &aside).unwrap();
    fs::rename(&two, &one).unwrap();
    fs::rename(&aside, &two).unwrap();
    let run = project.verify("log --check");
    assert!(matches!(run.code, Some(1 | 3)), "{run:?}");
}

#[test]
fn a_missing_line_of_the_log_is_found() {
    let project = three_records();
    let path = project.at(".verify/log.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let without: String = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
    fs::write(&path, without).unwrap();
    project.verify("log --check").exits(1);
}

#[test]
fn a_corrupt_record_is_named_and_nothing_is_overwritten() {
    let project = three_records();
    fs::write(record(&project, "red-0001"), "{ not json").unwrap();
    let before = fs::read(project.at(".verify/log.jsonl")).unwrap();
    project.verify("green").exits(3).says("red-0001");
    let error = project.json("green").exits(3).value();
    assert_eq!(error["schema"], "redgreen/error/1");
    assert_eq!(error["code"], "record-corrupt");
    assert_eq!(fs::read(project.at(".verify/log.jsonl")).unwrap(), before);
}

#[test]
fn a_record_of_a_newer_version_is_named() {
    let project = three_records();
    let path = project.at(".verify/task.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("redgreen/task/1", "redgreen/task/2")).unwrap();
    let error = project.json("green").exits(3).value();
    assert_eq!(error["code"], "record-newer");
}

#[test]
fn a_second_verify_is_told_who_holds_the_lock() {
    let project = Project::git(
        &SHELL.replace(". ./greet.sh", ". ./greet.sh\n[ -e slow ] && { : > started; sleep 30; }"),
    );
    project.write("slow", "");
    project.write(".gitignore", "started\nslow\n");
    project.commit("slow");
    project.verify("begin").exits(0);
    let mut first = project.command(["red"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    wait_for(&project.at("started"));
    project.json("red").exits(3).says("store-locked");
    project.verify("status").exits(0);
    first.kill().unwrap();
    first.wait().unwrap();
    fs::remove_file(project.at("slow")).unwrap();
    project.verify("red").exits(0);
    project.verify("log --check").exits(0);
}

#[test]
fn an_interrupt_ends_the_children_and_is_recorded() {
    // A job that a shell put into the background ignores SIGINT, and so do its children: verify respects that.
    if ignores_sigint() {
        eprintln!("not run: SIGINT is ignored here");
        return;
    }
    cancelled_by("-INT", 130);
}

#[test]
fn a_termination_ends_the_children_and_is_recorded() {
    cancelled_by("-TERM", 143);
}

#[test]
fn a_kill_in_the_middle_loses_nothing() {
    let slow = ". ./greet.sh\n[ -e slow ] && { : > started; sleep 30; }";
    let project = Project::git(&SHELL.replace(". ./greet.sh", slow));
    project.write(".gitignore", "started\nslow\n");
    project.commit("slow");
    project.verify("begin").exits(0);
    project.verify("green").exits(1);
    project.write("slow", "");
    let mut running = project.command(["red"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    wait_for(&project.at("started"));
    running.kill().unwrap();
    running.wait().unwrap();
    project.verify("log --check").exits(0).says("1 record");
    project.verify("status").exits(0).says("verify red");
    fs::remove_file(project.at("slow")).unwrap();
    project.verify("red").exits(0);
    project.verify("log --check").exits(0).says("2 records");
}

/// Whether this process was started with SIGINT ignored.
fn ignores_sigint() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}

#[track_caller]
fn cancelled_by(signal: &str, code: i32) {
    let script = ". ./greet.sh\n[ -e slow ] && { sleep 600 & echo $! > child; : > started; wait; }";
    let project = Project::git(&SHELL.replace(". ./greet.sh", script));
    project.write("slow", "");
    project.write(".gitignore", "started\nslow\nchild\n");
    project.commit("slow");
    project.verify("begin").exits(0);
    let running = project.command(["red"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    wait_for(&project.at("started"));
    project.run("kill", [signal, &running.id().to_string()]);
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(code));
    let child = project.read("child");
    let alive = std::process::Command::new("kill").args(["-0", child.trim()]).output().unwrap();
    assert!(!alive.status.success(), "the child is still there");
    let record = fs::read_to_string(record(&project, "red-0001")).unwrap();
    assert!(record.contains("\"cancelled\""), "{record}");
    fs::remove_file(project.at("slow")).unwrap();
    project.verify("red").exits(0);
    project.verify("log --check").exits(0);
}

fn wait_for(path: &std::path::Path) {
    for _ in 0..2_000 {
        if path.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{} never came", path.display());
}
