//! What writers list among the tests and is none: a file that didn't load, a class or a hook that broke.

use super::case::{OpenCase, Outcome};
use crate::Kind;

/// Something outside any test.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outside {
    /// What broke.
    pub(super) subject: String,
    /// Its kind, where it isn't what its text says.
    pub(super) kind: Option<Kind>,
}

/// Classes under which a file stands that didn't load: jest-junit, unittest's loader, nose2's.
const STANDS_FOR_A_FILE: [&str; 4] = [
    "Test suite failed to run",
    "unittest.loader._FailedTest",
    "nose2.loader.ModuleImportFailure",
    "nose2.loader.LoadTestsFailure",
];

/// The classes of JUnit and PHPUnit that stand for a class of tests.
const STANDS_FOR_A_CLASS: [&str; 2] = ["junit.framework.TestSuite", "junit.framework.TestSuite$1"];

/// What a case that didn't pass stands for, if it is no test. `suite` is the name of the suite around it.
pub(super) fn of(case: &OpenCase, suite: &str) -> Option<Outside> {
    let outcome = case.failures.first()?;
    let message = outcome.message.as_deref().unwrap_or("");
    let found = |subject: &str, kind: Option<Kind>| Some(Outside { subject: subject.to_owned(), kind });
    if let Some((subject, kind)) = unittest_fixture(&case.name) {
        return found(subject, Some(kind));
    }
    if let Some(kind) = mocha_hook(&case.name) {
        return found(&case.name, Some(kind));
    }
    if let Some(kind) = testng_configuration(&case.name) {
        return found([case.class.as_str(), &case.name].join(".").trim_matches('.'), Some(kind));
    }
    if STANDS_FOR_A_FILE.iter().any(|class| case.class.ends_with(class)) {
        return found(&case.name, None);
    }
    if STANDS_FOR_A_CLASS.contains(&case.class.as_str()) {
        return found(&case.name, None);
    }
    if case.name == "Warning" && outcome.class == "PHPUnit\\Framework\\Warning" {
        let gathered_none = outcome.text.contains("No tests found in class");
        return found(suite, gathered_none.then_some(Kind::Collection));
    }
    if message == "collection failure" {
        return found([case.class.as_str(), &case.name].join(".").trim_matches('.'), None);
    }
    if case.class == "pytest" && case.name == "internal" {
        return found("pytest", Some(Kind::Exception));
    }
    if case.name.is_empty() {
        return found(if case.class.is_empty() { suite } else { &case.class }, None);
    }
    if is_go_package(case, outcome) {
        return found(suite, None);
    }
    if is_file(&case.name) && (case.class == case.name || case.name == suite || is_node_file(case, outcome)) {
        return found(&case.name, None);
    }
    None
}

/// `setUpClass (tests.test_a.TestX)`
fn unittest_fixture(name: &str) -> Option<(&str, Kind)> {
    let (hook, subject) = name.strip_suffix(')')?.split_once(" (")?;
    let kind = match hook {
        "setUpClass" | "setUpModule" => Kind::Setup,
        "tearDownClass" | "tearDownModule" => Kind::Teardown,
        _ => return None,
    };
    Some((subject, kind))
}

/// `cart "before each" hook for "adds"`, `"after all" hook in "cart"`
fn mocha_hook(name: &str) -> Option<Kind> {
    const HOOKS: [(&str, Kind); 4] = [
        ("\"before each\" hook", Kind::Setup),
        ("\"before all\" hook", Kind::Setup),
        ("\"after each\" hook", Kind::Teardown),
        ("\"after all\" hook", Kind::Teardown),
    ];
    HOOKS.into_iter().find_map(|(hook, kind)| {
        let at = name.find(hook)?;
        let rest = name.get(at + hook.len()..)?;
        let ends = rest.is_empty()
            || rest.starts_with(" for \"")
            || rest.starts_with(" in \"")
            || rest.starts_with(": ");
        let starts = at == 0 || name.get(..at)?.ends_with(' ');
        (ends && starts).then_some(kind)
    })
}

/// `@BeforeMethod setUp`
fn testng_configuration(name: &str) -> Option<Kind> {
    let (annotation, _) = name.split_once(' ')?;
    let (kind, of) = match annotation.strip_prefix("@Before") {
        Some(of) => (Kind::Setup, of),
        None => (Kind::Teardown, annotation.strip_prefix("@After")?),
    };
    matches!(of, "Method" | "Class" | "Test" | "Suite" | "Groups").then_some(kind)
}

/// gotestsum has a case `TestMain` for a package that failed without a test.
fn is_go_package(case: &OpenCase, outcome: &Outcome) -> bool {
    case.name == "TestMain" && case.class.is_empty() && !outcome.text.as_str().contains("--- FAIL: TestMain")
}

/// node runs each file as a test of its own, and says no more than that its process failed.
fn is_node_file(case: &OpenCase, outcome: &Outcome) -> bool {
    case.class == "test" && outcome.message.as_deref() == Some("test failed")
}

fn is_file(name: &str) -> bool {
    const SCRIPTS: [&str; 12] =
        [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".vue", ".svelte", ".py", ".rb"];
    SCRIPTS.iter().any(|end| name.ends_with(end))
}
