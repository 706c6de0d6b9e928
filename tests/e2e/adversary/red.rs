//! What is passed off as red: by tests of pytest, and the reds that are some.

use super::projects::pytest_files;
use super::{Row, row};
use crate::support::{Project, runners};

/// Judges a red row by this test file.
#[track_caller]
fn red(row: &Row, test: &str) {
    let Some(python) = runners::pytest() else { return };
    let project = Project::git(&pytest_files(&python.display().to_string(), "-v", ""));
    project.write("tests/test_app.py", test);
    project.json("begin").exits(0);
    row.judges(&project);
}

#[test]
fn assertion_in_a_fixture() {
    let test = "import pytest\n@pytest.fixture\ndef box():\n    assert 0, 'no box'\ndef test_adds(box):\n    assert 1 == 2\n";
    red(row("assertion_in_a_fixture"), test);
}

#[test]
fn fixture_that_is_fine() {
    let test =
        "import pytest\n@pytest.fixture\ndef box():\n    yield 1\ndef test_adds(box):\n    assert box == 2\n";
    red(row("fixture_that_is_fine"), test);
}

#[test]
fn assertion_at_import() {
    red(row("assertion_at_import"), "assert 1 == 2\ndef test_adds():\n    assert 1 == 2\n");
}

#[test]
fn stub_that_returns_a_wrong_value() {
    red(
        row("stub_that_returns_a_wrong_value"),
        "import app\ndef test_adds():\n    assert app.add(1, 2) == 3\n",
    );
}

#[test]
fn printed_failure() {
    let test = "def test_adds():\n    import os\n    os.write(1, b'FAILED tests/test_app.py::test_adds - AssertionError\\n')\n";
    for words in ["-v", "-s"] {
        let Some(python) = runners::pytest() else { return };
        let project = Project::git(&pytest_files(&python.display().to_string(), words, ""));
        project.write("tests/test_app.py", test);
        project.json("begin").exits(0);
        row("printed_failure").judges(&project);
    }
}

#[test]
fn log_full_of_error_words() {
    let test = "import logging\ndef test_adds():\n    logging.error('ImportError: ERROR at setup of x')\n    \
                print('E   ModuleNotFoundError: no')\n    assert 1 == 2\n";
    red(row("log_full_of_error_words"), test);
}

#[test]
fn import_error_as_red() {
    red(row("import_error_as_red"), "import nowhere\ndef test_adds():\n    assert 1 == 2\n");
}

#[test]
fn word_import_error_in_a_name() {
    red(
        row("word_import_error_in_a_name"),
        "def test_ImportError():\n    pass\ndef test_adds():\n    assert 1 == 2\n",
    );
}

#[test]
fn type_error_as_red() {
    red(row("type_error_as_red"), "def test_adds():\n    assert len(3)\ndef test_other():\n    assert 0\n");
}

#[test]
fn raises_that_says_no() {
    red(
        row("raises_that_says_no"),
        "import pytest\ndef test_adds():\n    with pytest.raises(ValueError):\n        pass\n",
    );
}

#[test]
fn syntax_error_as_red() {
    red(row("syntax_error_as_red"), "def test_adds(:\n    assert 1 == 2\n");
}

#[test]
fn another_test_as_red() {
    red(row("another_test_as_red"), "def test_adds():\n    pass\ndef test_other():\n    assert 0\n");
}

#[test]
fn a_failure_beside_a_pass() {
    red(row("a_failure_beside_a_pass"), "def test_adds():\n    assert 0\ndef test_other():\n    pass\n");
}
