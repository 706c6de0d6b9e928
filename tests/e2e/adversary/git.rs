//! Git says what the baseline is, and can't be made to lie about the files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::projects::{GREETS, freeze, shell_files};
use super::{Row, row};
use crate::loops::SHELL;
use crate::support::{Project, Run};

/// A project whose stage `implement` may write `greet.sh` alone. There is a file `other`, too.
fn project() -> Project {
    let stage = "[[stages]]\nid = \"implement\"\nwrites = [\"greet.sh\"]\n>> other\nx\n>> greet.sh";
    Project::git(&SHELL.replace(">> greet.sh", stage))
}

/// The same with its tests frozen, and its product written.
fn done(project: Project) -> Project {
    let project = freeze(project);
    project.write("greet.sh", GREETS);
    project
}

/// Does something in the middle of the task, and judges.
#[track_caller]
fn meanwhile(row: &Row, trick: impl FnOnce(&Project)) {
    let project = done(project());
    trick(&project);
    row.judges(&project);
}

/// Does something before the task begins, goes through it, and judges.
#[track_caller]
fn from_the_start(row: &Row, set_up: impl FnOnce(&Project)) {
    let project = project();
    set_up(&project);
    let project = done(project);
    project.json("green --stage implement").exits(0);
    row.judges(&project);
}

fn git(project: &Project, words: &str) {
    project.run("git", words.split_whitespace());
}

fn executable(path: PathBuf) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn assume_unchanged() {
    meanwhile(row("assume_unchanged"), |project| {
        git(project, "update-index --assume-unchanged other");
        project.write("other", "y");
    });
}

#[test]
fn assume_unchanged_from_the_start() {
    from_the_start(row("assume_unchanged_from_the_start"), |project| {
        git(project, "update-index --assume-unchanged other");
    });
}

#[test]
fn modes_made_not_to_count() {
    meanwhile(row("modes_made_not_to_count"), |project| git(project, "config core.fileMode false"));
}

#[test]
fn skip_worktree() {
    meanwhile(row("skip_worktree"), |project| {
        git(project, "update-index --skip-worktree other");
        project.write("other", "y");
    });
}

#[test]
fn skip_worktree_from_the_start() {
    from_the_start(row("skip_worktree_from_the_start"), |project| {
        git(project, "update-index --skip-worktree other");
    });
}

#[test]
fn lying_fsmonitor() {
    meanwhile(row("lying_fsmonitor"), |project| {
        project.write(".git/monitor", "#!/bin/sh\nprintf 'token\\0'\n");
        executable(project.at(".git/monitor"));
        git(project, "config core.fsmonitor .git/monitor");
        project.write("other", "y");
    });
}

#[test]
fn fsmonitor_of_git() {
    from_the_start(row("fsmonitor_of_git"), |project| git(project, "config core.fsmonitor true"));
}

#[test]
fn sparse_checkout() {
    meanwhile(row("sparse_checkout"), |project| git(project, "sparse-checkout set --no-cone /* !/other"));
}

#[test]
fn sparse_checkout_from_the_start() {
    from_the_start(row("sparse_checkout_from_the_start"), |project| {
        project.write("docs/long.txt", "text\n");
        project.commit("docs");
        git(project, "sparse-checkout set --no-cone /* !/docs/");
        assert!(!project.at("docs").exists());
    });
}

#[test]
fn info_exclude() {
    meanwhile(row("info_exclude"), |project| {
        project.write("hidden.c", "int x;\n");
        project.write(".git/info/exclude", "hidden.c\n");
    });
}

#[test]
fn new_line_in_gitignore() {
    let project = done(Project::git(SHELL));
    project.write(".gitignore", "dist/\n");
    project.write("dist/out", "");
    row("new_line_in_gitignore").judges(&project);
}

#[test]
fn nested_repository() {
    meanwhile(row("nested_repository"), |project| {
        project.write("vendor/hidden.c", "int x;\n");
        git(project, "init -q vendor");
    });
}

#[test]
fn nested_repository_from_the_start() {
    from_the_start(row("nested_repository_from_the_start"), |project| {
        project.write("vendor/own.c", "int x;\n");
        git(project, "init -q vendor");
    });
}

#[test]
fn nested_repository_that_is_one_no_more() {
    let project = project();
    project.write("vendor/own.c", "int x;\n");
    git(&project, "init -q vendor");
    let project = done(project);
    fs::remove_dir_all(project.at("vendor/.git")).unwrap();
    row("nested_repository_that_is_one_no_more").judges(&project);
}

