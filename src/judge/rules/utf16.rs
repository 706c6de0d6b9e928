//! Text in UTF-16: what some editors, shells and exports of Windows write.

use crate::observe::facts::is_utf16;

/// The text of a file that says at its beginning that it is UTF-16; `None`: it is no such file.
pub(super) fn decoded(bytes: &[u8]) -> Option<Vec<u8>> {
    if !is_utf16(bytes) {
        return None;
    }
    let unit = if bytes.starts_with(b"\xff") { u16::from_le_bytes } else { u16::from_be_bytes };
    let units = bytes.get(2..)?.chunks_exact(2).filter_map(|pair| pair.try_into().ok().map(unit));
    let signs = char::decode_utf16(units).map(|sign| sign.unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(signs.collect::<String>().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_that_it_is_utf16_is_read() {
        let le: Vec<u8> = "\u{feff}aé😀\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}aé😀\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [le, be] {
            assert_eq!(decoded(&bytes).as_deref(), Some("aé😀\n".as_bytes()));
            // One byte too many, half a pair.
            assert!(decoded(&bytes[..bytes.len() - 3]).is_some());
        }
        for other in [&b""[..], b"a", b"ab", b"\xff\xfe\0\0a\0\0\0", b"\xff\xd8\xff\xe0"] {
            assert_eq!(decoded(other), None, "{other:?}");
        }
    }
}
