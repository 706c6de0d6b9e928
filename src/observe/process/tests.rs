use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

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
fn a_half_line_waits_for_its_end() {
    check("printf half; echo err >&2; sleep 0.5; echo ' line'", Ended::Exit(0), "err\\nhalf line\\n");
}

#[test]
fn half_lines_at_the_end_are_two_lines() {
    check("printf err >&2; printf out", Ended::Exit(0), "out\\nerr");
    check("echo out; printf err >&2", Ended::Exit(0), "out\\nerr");
}

#[test]
fn the_environment_is_changed() {
    let mut command = sh("echo ${A-unset} ${B-unset} ${HOME-unset}");
    command.env = vec![
        ("A".into(), Some("1".into())),
        ("B".into(), Some("2".into())),
        ("B".into(), None),
        ("HOME".into(), None),
    ];
    assert_eq!(printed(&run_beside(&command)), "1 unset unset\\n");
}

#[track_caller]
fn check_not_started(change: impl FnOnce(&Path, &mut Command), why: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = sh("");
    command.cwd = folder.path().to_owned();
    change(folder.path(), &mut command);
    let finished = run_beside(&command);
    let Ended::NotStarted(said) = &finished.facts.ended else {
        panic!("it ended by {:?} and printed {}", finished.facts.ended, printed(&finished));
    };
    let said = said.replace(folder.path().to_str().unwrap(), "FOLDER");
    assert!(said.contains(why), "{said}");
    assert_eq!(finished.transcript.bytes(), 0);
}

