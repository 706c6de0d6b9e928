//! The loop itself: what may stand in for a red, what a rebind may drop, and what steers runners of other families.

use super::projects::{
    GREETS, RIGHT, freeze, pytest_files, quoted, shell, shell_done, shell_files, with_line,
};
use super::{Row, row};
use crate::support::{Project, Run, runners};

#[test]
fn no_red() {
    let project = Project::git(&shell_files("sh tests/greet.sh", ""));
    project.json("begin").exits(0);
    project.write("greet.sh", GREETS);
    let run = row("no_red").judges(&project);
    assert_eq!(run.value()["checks"].as_array().unwrap().len(), 0, "nothing is run");
}

#[test]
fn red_a_second_time() {
    let project = shell("sh tests/greet.sh", "");
    let first = project.json("red").exits(0).value();
    let second = row("red_a_second_time").judges(&project).value();
    assert_eq!(first, second, "a resumed stage runner calls it again");
}

#[test]
fn plan_without_a_red() {
    let files = shell_files("sh tests/greet.sh", "")
        .replace("identities = [\"greets by name\"]", "phases = [\"green\"]");
    let project = Project::git(&files);
    project.json("begin").exits(0);
    project.write("greet.sh", GREETS);
    project.json("green").exits(0);
    row("plan_without_a_red").judges(&project);
}

/// A plan with a check that is red alone, and one that is green alone and runs this script.
fn red_only(green: &str) -> Project {
    let check = format!(
        "[[checks]]\nid = \"all\"\ncommand = [\"sh\", \"{green}\"]\nparser = \"tap\"\n>> tests/all.sh\nsh tests/greet.sh\n\
         >> tests/other.sh\necho 1..1; echo ok 1 - other\n>> greet.sh"
    );
    let files = shell_files("sh tests/greet.sh", "").replace(">> greet.sh", &check);
    freeze(Project::git(&with_line(&files, "phases = [\"red\"]")))
}

#[test]
fn red_only_check_whose_test_vanishes() {
    let project = red_only("tests/other.sh");
    project.write("greet.sh", GREETS);
    row("red_only_check_whose_test_vanishes").judges(&project);
}

#[test]
fn red_only_check_whose_test_another_runs() {
    let project = red_only("tests/all.sh");
    project.write("greet.sh", GREETS);
    row("red_only_check_whose_test_another_runs").judges(&project);
}

#[test]
fn rebind_to_lose_a_test() {
    let project = shell("sh tests/greet.sh", "");
    project.write("tests/greet.sh", "echo 1..1; echo ok 1 - greets by name\n");
    row("rebind_to_lose_a_test").meets(rebind(&project));
}

fn rebind(project: &Project) -> Run {
    project.json_words(&["red", "--rebind", "--reason", "the test was wrong"])
}

#[test]
fn rebind_of_a_wrong_test() {
    let project = shell("sh tests/greet.sh", "");
    project.edit("tests/greet.sh", "expected: hello ada", "expected: hello  ada");
    row("rebind_of_a_wrong_test").meets(rebind(&project));
}

#[test]
fn changed_plan() {
    let project = shell_done("sh tests/greet.sh", "");
    project.edit("verify.toml", "identities = [\"greets by name\"]", "phases = [\"green\"]");
    row("changed_plan").judges(&project);
}

#[test]
fn timeout_raised_after_green() {
    let project = shell_done("sh tests/greet.sh", "");
    project.json("green").exits(0);
    project.edit("verify.toml", "identities", "timeout = \"20m\"\nidentities");
    let rebound = rebind(&project).exits(0).value();
    assert_eq!(rebound["checks"].as_array().unwrap().len(), 0, "nothing is run: {rebound:#}");
    row("timeout_raised_after_green").judges(&project);
}

#[test]
fn green_of_other_files() {
    let project = shell_done("sh tests/greet.sh", "");
    project.json("green").exits(0);
    project.write("greet.sh", "greet() { echo bye; }\n");
    row("green_of_other_files").judges(&project);
}

#[test]
fn polish_after_green() {
    let project = shell_done("sh tests/greet.sh", "");
    project.json("green").exits(0);
    project.write("greet.sh", &format!("# Greets.\n{GREETS}"));
    let delivered = row("polish_after_green").judges(&project).value();
    assert_eq!(delivered["reran"][0], "greeting");
}

#[test]
fn delivery_of_nothing() {
    let files = shell_files("sh tests/greet.sh", "")
        .replace("identities = [\"greets by name\"]", "phases = [\"green\"]");
    let project = Project::git(&files.replace("echo \"hello\";", "echo \"hello $1\";"));
    project.json("begin").exits(0);
    project.json("green").exits(0);
    row("delivery_of_nothing").judges(&project);
}

#[test]
fn delivery_of_nothing_that_is_allowed() {
    let files = shell_files("sh tests/greet.sh", "")
        .replace("identities = [\"greets by name\"]", "phases = [\"green\"]");
    let project = Project::git(&files.replace("echo \"hello\";", "echo \"hello $1\";"));
    project.json("begin").exits(0);
    project.json("green").exits(0);
    row("delivery_of_nothing_that_is_allowed").judges(&project);
}

