use std::fs;
use std::process::Command;

use super::*;
use crate::observe::facts::FileMap;
use crate::observe::files::{Look, look};
use crate::observe::scratch::Scratch;
use crate::plan::PathSet;

fn open(scratch: &Scratch) -> Git {
    Git::discover(scratch.root()).unwrap().unwrap()
}

fn map(scratch: &Scratch) -> FileMap {
    let none = PathSet::none();
    let state_dir = scratch.path(".verify");
    let request =
        Look { id: "app", read_all: false, jobs: 1, ..Look::without_plan(scratch.root(), &state_dir, &none) };
    look(&request).unwrap().map
}

/// What was there before, as `change path`, with a `-` where nothing is in the work tree.
#[track_caller]
fn check(make: impl FnOnce(&Scratch), expected: &[&str]) {
    let scratch = Scratch::repository();
    make(&scratch);
    check_in(&scratch, expected);
}

#[track_caller]
fn check_in(scratch: &Scratch, expected: &[&str]) {
    let found = open(scratch).preexisting(&map(scratch)).unwrap();
    let found: Vec<String> = found
        .iter()
        .map(|found| {
            let change = format!("{:?}", found.change).to_lowercase();
            format!("{change} {}{}", found.path, if found.sha256.is_some() { "" } else { " -" })
        })
        .collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn check_unreadable(scratch: &Scratch, folder: &str, reason: &str) {
    let error = Git::discover(&scratch.path(folder)).and_then(|git| git.unwrap().facts()).unwrap_err();
    assert!(error.reason.contains(reason), "{error}");
}

#[test]
fn a_clean_checkout_has_no_changes() {
    check(|_| {}, &[]);
}

#[test]
fn changes_are_staged_unstaged_or_untracked() {
    check(
        |scratch| {
            scratch.write("src/b", "staged\n");
            scratch.git(&["add", "src/b"]);
            scratch.write("src/b", "and edited\n");
            scratch.write("a", "edited\n");
            scratch.write("new", "");
        },
        &["unstaged a", "untracked new", "staged src/b", "unstaged src/b"],
    );
}

#[test]
fn deletions_are_changes() {
    check(
        |scratch| {
            scratch.git(&["rm", "-q", "a"]);
            scratch.remove("src/b");
        },
        &["staged a -", "unstaged src/b -"],
    );
    check(|scratch| _ = scratch.git(&["rm", "-q", "--cached", "a"]), &["staged a", "untracked a"]);
}

#[test]
fn an_intended_addition_is_no_part_of_the_next_commit() {
    check(
        |scratch| {
            scratch.write("new", "new\n");
            scratch.git(&["add", "-N", "new"]);
        },
        &["unstaged new"],
    );
}

#[test]
fn a_conflict_is_both() {
    check(
        |scratch| {
            scratch.git(&["checkout", "-q", "-b", "other"]);
            scratch.write("a", "other\n");
            scratch.commit();
            scratch.git(&["checkout", "-q", "main"]);
            scratch.write("a", "main\n");
            scratch.commit();
            let merge = ["-c", "merge.conflictStyle=merge", "merge", "-q", "other"];
            let status = Command::new("git")
                .args(merge)
                .current_dir(scratch.root())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
                .envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
                .output()
                .unwrap();
            assert!(!status.status.success());
        },
        &["staged a", "unstaged a"],
    );
}

#[test]
fn touching_a_file_is_no_change() {
    check(|scratch| scratch.write("a", "a\n"), &[]);
}

#[test]
fn a_crlf_checkout_is_no_change() {
    check(|scratch| scratch.write("a", "a\r\n"), &[]);
    check(|scratch| scratch.write("a", "A\r\n"), &["unstaged a"]);
}

#[cfg(unix)]
#[test]
fn links_and_execute_bits_are_changes() {
    check(|scratch| scratch.chmod("a", 0o755), &["unstaged a"]);
    check(
        |scratch| {
            scratch.remove("a");
            scratch.link("a", "src/b");
        },
        &["unstaged a"],
    );
    check(
        |scratch| {
            scratch.git(&["config", "core.fileMode", "false"]);
            scratch.chmod("a", 0o755);
        },
        &[],
    );
}

#[test]
fn flags_hide_nothing() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        check(
            |scratch| {
                scratch.git(&["update-index", flag, "a"]);
                scratch.write("a", "edited behind git's back\n");
            },
            &["unstaged a"],
        );
    }
}