/// Written by a shell: a file that this process had open for writing can't be run while another test forks.
fn write_script(path: &Path, text: &str, mode: u32) {
    let mut command = sh(r#"printf %s "$TEXT" > "$FILE"; chmod "$MODE" "$FILE""#);
    command.env = vec![
        ("TEXT".into(), Some(text.into())),
        ("FILE".into(), Some(path.into())),
        ("MODE".into(), Some(format!("{mode:o}").into())),
    ];
    assert_eq!(run_beside(&command).facts.ended, Ended::Exit(0));
}

#[test]
fn not_started() {
    let argv = |word: &'static str| move |_: &Path, command: &mut Command| command.argv = vec![word.into()];
    let script = |text: &'static str, mode: u32| {
        move |folder: &Path, command: &mut Command| {
            write_script(&folder.join("script"), text, mode);
            command.argv = vec!["./script".into()];
        }
    };
    check_not_started(|_, command| command.argv.clear(), "the command is empty");
    check_not_started(argv(""), "the command is empty");
    check_not_started(argv("no-such-program"), r#"no program "no-such-program" on PATH"#);
    check_not_started(argv("./missing"), r#"the program "FOLDER/missing" isn't there"#);
    check_not_started(argv("/"), r#""/" is a folder"#);
    check_not_started(argv("\u{1b}[31m"), r#"no program "\u{1b}[31m" on PATH"#);
    check_not_started(script("echo hello", 0o755), "nor a script with a `#!` line");
    check_not_started(script("#!/bin/sh\n", 0o644), "was refused: make it executable");
    check_not_started(script("#!/no/such/shell\n", 0o755), "the interpreter that the first line of");
    check_not_started(
        |folder, command| command.cwd = folder.join("gone"),
        r#"folder "FOLDER/gone" isn't there"#,
    );
    check_not_started(
        |folder, command| {
            command.cwd = folder.join("file");
            std::fs::write(&command.cwd, "").unwrap();
        },
        r#"folder "FOLDER/file" is no folder"#,
    );
}

#[test]
fn the_program_is_found_as_the_command_would_find_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("bin")).unwrap();
    let tool = folder.path().join("bin/tool");
    write_script(&tool, "#!/bin/sh\necho found\n", 0o755);
    let check = |word: &str, path: Option<&str>| {
        let mut command = sh("");
        command.cwd = folder.path().to_owned();
        command.argv = vec![word.into()];
        command.env = vec![("PATH".into(), path.map(OsString::from))];
        let finished = run_beside(&command);
        assert_eq!(printed(&finished), "found\\n", "{:?}", finished.facts.ended);
        let program = finished.facts.program.unwrap();
        assert!(program.path.ends_with("bin/tool"), "{}", program.path);
        assert_eq!(program.sha256, Some(crate::digest::Sha256::of(b"#!/bin/sh\necho found\n")));
    };
    check("tool", Some("/no/such/folder:bin"));
    check("tool", Some(folder.path().join("bin").to_str().unwrap()));
    check("bin/tool", Some("/bin"));
    check("./bin/tool", None);
}

#[test]
fn a_timeout_ends_grandchildren() {
    let mut command = sh("sleep 300 & echo $!; sleep 300; echo not reached");
    command.timeout = Some(Duration::from_millis(300));
    let finished = run_beside(&command);
    assert_eq!(finished.facts.ended, Ended::Timeout);
    assert!(!first_pid_is_there(&finished));
    assert_eq!(finished.facts.orphans, [""; 0]);
}

#[test]
fn who_ignores_sigterm_is_killed() {
    let mut command = sh("trap 'echo asked' TERM; echo $$; while :; do sleep 0.1; done");
    command.timeout = Some(Duration::from_millis(300));
    let finished = run_beside(&command);
    assert_eq!(finished.facts.ended, Ended::Timeout);
    assert!(!first_pid_is_there(&finished));
    // Asked once, and what it printed while it had time to end is kept.
    assert_eq!(printed(&finished).matches("asked").count(), 1);
}

#[test]
fn an_exit_after_the_timeout_is_a_timeout() {
    let mut command = sh("trap 'echo bye; exit 0' TERM; while :; do sleep 0.1; done");
    command.timeout = Some(Duration::from_millis(300));
    let finished = run_beside(&command);
    assert_eq!(finished.facts.ended, Ended::Timeout);
    assert!(printed(&finished).contains("bye"));
}

#[test]
fn silence() {
    let mut command = sh("for i in 1 2 3; do echo $i; sleep 0.3; done; sleep 300");
    command.inactivity_timeout = Some(Duration::from_millis(800));
    let finished = run_beside(&command);
    assert_eq!(finished.facts.ended, Ended::Inactivity);
    assert_eq!(printed(&finished), r"1\n2\n3\n");
}

#[test]
fn too_much_output() {
    let mut command = sh("while :; do echo abcdefg; done");
    command.output_limit = 1000;
    let finished = run_beside(&command);
    assert_eq!((finished.facts.ended, finished.transcript.bytes()), (Ended::OutputLimit, 1000));
    let mut command = sh("echo abc");
    command.output_limit = 4;
    assert_eq!(run_beside(&command).facts.ended, Ended::Exit(0));
}

#[test]
fn a_flood() {
    let finished = run_beside(&sh("yes abcdefg | head -n 4000000; head -c 32000000 /dev/zero"));
    assert_eq!((finished.facts.ended, finished.transcript.bytes()), (Ended::Exit(0), 64_000_000));
    assert_eq!(finished.transcript.line(4_000_000).unwrap().unwrap().text, b"abcdefg");
    let mut expected = b"abcdefg\n".repeat(4_000_000);
    expected.resize(64_000_000, 0);
    assert_eq!(finished.transcript.sha256().unwrap(), crate::digest::Sha256::of(&expected));
}

#[test]
fn who_holds_the_pipe_is_ended() {
    let finished = run_beside(&sh("sleep 300 & echo $!; exit 3"));
    assert_eq!(finished.facts.ended, Ended::Exit(3));
    assert!(!first_pid_is_there(&finished));
    assert_orphan(&finished, "was still running after the command and was ended");
}

#[test]
fn who_stays_in_the_group_is_ended() {
    let finished = run_beside(&sh("sleep 300 >/dev/null 2>&1 & echo $!"));
    assert_eq!(finished.facts.ended, Ended::Exit(0));
    assert!(!first_pid_is_there(&finished));
    assert_orphan(&finished, "was still running after the command and was ended");
}

#[test]
fn the_streams_are_read_after_the_leader_ended() {
    check("(sleep 0.3; echo late) & echo first", Ended::Exit(0), r"first\nlate\n");
}

#[test]
#[cfg(target_os = "linux")]
fn who_left_the_group_is_ended() {
    let finished = run_alone(&sh("setsid sh -c 'echo $$; exec sleep 300 >/dev/null 2>&1' & sleep 0.3"));
    assert_eq!(finished.facts.ended, Ended::Exit(0));
    assert!(!first_pid_is_there(&finished));
    assert_orphan(&finished, "had left the command's process group");
}

#[test]
#[cfg(target_os = "linux")]
fn a_timeout_ends_who_left_the_group() {
    let mut command = sh("setsid sh -c 'echo $$; sleep 300; :'; :");
    command.timeout = Some(Duration::from_millis(500));
    let finished = run_alone(&command);
    assert_eq!(finished.facts.ended, Ended::Timeout);
    assert!(!first_pid_is_there(&finished));
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_spares_the_children_of_others() {
    let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    // It is spared for being there before, the other one below for being in our own group.
    let mut before = std::process::Command::new("sleep").arg("300").process_group(0).spawn().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    let mut command = sh("mkfifo fifo; : > fifo; sleep 300 >/dev/null 2>&1 & exit 0");
    command.cwd = folder.path().to_owned();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| run(&command, &Cancel::never()).unwrap());
        // The command is running once its FIFO is there: a child of ours that is started now is none of its.
        while !fifo.exists() {
            std::thread::yield_now();
        }
        let mut meanwhile = std::process::Command::new("sleep").arg("300").spawn().unwrap();
        std::fs::read(&fifo).unwrap();
        let finished = run.join().unwrap();
        assert_eq!(finished.facts.orphans.len(), 1, "{:?}", finished.facts.orphans);
        for child in [&mut before, &mut meanwhile] {
            assert!(child.try_wait().unwrap().is_none(), "it was ended");
            child.kill().unwrap();
            child.wait().unwrap();
        }
    });
}

