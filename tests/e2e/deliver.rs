//! Delivery: what moved runs again, and nothing else.

use crate::loops::SHELL;
use crate::support::Project;

/// Two repositories without git, each with a check; that of `lib` rests on both.
fn two_repositories() -> Project {
    let project = Project::bare();
    let check = |id: &str, depends: &str| {
        format!(
            "[[checks]]\nid = \"{id}\"\nrepository = \"{id}\"\ncommand = [\"sh\", \"tests/greet.sh\"]\nparser = \"tap\"\n\
             identities = [\"greets by name\"]\n{depends}\n"
        )
    };
    let files = SHELL.split(">> greet.sh").nth(1).unwrap();
    for folder in ["app", "lib"] {
        let files = format!(">> greet.sh{files}");
        project.files(&files.replace(">> ", &format!(">> {folder}/")));
    }
    let plan = "version = 1\n[freeze]\ntest_paths = [\"tests/**\"]\n[repositories.app]\npath = \"app\"\n[repositories.lib]\npath = \"lib\"\n";
    project.write("verify.toml", &format!("{plan}{}{}", check("app", "depends = []"), check("lib", "")));
    project
}

const GREETS: &str = "greet() { echo \"hello $1\"; }\n";

#[test]
fn what_a_check_does_not_depend_on_may_move() {
    let project = two_repositories();
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("app/greet.sh", GREETS);
    project.write("lib/greet.sh", GREETS);
    project.json("green").exits(0);
    assert_eq!(project.json("replay").exits(0).value()["answer"], "red-again");

    project.write("lib/greet.sh", &format!("{GREETS}# more\n"));
    let record = project.json("deliver").exits(0).value();
    assert_eq!(record["reran"], serde_json::json!(["lib"]));
    assert_eq!(record["stale"][0]["path"], "greet.sh");
    assert_eq!(record["gate"]["diff"]["files_changed"], 2);
}

#[test]
fn what_a_check_depends_on_runs_it_again() {
    let project = two_repositories();
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("app/greet.sh", GREETS);
    project.write("lib/greet.sh", GREETS);
    project.json("green").exits(0);
    project.write("app/greet.sh", "greet() { echo no; }\n");
    let record = project.json("deliver").exits(1).names("stale-rerun-failed").value();
    assert_eq!(record["reran"], serde_json::json!(["app", "lib"]));
}
