use super::*;
use crate::observe::facts::RepositoryFacts;
use crate::observe::files::{Look, look};
use crate::observe::scratch::Scratch;
use crate::plan::{Check, PathSet, Source, read as read_plan};

/// A check: its command, one word an item, and its parser.
fn check_of(command: &[&str], parser: &str, more: &str) -> Check {
    let text = format!(
        "version = 1\n[[checks]]\nid = \"a\"\ncommand = {command:?}\nparser = \"{parser}\"\nidentities = [\"a\"]\n\
         phases = [\"green\"]\n{}{more}\n",
        if parser == "generic" { "success_pattern = \"^all is well$\"\n" } else { "" }
    );
    let source = Source { name: "verify.toml", text: text.as_bytes(), folder_name: "a" };
    read_plan(&source).unwrap_or_else(|error| panic!("{error}")).checks.remove(0)
}

fn facts(scratch: &Scratch, check: &Check, inline: &[&str]) -> RepositoryFacts {
    facts_with(scratch, check, "tests/**", inline)
}

fn facts_with(scratch: &Scratch, check: &Check, tests: &str, inline: &[&str]) -> RepositoryFacts {
    let none = PathSet::none();
    let state_dir = scratch.path(".verify");
    let request = Look {
        id: "app",
        test_paths: &PathSet::new([tests]).unwrap(),
        inline: &PathSet::new(inline.iter().copied()).unwrap(),
        checks: &[check],
        read_all: false,
        jobs: 1,
        ..Look::without_plan(scratch.root(), &state_dir, &none)
    };
    look(&request).unwrap()
}

/// Each file and its text; what of them is frozen beside the tests.
#[track_caller]
fn check(check: &Check, files: &[(&str, &str)], influence: &[&str]) {
    let scratch = Scratch::unborn();
    files.iter().for_each(|(path, text)| scratch.write(path, text));
    let facts = facts(&scratch, check, &[]);
    let shown = facts.influence.iter().map(|of| {
        let mark = if of.weight == Weight::Shared { "~" } else { "" };
        let slice = of.slice.as_ref().map(|slice| format!(" {slice}")).unwrap_or_default();
        format!("{mark}{}{slice}", of.entry.path)
    });
    assert_eq!(shown.collect::<Vec<_>>(), influence);
}

const TEST: (&str, &str) = ("tests/test_a.py", "");

fn pytest() -> Check {
    check_of(&["python3", "-m", "pytest"], "pytest", "")
}

#[test]
fn conftest_counts_from_the_root_down_to_the_tests() {
    let files = [
        TEST,
        ("conftest.py", ""),
        ("tests/conftest.py", ""),
        ("docs/conftest.py", ""),
        ("src/app/conftest.py", ""),
    ];
    check(&pytest(), &files, &["conftest.py"]);
    let named = check_of(&["pytest", "docs/test_b.py::test_x"], "pytest", "");
    let files = [TEST, ("docs/conftest.py", ""), ("docs/test_b.py", "")];
    check(&named, &files, &["docs/conftest.py"]);
    check(&check_of(&["python3", "-m", "unittest"], "unittest", ""), &[TEST, ("conftest.py", "")], &[]);
}

#[test]
fn a_command_tells_the_runner_where_the_parser_does_not() {
    let generic = check_of(&["sh", "-c", "cd . && pytest -q"], "generic", "");
    check(&generic, &[TEST, ("pytest.ini", "")], &["pytest.ini"]);
    check(&check_of(&["make"], "generic", ""), &[TEST, ("pytest.ini", "")], &[]);
}

#[test]
fn slices_of_shared_files() {
    let files = [
        TEST,
        (
            "pyproject.toml",
            "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-q\"\n[tool.tox]\na = 1",
        ),
        ("setup.cfg", "[metadata]\nname = a\n[tool:pytest]\na = 1"),
        ("tox.ini", "[tox]\nenvlist = a\n[pytest]\na = 1"),
        ("docs/tox.ini", "[pytest]"),
    ];
    let own = ["pyproject.toml tool.pytest", "setup.cfg [tool:pytest]", "tox.ini [pytest]"];
    check(&pytest(), &files, &own);
    check(
        &check_of(&["tox"], "pytest", ""),
        &files,
        &[
            "pyproject.toml tool.pytest",
            "pyproject.toml tool.tox",
            "setup.cfg [tool:pytest]",
            "tox.ini [pytest]",
            "tox.ini [tox]",
        ],
    );
}

