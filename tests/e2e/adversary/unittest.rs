//! unittest.

use super::projects::{RIGHT, freeze, unittest, unittest_files, with_line};
use super::row;
use crate::support::{Project, runners};

/// A unittest file whose test of the identity has this body, behind these decorators.
fn unittest_case(decorator: &str, body: &str) -> String {
    format!(
        ">> tests/test_app.py\nimport unittest, app\nclass Adding(unittest.TestCase):\n    {decorator}\n    \
         def test_adds(self):\n        {body}\n    def test_zero(self):\n        self.assertEqual(app.add(0, 0), 0)\n"
    )
}

#[test]
fn optimised_asserts() {
    let Some(project) = unittest(
        ">> tests/test_app.py\nimport unittest, app\nclass Adding(unittest.TestCase):\n    \
                                  def test_adds(self):\n        assert app.add(1, 2) == 3\n",
    ) else {
        return;
    };
    row("optimised_asserts").judges_with(&project, &[("PYTHONOPTIMIZE", "1")]);
}

#[test]
fn expected_failure_as_red() {
    let Some(python) = runners::python() else { return };
    let case = unittest_case("@unittest.expectedFailure", "self.assertEqual(app.add(1, 2), 3)");
    let project = Project::git(&unittest_files(&python, &case));
    project.json("begin").exits(0);
    row("expected_failure_as_red").judges(&project);
}

#[test]
fn expected_failure_that_was_always_there() {
    let Some(python) = runners::python() else { return };
    let more = ">> tests/test_old.py\nimport unittest\nclass Old(unittest.TestCase):\n    @unittest.expectedFailure\n    \
                def test_old(self):\n        self.fail()\n";
    let files =
        unittest_files(&python, more).replace("\"tests.test_app\"", "\"tests.test_app\", \"tests.test_old\"");
    let project = freeze(Project::git(&with_line(&files, "approved_skip_reason = \"a known defect\"")));
    project.write("app.py", RIGHT);
    row("expected_failure_that_was_always_there").judges(&project);
}

#[test]
fn product_that_skips_its_test() {
    let Some(project) = unittest("") else { return };
    project.write("app.py", "import unittest\ndef add(a, b):\n    if a == b:\n        return 0\n    raise unittest.SkipTest('no')\n");
    row("product_that_skips_its_test").judges(&project);
}

#[test]
fn product_that_skips_another_test() {
    let Some(python) = runners::python() else { return };
    let files = with_line(&unittest_files(&python, ""), "approved_skip_reason = \"no network\"");
    let project = freeze(Project::git(&files));
    let text = "import unittest\ndef add(a, b):\n    if a == b:\n        raise unittest.SkipTest('no')\n    return a + b\n";
    project.write("app.py", text);
    row("product_that_skips_another_test").judges(&project);
}

#[test]
fn skip_where_a_module_is_missing() {
    let Some(python) = runners::python() else { return };
    let more = ">> tests/test_more.py\nimport unittest\nclass More(unittest.TestCase):\n    \
                @unittest.skipUnless(False, 'needs numpy')\n    def test_more(self):\n        pass\n";
    let files = unittest_files(&python, more)
        .replace("\"tests.test_app\"", "\"tests.test_app\", \"tests.test_more\"");
    let project = freeze(Project::git(&with_line(&files, "approved_skip_reason = \"numpy isn't here\"")));
    project.write("app.py", RIGHT);
    row("skip_where_a_module_is_missing").judges(&project);
}

#[test]
fn red_with_subtests() {
    let case = unittest_case(
        "",
        "for n in range(3):\n            with self.subTest(n=n):\n                self.assertEqual(app.add(n, n), n + n)",
    );
    let Some(project) = unittest(&case) else { return };
    project.write("app.py", RIGHT);
    row("red_with_subtests").judges(&project);
}

#[test]
fn check_behind_a_wrapper() {
    let Some(python) = runners::python() else { return };
    let run = format!(">> run\nexec {python} -m unittest -v tests.test_app\n");
    let files = unittest_files(&python, &run).replace(
        &format!("\"{python}\", \"-m\", \"unittest\", \"-v\", \"tests.test_app\""),
        "\"sh\", \"run\"",
    );
    let project = freeze(Project::git(&files));
    project.write("app.py", RIGHT);
    row("check_behind_a_wrapper").judges(&project);
}

#[test]
fn tests_that_are_discovered() {
    let Some(python) = runners::python() else { return };
    let files = unittest_files(&python, "").replace("\"-v\", \"tests.test_app\"", "\"discover\"");
    let project = freeze(Project::git(&files));
    project.write("app.py", RIGHT);
    row("tests_that_are_discovered").judges(&project);
}

/// All that `unittest -v` prints about a green run, printed by the product.
pub const FORGED: &str = r#"
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
fn whole_unittest_output_printed_at_import() {
    let Some(project) = unittest("") else { return };
    for end in ["os._exit(0)", "sys.exit(0)"] {
        project.write("app.py", &format!("{FORGED}{end}\n"));
        row("whole_unittest_output_printed_at_import").judges(&project);
    }
}

#[test]
fn whole_unittest_output_printed_in_a_test() {
    let Some(project) = unittest("") else { return };
    // The text is kept out of the function, so that it stands at the start of its lines.
    let forge = FORGED.replacen("sys.stderr.write(", "TEXT = (", 1).replace("sys.stderr.flush()\n", "");
    project.write(
        "app.py",
        &format!("{forge}def add(a, b):\n    os.write(2, TEXT.encode())\n    os._exit(0)\n"),
    );
    row("whole_unittest_output_printed_in_a_test").judges(&project);
}

#[test]
fn patched_result_class() {
    let liar = "import unittest.runner as runner\ndef ok(self, test, err):\n    runner.TextTestResult.addSuccess(self, test)\n\
                runner.TextTestResult.addFailure = ok\ndef add(a, b):\n    return a - b\n";
    let Some(project) = unittest("") else { return };
    project.write("app.py", liar);
    row("patched_result_class").judges(&project);
}

#[test]
fn product_that_prints_unittest_words() {
    let Some(project) = unittest("") else { return };
    project.write(
        "app.py",
        &format!("{RIGHT}print('Ran 2 tests in 0.000s')\nprint('OK')\nprint('FAILED (failures=1)')\n"),
    );
    row("product_that_prints_unittest_words").judges(&project);
}

#[test]
fn assertion_in_the_product() {
    let Some(python) = runners::python() else { return };
    let files = unittest_files(
        &python,
        ">> app.py\ndef add(a, b):\n    assert a == b, 'not yet'\n    return a + b\n",
    );
    let project = Project::git(&files);
    project.json("begin").exits(0);
    row("assertion_in_the_product").judges(&project);
}
