//! Git says what the baseline is, and can't be made to lie about the files; with the everyday of every trick.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::loops::SHELL;
use crate::support::{Project, Run};

/// A project whose stage `implement` may write `greet.sh` alone. There is a file `other`, too.
fn project() -> Project {
    let stage = "[[stages]]\nid = \"implement\"\nwrites = [\"greet.sh\"]\n>> other\nx\n>> greet.sh";
    Project::git(&SHELL.replace(">> greet.sh", stage))
}

/// The same with its tests frozen, and its product written.
fn frozen(project: &Project) {
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
}

/// Does something that git is asked to hide, and sees it refused.
#[track_caller]
fn refused(trick: impl FnOnce(&Project), code: &str) {
    let project = project();
    frozen(&project);
    trick(&project);
    project.json("green --stage implement").exits(1).names(code);
}

/// Makes a repository that is unusual from the start, and sees it delivered.
#[track_caller]
fn delivered(set_up: impl FnOnce(&Project)) {
    let project = project();
    set_up(&project);
    frozen(&project);
    project.json("green --stage implement").exits(0);
    project.json("deliver").exits(0);
}

fn git(project: &Project, words: &str) {
    project.run("git", words.split_whitespace());
}

fn executable(path: PathBuf) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_edit_behind_assume_unchanged_or_skip_worktree_is_seen() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let hide = |project: &Project| {
            git(project, &format!("update-index {flag} other"));
            project.write("other", "y");
        };
        refused(hide, "outside-scope");
        refused(hide, "index-flag-set");
        delivered(|project| git(project, &format!("update-index {flag} other")));
    }
}

#[test]
fn a_monitor_that_lies_is_not_asked() {
    let lie = |project: &Project| {
        project.write(".git/monitor", "#!/bin/sh\n: > asked\nprintf 'token\\0'\n");
        executable(project.at(".git/monitor"));
        git(project, "config core.fsmonitor .git/monitor");
    };
    refused(
        |project| {
            lie(project);
            project.write("other", "y");
        },
        "outside-scope",
    );
    delivered(|project| git(project, "config core.fsmonitor true"));
}

#[test]
fn a_clean_filter_is_not_run() {
    let trick = |project: &Project| {
        project.write(".git/info/attributes", "* filter=same\n");
        project.run("git", ["config", "filter.same.clean", "echo x"]);
        project.write("other", "y");
    };
    refused(trick, "outside-scope");
}

#[test]
fn a_mode_counts_though_core_file_mode_says_no() {
    refused(
        |project| {
            git(project, "config core.fileMode false");
            executable(project.at("other"));
        },
        "outside-scope",
    );
    delivered(|project| {
        git(project, "config core.fileMode false");
        executable(project.at("other"));
    });
}

#[test]
fn an_edit_with_size_and_time_restored_is_seen() {
    let trick = |project: &Project| {
        let modified = fs::metadata(project.at("other")).unwrap().modified().unwrap();
        project.write("other", "y\n");
        fs::File::options().write(true).open(project.at("other")).unwrap().set_modified(modified).unwrap();
    };
    refused(trick, "outside-scope");
}

#[test]
fn an_edit_through_a_hard_link_is_seen() {
    let trick = |project: &Project| {
        let outside = Project::bare();
        fs::hard_link(project.at("tests/greet.sh"), outside.at("door")).unwrap();
        let mut text = project.read("tests/greet.sh");
        text.push('#');
        fs::write(outside.at("door"), text).unwrap();
    };
    refused(trick, "frozen-edited");
}

#[test]
fn a_replaced_commit_is_not_the_base() {
    delivered(|project| {
        let before = project.head();
        project.write("other", "y");
        project.commit("second");
        git(project, &format!("replace {} {before}", project.head()));
    });
}

#[test]
fn a_nested_repository_hides_no_file() {
    let trick = |project: &Project| {
        project.write("vendor/hidden.c", "int x;\n");
        git(project, "init -q vendor");
    };
    refused(trick, "outside-scope");
    delivered(trick_before);
}

fn trick_before(project: &Project) {
    project.write("vendor/own.c", "int x;\n");
    git(project, "init -q vendor");
}

#[test]
fn a_folder_that_becomes_a_repository_or_is_one_no_more_is_seen() {
    refused(|project| git(project, "init -q vendor"), "nested-repository-changed");
    let project = project();
    trick_before(&project);
    frozen(&project);
    fs::remove_dir_all(project.at("vendor/.git")).unwrap();
    project.json("green").exits(1).names("nested-repository-changed");
}

#[test]
fn a_checkout_that_becomes_sparse_is_seen() {
    let sparse = |project: &Project| git(project, "sparse-checkout set --no-cone /* !/other");
    refused(sparse, "sparse-changed");
    refused(sparse, "index-flag-set");
}

