//! What steers the runner is frozen with the tests; and beside each refusal the honest twin that is accepted.

use std::fs;
use std::os::unix::fs::symlink;

use crate::loops::{PYTEST, SHELL};
use crate::support::{Project, Run, runners};

/// A project whose check runs a script that prints TAP, by a command that names a runner of this family; frozen, and
/// with the work done. `files` are there from the start.
fn done(command: &str, parser: &str, files: &str) -> Project {
    let plan = SHELL
        .replace("command = [\"sh\", \"tests/greet.sh\"]", &format!("command = {command}"))
        .replace("parser = \"tap\"", &format!("parser = \"{parser}\""));
    let project = Project::git(&format!("{plan}{files}"));
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project
}

/// The words of a runner that isn't installed, so that its lists count for a shell script.
const NODE: &str = r#"["sh", "tests/greet.sh", "jest"]"#;
const DOTNET: &str = r#"["sh", "tests/greet.sh", "dotnet"]"#;
const PYTHON: &str = r#"["sh", "tests/greet.sh", "pytest"]"#;

/// An edit that is refused with this code, runs nothing, names the way out, and is accepted after a rebind.
#[track_caller]
fn refused(project: &Project, code: &str, path: &str) {
    let run = project.json("green").exits(1).names(code);
    let record = run.value();
    assert_eq!(record["checks"].as_array().unwrap().len(), 0, "nothing is run");
    let problem = &record["problems"][0];
    assert_eq!(problem["path"], path, "{record:#}");
    let message = problem["message"].as_str().unwrap();
    assert!(message.contains(&format!("allow = [\"{path}\"]")), "{message}");
    assert!(message.contains("verify red --rebind"), "{message}");
    assert_eq!(project.json("status").value()["frozen"]["intact"], false);
    project.json("deliver").exits(1).names(code);
    rebound(project);
}

/// A rebind takes it as it is, runs nothing, and the task can be delivered.
#[track_caller]
fn rebound(project: &Project) {
    let rebind = project.json_words(&["red", "--rebind", "--reason", "it is needed"]).exits(0).value();
    assert_eq!(rebind["checks"].as_array().unwrap().len(), 0, "unchanged checks keep their red: {rebind:#}");
    accepted(project);
}

/// Green and delivered, with no word about it.
#[track_caller]
fn accepted(project: &Project) -> serde_json::Value {
    let green = project.json("green").exits(0).value();
    assert_eq!(green["passed"], true);
    assert_eq!(green["problems"].as_array().unwrap().len(), 0);
    project.json("deliver").exits(0);
    green
}

/// One file that is new after red.
#[track_caller]
fn new_file(command: &str, path: &str, text: &str, code: Option<&str>) {
    let project = done(command, "tap", "");
    project.write(path, text);
    match code {
        Some(code) => refused(&project, code, path),
        None => _ = accepted(&project),
    }
}

/// One file that is another after red.
#[track_caller]
fn edited(command: &str, path: &str, before: &str, after: &str, code: Option<&str>) {
    let project = done(command, "tap", &format!(">> {path}\n{before}"));
    project.write(path, after);
    match code {
        Some(code) => refused(&project, code, path),
        None => _ = accepted(&project),
    }
}

#[test]
fn pytest_configuration() {
    new_file(PYTHON, "pytest.ini", "[pytest]\naddopts = -k nothing\n", Some("influence-added"));
    let pytest = "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    edited(PYTHON, "pyproject.toml", pytest, &pytest.replace("-q", "-q -k x"), Some("influence-changed"));
    edited(PYTHON, "pyproject.toml", pytest, "[project]\nname = \"a\"\n", Some("influence-deleted"));
}

