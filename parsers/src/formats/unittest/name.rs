//! How unittest names what it runs.
//!
//! `method (module.Class.method)` since Python 3.11, `method (module.Class)` before; both give the id
//! `module.Class.method`. A subtest adds ` [message] (key=value)`. Fixtures are `setUpClass (module.Class)` and
//! `setUpModule (module)`; a module that could not be loaded is `name (unittest.loader._FailedTest.name)`.

/// What a line or section of the output is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named<'a> {
    /// A test.
    Test {
        /// The dotted path of its class; empty where there is none.
        class: &'a str,
        /// The method.
        method: &'a str,
        /// Whether the method stood in the parentheses too.
        repeated: bool,
    },
    /// A class's or module's fixture.
    Fixture {
        /// `setUpClass` and its kin.
        hook: &'a str,
        /// The class or module.
        of: &'a str,
    },
    /// A module or name that the loader could not give.
    Unloaded {
        /// The module or name.
        subject: &'a str,
    },
}

/// A line with more parentheses than this names no test.
const MOST_TRIES: usize = 16;

/// Reads a name off the front of `text`, and gives what follows. `any_method` takes a method with blanks also where
/// nothing confirms it.
pub(super) fn read(text: &str, any_method: bool) -> Option<(Named<'_>, &str)> {
    for (at, _) in text.match_indices(" (").take(MOST_TRIES) {
        let (method, inner) = (text.get(..at)?, text.get(at + 2..)?);
        for (close, _) in inner.match_indices(')').take(MOST_TRIES) {
            let path = inner.get(..close)?;
            if !method.is_empty()
                && let Some(class) = path.strip_suffix(method).and_then(|class| class.strip_suffix('.'))
                && (is_dotted(class) || is_such(method))
            {
                return Some((named(class, method, true), inner.get(close + 1..)?));
            }
        }
    }
    let (method, inner) = text.split_once(" (")?;
    let (class, rest) = inner.split_once(')')?;
    let plain = any_method || !method.contains(char::is_whitespace);
    (plain && !method.is_empty() && is_dotted(class)).then(|| (named(class, method, false), rest))
}

fn named<'a>(class: &'a str, method: &'a str, repeated: bool) -> Named<'a> {
    match (class, method) {
        (
            "unittest.loader._FailedTest"
            | "unittest.loader.ModuleImportFailure"
            | "unittest.loader.LoadTestsFailure"
            | "nose2.loader.ModuleImportFailure"
            | "nose2.loader.LoadTestsFailure",
            _,
        ) => Named::Unloaded { subject: method },
        ("unittest.loader.ModuleSkipped", _) => Named::Test { class: "", method, repeated },
        // nose2 before 0.10 has a class made up for each function.
        (_, made_up) if made_up.ends_with(".transplant_class.<locals>.C") => {
            Named::Test { class: "", method: class, repeated }
        }
        (_, "unittest.case.FunctionTestCase") => Named::Test { class: "", method: class, repeated },
        _ => match hook(method) {
            Some(hook) if !repeated => Named::Fixture { hook, of: class },
            _ => Named::Test { class, method, repeated },
        },
    }
}

/// The hook whose name this is, also where it stands right behind what the hook printed.
fn hook(name: &str) -> Option<&str> {
    let hooks = ["setUpClass", "tearDownClass", "setUpModule", "tearDownModule"];
    let printed = hooks.iter().find_map(|hook| name.strip_suffix(hook))?;
    (!printed.starts_with("test")).then(|| name.get(printed.len()..)).flatten()
}

/// `module.test_x` or `module.test_x:1`: the module's path and the function's name.
pub(super) fn function(text: &str) -> Option<(&str, &str)> {
    let path = text.rsplit_once(':').map_or(text, |(path, _)| path);
    let identifier = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let plain = path.contains('.') && path.split('.').all(identifier);
    (plain && (path == text || is_numbered(text))).then(|| text.split_at(path.rfind('.').unwrap_or(0) + 1))
}

/// Whether it ends in the number that nose2 gives to a test's parameter.
pub(super) fn is_numbered(name: &str) -> bool {
    name.rsplit_once(':')
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `test 0001: should fit`: a test of nose2's `such`, whose class is a sentence.
fn is_such(method: &str) -> bool {
    let number =
        method.strip_prefix("test ").and_then(|rest| rest.split_once(": ")).map(|(number, _)| number);
    number.is_some_and(|number| number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_dotted(path: &str) -> bool {
    let in_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '<' | '>' | '-');
    !path.is_empty() && path.chars().all(in_path) && !path.starts_with('.') && !path.ends_with('.')
}

/// The start of a name that stands in the middle of a line, behind what a test printed. `end` is where its closing
/// parenthesis is.
pub(super) fn start(text: &str, end: usize) -> Option<usize> {
    let open = text.get(..end)?.rfind(" (")?;
    let before = text.get(..open)?;
    Some(before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| {
        let width = before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        at + width
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, class: &str, method: &str, rest: &str) {
        match read(text, false) {
            Some((Named::Test { class: c, method: m, .. }, r)) => {
                assert_eq!((c, m, r), (class, method, rest));
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn both_layouts_give_one_name() {
        check("test_x (pkg.mod.C.test_x) ... ok", "pkg.mod.C", "test_x", " ... ok");
        check("test_x (pkg.mod.C) ... ok", "pkg.mod.C", "test_x", " ... ok");
        check("test_x (m.f.<locals>.C.test_x)", "m.f.<locals>.C", "test_x", "");
        check("test (a) b (m.C.test (a) b) [i (j)] (k=1)", "m.C", "test (a) b", " [i (j)] (k=1)");
        check("unittest.case.FunctionTestCase (check) ... ok", "", "check", " ... ok");
    }

    #[test]
    fn fixtures_and_unloaded_modules_are_no_tests() {
        let of = |text| read(text, false).map(|(named, _)| named);
        let fixture = Some(Named::Fixture { hook: "setUpClass", of: "m.C" });
        assert_eq!(of("setUpClass (m.C)"), fixture);
        assert_eq!(of("INFO:app:startedsetUpClass (m.C) ... ERROR"), fixture);
        check("test_setUpClass (m.C) ... ok", "m.C", "test_setUpClass", " ... ok");
        let unloaded = Some(Named::Unloaded { subject: "tests.test_x" });
        assert_eq!(of("tests.test_x (unittest.loader._FailedTest.tests.test_x)"), unloaded);
        assert_eq!(of("tests.test_x (unittest.loader._FailedTest)"), unloaded);
    }

    #[test]
    fn prose_is_no_name() {
        for text in ["", "a b", "took (long)x", "he said (it works) ...", "(x)", " (m.C)", " (m.)", "a b (c)"]
        {
            let found = read(text, false).filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '));
            assert!(found.is_none(), "{text}: {found:?}");
        }
        assert!(read("a b (m.C)", true).is_some());
    }

    #[test]
    fn a_name_starts_after_what_was_printed() {
        let text = "x y: test_é (m.C.test_é) ... ok";
        assert_eq!(start(text, text.find(')').unwrap()), Some(5));
        assert_eq!(start("t (m)", 4), Some(0));
    }
}
