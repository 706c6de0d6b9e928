//! Where a change may lie, what doesn't count as one, and what can't make one up or hide one.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;

use super::{changed, repository};
use crate::support::{Project, Run};

/// The gate with the repository's first commit as the base.
#[track_caller]
fn gate(project: &Project) -> Run {
    let base = project.run("git", ["rev-list", "--max-parents=0", "HEAD"]);
    let run = project.json(&format!("gate --exclude .loki --base {}", base.trim()));
    assert!(run.code == Some(0) || run.code == Some(1), "{run:?}");
    assert_eq!(run.code == Some(1), changed(&run).is_empty());
    run
}

/// Does something in a repository of two files, and compares what changed.
#[track_caller]
fn check(act: impl FnOnce(&Project), want: &[(&str, &str)]) {
    let project = repository();
    act(&project);
    let got = changed(&gate(&project));
    let got: Vec<_> = got.iter().map(|(path, sources)| (path.as_str(), sources.as_str())).collect();
    assert_eq!(got, want);
}

fn git(project: &Project, words: &str) {
    project.run("git", words.split_whitespace());
}

#[test]
fn each_source_counts_alone() {
    check(|_| {}, &[]);
    let commit = |project: &Project| {
        project.write("a", "two\n");
        git(project, "commit -qam work");
    };
    check(commit, &[("a", "committed")]);
    let stage = |project: &Project| {
        project.write("a", "two\n");
        git(project, "add a");
    };
    check(stage, &[("a", "staged")]);
    check(|project| project.write("a", "two\n"), &[("a", "unstaged")]);
    check(|project| project.remove("a"), &[("a", "unstaged")]);
    check(|project| project.write("new/c", ""), &[("new/c", "untracked")]);
}

#[test]
fn the_union_counts_a_path_once() {
    let act = |project: &Project| {
        project.write("a", "two\n");
        git(project, "commit -qam work");
        project.write("a", "three\n");
        git(project, "add a");
        project.write("a", "four\n");
        project.write("b", "two\n");
    };
    check(act, &[("a", "committed staged unstaged"), ("b", "unstaged")]);
}

#[test]
fn commits_without_a_difference_are_no_change() {
    check(|project| git(project, "commit -q --allow-empty -m done"), &[]);
    let and_back = |project: &Project| {
        project.write("a", "two\n");
        git(project, "commit -qam work");
        git(project, "revert --no-edit HEAD");
    };
    check(and_back, &[]);
}

#[test]
fn what_is_ignored_does_not_count() {
    let act = |project: &Project| {
        project.write(".git/info/exclude", "*.log\n");
        project.write("x.log", "");
        project.write("__pycache__/a.pyc", "");
        project.write(".a.swp", "");
    };
    check(act, &[]);
    check(|project| project.write("x.log", ""), &[("x.log", "untracked")]);
}

#[test]
fn what_the_gate_reads_and_writes_is_no_work() {
    let project = repository();
    let words = format!(
        "gate --exclude .loki --base {} --test-results r.json --block-file block.json --details-file out/details.json",
        project.head()
    );
    project.write("r.json", super::GREEN);
    for _ in 0..2 {
        project.verify(&words).exits(1);
    }
    assert!(project.at("out/details.json").exists() && project.at("block.json").exists());
    project.write("out/work", "");
    project.verify(&words).exits(0);
    assert!(!project.at("block.json").exists());
    // A folder in the place of a file hides nothing.
    project.verify(&format!("gate --exclude .loki --base {} --test-results out", project.head())).exits(0);
}

#[test]
fn names_are_bytes() {
    let project = repository();
    let base = project.head();
    let names: [&[u8]; 4] = [b"a\nb", b"\xff", b"\"quoted\"", "ü | b".as_bytes()];
    for name in names {
        fs::write(project.path().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
    }
    let run = project.json(&format!("gate --exclude .loki --base {base}")).exits(0);
    let got: Vec<String> = changed(&run).into_iter().map(|(path, _)| path).collect();
    assert_eq!(got, ["\"quoted\"", "a\nb", "ü | b", "\u{fffd}"]);
    assert_eq!(run.value()["files"][3]["path_hex"], "ff");
    project.verify(&format!("gate --exclude .loki --base {base}")).exits(0).says("a\\nb").says("\\xff");
    project.commit("work");
    let got = changed(&gate(&project));
    assert_eq!(got.len(), 4, "a name is one path when it is committed too: {got:?}");
}

#[test]
fn a_replaced_base_makes_no_change_up() {
    let replace = |project: &Project| {
        let blob = project.run("git", ["hash-object", "-w", "a"]);
        let other = project.run("git", ["write-tree"]);
        assert!(!blob.is_empty() && !other.is_empty());
        project.write("more", "x");
        git(project, "add more");
        let tree = project.run("git", ["write-tree"]);
        let commit = project.run("git", ["commit-tree", "-m", "other", tree.trim()]);
        git(project, "reset -q");
        project.remove("more");
        git(project, &format!("replace HEAD {}", commit.trim()));
        assert_ne!(project.run("git", ["status", "--porcelain", "-uno"]), "", "git itself is fooled");
    };
    check(replace, &[]);
}

#[test]
fn edits_behind_flags_are_seen() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let hide = |project: &Project| {
            git(project, &format!("update-index {flag} a"));
            project.write("a", "two\n");
            assert_eq!(project.run("git", ["status", "--porcelain", "-uno"]), "", "git itself is fooled");
        };
        check(hide, &[("a", "unstaged")]);
        check(|project| git(project, &format!("update-index {flag} a")), &[]);
    }
}

