//! A pattern that is compiled when it is first asked: all those of the grammars take longer than most commands.

use std::fmt;
use std::sync::OnceLock;

use regex::bytes::Regex;
use serde::Deserialize;

/// A pattern of a grammar file.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "String")]
pub struct Pattern {
    text: String,
    /// `None`: it is no pattern.
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Whether it matches anywhere in a text. One that can't be compiled matches nothing; [`super::Grammar::read`] lets none
    /// of those through.
    #[must_use]
    pub fn is_match(&self, text: &[u8]) -> bool {
        let compiled = self.compiled.get_or_init(|| Regex::new(&self.text).ok());
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// Compiles it.
    pub(super) fn check(&self) -> Result<(), regex::Error> {
        let regex = Regex::new(&self.text)?;
        // Whoever was first compiled the same.
        _ = self.compiled.set(Some(regex));
        Ok(())
    }
}

impl From<String> for Pattern {
    fn from(text: String) -> Self {
        Self { text, compiled: OnceLock::new() }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asked_or_checked_first_it_is_the_same() {
        for check_first in [true, false] {
            let pattern = Pattern::from(r"^a+\d$".to_owned());
            if check_first {
                pattern.check().unwrap();
            }
            assert!(pattern.is_match(b"aa1") && !pattern.is_match(b"b1"));
            assert!(pattern.check().is_ok());
        }
        let broken = Pattern::from("(".to_owned());
        assert!(broken.check().is_err() && !broken.is_match(b"("));
    }
}
