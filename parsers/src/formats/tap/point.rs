//! The single lines of TAP: test points and plans, by the specifications of TAP 12 to 14.

use std::borrow::Cow;

use crate::text::{lossy, number};

/// `ok 1 - name # SKIP reason`
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(super) struct Point<'a> {
    pub(super) ok: bool,
    pub(super) number: Option<u64>,
    /// Still with its escapes.
    pub(super) name: &'a [u8],
    /// Whether there is none.
    pub(super) is_plain: bool,
    pub(super) directive: Option<Directive>,
    /// What follows the directive.
    pub(super) reason: &'a [u8],
    /// `# time=1.5ms`, which tap writes where a directive stands.
    pub(super) time: Option<&'a [u8]>,
    /// Whether the line ends in the `{` that opens a subtest.
    pub(super) opens: bool,
}

impl Point<'_> {
    /// Takes a directive, or what stands in its place, from the end of the name.
    fn cut_directive(&mut self) {
        let name = self.name;
        for at in memchr::memchr_iter(b'#', name) {
            let (before, after) = name.split_at(at);
            if is_escaped(before) || !before.last().is_none_or(|byte| matches!(byte, b' ' | b'\t')) {
                continue;
            }
            let after = after.get(1..).unwrap_or_default().trim_ascii_start();
            if let Some((directive, reason)) = directive(after) {
                self.name = before.trim_ascii_end();
                (self.directive, self.reason) = (Some(directive), reason);
                break;
            }
            if let Some(time) = after.strip_prefix(b"time=") {
                self.name = before.trim_ascii_end();
                self.time = Some(time);
                break;
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(super) enum Directive {
    Skip,
    Todo,
}

/// `1..3 # SKIP reason`
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) count: u64,
    pub(super) skip: Option<&'a [u8]>,
}

/// Reads the number and the name of `ok 1 - name`, the line that most of TAP consists of. What needs a closer look is none,
/// and neither is a name that isn't [plain](is_plain).
#[inline]
pub(super) fn plain_pass(text: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = number(text.strip_prefix(b"ok ")?)?;
    let name = rest.strip_prefix(b" - ")?;
    let (first, last) = (name.first()?, name.last()?);
    let is_whole = !first.is_ascii_whitespace() && !last.is_ascii_whitespace() && *last != b'{';
    is_whole.then_some((number, name))
}

/// Whether a name holds neither an escape nor what may begin a directive.
pub(super) fn is_plain(name: &[u8]) -> bool {
    memchr::memchr2(b'#', b'\\', name).is_none()
}

/// Reads a test point: `ok` or `not ok`, and then a blank or the end of the line.
pub(super) fn point(text: &[u8]) -> Option<Point<'_>> {
    let (ok, rest) = match text {
        [b'o', b'k', rest @ ..] => (true, rest),
        [b'n', b'o', b't', b' ', b'o', b'k', rest @ ..] => (false, rest),
        _ => return None,
    };
    let rest = match rest {
        [] => rest,
        [b' ' | b'\t', rest @ ..] => rest.trim_ascii(),
        _ => return None,
    };
    let (number, rest) = match number(rest) {
        Some((count, after @ ([] | [b' ' | b'\t', ..]))) => (Some(count), after.trim_ascii_start()),
        _ => (None, rest),
    };
    let rest = match rest {
        b"-" => b"",
        [b'-', b' ', after @ ..] => after.trim_ascii_start(),
        _ => rest,
    };
    let (name, opens) = match rest {
        b"{" => (&b""[..], true),
        [before @ .., b' ', b'{'] => (before.trim_ascii_end(), true),
        _ => (rest, false),
    };
    let is_plain = is_plain(name);
    let mut point = Point { ok, number, name, is_plain, directive: None, reason: b"", time: None, opens };
    if !is_plain {
        point.cut_directive();
    }
    Some(point)
}

fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// `SKIP`, also as `skipped`, or `TODO`, in any case.
fn directive(text: &[u8]) -> Option<(Directive, &[u8])> {
    let word = text.get(..4)?;
    let after = text.get(4..)?;
    if word.eq_ignore_ascii_case(b"skip") {
        let rest = after.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(after.len());
        return Some((Directive::Skip, reason(after.get(rest..)?)));
    }
    let whole = after.first().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    (word.eq_ignore_ascii_case(b"todo") && whole).then(|| (Directive::Todo, reason(after)))
}

fn reason(text: &[u8]) -> &[u8] {
    text.strip_prefix(b":").unwrap_or(text).trim_ascii()
}

/// Reads a plan: `1..N`, and nothing after it but a comment.
pub(super) fn plan(text: &[u8]) -> Option<Plan<'_>> {
    let (count, rest) = number(text.strip_prefix(b"1..")?)?;
    let rest = rest.trim_ascii();
    if rest.is_empty() {
        return Some(Plan { count, skip: None });
    }
    let comment = rest.strip_prefix(b"#")?.trim_ascii_start();
    let skip = match directive(comment) {
        Some((Directive::Skip, reason)) => Some(reason),
        Some((Directive::Todo, _)) | None => None,
    };
    Some(Plan { count, skip })
}

