//! pytest and unittest.

use std::collections::{BTreeMap, BTreeSet};

use super::files::{Files, is_plain, name, parent};
use crate::plan::template::{FoundRunner, Runner};

/// Settings by which a project says that it uses pytest: a file, and what stands in it.
const PYTEST_SETTINGS: &[(&str, &str)] = &[
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("pytest.toml", ""),
    (".pytest.toml", ""),
    ("pyproject.toml", "[tool.pytest"),
    ("setup.cfg", "[tool:pytest]"),
    ("tox.ini", "[pytest]"),
];

/// How many test files are read.
const MOST_READ: usize = 200;

/// The runner of a project's Python tests. pytest runs unittest's as well, so it is the one wherever anything tells of
/// it.
pub(super) fn look(files: &Files) -> Option<FoundRunner> {
    let tests: Vec<&str> = files.paths().filter(|path| is_test(name(path))).collect();
    let read: Vec<(&str, String)> =
        tests.iter().take(MOST_READ).map(|path| (*path, files.text(path))).collect();
    let says = |tell: fn(&str) -> bool| read.iter().find(|(_, text)| tell(text)).map(|(path, _)| *path);
    let pytest = PYTEST_SETTINGS
        .iter()
        .find(|(file, part)| files.has(file) && (part.is_empty() || files.text(file).contains(part)))
        .map(|(file, _)| *file)
        .or_else(|| files.paths().find(|path| name(path) == "conftest.py"))
        .or_else(|| says(uses_pytest));
    let test_paths = test_paths(&tests);
    if let Some(evidence) = pytest {
        return Some(found(Runner::Pytest, evidence, &["pytest", "-v"], test_paths));
    }
    let evidence = says(uses_unittest)?;
    Some(found(Runner::Unittest, evidence, &discover(files, &tests), test_paths))
}

fn found(runner: Runner, evidence: &str, module: &[&str], test_paths: Vec<String>) -> FoundRunner {
    FoundRunner {
        runner,
        evidence: evidence.to_owned(),
        command: ["python3", "-m"].iter().chain(module).map(|&word| word.to_owned()).collect(),
        cwd: None,
        test_paths,
        many_sessions: false,
    }
}

fn is_test(name: &str) -> bool {
    name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
}

/// Whether a module imports pytest, or has test functions outside any class, which unittest doesn't run.
fn uses_pytest(text: &str) -> bool {
    imports(text, "pytest")
        || text.lines().any(|line| line.starts_with("def test_") || line.starts_with("async def test_"))
}

fn uses_unittest(text: &str) -> bool {
    imports(text, "unittest")
        || text.lines().any(|line| line.starts_with("class ") && line.contains("TestCase"))
}

fn imports(text: &str, module: &str) -> bool {
    text.lines().any(|line| {
        let mut words = line.split(|char: char| char.is_whitespace() || char == '.' || char == ',');
        matches!(words.next(), Some("import" | "from")) && words.next() == Some(module)
    })
}

/// `discover` walks into packages only, so it has to start where the packages of the tests lie. Where they lie in
/// several folders it is the one of most.
fn discover<'f>(files: &Files, tests: &[&'f str]) -> Vec<&'f str> {
    let mut starts: BTreeMap<&str, usize> = BTreeMap::new();
    for test in tests.iter().filter(|path| name(path).starts_with("test")) {
        let mut folder = parent(test);
        while !folder.is_empty() && files.has(&format!("{folder}/__init__.py")) {
            folder = parent(folder);
        }
        *starts.entry(folder).or_default() += 1;
    }
    let mut words = vec!["unittest", "discover", "-v"];
    let start = starts.into_iter().rev().max_by_key(|(_, tests)| *tests);
    if let Some((start, _)) = start.filter(|(start, _)| !start.is_empty()) {
        words.extend(["-s", start]);
    }
    words
}

/// Where the tests lie: their `tests` folders, and for those that lie elsewhere the form of their names.
fn test_paths(tests: &[&str]) -> Vec<String> {
    let mut globs = BTreeSet::new();
    for path in tests {
        let mut at = 0;
        let folder = path.split('/').find_map(|part| {
            at += part.len() + 1;
            (matches!(part, "tests" | "test") && at < path.len()).then(|| &path[..at - 1])
        });
        globs.insert(match folder {
            Some(folder) if is_plain(folder) => format!("{folder}/**"),
            Some(_) => "**/tests/**".to_owned(),
            None if name(path).starts_with("test_") => "**/test_*.py".to_owned(),
            None => "**/*_test.py".to_owned(),
        });
    }
    if globs.len() > 10 {
        // A monorepo: one glob says the same.
        globs.retain(|glob| glob.starts_with("**/"));
        globs.extend(["**/tests/**".to_owned(), "**/test/**".to_owned()]);
    }
    if globs.is_empty() {
        globs.extend(["tests/**".to_owned(), "**/test_*.py".to_owned()]);
    }
    globs.into_iter().collect()
}