#[test]
fn modules_count_at_the_top_of_the_import_path() {
    let files = [
        TEST,
        ("pytest.py", ""),
        ("json/__init__.py", ""),
        ("json/tool.py", ""),
        ("src/random.py", ""),
        ("src/app/types.py", ""),
        ("src/app/logging.py", ""),
        ("unittest/x.py", ""),
    ];
    check(&pytest(), &files, &["json/__init__.py", "pytest.py"]);
    let with_path = check_of(&["pytest"], "pytest", "env = { PYTHONPATH = \"src\" }");
    check(&with_path, &files, &["json/__init__.py", "pytest.py", "src/random.py"]);
    let ini = ("pytest.ini", "[pytest]\npythonpath = src\n");
    check(&pytest(), &[TEST, files[4], ini], &["pytest.ini", "src/random.py"]);
    let toml = ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\"lib\", \"src\"]");
    check(&pytest(), &[TEST, files[4], toml], &["pyproject.toml tool.pytest", "src/random.py"]);
    check(&pytest(), &[("tests/a/__init__.py", ""), ("tests/__init__.py", ""), ("abc.so", "")], &["abc.so"]);
}

#[test]
fn plugins_that_are_asked_for() {
    let files = [TEST, ("tools/plug.py", ""), ("plug.py", ""), ("own/__init__.py", "")];
    check(&check_of(&["pytest", "-p", "plug"], "pytest", ""), &files, &["plug.py"]);
    check(
        &check_of(&["pytest", "-ptools.plug", "-p", "no:cacheprovider"], "pytest", ""),
        &files,
        &["tools/plug.py"],
    );
    let conftest = ("tests/conftest.py", "pytest_plugins = [\n  'own',\n  \"none\"]\n");
    check(&pytest(), &[TEST, files[3], conftest], &["own/__init__.py"]);
    let ini = ("pytest.ini", "[pytest]\naddopts = -q -p own\n");
    check(&pytest(), &[TEST, files[3], ini], &["own/__init__.py", "pytest.ini"]);
}

#[test]
fn start_up_files_count_anywhere_and_ignored_too() {
    let files = [
        TEST,
        (".gitignore", "sitecustomize.py\nvenv/\n"),
        ("sitecustomize.py", ""),
        ("lib/a.pth", ""),
        ("venv/b.pth", ""),
    ];
    check(&pytest(), &files, &["lib/a.pth", "sitecustomize.py"]);
}

const PACKAGE: &str = r#"{
  "scripts": {"test": "npm run unit", "unit": "jest", "preunit": "node x.js", "build": "tsc", "posttest": "true"},
  "jest": {"setupFiles": ["<rootDir>/setup.js"], "moduleNameMapper": {"^a$": "<rootDir>/src/a.js"}},
  "devDependencies": {"jest": "file:tools/jest", "left-pad": "1"}
}"#;

#[test]
fn what_a_package_says_of_its_runner() {
    let npm = check_of(&["npm", "test"], "tap", "");
    let files = [
        ("package.json", PACKAGE),
        ("setup.js", ""),
        ("src/a.js", ""),
        ("packages/b/package.json", PACKAGE),
        ("node_modules/jest/jest.config.js", ""),
        ("packages/b/jest.config.js", ""),
        ("__mocks__/fs.js", ""),
        ("src/__mocks__/b.js", ""),
        ("src/__snapshots__/a.test.js.snap", ""),
        ("vite.config.ts", ""),
        (".npmrc", "registry=x\nscript-shell=./sh\n"),
    ];
    check(
        &npm,
        &files,
        &[
            ".npmrc script-shell",
            "__mocks__/fs.js",
            "package.json devDependencies.jest",
            "package.json jest",
            "package.json scripts.posttest",
            "package.json scripts.preunit",
            "package.json scripts.test",
            "package.json scripts.unit",
            "packages/b/jest.config.js",
            "setup.js",
            "src/__snapshots__/a.test.js.snap",
            "~vite.config.ts",
        ],
    );
    let scratch = Scratch::unborn();
    scratch.write("package.json", PACKAGE);
    let local = facts(&scratch, &npm, &[]).local_runners;
    assert_eq!(
        local,
        [LocalRunner {
            path: "package.json".into(),
            package: "jest".to_owned(),
            version: "file:tools/jest".to_owned(),
        }]
    );
}

