//! What is not caught, as the book says: each is accepted.

use super::projects::{GREETS, RIGHT, freeze, pytest, pytest_files, shell, shell_files, unittest_files};
use super::row;
use crate::support::{Project, hermetic, runners};

#[test]
fn answers_for_the_tests_alone() {
    let Some(project) = pytest("-v", "") else { return };
    project.write("app.py", "def add(a, b):\n    return {(1, 2): 3, (0, 0): 0}.get((a, b))\n");
    row("answers_for_the_tests_alone").judges(&project);
}

#[test]
fn operator_that_lies() {
    let Some(project) = pytest("-v", "") else { return };
    project.write(
        "app.py",
        "class Any:\n    def __eq__(self, other):\n        return True\ndef add(a, b):\n    return Any()\n",
    );
    row("operator_that_lies").judges(&project);
}

#[test]
fn weak_test() {
    let Some(python) = runners::pytest() else { return };
    let test = ">> tests/test_app.py\nimport app\ndef test_adds():\n    assert app.add(1, 2)\n>> app.py\ndef add(a, b):\n    pass\n";
    let project = freeze(Project::git(&pytest_files(&python.display().to_string(), "-v", test)));
    project.write("app.py", "def add(a, b):\n    return 'something'\n");
    row("weak_test").judges(&project);
}

#[test]
fn product_that_patches_the_runner() {
    // Console, report and exit code are told of a pass alike.
    let Some(python) = runners::python() else { return };
    let project = freeze(Project::git(&unittest_files(&python, "")));
    let text =
        "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\ndef add(a, b):\n    return None\n";
    project.write("app.py", text);
    row("product_that_patches_the_runner").judges(&project);
}

#[test]
fn whole_output_where_no_witness_is_asked_for() {
    let project = shell("sh tests/greet.sh", "");
    project.write("greet.sh", "echo 1..1; echo 'ok 1 - greets by name'; exit 0\n");
    row("whole_output_where_no_witness_is_asked_for").judges(&project);
}

#[test]
fn wrapper_script() {
    let files = shell_files("sh run.sh", ">> run.sh\nsh tests/greet.sh\n");
    let project = freeze(Project::git(&files));
    project.write("run.sh", "echo 1..1; echo 'ok 1 - greets by name'\n");
    row("wrapper_script").judges(&project);
}

#[test]
fn helper_that_is_not_frozen() {
    let Some(python) = runners::pytest() else { return };
    let helper = ">> tests/test_app.py\nimport app, checks\ndef test_adds():\n    checks.equal(app.add(1, 2), 3)\n\
                  >> checks.py\ndef equal(a, b):\n    assert a == b\n";
    let project = freeze(Project::git(&pytest_files(&python.display().to_string(), "-v", helper)));
    project.write("checks.py", "def equal(a, b):\n    pass\n");
    row("helper_that_is_not_frozen").judges(&project);
}

#[test]
fn installed_package() {
    let Some(python) = runners::pytest() else { return };
    let more = ">> .gitignore\n.venv/\n>> pytest.ini\n[pytest]\npythonpath = .venv/lib\n";
    let project = Project::git(&pytest_files(
        &python.display().to_string(),
        "-v",
        &format!("{more}>> app.py\nimport adder\nadd = adder.add\n"),
    ));
    project.write(".venv/lib/adder.py", "def add(a, b):\n    return 0\n");
    let project = freeze(project);
    // Nothing of the tree is another: what is installed is.
    project.write(".venv/lib/adder.py", RIGHT);
    row("installed_package").judges(&project);
}

#[test]
fn state_outside_of_the_tree() {
    let outside = Project::bare();
    outside.write("answer", "nobody");
    let product =
        format!(">> greet.sh\ngreet() {{ echo \"hello $(cat {}/answer)\"; }}\n", outside.path().display());
    let project = shell("sh tests/greet.sh", &product);
    outside.write("answer", "ada");
    row("state_outside_of_the_tree").judges(&project);
}

#[test]
fn silenced_before_red() {
    let Some(python) = runners::pytest() else { return };
    // Whatever it is that the hook drops, it dropped it in red already.
    let hook = ">> conftest.py\ndef pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if item.name == 'test_adds']\n";
    let project = freeze(Project::git(&pytest_files(&python.display().to_string(), "-v", hook)));
    project.write("app.py", "def add(a, b):\n    return 3\n");
    row("silenced_before_red").judges(&project);
}

#[test]
fn swap_with_its_time_put_back() {
    let project = shell("sh tests/greet.sh", ">> other\nx\n");
    let swap = "cp -p other .verify/aside; echo y > other; cp -p .verify/aside other";
    project.write("greet.sh", &format!("{GREETS}{swap}\n"));
    row("swap_with_its_time_put_back").judges(&project);
}

#[test]
fn state_folder_written_anew() {
    // Whoever may write the state folder may as well run `verify` in it, with a plan and tests of their own.
    let files = shell_files("sh tests/greet.sh", "")
        .replace("[freeze]", "[repositories.app]\npath = \".\"\n[freeze]");
    let weak = files.replace("= \"hello ada\"", "= \"hello\"");
    let project = freeze(Project::git(&files));
    let strong = project.read("tests/greet.sh");
    std::fs::remove_dir_all(project.at(".verify")).unwrap();
    for part in weak.split(">> ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap();
        project.write(path.trim(), text);
    }
    project.write("greet.sh", "greet() { :; }\n");
    project.commit("weak");
    let project = freeze(project);
    project.write("greet.sh", "greet() { echo hello; }\n");
    row("state_folder_written_anew").judges(&project);
    assert_ne!(project.read("tests/greet.sh"), strong);
    assert!(hermetic("true", project.path()).status().unwrap().success());
}

#[test]
fn chance() {
    let project = shell("sh tests/greet.sh", ">> .gitignore\nonce\n");
    // It passes this once, and never again.
    project.write("greet.sh", "greet() { if [ -e once ]; then rm once; echo \"hello $1\"; fi; }\n");
    project.write("once", "");
    row("chance").judges(&project);
    project.json("green").exits(1).names("case-failed");
}