/// The words of runners that aren't installed, behind the script that is run in their place.
const NODE: &str = "sh tests/greet.sh jest";
const CARGO: &str = "sh tests/greet.sh cargo";
const PERL: &str = "sh tests/greet.sh prove";
const RUBY: &str = "sh tests/greet.sh rspec";
const NATIVE: &str = "sh tests/greet.sh ctest";
const DOTNET: &str = "sh tests/greet.sh dotnet";

/// Judges a row by these files, which come after red, or are there before.
#[track_caller]
fn beside(row: &Row, words: &str, before: &str, after: &str) {
    let project = shell_done(words, before);
    project.files(after);
    row.judges(&project);
}

const PACKAGE: &str = ">> package.json\n{\"devDependencies\": {\"jest\": \"^29.0.0\"}}\n";

#[test]
fn package_in_the_place_of_the_runner() {
    let project = Project::git(&shell_files(NODE, &PACKAGE.replace("^29.0.0", "file:tools/jest")));
    project.json("begin").exits(0);
    row("package_in_the_place_of_the_runner").judges(&project);
}

#[test]
fn dependency_in_package_json() {
    let after = PACKAGE.replace("}}", ", \"left-pad\": \"1\"}}");
    beside(row("dependency_in_package_json"), NODE, PACKAGE, &after);
}

#[test]
fn runner_in_cargo_config() {
    let after = ">> .cargo/config.toml\n[target.'cfg(all())']\nrunner = \"./fake\"\n";
    beside(row("runner_in_cargo_config"), CARGO, "", after);
}

#[test]
fn network_in_cargo_config() {
    beside(row("network_in_cargo_config"), CARGO, "", ">> .cargo/config.toml\n[net]\noffline = true\n");
}

const MANIFEST: &str = ">> Cargo.toml\n[package]\nname = \"a\"\n[dependencies]\n";

#[test]
fn harness_in_cargo_toml() {
    let after = format!("{MANIFEST}[[test]]\nname = \"t\"\nharness = false\n");
    beside(row("harness_in_cargo_toml"), CARGO, MANIFEST, &after);
}

#[test]
fn dependency_in_cargo_toml() {
    beside(row("dependency_in_cargo_toml"), CARGO, MANIFEST, &format!("{MANIFEST}serde = \"1\"\n"));
}

#[test]
fn proverc() {
    beside(row("proverc"), PERL, "", ">> .proverc\n-e true\n");
}

#[test]
fn rspec_options() {
    beside(row("rspec_options"), RUBY, "", ">> .rspec\n--tag fast\n");
}

#[test]
fn rspec_options_of_another_family() {
    beside(row("rspec_options_of_another_family"), PERL, "", ">> .rspec\n--tag fast\n");
}

/// Judges a row by a script that passes when this variable reaches it.
#[track_caller]
fn obeys(row: &Row, words: &str, variable: &str, line: &str) {
    let script = format!(
        ". ./greet.sh\n[ -n \"${variable}\" ] && {{ echo 1..1; echo ok 1 - greets by name; exit 0; }}"
    );
    let files = shell_files(words, "").replace(". ./greet.sh", &script);
    let project = freeze(Project::git(&with_line(&files, line)));
    row.judges_with(&project, &[(variable, "1")]);
}

#[test]
fn spec_opts() {
    obeys(row("spec_opts"), RUBY, "SPEC_OPTS", "");
}

#[test]
fn gtest_filter() {
    obeys(row("gtest_filter"), NATIVE, "GTEST_FILTER", "");
}

#[test]
fn retries_by_environment() {
    obeys(row("retries_by_environment"), CARGO, "NEXTEST_RETRIES", "");
}

#[test]
fn variable_of_the_product() {
    // It steers nothing that is known: a product may read what it likes.
    let project = shell_done("sh tests/greet.sh", "");
    row("variable_of_the_product").judges_with(&project, &[("GREETING", "1"), ("RUST_LOG", "debug")]);
}

/// A plan whose tests assert by a helper that isn't frozen.
fn by_a_helper(frozen: &str) -> Option<String> {
    let python = runners::pytest()?.display().to_string();
    let helper = ">> tests/test_app.py\nimport app, checks\ndef test_adds():\n    checks.equal(app.add(1, 2), 3)\n\
                  >> checks.py\ndef equal(a, b):\n    assert a == b\n";
    Some(pytest_files(&python, "-v", helper).replace("[\"tests/**\"]", frozen))
}

#[test]
fn helper_outside_of_the_tests() {
    let Some(files) = by_a_helper("[\"tests/**\"]") else { return };
    let project = Project::git(&files);
    project.json("begin").exits(0);
    row("helper_outside_of_the_tests").judges(&project);
}

#[test]
fn helper_that_is_frozen() {
    let Some(files) = by_a_helper("[\"tests/**\", \"checks.py\"]") else { return };
    let project = freeze(Project::git(&files));
    project.write("checks.py", "def equal(a, b):\n    pass\n");
    row("helper_that_is_frozen").judges(&project);
}

