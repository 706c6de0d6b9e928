//! pytest, and the plugins that people install beside it.

use std::fs;

use super::projects::{RIGHT, freeze, pytest, pytest_files, pytest_with_plugins, with_line};
use super::{Row, row};
use crate::support::{Project, runners};

/// Judges a row by a product that is written this way.
#[track_caller]
fn product(row: &Row, text: &str) {
    if let Some(project) = pytest("-v", "") {
        project.write("app.py", text);
        row.judges(&project);
    }
}

/// Judges a row by these files, with the product right.
#[track_caller]
fn beside(row: &Row, words: &str, before: &str, after: &str) {
    if let Some(project) = pytest(words, before) {
        project.write("app.py", RIGHT);
        project.files(after);
        row.judges(&project);
    }
}

#[test]
fn os_exit_zero() {
    product(row("os_exit_zero"), "import os\ndef add(a, b):\n    os._exit(0)\n");
}

#[test]
fn child_leaves_by_os_exit() {
    let text = "import os\ndef add(a, b):\n    child = os.fork()\n    if child == 0:\n        os._exit(0)\n    \
                os.waitpid(child, 0)\n    return a + b\n";
    product(row("child_leaves_by_os_exit"), text);
}

#[test]
fn forged_tail() {
    let text = "import os\nos.write(1, b'tests/test_app.py::test_adds PASSED\\ntests/test_app.py::test_zero PASSED\\n\
                ====== 2 passed in 0.01s ======\\n')\nos._exit(0)\n";
    product(row("forged_tail"), text);
}

#[test]
fn product_that_prints_a_summary() {
    let text = format!("print('====== 2 passed in 0.01s ======')\n{RIGHT}");
    product(row("product_that_prints_a_summary"), &text);
}

#[test]
fn pytest_exit_zero() {
    product(
        row("pytest_exit_zero"),
        "import pytest\ndef add(a, b):\n    pytest.exit('done', returncode=0)\n",
    );
}

#[test]
fn exit_that_a_test_expects() {
    let test = ">> tests/test_exit.py\nimport pytest, app\ndef test_leaves():\n    with pytest.raises(SystemExit):\n        \
                app.leave()\n";
    let Some(project) = pytest(
        "-v",
        &format!(
            "{test}>> app.py\nimport sys\ndef add(a, b):\n    return 0\n\
                                               def leave():\n    sys.exit(0)\n"
        ),
    ) else {
        return;
    };
    project.edit("app.py", "return 0", "return a + b");
    row("exit_that_a_test_expects").judges(&project);
}

#[test]
fn conftest_rewrites_outcomes() {
    let hook = ">> conftest.py\nimport pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    \
                out = yield\n    out.get_result().outcome = 'passed'\n";
    let Some(project) = pytest("-v", "") else { return };
    project.files(hook);
    let run = row("conftest_rewrites_outcomes").judges(&project);
    assert_eq!(run.value()["checks"].as_array().unwrap().len(), 0, "nothing is run");
}

#[test]
fn conftest_of_another_folder() {
    beside(row("conftest_of_another_folder"), "-v", "", ">> docs/conftest.py\nextensions = []\n");
}

/// A conftest that was there from the start and does what the product tells it.
const OBEYS: &str = r#"
>> conftest.py
import app, pytest
if getattr(app, "IGNORED", False):
    collect_ignore = ["tests/test_app.py"]
def pytest_report_teststatus(report):
    if getattr(app, "SHOWN", False) and report.failed:
        return "passed", ".", "PASSED"
def pytest_sessionfinish(session):
    if getattr(app, "ENDED", False):
        session.exitstatus = 0
def pytest_collection_modifyitems(items):
    for item in items:
        if item.name == "test_adds":
            for mark in getattr(app, "MARKS", []):
                item.add_marker(getattr(pytest.mark, mark))
    items[:] = [item for item in items if item.name not in getattr(app, "HIDDEN", "").split()]
>> tests/test_other.py
def test_other():
    pass
"#;

/// Judges a row by a wrong product that makes that conftest do this.
#[track_caller]
fn obeyed(row: &Row, order: &str) {
    for words in ["-v", "-q"] {
        if let Some(project) = pytest(words, OBEYS) {
            project.write("app.py", &format!("def add(a, b):\n    return a - b\n{order}\n"));
            row.judges(&project);
        }
    }
}

#[test]
fn hook_adds_skip() {
    obeyed(row("hook_adds_skip"), "MARKS = ['skip']");
}

#[test]
fn slow_tests_left_out_by_default() {
    let more = ">> pytest.ini\n[pytest]\naddopts = -m \"not slow\"\nmarkers = slow\n>> tests/test_slow.py\nimport pytest\n\
                @pytest.mark.slow\ndef test_slow():\n    pass\n";
    beside(row("slow_tests_left_out_by_default"), "-v", more, "");
}

