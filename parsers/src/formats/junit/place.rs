//! Where in the sources a failure arose, as far as its text says so in one of the usual ways.

use crate::text::number;

/// The file and the line of the innermost frame that is the project's own.
pub(super) fn of(text: &str) -> Option<(&str, u32)> {
    // Python prints the innermost frame last, others first.
    let mut python = None;
    for line in text.lines() {
        let line = line.trim();
        if let Some((file, number, _)) = crate::python::frame(line.as_bytes()) {
            python = std::str::from_utf8(file).ok().map(|file| (file, number)).or(python);
        } else if let Some(place) = pytest(line) {
            python = Some(place);
        } else if python.is_none()
            && let Some(place) = script(line).or_else(|| leading(line))
        {
            return Some(place);
        }
    }
    python
}

/// `tests/test_a.py:7: AssertionError`
fn pytest(line: &str) -> Option<(&str, u32)> {
    let (place, class) = line.rsplit_once(": ")?;
    let is_class = class.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let (file, line) = place.rsplit_once(':')?;
    Some((file, whole(line)?)).filter(|_| is_class && file.ends_with(".py") && !file.contains(' '))
}

/// `at f (/w/a.test.js:3:5)`
fn script(line: &str) -> Option<(&str, u32)> {
    let frame = line.strip_prefix("at ")?;
    let place = match frame.rsplit_once('(') {
        Some((_, place)) => place.strip_suffix(')')?,
        None => frame.strip_prefix("async ").unwrap_or(frame),
    };
    let place = place.strip_prefix("file://").unwrap_or(place);
    let (place, column) = place.rsplit_once(':')?;
    whole(column)?;
    let (file, line) = place.rsplit_once(':')?;
    let own = !file.starts_with("node:") && !file.contains("node_modules/") && !file.starts_with('<');
    Some((file, whole(line)?)).filter(|_| own)
}

/// `a.cc:12`, `/w/tests/ATest.php:9`, alone in a line or before ` in function`.
fn leading(line: &str) -> Option<(&str, u32)> {
    const SOURCES: [&str; 8] = [".cc", ".cpp", ".cxx", ".c", ".h", ".hpp", ".php", ".go"];
    let place = line.strip_prefix("at ").unwrap_or(line);
    let (file, rest) = place.split_once(':')?;
    let (line, rest) = number(rest.as_bytes())?;
    let ends = rest.is_empty() || rest.starts_with(b":") || rest.starts_with(b" ");
    let known = SOURCES.iter().any(|end| file.ends_with(end)) && !file.contains(' ');
    Some((file, u32::try_from(line).ok()?)).filter(|_| known && ends)
}

fn whole(text: &str) -> Option<u32> {
    text.parse().ok()
}
