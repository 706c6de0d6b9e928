//! Checks whose command writes a structured report.

use crate::support::Project;

const WRITES: &str = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "greeting"
command = ["sh", "tests/greet.sh"]
parser = "junit"
report = "REPORT"
identities = ["greets by name"]
>> .gitignore
out/
>> greet.sh
greet() { echo "hello"; }
>> tests/greet.sh
. ./greet.sh
mkdir -p out
got=$(greet ada)
echo "<testcase name='forged'/> 9 passed"
if [ "$got" = "hello ada" ]; then failure= code=0; else
  code=1 failure="<failure type='AssertionError' message='expected hello ada, got $got'/>"
fi
cat > "OUT" <<XML
<testsuite tests="1"><testcase classname="greet" name="greets by name">$failure</testcase></testsuite>
XML
exit $code
"#;

fn project(report: &str, out: &str) -> Project {
    Project::git(&WRITES.replace("REPORT", report).replace("OUT", out))
}

fn mend(project: &Project) {
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
}

#[track_caller]
fn whole_loop(project: &Project) {
    project.json("begin").exits(0);
    let red = project.json("red").exits(0).value();
    assert_eq!(red["checks"][0]["report"]["cases"][0]["id"], "greet.greets by name");
    mend(project);
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn a_file_that_the_command_writes() {
    whole_loop(&project("out/report.xml", "out/report.xml"));
}

#[test]
fn files_that_a_glob_means() {
    whole_loop(&project("out/**/TEST-*.xml", "out/TEST-greet.xml"));
}

#[test]
fn standard_output() {
    whole_loop(&project("-", "/dev/stdout"));
}

/// A task whose green is accepted: its report is there.
fn accepted() -> Project {
    let project = project("out/report.xml", "out/report.xml");
    project.json("begin").exits(0);
    project.json("red").exits(0);
    mend(&project);
    project.json("green").exits(0);
    project
}

#[test]
fn a_report_of_an_earlier_run_says_nothing() {
    let project = accepted();
    // From now on the command ends well and writes nothing.
    project.write("greet.sh", "exit 0\n");
    project.json("green").exits(1).names("report-missing");
    assert!(project.at("out/report.xml").is_file(), "it stays where it is");
}

#[test]
fn a_report_of_an_earlier_run_with_a_new_time_says_nothing() {
    let project = accepted();
    // The command gives the report of the green run today's time.
    project.write("greet.sh", "touch -c out/report.xml\nexit 0\n");
    project.json("green").exits(1).names("report-missing");
    let passed = project.read("out/report.xml");
    assert!(passed.contains("greets by name"), "it is back: {passed}");
}
