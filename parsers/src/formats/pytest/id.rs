//! Node ids: `tests/test_a.py::TestX::test_y[p0]`.

use bstr::ByteSlice;
use memchr::memchr;

/// Where the first `::` stands. A searcher for two bytes costs more to set up than an id is long.
pub(super) fn colons(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr(b':', text.get(from..)?)?;
        if text.get(at + 1) == Some(&b':') {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Where the test's own name starts in an id. Parameters may hold anything, so `::` counts only before them.
pub(super) fn name_at(id: &[u8]) -> usize {
    let mut from = colons(id).map_or(0, |at| at + 2);
    let end = id.get(from..).and_then(|rest| memchr(b'[', rest)).map_or(id.len(), |at| from + at);
    while let Some(at) = id.get(from..end).and_then(colons) {
        from += at + 2;
    }
    from
}

/// The parts of a suite, of what stands before the name.
pub(super) fn suite(prefix: &str) -> Vec<String> {
    // A subtest's prefix is the whole id of its test and a blank.
    let (mut rest, last) = match prefix.strip_suffix(' ') {
        Some(id) => id.split_at(name_at(id.as_bytes()).min(id.len())),
        None => (prefix, ""),
    };
    let mut parts = Vec::new();
    while let Some((part, after)) = rest.split_once("::") {
        parts.push(part.to_owned());
        rest = after;
    }
    parts.extend((!last.is_empty()).then(|| last.to_owned()));
    parts
}

/// The file of an id.
pub(super) fn file(id: &str) -> &str {
    id.split_once("::").map_or(id, |(file, _)| file)
}

/// What a block calls the test with this id: `TestX.test_y[p0]` for `tests/test_a.py::TestX::test_y[p0]`.
pub(super) fn domain(id: &str) -> String {
    let (classes, name) = id.split_at(name_at(id.as_bytes()).min(id.len()));
    let classes = classes.split_once("::").map_or("", |(_, classes)| classes);
    let mut domain = classes.replace("::", ".");
    domain.push_str(name);
    domain
}

/// The id that a block's name and file give, where no line prints it.
pub(super) fn from_domain(file: &str, name: &str) -> String {
    let name = match name.strip_prefix("[doctest] ") {
        Some(name) => return format!("{file}::{name}"),
        None => name,
    };
    let end = name.find(['[', ' ']).unwrap_or(name.len());
    let (path, parameters) = name.split_at(end);
    format!("{file}::{}{parameters}", path.replace('.', "::"))
}

/// Where an id that starts a line ends, when output may follow it. A Python name has no blanks; parameters end with
/// the first bracket that a blank or the end of the line follows.
pub(super) fn end(text: &[u8]) -> Option<usize> {
    let colons = colons(text)?;
    let name = colons + 2;
    let stop = text.get(name..)?.find_byteset(b"[ ").map_or(text.len(), |at| name + at);
    if text.get(stop) != Some(&b'[') {
        return (stop > name && colons > 0).then_some(stop);
    }
    let mut from = stop;
    while let Some(at) = text.get(from..).and_then(|rest| memchr(b']', rest)) {
        from += at + 1;
        if matches!(text.get(from), None | Some(b' ')) {
            return Some(from);
        }
    }
    None
}

/// Whether a line starts with what may be an id: a word with `::` in it.
pub(super) fn starts(text: &[u8]) -> bool {
    let word = text.get(..memchr(b' ', text).unwrap_or(text.len())).unwrap_or(text);
    word.len() > 3 && colons(word).is_some_and(|at| at > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: &str, want_suite: &[&str], name: &str) {
        let (prefix, own) = id.split_at(name_at(id.as_bytes()));
        assert_eq!((suite(prefix), own), (want_suite.iter().map(|part| (*part).to_owned()).collect(), name));
    }

    #[test]
    fn ids_have_parts() {
        check("a/t.py::X::test_y[p0]", &["a/t.py", "X"], "test_y[p0]");
        check("t.py::test_y[a::b]", &["t.py"], "test_y[a::b]");
        check("t.py::test_y[[a]", &["t.py"], "test_y[[a]");
        check("t.py", &[], "t.py");
        assert_eq!(suite("t.py::X::test_y[a b] "), ["t.py", "X", "test_y[a b]"]);
    }

    #[test]
    fn blocks_name_the_domain() {
        assert_eq!(domain("t.py::X::Y::t[a::b.c]"), "X.Y.t[a::b.c]");
        assert_eq!(domain("m.py::m.f"), "m.f");
        assert_eq!(domain("t.py::t [m] (i=1)"), "t [m] (i=1)");
        assert_eq!(from_domain("t.py", "X.t[a.b]"), "t.py::X::t[a.b]");
    }

    #[test]
    fn an_id_ends_before_output() {
        for (text, id) in [
            ("t.py::a hello", "t.py::a"),
            ("t.py::a[x y] hello", "t.py::a[x y]"),
            ("t.py::a[[x] y]", "t.py::a[[x]"),
            ("t.py::a", "t.py::a"),
        ] {
            assert_eq!(end(text.as_bytes()), Some(id.len()), "{text}");
        }
        assert_eq!(end(b"std:: vector"), None);
    }
}
