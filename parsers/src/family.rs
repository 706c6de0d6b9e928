//! Families of runners: what steers whatever runs on one interpreter, in one package manager, by one build tool.

use std::sync::LazyLock;

use bstr::ByteSlice as _;
use serde::Deserialize;

use crate::environment::Environment;
use crate::glob::glob;
use crate::grammar::GrammarError;
use crate::influence::{Influence, Place, SliceRule};
use crate::{Format, Grammar};

/// One file of `grammars/families/`.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Its name, the same as the file's stem.
    pub family: String,
    /// The formats whose runners are of it; `*` means every check.
    pub formats: Vec<String>,
    /// Words of a command that mean one of its runners; `*` stands for any text.
    pub commands: Vec<String>,
    /// Where it is documented.
    pub sources: Vec<String>,
    /// Files that steer its runners.
    #[serde(default)]
    pub influence: Influence,
    /// Variables that steer its runners.
    #[serde(default)]
    pub environment: Environment,
}

/// What steers one runner, or one family of them.
#[derive(Debug, Clone, Copy)]
pub struct Steering {
    /// The format, or the family.
    pub name: &'static str,
    /// Files.
    pub influence: &'static Influence,
    /// Variables.
    pub environment: &'static Environment,
    formats: &'static [String],
    commands: &'static [String],
}

macro_rules! families {
    ($($word:literal),*) => {
        static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
            vec![$(Family::built_in(include_str!(concat!("../grammars/families/", $word, ".toml")))),*]
        });
        #[cfg(test)]
        const WORDS: &[&str] = &[$($word),*];
    };
}

families!["any", "dotnet", "go", "jvm", "native", "node", "perl", "php", "python", "ruby", "rust"];

impl Family {
    /// Reads the file of a family.
    ///
    /// # Errors
    /// What the TOML reader objects to, with its line.
    pub fn read(text: &str) -> Result<Self, GrammarError> {
        toml::from_str(text).map_err(|error| GrammarError::new(&error))
    }

    /// A family of this crate. A test loads each, so the empty family stands for none that ships.
    fn built_in(text: &str) -> Self {
        Self::read(text).unwrap_or_default()
    }
}

/// Everything that is known to steer runners: families first, then formats.
pub fn steering() -> impl Iterator<Item = Steering> {
    let families = FAMILIES.iter().map(|family| Steering {
        name: &family.family,
        influence: &family.influence,
        environment: &family.environment,
        formats: &family.formats,
        commands: &family.commands,
    });
    families.chain(Format::all().map(Format::grammar).map(|grammar: &'static Grammar| Steering {
        name: &grammar.format,
        influence: &grammar.influence,
        environment: &grammar.environment,
        formats: std::slice::from_ref(&grammar.format),
        commands: &grammar.influence.commands,
    }))
}

/// The rules by which a file below `test_paths` is frozen in part, in every check: a test project may depend on more.
pub fn sliced_tests() -> impl Iterator<Item = &'static SliceRule> {
    steering().flat_map(|by| &by.influence.slices).filter(|rule| rule.place == Place::Tests)
}

/// Whether a file below `test_paths` is frozen in part.
#[must_use]
pub fn is_sliced_test(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let name = name.to_str_lossy().to_ascii_lowercase();
    sliced_tests().any(|rule| glob(&rule.file, &name))
}

impl Steering {
    /// The formats whose runners it steers; `*` means every check.
    #[must_use]
    pub fn formats(&self) -> &'static [String] {
        self.formats
    }

    /// The words of a command that mean one of its runners.
    #[must_use]
    pub fn commands(&self) -> &'static [String] {
        self.commands
    }

    /// Whether this steers a check that is read by these formats, and whose command holds these words.
    #[must_use]
    pub fn concerns<'w>(&self, formats: &[String], words: impl IntoIterator<Item = &'w str>) -> bool {
        self.formats.iter().any(|format| format == "*" || formats.contains(format))
            || words.into_iter().any(|word| self.commands.iter().any(|command| glob(command, word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_loads_and_says_where_it_is_documented() {
        for word in WORDS {
            let path = format!("{}/grammars/families/{word}.toml", env!("CARGO_MANIFEST_DIR"));
            #[expect(clippy::disallowed_methods, reason = "the test names the file that doesn't load")]
            let text = std::fs::read_to_string(path).unwrap();
            let family = Family::read(&text).unwrap_or_else(|error| panic!("{word}: {error}"));
            assert_eq!(family.family, *word);
            assert!(!family.sources.is_empty(), "{word}");
            let environment = &family.environment;
            assert!(!family.influence.is_empty() || !environment.remove.is_empty(), "{word} says nothing");
        }
    }

    #[track_caller]
    fn check(formats: &[&str], words: &[&str], names: &[&str]) {
        let formats: Vec<String> = formats.iter().map(|&format| format.to_owned()).collect();
        let concerned = steering().filter(|steering| steering.concerns(&formats, words.iter().copied()));
        assert_eq!(concerned.map(|steering| steering.name).collect::<Vec<_>>(), names);
    }

    #[test]
    fn a_format_or_a_word_of_the_command_tells_the_runner() {
        check(&["pytest"], &["make"], &["any", "python", "pytest"]);
        check(&["generic"], &["python3.11", "pytest"], &["any", "python", "generic", "pytest"]);
        check(&["tap"], &["sh", "x.sh"], &["any", "node", "perl", "tap"]);
        check(&["generic"], &["prove"], &["any", "perl", "generic"]);
        check(&["generic"], &["sh", "x.sh"], &["any", "generic"]);
        check(&["generic"], &["npm", "test"], &["any", "node", "generic"]);
    }

    #[test]
    fn what_stands_below_tests_is_a_slice() {
        assert!(is_sliced_test(b"tests/A.Tests.csproj") && !is_sliced_test(b"tests/a.cs"));
        for steering in steering() {
            assert!(
                steering.influence.files.iter().all(|rule| rule.place != Place::Tests),
                "{}",
                steering.name
            );
        }
    }
}
