//! Paths, which are bytes, in JSON, which is Unicode.

use bstr::{BStr, BString, ByteSlice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::observe::facts::{ChangeKind, FileChange};

/// A path as text, and its bytes in hex where the text can't hold them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct PathText {
    /// The path with U+FFFD for what isn't UTF-8.
    pub path: String,
    /// Its bytes as lower-case hex digits; `None` when `path` is exact.
    pub path_hex: Option<String>,
}

impl PathText {
    /// The text of a path.
    #[must_use]
    pub fn new(path: &BStr) -> Self {
        match path.to_str() {
            Ok(path) => Self { path: path.to_owned(), path_hex: None },
            Err(_) => Self { path: path.to_str_lossy().into_owned(), path_hex: Some(hex(path)) },
        }
    }

    /// The bytes again. `None`: `path_hex` is no hex.
    #[must_use]
    pub fn bytes(path: &str, path_hex: Option<&str>) -> Option<BString> {
        path_hex.map_or_else(|| Some(path.into()), unhex)
    }
}

/// Bytes as lower-case hex digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .map(char::from)
        .collect()
}

/// The bytes behind hex digits.
pub(super) fn unhex(hex: &str) -> Option<BString> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?))
        .collect::<Option<Vec<u8>>>()
        .map(BString::from)
}

/// A file that isn't as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The repository's id.
    pub repository: String,
    /// Below its root, with U+FFFD for what isn't UTF-8.
    pub path: String,
    /// The path's bytes in hex. Only there when the path isn't UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// What became of it.
    pub change: ChangeKind,
}

impl Change {
    /// A change in a repository.
    #[must_use]
    pub fn new(repository: &str, change: &FileChange) -> Self {
        let PathText { path, path_hex } = PathText::new(change.path.as_bstr());
        Self { repository: repository.to_owned(), path, path_hex, change: change.kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &[u8], text: &str, hex: Option<&str>) {
        let got = PathText::new(path.as_bstr());
        assert_eq!((got.path.as_str(), got.path_hex.as_deref()), (text, hex));
        assert_eq!(PathText::bytes(&got.path, hex).unwrap(), path);
    }

    #[test]
    fn bytes_come_back() {
        check(b"src/a.py", "src/a.py", None);
        check("ä\n".as_bytes(), "ä\n", None);
        check(b"a\xff/b", "a\u{fffd}/b", Some("61ff2f62"));
        check(b"", "", None);
    }

    #[test]
    fn broken_hex_is_no_path() {
        for bad in ["f", "zz", "0", "ä"] {
            assert_eq!(PathText::bytes("x", Some(bad)), None, "{bad}");
        }
    }
}
