//! Progress lines: `tests/test_a.py::test_x PASSED   [ 50%]`, `[gw0] [ 50%] PASSED tests/test_a.py::test_x`, and the
//! letters of the short form.

use memchr::{memchr, memrchr};

use super::id;
use super::tally::Tally;
use super::word::Word;

/// One result as a progress line states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen<'a> {
    /// Empty where the line holds the word alone.
    pub(super) id: &'a [u8],
    /// The label of a subtest, as printed.
    pub(super) label: &'a [u8],
    pub(super) word: Word,
    pub(super) reason: &'a [u8],
}

/// Takes the column at the right edge off: `[ 50%]`, `[3/6]`, `503.8us`.
pub(super) fn strip_column(text: &[u8]) -> Option<&[u8]> {
    let head = match text {
        // The usual width is told at a glance.
        [head @ .., b'[', b' ' | b'1', b' ' | b'0'..=b'9', b'0'..=b'9', b'%', b']'] => head,
        [.., b']'] => {
            let from = text.len().saturating_sub(24);
            let open = from + memrchr(b'[', text.get(from..)?)?;
            let inner = text.get(open + 1..text.len() - 1)?.trim_ascii_start();
            let (_, rest) = crate::text::number(inner)?;
            let counts = || crate::text::number(rest.strip_prefix(b"/")?).filter(|(_, rest)| rest.is_empty());
            if rest != b"%" && counts().is_none() {
                return None;
            }
            text.get(..open)?
        }
        [.., b's'] => {
            let open = memrchr(b' ', text)? + 1;
            let took = text.get(open..)?;
            let digits = took.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
            if digits == 0 || !matches!(took.get(digits..)?, b"s" | b"ms" | b"us" | b"ns") {
                return None;
            }
            text.get(..open)?
        }
        _ => return None,
    };
    (head.is_empty() || head.ends_with(b" ") || head.ends_with(b"]")).then(|| head.trim_ascii_end())
}

/// Whether a line starts as those of the short form do, `tests/test_a.py F`, whatever a test printed behind it.
pub(super) fn starts_short(text: &[u8]) -> bool {
    let Some(blank) = memchr(b' ', text) else { return false };
    text.get(..blank).is_some_and(|file| file.ends_with(b".py"))
        && text.get(blank + 1).is_some_and(|letter| Word::letter(*letter).is_some())
}

/// Reads a result that ends a line whose column is off: `id WORD`, `id WORD (reason)`, the word alone.
pub(super) fn result(text: &[u8]) -> Option<Seen<'_>> {
    match text.last()? {
        b')' | b']' => with_tail(text),
        b'D' | b'R' | b'L' | b'S' | b'N' | b'l' | b's' => {
            let at = memrchr(b' ', text).map_or(0, |at| at + 1);
            let (head, word) = text.split_at_checked(at)?;
            let head = head.trim_ascii_end();
            if let Some(word) = Word::read(word) {
                return Some(Seen { id: head, label: b"", word, reason: b"" });
            }
            let word = Word::read_sub(word)?;
            let (id, label) = head.split_at_checked(id::end(head)?)?;
            Some(Seen { id, label: label.trim_ascii(), word, reason: b"" })
        }
        _ => None,
    }
}

/// A reason in brackets, or the label of a subtest.
fn with_tail(text: &[u8]) -> Option<Seen<'_>> {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| memchr(b' ', rest)).map(|at| from + at) {
        if let Some(seen) = tail_at(text, at + 1).filter(|seen| whole_id(seen.id)) {
            return Some(seen);
        }
        from = at + 1;
    }
    tail_at(text, 0)
}

/// Reads a result with its reason, where no id stands in front.
pub(super) fn result_alone(text: &[u8]) -> Option<Seen<'_>> {
    tail_at(text, 0)
}

fn tail_at(text: &[u8], at: usize) -> Option<Seen<'_>> {
    let (head, rest) = text.split_at_checked(at)?;
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, tail) = rest.split_at_checked(len)?;
    let id = head.trim_ascii_end();
    if let Some(word) = Word::read(word) {
        let reason = tail.strip_prefix(b" (")?.strip_suffix(b")")?;
        return Some(Seen { id, label: b"", word, reason });
    }
    let word = Word::read_sub(word)?;
    // `SUBSKIPPED[label] (i=1) (reason)` keeps its reason in the label: nothing tells them apart.
    Some(Seen { id, label: tail.trim_ascii(), word, reason: b"" })
}

/// Whether brackets that an id opens are closed at its end.
fn whole_id(id: &[u8]) -> bool {
    let Some(colons) = id::colons(id) else { return false };
    let parameters = id.get(colons..).and_then(|rest| memchr(b'[', rest));
    parameters.is_none() || id.ends_with(b"]")
}

