//! SHA-256 values, as every room names them.

use std::fmt;
use std::io::{self, BufRead as _, BufReader, Read};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;

/// A SHA-256 value. Shown and stored as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256(pub [u8; 32]);

impl Sha256 {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The hash of what a reader gives, but of no more than so many bytes.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn of_start(reader: impl Read, bytes: u64) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(128 * 1024, reader.take(bytes));
        let mut hash = sha2::Sha256::new();
        loop {
            let block = reader.fill_buf()?;
            if block.is_empty() {
                return Ok(Self(hash.finalize().into()));
            }
            hash.update(block);
            let count = block.len();
            reader.consume(count);
        }
    }

    /// The 64 hex digits as bytes.
    #[must_use]
    pub fn hex(&self) -> [u8; 64] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        hex
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.hex();
        f.write_str(std::str::from_utf8(&hex).unwrap_or_default())
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What stood where a SHA-256 value was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no SHA-256 value: 64 lower-case hex digits were expected")]
pub struct NoSha256(String);

impl FromStr for Sha256 {
    type Err = NoSha256;

    fn from_str(text: &str) -> Result<Self, NoSha256> {
        let no = || NoSha256(text.chars().take(80).collect());
        if text.len() != 64 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(no());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| no())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| no())?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Sha256 {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sha256".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256::of(b"").to_string(), empty);
        assert_eq!(empty.parse(), Ok(Sha256::of(b"")));
        assert!(empty.to_uppercase().parse::<Sha256>().is_err());
        assert!("e3b0".parse::<Sha256>().is_err());
    }
}