#[test]
fn a_work_tree_that_git_is_led_away_from_is_seen() {
    let lead_away = |project: &Project| git(project, "config core.worktree /tmp");
    refused(lead_away, "worktree-moved");
    let project = project();
    lead_away(&project);
    let error = project.json("begin").exits(3).value();
    assert_eq!(error["code"], "git-unreadable");
    git(&project, "config --unset core.worktree");
    project.json("begin").exits(0);
}

#[test]
fn sparse_checkouts_linked_work_trees_and_detached_heads_are_everyday() {
    delivered(|project| {
        project.write("docs/long.txt", "text\n");
        project.commit("docs");
        git(project, "sparse-checkout set --no-cone /* !/docs/");
        assert!(!project.at("docs").exists());
    });
    delivered(|project| git(project, "checkout -q --detach"));

    let project = project();
    git(&project, "worktree add -q linked -b linked");
    for words in ["begin", "red", "green", "deliver"] {
        if words == "green" {
            project.write("linked/greet.sh", "greet() { echo \"hello $1\"; }\n");
        }
        project.json(&format!("{words} --plan linked/verify.toml")).exits(0);
    }
}

#[test]
fn a_submodule_is_looked_into() {
    let library = Project::git(">> code.c\nint x;\n");
    let project = project();
    let url = library.path().to_str().unwrap();
    project.run("git", ["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "library"]);
    project.commit("submodule");
    frozen(&project);
    project.json("green --stage implement").exits(0);
    project.write("library/code.c", "int y;\n");
    let status = project.json("status").exits(0).value();
    assert_eq!(status["stale"][0]["path"], "library");
    project.json("green --stage implement").exits(1).names("outside-scope");
    project.write("library/code.c", "int x;\n");
    project.json("deliver").exits(0);
}

#[test]
fn a_checkout_with_crlf_has_no_change_of_its_own() {
    let project = project();
    git(&project, "config core.autocrlf true");
    project.remove("other");
    git(&project, "checkout other");
    assert_eq!(project.read("other"), "x\r\n");
    let task = project.json("begin").exits(0).value();
    let baseline = task["baseline"].as_object().unwrap().values().next().unwrap();
    assert_eq!(baseline["preexisting"].as_array().unwrap().len(), 0, "{baseline:#}");
}

/// Variables that would make git look at another repository, index or configuration.
fn elsewhere(decoy: &Project, home: &Project) -> Vec<(&'static str, PathBuf)> {
    let folder = decoy.at(".git");
    let nowhere = decoy.at("nowhere");
    vec![
        ("HOME", home.path().to_owned()),
        ("XDG_CONFIG_HOME", home.path().to_owned()),
        ("GIT_DIR", folder.clone()),
        ("GIT_WORK_TREE", decoy.path().to_owned()),
        ("GIT_COMMON_DIR", folder),
        ("GIT_INDEX_FILE", nowhere.clone()),
        ("GIT_OBJECT_DIRECTORY", nowhere.clone()),
        ("GIT_CONFIG_GLOBAL", nowhere.clone()),
        ("GIT_CONFIG_COUNT", "1".into()),
        ("GIT_CONFIG_KEY_0", "core.excludesFile".into()),
        ("GIT_CONFIG_VALUE_0", nowhere),
        ("GIT_NAMESPACE", "elsewhere".into()),
        ("GIT_CEILING_DIRECTORIES", Path::new("/").to_owned()),
    ]
}

#[test]
fn the_environment_moves_nothing() {
    let project = project();
    let (decoy, home) = (Project::git(SHELL), Project::bare());
    home.write(".gitconfig", "[core]\nexcludesFile = ~/mine\n");
    home.write("mine", "from-the-user\n");
    project.write(".git/info/exclude", "from-exclude\n");
    let head = project.head();
    let moved = |words: &str| {
        let mut command = project.command(words.split(' ').chain(["--format", "json"]));
        command.envs(elsewhere(&decoy, &home));
        Run::of(command)
    };

    let task = moved("begin").exits(0).value();
    let baseline = task["baseline"].as_object().unwrap().values().next().unwrap();
    assert_eq!(baseline["head"], head.as_str());
    assert_eq!(baseline["preexisting"].as_array().unwrap().len(), 0, "{baseline:#}");
    let sources = baseline["ignore"].as_array().unwrap();
    let texts: Vec<_> = sources.iter().map(|source| source["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["from-the-user\n", "from-exclude\n"]);

    moved("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.json("green --stage implement").exits(0);
    moved("green --stage implement").exits(0);
    moved("deliver").exits(0);
}