#[test]
fn honest_edits_of_files_that_also_configure_pytest() {
    let pytest = "[project]\nname = \"a\"\ndependencies = []\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
    let more = pytest.replace("[]", "[\"requests\"] # for the client") + "[tool.ruff]\nline-length = 100\n";
    edited(PYTHON, "pyproject.toml", pytest, &more, None);
    let poetry = "[tool.poetry]\nname = \"a\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\n";
    edited(PYTHON, "pyproject.toml", poetry, &format!("{poetry}requests = \"^2\"\n"), None);
    new_file(PYTHON, "pyproject.toml", "[project]\nname = \"a\"\n[tool.ruff]\nselect = [\"E\"]\n", None);
    edited(PYTHON, "setup.cfg", "[tool:pytest]\na = 1\n", "[flake8]\nmax = 1\n[tool:pytest]\na=1\n", None);
    new_file(PYTHON, "tox.ini", "[tox]\nenvlist = py\n[testenv]\ncommands = pytest\n", None);
}

#[test]
fn conftest() {
    new_file(PYTHON, "conftest.py", "collect_ignore = ['tests']\n", Some("influence-added"));
    new_file(PYTHON, "docs/conftest.py", "", None);
    edited(PYTHON, "conftest.py", "", "# deselects\n", Some("influence-changed"));
}

#[test]
fn modules_that_shadow() {
    new_file(PYTHON, "pytest.py", "", Some("influence-added"));
    new_file(PYTHON, "unittest/__init__.py", "", Some("influence-added"));
    new_file(PYTHON, "random.py", "", Some("influence-added"));
    let project = done(PYTHON, "tap", ">> src/app/__init__.py\n");
    project.write("src/app/types.py", "");
    project.write("src/app/logging.py", "");
    accepted(&project);
}

#[test]
fn start_up_files() {
    new_file(PYTHON, "lib/sitecustomize.py", "", Some("influence-added"));
    new_file(PYTHON, "evil.pth", "import os\n", Some("influence-added"));
    let project = done(PYTHON, "tap", ">> .gitignore\nsitecustomize.py\n");
    project.write("sitecustomize.py", "");
    refused(&project, "influence-added", "sitecustomize.py");
    new_file(PYTHON, ".gitignore", "dist/\n", None);
}

#[test]
fn tox_counts_when_the_command_is_tox() {
    let tox = r#"["sh", "tests/greet.sh", "tox"]"#;
    edited(
        tox,
        "tox.ini",
        "[testenv]\ncommands = pytest\n",
        "[testenv]\ncommands = true\n",
        Some("influence-changed"),
    );
}

const PACKAGE: &str = r#"{"scripts": {"test": "sh tests/greet.sh"}, "devDependencies": {"jest": "^29.0.0"}}"#;

