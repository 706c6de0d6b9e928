//! Killed, out of room, held by another: the state folder opens again with every finished record whole.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::loops::SHELL;
use crate::sign;
use crate::support::{Project, Run};

/// How many times `verify` is killed.
const KILLS: usize = 200;

/// A loop whose one check fails or passes by an ignored file, so that every command can run again and again.
fn project() -> Project {
    let plan = SHELL
        .replace("[freeze]", "[deliver]\nallow_empty = true\n[freeze]")
        .replace(". ./greet.sh", ". ./greet.sh\n[ -e good ] && greet() { echo \"hello $1\"; }");
    let project = Project::git(&plan);
    project.write(".gitignore", "good\n");
    project.commit("by a file");
    project
}

/// Numbers that look like chance, and are the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        end.mul_f64((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// A command of the loop, with what must be so before it.
#[derive(Clone, Copy)]
struct Step {
    words: &'static str,
    good: bool,
}

const STEPS: [Step; 3] = [
    Step { words: "red --again", good: false },
    Step { words: "green", good: true },
    Step { words: "deliver", good: true },
];

impl Project {
    fn prepare(&self, step: Step) {
        if step.good {
            self.write("good", "");
        } else {
            _ = fs::remove_file(self.at("good"));
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.at(".verify/log.jsonl")).unwrap_or_default()
    }

    /// A task whose red was accepted, whatever there is.
    fn on_with_it(&self) {
        self.prepare(STEPS[0]);
        if self.verify("red").code == Some(2) {
            self.verify("begin").exits(0);
            self.verify("red").exits(0);
        }
    }
}