#[test]
fn helper_of_the_tests() {
    let Some(files) = by_a_helper("[\"tests/**\", \"checks.py\"]") else { return };
    let project = freeze(Project::git(&files));
    project.write("app.py", RIGHT);
    row("helper_of_the_tests").judges(&project);
}

#[test]
fn two_checks_at_once() {
    let second = "[[checks]]\nid = \"again\"\ncommand = [COMMAND]\nparser = \"tap\"\nidentities = [\"greets by name\"]\n>> greet.sh";
    let second = second.replace("COMMAND", &quoted("sh tests/greet.sh"));
    let project = Project::git(&shell_files("sh tests/greet.sh", "").replace(">> greet.sh", &second));
    project.json("begin").exits(0);
    project.json("red --jobs 2").exits(0);
    project.write("greet.sh", GREETS);
    row("two_checks_at_once").judges(&project);
}

#[test]
fn configuration_shared_with_the_product() {
    let alias = ">> vite.config.ts\nexport default { resolve: { alias: { '@': '/src' } } };\n";
    beside(row("configuration_shared_with_the_product"), NODE, "", alias);
}

const TEST_PROJECT: &str = ">> tests/A.csproj\n<Project>\n<PropertyGroup><IsTestProject>true</IsTestProject></PropertyGroup>\n\
                            </Project>\n";

#[test]
fn test_project_that_is_none_any_more() {
    let after = TEST_PROJECT.replace("true", "false");
    beside(row("test_project_that_is_none_any_more"), DOTNET, TEST_PROJECT, &after);
}

#[test]
fn reference_in_a_test_project() {
    let reference = "<ItemGroup><PackageReference Include=\"A\" Version=\"1\" /></ItemGroup>\n</Project>";
    beside(
        row("reference_in_a_test_project"),
        DOTNET,
        TEST_PROJECT,
        &TEST_PROJECT.replace("</Project>", reference),
    );
}

#[test]
fn what_the_plan_allows() {
    let files = shell_files(RUBY, "").replace("[freeze]", "[freeze]\nallow = [\".rspec\"]");
    let project = freeze(Project::git(&files));
    project.write("greet.sh", GREETS);
    project.write(".rspec", "--format documentation\n");
    row("what_the_plan_allows").judges(&project);
}

#[test]
fn rebind_without_the_token() {
    let token = "[freeze]\nrebind = \"token\"\n\
                 rebind_sha256 = \"d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272\"";
    let project = freeze(Project::git(&shell_files("sh tests/greet.sh", "").replace("[freeze]", token)));
    project.edit("verify.toml", &token.replace("[freeze]\n", ""), "");
    row("rebind_without_the_token").meets(rebind(&project));
}

#[test]
fn rebind_with_the_token() {
    // The value is `sesame`.
    let token = "[freeze]\nrebind = \"token\"\n\
                 rebind_sha256 = \"d0c04f4b1951e4aeaaec8223ed2039e542f3aae805a6fa7f6d794e5afff5d272\"";
    let project = freeze(Project::git(&shell_files("sh tests/greet.sh", "").replace("[freeze]", token)));
    project.edit("verify.toml", "version = 1", "version = 1\nrevision = 2");
    let mut command =
        project.command(["red", "--rebind", "--reason", "a note", "--approve", "--format", "json"]);
    command.env("VERIFY_APPROVE", "sesame");
    row("rebind_with_the_token").meets(Run::of(command));
}

#[test]
fn red_that_was_mended() {
    let project = Project::git(&shell_files("sh tests/greet.sh", ""));
    project.json("begin").exits(0);
    project.edit("tests/greet.sh", "echo \"1..1\"", "nowhere || exit 3\necho \"1..1\"");
    project.json("red").exits(1);
    project.edit("tests/greet.sh", "nowhere || exit 3\n", "");
    row("red_that_was_mended").judges(&project);
}

#[test]
fn green_that_was_mended() {
    let project = shell("sh tests/greet.sh", "");
    project.json("green").exits(1);
    project.write("greet.sh", GREETS);
    row("green_that_was_mended").judges(&project);
}

#[test]
fn task_that_is_resumed() {
    let project = shell_done("sh tests/greet.sh", "");
    project.json("begin --resume").exits(0);
    row("task_that_is_resumed").judges(&project);
}

#[test]
fn claim_beside_the_evidence() {
    let project = shell_done("sh tests/greet.sh", ">> claim.md\nAll tests pass.\n");
    row("claim_beside_the_evidence").judges(&project);
}

#[test]
fn stage_without_checks() {
    let stage = "\n[[stages]]\nid = \"review\"\nwrites = [\"docs/**\"]\n>> greet.sh";
    let project = freeze(Project::git(&shell_files("sh tests/greet.sh", "").replace(">> greet.sh", stage)));
    project.write("docs/review.md", "fine\n");
    row("stage_without_checks").judges(&project);
}
