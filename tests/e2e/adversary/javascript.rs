//! jest and `node --test`.

use super::projects::{freeze, quoted, with_line};
use super::{Row, row};
use crate::support::{Project, runners};

/// The files of a project that runs jest by these words.
pub(crate) fn jest_files(words: &str, more: &str) -> String {
    let files = r#"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "adding"
command = [WORDS]
parser = "jest"
identities = ["sum › adds"]
>> .gitignore
node_modules
>> package.json
{"scripts": {"test": "jest"}}
>> sum.js
module.exports = (a, b) => a - b;
>> tests/sum.test.js
const sum = require("../sum");
describe("sum", () => {
  test("adds", () => { expect(sum(1, 2)).toBe(3); });
  test("zero", () => { expect(sum(0, 0)).toBe(0); });
});
>> tests/other.test.js
test("other", () => { expect(1).toBe(1); });
"#;
    files.replace("WORDS", &quoted(words)) + more
}

const JEST: &str = "node_modules/.bin/jest";

const RIGHT: &str = "module.exports = (a, b) => a + b;\n";

/// A project with jest installed.
pub(crate) fn project(files: &str) -> Option<Project> {
    let jest = runners::find("jest", "jest")?;
    let project = Project::git(files);
    // Its `bin/` is that of its modules.
    let modules = jest.ancestors().nth(2).unwrap().join("node_modules");
    std::os::unix::fs::symlink(modules, project.at("node_modules")).unwrap();
    Some(project)
}

/// The same, frozen.
#[track_caller]
fn jest(words: &str, more: &str) -> Option<Project> {
    project(&jest_files(words, more)).map(freeze)
}

/// Judges a row by a product that is written this way.
#[track_caller]
fn product(row: &Row, text: &str) {
    if let Some(project) = jest(JEST, "") {
        project.write("sum.js", text);
        row.judges(&project);
    }
}

/// Judges a red row by this file of tests.
#[track_caller]
fn red(row: &Row, words: &str, test: &str) {
    let Some(project) = project(&jest_files(words, "")) else { return };
    project.write(
        "tests/sum.test.js",
        &format!("const sum = require('../sum');\ndescribe('sum', () => {{\n{test}\n}});\n"),
    );
    project.json("begin").exits(0);
    row.judges(&project);
}

/// Judges a row by these files, with the product right.
#[track_caller]
fn beside(row: &Row, words: &str, before: &str, after: &str) {
    if let Some(project) = jest(words, before) {
        project.write("sum.js", RIGHT);
        project.files(after);
        row.judges(&project);
    }
}

#[test]
fn process_exit_zero() {
    product(row("process_exit_zero"), "module.exports = () => process.exit(0);\n");
}

#[test]
fn process_exit_at_import() {
    product(row("process_exit_at_import"), "process.exit(0);\n");
}

#[test]
fn child_process_that_exits() {
    let text = "require('child_process').execFileSync(process.execPath, ['-e', 'process.exit(0)']);\n";
    product(row("child_process_that_exits"), &format!("{text}{RIGHT}"));
}

#[test]
fn summary_printed_by_the_product() {
    let text =
        "process.stderr.write('Test Suites: 2 passed, 2 total\\nTests:       3 passed, 3 total\\n');\n";
    product(row("summary_printed_by_the_product"), &format!("{text}module.exports = (a, b) => a - b;\n"));
}

#[test]
fn summary_logged_by_the_product() {
    let text = "console.log('Tests:       1 failed, 3 total\\nFAIL tests/sum.test.js');\n";
    product(row("summary_logged_by_the_product"), &format!("{text}{RIGHT}"));
}

#[test]
fn whole_output_printed_by_the_product() {
    let text = "require('fs').writeSync(2, 'PASS tests/sum.test.js\\n  sum\\n    ✓ adds (1 ms)\\n    ✓ zero\\n\\n\
                PASS tests/other.test.js\\n  ✓ other\\n\\nTest Suites: 2 passed, 2 total\\nTests:       3 passed, 3 total\\n\
                Snapshots:   0 total\\nTime:        0.1 s\\nRan all test suites.\\n');\nprocess.reallyExit(0);\n";
    product(row("whole_output_printed_by_the_product"), text);
}

