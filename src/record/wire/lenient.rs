//! Files that others write.

use std::borrow::Cow;

/// The text of a file that another program wrote: without a byte order mark, and with U+FFFD for what isn't UTF-8, which
/// is no reason not to read the rest.
#[must_use]
pub fn lenient_text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_goes_and_the_rest_stays() {
        assert_eq!(lenient_text(b"\xef\xbb\xbf{}"), "{}");
        assert_eq!(lenient_text(b"{\"a\":\"\xff\"}"), "{\"a\":\"\u{fffd}\"}");
    }
}
