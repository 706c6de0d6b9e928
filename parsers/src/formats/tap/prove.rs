//! The frame that `prove -v` prints around the TAP of each script.

use crate::text::number;

/// `t/a.t .. `, with what stands behind the dots.
pub(super) fn header(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memmem::find(text, b" ..")?;
    let (name, rest) = text.split_at(at);
    let dots = rest.get(1..)?.iter().take_while(|byte| **byte == b'.').count();
    let rest = rest.get(1 + dots..)?;
    let is_path = memchr::memchr(b'.', name).is_some() || memchr::memchr(b'/', name).is_some();
    let plain = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
    let rest = rest.trim_ascii();
    // nose2 says `test.name ... skipped reason`.
    let skips = rest == b"skipped" || rest.starts_with(b"skipped:");
    (plain && is_path && (rest.is_empty() || skips)).then_some((name, rest))
}

/// What prove says at the end of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// `ok`, `Failed 1/3 subtests`, `skipped: reason`.
    Ended,
    /// `Dubious, test returned 1 (wstat 256, 0x100)`: the exit code and the signal.
    Dubious { code: u64, signal: u64 },
    /// `No subtests run`
    Nothing,
}

pub(super) fn verdict(text: &[u8]) -> Option<Verdict> {
    match text.first() {
        Some(b'D') => {
            let (code, rest) = number(text.strip_prefix(b"Dubious, test returned ")?)?;
            let (wait, _) = number(rest.strip_prefix(b" (wstat ")?)?;
            Some(Verdict::Dubious { code, signal: wait & 127 })
        }
        Some(b'F') => {
            let (_, rest) = number(text.strip_prefix(b"Failed ")?)?;
            let (_, rest) = number(rest.strip_prefix(b"/")?)?;
            rest.starts_with(b" subtests").then_some(Verdict::Ended)
        }
        Some(b'A') => {
            let (_, rest) = number(text.strip_prefix(b"All ")?)?;
            rest.starts_with(b" subtests passed").then_some(Verdict::Ended)
        }
        Some(b'N') => text.starts_with(b"No subtests run").then_some(Verdict::Nothing),
        Some(b's') => text.starts_with(b"skipped: ").then_some(Verdict::Ended),
        _ => None,
    }
}

/// `t/a.t (Wstat: 9 (Signal: KILL) Tests: 1 Failed: 0)`, where the status is not 0.
pub(super) fn wait_status(text: &[u8]) -> Option<(&[u8], Verdict)> {
    let at = memchr::memmem::find(text, b"(Wstat: ")?;
    let (wait, _) = number(text.get(at + 8..)?)?;
    let verdict = Verdict::Dubious { code: wait >> 8, signal: wait & 127 };
    (wait != 0).then(|| (text.get(..at).unwrap_or_default().trim_ascii_end(), verdict))
}

/// `Files=2, Tests=5, ...`: the number of tests.
pub(super) fn tests(text: &[u8]) -> Option<u64> {
    let (_, rest) = number(text.strip_prefix(b"Files=")?)?;
    Some(number(rest.strip_prefix(b", Tests=")?)?.0)
}

/// `Result: PASS`
pub(super) fn is_result(text: &[u8]) -> bool {
    matches!(text.strip_prefix(b"Result: "), Some(b"PASS" | b"FAIL" | b"NOTESTS"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        assert_eq!(header(b"t/a.t .. "), Some((&b"t/a.t"[..], &b""[..])));
        assert_eq!(
            header(b"t/longer.t ....... skipped: no db"),
            Some((&b"t/longer.t"[..], &b"skipped: no db"[..]))
        );
        for text in ["wait ..", "t/a.t .. ok", "a b.t ..", " .. ", "t/a.t.. "] {
            assert_eq!(header(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn verdicts() {
        assert_eq!(
            verdict(b"Dubious, test returned 1 (wstat 256, 0x100)"),
            Some(Verdict::Dubious { code: 1, signal: 0 })
        );
        assert_eq!(
            verdict(b"Dubious, test returned 0 (wstat 11, 0xb)"),
            Some(Verdict::Dubious { code: 0, signal: 11 })
        );
        assert_eq!(verdict(b"Failed 1/3 subtests "), Some(Verdict::Ended));
        assert_eq!(verdict(b"Failed to connect"), None);
        assert_eq!(tests(b"Files=2, Tests=15,  0 wallclock secs"), Some(15));
        assert!(is_result(b"Result: PASS") && !is_result(b"Result: maybe"));
    }
}
