//! The whole loop with each runner: from a failing test to a delivery.

use crate::support::Project;

/// Drives a project through the loop. `fix` makes the failing test pass.
#[track_caller]
fn whole_loop(project: &Project, fix: impl FnOnce(&Project)) {
    project.json("begin").exits(0);
    let red = project.json("red").exits(0).value();
    assert_eq!(red["passed"], true, "{red:#}");
    assert_eq!(red["checks"][0]["report"]["completeness"], "complete");
    project.json("green").exits(1).names("case-failed");
    fix(project);
    let green = project.json("green").exits(0).value();
    assert_eq!(green["checks"][0]["exit_code"], 0);
    let delivered = project.json("deliver").exits(0).value();
    assert_eq!(delivered["passed"], true);
    assert_eq!(delivered["reran"].as_array().unwrap().len(), 0, "nothing moved, so nothing runs again");
    project.json("log --check").exits(0);
    project.json("deliver").exits(2);
}

#[test]
fn a_shell_script_that_prints_tap() {
    let project = Project::git(SHELL);
    whole_loop(&project, |project| project.write("greet.sh", "greet() { echo \"hello $1\"; }\n"));
}

pub const SHELL: &str = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "greeting"
command = ["sh", "tests/greet.sh"]
parser = "tap"
identities = ["greets by name"]
>> greet.sh
greet() { echo "hello"; }
>> tests/greet.sh
. ./greet.sh
echo "1..1"
got=$(greet ada)
if [ "$got" = "hello ada" ]; then echo "ok 1 - greets by name"
else
  echo "not ok 1 - greets by name"
  echo "  ---"
  echo "  operator: equal"
  echo "  expected: hello ada"
  echo "  actual: $got"
  echo "  ..."
  exit 1
fi
"#;

#[test]
fn python_unittest() {
    let Some(python) = crate::support::runners::python() else { return };
    let project = Project::git(&UNITTEST.replace("PYTHON", &python));
    whole_loop(&project, |project| project.write("app.py", "def add(a, b):\n    return a + b\n"));
}

pub const UNITTEST: &str = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "adding"
command = ["PYTHON", "-m", "unittest", "-v", "tests.test_app"]
parser = "unittest"
identities = ["test_adds"]
>> app.py
def add(a, b):
    return a - b
>> tests/__init__.py
>> tests/test_app.py
import unittest
import app
class Adding(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(app.add(1, 2), 3)
    def test_zero(self):
        self.assertEqual(app.add(0, 0), 0)
"#;

#[test]
fn pytest() {
    let Some(python) = crate::support::runners::pytest() else { return };
    let project = Project::git(&PYTEST.replace("PYTHON", &python.display().to_string()));
    whole_loop(&project, |project| project.write("app.py", "def add(a, b):\n    return a + b\n"));
}

pub const PYTEST: &str = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "adding"
command = ["PYTHON", "-m", "pytest", "-v", "-p", "no:cacheprovider", "tests"]
parser = "pytest"
identities = ["test_adds"]
>> conftest.py
>> app.py
def add(a, b):
    return a - b
>> tests/test_app.py
import app
def test_adds():
    assert app.add(1, 2) == 3
def test_zero():
    assert app.add(0, 0) == 0
"#;

#[test]
fn perl_through_prove() {
    let Some(prove) = crate::support::runners::prove() else { return };
    let project = Project::git(&PROVE.replace("PROVE", &prove));
    whole_loop(&project, |project| {
        project.write("lib/Adder.pm", "package Adder;\nsub add { return $_[0] + $_[1] }\n1;\n");
    });
}

pub const PROVE: &str = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["t/**"]
[[checks]]
id = "adding"
command = ["PROVE", "-v", "-Ilib", "t"]
parser = "tap"
identities = ["adds two numbers"]
>> lib/Adder.pm
package Adder;
sub add { return $_[0] - $_[1] }
1;
>> t/add.t
use Test::More tests => 2;
use Adder;
is(Adder::add(1, 2), 3, 'adds two numbers');
is(Adder::add(0, 0), 0, 'zero');
"#;

#[test]
fn patterns_of_a_command_without_a_runner() {
    let project = Project::git(
        r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "answer"
command = ["sh", "tests/answer.sh"]
parser = "generic"
phases = ["red", "green"]
success_pattern = '^answer: right$'
failure_pattern = '^answer: wrong$'
>> answer
41
>> tests/answer.sh
if [ "$(cat answer)" = 42 ]; then echo "answer: right"; else echo "answer: wrong"; exit 1; fi
"#,
    );
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("answer", "42\n");
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}
