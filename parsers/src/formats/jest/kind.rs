//! Why a test, or a file, failed: from what its block says.

use super::block::Said;
use super::frame::{Place, Pointed};
use crate::{Format, Kind};

/// The kinds of jest's failures, by the grammar and what the caller knows besides.
pub(super) struct Kinds {
    format: Format,
    assertion_errors: Vec<String>,
}

impl Kinds {
    pub(super) fn new(format: Format, assertion_errors: &[String]) -> Self {
        Self { format, assertion_errors: assertion_errors.to_vec() }
    }

    /// Of a test.
    pub(super) fn of_test(&self, said: &Said) -> Kind {
        let by_text = self.by_text(said);
        let pointed = said.frame.pointed();
        if by_text == Some(Kind::Timeout) && pointed != Some(Pointed::PlainError) {
            return Kind::Timeout;
        }
        if let Some(hook) = hook(said) {
            return hook;
        }
        match self.class(said) {
            Some((class, _)) if self.is_assertion(class) => Kind::Assertion,
            // What a matcher can't compare it refuses, since jest 30 with a class.
            Some((_, message))
                if pointed == Some(Pointed::Matcher) && message.contains("\nMatcher error: ") =>
            {
                Kind::Assertion
            }
            Some(_) => Kind::Exception,
            // Whatever it says: jest takes the class `Error` off, and the text may then look like a matcher's.
            None if pointed == Some(Pointed::PlainError) => Kind::Exception,
            None if pointed == Some(Pointed::Matcher) || by_text == Some(Kind::Assertion) => Kind::Assertion,
            // Thrown by jest's own resolver: a module that the body asks for isn't there.
            None if by_text == Some(Kind::Import) => Kind::Import,
            None => Kind::Exception,
        }
    }

    /// Of a file whose tests did not run, or that broke outside them.
    pub(super) fn of_file(&self, said: &Said) -> Kind {
        let by_text = self.by_text(said);
        if by_text == Some(Kind::Timeout) && said.frame.pointed() != Some(Pointed::PlainError) {
            return Kind::Timeout;
        }
        hook(said).or(by_text.filter(|kind| *kind != Kind::Assertion)).unwrap_or(Kind::Exception)
    }

    fn by_text(&self, said: &Said) -> Option<Kind> {
        self.format.grammar().kind("", said.text.as_str())
    }

    fn is_assertion(&self, class: &str) -> bool {
        self.format.grammar().is_assertion(class, &self.assertion_errors)
    }

    /// The class of the error and what it says. Of an `Error` jest prints no class.
    pub(super) fn error(&self, said: &Said) -> (Option<String>, Option<String>) {
        let text = said.text.as_str();
        let whole = (!text.is_empty()).then(|| text.to_owned());
        match self.class(said) {
            Some((class, message)) => (Some(class.to_owned()), Some(message.to_owned())),
            None if said.frame.pointed() == Some(Pointed::PlainError) => (Some("Error".to_owned()), whole),
            None => (None, whole),
        }
    }

    /// The class of the error, and what it says. The word in front may be part of what an `Error` says: then it stands
    /// in the source that made it.
    fn class<'a>(&self, said: &'a Said) -> Option<(&'a str, &'a str)> {
        let (class, message) = prefix(said.text.as_str())
            .filter(|(class, _)| is_for_an_error(class) || self.is_assertion(class))?;
        let is_plain = said.frame.pointed() == Some(Pointed::PlainError);
        (!is_plain || !said.frame.shows(&format!("{class}:"))).then_some((class, message))
    }
}

fn hook(said: &Said) -> Option<Kind> {
    match said.frame.place(said.text.as_str().starts_with("thrown: "))? {
        Place::Setup => Some(Kind::Setup),
        Place::Teardown => Some(Kind::Teardown),
        Place::Test => None,
    }
}

/// A message may hold any word and a colon, so the word must be one for an error.
fn is_for_an_error(class: &str) -> bool {
    ["Error", "Exception"].iter().any(|end| class.ends_with(end))
}

/// `Word: rest`, also `Word [CODE]: rest`.
fn prefix(text: &str) -> Option<(&str, &str)> {
    let line = text.lines().next()?;
    let (head, _) = line.split_once(':')?;
    let message = text.get(head.len() + 1..)?;
    let class =
        head.split_once(" [").filter(|(_, code)| code.ends_with(']')).map_or(head, |(class, _)| class);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let is_class = class.starts_with(char::is_alphabetic) && class.chars().all(is_word);
    is_class.then(|| (class, message.trim_start_matches(' ')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_a_word_in_front() {
        assert_eq!(prefix("TypeError: a: b\nc"), Some(("TypeError", "a: b\nc")));
        assert_eq!(prefix("AssertionError [ERR_ASSERTION]: x"), Some(("AssertionError", "x")));
        for text in ["", "no lid", "Strange Error: x", "x", "Error", "a\nError: z"] {
            assert_eq!(prefix(text), None, "{text}");
        }
        assert!(is_for_an_error("TypeError") && !is_for_an_error("Received"));
    }
}
