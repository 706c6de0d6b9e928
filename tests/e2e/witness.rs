//! The witness: a structured report of the same run, which a forged console doesn't have.

use crate::adversary::javascript;
use crate::adversary::unittest::FORGED;
use crate::support::{Project, Run, runners};

/// The witness of the first check of a record.
#[track_caller]
fn witness(run: &Run) -> (String, String) {
    let of = &run.value()["checks"][0]["witness"];
    let text = |key: &str| of[key].as_str().unwrap_or_default().to_owned();
    (text("state"), text("reason"))
}

#[track_caller]
fn has_state(run: Run, state: &str) -> Run {
    let (found, reason) = witness(&run);
    assert_eq!(found, state, "{reason}\n{:#}", run.value());
    run
}

/// A project whose check runs unittest with these words, up to an accepted red.
fn unittest_red(words: &str) -> Option<Project> {
    let python = runners::python()?;
    let files = crate::loops::UNITTEST.replace("PYTHON", &python);
    let words: String = words.split(' ').map(|word| format!(", \"{word}\"")).collect();
    let files = files.replace(", \"-m\", \"unittest\", \"-v\", \"tests.test_app\"", &words);
    let project = Project::git(&files);
    project.write(".gitignore", "__pycache__/\n");
    project.commit("ignore");
    project.verify("begin").exits(0);
    has_state(project.json("red").exits(0), "agrees");
    Some(project)
}

const GOOD: &str = "def add(a, b):\n    return a + b\n";

#[test]
fn unittest_agrees() {
    for words in ["-m unittest -v tests.test_app", "-m unittest discover -v", "-m unittest tests.test_app"] {
        let Some(project) = unittest_red(words) else { return };
        project.write("app.py", GOOD);
        let green = has_state(project.json("green").exits(0), "agrees");
        let record = green.value();
        let of = &record["checks"][0]["witness"];
        assert_eq!((of["kind"].as_str(), of["reason"].as_str()), (Some("unittest-recorder"), None));
        assert!(of["sha256"].is_string() && of["arguments"].as_array().unwrap().len() == 2, "{of:#}");
        assert_eq!(record["checks"][0]["command"].as_str().unwrap().matches("unittest").count(), 1);
        project.json("deliver").exits(0);
    }
}

#[test]
fn a_script_that_is_plainly_unittest_is_recorded() {
    let Some(python) = runners::python() else { return };
    let files = crate::loops::UNITTEST.replace("PYTHON", &python);
    let files =
        files.replace("\"-m\", \"unittest\", \"-v\", \"tests.test_app\"", "\"tests/test_app.py\", \"-v\"");
    let files = files.replace("import app\n", "import sys\nsys.path.insert(0, '.')\nimport app\n");
    let project = Project::git(&format!("{files}if __name__ == '__main__':\n    unittest.main()\n"));
    project.verify("begin").exits(0);
    has_state(project.json("red").exits(0), "agrees");
    project.write("app.py", &format!("{FORGED}os._exit(0)\n"));
    project.json("green").exits(1).names("witness-truncated");
    project.write("app.py", GOOD);
    has_state(project.json("green").exits(0), "agrees");
}

#[test]
fn a_runner_behind_a_wrapper_is_not_asked() {
    let Some(python) = runners::python() else { return };
    let files = crate::loops::UNITTEST
        .replace("\"PYTHON\", \"-m\", \"unittest\", \"-v\", \"tests.test_app\"", "\"sh\", \"run\"");
    let project = Project::git(&format!("{files}>> run\nexec {python} -m unittest -v tests.test_app\n"));
    project.verify("begin").exits(0);
    let red = has_state(project.json("red").exits(0), "not-asked");
    assert!(witness(&red).1.contains("wrapper"), "{red:?}");
    project.write("app.py", GOOD);
    let green = has_state(project.json("green").exits(0), "not-asked");
    assert_eq!(green.value()["checks"][0]["notes"][0]["code"], "witness-not-asked");
}

#[test]
fn a_plan_may_do_without() {
    let Some(python) = runners::python() else { return };
    let files = crate::loops::UNITTEST.replace("PYTHON", &python);
    let project = Project::git(&files.replace("parser =", "witness = \"off\"\nparser ="));
    project.verify("begin").exits(0);
    let red = has_state(project.json("red").exits(0), "not-asked");
    assert!(witness(&red).1.contains("`witness = \"off\"`"), "{red:?}");
}

/// Every pytest that is there.
fn pytests() -> impl Iterator<Item = String> {
    let found = runners::PYTESTS.iter().filter_map(|name| runners::find(name, "python3"));
    found.map(|python| python.display().to_string())
}