#[test]
fn flags_change_their_digest_and_not_the_index() {
    let scratch = Scratch::repository();
    let before = open(&scratch).facts().unwrap();
    let mut seen = vec![before.index_flags];
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        scratch.git(&["update-index", flag, "a"]);
        let now = open(&scratch).facts().unwrap();
        assert_eq!(now.index, before.index);
        assert!(!seen.contains(&now.index_flags), "{flag}");
        seen.push(now.index_flags);
    }
}

#[test]
fn a_refreshed_index_is_the_same_index() {
    let scratch = Scratch::repository();
    let before = open(&scratch).facts().unwrap();
    scratch.write("a", "a\n");
    scratch.git(&["status"]);
    assert_eq!(open(&scratch).facts().unwrap(), before);
    scratch.write("a", "A\n");
    scratch.git(&["add", "a"]);
    assert_ne!(open(&scratch).facts().unwrap().index, before.index);
}

#[test]
fn head_and_branch() {
    let scratch = Scratch::unborn();
    let facts = open(&scratch).facts().unwrap();
    assert_eq!((facts.head, facts.branch.as_deref(), facts.index), (None, Some("refs/heads/main"), None));

    scratch.commit();
    let head = Some(scratch.git(&["rev-parse", "HEAD"]));
    let facts = open(&scratch).facts().unwrap();
    assert_eq!((&facts.head, facts.branch.as_deref()), (&head, Some("refs/heads/main")));

    scratch.git(&["pack-refs", "--all"]);
    assert_eq!(open(&scratch).facts().unwrap().head, head);

    scratch.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    scratch.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
    let facts = open(&scratch).facts().unwrap();
    assert_eq!((&facts.head, facts.branch.as_deref()), (&head, Some("refs/heads/alias")));

    scratch.git(&["checkout", "-q", "--detach"]);
    let facts = open(&scratch).facts().unwrap();
    assert_eq!((&facts.head, facts.branch), (&head, None));
}

#[test]
fn an_unborn_branch_has_everything_untracked_or_staged() {
    let scratch = Scratch::unborn();
    scratch.write("a", "");
    scratch.write("b", "");
    scratch.git(&["add", "a"]);
    check_in(&scratch, &["staged a", "untracked b"]);
}

#[test]
fn the_root_is_found_from_below() {
    let scratch = Scratch::repository();
    fs::create_dir_all(scratch.path("x/.git")).unwrap();
    fs::create_dir_all(scratch.path("x/y")).unwrap();
    let git = Git::discover(&scratch.path("x/y")).unwrap().unwrap();
    assert_eq!(git.root(), scratch.root());
}

#[test]
fn no_git_is_no_error() {
    assert!(Git::discover(Scratch::plain().root()).unwrap().is_none());
}

#[test]
fn a_linked_worktree_has_its_own_head() {
    let scratch = Scratch::repository();
    scratch.git(&["worktree", "add", "-q", "-b", "side", "linked"]);
    scratch.write("linked/a", "edited\n");
    let git = Git::discover(&scratch.path("linked/src")).unwrap().unwrap();
    assert_eq!(git.root(), scratch.path("linked"));
    assert_eq!(git.facts().unwrap().branch.as_deref(), Some("refs/heads/side"));
    assert_eq!(git.tracked().len(), 2);
}

#[test]
fn sha256_repositories_are_read() {
    let scratch = Scratch::plain();
    scratch.git(&["init", "-q", "--object-format=sha256"]);
    scratch.write("a", "a\n");
    scratch.commit();
    scratch.write("a", "edited\n");
    assert_eq!(open(&scratch).facts().unwrap().head.unwrap().len(), 64);
    check_in(&scratch, &["unstaged a"]);
}

#[cfg(unix)]
#[test]
fn a_checkout_that_someone_else_owns_is_read() {
    let scratch = Scratch::repository();
    scratch.write("global", "theirs\n");
    scratch.git(&["config", "core.excludesFile", scratch.path("global").to_str().unwrap()]);
    for path in [".", ".git", ".git/config"] {
        if std::os::unix::fs::chown(scratch.path(path), Some(65_534), None).is_err() {
            eprintln!("not run: this user may not give files away");
            return;
        }
    }
    let git = open(&scratch);
    assert!(git.facts().unwrap().head.is_some());
    assert!(git.global_ignore().unwrap().iter().any(|source| source.text == "theirs\n"));
}