/// A check that is green alone.
fn green_alone(words: &str) -> String {
    jest_files(words, "").replace("identities = [\"sum › adds\"]", "phases = [\"green\"]")
}

#[test]
fn pass_with_no_tests() {
    let Some(project) = project(&green_alone(&format!("{JEST} --passWithNoTests nowhere"))) else { return };
    project.json("begin").exits(0);
    row("pass_with_no_tests").judges(&project);
}

#[test]
fn pattern_that_matches_nothing() {
    let Some(project) = project(&green_alone(&format!("{JEST} -t nothing-like-it"))) else { return };
    project.json("begin").exits(0);
    row("pattern_that_matches_nothing").judges(&project);
}

#[test]
fn two_files_through_npm() {
    beside(row("two_files_through_npm"), "npm test", "", "");
}

#[test]
fn skipped_test_as_red() {
    red(
        row("skipped_test_as_red"),
        JEST,
        "test.skip('adds', () => { expect(sum(1, 2)).toBe(3); });\ntest('zero', () => {});",
    );
}

#[test]
fn todo_as_red() {
    red(row("todo_as_red"), JEST, "test.todo('adds');\ntest('zero', () => {});");
}

#[test]
fn only_one_test() {
    let test = ">> tests/sum.test.js\nconst sum = require('../sum');\ndescribe('sum', () => {\n\
                test.only('adds', () => { expect(sum(1, 2)).toBe(3); });\ntest('zero', () => {});\n});\n";
    beside(row("only_one_test"), JEST, test, "");
}

#[test]
fn skip_that_is_approved() {
    let more = ">> tests/old.test.js\ntest.skip('old', () => {});\n";
    let Some(project) =
        project(&with_line(&jest_files(JEST, more), "approved_skip_reason = \"for the next release\""))
    else {
        return;
    };
    let project = freeze(project);
    project.write("sum.js", RIGHT);
    row("skip_that_is_approved").judges(&project);
}

#[test]
fn failing_test_as_red() {
    red(row("failing_test_as_red"), JEST, "test.failing('adds', () => { expect(sum(1, 2)).toBe(3); });");
}

#[test]
fn failure_of_a_matcher() {
    red(
        row("failure_of_a_matcher"),
        JEST,
        "test('adds', () => { expect(sum(1, 2)).toBe(3); });\ntest('ImportError', () => {});",
    );
}

#[test]
fn reference_error_as_red() {
    red(row("reference_error_as_red"), JEST, "test('adds', () => { expect(nowhere(1, 2)).toBe(3); });");
}

#[test]
fn missing_module_as_red() {
    red(
        row("missing_module_as_red"),
        JEST,
        "require('../nowhere');\ntest('adds', () => { expect(1).toBe(3); });",
    );
}

#[test]
fn failures_that_leave_with_zero() {
    let Some(project) =
        project(&jest_files(JEST, ">> jest.config.js\nmodule.exports = { testFailureExitCode: 0 };\n"))
    else {
        return;
    };
    project.json("begin").exits(0);
    row("failures_that_leave_with_zero").judges(&project);
}

#[test]
fn configuration_from_the_start() {
    beside(
        row("configuration_from_the_start"),
        JEST,
        ">> jest.config.js\nmodule.exports = { verbose: true };\n",
        "",
    );
}

#[test]
fn module_mapped_to_a_fake() {
    let before = ">> jest.config.js\nmodule.exports = {};\n";
    let after = ">> jest.config.js\nmodule.exports = { moduleNameMapper: { sum: '<rootDir>/fake.js' } };\n>> fake.js\nmodule.exports = (a, b) => a + b;\n";
    beside(row("module_mapped_to_a_fake"), JEST, before, after);
}

const SETUP: &str =
    ">> jest.config.js\nmodule.exports = { setupFiles: ['./setup.js'] };\n>> setup.js\nglobal.answer = 42;\n";

#[test]
fn setup_file_that_empties_tests() {
    let after = ">> setup.js\nglobal.expect = () => ({ toBe() {} });\n";
    beside(row("setup_file_that_empties_tests"), JEST, SETUP, after);
}