/// A project whose check runs the newest pytest with these words, up to an accepted red with this state.
fn pytest_red(words: &str, more: &str, state: &str) -> Option<Project> {
    pytests().next().map(|python| pytest_red_with(&python, words, more, state))
}

fn pytest_red_with(python: &str, words: &str, more: &str, state: &str) -> Project {
    let words: String = words.split(' ').map(|word| format!(", \"{word}\"")).collect();
    let files = crate::loops::PYTEST.replace("PYTHON", python).replace(", \"-v\"", &words);
    let project = Project::git(&format!("{files}{more}"));
    project.verify("begin").exits(0);
    has_state(project.json("red").exits(0), state);
    project
}

#[test]
fn pytest_agrees_however_quiet_it_is() {
    for python in pytests() {
        for words in ["-v", "-q", "-q --tb=no -rN"] {
            let project = pytest_red_with(&python, words, "", "agrees");
            project.write("app.py", GOOD);
            let green = has_state(project.json("green").exits(0), "agrees");
            let of = &green.value()["checks"][0]["witness"];
            assert_eq!(of["kind"], "junit-xml");
            assert!(of["arguments"][0].as_str().unwrap().starts_with("--junit-xml="), "{of:#}");
            project.json("deliver").exits(0);
        }
    }
}

/// A conftest that was there from the start and does what the product tells it.
const CONFTEST: &str = r#"
>> conftest.py
import app
def pytest_report_teststatus(report):
    if getattr(app, "SHOWN", False) and report.failed:
        return "passed", ".", "PASSED"
def pytest_sessionfinish(session):
    if getattr(app, "ENDED", False):
        session.exitstatus = 0
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if item.name != getattr(app, "HIDDEN", "")]
"#;

#[test]
fn a_quiet_pytest_that_loses_a_test_is_refused() {
    for words in ["-q", "-q --tb=no -rN"] {
        if let Some(project) = pytest_red(words, CONFTEST, "agrees") {
            project.write("app.py", &format!("{GOOD}HIDDEN = 'test_adds'\n"));
            project.json("green").exits(1).names("red-case-vanished").names("identity-not-named");
        }
    }
}

#[test]
fn hooks_that_rewrite_what_is_shown_are_refused() {
    for words in ["-v", "-q"] {
        if let Some(project) = pytest_red(words, CONFTEST, "agrees") {
            let wrong = "def add(a, b):\n    return a - b\n";
            project.write("app.py", &format!("{wrong}SHOWN = ENDED = True\n"));
            has_state(project.json("green").exits(1).names("witness-disagrees"), "disagrees");
            project.write("app.py", &format!("{wrong}ENDED = True\n"));
            project.json("green").exits(1).names("case-failed");
            project.write("app.py", &format!("{GOOD}SHOWN = ENDED = True\n"));
            has_state(project.json("green").exits(0), "agrees");
        }
    }
}

#[test]
fn a_project_that_writes_its_own_junit_report_is_left_alone() {
    let own = ">> pytest.ini\n[pytest]\naddopts = --junitxml=out.xml\n>> .gitignore\nout.xml\n__pycache__\n";
    if let Some(project) = pytest_red("-v", own, "not-asked") {
        project.write("app.py", GOOD);
        has_state(project.json("green").exits(0), "not-asked");
        assert!(project.read("out.xml").contains("testcase"));
        project.json("deliver").exits(0);
    }
}

#[test]
fn a_project_that_forbids_the_junit_report_is_left_alone() {
    for (words, more) in
        [("-v -p no:junitxml", ""), ("-v", ">> tox.ini\n[pytest]\naddopts = -p no:junitxml\n")]
    {
        if let Some(project) = pytest_red(words, more, "not-asked") {
            project.write("app.py", GOOD);
            let green = has_state(project.json("green").exits(0), "not-asked");
            assert!(witness(&green).1.contains("no:junitxml"), "{green:?}");
        }
    }
}

#[test]
fn every_status_of_a_green_pytest_agrees() {
    let tests = ">> tests/test_more.py\nimport pytest, unittest\n\
                 @pytest.mark.skip(reason='slow')\ndef test_skip():\n    pass\n\
                 @pytest.mark.xfail\ndef test_xfail():\n    assert 0\n\
                 @pytest.mark.xfail\ndef test_xpass():\n    pass\n\
                 @pytest.mark.parametrize('p', ['a/b::c', 'x y', 'é\\t', '[x]'])\ndef test_each(p):\n    pass\n\
                 class TestPart(unittest.TestCase):\n    def test_part(self):\n        for n in range(3):\n            \
                 with self.subTest(n=n):\n                pass\n";
    for words in ["-v", "-q"] {
        for python in pytests() {
            let files = crate::loops::PYTEST.replace("PYTHON", &python);
            let files = files.replace("parser =", "approved_skip_reason = \"slow ones\"\nparser =");
            let project =
                Project::git(&format!("{}{tests}", files.replace(", \"-v\"", &format!(", \"{words}\""))));
            project.verify("begin").exits(0);
            has_state(project.json("red").exits(0), "agrees");
            project.write("app.py", GOOD);
            has_state(project.json("green").exits(0), "agrees");
        }
    }
}

