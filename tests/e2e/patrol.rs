//! `verify patrol` on folders of claims.

use std::fs;
use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Project, Run};

/// How long a watch may take for what takes it a moment.
const DEADLINE: Duration = Duration::from_secs(120);

/// A repository with a base and one commit of work, and an empty folder of claims.
struct Patrolled {
    project: Project,
    base: String,
}

impl Patrolled {
    fn new() -> Self {
        let project = Project::git(">> src/a\n1\n");
        let base = project.head();
        project.write("src/a", "2\n");
        project.commit("work");
        fs::create_dir(project.at("state")).unwrap();
        Self { project, base }
    }

    fn brief(&self) -> Value {
        json!({
            "session": "w", "issued_at": "2026-01-01T00:00:00Z", "base": self.base, "verify_command": "true",
            "gates_required": ["lint"], "files_owned": ["src/**"],
        })
    }

    /// A claim for which everything holds.
    fn claim(&self) -> Value {
        json!({
            "status": "done_clean",
            "evidence": {
                "executor": "w", "verify_command": "true", "verify_exit_code": 0, "verify_stdout": "",
                "verify_stderr": "", "finished_at": "2026-01-01T00:10:00Z",
            },
            "artifacts": [{"kind": "git_sha", "sha": self.project.head()}],
            "audit": {
                "gates_required": ["lint"], "gates_passed": ["lint"], "scores": {"lint": 85}, "verdict": "satisfied",
                "grader": "g",
            },
            "regressions": [], "pending_actions": [],
        })
    }

    fn write(&self, name: &str, value: &Value) {
        self.project.write(&format!("state/{name}"), &value.to_string());
    }

    /// A task with its brief, whose claim is this one with a value put in at a JSON Pointer.
    fn task(&self, name: &str, at: &str, value: Value) {
        self.write(&format!("{name}.brief.json"), &self.brief());
        let mut claim = self.claim();
        *claim.pointer_mut(at).unwrap() = value;
        self.write(&format!("{name}.done.json"), &claim);
    }

    fn verdict(&self, name: &str) -> Value {
        serde_json::from_str(&self.project.read(&format!("state/{name}.verdict.json"))).unwrap()
    }

