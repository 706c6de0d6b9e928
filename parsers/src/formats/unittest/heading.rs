//! What a line of progress or the title of a section is about, with the id that it gives.

use super::line;
use super::name::{self, Named};

/// A test, fixture or module as a line names it.
#[derive(Debug, Clone)]
pub(super) struct Heading {
    pub(super) what: What,
    pub(super) line: u32,
    /// Python 3.11 and later print the method twice, which no other text does.
    pub(super) certain: bool,
    /// A function, as nose2 names it: a dotted path alone, which text that a test printed may be too.
    pub(super) is_function: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum What {
    Test { id: String, name_len: usize },
    Subtest { test: String, label: String },
    Fixture { hook: String, of: String },
    Unloaded { subject: String },
}

/// Reads what a line of progress names at its start, and gives what follows.
pub(super) fn heading(text: &str, number: u32) -> Option<(Heading, &str)> {
    let sub = text.strip_prefix("  ");
    let with_blanks = || {
        let found = name::read(text, true)?;
        let method = text.get(..text.find(" (")?)?;
        (!method.contains(" ... ")).then_some(())?;
        found.1.strip_prefix(" ... ").and_then(line::result).map(|_| found)
    };
    let (named, rest) = name::read(sub.unwrap_or(text), false).or_else(with_blanks)?;
    let certain = !matches!(named, Named::Test { repeated: false, .. });
    if sub.is_none() {
        return Some((Heading { what: what(named, ""), line: number, certain, is_function: false }, rest));
    }
    let end = match rest.rfind(" ... ") {
        Some(at) if rest.get(at + 5..).is_some_and(|tail| line::result(tail).is_some()) => at,
        _ => rest.len(),
    };
    let label = rest.get(..end)?.strip_prefix(' ').filter(|label| label.starts_with(['[', '(']))?;
    Some((Heading { what: what(named, label), line: number, certain, is_function: false }, rest.get(end..)?))
}

/// Reads a function of nose2 at the start of a line of progress, `module.test_x` or `module.test_x:1`, and gives what
/// follows. A docstring or a parameter may stand on the next line.
pub(super) fn function(text: &str, number: u32) -> Option<(Heading, &str)> {
    let (id, rest) = text.split_once(' ').map_or((text, ""), |(id, rest)| (id, rest));
    let (_, name) = name::function(id)?;
    let follows = rest.is_empty() || rest.starts_with("...");
    let what = What::Test { id: id.to_owned(), name_len: name.len() };
    let heading = Heading { what, line: number, certain: false, is_function: true };
    follows.then(|| (heading, text.get(id.len()..).unwrap_or("")))
}

/// Puts together the two lines on which nose2 names a method with a parameter: `test_x:1`, and `2 (module.Class.test_x:1`
/// or before 0.10 `2 (module.Class)`. What follows on the second line follows here too.
pub(super) fn parametrised(method: &str, second: &str) -> Option<String> {
    if !name::is_numbered(method) || method.contains('.') {
        return None;
    }
    let (at, _) = second
        .rmatch_indices(" (")
        .find(|(at, _)| second.get(at + 2..).is_some_and(|path| path.contains('.') || path.contains(')')))?;
    let path = second.get(at + 2..)?;
    let title = if path.contains(')') { format!("{method} ({path}") } else { format!("{method} ({path})") };
    matches!(name::read(&title, false), Some((Named::Test { .. }, _))).then_some(title)
}

/// What nose2 calls the fixtures of classes, modules and layers: by the class of what stands for them.
const NAMELESS: [&str; 2] = ["_ErrorHolder", "LayerSuite"];

/// Reads the title of a section.
pub(super) fn titled(title: &str, line: u32) -> Heading {
    let what = match name::read(title, true) {
        Some((named, rest)) if rest.is_empty() || rest.starts_with(" [") || rest.starts_with(" (") => {
            what(named, rest.trim_start())
        }
        _ if NAMELESS.contains(&title) => What::Fixture { hook: String::new(), of: String::new() },
        // A test that names itself in its own way.
        _ => {
            let name = name::function(title).map_or(title, |(_, name)| name);
            What::Test { id: title.to_owned(), name_len: name.len() }
        }
    };
    Heading { what, line, certain: true, is_function: false }
}

fn what(named: Named<'_>, label: &str) -> What {
    match named {
        Named::Fixture { hook, of } => What::Fixture { hook: hook.to_owned(), of: of.to_owned() },
        Named::Unloaded { subject } => What::Unloaded { subject: subject.to_owned() },
        Named::Test { class, method, .. } => {
            let id = if class.is_empty() { method.to_owned() } else { format!("{class}.{method}") };
            if label.is_empty() {
                What::Test { id, name_len: method.len() }
            } else {
                What::Subtest { test: id, label: label.to_owned() }
            }
        }
    }
}

/// The parts of a dotted path that stands before a name.
pub(super) fn dotted(prefix: &str) -> Vec<String> {
    prefix.trim_end_matches(['.', ' ']).split('.').map(str::to_owned).collect()
}
