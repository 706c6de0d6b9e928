//! Ruled lines: `===== title =====`. pytest draws sections, blocks and its end with them.

use bstr::ByteSlice;

/// A title between two runs of one character.
///
/// pytest fills a line to the width of the terminal, with as many characters on the right as on the left or one more;
/// a title that doesn't fit keeps one on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule<'a> {
    pub(super) fill: u8,
    pub(super) title: &'a [u8],
    /// In characters.
    pub(super) width: usize,
    /// The title alone fills the line.
    pub(super) tight: bool,
    /// Both sides are as long as pytest draws them.
    even: bool,
}

/// Reads a ruled line.
pub(super) fn rule(text: &[u8]) -> Option<Rule<'_>> {
    let (&fill, &last) = (text.first()?, text.last()?);
    if fill != last || !matches!(fill, b'=' | b'_' | b'-' | b'!') {
        return None;
    }
    let left = text.iter().take_while(|byte| **byte == fill).count();
    let right = text.iter().rev().take_while(|byte| **byte == fill).count();
    let title = text.get(left..text.len() - right.min(text.len() - left))?;
    let title = title.strip_prefix(b" ")?.strip_suffix(b" ")?;
    // `_ _ _` parts the entries of a traceback.
    let parted = title.first() == Some(&fill) && title.get(1).is_none_or(|byte| *byte == b' ');
    let even = right == left || right == left + 1;
    // Sections and ends edited by hand or by a log viewer are still read, where no test prints.
    if title.is_empty() || parted || !(even || fill == b'=') {
        return None;
    }
    Some(Rule { fill, title, width: text.chars().count(), tight: left == 1, even })
}

impl Rule<'_> {
    /// Whether the line is as wide as others of a session whose lines have this width.
    pub(super) fn fits(&self, width: usize) -> bool {
        self.even && (width == 0 || self.tight || self.width.abs_diff(width) <= 1)
    }
}

/// What a section with a `=` title holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// The head of a session.
    Head,
    /// Blocks of errors outside test bodies.
    Errors,
    /// Blocks of failures.
    Failures,
    /// Output of tests that didn't fail, warnings, durations.
    Other,
    /// One line a test.
    Summary,
}

/// The section that a title opens; `None` for titles of other programs and of the tests themselves.
pub(super) fn section(rule: &Rule<'_>) -> Option<Section> {
    if rule.fill != b'=' {
        return None;
    }
    match rule.title {
        b"test session starts" => Some(Section::Head),
        b"ERRORS" => Some(Section::Errors),
        b"FAILURES" => Some(Section::Failures),
        b"short test summary info" => Some(Section::Summary),
        b"PASSES" | b"XPASSES" | b"XFAILURES" | b"RERUNS" | b"rerun test summary info" => {
            Some(Section::Other)
        }
        title if title.starts_with(b"warnings summary") => Some(Section::Other),
        title if title.starts_with(b"slowest ") && title.ends_with(b"durations") => Some(Section::Other),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_as_long_on_both_sides() {
        let rule = rule(b"=== 1 passed in 0.1s ====").unwrap();
        assert_eq!((rule.title, rule.width, rule.tight), (&b"1 passed in 0.1s"[..], 25, false));
    }

    #[test]
    fn uneven_rules_fit_no_session() {
        let rule = rule(b"=== x ======").unwrap();
        assert!(!rule.fits(12) && !rule.fits(0));
    }

    #[test]
    fn other_lines_are_none() {
        for text in ["", "=", "====", "= =", "___ x ______", "!!! x !!", "=== x ---", "_ _ _ _", "* x *"] {
            assert_eq!(rule(text.as_bytes()), None, "{text}");
        }
    }
}
