//! The kinds of secrets, as `kinds.toml` has them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use super::{Candidate, Secret, value};

/// Where a token may begin: no word goes on there, but for `_`, the end of a colour, and what strings, JSON and URLs write
/// for a sign that isn't there: `\n`, `\u001b[33m`, `\x0a`, `\033[0m`, `%20`.
const BEGIN: &str = r"(?:\b{start-half}|_|(?:\x1b|\\(?:x1[bB]|u001[bB]|033|e))\[[0-9;]*m|\\(?:[abefnrtv0]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{3})|%[0-9a-fA-F]{2})";

/// And where it ends.
const END: &str = r"\b{end-half}";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(rename = "kind")]
    pub(super) kinds: Vec<Kind>,
}

/// One kind of secret.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kind {
    pub(super) id: String,
    what: String,
    words: Vec<String>,
    #[serde(default)]
    any_case: bool,
    pattern: String,
    entropy: f64,
    #[serde(default)]
    value: Asked,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests try them"))]
    pub(super) example: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests try them"))]
    pub(super) counterexample: Vec<String>,
    /// Made when it is needed: most runs meet few kinds.
    #[serde(skip)]
    regex: OnceLock<Option<Regex>>,
}

/// What else is asked of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Asked {
    /// Nothing: its form is enough.
    #[default]
    Form,
    /// That it isn't one of the passwords that examples have.
    Url,
    /// That it looks like a secret, since only its name says so.
    Assigned,
}

/// All kinds.
#[derive(Debug)]
pub(super) struct Kinds {
    kinds: Vec<Kind>,
    words: Vec<String>,
    /// Finds the words, and is made soon.
    soon: Option<AhoCorasick>,
    /// Finds them several times as fast, and takes longer to make than a few texts to look through.
    fast: OnceLock<Option<AhoCorasick>>,
    /// How many bytes were looked through.
    seen: AtomicUsize,
    /// For each word, the kinds that it belongs to.
    of_word: Vec<Vec<usize>>,
}

/// A word in a text.
pub(super) struct Hit<'k> {
    pub(super) start: usize,
    pub(super) kinds: &'k [usize],
}

impl Kinds {
    /// The kinds of `kinds.toml`.
    pub(super) fn built_in() -> &'static Self {
        static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
            // A test reads the file.
            let file = toml::from_str(include_str!("kinds.toml")).unwrap_or(File { kinds: Vec::new() });
            Kinds::new(file)
        });
        &KINDS
    }

    fn new(file: File) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut of_word: Vec<Vec<usize>> = Vec::new();
        for (number, kind) in file.kinds.iter().enumerate() {
            for word in kind.words.iter().flat_map(|word| spellings(word, kind.any_case)) {
                match words.iter().position(|known| *known == word) {
                    Some(at) => of_word[at].push(number),
                    None => {
                        words.push(word);
                        of_word.push(vec![number]);
                    }
                }
            }
        }
        let soon = automaton(AhoCorasickKind::ContiguousNFA, &words);
        let (fast, seen) = (OnceLock::new(), AtomicUsize::new(0));
        Self { kinds: file.kinds, words, soon, fast, seen, of_word }
    }

    /// The words in a text, in the order of their ends.
    pub(super) fn words<'k>(&'k self, text: &[u8]) -> impl Iterator<Item = Hit<'k>> {
        let seen = self.seen.fetch_add(text.len(), Ordering::Relaxed);
        let words = if seen.saturating_add(text.len()) < MANY {
            &self.soon
        } else {
            self.fast.get_or_init(|| automaton(AhoCorasickKind::DFA, &self.words))
        };
        let hits = words.iter().flat_map(move |words| words.find_overlapping_iter(text));
        hits.filter_map(|hit| {
            Some(Hit { start: hit.start(), kinds: self.of_word.get(hit.pattern().as_usize())? })
        })
    }

    /// Looks for one kind in a line of a text.
    pub(super) fn find(
        &'static self,
        number: usize,
        text: &[u8],
        line: &Range<usize>,
        found: &mut Vec<Candidate>,
    ) {
        let Some(kind) = self.kinds.get(number) else { return };
        let Some(regex) = kind.regex() else { return };
        let Some(line_text) = text.get(line.clone()) else { return };
        for captures in regex.captures_iter(line_text) {
            if let Some(range) = kind.secret(&captures, line_text) {
                let range = line.start + range.start..line.start + range.end;
                let is_guess = kind.value == Asked::Assigned;
                let secret = Secret { kind: &kind.id, what: &kind.what, range, is_guess };
                found.push(Candidate { secret, rank: number });
            }
        }
    }
}

