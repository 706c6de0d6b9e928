//! Files: their bytes, kinds, names and times; and the records about them.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use super::projects::{GREETS, freeze, shell_done, shell_files, with_line};
use super::{Row, row};
use crate::support::{Project, hermetic};

/// A project with a file `other`, frozen, whose stage `implement` may write `greet.sh` and `src/**`; its product is
/// written.
fn project(more: &str) -> Project {
    let stage =
        "\n[[stages]]\nid = \"implement\"\nwrites = [\"greet.sh\", \"src/**\"]\n>> other\nx\n>> greet.sh";
    let files = shell_files("sh tests/greet.sh", "").replace(">> greet.sh", stage);
    let project = freeze(Project::git(&format!("{files}{more}")));
    project.write("greet.sh", GREETS);
    project
}

/// Does something in the middle of the task, and judges.
#[track_caller]
fn meanwhile(row: &Row, trick: impl FnOnce(&Project)) {
    let project = project("");
    trick(&project);
    row.judges(&project);
}

fn put_back_in_time(project: &Project, path: &str, text: &str) {
    let modified = fs::metadata(project.at(path)).unwrap().modified().unwrap();
    project.write(path, text);
    fs::File::options().write(true).open(project.at(path)).unwrap().set_modified(modified).unwrap();
}

#[test]
fn same_size_and_time() {
    meanwhile(row("same_size_and_time"), |project| put_back_in_time(project, "other", "y\n"));
}

#[test]
fn written_anew_with_the_same_bytes() {
    meanwhile(row("written_anew_with_the_same_bytes"), |project| {
        for file in ["other", "tests/greet.sh"] {
            let text = project.read(file);
            project.remove(file);
            project.write(file, &text);
        }
    });
}

#[test]
fn edited_test() {
    meanwhile(row("edited_test"), |project| project.edit("tests/greet.sh", "hello ada", "hello"));
}

#[test]
fn edited_test_put_back() {
    meanwhile(row("edited_test_put_back"), |project| {
        let before = project.read("tests/greet.sh");
        project.edit("tests/greet.sh", "hello ada", "hello");
        project.json("green --stage implement").exits(1).names("frozen-edited");
        project.write("tests/greet.sh", &before);
    });
}

#[test]
fn added_test_file() {
    meanwhile(row("added_test_file"), |project| project.write("tests/more.sh", ""));
}

#[test]
fn deleted_test() {
    meanwhile(row("deleted_test"), |project| project.remove("tests/greet.sh"));
}