#[test]
fn hook_adds_xfail() {
    obeyed(row("hook_adds_xfail"), "MARKS = ['xfail']");
}

#[test]
fn approved_skips() {
    let Some(python) = runners::pytest() else { return };
    let more = ">> tests/test_more.py\nimport pytest\n@pytest.mark.skip(reason='slow')\ndef test_skip():\n    pass\n\
                @pytest.mark.xfail\ndef test_xfail():\n    assert 0\n";
    let files = pytest_files(&python.display().to_string(), "-v", more);
    let project =
        freeze(Project::git(&with_line(&files, "approved_skip_reason = \"slow ones run at night\"")));
    project.write("app.py", RIGHT);
    row("approved_skips").judges(&project);
}

#[test]
fn session_exit_status_zero() {
    obeyed(row("session_exit_status_zero"), "ENDED = True");
}

#[test]
fn hooks_show_what_is_not() {
    obeyed(row("hooks_show_what_is_not"), "SHOWN = ENDED = True");
}

#[test]
fn hooks_that_are_honest() {
    for words in ["-v", "-q"] {
        if let Some(project) = pytest(words, OBEYS) {
            project.write("app.py", &format!("{RIGHT}SHOWN = ENDED = True\n"));
            row("hooks_that_are_honest").judges(&project);
        }
    }
}

#[test]
fn addopts_in_an_ini() {
    beside(row("addopts_in_an_ini"), "-v", "", ">> pytest.ini\n[pytest]\naddopts = -k zero\n");
}

#[test]
fn sections_of_other_tools() {
    let after = ">> pyproject.toml\n[tool.pytest.ini_options] # quiet\naddopts = \"-q\"\n[tool.ruff]\nline-length = 100\n\
                 >> setup.cfg\n[flake8]\nmax-line-length = 100\n";
    let before = ">> pyproject.toml\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    beside(row("sections_of_other_tools"), "-v", before, after);
}

#[test]
fn addopts_by_environment() {
    let Some(project) = pytest("-v", "") else { return };
    let variables = [("PYTEST_ADDOPTS", "-k test_zero"), ("PYTHONOPTIMIZE", "1")];
    let green = row("addopts_by_environment").judges_with(&project, &variables).value();
    let removed = green["checks"][0]["environment_removed"].as_array().unwrap();
    for (name, _) in variables {
        assert!(removed.iter().any(|found| found == name), "{name} in {removed:?}");
    }
}

#[test]
fn variables_that_the_plan_sets() {
    let Some(python) = runners::pytest() else { return };
    let files = pytest_files(&python.display().to_string(), "-v", "")
        .replace(">> app.py", ">> src/app.py")
        .replace(">> conftest.py\n", "");
    let project =
        freeze(Project::git(&with_line(&files, "env = { PYTHONPATH = \"src\", PYTEST_ADDOPTS = \"-q\" }")));
    project.write("src/app.py", RIGHT);
    row("variables_that_the_plan_sets").judges(&project);
}

#[test]
fn collect_ignore() {
    obeyed(row("collect_ignore"), "IGNORED = True");
}

#[test]
fn collect_ignore_from_the_start() {
    let more = ">> conftest.py\ncollect_ignore = ['tests/old.py']\n>> tests/old.py\nimport nowhere\n";
    beside(row("collect_ignore_from_the_start"), "-v", more, "");
}

#[test]
fn items_taken_out_by_a_hook() {
    obeyed(row("items_taken_out_by_a_hook"), "HIDDEN = 'test_adds'");
}

#[test]
fn renamed_test() {
    let Some(project) = pytest("-v", "") else { return };
    project.edit("tests/test_app.py", "def test_adds", "def skip_test_adds");
    row("renamed_test").judges(&project);
}

#[test]
fn second_cycle() {
    let Some(project) = pytest("-v", "") else { return };
    project.write("app.py", RIGHT);
    project.json("green").exits(0);
    // A new test, and a check of its own for it.
    let second = project.read("verify.toml").split("[[checks]]").nth(1).unwrap().to_owned();
    let second = second
        .replace("adding", "twice")
        .replace("test_adds", "test_twice")
        .replace("\"tests\"", "\"tests/test_twice.py\"");
    project.write("verify.toml", &format!("{}\n[[checks]]{second}", project.read("verify.toml")));
    project.write("tests/test_twice.py", "import app\ndef test_twice():\n    assert app.twice(2) == 4\n");
    project.write("app.py", &format!("{RIGHT}def twice(a):\n    return a\n"));
    let rebind = project.json_words(&["red", "--rebind", "--reason", "a second behaviour"]).exits(0).value();
    assert_eq!(rebind["checks"].as_array().unwrap().len(), 1, "only the new check is proved: {rebind:#}");
    project.write("app.py", &format!("{RIGHT}def twice(a):\n    return 2 * a\n"));
    row("second_cycle").judges(&project);
}