#[test]
fn scripts_of_the_package_that_is_meant() {
    let files = [
        ("package.json", r#"{"scripts": {"test": "npm --prefix web run check"}}"#),
        (
            "web/package.json",
            r#"{"scripts": {"check": "run-s lint unit:*", "unit:a": "x", "lint": "y", "z": ""}}"#,
        ),
    ];
    let scripts = [
        "package.json scripts.test",
        "web/package.json scripts.check",
        "web/package.json scripts.lint",
        "web/package.json scripts.unit:a",
    ];
    check(&check_of(&["npm", "t"], "tap", ""), &files, &scripts);
    check(&check_of(&["yarn", "test"], "tap", ""), &files, &scripts);
    check(&check_of(&["yarn", "check"], "tap", "cwd = \"web\""), &files, &scripts[1..]);
    check(&check_of(&["node", "--run", "test"], "tap", ""), &files, &scripts);
    check(&check_of(&["npm", "ci"], "tap", ""), &files, &[]);
}

#[test]
fn files_that_a_configuration_names() {
    let config = "const base = require('./base');\nmodule.exports = { ...base,\n  setupFilesAfterEnv: ['<rootDir>/a', \
                  \"./b.ts\"],\n  globalSetup: './c.mjs', transform: { '\\\\.x$': '<rootDir>/d.js' },\n  \
                  moduleNameMapper: { '^e$': './e.js' } };\n";
    let files: Vec<(&str, &str)> =
        ["a.js", "b.ts", "base.js", "c.mjs", "d.js", "e.js"].map(|path| (path, "")).into();
    let all = [files.as_slice(), &[("jest.config.js", config)]].concat();
    let jest = check_of(&["npx", "jest"], "tap", "");
    check(&jest, &all, &["a.js", "b.ts", "base.js", "c.mjs", "d.js", "jest.config.js"]);
    let yaml = (".mocharc.yml", "spec: x\nrequire:\n  - ./a.js\n  - 'b.ts'\nfile: c.mjs\n");
    let all = [files.as_slice(), &[yaml]].concat();
    check(&jest, &all, &[".mocharc.yml", "a.js", "b.ts", "c.mjs"]);
}

#[test]
fn a_test_project_is_frozen_but_for_its_references() {
    let dotnet = check_of(&["make"], "tap", "");
    let files = [("tests/A.csproj", "<Project/>"), ("tests/a.cs", ""), ("src/B.csproj", "<Project/>")];
    check(&dotnet, &files, &["tests/A.csproj all but references"]);
    let scratch = Scratch::unborn();
    files.iter().for_each(|(path, text)| scratch.write(path, text));
    let frozen = facts(&scratch, &dotnet, &[]).frozen;
    assert_eq!(frozen.iter().map(|entry| entry.path.to_string()).collect::<Vec<_>>(), ["tests/a.cs"]);
    let beside = facts_with(&scratch, &dotnet, "tests/*.cs", &[]).influence;
    assert_eq!(beside.iter().map(|of| of.entry.path.to_string()).collect::<Vec<_>>(), ["tests/A.csproj"]);
}

#[test]
fn git_attributes_count_for_every_check() {
    let files = [(".gitattributes", "*.png binary\n"), ("src/.gitattributes", "*.py filter=fake\n")];
    check(&check_of(&["make"], "tap", ""), &files, &["src/.gitattributes lines that set a filter"]);
}

#[test]
fn cargo_steers_by_parts() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"a\"\nautotests = false\n[dependencies]\na = \"1\"\n"),
        (".cargo/config.toml", "[target.x]\nrunner = \"./fake\"\n[net]\noffline = true\n"),
        (".config/nextest.toml", ""),
    ];
    let expected =
        [".cargo/config.toml target.*.runner", ".config/nextest.toml", "Cargo.toml package.autotests"];
    check(&check_of(&["cargo", "test"], "generic", ""), &files, &expected);
}

#[test]
fn tests_inside_product_files_are_slices() {
    let scratch = Scratch::unborn();
    scratch.write("src/a.rs", "fn a() {}\n#[test]\nfn one() {}\n#[test]\nfn one() { a() }\n");
    scratch.write("src/b.rs", "fn b() {}\n");
    scratch.write("src/c.go", "");
    let facts = facts(&scratch, &check_of(&["make"], "tap", ""), &["src/**"]);
    let items: Vec<_> = facts.influence.iter().map(|of| (of.weight, of.slice.as_deref())).collect();
    assert_eq!(items, [(Weight::Inline, Some("fn one")), (Weight::Inline, Some("fn one (2)"))]);
    assert_eq!(facts.frozen_refused.len(), 1, "{:?}", facts.frozen_refused);
}

#[cfg(unix)]
#[test]
fn links_are_frozen_with_what_they_point_to() {
    let scratch = Scratch::unborn();
    scratch.write("tests/test_a.py", "");
    scratch.write("tools/real.py", "");
    scratch.link("conftest.py", "tools/real.py");
    scratch.link("sitecustomize.py", "/etc/hostname");
    let facts = facts(&scratch, &pytest(), &[]);
    let paths: Vec<_> = facts.influence.iter().map(|of| of.entry.path.to_string()).collect();
    assert_eq!(paths, ["conftest.py", "sitecustomize.py", "tools/real.py"]);
    assert_eq!(
        facts.frozen_refused.iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>(),
        ["sitecustomize.py"]
    );
}