#[test]
fn a_package_and_its_runner() {
    let path = "package.json";
    let with = |from: &str, to: &str| PACKAGE.replacen(from, to, 1);
    let jest = with("{", r#"{"jest": {"testFailureExitCode": 0}, "#);
    edited(NODE, path, PACKAGE, &jest, Some("influence-added"));
    edited(NODE, path, PACKAGE, &with("^29.0.0", "^28.0.0"), Some("influence-changed"));
    edited(NODE, path, PACKAGE, &with("^29", "^29.0.0\", \"left-pad\": \"1"), None);
    edited(NODE, path, PACKAGE, &with("\"test\"", "\"build\": \"tsc\", \"test\""), None);
    new_file(NODE, path, r#"{"dependencies": {"left-pad": "1"}}"#, None);
}

#[test]
fn the_script_that_a_command_reaches() {
    let npm = r#"["sh", "-c", "sh tests/greet.sh; exit $?; npm test"]"#;
    let project = done(npm, "tap", &format!(">> package.json\n{PACKAGE}"));
    project.write("package.json", &PACKAGE.replace("sh tests/greet.sh", "exit 0"));
    refused(&project, "influence-changed", "package.json");
    let project = done(npm, "tap", &format!(">> package.json\n{PACKAGE}"));
    project.write("package.json", &PACKAGE.replace("\"test\"", "\"pretest\": \"node x.js\", \"test\""));
    refused(&project, "influence-added", "package.json");
}

#[test]
fn a_runner_from_a_path_is_refused_at_once() {
    let local = PACKAGE.replace("^29.0.0", "file:tools/jest");
    let plan = SHELL.replace("[\"sh\", \"tests/greet.sh\"]", NODE);
    let project = Project::git(&format!("{plan}>> package.json\n{local}"));
    project.json("begin").exits(0);
    project.json("red").exits(1).names("influence-is-local").says("tools/jest");
    project.write("package.json", PACKAGE);
    project.json("red").exits(0);

    let allowed = plan.replace("[freeze]", "[freeze]\nallow = [\"package.json\"]");
    let project = Project::git(&format!("{allowed}>> package.json\n{local}"));
    project.json("begin").exits(0);
    project.json("red").exits(0);
}

#[test]
fn files_that_steer_javascript() {
    new_file(NODE, "jest.config.js", "module.exports = {};\n", Some("influence-added"));
    new_file(NODE, "__mocks__/fs.js", "", Some("influence-added"));
    new_file(NODE, "src/__snapshots__/a.test.js.snap", "", Some("influence-added"));
    new_file(NODE, "src/__mocks__/fs.js", "", None);
    edited(NODE, ".npmrc", "registry=x\n", "registry=x\nscript-shell=./fake\n", Some("influence-added"));
    edited(NODE, ".npmrc", "registry=x\n", "registry=y\n", None);
    let project = done(
        NODE,
        "tap",
        ">> jest.config.js\nmodule.exports = { setupFiles: ['./setup.js'] };\n>> setup.js\n",
    );
    project.write("setup.js", "global.test = () => {};\n");
    refused(&project, "influence-changed", "setup.js");
}

#[test]
fn a_file_that_steers_the_product_too_is_noted() {
    let project = done(NODE, "tap", "");
    project.write("vite.config.ts", "export default { resolve: { alias: { '@': '/src' } } };\n");
    let green = accepted(&project);
    assert_eq!(green["notes"][0]["code"], "influence-shared", "{green:#}");
    assert_eq!(green["notes"][0]["path"], "vite.config.ts");
}

#[test]
fn a_test_project_may_depend_on_more() {
    let project =
        "<Project>\n<PropertyGroup><IsTestProject>true</IsTestProject></PropertyGroup>\n</Project>\n";
    let reference = "<ItemGroup><PackageReference Include=\"A\" Version=\"1\" /></ItemGroup>\n</Project>";
    let path = "tests/A.csproj";
    edited(DOTNET, path, project, &project.replace("</Project>", reference), None);
    edited(DOTNET, path, project, &project.replace("true", "false"), Some("influence-changed"));
}

#[test]
fn what_the_plan_allows_may_change() {
    let plan = SHELL
        .replace("[\"sh\", \"tests/greet.sh\"]", PYTHON)
        .replace("[freeze]", "[freeze]\nallow = [\"conf*.py\"]");
    let project = Project::git(&plan);
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.write("conftest.py", "");
    assert_eq!(accepted(&project)["freeze_allow"][0], "conf*.py");
}

#[test]
fn links_and_modes_of_what_steers() {
    let project = done(PYTHON, "tap", ">> conftest.py\n>> tools/other.py\n");
    fs::remove_file(project.at("conftest.py")).unwrap();
    symlink("tools/other.py", project.at("conftest.py")).unwrap();
    let run = project.json("green").exits(1).names("influence-changed");
    assert!(run.codes().contains(&"influence-added".to_owned()), "what it leads to steers now: {run:?}");
}

#[test]
fn tests_inside_product_files() {
    let plan = SHELL.replace("[freeze]", "[freeze]\ninline = [\"src/**/*.rs\"]");
    let product = "pub fn one() -> u8 { 0 }\n";
    let test = "#[test]\nfn is_one() { assert_eq!(one(), 1) }\n";
    let project = Project::git(&format!("{plan}>> src/lib.rs\n{product}{test}"));
    project.json("begin").exits(0);
    project.json("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.write("src/lib.rs", &format!("pub fn one() -> u8 {{ 1 }}\n{test}"));
    project.json("green").exits(0);
    project.write("src/lib.rs", &format!("{product}{}", test.replace("1)", "0)")));
    project.json("green").exits(1).names("frozen-edited").says("fn is_one");
    project.write("src/lib.rs", product);
    project.json("green").exits(1).names("frozen-deleted");
    project.write("src/lib.rs", &format!("{product}{test}{}", test.replace("is_one", "is_two")));
    project.json("green").exits(1).names("frozen-added");
}

#[test]
fn what_was_taken_out_is_said_first_where_an_import_fails() {
    let Some(python) = runners::pytest() else { return };
    let files = PYTEST
        .replace("PYTHON", &python.display().to_string())
        .replace(">> app.py", ">> src/app.py")
        .replace(">> conftest.py\n", "");
    let project = Project::git(&files);
    project.json("begin").exits(0);
    let mut red = project.command(["red", "--format", "json"]);
    red.env("PYTHONPATH", "src");
    let record = Run::of(red).exits(1).names("import-failure").value();
    let message = record["checks"][0]["problems"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("`PYTHONPATH` was taken out"), "{message}");
    assert!(message.contains("env = { PYTHONPATH = \"src\" }"), "{message}");

    project.edit("verify.toml", "identities", "env = { PYTHONPATH = \"src\" }\nidentities");
    project.json_words(&["red", "--rebind", "--reason", "the tests import from src"]).exits(0);
    project.json("red").exits(0);
    project.write("src/app.py", "def add(a, b):\n    return a + b\n");
    accepted(&project);
}

/// A shell check, done, whose script also wants this of its environment.
fn wants(command: &str, condition: &str) -> Project {
    let test = SHELL.replace(". ./greet.sh", &format!("{condition} || exit 9\n. ./greet.sh"));
    let project = Project::git(&test.replace("[\"sh\", \"tests/greet.sh\"]", command));
    project.json("begin").exits(0);
    project
}

#[test]
fn variables_that_are_honest_reach_the_check() {
    let esm = r#"[ "$NODE_OPTIONS" = "--experimental-vm-modules" ]"#;
    let project = wants(NODE, esm);
    let mut red = project.command(["red", "--format", "json"]);
    red.env("NODE_OPTIONS", "--experimental-vm-modules");
    let record = Run::of(red).exits(0).value();
    assert!(!record["checks"][0]["environment_removed"].to_string().contains("NODE_OPTIONS"));

    let project = wants(NODE, r#"[ -z "$NODE_OPTIONS" ] && [ "$CI" = 1 ]"#);
    let mut red = project.command(["red", "--format", "json"]);
    red.env("NODE_OPTIONS", "--require ./evil.js").env("CI", "");
    let record = Run::of(red).exits(0).value();
    assert!(record["checks"][0]["environment_removed"].to_string().contains("\"NODE_OPTIONS\""));

    let project = wants(r#"["sh", "tests/greet.sh"]"#, r#"[ "$GIT_AUTHOR_NAME" = a ] && [ -z "$GIT_DIR" ]"#);
    let mut red = project.command(["red", "--format", "json"]);
    red.env("GIT_DIR", "/nowhere");
    let record = Run::of(red).exits(0).value();
    assert!(record["checks"][0]["environment_removed"].to_string().contains("\"GIT_DIR\""));
}

#[test]
fn a_delivery_compiles_anew() {
    let project = wants(PYTHON, r##"echo "# compiles to $PYTHONPYCACHEPREFIX.""##);
    project.json("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    let green = project.json("green").exits(0).value();
    let own = ".verify/cache/bytecode-0001.";
    let output = |record: &serde_json::Value| record["checks"][0]["output"].as_str().unwrap().to_owned();
    assert!(output(&green).contains(own), "{green:#}");
    project.write("greet.sh", "greet() { echo \"hello $1\"; } # polished\n");
    let delivered = project.json("deliver").exits(0).value();
    assert!(
        output(&delivered).contains("# compiles to /") && !output(&delivered).contains(own),
        "{delivered:#}"
    );
}
