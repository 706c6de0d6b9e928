//! Where a start tag ends, also one whose quotes are wrong.

use super::text::drop_half_character;

/// A value of an attribute is kept up to this length.
pub(super) const LONGEST_VALUE: usize = 64 << 10;

/// So many bytes are looked at behind a `<` within quotes.
const AHEAD: usize = 24;

/// Goes over the bytes of one tag, block by block.
#[derive(Debug, Default)]
pub(super) struct TagScan {
    /// The quote in which the tag stands.
    quote: Option<u8>,
    /// How much of the value in quotes went by.
    value: usize,
    /// Whether the value holds a bare `<`; the quotes of such a value are believed.
    less: bool,
}

/// How far the scan came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scanned {
    /// The tag ended within these bytes, and so many of them belong to it. If it was mended, blanks may follow it.
    End { took: usize, mended: bool },
    /// It goes on behind these bytes.
    More { took: usize },
}

impl TagScan {
    /// Goes over more bytes. `held` is what earlier calls kept; what has to be kept of these is added to it, if there
    /// is something in it or the tag goes on.
    pub(super) fn scan(
        &mut self,
        bytes: &[u8],
        held: &mut Vec<u8>,
        last: bool,
        is_element: &impl Fn(&[u8]) -> bool,
    ) -> Scanned {
        let mut at = 0;
        // Kept up to here.
        let mut kept = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(quote) = self.quote else {
                let Some(stop) = rest.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'>' | b'<'))
                else {
                    break;
                };
                at += stop;
                match rest.get(stop) {
                    Some(b'>') => return self.end(bytes, held, kept, at + 1, false),
                    Some(b'<') => return self.end(bytes, held, kept, at, true),
                    quote => {
                        (self.quote, self.value, self.less) = (quote.copied(), 0, false);
                        at += 1;
                    }
                }
                continue;
            };
            let stop = match self.less {
                false => memchr::memchr2(quote, b'<', rest),
                true => memchr::memchr(quote, rest),
            };
            let run = stop.unwrap_or(rest.len());
            // Of a long value no more is kept than will be read, and a character to know it by.
            let room = (LONGEST_VALUE + 4).saturating_sub(self.value);
            if run > room {
                held.extend_from_slice(bytes.get(kept..at + room).unwrap_or_default());
                drop_half_character(held);
                kept = at + run;
            }
            match stop {
                None => {
                    self.value += run;
                    at = bytes.len();
                }
                Some(stop) if rest.get(stop) == Some(&quote) => {
                    self.quote = None;
                    self.value = 0;
                    at += stop + 1;
                }
                Some(stop) => {
                    let ahead = rest.get(stop..).unwrap_or_default();
                    if ahead.len() < AHEAD && !last {
                        self.value += run;
                        held.extend_from_slice(bytes.get(kept..at + stop).unwrap_or_default());
                        return Scanned::More { took: at + stop };
                    }
                    let value = rest.get(..stop).unwrap_or_default().trim_ascii_end();
                    let closed = match value.last() {
                        Some(last) => *last == b'>',
                        None => self.value > 0 && kept == 0 && held.trim_ascii_end().last() == Some(&b'>'),
                    };
                    if closed && starts_element(ahead, is_element) {
                        return self.end(bytes, held, kept, at + stop, true);
                    }
                    self.less = true;
                    self.value += run;
                    at += stop;
                }
            }
        }
        held.extend_from_slice(bytes.get(kept..).unwrap_or_default());
        Scanned::More { took: bytes.len() }
    }

    fn end(&mut self, bytes: &[u8], held: &mut Vec<u8>, kept: usize, took: usize, mended: bool) -> Scanned {
        if !held.is_empty() {
            held.extend_from_slice(bytes.get(kept..took).unwrap_or_default());
        }
        *self = Self::default();
        Scanned::End { took, mended }
    }
}

/// Whether an element of the format starts or ends here: then the quotes before it were not closed.
fn starts_element(ahead: &[u8], is_element: &impl Fn(&[u8]) -> bool) -> bool {
    let name = ahead.strip_prefix(b"</").or_else(|| ahead.strip_prefix(b"<")).unwrap_or_default();
    let end = name.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
    end.and_then(|end| name.get(..end)).is_some_and(is_element)
}