#[test]
fn a_red_subtest_of_pytest_and_then_green() {
    let tests = ">> tests/test_app.py\nimport unittest\nimport app\nclass TestApp(unittest.TestCase):\n    \
                 def test_adds(self):\n        for n in range(3):\n            with self.subTest(n=n):\n                \
                 self.assertEqual(app.add(n, n), n + n)\n";
    for words in ["-v", "-q"] {
        if let Some(project) = pytest_red(words, tests, "agrees") {
            project.write("app.py", GOOD);
            has_state(project.json("green").exits(0), "agrees");
            project.json("deliver").exits(0);
        }
    }
}

#[test]
fn pytest_with_everyday_plugins_agrees() {
    let Some(python) = runners::find("pytest-plugins", "python3") else { return };
    for words in ["-v", "-q", "-n 2", "-q -n 2", "-v -p no:sugar -p randomly"] {
        let project = pytest_red_with(&python.display().to_string(), words, "", "agrees");
        project.write("app.py", GOOD);
        has_state(project.json("green").exits(0), "agrees");
    }
    // Failed once, then passed, on two workers: the report has a case for each try.
    let project = pytest_red_with(&python.display().to_string(), "-q --reruns 2 -n 2", "", "agrees");
    let flaky =
        "tries = []\ndef add(a, b):\n    tries.append(a)\n    return 0 if len(tries) == 1 and a else a + b\n";
    project.write("app.py", flaky);
    has_state(project.json("green").exits(0), "agrees");
}

#[test]
fn pytest_as_a_script_of_the_package() {
    let Some(python) = runners::pytest() else { return };
    let files =
        crate::loops::PYTEST.replace("PYTHON", "sh").replace("\"-m\", \"pytest\"", "\"npm\", \"test\"");
    // `npm` is a stand-in here: it runs the script as npm does, with what follows `--`.
    let npm = format!("shift; shift; exec {} -m pytest -q \"$@\"", python.display());
    let files = files.replace(
        "\"sh\", \"npm\", \"test\", \"-v\", \"-p\", \"no:cacheprovider\", \"tests\"",
        "\"./npm\", \"test\"",
    );
    let more = ">> package.json\n{\"scripts\": {\"test\": \"pytest -q\"}}\n>> npm\n#!/bin/sh\n";
    let project = Project::git(&format!("{files}{more}{npm}\n"));
    project.run("chmod", ["+x", "npm"]);
    project.verify("begin").exits(0);
    has_state(project.json("red").exits(0), "agrees");
}

/// A project whose `dotnet` plays a recording and writes the TRX file that it is asked for.
fn dotnet(phase: &str, identity: &str) -> Project {
    let project = Project::git(&format!(
        r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "tests"
command = ["./dotnet", "test"]
parser = "dotnet"
phases = ["{phase}"]
identities = ["{identity}"]
[[checks]]
id = "nothing"
command = ["sh", "-c", "echo done and dusted"]
parser = "generic"
success_pattern = "^done and dusted$"
>> tests/a.cs
>> dotnet
#!/bin/sh
for word; do
  case "$word" in "trx;LogFilePrefix="*) to="${{word#trx;LogFilePrefix=}}_net10.0_20260102030405.trx";; esac
  if [ "$before" = --results-directory ]; then to="$word/dev_vm_2026-01-02_03_04_05.000001.trx"; fi
  before="$word"
done
if [ -f written.trx ]; then cp written.trx "$to"; fi
cat printed
exit "$(cat code)"
"#
    ));
    project.run("chmod", ["+x", "dotnet"]);
    project
}

/// Has the stand-in print one recording and write another's report.
fn play(project: &Project, printed: &str, written: Option<&str>, code: &str) {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/dotnet");
    std::fs::copy(corpus.join(printed).join("stdout"), project.at("printed")).unwrap();
    let _ = std::fs::remove_file(project.at("written.trx"));
    if let Some(written) = written {
        std::fs::copy(corpus.join(written).join("artifacts/report.trx"), project.at("written.trx")).unwrap();
    }
    project.write("code", code);
    project.commit("recording");
    project.verify("begin --fresh").exits(0);
}

const ALL_PASS: &str = "xunit-2.4.1/tideline-green--trx-kept";
const SOME_FAIL: &str = "xunit-2.4.1/larder-asserts--trx-kept";