#[test]
fn killed_at_any_instant_no_finished_record_is_lost() {
    let seed = std::env::var("VERIFY_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x5eed);
    let mut chance = Chance(seed);
    let project = project();
    let keys = Project::bare();
    let [key, public] = [("key.pem", sign::KEY), ("key.pub", sign::PUBLIC)].map(|(name, text)| {
        keys.write(name, text);
        keys.at(name).display().to_string()
    });
    project.on_with_it();
    // How long each command takes when nobody kills it; a kill may come a little later than that.
    let mut longest = [Duration::from_millis(20); STEPS.len()];
    let mut cut_short = 0;
    for kill in 0..KILLS {
        let at = kill % STEPS.len();
        let step = STEPS[at];
        if at == 0 {
            project.on_with_it();
        }
        project.prepare(step);
        let before = project.log();
        let delay = chance.below(longest[at].mul_f64(1.1));
        let words = match step.words {
            "deliver" => format!("deliver --sign-key {key}"),
            words => words.to_owned(),
        };
        let mut command = project.command(words.split(' '));
        let started = Instant::now();
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(delay.saturating_sub(started.elapsed()));
        let ended = running.try_wait().unwrap();
        running.kill().unwrap();
        running.wait().unwrap();
        match ended {
            None => cut_short += 1,
            Some(_) => longest[at] = started.elapsed().min(longest[at]),
        }
        if ended.is_none() && delay > longest[at].mul_f64(0.9) {
            longest[at] = longest[at].mul_f64(1.5).min(Duration::from_secs(5));
        }
        // Whoever opens the folder for writing finishes what was begun; a delivery that is there is signed.
        let after = project.log();
        let is_delivered = after.lines().any(|line| {
            line.contains(r#""state":"done""#)
                && line.contains("deliver-")
                && line.contains(r#""passed":true"#)
        });
        let whole = match is_delivered {
            true => project.verify(&format!("log --verify-key {public}")),
            false => project.verify("log --check"),
        };
        assert!(
            whole.code == Some(0) && after.starts_with(&before),
            "kill {kill} of `{}` after {delay:?}, with VERIFY_TEST_SEED={seed}: {whole:#?}\nbefore: {before}\nafter: {after}",
            step.words
        );
    }
    assert!(cut_short > KILLS / 4, "only {cut_short} of {KILLS} kills came in time");
    // The loop goes on to its end.
    project.on_with_it();
    project.prepare(STEPS[1]);
    project.verify("green").exits(0);
    project.verify("deliver").exits(0);
    project.verify("log --check").exits(0);
}

/// Runs `verify` where no file may grow beyond so many blocks of 512 bytes.
fn with_room(project: &Project, blocks: u32, words: &str) -> Run {
    let verify = env!("CARGO_BIN_EXE_verify");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {verify} {words} --format json");
    let mut command = crate::support::hermetic("sh", project.path());
    command.args(["-c", &script]);
    Run::of(command)
}

#[test]
fn no_room_for_a_record_is_said_and_nothing_is_lost() {
    let project = project();
    for step in STEPS {
        let mut refused = 0;
        for blocks in [0, 1, 4, 8, 12] {
            project.on_with_it();
            project.prepare(step);
            if step.words == "deliver" {
                project.verify("green").exits(0);
            }
            let before = project.log();
            let run = with_room(&project, blocks, step.words);
            project.verify("log --check").exits(0);
            assert!(project.log().starts_with(&before), "{blocks}: {run:?}");
            if run.code != Some(0) {
                is_unwritable(run);
                refused += 1;
            }
        }
        assert!(refused >= 3, "{}: {refused}", step.words);
        project.on_with_it();
        project.prepare(step);
        project.verify(step.words).exits(0);
        project.verify("log --check").exits(0);
    }
}

fn is_unwritable(run: Run) {
    let error = run.exits(3).value();
    assert_eq!(error["code"], "store-unwritable", "{error}");
    assert!(error["path"].as_str().unwrap().contains(".verify"), "{error}");
}

/// Runs `verify` where nothing below the state folder can be written; `None`: that can't be had here.
fn read_only(project: &Project, words: &str) -> Option<Run> {
    let is_root = project.run("id", ["-u"]).trim() == "0";
    let (verify, state) = (env!("CARGO_BIN_EXE_verify"), ".verify");
    // Permissions don't bind root: it gets the folder mounted so, in a name space of its own.
    let closed = if is_root {
        format!("mount --bind {state} {state} && mount -o remount,bind,ro {state}")
    } else {
        format!("trap 'chmod -R u+w {state}' EXIT; chmod -R a-w {state}")
    };
    let script = format!("{{ {closed}; }} || exit 99; {verify} {words} --format json");
    let within = if is_root { &["unshare", "-m", "sh"][..] } else { &["sh"] };
    let mut command = crate::support::hermetic("env", project.path());
    command.args(within).args(["-c", &script]);
    let run = Run::of(command);
    let could_not_start = match run.code {
        Some(99 | 127) => true,
        Some(1) => run.out.is_empty(),
        _ => false,
    };
    (!could_not_start).then_some(run)
}

#[test]
fn a_state_folder_that_is_read_only_can_be_read_and_nothing_else() {
    let project = project();
    project.on_with_it();
    let before = project.log();
    for step in STEPS {
        project.prepare(step);
        let Some(run) = read_only(&project, step.words) else {
            eprintln!("not run: nothing can be made read-only here");
            return;
        };
        is_unwritable(run);
    }
    for words in ["status", "fingerprint", "log"] {
        read_only(&project, words).unwrap().exits(0);
    }
    assert_eq!(project.log(), before);
    project.verify("log --check").exits(0);
    project.verify("green").exits(0);
}

#[test]
fn a_file_in_the_place_of_a_folder_of_the_state_is_said() {
    let project = project();
    project.on_with_it();
    project.prepare(STEPS[1]);
    fs::rename(project.at(".verify/maps"), project.at("maps")).unwrap();
    project.write(".verify/maps", "");
    let before = project.log();
    for step in STEPS {
        let error = project.json(step.words).exits(3).value();
        assert!(error["path"].as_str().unwrap().contains(".verify/maps"), "{error}");
    }
    assert_eq!(project.log(), before);
    project.remove(".verify/maps");
    fs::rename(project.at("maps"), project.at(".verify/maps")).unwrap();
    project.verify("green").exits(0);
}

#[test]
fn a_record_of_a_newer_version_is_left_alone() {
    let project = project();
    project.on_with_it();
    let path = ".verify/evidence/red-0001.json";
    let digest = |project: &Project| project.run("sha256sum", [path])[..64].to_owned();
    let before = digest(&project);
    project.edit(path, "redgreen/evidence/1", "redgreen/evidence/2");
    let log = project.log().replace(&before, &digest(&project));
    project.write(".verify/log.jsonl", &log);
    for words in ["green", "status"] {
        let error = project.json(words).exits(3).value();
        assert_eq!(error["code"], "record-newer", "{words}");
        assert!(error["path"].as_str().unwrap().ends_with("red-0001.json"), "{error}");
    }
    project.verify("log --check").exits(3).says("record-newer").says("red-0001.json");
    assert_eq!(project.log(), log);
}

#[test]
fn who_waits_for_the_lock_gets_it() {
    let project = Project::git(&SHELL.replace(
        ". ./greet.sh",
        ". ./greet.sh\n[ -e slow ] && { : > started; while [ -e slow ]; do sleep 0.02; done; }",
    ));
    project.write(".gitignore", "started\nslow\n");
    project.commit("slow");
    project.verify("begin").exits(0);
    project.write("slow", "");
    let spawn = |words: &str| {
        project.command(words.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let first = spawn("red --format json");
    while !project.at("started").exists() {
        std::thread::yield_now();
    }
    project.json("red --wait 50ms").exits(3).says("store-locked");
    let second = spawn("red --again --wait 60s --format json");
    fs::remove_file(project.at("slow")).unwrap();
    let mut names = Vec::new();
    for running in [first, second] {
        let ended = running.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
        let record: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
        names.push(record["attempt"].as_u64());
    }
    assert_eq!(names, [Some(1), Some(2)]);
    project.verify("log --check").exits(0).says("2 records");
}