/// A name without its escapes.
pub(super) fn unescaped(name: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', name).is_none() {
        return lossy(name);
    }
    let text = lossy(name);
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next @ ('#' | '\\')) if c == '\\' => {
                plain.push(next);
                chars.next();
            }
            _ => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_pass_is_read_as_any_other_point() {
        fn passes(text: &[u8]) -> Option<(u64, &[u8])> {
            plain_pass(text).filter(|(_, name)| is_plain(name))
        }
        for text in ["ok 1 - a", "ok 12 - a b", "ok 1 - é", "ok 1 - - a", "ok 1 - {}", "ok 00 - a - b"] {
            let (number, name) = passes(text.as_bytes()).map(|(number, name)| (Some(number), name)).unzip();
            let whole = point(text.as_bytes()).unwrap();
            assert!(whole.ok && !whole.opens && whole.directive.is_none() && whole.time.is_none(), "{text}");
            assert_eq!((number, name), (Some(whole.number), Some(whole.name)), "{text}");
        }
        for text in [
            "not ok 1 - a",
            "ok",
            "ok 1",
            "ok - a",
            "ok 1 - ",
            "ok 1 a",
            "ok 1 - a # SKIP",
            "ok 1 - a {",
            "ok 1 -  a",
            "ok 1 - a ",
            r"ok 1 - \#",
            "okay 1 - a",
            "ok 1.5 - a",
            "ok  1 - a",
            "ok\t1 - a",
        ] {
            assert_eq!(passes(text.as_bytes()), None, "{text}");
        }
    }

    #[track_caller]
    fn check(
        text: &str,
        ok: bool,
        number: Option<u64>,
        name: &str,
        directive: Option<Directive>,
        reason: &str,
    ) {
        let point = point(text.as_bytes()).unwrap_or_else(|| panic!("no point: {text}"));
        assert_eq!(
            (point.ok, point.number, &*unescaped(point.name), point.directive, &*lossy(point.reason)),
            (ok, number, name, directive, reason),
            "{text}"
        );
    }

    #[test]
    fn points() {
        use Directive::{Skip, Todo};
        check("ok", true, None, "", None, "");
        check("not ok 12", false, Some(12), "", None, "");
        check("ok 1 - adds", true, Some(1), "adds", None, "");
        check("ok 2 adds - more", true, Some(2), "adds - more", None, "");
        check("ok adds", true, None, "adds", None, "");
        check("ok 1.5 is read", true, None, "1.5 is read", None, "");
        check(r"ok 3 - has \# and \\ # not yet", true, Some(3), r"has # and \ # not yet", None, "");
        check("ok 4 - x # SKIP no db", true, Some(4), "x", Some(Skip), "no db");
        check("ok 4 # skipped: no db", true, Some(4), "", Some(Skip), "no db");
        check("not ok 5 - x # ToDo later", false, Some(5), "x", Some(Todo), "later");
        check("ok 6 - see #12 # skip", true, Some(6), "see #12", Some(Skip), "");
        check(r"ok 7 - is \# SKIP", true, Some(7), "is # SKIP", None, "");
        check("ok 8 - a # todos", true, Some(8), "a # todos", None, "");
        check("ok 9 - a # time=1.5ms", true, Some(9), "a", None, "");
    }

    #[test]
    fn a_brace_opens_a_subtest() {
        let read = |text: &'static str| point(text.as_bytes()).map(|point| (point.opens, point.name));
        assert_eq!(read("ok 1 - outer {"), Some((true, &b"outer"[..])));
        assert_eq!(read("ok 1 - outer # time=3ms {"), Some((true, &b"outer"[..])));
        assert_eq!(read("ok 1 - outer{"), Some((false, &b"outer{"[..])));
    }

    #[test]
    fn output_is_no_point() {
        for text in ["okay", "not okay", "ok, now", "OK", "nok 1", "not  ok 1", "", "notok"] {
            assert_eq!(point(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn plans() {
        assert_eq!(plan(b"1..9"), Some(Plan { count: 9, skip: None }));
        assert_eq!(plan(b"1..0 # SKIP no db"), Some(Plan { count: 0, skip: Some(b"no db") }));
        assert_eq!(plan(b"1..0 # skipped"), Some(Plan { count: 0, skip: Some(b"") }));
        assert_eq!(plan(b"1..2 # a note"), Some(Plan { count: 2, skip: None }));
        for text in ["1..9 are digits", "1..", "2..3", "1...3", "1..x", "1..99999999999999999999999"] {
            assert_eq!(plan(text.as_bytes()), None, "{text}");
        }
    }
}