const PLUGIN: &str = ">> tools/plug.py\ndef pytest_report_header(config):\n    return 'with a plugin'\n";

#[test]
fn plugin_that_the_command_loads() {
    let Some(project) = pytest("-v -p tools.plug", PLUGIN) else { return };
    project.write("tools/plug.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n");
    row("plugin_that_the_command_loads").judges(&project);
}

#[test]
fn plugin_of_the_project() {
    beside(row("plugin_of_the_project"), "-v -p tools.plug", PLUGIN, ">> tools/other.py\n");
}

#[test]
fn module_in_the_place_of_pytest() {
    let Some(project) = pytest("-v", "") else { return };
    project.write("pytest.py", "import sys\nprint('===== 2 passed in 0.01s =====')\nsys.exit(0)\n");
    row("module_in_the_place_of_pytest").judges(&project);
}

#[test]
fn modules_named_like_the_standard_library() {
    let after = ">> src/app/types.py\n>> src/app/logging.py\n";
    beside(row("modules_named_like_the_standard_library"), "-v", ">> src/app/__init__.py\n", after);
}

#[test]
fn sitecustomize() {
    beside(
        row("sitecustomize"),
        "-v",
        ">> .gitignore\nsitecustomize.py\n",
        ">> sitecustomize.py\nimport os\n",
    );
}

#[test]
fn path_file() {
    beside(row("path_file"), "-v", "", ">> lib/evil.pth\nimport os\n");
}

#[test]
fn dependency_in_pyproject() {
    let project = "[project]\nname = \"a\"\nversion = \"1\"\ndependencies = []\n[tool.pytest.ini_options]\naddopts = \"-q\"\n\
                   [tool.poetry]\nname = \"a\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\n";
    let more = project.replace("[]", "[\"requests\"]") + "httpx = \"^0.27\"\n";
    let (before, after) = (format!(">> pyproject.toml\n{project}"), format!(">> pyproject.toml\n{more}"));
    beside(row("dependency_in_pyproject"), "-v", &before, &after);
}

#[test]
fn variables_that_steer_nothing() {
    let test = ">> tests/test_env.py\nimport os\ndef test_env():\n    assert os.environ['GIT_AUTHOR_NAME'] == 'ada'\n    \
                assert os.environ['APP_MODE'] == 'fast'\n    assert os.environ['PYTHONHASHSEED'] == '7'\n";
    let Some(python) = runners::pytest() else { return };
    let project = Project::git(&pytest_files(&python.display().to_string(), "-v", test));
    let variables = [("GIT_AUTHOR_NAME", "ada"), ("APP_MODE", "fast"), ("PYTHONHASHSEED", "7")];
    project.json("begin").exits(0);
    let mut red = project.command(["red", "--format", "json"]);
    red.envs(variables);
    crate::support::Run::of(red).exits(0);
    project.write("app.py", RIGHT);
    row("variables_that_steer_nothing").judges_with(&project, &variables);
}

/// Writes the product with the time that it had, so that only its content tells.
fn put_back_in_time(project: &Project, text: &str) {
    let time = fs::metadata(project.at("app.py")).unwrap().modified().unwrap();
    project.write("app.py", text);
    fs::File::options().write(true).open(project.at("app.py")).unwrap().set_modified(time).unwrap();
}

/// A green with bytecode written, as people run it.
#[track_caller]
fn green_that_compiles(project: &Project) -> crate::support::Run {
    let mut command = project.command(["green", "--format", "json"]);
    command.env_remove("PYTHONDONTWRITEBYTECODE");
    crate::support::Run::of(command)
}

#[test]
fn stale_bytecode() {
    let Some(project) = pytest("-v", "") else { return };
    put_back_in_time(&project, RIGHT);
    green_that_compiles(&project).exits(0);
    assert!(project.at(".verify/cache/bytecode-0001").is_dir() && !project.at("__pycache__").exists());
    // Of the same size and time as the right one, which is compiled already.
    put_back_in_time(&project, &RIGHT.replace('+', "-"));
    row("stale_bytecode").meets(green_that_compiles(&project));
}

#[test]
fn bytecode_of_last_time() {
    let Some(project) = pytest("-v", "") else { return };
    project.write("app.py", RIGHT);
    green_that_compiles(&project).exits(0);
    put_back_in_time(&project, &RIGHT.replace("a + b", "b + a"));
    row("bytecode_of_last_time").meets(green_that_compiles(&project));
}

