//! The registry of formats: a word, its grammar, its parser. A new runner is one line here.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::envelope::Envelope;
use crate::feed::{Parser, Stream};
use crate::formats::{generic, pytest, tap, unittest};
use crate::grammar::Grammar;

/// What a caller may tell a parser.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `generic`: a line that matches makes the case pass.
    pub success_pattern: Option<Regex>,
    /// `generic`: a line that matches makes the case fail.
    pub failure_pattern: Option<Regex>,
    /// `generic`: words to look for on matching lines.
    pub identities: Vec<String>,
    /// Class names of assertion libraries beyond those that the grammar knows.
    pub assertion_errors: Vec<String>,
    /// What stands before each line of the log and is no part of the output.
    pub envelope: Option<Envelope>,
}

/// A format that has a parser.
#[derive(Clone, Copy)]
pub struct Format(&'static Entry);

pub(crate) struct Entry {
    word: &'static str,
    reports_on: Option<Stream>,
    grammar: LazyLock<Grammar>,
    parser: fn(Format, &Options) -> Box<dyn Parser>,
}

macro_rules! formats {
    ($($module:ident = $word:literal on $stream:expr;)*) => {
        static REGISTRY: [Entry; [$($word),*].len()] = [$(Entry {
            word: $word,
            reports_on: $stream,
            grammar: LazyLock::new(|| {
                Grammar::built_in($word, include_str!(concat!("../grammars/", $word, ".toml")))
            }),
            parser: |format, options| Box::new($module::new(format, options)),
        },)*];
    };
}

formats! {
    generic = "generic" on None;
    pytest = "pytest" on Some(Stream::Out);
    tap = "tap" on Some(Stream::Out);
    unittest = "unittest" on Some(Stream::Err);
}

/// Format words of the contract whose parsers are still to come.
const NOT_YET: &[&str] = &[
    "dotnet",
    "jest",
    "junit",
    "go-test",
    "go-test-json",
    "cargo-test",
    "cargo-nextest",
    "vitest",
    "mocha",
    "node-test",
    "uvu",
    "rspec",
    "minitest",
    "phpunit",
    "googletest",
    "catch2",
    "boost-test",
    "ctest",
    "maven-surefire",
    "junit-console",
    "junit4",
    "ant-junit",
    "gotestsum",
    "prove",
    "bats",
    "trx",
    "nunit",
    "xunit",
    "ctrf",
];

const ALIASES: &[(&str, &str)] = &[("junit-xml", "junit"), ("gtest", "googletest"), ("go", "go-test")];

impl Format {
    /// The format of this word or alias.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        let word = Self::resolve(word);
        REGISTRY.iter().find(|entry| entry.word == word).map(Self)
    }

    /// Every format that has a parser.
    pub fn all() -> impl Iterator<Item = Self> {
        REGISTRY.iter().map(Self)
    }

    /// The word behind an alias; any other word as it is.
    #[must_use]
    pub fn resolve(word: &str) -> &str {
        ALIASES.iter().find(|(alias, _)| *alias == word).map_or(word, |(_, word)| word)
    }

    /// Whether this is a word of the contract whose parser is still to come.
    #[must_use]
    pub fn is_announced(word: &str) -> bool {
        NOT_YET.contains(&Self::resolve(word))
    }

    /// Every word that names a format, also those announced.
    pub fn words() -> impl Iterator<Item = &'static str> {
        REGISTRY.iter().map(|entry| entry.word).chain(NOT_YET.iter().copied())
    }

    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.0.word
    }

    /// The stream on which the runner reports, where it uses one alone.
    #[must_use]
    pub fn reports_on(self) -> Option<Stream> {
        self.0.reports_on
    }

    /// What is known about the format as data.
    #[must_use]
    pub fn grammar(self) -> &'static Grammar {
        &self.0.grammar
    }

    /// A parser, ready for the first line.
    #[must_use]
    pub fn parser(self, options: &Options) -> Box<dyn Parser> {
        (self.0.parser)(self, options)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.0.word == other.0.word
    }
}

impl Eq for Format {}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.word)
    }
}
