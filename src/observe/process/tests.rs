use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

use super::*;

/// A process that left its group can be anybody's while several runs last: tests about those hold this alone.
static ALONE: RwLock<()> = RwLock::new(());

fn sh(script: &str) -> Command {
    Command {
        argv: ["/bin/sh", "-c", script].map(OsString::from).into(),
        cwd: std::env::temp_dir(),
        env: Vec::new(),
        timeout: None,
        inactivity_timeout: None,
        output_limit: u64::MAX,
    }
}

fn run_beside(command: &Command) -> Finished {
    let _shared = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    run(command, &Cancel::never()).unwrap()
}

fn run_alone(command: &Command) -> Finished {
    let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    run(command, &Cancel::never()).unwrap()
}

fn printed(finished: &Finished) -> String {
    finished.transcript.saved(u64::MAX).unwrap().0.escape_ascii().to_string()
}

#[track_caller]
fn check(script: &str, ended: Ended, output: &str) {
    let finished = run_beside(&sh(script));
    assert_eq!(finished.facts.ended, ended);
    assert_eq!(printed(&finished), output);
    assert_eq!(finished.facts.orphans, [""; 0]);
}

/// Whether the process whose number the command printed first is still there, be it as a zombie.
fn first_pid_is_there(finished: &Finished) -> bool {
    let line = finished.transcript.line(1).unwrap().expect("a process number");
    let pid = String::from_utf8(line.text).unwrap().parse().unwrap();
    rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid).unwrap()).is_ok()
}

#[test]
fn ends_by_itself() {
    check("exit 0", Ended::Exit(0), "");
    check("echo a; exit 7", Ended::Exit(7), "a\\n");
    check("kill -9 $$", Ended::Signal(9), "");
    check("kill -TERM $$", Ended::Signal(15), "");
}

#[test]
fn standard_input_is_empty() {
    check("cat; echo end", Ended::Exit(0), "end\\n");
}

#[test]
fn a_group_of_its_own() {
    check("test $(ps -o pgid= -p $$) = $$", Ended::Exit(0), "");
}

#[test]
fn argv_is_not_read_by_a_shell() {
    let mut command = sh("");
    command.argv = ["printf", "%s|", "a b", "$HOME", "*", ""].map(OsString::from).into();
    assert_eq!(printed(&run_beside(&command)), "a b|$HOME|*||");
}

#[test]
fn bytes_are_kept() {
    check(r"printf 'a\377\000b\r\033[1mc\n'", Ended::Exit(0), r"a\xff\x00b\r\x1b[1mc\n");
}

#[test]
fn whole_lines_pass_a_half_one() {
    // Each `sync` waits until what was printed before has been read: the pipe's reader is waited for by its emptiness,
    // which a shell can't see, so the order is forced by a line that the other stream can only end later.
    check("printf half; echo err >&2; exec 1>&1; echo ' line'", Ended::Exit(0), "half line\\nerr\\n");
}

#[test]
fn half_lines_at_the_end_are_two_lines() {
    check("printf err >&2; printf out", Ended::Exit(0), "out\\nerr");
    check("echo out; printf err >&2", Ended::Exit(0), "out\\nerr");
}