/// A project with a submodule.
fn with_submodule() -> Project {
    let library = Project::git(">> code.c\nint x;\n");
    let project = project();
    let url = library.path().to_str().unwrap();
    project.run("git", ["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "library"]);
    project.commit("submodule");
    project
}

#[test]
fn edit_in_a_submodule() {
    let project = done(with_submodule());
    project.write("library/code.c", "int y;\n");
    row("edit_in_a_submodule").judges(&project);
}

#[test]
fn submodule() {
    let project = done(with_submodule());
    project.json("green --stage implement").exits(0);
    row("submodule").judges(&project);
}

/// A project whose file `notes` is edited before the task begins.
fn edited_before() -> Project {
    let project = Project::git(&shell_files("sh tests/greet.sh", ">> notes\nold\n"));
    project.write("notes", "mine\n");
    project
}

#[test]
fn replaced_base() {
    let project = edited_before();
    // A commit that has the edit stands in for the one that hasn't, so that git sees no change.
    let base = project.head();
    project.commit("with the edit");
    let replacement = project.head();
    git(&project, &format!("reset -q --soft {base}"));
    git(&project, &format!("replace {base} {replacement}"));
    assert_eq!(project.run("git", ["status", "--porcelain"]), "");
    let project = done(project);
    project.write("notes", "changed\n");
    row("replaced_base").judges(&project);
}

#[test]
fn replaced_commit_of_long_ago() {
    from_the_start(row("replaced_commit_of_long_ago"), |project| {
        let before = project.head();
        project.write("other", "y");
        project.commit("second");
        git(project, &format!("replace {} {before}", project.head()));
    });
}

#[test]
fn work_in_progress_adopted() {
    let project = Project::git(SHELL);
    project.write("greet.sh", "greet() { :; }\n");
    project.json("begin --adopt greet.sh").exits(0);
    project.json("red").exits(0);
    project.write("greet.sh", GREETS);
    project.json("green").exits(0);
    row("work_in_progress_adopted").judges(&project);
}

#[test]
fn work_in_progress_touched() {
    let project = done(edited_before());
    project.write("notes", "changed\n");
    row("work_in_progress_touched").judges(&project);
}

#[test]
fn clean_filter() {
    meanwhile(row("clean_filter"), |project| {
        project.write(".git/info/attributes", "* filter=same\n");
        project.run("git", ["config", "filter.same.clean", "echo x"]);
        project.write("other", "y");
    });
}

#[test]
fn filter_in_gitattributes() {
    let project = done(Project::git(SHELL));
    project.write(".gitattributes", "*.sh filter=fake\n");
    row("filter_in_gitattributes").judges(&project);
}

#[test]
fn binary_in_gitattributes() {
    let project = done(Project::git(SHELL));
    project.write(".gitattributes", "*.png binary\n");
    row("binary_in_gitattributes").judges(&project);
}

#[test]
fn crlf_checkout() {
    let project = project();
    git(&project, "config core.autocrlf true");
    for file in ["other", "greet.sh", "tests/greet.sh"] {
        project.remove(file);
        git(&project, &format!("checkout {file}"));
    }
    assert_eq!(project.read("other"), "x\r\n");
    let task = project.json("begin").exits(0).value();
    let baseline = task["baseline"].as_object().unwrap().values().next().unwrap();
    assert_eq!(baseline["preexisting"].as_array().unwrap().len(), 0, "{baseline:#}");
    row("crlf_checkout").judges(&project);
}

#[test]
fn mode_where_git_looks_at_none() {
    meanwhile(row("mode_where_git_looks_at_none"), |project| {
        git(project, "config core.fileMode false");
        executable(project.at("other"));
    });
}

#[test]
fn modes_that_git_looks_not_at() {
    from_the_start(row("modes_that_git_looks_not_at"), |project| {
        git(project, "config core.fileMode false");
        executable(project.at("other"));
    });
}

#[test]
fn work_tree_led_away() {
    meanwhile(row("work_tree_led_away"), |project| git(project, "config core.worktree /tmp"));
}

#[test]
fn work_tree_led_away_before() {
    let project = project();
    git(&project, "config core.worktree /tmp");
    row("work_tree_led_away_before").judges(&project);
}

#[test]
fn linked_work_tree() {
    let project = project();
    git(&project, "worktree add -q linked -b linked");
    let plan = "--plan linked/verify.toml";
    project.json(&format!("begin {plan}")).exits(0);
    project.json(&format!("red {plan}")).exits(0);
    project.write("linked/greet.sh", GREETS);
    project.json(&format!("green {plan}")).exits(0);
    row("linked_work_tree").meets(project.json(&format!("deliver {plan}")));
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

/// Runs with every such variable in the shell.
fn moved(project: &Project, words: &str) -> Run {
    let (decoy, home) = (Project::git(SHELL), Project::bare());
    home.write(".gitconfig", "[core]\nexcludesFile = ~/mine\n");
    home.write("mine", "from-the-user\n");
    let mut command = project.command(words.split(' ').chain(["--format", "json"]));
    command.envs(elsewhere(&decoy, &home));
    Run::of(command)
}

#[test]
fn environment_that_moves_git() {
    let project = done(project());
    project.write("other", "y");
    let row = row("environment_that_moves_git");
    row.meets(moved(&project, &row.at));
}

#[test]
fn environment_of_an_honest_shell() {
    let project = project();
    project.write(".git/info/exclude", "from-exclude\n");
    let head = project.head();
    let task = moved(&project, "begin").exits(0).value();
    let baseline = task["baseline"].as_object().unwrap().values().next().unwrap();
    assert_eq!(baseline["head"], head.as_str());
    assert_eq!(baseline["preexisting"].as_array().unwrap().len(), 0, "{baseline:#}");
    let sources = baseline["ignore"].as_array().unwrap();
    let texts: Vec<_> = sources.iter().map(|source| source["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["from-the-user\n", "from-exclude\n"]);
    moved(&project, "red").exits(0);
    project.write("greet.sh", GREETS);
    project.json("green --stage implement").exits(0);
    moved(&project, "green --stage implement").exits(0);
    row("environment_of_an_honest_shell").meets(moved(&project, "deliver"));
}

#[test]
fn base_commit_gone() {
    meanwhile(row("base_commit_gone"), |project| {
        git(project, "commit -q --amend -m other");
        git(project, "reflog expire --expire=now --all");
        git(project, "gc -q --prune=now");
    });
}

#[test]
fn commit_in_between() {
    meanwhile(row("commit_in_between"), |project| project.commit("early"));
}

#[test]
fn commits_where_the_plan_lets_them() {
    let project =
        freeze(Project::git(&SHELL.replace("[freeze]", "[guard]\nhead = \"may-advance\"\n[freeze]")));
    project.write("greet.sh", GREETS);
    project.commit("early");
    project.json("green").exits(0);
    row("commits_where_the_plan_lets_them").judges(&project);
}

#[test]
fn branch_in_between() {
    meanwhile(row("branch_in_between"), |project| git(project, "checkout -q -b other"));
}

#[test]
fn detached_head() {
    from_the_start(row("detached_head"), |project| git(project, "checkout -q --detach"));
}

#[test]
fn staged_in_between() {
    meanwhile(row("staged_in_between"), |project| git(project, "add greet.sh"));
}

#[test]
fn commit_between_two_tasks() {
    let project = done(Project::git(SHELL));
    project.json("green").exits(0);
    project.json("deliver").exits(0);
    project.write("greet.sh", "greet() { echo; }\n");
    project.commit("delivered, and wrong again");
    let project = done(project);
    project.json("green").exits(0);
    row("commit_between_two_tasks").judges(&project);
}

#[test]
fn baseline_of_an_earlier_task() {
    let project = done(Project::git(SHELL));
    project.json("green").exits(0);
    project.json("deliver").exits(0);
    project.commit("delivered");
    // Red and green of the first task, and its diff, are there; the second has none.
    project.json("begin").exits(0);
    row("baseline_of_an_earlier_task").judges(&project);
}

#[test]
fn no_git() {
    let project = Project::bare();
    project.files(SHELL);
    let project = done(project);
    project.json("green").exits(0);
    row("no_git").judges(&project);
}

#[test]
fn unborn_head() {
    let project = Project::bare();
    project.files(SHELL);
    git(&project, "init -q -b main");
    project.json("begin --adopt greet.sh").exits(0);
    project.json("red").exits(0);
    project.write("greet.sh", GREETS);
    project.json("green").exits(0);
    row("unborn_head").judges(&project);
}

/// All that git knows is that nothing is committed: no edit of somebody's stands apart from the rest.
#[test]
fn unborn_head_as_it_is() {
    let project = Project::bare();
    project.files(SHELL);
    git(&project, "init -q -b main");
    let project = done(project);
    project.json("green").exits(0);
    row("unborn_head_as_it_is").judges(&project);
}

#[test]
fn tags_branches_and_remotes_in_between() {
    meanwhile(row("tags_branches_and_remotes_in_between"), |project| {
        git(project, "tag v1");
        git(project, "branch idea");
        git(project, "remote add origin https://example.test/a.git");
        project.write(".git/hooks/pre-commit", "#!/bin/sh\n");
    });
}

#[test]
fn packed_in_between() {
    meanwhile(row("packed_in_between"), |project| {
        git(project, "pack-refs --all");
        git(project, "gc -q");
    });
}

#[test]
fn shallow_clone() {
    let origin = project();
    origin.commit("second");
    let project = Project::bare();
    let url = format!("file://{}", origin.path().display());
    project.run("git", ["clone", "-q", "--depth", "1", &url, "."]);
    let project = done(project);
    project.json("green --stage implement").exits(0);
    row("shallow_clone").judges(&project);
}

#[test]
fn line_ends_in_gitattributes() {
    let project = done(Project::git(SHELL));
    project.write(".gitattributes", "* text=auto eol=lf\n*.sh diff=bash\n");
    row("line_ends_in_gitattributes").judges(&project);
}
