//! Small readers of bytes that every format needs.

/// The line as a terminal would leave it: no escape sequence, and after a carriage return only what came last.
/// Borrows from `raw` where nothing has to go.
pub(crate) fn clean<'a>(raw: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let raw = trim_end_cr(raw);
    if memchr::memchr2(b'\x1b', b'\r', raw).is_none() {
        return raw;
    }
    scratch.clear();
    let mut rest = raw;
    while let Some(at) = memchr::memchr2(b'\x1b', b'\r', rest) {
        scratch.extend_from_slice(&rest[..at]);
        if rest[at] == b'\r' {
            scratch.clear();
            rest = &rest[at + 1..];
        } else {
            rest = &rest[at + escape_len(&rest[at..])..];
        }
    }
    scratch.extend_from_slice(rest);
    scratch
}

fn trim_end_cr(mut raw: &[u8]) -> &[u8] {
    while let [head @ .., b'\r'] = raw {
        raw = head;
    }
    raw
}

/// The length of the escape sequence at the start of `bytes` (ECMA-48: CSI, OSC and its kin, two-byte escapes).
fn escape_len(bytes: &[u8]) -> usize {
    match bytes.get(1) {
        None => 1,
        Some(b'[') => {
            let body = bytes[2..].iter().take_while(|byte| (0x20..=0x3f).contains(*byte)).count();
            // A sequence that never comes to its final byte is no sequence: only its introducer goes.
            match bytes.get(2 + body) {
                Some(0x40..=0x7e) => body + 3,
                _ => 2,
            }
        }
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let end = bytes[2..].iter().position(|byte| matches!(byte, b'\x07' | b'\x1b'));
            match end.map(|end| end + 2) {
                Some(end) if bytes[end] == b'\x07' => end + 1,
                Some(end) if bytes.get(end + 1) == Some(&b'\\') => end + 2,
                _ => 2,
            }
        }
        Some(0x20..=0x2f) => 3.min(bytes.len()),
        Some(_) => 2,
    }
}

/// Splits a decimal number off the front.
pub(crate) fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    /// A number of so few digits fits.
    const SHORT: usize = 19;
    let mut value: u64 = 0;
    let mut count = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(count) {
        let digit = u64::from(digit - b'0');
        value = match count {
            ..SHORT => value * 10 + digit,
            _ => value.checked_mul(10)?.checked_add(digit)?,
        };
        count += 1;
    }
    (count > 0).then(|| (value, text.get(count..).unwrap_or_default()))
}

/// Whether all bytes are such. For lines and parts of them: there is no early end, so that the compiler looks at many
/// bytes at once.
#[inline]
pub(crate) fn all_are(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(true, |all, byte| all & is_such(*byte))
}

/// Bytes as text; what is not UTF-8 becomes U+FFFD.
pub(crate) fn lossy(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    // The lossy conversion looks at each byte; the check alone takes words at a time.
    match std::str::from_utf8(bytes) {
        Ok(text) => std::borrow::Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &[u8], want: &[u8]) {
        assert_eq!(clean(raw, &mut Vec::new()), want);
    }

    #[test]
    fn escapes_go() {
        check(b"\x1b[31mFAILED\x1b[0m x", b"FAILED x");
        check(b"\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ y", b"link y");
        check(b"cut \x1b", b"cut ");
        check(b"cut \x1b[3", b"cut 3");
        check(b"\x1b(Bok", b"ok");
    }

    #[test]
    fn the_last_state_of_a_line_stays() {
        check(b"collecting ...\rcollected 2 items\r", b"collected 2 items");
        check(b"plain\r\r", b"plain");
    }

    #[test]
    fn numbers_do_not_overflow() {
        assert_eq!(number(b"12 x"), Some((12, &b" x"[..])));
        assert_eq!(number(b"99999999999999999999999"), None);
        assert_eq!(number(b"18446744073709551615"), Some((u64::MAX, &b""[..])));
        assert_eq!(number(b"18446744073709551616"), None);
        assert_eq!(number(b"00000000000000000000012;"), Some((12, &b";"[..])));
        assert_eq!(number(b"x"), None);
    }
}
