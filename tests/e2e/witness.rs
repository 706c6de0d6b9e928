//! The witness: a structured report of the same run, which a forged console doesn't have.

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

/// All that `unittest -v` prints about a green run, printed by the product, which then leaves.
const FORGED: &str = r#"
import os, sys
sys.stderr.write("""test_adds (tests.test_app.Adding.test_adds) ... ok
test_zero (tests.test_app.Adding.test_zero) ... ok

----------------------------------------------------------------------
Ran 2 tests in 0.000s

OK
""")
sys.stderr.flush()
"#;

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
fn a_whole_unittest_output_printed_at_import_is_refused() {
    let Some(project) = unittest_red("-m unittest -v tests.test_app") else { return };
    project.write("app.py", &format!("{FORGED}os._exit(0)\n"));
    has_state(project.json("green").exits(1).names("witness-truncated"), "truncated");
    project.write("app.py", &format!("{FORGED}sys.exit(0)\n"));
    has_state(project.json("green").exits(1).names("witness-truncated"), "truncated");
}

#[test]
fn a_whole_unittest_output_printed_in_a_test_is_refused() {
    let Some(project) = unittest_red("-m unittest -v tests.test_app") else { return };
    let within = FORGED.replace('\n', "\n    ");
    let forged = within.replace("\n    test_", "\ntest_").replace("\n    ---", "\n---");
    let forged =
        forged.replace("\n    Ran", "\nRan").replace("\n    OK", "\nOK").replace("\n    \"\"\"", "\n\"\"\"");
    project.write("app.py", &format!("def add(a, b):{forged}\n    os._exit(0)\n"));
    has_state(project.json("green").exits(1).names("witness-truncated"), "truncated");
}

#[test]
fn a_result_that_is_printed_otherwise_than_it_is_is_refused() {
    // The console is made to say `ok`, and the exit code 0.
    let Some(project) = unittest_red("-m unittest -v tests.test_app") else { return };
    let liar = "import unittest.runner as runner\n\
                def ok(self, test, err):\n    runner.TextTestResult.addSuccess(self, test)\n\
                runner.TextTestResult.addFailure = ok\n\
                def add(a, b):\n    return a - b\n";
    project.write("app.py", liar);
    has_state(project.json("green").exits(1).names("witness-disagrees"), "disagrees");
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
fn a_red_subtest_and_then_green() {
    let Some(python) = runners::python() else { return };
    let files = crate::loops::UNITTEST.replace("PYTHON", &python);
    let project = Project::git(&files.replace(
        "        self.assertEqual(app.add(1, 2), 3)\n",
        "        for n in range(3):\n            with self.subTest(n=n):\n                self.assertEqual(app.add(n, n), n + n)\n",
    ));
    project.verify("begin").exits(0);
    has_state(project.json("red").exits(0), "agrees");
    project.write("app.py", GOOD);
    has_state(project.json("green").exits(0), "agrees");
    project.json("deliver").exits(0);
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