#[test]
fn mode_of_a_test() {
    meanwhile(row("mode_of_a_test"), |project| {
        fs::set_permissions(project.at("tests/greet.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    });
}

#[test]
fn file_of_an_editor() {
    meanwhile(row("file_of_an_editor"), |project| {
        for file in [".DS_Store", "tests/.DS_Store", "tests/.greet.sh.swp", "tests/greet.sh~"] {
            project.write(file, "x");
        }
    });
}

#[test]
fn test_folder_behind_a_link() {
    meanwhile(row("test_folder_behind_a_link"), |project| {
        fs::rename(project.at("tests"), project.at("src")).unwrap();
        symlink("src", project.at("tests")).unwrap();
    });
}

#[test]
fn test_behind_a_link_with_the_same_text() {
    meanwhile(row("test_behind_a_link_with_the_same_text"), |project| {
        fs::create_dir(project.at("src")).unwrap();
        fs::rename(project.at("tests/greet.sh"), project.at("src/elsewhere.sh")).unwrap();
        symlink("../src/elsewhere.sh", project.at("tests/greet.sh")).unwrap();
    });
}

#[test]
fn links_inside_the_repository() {
    let project = Project::git(&shell_files("sh tests/link.sh", ""));
    symlink("greet.sh", project.at("tests/link.sh")).unwrap();
    symlink("greet.sh", project.at("old-name.sh")).unwrap();
    project.commit("links");
    let project = freeze(project);
    project.write("greet.sh", GREETS);
    symlink("greet.sh", project.at("new-name.sh")).unwrap();
    row("links_inside_the_repository").judges(&project);
}

#[test]
fn link_out_of_the_repository() {
    meanwhile(row("link_out_of_the_repository"), |project| {
        fs::create_dir(project.at("src")).unwrap();
        symlink("/etc/hostname", project.at("src/name")).unwrap();
    });
}

#[test]
fn pipe_among_the_tests() {
    let project = Project::git(&shell_files("sh tests/greet.sh", ""));
    project.run("mkfifo", ["tests/pipe"]);
    project.json("begin").exits(0);
    row("pipe_among_the_tests").judges(&project);
}

#[test]
fn pipe_elsewhere() {
    let project = Project::git(&shell_files("sh tests/greet.sh", ""));
    project.run("mkfifo", ["pipe"]);
    project.json("begin").exits(0);
    row("pipe_elsewhere").judges(&project);
}

#[test]
fn case_only_rename_of_a_test() {
    meanwhile(row("case_only_rename_of_a_test"), |project| {
        fs::rename(project.at("tests/greet.sh"), project.at("tests/Greet.sh")).unwrap();
    });
}

#[test]
fn case_only_rename_of_a_product_file() {
    let project = project(">> src/names.txt\nada\n");
    fs::rename(project.at("src/names.txt"), project.at("src/Names.txt")).unwrap();
    row("case_only_rename_of_a_product_file").judges(&project);
}

/// The same name, composed and decomposed.
const COMPOSED: &str = "tests/caf\u{e9}.txt";
const DECOMPOSED: &str = "tests/cafe\u{301}.txt";

#[test]
fn twin_by_another_normal_form() {
    let project = project(&format!(">> {COMPOSED}\none\n"));
    project.write(DECOMPOSED, "two\n");
    row("twin_by_another_normal_form").judges(&project);
}

#[test]
fn names_that_are_not_ascii() {
    let project = project(&format!(">> {COMPOSED}\none\n>> src/naïve.txt\nx\n"));
    project.write("src/日本.txt", "x\n");
    row("names_that_are_not_ascii").judges(&project);
}

/// Names that text tools trip over.
const ODD: [&[u8]; 3] = [b"new\nline", b"not\xffutf-8", b" -rf \"quoted\"\t"];

#[test]
fn odd_names_outside_of_the_stage() {
    for name in ODD {
        meanwhile(row("odd_names_outside_of_the_stage"), |project| {
            fs::write(project.path().join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
        });
    }
}

#[test]
fn odd_names() {
    let project = project("");
    fs::create_dir(project.at("src")).unwrap();
    for name in ODD {
        fs::write(project.at("src").join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
    }
    project.json("green --stage implement").exits(0);
    row("odd_names").judges(&project);
}

#[test]
fn edit_through_a_hard_link() {
    meanwhile(row("edit_through_a_hard_link"), |project| {
        let outside = Project::bare();
        fs::hard_link(project.at("tests/greet.sh"), outside.at("door")).unwrap();
        fs::write(outside.at("door"), format!("{}#", project.read("tests/greet.sh"))).unwrap();
    });
}

#[test]
fn hard_linked_modules() {
    let store = Project::bare();
    store.write("index.js", "module.exports = 1;\n");
    let project = Project::git(&shell_files("sh tests/greet.sh", ">> .gitignore\nnode_modules/\n"));
    fs::create_dir_all(project.at("node_modules/one")).unwrap();
    fs::hard_link(store.at("index.js"), project.at("node_modules/one/index.js")).unwrap();
    let project = freeze(project);
    project.write("greet.sh", GREETS);
    store.write("index.js", "module.exports = 2;\n");
    row("hard_linked_modules").judges(&project);
}

/// A product that does this when it is loaded.
#[track_caller]
fn while_it_runs(row: &Row, deed: &str) {
    let project = project("");
    project.write("greet.sh", &format!("{GREETS}{deed}\n"));
    row.judges(&project);
}

#[test]
fn edit_while_it_runs() {
    while_it_runs(row("edit_while_it_runs"), "echo y > other");
}

#[test]
fn swap_while_it_runs_and_back() {
    while_it_runs(
        row("swap_while_it_runs_and_back"),
        "cp tests/greet.sh .verify/aside; echo 'exit 0' > tests/greet.sh; cp .verify/aside tests/greet.sh",
    );
}

#[test]
fn swap_by_renames_while_it_runs() {
    while_it_runs(
        row("swap_by_renames_while_it_runs"),
        "cp -p other .verify/aside; echo y > .verify/new; mv .verify/new other; mv .verify/aside other",
    );
}

#[test]
fn files_that_are_only_read_while_it_runs() {
    while_it_runs(
        row("files_that_are_only_read_while_it_runs"),
        "cat other tests/greet.sh > /dev/null; ls -lR > /dev/null",
    );
}

#[test]
fn cache_written_while_it_runs() {
    while_it_runs(
        row("cache_written_while_it_runs"),
        "mkdir -p src/__pycache__ .pytest_cache; date > src/__pycache__/a.pyc; date > .pytest_cache/lastfailed",
    );
}

#[test]
fn file_that_the_check_may_write() {
    let test =
        shell_files("sh tests/greet.sh", "").replace(". ./greet.sh", ". ./greet.sh\ndate > Cargo.lock");
    let project = freeze(Project::git(&with_line(&test, "may_write = [\"Cargo.lock\"]")));
    project.write("greet.sh", GREETS);
    project.json("green").exits(0);
    row("file_that_the_check_may_write").judges(&project);
}

#[test]
fn process_left_over() {
    let project = project("");
    project.write("greet.sh", &format!("{GREETS}sleep 600 > /dev/null 2>&1 &\n"));
    row("process_left_over").judges(&project);
}

#[test]
fn write_outside_of_the_stage() {
    meanwhile(row("write_outside_of_the_stage"), |project| project.write("README", "hello\n"));
}

#[test]
fn stage_of_tests_then_stage_of_work() {
    let stages = "\n[[stages]]\nid = \"tests\"\nwrites = [\"tests/**\"]\n[[stages]]\nid = \"implement\"\nwrites = [\"*.sh\"]\n\
                  >> greet.sh";
    let project = Project::git(&shell_files("sh tests/greet.sh", "").replace(">> greet.sh", stages));
    project.json("begin").exits(0);
    project.edit("tests/greet.sh", "hello ada", "hello  ada");
    project.json("red --stage tests").exits(0);
    project.write("greet.sh", "greet() { echo \"hello  $1\"; }\n");
    project.json("green --stage implement").exits(0);
    row("stage_of_tests_then_stage_of_work").judges(&project);
}

/// A project after an accepted green.
fn green() -> Project {
    let project = shell_done("sh tests/greet.sh", "");
    project.json("green").exits(0);
    project
}

/// Reads a record, changes it, and writes it.
fn rewrite(project: &Project, path: &str, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_str(&project.read(path)).unwrap();
    change(&mut value);
    project.write(path, &value.to_string());
}

#[test]
fn record_edited() {
    let project = shell_done("sh tests/greet.sh", "");
    project.write("greet.sh", "greet() { :; }\n");
    project.json("green").exits(1);
    rewrite(&project, ".verify/evidence/green-0001.json", |record| {
        record["passed"] = true.into();
        record["problems"] = Value::Array(Vec::new());
        record["checks"][0]["passed"] = true.into();
        record["checks"][0]["problems"] = Value::Array(Vec::new());
    });
    row("record_edited").judges(&project);
}

#[test]
fn record_deleted() {
    let project = shell_done("sh tests/greet.sh", "");
    project.write("greet.sh", "greet() { :; }\n");
    project.json("green").exits(1);
    project.remove(".verify/evidence/green-0001.json");
    let run =
        hermetic(env!("CARGO_BIN_EXE_verify"), project.path()).args(["log", "--check"]).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    let row = row("record_deleted");
    assert_eq!(run.status.code(), Some(row.exit()), "{said}");
    assert!(said.contains(&row.codes[0]), "{said}");
}

#[test]
fn records_that_are_whole() {
    let project = green();
    row("records_that_are_whole").judges(&project);
}

#[test]
fn frozen_set_edited() {
    let project = green();
    project.edit("tests/greet.sh", "hello ada", "hello");
    let hash = project.run("sha256sum", ["tests/greet.sh"])[..64].to_owned();
    let before = project.run("git", ["show", "HEAD:tests/greet.sh"]);
    project.write(".verify/aside", &before);
    let old = project.run("sha256sum", [".verify/aside"])[..64].to_owned();
    let frozen = project.read(".verify/frozen.json");
    assert!(frozen.contains(&old), "{frozen}");
    project.write(".verify/frozen.json", &frozen.replace(&old, &hash));
    row("frozen_set_edited").judges(&project);
}

#[test]
fn record_from_another_project() {
    // The record of a project whose test was weak from the start.
    let other = green();
    let project = shell_done("sh tests/greet.sh", "");
    project.write("greet.sh", "greet() { :; }\n");
    for file in ["evidence/green-0001.json", "evidence/green-0001.greeting.log"] {
        fs::copy(other.at(&format!(".verify/{file}")), project.at(&format!(".verify/{file}"))).unwrap();
    }
    row("record_from_another_project").judges(&project);
}

#[test]
fn state_from_another_plan() {
    let named = |files: &str| files.replace("[freeze]", "[repositories.app]\npath = \".\"\n[freeze]");
    // The whole state of a task under a plan that asks for nothing.
    let files = named(&shell_files("sh tests/greet.sh", ""));
    let other =
        freeze(Project::git(&files.replace("identities = [\"greets by name\"]", "identities = \"any\"")));
    other.write("greet.sh", GREETS);
    other.json("green").exits(0);
    let project = Project::git(&files);
    project.write("greet.sh", GREETS);
    project.run("cp", ["-r", other.at(".verify").to_str().unwrap(), ".verify"]);
    row("state_from_another_plan").judges(&project);
}

#[test]
fn state_in_a_folder_of_its_own() {
    let elsewhere = Project::bare();
    let project = Project::git(&shell_files("sh tests/greet.sh", ""));
    let state = format!("--state-dir {}", elsewhere.path().display());
    project.json(&format!("begin {state}")).exits(0);
    project.json(&format!("red {state}")).exits(0);
    project.write("greet.sh", GREETS);
    project.json(&format!("green {state}")).exits(0);
    row("state_in_a_folder_of_its_own").meets(project.json(&format!("deliver {state}")));
    assert!(!project.at(".verify").exists());
}

#[test]
fn product_file_deleted() {
    let project = project(">> src/old.txt\nx\n");
    project.remove("src/old.txt");
    row("product_file_deleted").judges(&project);
}

#[test]
fn product_file_made_executable() {
    meanwhile(row("product_file_made_executable"), |project| {
        fs::set_permissions(project.at("greet.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    });
}

#[test]
fn empty_and_binary_files() {
    meanwhile(row("empty_and_binary_files"), |project| {
        project.write("src/empty", "");
        fs::write(project.at("src/image.png"), [0x89, b'P', b'N', b'G', 0, 0xff]).unwrap();
    });
}

#[test]
fn empty_folder() {
    meanwhile(row("empty_folder"), |project| fs::create_dir_all(project.at("docs/later")).unwrap());
}

#[test]
fn folder_with_a_blank_in_its_name() {
    let folder = Project::bare();
    let files = shell_files("sh tests/greet.sh", "");
    for part in files.split(">> ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap();
        folder.write(&format!("my café project/{}", path.trim()), text);
    }
    folder.run("git", ["init", "-q", "-b", "main"]);
    folder.commit("start");
    let plan = ["--plan", "my café project/verify.toml"];
    let run = |word: &str| folder.json_words(&[&[word], &plan[..]].concat());
    run("begin").exits(0);
    run("red").exits(0);
    folder.write("my café project/greet.sh", GREETS);
    run("green").exits(0);
    row("folder_with_a_blank_in_its_name").meets(run("deliver"));
}

#[test]
fn ignored_from_the_start() {
    let project = project(">> .gitignore\nbuild/\n*.log\n");
    project.write("build/out", "x");
    project.write("debug.log", "x");
    row("ignored_from_the_start").judges(&project);
}
