//! Tasks: one after another, fresh and resumed, several repositories and checks, plans in JSON.

use crate::loops::SHELL;
use crate::support::Project;

fn fix(project: &Project) {
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
}

fn deliver(project: &Project) {
    fix(project);
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn a_second_task_starts_from_where_the_first_ended() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    deliver(&project);
    project.commit("delivered");
    let status = project.json("status").exits(0).value();
    assert_eq!(status["open"], false);

    project.verify("begin").exits(0);
    project.json("green").exits(1).names("red-missing");
    project.json("red").exits(1).names("identity-passed");
    project.write("greet.sh", "greet() { echo; }\n");
    let red = project.json("red").exits(0).value();
    assert_eq!(red["task"], "0002");
    assert_eq!(red["attempt"], 2, "attempts start at 1 in each task");
    project.write("greet.sh", "greet() { echo hello \"$1\"; }\n");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
    project.verify("log --check").exits(0);
}

#[test]
fn begin_in_flight_names_both_ways_on() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.verify("begin").exits(2).says("--fresh").says("--resume");
    project.verify("begin --resume").exits(0);
    project.json("green").exits(1).names("case-failed");
    project.verify("begin --fresh").exits(0);
    project.json("green").exits(1).names("red-missing");
    project.json("red").exits(0);
    deliver(&project);
}

#[test]
fn resume_without_a_task_begins_and_says_so() {
    let project = Project::git(SHELL);
    project.verify("begin --resume").exits(0).says("begun");
    project.json("red").exits(0);
}

#[test]
fn red_a_second_time_runs_nothing() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    let first = project.json("red").exits(0).value();
    let second = project.json("red").exits(0).value();
    assert_eq!(first, second, "the accepted record is printed again");
    project.verify("red").exits(0).says("already");
    let again = project.json("red --again").exits(0).value();
    assert_eq!(again["attempt"], 2);
}

#[test]
fn a_rejected_rerun_voids_nothing() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.json("red").exits(0);
    fix(&project);
    project.json("red --again").exits(1).names("identity-passed");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

fn two_checks() -> Project {
    let other = r#"[[checks]]
id = "parting"
command = ["sh", "tests/part.sh"]
parser = "tap"
identities = ["parts"]
>> greet.sh"#;
    let project = Project::git(&SHELL.replace(">> greet.sh", other));
    let part = "echo 1..1\nif [ -e part ]; then echo 'ok 1 - parts'; else\n\
                echo 'not ok 1 - parts'; echo '  ---'; echo '  operator: exists'; echo '  ...'; exit 1; fi\n";
    project.write("tests/part.sh", part);
    project.commit("two");
    project
}

#[test]
fn two_red_checks_one_by_one() {
    let project = two_checks();
    project.verify("begin").exits(0);
    project.json("red greeting").exits(0);
    let status = project.json("status").exits(0).value();
    assert_eq!(status["red"]["accepted"], false);
    assert_eq!(status["red"]["waiting_for"][0], "parting");
    project.json("green").exits(1).names("red-missing");
    project.json("red parting").exits(0);
    let status = project.json("status").exits(0).value();
    assert_eq!(status["red"]["accepted"], true, "{status:#}");
    assert_eq!(status["frozen"]["files"], 2);
    fix(&project);
    project.write("part", "");
    project.json("green greeting").exits(0);
    project.json("deliver").exits(1).names("green-missing");
    project.json("green parting").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn both_checks_at_once_and_in_parallel() {
    let project = two_checks();
    project.verify("begin").exits(0);
    project.json("red --jobs 2").exits(0);
    fix(&project);
    project.write("part", "");
    let green = project.json("green --jobs 2").exits(0).value();
    assert_eq!(green["checks"].as_array().unwrap().len(), 2);
    project.json("deliver").exits(0);
    project.verify("status --exit-code").exits(0);
    project.write("later", "");
    project.verify("status --exit-code").exits(1);
}

#[test]
fn a_file_written_by_one_of_several_at_once_rejects_all_of_them() {
    let project = two_checks();
    project.write("tests/part.sh", &format!("echo x > built\n{}", project.read("tests/part.sh")));
    project.commit("writes");
    project.json("begin").exits(0);
    let red = project.json("red --jobs 2").exits(1).names("check-changed-files").says("--jobs 1").value();
    for check in red["checks"].as_array().unwrap() {
        assert_eq!(check["passed"], false, "{check:#}");
    }
}

#[test]
fn a_plan_in_json() {
    let project = Project::git(SHELL);
    project.remove("verify.toml");
    project.write(
        "plan.json",
        r#"{"version": 1, "freeze": {"test_paths": ["tests/**"]}, "checks": [{"id": "greeting",
            "argv": ["sh", "tests/greet.sh"], "parser": "tap", "identities": ["greets by name"]}]}"#,
    );
    project.commit("json");
    project.json("begin --plan plan.json").exits(0);
    project.json("red --plan plan.json").exits(0);
    fix(&project);
    project.json("green --plan plan.json").exits(0);
    project.json("deliver --plan plan.json").exits(0);
}

