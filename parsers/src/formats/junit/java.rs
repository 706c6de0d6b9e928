//! Stack frames of the JVM: what of a runner called the code that threw.

use crate::Kind;

/// What a frame of a runner says of the frames above it.
#[derive(Debug, Clone, Copy)]
enum Called {
    Test,
    Hook(Kind),
    /// JUnit 3 calls hooks and test from one method: the frame before tells.
    ByName,
}

/// Parts of the frames of JUnit 3 to 5 and TestNG.
const RUNNERS: [(&str, Called); 15] = [
    ("TestMethodTestDescriptor.invokeTestMethod(", Called::Test),
    (".statements.InvokeMethod.evaluate(", Called::Test),
    ("junit.framework.TestCase.runTest(", Called::Test),
    ("org.testng.internal.invokers.TestInvoker.", Called::Test),
    ("org.testng.internal.TestInvoker.", Called::Test),
    ("Descriptor.invokeBeforeEach", Called::Hook(Kind::Setup)),
    ("Descriptor.invokeBeforeAll", Called::Hook(Kind::Setup)),
    ("Descriptor.invokeTestClassConstructor(", Called::Hook(Kind::Setup)),
    (".BlockJUnit4ClassRunner.createTest(", Called::Hook(Kind::Setup)),
    (".statements.RunBefores.", Called::Hook(Kind::Setup)),
    ("Descriptor.invokeAfterEach", Called::Hook(Kind::Teardown)),
    ("Descriptor.invokeAfterAll", Called::Hook(Kind::Teardown)),
    (".statements.RunAfters.", Called::Hook(Kind::Teardown)),
    ("ConfigInvoker.", Called::ByName),
    ("junit.framework.TestCase.runBare(", Called::ByName),
];

/// The hook in which something was thrown, by the first frame of a runner. Where a writer left those out, by the name of
/// the outermost frame that is there.
pub(super) fn hook(text: &str) -> Option<Kind> {
    let mut outermost = None;
    for line in text.lines() {
        let Some(frame) = line.trim_start().strip_prefix("at ") else {
            // The trace of a cause follows: it is a part of what was told before.
            if outermost.is_some() && line.starts_with("Caused by: ") {
                break;
            }
            continue;
        };
        match RUNNERS.iter().find(|(part, _)| frame.contains(part)) {
            Some((_, Called::Test)) => return None,
            Some((_, Called::Hook(kind))) => return Some(*kind),
            Some((_, Called::ByName)) => break,
            // What lies between: reflection, and the assertion library.
            None if is_between(frame) => {}
            None => outermost = Some(frame),
        }
    }
    by_name(outermost?)
}

fn is_between(frame: &str) -> bool {
    const PACKAGES: [&str; 6] = ["java.", "jdk.", "sun.", "org.junit.", "junit.framework.", "org.testng."];
    let class = frame.rsplit_once('/').map_or(frame, |(_, class)| class);
    PACKAGES.iter().any(|package| class.starts_with(package))
}

/// `a.BTest.setUp(BTest.java:9)`
fn by_name(frame: &str) -> Option<Kind> {
    let (path, place) = frame.split_once('(')?;
    let file = place.split_once(':')?.0;
    if ![".java", ".kt", ".groovy", ".scala"].iter().any(|end| file.ends_with(end)) {
        return None;
    }
    match path.rsplit_once('.')?.1 {
        "<init>" | "setUp" | "setup" | "setUpClass" | "before" | "beforeEach" | "beforeAll"
        | "beforeClass" | "beforeMethod" => Some(Kind::Setup),
        "tearDown" | "teardown" | "tearDownClass" | "after" | "afterEach" | "afterAll" | "afterClass"
        | "afterMethod" => Some(Kind::Teardown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(frames: &[&str], want: Option<Kind>) {
        let text: String = frames.iter().map(|frame| format!("\n\tat {frame}")).collect();
        assert_eq!(hook(&format!("java.lang.AssertionError: no{text}\n")), want);
    }

    const ASSERT: &str = "org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)";
    const JUPITER: &str = "org.junit.jupiter.engine.descriptor.TestMethodTestDescriptor";

    #[test]
    fn a_runner_says_what_it_called() {
        let own = "app//a.BTest.opens(BTest.java:9)";
        let jupiter = |method: &str| format!("{JUPITER}.{method}(TestMethodTestDescriptor.java:1)");
        let test = jupiter("invokeTestMethod");
        check(&[ASSERT, own, &jupiter("invokeBeforeEachMethods"), &jupiter("execute")], Some(Kind::Setup));
        check(&[ASSERT, own, &jupiter("invokeAfterEachMethods"), &test], Some(Kind::Teardown));
        check(&[ASSERT, own, &test, &jupiter("invokeBeforeEachMethods")], None);
        let junit4 =
            |class: &str| format!("org.junit.internal.runners.statements.{class}.evaluate({class}.java:1)");
        check(&[own, &junit4("RunBefores"), &junit4("RunAfters")], Some(Kind::Setup));
        check(&[own, &junit4("RunAfters")], Some(Kind::Teardown));
        check(&[own, &junit4("InvokeMethod"), &junit4("RunBefores"), &junit4("RunAfters")], None);
    }

    #[test]
    fn a_name_tells_where_no_runner_does() {
        check(&[ASSERT, "a.BTest.setUp(BTest.java:9)"], Some(Kind::Setup));
        check(&["a.BTest.tearDown(BTest.kt:9)"], Some(Kind::Teardown));
        check(&["a.BTest.<init>(BTest.java:9)"], Some(Kind::Setup));
        check(&["a.BTest.setUp(BTest.java:9)", "a.BTest.adds(BTest.java:3)"], None);
        check(
            &["a.BTest.setUp(BTest.java:9)", "junit.framework.TestCase.runBare(TestCase.java:1)"],
            Some(Kind::Setup),
        );
        let run_test = "junit.framework.TestCase.runTest(TestCase.java:1)";
        check(&["a.BTest.setUp(BTest.java:9)", run_test], None);
        check(&["setUp (/w/a.test.js:3:1)"], None);
        check(&[], None);
    }

    #[test]
    fn a_cause_is_told_after() {
        let text =
            "X: a\n\tat a.BTest.adds(BTest.java:3)\nCaused by: Y: b\n\tat a.BTest.setUp(BTest.java:9)\n";
        assert_eq!(hook(text), None);
    }
}
