//! Lines of `short test summary info`: `FAILED tests/test_a.py::test_x - assert 1 == 2`.

use memchr::{memchr, memmem};

use super::id;
use super::progress::id_after_label;
use super::word::Word;

/// One line of the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<'a> {
    pub(super) word: Word,
    /// The label of a subtest, as printed.
    pub(super) label: &'a [u8],
    /// The id and, where there is one, ` - ` and a message.
    pub(super) rest: &'a [u8],
}

/// Reads a line of the summary. Skips are folded there to a place in a file, which names no test.
pub(super) fn named(text: &[u8]) -> Option<Named<'_>> {
    match text.first()? {
        b'P' | b'F' | b'E' | b'X' | b'R' | b'S' => {}
        // `[label] (i=1) SUBFAIL id - message` of pytest-subtests.
        b'[' | b'(' => {
            let at = memmem::find(text, b" SUB")?;
            let (label, rest) = text.split_at_checked(at)?;
            let (word, rest) = rest.get(1..)?.split_at_checked(memchr(b' ', rest.get(1..)?)?)?;
            return Some(Named { word: Word::read_sub(word)?, label, rest: rest.get(1..)? });
        }
        _ => return None,
    }
    let len = text.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let (word, tail) = text.split_at_checked(len)?;
    if let Some(word) = Word::read(word) {
        let mut rest = tail.strip_prefix(b" ")?;
        // Where the body was not run, or the fixtures did as expected: `XFAIL at setup of id`.
        if word == Word::Xfail {
            let phase = [&b"at setup of "[..], b"at teardown of "];
            rest = phase.iter().find_map(|phase| rest.strip_prefix(*phase)).unwrap_or(rest);
        }
        let folded = word == Word::Skipped && rest.starts_with(b"[");
        return (!folded && !rest.is_empty()).then_some(Named { word, label: b"", rest });
    }
    let word = Word::read_sub(word)?;
    let (label, rest) = tail.split_at_checked(id_after_label(tail)?)?;
    Some(Named { word, label: label.trim_ascii(), rest: rest.get(1..)? })
}

/// Splits `id - message`. The message starts at the first ` - ` outside the brackets of the parameters; where more
/// than one place is possible, `known` says which id is one.
pub(super) fn split_message(rest: &[u8], mut known: impl FnMut(&[u8]) -> bool) -> (&[u8], Option<&[u8]>) {
    let cut = |at: usize| (rest.get(..at).unwrap_or(rest), rest.get(at + 3..));
    let Some(first) = memmem::find(rest, b" - ") else { return (rest, None) };
    let name = id::colons(rest).map_or(0, |at| at + 2);
    let has_parameters = rest
        .get(name..)
        .and_then(|rest| memchr::memchr2(b'[', b' ', rest))
        .is_some_and(|at| rest.get(name + at) == Some(&b'['));
    if !has_parameters {
        return cut(first);
    }
    let mut places = memmem::find_iter(rest, b"] - ").map(|at| at + 1);
    let Some(place) = places.next() else { return (rest, None) };
    let whole = rest.ends_with(b"]");
    let mut others = places.chain(whole.then_some(rest.len())).peekable();
    if others.peek().is_none() {
        return cut(place);
    }
    // Of two ids that are known, one is the start of the other: the message of the shorter would start with the rest.
    let others = others.filter(|place| known(rest.get(..*place).unwrap_or(rest))).last();
    cut(others.unwrap_or(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, id: &str, message: Option<&str>) {
        let named = named(text.as_bytes()).unwrap();
        let got = split_message(named.rest, |id| id == b"t.py::known[a] - b]");
        assert_eq!(got, (id.as_bytes(), message.map(str::as_bytes)));
    }

    #[test]
    fn the_message_starts_outside_the_parameters() {
        check("FAILED t.py::a - assert [1] - [2]", "t.py::a", Some("assert [1] - [2]"));
        check("FAILED t.py::a[x - y] - no", "t.py::a[x - y]", Some("no"));
        check("FAILED t.py::a[x - y]", "t.py::a[x - y]", None);
        check("FAILED t.py::a[[x - y] - no - really", "t.py::a[[x - y]", Some("no - really"));
        check("FAILED t.py::known[a] - b] - c", "t.py::known[a] - b]", Some("c"));
        check("ERROR t.py - KeyError: 1", "t.py", Some("KeyError: 1"));
        check("XFAIL at setup of t.py::a[x] - [NOTRUN] why", "t.py::a[x]", Some("[NOTRUN] why"));
        check("XFAIL at teardown of t.py::a", "t.py::a", None);
        check("FAILED at setup of t.yaml::a - no", "at setup of t.yaml::a", Some("no"));
        check("FAILED t.yaml::hello world - no", "t.yaml::hello world", Some("no"));
    }

    #[test]
    fn subtests_carry_a_label() {
        for text in ["SUBFAILED[m] (i=1) t.py::s - no", "[m] (i=1) SUBFAIL t.py::s - no"] {
            let named = named(text.as_bytes()).unwrap();
            assert_eq!((named.word, named.label), (Word::Failed, &b"[m] (i=1)"[..]));
            assert_eq!(named.rest, b"t.py::s - no");
        }
    }

    #[test]
    fn other_lines_name_nothing() {
        for text in ["SKIPPED [1] t.py:4: why", "  more", "FAILED", "FAILEDX t.py::a", ""] {
            assert_eq!(named(text.as_bytes()), None, "{text}");
        }
    }
}