#[test]
fn names_that_change_from_run_to_run() {
    let test = ">> tests/test_app.py\nimport app, datetime, pytest, tempfile\nclass Box:\n    pass\n\
                IDS = [repr(Box()), datetime.datetime.now().isoformat(), tempfile.mkdtemp(dir='.verify')]\n\
                @pytest.mark.parametrize('n', [1, 2, 3], ids=IDS)\ndef test_adds(n):\n    assert app.add(n, n) == 2 * n\n";
    beside(row("names_that_change_from_run_to_run"), "-v", test, "");
}

#[test]
fn own_junit_report() {
    let own = ">> pytest.ini\n[pytest]\naddopts = --junitxml=out.xml\n>> .gitignore\nout.xml\n";
    beside(row("own_junit_report"), "-v", own, "");
}

#[test]
fn junit_report_forbidden() {
    beside(row("junit_report_forbidden"), "-v -p no:junitxml", "", "");
}

/// Judges a row by pytest with plugins, run with these words.
#[track_caller]
fn plugins(row: &Row, words: &str, product: &str) {
    if let Some(project) = pytest_with_plugins(words, "") {
        project.write("app.py", product);
        row.judges(&project);
    }
}

#[test]
fn sugar() {
    plugins(row("sugar"), "-p no:randomly --force-sugar", RIGHT);
}

#[test]
fn two_workers() {
    plugins(row("two_workers"), "-q -n 2", RIGHT);
}

#[test]
fn random_order() {
    plugins(row("random_order"), "-v -p randomly", RIGHT);
}

#[test]
fn failed_once_then_passed() {
    let flaky =
        "tries = []\ndef add(a, b):\n    tries.append(a)\n    return 0 if len(tries) == 1 and a else a + b\n";
    let flaky = flaky.replace("len(tries) == 1 and a", "tries.count(1) == 1 and a");
    plugins(row("failed_once_then_passed"), "-v -p no:randomly --reruns 2", &flaky);
}

#[test]
fn two_environments_of_tox() {
    let Some(tox) = runners::find("tox", "python3") else { return };
    let tox = tox.display().to_string();
    let ini = format!(
        ">> tox.ini\n[tox]\nenvlist = one,two\n[testenv]\nskip_install = true\nallowlist_externals = {tox}\n\
         commands = {tox} -m pytest -v -p no:cacheprovider tests\n>> .gitignore\n.tox/\n"
    );
    let files = pytest_files(&tox, "-v", &ini)
        .replace("\"pytest\", \"-v\", \"-p\", \"no:cacheprovider\", \"tests\"", "\"tox\"");
    let project = freeze(Project::git(&with_line(&files, "sessions = \"many\"")));
    project.write("app.py", RIGHT);
    row("two_environments_of_tox").judges(&project);
}

#[test]
fn files_that_tests_write() {
    let test = ">> tests/test_db.py\nimport pathlib, time\ndef test_db():\n    here = pathlib.Path(__file__).parent\n    \
                (here / 'db.sqlite3').write_text(str(time.time()))\n    (here / 'output').mkdir(exist_ok=True)\n    \
                (here / 'output/log').write_text(str(time.time()))\n>> .gitignore\ndb.sqlite3\noutput/\n";
    let Some(project) = pytest("-v", test) else { return };
    project.write("app.py", RIGHT);
    project.json("green").exits(0);
    row("files_that_tests_write").judges(&project);
}

#[test]
fn no_test_selected() {
    obeyed(row("no_test_selected"), "HIDDEN = 'test_adds test_zero test_other'\nENDED = True");
}

#[test]
fn one_test_alone() {
    let test = ">> tests/test_app.py\nimport app\ndef test_adds():\n    assert app.add(1, 2) == 3\n";
    beside(row("one_test_alone"), "-v", test, "");
}

#[test]
fn quiet_console() {
    beside(row("quiet_console"), "-q --tb=no -rN", "", "");
}

#[test]
fn warnings_in_the_summary() {
    let test = ">> tests/test_old.py\nimport warnings\ndef test_old():\n    warnings.warn('FAILED 1 error', DeprecationWarning)\n";
    beside(row("warnings_in_the_summary"), "-v", test, "");
}

#[test]
fn names_with_signs() {
    let test = ">> tests/test_app.py\nimport app, pytest\nclass TestSums:\n    @pytest.mark.parametrize('n', ['a::b', 'x - y', '[1]', '1/2 FAILED', 'é'])\n    \
                def test_adds(self, n):\n        assert app.add(n, n) == n + n, n\n>> app.py\ndef add(a, b):\n    return ''\n";
    beside(row("names_with_signs"), "-v", test, "");
}

#[test]
fn older_versions_of_pytest() {
    for name in runners::PYTESTS {
        let Some(python) = runners::find(name, "python3") else { continue };
        let project = freeze(Project::git(&pytest_files(&python.display().to_string(), "-v", "")));
        project.write("app.py", RIGHT);
        row("older_versions_of_pytest").judges(&project);
    }
}