/// A server that one run started is not another run's to end: whoever ends last ends it.
#[test]
#[cfg(target_os = "linux")]
fn a_run_spares_what_another_run_left() {
    let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let fifo = |name: &str| folder.path().join(name);
    let mut command =
        sh("(setsid sh -c 'echo $$; exec sleep 300 >/dev/null 2>&1' &); mkfifo a b; : > a; : > b");
    command.cwd = folder.path().to_owned();
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(&command, &Cancel::never()).unwrap());
        while !fifo("b").exists() {
            std::thread::yield_now();
        }
        std::fs::read(fifo("a")).unwrap();
        let second = run(&sh("sleep 300 >/dev/null 2>&1 &"), &Cancel::never()).unwrap();
        std::fs::read(fifo("b")).unwrap();
        (first.join().unwrap(), second)
    });
    assert_orphan(&second, "was still running after the command");
    assert!(!first_pid_is_there(&first));
    assert_orphan(&first, "had left the command's process group");
}

#[cfg(target_os = "linux")]
#[track_caller]
fn assert_orphan(finished: &Finished, sentence: &str) {
    let [orphan] = finished.facts.orphans.as_slice() else { panic!("{:?}", finished.facts.orphans) };
    assert!(orphan.contains(" (process ") && orphan.contains(sentence), "{orphan}");
}

#[cfg(not(target_os = "linux"))]
#[track_caller]
fn assert_orphan(finished: &Finished, sentence: &str) {
    let [orphan] = finished.facts.orphans.as_slice() else { panic!("{:?}", finished.facts.orphans) };
    assert!(orphan.contains(sentence), "{orphan}");
}

#[test]
fn told_to_stop() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = sh("mkfifo new; mv new fifo; sleep 300 & echo $! > fifo; echo $!; wait");
    command.cwd = folder.path().to_owned();
    let cancel = Cancel::on_demand().unwrap();
    let _shared = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    let finished = std::thread::scope(|scope| {
        let run = scope.spawn(|| run(&command, &cancel).unwrap());
        while !folder.path().join("fifo").exists() {
            std::thread::yield_now();
        }
        std::fs::read(folder.path().join("fifo")).unwrap();
        cancel.stop(2);
        run.join().unwrap()
    });
    assert_eq!(finished.facts.ended, Ended::Cancelled(2));
    assert_eq!(finished.facts.orphans, [""; 0]);
    // Once told to stop, nothing is started any more.
    let finished = run(&sh("echo started"), &cancel).unwrap();
    assert_eq!((finished.facts.ended.clone(), printed(&finished).as_str()), (Ended::Cancelled(2), ""));
}

#[test]
fn told_to_stop_by_a_signal() {
    let _shared = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    let cancel = Cancel::on_signals().unwrap();
    let finished = run(&sh("echo $$; kill -TERM $PPID; sleep 300; :"), &cancel).unwrap();
    assert_eq!((finished.facts.ended.clone(), cancel.signal()), (Ended::Cancelled(15), Some(15)));
    assert!(!first_pid_is_there(&finished));
}