#[test]
fn dotnet_names_in_its_report_what_a_green_console_hides() {
    let project = dotnet("green", "HarbourLogTests.Is_empty_at_first");
    play(&project, ALL_PASS, Some(ALL_PASS), "0");
    let green = has_state(project.json("green tests").exits(0), "agrees");
    assert_eq!(green.value()["checks"][0]["witness"]["kind"], "trx");
    play(&project, ALL_PASS, None, "0");
    has_state(project.json("green tests").exits(1).names("witness-missing"), "missing");
    play(&project, ALL_PASS, Some(SOME_FAIL), "0");
    has_state(project.json("green tests").exits(1).names("witness-disagrees"), "disagrees");
}

#[test]
fn dotnet_red_needs_its_report_to_say_so_too() {
    let project = dotnet("red", "ShelfTests.Only_one_sort");
    play(&project, SOME_FAIL, Some(SOME_FAIL), "1");
    has_state(project.json("red").exits(0), "agrees");
    play(&project, SOME_FAIL, Some(ALL_PASS), "1");
    has_state(project.json("red").exits(1).names("witness-disagrees"), "disagrees");
    play(&project, SOME_FAIL, None, "1");
    has_state(project.json("red").exits(1).names("witness-missing"), "missing");
}

#[test]
fn the_testing_platform_is_asked_in_its_own_words() {
    const GREEN: &str = "xunit-4.0.2-mtp/tideline-green--trx-kept";
    let project = dotnet("green", "HarbourLogTests.Is_empty_at_first");
    project.write("global.json", r#"{"test": {"runner": "Microsoft.Testing.Platform"}}"#);
    project.write("a.csproj", "<Project/>");
    play(&project, GREEN, Some(GREEN), "0");
    let green = project.json("green tests").exits(1).names("identity-not-named");
    has_state(green, "not-asked");
    let packages = r#"{"libraries": {"Microsoft.Testing.Platform/2.0.0": {}, "xunit.v3.core/4.0.2": {}}}"#;
    project.write("obj/project.assets.json", packages);
    play(&project, GREEN, Some(GREEN), "0");
    let green = has_state(project.json("green tests").exits(0), "agrees");
    let asked = green.value()["checks"][0]["witness"]["arguments"][0].clone();
    assert_eq!(asked, "--report-xunit-trx");
    play(&project, GREEN, None, "0");
    has_state(project.json("green tests").exits(1).names("witness-missing"), "missing");
}

#[cfg(unix)]
#[test]
fn two_files_of_jest_through_npm() {
    // Of two files jest names no test that passes.
    let Some(project) = javascript::project(&javascript::jest_files("npm test", "")) else { return };
    project.verify("begin").exits(0);
    has_state(project.json("red").exits(0), "agrees");
    project.write("sum.js", "process.exit(0);\n");
    has_state(project.json("green").exits(1).names("witness-missing"), "missing");
    project.write("sum.js", "module.exports = (a, b) => a + b;\n");
    let green = has_state(project.json("green").exits(0), "agrees");
    assert_eq!(green.value()["checks"][0]["witness"]["kind"], "jest-json");
    project.json("deliver").exits(0);
}

/// A quiet console names neither the test that passed in red nor the one that is skipped now; the witness names both. A
/// skip that was there in red stays approved.
#[test]
fn newly_skipped_behind_a_quiet_console() {
    let pytest = runners::pytest().map(|python| (python.display().to_string(), "pytest", "-q\", \"tests"));
    let unittest = runners::python().map(|python| (python, "unittest", "tests.test_app"));
    for (python, runner, words) in pytest.into_iter().chain(unittest) {
        let files = crate::loops::UNITTEST
            .replace("PYTHON", &python)
            .replace("\"unittest\", \"-v\", \"tests.test_app\"", &format!("\"{runner}\", \"{words}\""))
            .replace(
                "parser = \"unittest\"",
                &format!("parser = \"{runner}\"\napproved_skip_reason = \"later\""),
            )
            .replace("def test_zero(self):", "def test_zero(self):\n        app.zero(self)")
            .replace("def add(a, b):", "def zero(test): pass\ndef add(a, b):");
        let later = "def zero(test): test.skipTest(\"later\")\n";

        let project = Project::git(&files);
        project.verify("begin").exits(0);
        project.json("red").exits(0);
        project.write("app.py", &format!("{later}{GOOD}"));
        project.json("green").exits(1).names("newly-skipped");

        let project = Project::git(&files.replace("def zero(test): pass\n", later));
        project.verify("begin").exits(0);
        project.json("red").exits(0);
        project.write("app.py", &format!("{later}{GOOD}"));
        project.json("green").exits(0);
    }
}
