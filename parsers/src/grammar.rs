//! Grammar files: what is known about a format as data.

mod pattern;
mod witness;

use memchr::memmem;
use serde::Deserialize;

use crate::Kind;
use crate::environment::Environment;
use crate::influence::Influence;

pub use pattern::Pattern;
pub use witness::{Configuration, Matching, Refused, Restored, Way, Witness, Words};

/// One file of `grammars/`.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Grammar {
    /// The format's word, the same as the file's stem.
    pub format: String,
    /// Where the runner's output is documented.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Lines by which the output is known.
    #[serde(default, rename = "signature")]
    pub signatures: Vec<Signature>,
    /// Class names whose being thrown means that an assertion said no. A name also stands for itself with a module in
    /// front (`unittest.case.X`).
    #[serde(default)]
    pub assertion_errors: Vec<String>,
    /// Which error means which kind; the first rule that fits decides.
    #[serde(default, rename = "kind")]
    pub kinds: Vec<KindRule>,
    /// How the runner is asked for a structured report; `None`: it knows none.
    #[serde(default)]
    pub witness: Option<Witness>,
    /// Files that steer the runner, beyond those of its family.
    #[serde(default)]
    pub influence: Influence,
    /// Variables that steer the runner, beyond those of its family.
    #[serde(default)]
    pub environment: Environment,
}

/// A line by which a format is known.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Matched against single lines, without escapes.
    pub pattern: Pattern,
    /// Each line that matches begins with one of these, behind any blanks. Empty: nothing is known of that.
    #[serde(default)]
    pub begins: Vec<String>,
    /// Each line that matches has this in it.
    #[serde(default)]
    pub holds: Option<String>,
    /// Lines that must match.
    pub example: Vec<String>,
    /// Lines that must not.
    pub counterexample: Vec<String>,
}

/// Which error means which kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindRule {
    /// The kind that it means.
    pub kind: Kind,
    /// Class names that mean it, whatever they say.
    #[serde(default)]
    pub errors: Vec<String>,
    /// What the error says: `Class: message`, or the bare text where no class is printed.
    #[serde(default)]
    pub pattern: Option<Pattern>,
    /// Texts that the pattern must match.
    #[serde(default)]
    pub example: Vec<String>,
    /// Texts that it must not.
    #[serde(default)]
    pub counterexample: Vec<String>,
}

/// Why a grammar file can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrammarError(String);

impl std::fmt::Display for GrammarError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GrammarError {}

impl Signature {
    /// Whether this line, without the blanks before it, is one of these. What is known of the lines is asked first: it
    /// costs less than the pattern.
    pub(crate) fn is_in(&self, text: &[u8], bare: &[u8]) -> bool {
        (self.begins.is_empty() || self.begins.iter().any(|start| bare.starts_with(start.as_bytes())))
            && self.holds.as_ref().is_none_or(|part| memmem::find(text, part.as_bytes()).is_some())
            && self.pattern.is_match(text)
    }
}

impl GrammarError {
    pub(crate) fn new(error: &toml::de::Error) -> Self {
        Self(error.to_string())
    }
}

impl Grammar {
    /// Reads a grammar file.
    ///
    /// # Errors
    /// What the TOML reader objects to, with its line, or the pattern compiler, with the pattern.
    pub fn read(text: &str) -> Result<Self, GrammarError> {
        let grammar: Self = toml::from_str(text).map_err(|error| GrammarError::new(&error))?;
        for pattern in grammar.patterns() {
            pattern.check().map_err(|error| GrammarError(error.to_string()))?;
        }
        Ok(grammar)
    }

    /// A grammar of this crate, with no pattern compiled yet. A test loads each, so the empty grammar stands for no case
    /// that ships.
    pub(crate) fn built_in(word: &str, text: &str) -> Self {
        toml::from_str(text).unwrap_or_else(|_| Self { format: word.to_owned(), ..Self::default() })
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let signatures = self.signatures.iter().map(|signature| &signature.pattern);
        let kinds = self.kinds.iter().filter_map(|rule| rule.pattern.as_ref());
        let witness = self.witness.iter().flat_map(Witness::matching).map(|matching| &matching.pattern);
        signatures.chain(kinds).chain(witness)
    }

    /// Whether this class name means that an assertion said no. `more` are names that the caller knows besides.
    #[must_use]
    pub fn is_assertion(&self, error: &str, more: &[String]) -> bool {
        self.assertion_errors.iter().chain(more).any(|name| names_class(error, name))
    }

    /// The kind of an error by the rules, `None` where no rule fits.
    #[must_use]
    pub fn kind(&self, error: &str, message: &str) -> Option<Kind> {
        let said = if error.is_empty() { message.to_owned() } else { format!("{error}: {message}") };
        self.kinds
            .iter()
            .find(|rule| {
                rule.errors.iter().any(|name| names_class(error, name))
                    || rule.pattern.as_ref().is_some_and(|pattern| pattern.is_match(said.as_bytes()))
            })
            .map(|rule| rule.kind)
    }
}

/// `ValueError` names `ValueError` and `package.ValueError`.
fn names_class(error: &str, name: &str) -> bool {
    error.strip_suffix(name).is_some_and(|module| module.is_empty() || module.ends_with(['.', ':', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn every_built_in_grammar_loads_and_holds_its_examples() {
        for format in Format::all() {
            let word = format.word();
            let path = format!("{}/grammars/{word}.toml", env!("CARGO_MANIFEST_DIR"));
            #[expect(clippy::disallowed_methods, reason = "the test names the file that doesn't load")]
            let text = std::fs::read_to_string(path).unwrap();
            let grammar = Grammar::read(&text).unwrap_or_else(|error| panic!("{word}: {error}"));
            assert_eq!(grammar.format, word);
            assert_eq!(format.grammar().signatures.len(), grammar.signatures.len());
            for signature in &grammar.signatures {
                holds(word, &signature.pattern, &signature.example, &signature.counterexample);
            }
            for rule in &grammar.kinds {
                if let Some(pattern) = &rule.pattern {
                    holds(word, pattern, &rule.example, &rule.counterexample);
                }
            }
            for rule in grammar.witness.iter().flat_map(Witness::matching) {
                holds(word, &rule.pattern, &rule.example, &rule.counterexample);
            }
        }
    }

    fn holds(word: &str, pattern: &Pattern, yes: &[String], no: &[String]) {
        assert!(!yes.is_empty() && !no.is_empty(), "{word}: {pattern} has no example or no counterexample");
        for text in yes {
            assert!(pattern.is_match(text.as_bytes()), "{word}: {pattern} must match {text:?}");
        }
        for text in no {
            assert!(!pattern.is_match(text.as_bytes()), "{word}: {pattern} must not match {text:?}");
        }
    }

    #[test]
    fn a_pattern_that_is_none_is_refused() {
        let example = "example = ['a']\ncounterexample = ['b']";
        for table in ["[[signature]]", "[[kind]]\nkind = 'assertion'"] {
            let grammar = |pattern: &str| {
                Grammar::read(&format!("format = 'x'\n{table}\npattern = '{pattern}'\n{example}"))
            };
            assert!(grammar("a").is_ok());
            assert!(grammar("a(").unwrap_err().to_string().contains("a("), "{table}");
        }
    }

    #[test]
    fn a_class_name_stands_for_itself_in_a_module() {
        assert!(names_class("AssertionError", "AssertionError"));
        assert!(names_class("pkg.mod.AssertionError", "AssertionError"));
        assert!(!names_class("NoAssertionError", "AssertionError"));
    }
}