#[test]
fn what_is_tracked_comes_with_mode_and_id() {
    let scratch = Scratch::repository();
    let tracked = open(&scratch).tracked();
    let listed: Vec<_> =
        tracked.iter().map(|file| format!("{:o} {} 0\t{}", file.mode, file.oid, file.path)).collect();
    assert_eq!(listed.join("\n"), scratch.git(&["ls-files", "--stage"]));
}

#[test]
fn a_replaced_commit_has_no_power() {
    let scratch = Scratch::repository();
    let honest = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write("a", "forged\n");
    scratch.commit();
    let forged = scratch.git(&["rev-parse", "HEAD"]);
    scratch.git(&["reset", "-q", "--soft", &honest]);
    scratch.git(&["replace", &honest, &forged]);
    assert_eq!(scratch.git(&["status", "--short"]), "", "git itself is fooled");
    check_in(&scratch, &["staged a"]);
}

#[test]
fn a_file_system_monitor_is_not_asked() {
    check(
        |scratch| {
            scratch.write("lie", "#!/bin/sh\ntouch asked\nprintf 'token\\0'\n");
            scratch.git(&["config", "core.fsmonitor", "./lie"]);
            scratch.write("a", "edited\n");
        },
        &["unstaged a", "untracked lie"],
    );
}

#[test]
fn a_sparse_checkout_deletes_nothing() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let scratch = Scratch::repository();
        scratch.git(&["sparse-checkout", "set", "--cone", index]);
        assert!(!scratch.path("src").exists());
        check_in(&scratch, &[]);
    }
}

#[test]
fn a_submodule_that_moved_is_a_change() {
    let scratch = Scratch::repository();
    let library = Scratch::repository();
    scratch.git(&["submodule", "--quiet", "add", library.root().to_str().unwrap(), "lib"]);
    scratch.commit();
    check_in(&scratch, &[]);
    scratch.git_in("lib", &["commit", "-q", "--allow-empty", "-m", "moved"]);
    check_in(&scratch, &["unstaged lib"]);
    let inner = Git::discover(&scratch.path("lib")).unwrap().unwrap();
    assert_eq!(inner.root(), scratch.path("lib"), "a submodule can be the root");
}

#[test]
fn what_cannot_be_read_says_why() {
    let scratch = Scratch::plain();
    scratch.git(&["init", "-q", "--bare"]);
    check_unreadable(&scratch, "refs", "bare");

    let scratch = Scratch::repository();
    scratch.git(&["config", "core.worktree", "/tmp"]);
    let git = Git::discover(&scratch.path("src")).unwrap().unwrap();
    assert_eq!(git.facts().unwrap().elsewhere.as_deref(), Some("/tmp"));
    assert!(git.is_here().unwrap_err().reason.contains("core.worktree"));
    assert!(Git::open(scratch.root()).is_err());
    scratch.git(&["config", "--unset", "core.worktree"]);

    let scratch = Scratch::repository();
    scratch.git(&["config", "core.repositoryFormatVersion", "1"]);
    scratch.git(&["config", "extensions.tomorrow", "true"]);
    check_unreadable(&scratch, ".", "`tomorrow`");

    let scratch = Scratch::repository();
    scratch.git(&["config", "core.repositoryFormatVersion", "2"]);
    check_unreadable(&scratch, ".", "2");

    let scratch = Scratch::repository();
    fs::write(scratch.path(".git/index"), "DIRC nonsense").unwrap();
    check_unreadable(&scratch, ".", "index");

    let scratch = Scratch::repository();
    fs::write(scratch.path(".git/HEAD"), "nonsense").unwrap();
    check_unreadable(&scratch, ".", "");

    let scratch = Scratch::plain();
    scratch.write(".git", "gitdir: nowhere\n");
    check_unreadable(&scratch, ".", "");

    let scratch = Scratch::plain();
    if Command::new("git")
        .args(["init", "-q", "--ref-format=reftable"])
        .current_dir(scratch.root())
        .output()
        .is_ok_and(|output| output.status.success())
    {
        check_unreadable(&scratch, ".", "reftable");
    } else {
        eprintln!("not run: this git knows no reftable");
    }
}