#[test]
fn a_monitor_that_lies_is_not_asked() {
    let lie = |project: &Project| {
        project.write(".git/monitor", "#!/bin/sh\n: > .git/asked\nprintf 'token\\0'\n");
        fs::set_permissions(project.at(".git/monitor"), fs::Permissions::from_mode(0o755)).unwrap();
        git(project, "config core.fsmonitor .git/monitor");
        git(project, "update-index --fsmonitor");
        let _ = fs::remove_file(project.at(".git/asked"));
        project.write("a", "two\n");
    };
    let project = repository();
    lie(&project);
    assert_eq!(changed(&gate(&project)), [("a".to_owned(), "unstaged".to_owned())]);
}

#[test]
fn an_edit_with_size_and_time_put_back_is_seen() {
    let act = |project: &Project| {
        // Long ago, so that the index may trust the time.
        let before = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000);
        let date =
            || fs::File::options().write(true).open(project.at("a")).unwrap().set_modified(before).unwrap();
        date();
        git(project, "add a");
        project.write("a", "two\n");
        date();
        assert_eq!(project.read("a").len(), "one\n".len());
    };
    check(act, &[("a", "unstaged")]);
}

#[test]
fn work_in_a_submodule_counts() {
    let inner = Project::git(">> inside\none\n");
    let set_up = |project: &Project| {
        let url = inner.path().to_str().unwrap();
        project.run("git", ["-c", "protocol.file.allow=always", "submodule", "-q", "add", url, "sub"]);
        git(project, "config submodule.sub.ignore all");
        project.commit("start");
        git(project, "update-ref HEAD HEAD");
    };
    let project = repository();
    set_up(&project);
    let head = project.head();
    let gate = || project.json(&format!("gate --exclude .loki --base {head}"));
    gate().exits(1);
    project.write("sub/inside", "two\n");
    assert_eq!(changed(&gate().exits(0)), [("sub".to_owned(), "unstaged".to_owned())]);
    project.write("sub/inside", "one\n");
    gate().exits(1);
    project.write("sub/new", "");
    gate().exits(0);
    project.run("git", ["-C", "sub", "add", "-A"]);
    project.run("git", ["-C", "sub", "commit", "-qm", "work"]);
    gate().exits(0);
}

#[test]
fn the_environment_of_git_leads_nowhere() {
    let project = repository();
    let other = repository();
    other.write("a", "two\n");
    let mut command = project.command(["gate", "--exclude", ".loki", "--base", &project.head()]);
    command.env("GIT_DIR", other.at(".git")).env("GIT_WORK_TREE", other.path()).env("GIT_INDEX_FILE", "none");
    Run::of(command).exits(1);
}

#[test]
fn a_base_that_is_named_may_be_short_a_branch_or_a_revision() {
    let project = repository();
    git(&project, "branch before");
    git(&project, "tag -a -m x tagged");
    let short = project.head()[..8].to_owned();
    project.write("a", "two\n");
    project.commit("work");
    for base in [short.as_str(), "before", "tagged", "refs/heads/before", "HEAD~1", "@^", "tagged^{commit}"] {
        let run = project.json(&format!("gate --exclude .loki --base {base}")).exits(0);
        assert_eq!(changed(&run), [("a".to_owned(), "committed".to_owned())], "{base}");
    }
    project.verify("gate --exclude .loki --base HEAD").exits(1);
    for base in ["HEAD~9", "HEAD:a", "before..HEAD"] {
        let run = project.json(&format!("gate --exclude .loki --base {base}")).exits(0);
        assert_eq!(run.value()["diff"]["inconclusive_reason"], "base_unreachable", "{base}");
    }
    project.verify("gate --exclude .loki --base HEAD --start-sha-file x").exits(2);
}

#[test]
fn a_profile_takes_the_base_from_the_environment_and_the_folder_too() {
    let project = repository();
    let first = project.head();
    project.write("a", "two\n");
    project.commit("work");
    project.write(".loki/state/start-sha", &project.head());
    let gate = |base: &str| {
        let elsewhere = Project::bare();
        let mut command = elsewhere.command(["gate", "--profile", "loki", "--format", "json"]);
        command.env("TARGET_DIR", project.path()).env("_LOKI_RUN_START_SHA", base);
        let run = Run::of(command);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "nothing is written elsewhere");
        run
    };
    gate("").exits(1);
    assert_eq!(changed(&gate(&first).exits(0)), [("a".to_owned(), "committed".to_owned())]);
    assert!(project.at(".loki/council/evidence-gate-details.json").exists());
}

#[test]
fn a_folder_below_the_root_sees_the_whole_work_tree() {
    let project = repository();
    project.write("sub/c", "");
    project.commit("start");
    let head = project.head();
    project.write("a", "two\n");
    let mut command = project.command(["gate", "--base", &head, "--exclude", "../.loki"]);
    command.current_dir(project.at("sub"));
    Run::of(command).exits(0);
    let mut command = project.command(["gate", "--base", &head, "--exclude", "../.loki", "../a"]);
    command.current_dir(project.at("sub"));
    Run::of(command).exits(1);
}
