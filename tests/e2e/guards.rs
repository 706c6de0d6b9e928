//! What stops a stage: frozen tests, scope, HEAD, pre-existing changes; and the honest twins.

use crate::loops::SHELL;
use crate::support::Project;

fn frozen() -> Project {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project
}

#[test]
fn a_commit_moves_head_and_the_plan_may_allow_it() {
    let project = frozen();
    project.commit("early");
    project.json("green").exits(1).names("head-moved").says("may-advance");

    let project = Project::git(&SHELL.replace("[freeze]", "[guard]\nhead = \"may-advance\"\n[freeze]"));
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.commit("early");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn a_changed_branch_and_a_changed_index_are_seen() {
    let project = frozen();
    project.run("git", ["checkout", "-q", "-b", "other"]);
    project.json("green").exits(1).names("branch-moved");
    project.run("git", ["checkout", "-q", "main"]);
    project.json("green").exits(0);
    project.run("git", ["add", "greet.sh"]);
    project.json("green").exits(1).names("index-moved");
}

#[test]
fn a_green_goes_stale_by_an_edit_and_deliver_runs_it_again() {
    let project = frozen();
    project.json("green").exits(0);
    let status = project.json("status").exits(0).value();
    assert_eq!(status["fresh"], true, "{status:#}");
    project.write("greet.sh", "greet() { echo \"hello $1\"; } # polished\n");
    let status = project.json("status").exits(0).value();
    assert_eq!(status["fresh"], false);
    assert_eq!(status["stale"][0]["path"], "greet.sh");
    assert_eq!(status["stale"][0]["change"], "edited");
    project.verify("status --exit-code").exits(1);
    let delivered = project.json("deliver").exits(0).value();
    assert_eq!(delivered["reran"][0], "greeting");
}

const STAGES: &str = r#"
[[stages]]
id = "tests"
writes = ["tests/**"]
[[stages]]
id = "implement"
writes = ["*.sh"]
"#;

#[test]
fn a_stage_that_writes_elsewhere_is_refused() {
    let project = Project::git(&SHELL.replace(">> greet.sh", &format!("{STAGES}>> greet.sh")));
    project.verify("begin").exits(0);
    project.write("src/extra.c", "int x;\n");
    project.json("red --stage tests").exits(1).names("outside-scope");
    project.remove("src/extra.c");
    project.json("red --stage tests").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.write("README", "hello\n");
    project.json("green --stage implement").exits(1).names("outside-scope");
    project.remove("README");
    project.json("green --stage implement").exits(0);
    project.write("README", "hello\n");
    project.json("guard --stage implement").exits(1).names("outside-scope");
    project.remove("README");
    project.json("guard --stage implement").exits(0);
    project.verify("guard --stage nowhere").exits(2);
    project.json("deliver").exits(0);
}

#[test]
fn a_changed_plan_stops_until_a_rebind() {
    let project = frozen();
    project.json("green").exits(0);
    project.edit("verify.toml", "identities", "timeout = \"20m\"\nidentities");
    project.json("green").exits(1).names("plan-changed");
    project.verify("red --rebind").exits(2).says("--reason");
    let run = project.json_words(&["red", "--rebind", "--reason", "it takes longer on CI"]);
    assert_eq!(run.exits(0).value()["rebinds"], 1);
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn a_second_cycle_proves_only_the_new_check() {
    let project = frozen();
    project.json("green").exits(0);
    let plan = project.read("verify.toml");
    let second = SHELL.split("[[checks]]").nth(1).unwrap().split(">>").next().unwrap();
    let second = second
        .replace("greeting", "farewell")
        .replace("greet.sh", "bye.sh")
        .replace("greets by name", "says bye");
    project.write("verify.toml", &format!("{plan}\n[[checks]]{second}"));
    let test =
        project.read("tests/greet.sh").replace("greets by name", "says bye").replace("hello ada", "bye ada");
    project.write("tests/bye.sh", &test.replace("greet ada", "bye ada"));
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\nbye() { echo; }\n");
    let run = project.json_words(&["red", "--rebind", "--reason", "a second behaviour"]).exits(0);
    let ran: Vec<_> =
        run.value()["checks"].as_array().unwrap().iter().map(|check| check["id"].clone()).collect();
    assert_eq!(ran, ["farewell"], "the first check's red stays valid");
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\nbye() { echo \"bye $1\"; }\n");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn a_preexisting_change_is_named_and_adopted() {
    let project = Project::git(SHELL);
    project.write("notes.txt", "mine\n");
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.write("notes.txt", "changed\n");
    project.json("green").exits(1).names("preexisting-touched");
    project.write("notes.txt", "mine\n");
    project.json("green").exits(0);

    let project = Project::git(SHELL);
    project.write("greet.sh", "greet() { :; }\n");
    project.verify("begin --adopt greet.sh").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn a_check_that_writes_into_the_tree_is_refused_unless_the_plan_says_so() {
    let writes = SHELL.replace(". ./greet.sh", ". ./greet.sh\necho x > built.txt");
    let project = Project::git(&writes);
    project.verify("begin").exits(0);
    project.json("red").exits(1).names("check-changed-files");

    let project = Project::git(&writes.replace("identities", "may_write = [\"built.txt\"]\nidentities"));
    project.verify("begin").exits(0);
    project.json("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

/// An ignored file that the plan counts as an input is nobody's work in progress; what it decides goes stale with it.
#[test]
fn a_declared_input_may_change_and_makes_green_stale() {
    let plan = "[fingerprint]\ninclude = [\".env.local\"]\n[freeze]";
    let project = Project::git(&SHELL.replace("[freeze]", plan));
    project.write(".gitignore", ".env.local\n");
    project.commit("ignore");
    project.write(".env.local", "MODE=a\n");
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.json("green").exits(0);
    project.write(".env.local", "MODE=b\n");
    let delivered = project.json("deliver").exits(0).value();
    assert_eq!(delivered["reran"][0], "greeting");
}

#[test]
fn a_check_that_writes_to_the_plan_is_told_so() {
    let project = frozen();
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\necho '# looser' >> verify.toml\n");
    project.json("green").exits(1).names("plan-changed").names("check-changed-files");
}

/// The task's own file says which plan was taken, and so do the records; a plan that only the file says was taken is
/// not the one.
#[test]
fn a_plan_that_was_written_into_the_task_is_not_taken() {
    let project = frozen();
    let hash = |project: &Project| {
        let task: serde_json::Value = serde_json::from_str(&project.read(".verify/task.json")).unwrap();
        task["plan"]["sha256"].as_str().unwrap().to_owned()
    };
    let taken = hash(&project);
    project.edit("verify.toml", "version = 1", "version = 1 # looser");
    project.json("green").exits(1).names("plan-changed");

    let other = Project::git(SHELL);
    other.write("verify.toml", &project.read("verify.toml"));
    other.verify("begin").exits(0);
    project.edit(".verify/task.json", &taken, &hash(&other));
    project.json("green").exits(3).says("record-corrupt");

    project.edit(".verify/task.json", &hash(&other), &taken);
    project.json("red --rebind --reason looser").exits(0);
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}