#[test]
fn two_repositories() {
    let project = Project::bare();
    project.files(
        r#"
>> app/verify.toml
version = 1
[repositories.app]
path = "."
[repositories.lib]
path = "../lib"
access = "read"
[freeze]
test_paths = { app = ["tests/**"] }
[[checks]]
id = "greeting"
repository = "app"
command = ["sh", "tests/greet.sh"]
parser = "tap"
identities = ["greets by name"]
>> lib/prefix
hello
>> app/greet.sh
greet() { cat ../lib/prefix; }
>> app/tests/greet.sh
. ./greet.sh
echo 1..1
got=$(greet ada)
if [ "$got" = "hello ada" ]; then echo "ok 1 - greets by name"
else echo "not ok 1 - greets by name"; printf '  ---\n  operator: equal\n  expected: hello ada\n  ...\n'; exit 1; fi
"#,
    );
    for repository in ["app", "lib"] {
        let git = |words: &str| {
            let words = format!("-C {repository} {words}");
            project.run("git", words.split(' '));
        };
        git("init -q -b main");
        git("add -A");
        git("commit -q -m start");
    }
    let plan = "--plan app/verify.toml";
    project.json(&format!("begin {plan}")).exits(0);
    project.json(&format!("red {plan}")).exits(0);
    project.write("lib/prefix", "hi\n");
    project.json(&format!("green {plan}")).exits(1).names("read-only-edited");
    project.write("lib/prefix", "hello\n");
    project.write("app/greet.sh", "greet() { echo \"$(cat ../lib/prefix) $1\"; }\n");
    let green = project.json(&format!("green {plan}")).exits(0).value();
    assert_eq!(green["fingerprints"].as_object().unwrap().len(), 2);
    project.json(&format!("deliver {plan}")).exits(0);
}

/// A plan for two folders of one work tree, each a repository of the plan.
fn two_folders(access: &str) -> Project {
    let check = |id: &str| {
        format!(
            "[[checks]]\nid = \"{id}\"\nrepository = \"{id}\"\ncommand = [\"sh\", \"tests/greet.sh\"]\n\
             parser = \"tap\"\nidentities = [\"greets by name\"]\nmay_write = [\"built\"]\n"
        )
    };
    let plan = format!(
        "version = 1\n[repositories.one]\npath = \"one\"\n[repositories.two]\npath = \"two\"\n{access}\
         [freeze]\ntest_paths = [\"tests/**\"]\n{}{}[[stages]]\nid = \"implement\"\nwrites = [\"greet.sh\"]\n",
        check("one"),
        check("two"),
    );
    let project = Project::bare();
    project.files(SHELL);
    for folder in ["one", "two"] {
        project.write(&format!("{folder}/greet.sh"), &project.read("greet.sh"));
        let test = format!("date > built\n{}", project.read("tests/greet.sh"));
        project.write(&format!("{folder}/tests/greet.sh"), &test);
    }
    std::fs::remove_dir_all(project.at("tests")).unwrap();
    project.remove("greet.sh");
    project.write("verify.toml", &plan);
    project.run("git", ["init", "-q", "-b", "main"]);
    project
}

#[test]
fn two_folders_of_one_work_tree() {
    let project = two_folders("");
    project.run("git", ["add", "one", "two"]);
    project.run("git", ["commit", "-q", "-m", "without the plan"]);
    project.json("begin").exits(0);
    project.json("red").exits(0);
    for folder in ["one", "two"] {
        project.write(&format!("{folder}/greet.sh"), "greet() { echo \"hello $1\"; }\n");
    }
    project.json("green --stage implement").exits(0);
    project.edit("verify.toml", "version = 1", "version = 1\nrevision = 2");
    project.json_words(&["red", "--rebind", "--reason", "a revision"]).exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn of_two_folders_the_one_to_read_stays_and_each_file_is_named_once() {
    let project = two_folders("access = \"read\"\n");
    project.commit("all");
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("one/greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.json("green one --stage implement").exits(0);
    project.write("two/greet.sh", "greet() { :; }\n");
    project.write("one/more.sh", "");
    let run = project.json("green one --stage implement").exits(1);
    assert_eq!(run.codes(), ["outside-scope", "read-only-edited"]);
}
