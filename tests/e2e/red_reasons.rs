//! What a real pytest project may be refused for as red, and what is accepted.

use crate::support::{Project, runners};

/// A red on this test file; the identity is `test_adds`.
#[track_caller]
fn red(test: &str, code: i32, problem: Option<&str>, quoted: &str) {
    let Some(python) = runners::pytest() else { return };
    let project = Project::git(&crate::loops::PYTEST.replace("PYTHON", &python.display().to_string()));
    project.write("tests/test_app.py", test);
    project.verify("begin").exits(0);
    let run = project.json("red").exits(code);
    if let Some(problem) = problem {
        run.names(problem);
        project.verify("red").exits(1).says(quoted).says("next:");
    }
}

#[test]
fn an_assertion_is_accepted() {
    red("def test_adds():\n    assert 1 == 2\n", 0, None, "");
}

#[test]
fn an_import_error_is_refused() {
    let test = "import nowhere\ndef test_adds():\n    assert 1 == 2\n";
    red(test, 1, Some("import-failure"), "No module named 'nowhere'");
}

#[test]
fn a_syntax_error_is_refused() {
    red("def test_adds(:\n    assert 1 == 2\n", 1, Some("syntax-failure"), "SyntaxError");
}

#[test]
fn a_fixture_error_is_refused() {
    let test = "import pytest\n@pytest.fixture\ndef box():\n    assert 0, 'no box'\n\
                def test_adds(box):\n    assert 1 == 2\n";
    red(test, 1, Some("setup-failure"), "no box");
}

#[test]
fn a_missing_test_is_refused() {
    red("def test_other():\n    assert 1 == 2\n", 1, Some("identity-missing"), "test_adds");
}

#[test]
fn a_passing_test_is_refused() {
    red(
        "def test_adds():\n    pass\ndef test_other():\n    assert 0\n",
        1,
        Some("identity-passed"),
        "test_adds",
    );
}

#[test]
fn a_type_error_in_the_expected_test_is_refused() {
    let test = "def test_adds():\n    assert len(3)\ndef test_other():\n    assert 0\n";
    red(test, 1, Some("identity-raised"), "TypeError");
}

#[test]
fn a_log_full_of_error_words_is_accepted() {
    let test = "import logging\ndef test_adds():\n    logging.error('ImportError: ERROR at setup of x')\n    \
                print('E   ModuleNotFoundError: no')\n    assert 1 == 2\n";
    red(test, 0, None, "");
}

#[test]
fn the_word_import_error_in_a_name_is_accepted() {
    red("def test_ImportError():\n    pass\ndef test_adds():\n    assert 1 == 2\n", 0, None, "");
}