/// So many bytes are worth an automaton that takes longer to make.
const MANY: usize = 1 << 20;

fn automaton(kind: AhoCorasickKind, words: &[String]) -> Option<AhoCorasick> {
    AhoCorasick::builder().kind(Some(kind)).build(words).ok()
}

impl Kind {
    pub(super) fn regex(&self) -> Option<&Regex> {
        let make = || {
            // A pattern with a group says itself what stands around the secret.
            let has_group = self.pattern.replace("(?", "").replace(r"\(", "").contains('(')
                || self.pattern.contains("(?P<value>");
            let pattern = if has_group {
                self.pattern.clone()
            } else {
                format!("{BEGIN}(?P<value>{}){END}", self.pattern)
            };
            RegexBuilder::new(&pattern).unicode(false).build().ok()
        };
        self.regex.get_or_init(make).as_ref()
    }

    /// Where in a line the secret lies; `None`: it is none.
    fn secret(&self, captures: &Captures<'_>, line: &[u8]) -> Option<Range<usize>> {
        let found = captures.name("value").or_else(|| captures.get(1))?;
        let secret = found.as_bytes();
        let is_one = match self.value {
            Asked::Form => !value::is_example(secret) && value::entropy(secret) >= self.entropy,
            Asked::Url => value::is_url_password(secret, captures.get(0).map_or(b"", |all| all.as_bytes())),
            Asked::Assigned => value::is_assigned(&value::Assigned {
                value: secret,
                tail: captures.name("tail").map_or(b"", |tail| tail.as_bytes()),
                is_quoted: captures.name("quote").is_some(),
                next: line.get(found.end()).copied(),
            }),
        };
        is_one.then(|| found.range())
    }
}

/// A word as names spell it.
fn spellings(word: &str, any_case: bool) -> Vec<String> {
    let mut spellings = vec![word.to_owned()];
    if any_case {
        spellings.push(word.to_ascii_lowercase());
        spellings.push(word.to_ascii_uppercase());
        let capital = word.get(..1).unwrap_or_default().to_ascii_uppercase();
        spellings.push(format!("{capital}{}", word.get(1..).unwrap_or_default()));
        // `api-key` is `Api-Key` and `API-Key` too.
        if let Some((first, second)) = word.split_once(['-', '_']) {
            let sign = word.get(first.len()..=first.len()).unwrap_or_default();
            let second = format!(
                "{}{}",
                second.get(..1).unwrap_or_default().to_ascii_uppercase(),
                second.get(1..).unwrap_or_default()
            );
            let capital = first.get(..1).unwrap_or_default().to_ascii_uppercase();
            spellings.push(format!("{capital}{}{sign}{second}", first.get(1..).unwrap_or_default()));
            spellings.push(format!("{}{sign}{second}", first.to_ascii_uppercase()));
            spellings.push(format!("{first}{sign}{second}"));
        }
        // `apikey` is `apiKey` and `ApiKey` too.
        if let Some(first) = word.strip_suffix("key").filter(|first| first.chars().all(char::is_alphabetic)) {
            spellings.push(format!("{first}Key"));
            let capital = first.get(..1).unwrap_or_default().to_ascii_uppercase();
            spellings.push(format!("{capital}{}Key", first.get(1..).unwrap_or_default()));
        }
    }
    spellings.sort_unstable();
    spellings.dedup();
    spellings
}