/// Reads the line of a worker: `[gw0] [ 50%] PASSED id`.
pub(super) fn worker(text: &[u8]) -> Option<Seen<'_>> {
    let rest = text.strip_prefix(b"[gw")?;
    let (_, rest) = crate::text::number(rest)?;
    let mut rest = rest.strip_prefix(b"]")?.trim_ascii();
    if let Some(column) = rest.strip_prefix(b"[") {
        rest = column.get(memchr(b']', column)? + 1..)?.trim_ascii_start();
    } else if rest.first()?.is_ascii_digit() {
        rest = rest.get(memchr(b' ', rest)?..)?.trim_ascii_start();
    }
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, tail) = rest.split_at_checked(len)?;
    let (label, id) = match Word::read_sub(word) {
        Some(_) => tail.split_at_checked(id_after_label(tail)?)?,
        None => (&b""[..], tail),
    };
    let word = Word::read(word).or(Word::read_sub(word))?;
    let id = id.strip_prefix(b" ")?;
    id::starts(id).then_some(Seen { id, label: label.trim_ascii(), word, reason: b"" })
}

/// Where the blank in front of the id stands, after the label of a subtest.
pub(super) fn id_after_label(text: &[u8]) -> Option<usize> {
    let colons = id::colons(text)?;
    memrchr(b' ', text.get(..colons)?)
}

/// Counts the letters of `tests/test_a.py .F.s` or `.F.s`, whose column is off, and says which file is named.
pub(super) fn letters(text: &[u8]) -> Option<(&[u8], Tally)> {
    let at = memrchr(b' ', text).map_or(0, |at| at + 1);
    let (head, letters) = text.split_at_checked(at)?;
    let mut tally = Tally::default();
    for letter in letters {
        match Word::letter(*letter) {
            Some(word) => tally.count(word),
            // Subtests: versions disagree whether `u` is one that failed.
            None if matches!(letter, b',' | b'-' | b'y' | b'u') => {}
            None => return None,
        }
    }
    let file = head.trim_ascii_end();
    let is_file = file.is_empty() || file.contains(&b'.');
    (is_file && !letters.is_empty()).then_some((file, tally))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, id: &str, label: &str, word: Word, reason: &str) {
        let text = text.as_bytes();
        let seen = worker(text).or_else(|| result(strip_column(text).unwrap_or(text)));
        let (id, label, reason) = (id.as_bytes(), label.as_bytes(), reason.as_bytes());
        assert_eq!(seen, Some(Seen { id, label, word, reason }));
    }

    #[test]
    fn results_are_read() {
        check("a.py::t PASSED      [ 33%]", "a.py::t", "", Word::Passed, "");
        check("a.py::t[x - y] FAILED [ 1/12]", "a.py::t[x - y]", "", Word::Failed, "");
        check("a.py::t[m s FAILED] PASSED  503.8us", "a.py::t[m s FAILED]", "", Word::Passed, "");
        check("a.py::t SKIPPED (because - x) [ 9%]", "a.py::t", "", Word::Skipped, "because - x");
        check("a.py::t[a SKIPPED (b] XFAIL (c)) [ 9%]", "a.py::t[a SKIPPED (b]", "", Word::Xfail, "c)");
        check("PASSED        [ 9%]", "", "", Word::Passed, "");
        check("SKIPPED (x)        [ 9%]", "", "", Word::Skipped, "x");
        check("[gw1] [ 33%] PASSED a.py::t[x y] ", "a.py::t[x y]", "", Word::Passed, "");
        check("[gw1] PASSED a.py::t", "a.py::t", "", Word::Passed, "");
        check("a.py::t SUBPASSED[msg] (i=0)  [ 33%]", "a.py::t", "[msg] (i=0)", Word::Passed, "");
        check("a.py::t SUBFAILED(i=1)  [ 33%]", "a.py::t", "(i=1)", Word::Failed, "");
        check("a.py::t [msg] (i=1) SUBFAIL  [ 33%]", "a.py::t", "[msg] (i=1)", Word::Failed, "");
    }

    #[test]
    fn letters_are_counted() {
        let want = Tally { passed: 2, failed: 1, errored: 1, ..Tally::default() };
        assert_eq!(letters(b"tests/a.py ..FE"), Some((&b"tests/a.py"[..], want)));
        assert_eq!(letters(b"..FE"), Some((&b""[..], want)));
        assert_eq!(letters(b"tests/a.py done"), None);
        assert_eq!(letters(b"50 F"), None);
    }

    #[test]
    fn columns_are_columns() {
        for text in ["x [ 5%]", "x [ 50%]", "x [100%]", "x [5%]", "x [ 3/12]", "x   503.8us"] {
            assert_eq!(strip_column(text.as_bytes()), Some(&b"x"[..]), "{text}");
        }
        for text in ["x[ 50%]", "x [a]", "x [50]", "x[p0]", "ends", "x 5 s", "list [1/2/3]"] {
            assert_eq!(strip_column(text.as_bytes()), None, "{text}");
        }
    }
}
