//! Which lines of a file are new.

use imara_diff::{Algorithm, Diff, InternedInput, Interner};
use std::ops::Range;

/// A line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: u32,
    /// Its bytes in the text, without its end.
    pub(super) range: Range<usize>,
}

/// The lines of `now` that `before` doesn't have, in order; all of them when there is nothing to compare with. How a
/// line ends doesn't count.
pub(super) fn added(before: Option<&[u8]>, now: &[u8]) -> Vec<Line> {
    let lines = lines(now);
    let Some(before) = before else { return lines };
    let mut input: InternedInput<&[u8]> =
        InternedInput { before: Vec::new(), after: Vec::new(), interner: Interner::new(lines.len()) };
    input.update_before(self::lines(before).iter().filter_map(|line| before.get(line.range.clone())));
    input.update_after(lines.iter().filter_map(|line| now.get(line.range.clone())));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let is_added = |line: &Line| diff.is_added(line.number - 1);
    lines.into_iter().filter(is_added).collect()
}

fn lines(text: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    // What says at the beginning of a file that it is UTF-8 belongs to no line.
    let mut start = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let ends = memchr::memchr_iter(b'\n', text).chain((!text.ends_with(b"\n")).then_some(text.len()));
    for end in ends.filter(|_| !text.is_empty()) {
        let number = u32::try_from(lines.len() + 1).unwrap_or(u32::MAX);
        let line = text.get(start..end).unwrap_or_default();
        let kept = line.strip_suffix(b"\r").unwrap_or(line).len();
        lines.push(Line { number, range: start..start + kept });
        start = end + 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: Option<&str>, now: &str, want: &[(u32, &str)]) {
        let found = added(before.map(str::as_bytes), now.as_bytes());
        let found: Vec<_> = found.iter().map(|line| (line.number, &now[line.range.clone()])).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn only_new_lines_are_added() {
        check(Some("a\nb\n"), "a\nx\nb\n", &[(2, "x")]);
        check(Some("a\nb\n"), "a\nb\n", &[]);
        check(Some("a\nb\n"), "b\n", &[]);
        check(Some("a\nb"), "a\nc", &[(2, "c")]);
        check(Some(""), "a\n\nb", &[(1, "a"), (2, ""), (3, "b")]);
        check(None, "a\nb\n", &[(1, "a"), (2, "b")]);
        check(None, "", &[]);
        check(Some("a\n"), "", &[]);
        // A second line of the same text is one more.
        check(Some("@skip\na\n"), "@skip\na\n@skip\nb\n", &[(3, "@skip"), (4, "b")]);
    }

    #[test]
    fn a_mark_at_the_beginning_belongs_to_no_line() {
        check(None, "\u{feff}a\nb", &[(1, "a"), (2, "b")]);
        check(Some("a\nb\n"), "\u{feff}a\nb\n", &[]);
        check(Some(""), "\u{feff}", &[(1, "")]);
    }

    #[test]
    fn the_end_of_a_line_does_not_count() {
        check(Some("a\nb\n"), "a\r\nb\r\nc\r\n", &[(3, "c")]);
        check(Some("a\r\nb"), "a\nb\n", &[]);
    }
}