    /// The status and the codes of a verdict.
    fn of(&self, name: &str) -> String {
        let verdict = self.verdict(name);
        let codes =
            verdict["problems"].as_array().unwrap().iter().map(|problem| problem["code"].as_str().unwrap());
        std::iter::once(verdict["status"].as_str().unwrap()).chain(codes).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn patrol(&self, words: &str, code: i32) -> Run {
        self.project.verify(&format!("patrol state {words}")).exits(code)
    }
}

#[test]
fn claims_become_verdicts() {
    let here = Patrolled::new();
    here.task("good", "/regressions", json!([]));
    here.task("failed", "/status", json!("failed"));
    here.patrol("--once", 0);
    let verdict = here.verdict("good");
    assert_eq!(verdict["schema"], "redgreen/verdict/1");
    assert_eq!((&verdict["claim"], &verdict["claimed"]), (&json!("good.done.json"), &json!("done_clean")));
    assert_eq!(here.of("good"), "done_clean");
    assert_eq!(here.of("failed"), "failed");
    assert!(
        verdict["conditions"].as_array().unwrap().iter().all(|condition| condition["result"] == "pass"),
        "{verdict:#}"
    );

    let tasks = [
        ("low", "/audit/scores/lint", json!(84), "failed verdict-contradicts-score"),
        ("own", "/audit/grader", json!("w"), "failed self-graded"),
        ("quick", "/evidence/finished_at", json!("2026-01-01T00:00:04Z"), "failed too-fast"),
        ("silent", "/evidence/verify_stdout", json!(null), "pending stdout-missing"),
        ("red", "/evidence/verify_exit_code", json!(1), "failed verify-failed"),
        ("other", "/evidence/verify_command", json!("exit 0"), "failed verify-command-differs"),
        ("worse", "/regressions", json!(["slow"]), "failed regressions"),
        ("ghost", "/artifacts/0/sha", json!("0badc0de"), "failed commit-unknown"),
        ("nothing", "/artifacts/0/sha", json!(here.base), "failed commit-empty"),
        ("fable", "/artifacts", json!([{"kind": "file_path", "path": "no-such"}]), "pending"),
        ("left", "/pending_actions", json!(["deploy"]), "pending pending-actions"),
        ("ungated", "/audit/scores", json!({}), "pending scores-missing"),
        ("shape", "/audit/scores/lint", json!("85"), "failed schema-violation scores-missing"),
    ];
    for (name, at, value, _) in &tasks {
        here.task(name, at, value.clone());
    }
    here.project.write("state/broken.done.json", "{\"status\":");
    here.project.write("state/broken-prev1764000000.done.json", "{\"status\":");
    let run = here.patrol("--once", 1).says("self-graded").says("next:");
    assert!(run.out.contains("16 claims"), "{}", run.out);
    for (name, _, _, want) in &tasks[..9] {
        assert_eq!(here.of(name), *want, "{name}");
    }
    assert_eq!(here.of("fable"), "failed artifact-failed commit-unknown");
    for (name, _, _, want) in &tasks[10..] {
        assert_eq!(here.of(name), *want, "{name}");
    }
    assert_eq!(here.of("broken"), "failed unparseable");
    assert_eq!(here.verdict("broken")["claimed"], json!(null));
    assert!(!here.project.at("state/broken-prev1764000000.verdict.json").exists());
    assert_eq!(here.verdict("left")["pending_actions"], json!(["deploy"]));
    assert!(here.verdict("left")["reopened"] == true && here.verdict("good")["reopened"] == false);
    let log = here.project.read("state/decisions.md");
    for code in ["self-graded", "too-fast", "unparseable"] {
        let lines = log.lines().filter(|line| line.contains(&format!(" reopened {code} "))).count();
        assert_eq!(lines, 1, "{log}");
    }
}

#[test]
fn the_same_claims_twice_change_no_file_and_thrice_are_escalated_once() {
    let here = Patrolled::new();
    here.task("good", "/regressions", json!([]));
    here.task("own", "/audit/grader", json!("w"));
    let all = || {
        ["good.verdict.json", "own.verdict.json", "decisions.md"]
            .map(|name| here.project.read(&format!("state/{name}")))
    };
    here.patrol("", 1);
    let first = all();
    here.patrol("", 1);
    assert_eq!(all(), first);
    here.patrol("", 1);
    let third = all();
    assert_eq!(here.of("own"), "failed self-graded stuck");
    assert_eq!(third[2].lines().filter(|line| line.contains(" stuck ")).count(), 1, "{}", third[2]);
    here.patrol("", 1);
    assert_eq!(all(), third);
}

#[test]
fn a_secret_in_a_claim_goes_no_further() {
    let here = Patrolled::new();
    let token = crate::rules::token();
    here.task("command", "/evidence/verify_command", json!(format!("use {token}")));
    here.task("commit", "/artifacts/0/sha", json!(token));
    here.task("grader", "/audit/grader", json!(format!("\u{1b}[1m{token}")));
    here.task("pending", "/pending_actions", json!([format!("ask {token}")]));
    let run = here.patrol("--out out", 1);
    assert!(!run.out.contains(&token), "{}", run.out);
    for name in ["command", "commit", "grader", "pending"] {
        let verdict = here.project.read(&format!("out/{name}.verdict.json"));
        assert!(!verdict.contains(&token), "{verdict}");
    }
    let verdict = here.project.read("out/pending.verdict.json");
    assert!(verdict.contains("ask [redacted:github-token]"), "{verdict}");
    let decisions = here.project.read("out/decisions.md");
    assert!(decisions.contains("the claim ran") && !decisions.contains(&token), "{decisions}");
    // The same again is nothing new.
    here.patrol("--out out", 1);
    assert_eq!(here.project.read("out/pending.verdict.json"), verdict);
    assert_eq!(here.project.read("out/decisions.md"), decisions);
}

#[test]
fn a_verify_command_is_run_again_where_the_brief_says() {
    let here = Patrolled::new();
    here.task("good", "/regressions", json!([]));
    let command = |name: &str, command: Value| {
        let mut brief = here.brief();
        brief["verify_command"] = command.clone();
        brief["cwd"] = json!(here.project.at("src").to_str().unwrap());
        here.write(&format!("{name}.brief.json"), &brief);
        let mut claim = here.claim();
        claim["evidence"]["verify_command"] = command;
        claim["evidence"]["finished_at"] = json!("2026-01-01T00:00:01Z");
        here.write(&format!("{name}.done.json"), &claim);
    };
    command("text", json!("test -e a && true"));
    command("list", json!(["test", "-e", "a"]));
    command("lie", json!("test -e no-such"));
    here.patrol("--rerun", 1);
    for (name, want, rerun) in [
        ("good", "done_clean", "passed"),
        ("text", "done_clean", "passed"),
        ("list", "done_clean", "passed"),
        ("lie", "failed rerun-failed too-fast", "failed"),
    ] {
        assert_eq!(
            (here.of(name).as_str(), here.verdict(name)["rerun"].as_str()),
            (want, Some(rerun)),
            "{name}"
        );
    }
}

#[test]
fn work_outside_what_is_owned_and_work_from_elsewhere() {
    let here = Patrolled::new();
    here.project.write("Cargo.toml", "");
    here.project.commit("more");
    let outside = here.project.head();
    here.project.write("src/a", "3\n");
    here.project.commit("what is owned, on top of what isn't");
    here.task("below", "/regressions", json!([]));
    here.task("outside", "/artifacts/0/sha", json!(outside));
    here.project.run("git", ["checkout", "-q", "--orphan", "elsewhere"]);
    here.project.commit("elsewhere");
    here.task("elsewhere", "/regressions", json!([]));
    here.patrol("", 1);
    assert_eq!(here.of("outside"), "failed outside-owned-files");
    assert_eq!(here.of("below"), "failed outside-owned-files");
    // What differs from the base is the same as on the branch before.
    assert_eq!(here.of("elsewhere"), "failed outside-owned-files commit-not-descendant");
}

#[test]
fn workers_oracles_scopes_and_questions() {
    let here = Patrolled::new();
    let head = here.project.head();
    let worker = |session: &str, commit: &str| {
        json!({"session": session, "status": "done_clean", "summary": "s", "commit": commit,
            "finished_at": "2026-01-01T00:10:00Z", "artifacts": [{"kind": "git_sha", "sha": commit, "branch": "main"}]})
    };
    here.write("worker-a.done.json", &worker("a", &head));
    here.write("scope-a.json", &json!({"session": "a", "files_owned": ["src/a"]}));
    here.write("worker-b.done.json", &worker("b", &head));
    here.write("worker-c.done.json", &worker("c", &head));
    here.write("scope-c.json", &json!({"session": "c", "files_owned": ["src/**", "docs"]}));
    here.write("scope-d.json", &json!({"session": "d", "files_owned": ["other"]}));
    here.write("worker-d.done.json", &worker("d", &head));
    here.write("worker-blocked-a.json", &json!({"session": "a", "question": "which?", "best_guess": "this"}));
    here.write(
        "oracle-k.done.json",
        &json!({"oracle": "k", "project": "p", "status": "blocked", "lifecycle": "x"}),
    );
    let run = here.patrol("--format json", 1);
    assert_eq!(here.of("worker-a"), "done_clean scope-overlap unanswered");
    assert_eq!(here.of("worker-b"), "pending");
    assert_eq!(here.of("worker-c"), "done_clean scope-overlap");
    assert_eq!(here.of("worker-d"), "failed outside-owned-files");
    assert_eq!(
        (here.of("oracle-k").as_str(), &here.verdict("oracle-k")["dialect"]),
        ("blocked", &json!("oracle"))
    );
    let document = run.value();
    assert_eq!(document["counts"], json!({"blocked": 1, "done_clean": 2, "failed": 1, "pending": 1}));
    let codes: Vec<&str> = document["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["scope-overlap", "unanswered"]);
    let log = here.project.read("state/decisions.md");
    assert!(log.contains(" scope-overlap ") && log.contains(" unanswered "), "{log}");
}

#[test]
fn parents_wait_for_their_parts() {
    let here = Patrolled::new();
    for name in ["root", "part", "leaf"] {
        here.task(name, "/regressions", json!([]));
    }
    let link = |name: &str, children: Value, parent: Value| {
        let mut brief = here.brief();
        brief["session"] = json!(name);
        brief["children"] = children;
        brief["parent"] = parent;
        here.write(&format!("{name}.brief.json"), &brief);
    };
    link("root", json!(["part"]), json!(null));
    link("part", json!([]), json!("root"));
    link("leaf", json!([]), json!("part"));
    here.patrol("", 0);
    here.task("leaf", "/status", json!("failed"));
    link("leaf", json!([]), json!("part"));
    here.patrol("", 1);
    for name in ["root", "part"] {
        assert_eq!(
            (here.of(name).as_str(), &here.verdict(name)["broken_rung"]),
            ("failed child-not-done", &json!("leaf"))
        );
    }
    here.project.remove("state/leaf.done.json");
    here.patrol("", 1);
    assert_eq!(here.of("part"), "pending child-not-done");
    link("leaf", json!(["root"]), json!("part"));
    here.task("ring", "/regressions", json!([]));
    link("ring", json!(["ring"]), json!(null));
    here.patrol("", 1);
    assert_eq!(
        (here.of("ring").as_str(), &here.verdict("ring")["broken_rung"]),
        ("pending child-not-done", &json!("ring"))
    );
}

#[test]
fn folders_and_options() {
    let here = Patrolled::new();
    here.task("good", "/audit/scores/lint", json!(88));
    here.project.write("audits/lint.json", r#"{"threshold": 90}"#);
    fs::create_dir(here.project.at("briefs")).unwrap();
    fs::rename(here.project.at("state/good.brief.json"), here.project.at("briefs/good.brief.json")).unwrap();
    here.patrol("--brief-dir briefs --out verdicts --log logs.md", 0);
    // The claim holds by itself; what it owned stands in the brief.
    let conditions = here.project.read("verdicts/good.verdict.json");
    assert!(conditions.contains("only owned files were touched"), "{conditions}");
    assert!(here.project.at("verdicts/good.verdict.json").exists());
    assert!(!here.project.at("state/good.verdict.json").exists() && !here.project.at("logs.md").exists());
    here.patrol("--brief-dir briefs --out verdicts --log logs.md --audits audits", 1);
    assert!(here.project.read("logs.md").contains(" verdict-contradicts-score "));
    here.patrol("--brief-dir briefs --threshold 89", 1);
    here.patrol("--brief-dir briefs --threshold 88", 0);
    here.patrol("--threshold high", 2);
    here.patrol("--once --watch", 2);
    Run::of(here.project.command(["patrol", "state", "--on-final", "'open"])).exits(2);
    here.project.verify("patrol no-such").exits(3).says("unreadable");
}

#[test]
fn whoever_waits_is_told_of_each_final_verdict_once() {
    let here = Patrolled::new();
    here.task("good", "/regressions", json!([]));
    here.task("left", "/pending_actions", json!(["deploy"]));
    let patrol = || {
        let hook = "sh -c 'echo \"$1\" >> told' sh";
        Run::of(here.project.command(["patrol", "state", "--on-final", hook])).exits(1);
        here.project.read("told")
    };
    assert_eq!(patrol(), "state/good.verdict.json\n");
    assert_eq!(patrol(), "state/good.verdict.json\n");
}

/// A watch that ends with the test.
struct Watch(Child);

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks again and again until it is so.
#[track_caller]
fn until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < DEADLINE, "it didn't come to that");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_watch_follows_files_that_are_written_in_pieces() {
    const NUMBER: usize = 1_000;
    const TOGETHER: usize = 20;
    const PIECES: usize = 3;
    let here = Patrolled::new();
    let state = here.project.at("state");
    let mut command = here.project.command(["patrol", "state", "--watch", "--format", "json"]);
    let output = fs::File::create(here.project.at("out")).unwrap();
    let _watch = Watch(command.stdout(output).stderr(Stdio::null()).spawn().unwrap());
    let mut brief = here.brief();
    let mut claim = here.claim();
    let mut started = |name: &str| {
        brief["session"] = json!(name);
        here.write(&format!("{name}.brief.json"), &brief);
        claim["summary"] = json!(name);
        (fs::File::create(state.join(format!("{name}.done.json"))).unwrap(), claim.to_string())
    };
    // One is half there while another is judged: the watch has seen it so.
    let (mut slow, text) = started("slow");
    slow.write_all(b"{").unwrap();
    let (mut quick, whole) = started("quick");
    quick.write_all(whole.as_bytes()).unwrap();
    until(|| {
        // Whoever writes doesn't stand still.
        slow.write_all(b" ").unwrap();
        state.join("quick.verdict.json").exists()
    });
    slow.write_all(&text.as_bytes()[1..]).unwrap();
    // The others in pieces, many at once, so that many are half there in a cycle.
    for first in (0..NUMBER).step_by(TOGETHER) {
        let mut files: Vec<_> =
            (first..first + TOGETHER).map(|at| started(&format!("task-{at:04}"))).collect();
        for piece in 0..PIECES {
            for (file, text) in &mut files {
                let at = |piece: usize| text.len() * piece / PIECES;
                file.write_all(&text.as_bytes()[at(piece)..at(piece + 1)]).unwrap();
            }
        }
    }
    until(|| state.join("slow.verdict.json").exists());
    until(|| (0..NUMBER).all(|at| state.join(format!("task-{at:04}.verdict.json")).exists()));
    let cycles = || -> Vec<Value> {
        // The last line may still be written.
        let printed = here.project.read("out");
        let whole = printed.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let seen_half = |cycle: &Value| cycle["waiting"].as_u64().is_some_and(|waiting| waiting > 0);
    assert!(cycles().iter().any(seen_half), "no file was seen half written");
    // One that is never finished is seen for what it is, when it has stood still.
    here.project.write("state/half.done.json", "{\"status\":");
    until(|| state.join("half.verdict.json").exists());
    assert_eq!(here.of("half"), "failed unparseable");
    let verdicts: Vec<Value> = cycles()
        .iter()
        .flat_map(|cycle| cycle["verdicts"].as_array().unwrap().clone())
        .filter(|verdict| verdict["claim"] != "half.done.json")
        .collect();
    // With the slow and the quick one; none has two.
    assert_eq!(verdicts.len(), NUMBER + 2);
    let wrong = verdicts.iter().find(|verdict| verdict["status"] != "done_clean");
    assert_eq!(wrong, None);
}

#[test]
fn one_malformed_claim_in_a_hundred_stops_none_of_the_others() {
    const NUMBER: usize = 10_000;
    let here = Patrolled::new();
    let claim = here.claim().to_string();
    let brief = here.brief().to_string();
    let state = here.project.at("state");
    let is_malformed = |at: usize| at % 100 == 7;
    for at in 0..NUMBER {
        // Cut at another place each time.
        let text = if is_malformed(at) { &claim[..claim.len() - 1 - at / 100] } else { &claim };
        fs::write(state.join(format!("task-{at:04}.done.json")), text).unwrap();
        fs::write(state.join(format!("task-{at:04}.brief.json")), &brief).unwrap();
    }
    let document = here.patrol("--format json", 1).value();
    assert_eq!(document["counts"], json!({"done_clean": NUMBER - NUMBER / 100, "failed": NUMBER / 100}));
    for at in 0..NUMBER {
        let want = if is_malformed(at) { "failed unparseable" } else { "done_clean" };
        assert_eq!(here.of(&format!("task-{at:04}")), want, "task-{at:04}");
    }
    assert_eq!(here.project.read("state/decisions.md").lines().count(), NUMBER / 100);
}