#[test]
fn setup_file_from_the_start() {
    beside(row("setup_file_from_the_start"), JEST, SETUP, ">> other.js\nmodule.exports = 1;\n");
}

const SNAPSHOT: &str = ">> tests/sum.test.js\nconst sum = require('../sum');\ndescribe('sum', () => {\n\
                        test('adds', () => { expect(`sum ${sum(1, 2)}`).toMatchSnapshot(); });\n});\n";

#[test]
fn snapshot_written_after_red() {
    let after = ">> tests/__snapshots__/sum.test.js.snap\n// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\n\
                 exports[`sum adds 1`] = `\"sum 3\"`;\n";
    beside(row("snapshot_written_after_red"), JEST, SNAPSHOT, after);
}

#[test]
fn snapshot_updated_by_the_run() {
    let Some(project) = project(&jest_files(&format!("{JEST} -u"), SNAPSHOT)) else { return };
    project.json("begin").exits(0);
    row("snapshot_updated_by_the_run").judges(&project);
}

#[test]
fn snapshot_from_the_start() {
    let snapshot = "{SNAPSHOT}>> tests/__snapshots__/sum.test.js.snap\n// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\n\
                    exports[`sum adds 1`] = `\"sum 3\"`;\n";
    beside(row("snapshot_from_the_start"), JEST, &snapshot.replace("{SNAPSHOT}", SNAPSHOT), "");
}

#[test]
fn required_by_environment() {
    let Some(project) = jest(JEST, ">> evil.js\nprocess.on('exit', () => process.reallyExit(0));\n") else {
        return;
    };
    row("required_by_environment").judges_with(&project, &[("NODE_OPTIONS", "--require ./evil.js")]);
}

#[test]
fn module_flags_by_environment() {
    let Some(project) = jest(JEST, "") else { return };
    project.write("sum.js", RIGHT);
    row("module_flags_by_environment")
        .judges_with(&project, &[("NODE_OPTIONS", "--experimental-vm-modules")]);
}

#[test]
fn script_that_does_nothing() {
    beside(
        row("script_that_does_nothing"),
        "npm test",
        "",
        ">> package.json\n{\"scripts\": {\"test\": \"exit 0\"}}\n",
    );
}

#[test]
fn script_of_another_name() {
    let after = ">> package.json\n{\"scripts\": {\"build\": \"tsc\", \"test\": \"jest\"}, \"dependencies\": {\"left-pad\": \"1\"}}\n";
    beside(row("script_of_another_name"), "npm test", "", after);
}

/// A project that runs `node --test`, with this file of tests.
fn node_test(test: &str) -> Option<Project> {
    runners::find("node", "node")?;
    let files = jest_files("node --test --test-reporter=tap tests/one.test.mjs", ">> package.json\n{}\n")
        .replace(
            "parser = \"jest\"\nidentities = [\"sum › adds\"]",
            "parser = \"tap\"\nphases = [\"green\"]",
        );
    let project = Project::git(&format!("{files}>> tests/one.test.mjs\n{test}"));
    project.json("begin").exits(0);
    Some(project)
}

#[test]
fn file_without_tests() {
    let Some(project) = node_test("console.log('hello');\n") else { return };
    row("file_without_tests").judges(&project);
}

#[test]
fn file_with_a_test() {
    let test = "import test from 'node:test';\nimport assert from 'node:assert';\ntest('adds', () => assert.equal(1 + 2, 3));\n";
    let Some(project) = node_test(test) else { return };
    row("file_with_a_test").judges(&project);
}

#[test]
fn testing_library() {
    let test = ">> tests/sum.test.js\n/** @jest-environment jsdom */\nconst { screen } = require('@testing-library/dom');\nconst sum = require('../sum');\n\
                describe('sum', () => {\n  test('adds', () => {\n    document.body.innerHTML = `<p>sum ${sum(1, 2)}</p>`;\n    screen.getByText('sum 3');\n  });\n});\n";
    beside(row("testing_library"), JEST, test, "");
}
