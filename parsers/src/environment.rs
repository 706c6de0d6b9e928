//! Variables that steer a runner, as data: the `[environment]` table of a grammar file.

use serde::Deserialize;

use crate::glob::glob;

/// What the environment of a check is cleaned of, and what it is given.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Environment {
    /// Names that are taken out; `*` stands for any text, and case doesn't count.
    pub remove: Vec<String>,
    /// Variables of which a part stays.
    pub filters: Vec<Filter>,
    /// Variables that a check gets.
    pub set: Vec<Setting>,
    /// The variable that tells the interpreter where to keep what it compiles.
    pub bytecode: Option<String>,
}

/// A variable with options, some of which stay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Its name.
    pub name: String,
    /// The options that stay, as they begin with dashes.
    pub keep: Vec<String>,
}

/// A variable that a check gets.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// It is set only for these formats, and for commands that hold one of these words; none: always.
    #[serde(default)]
    pub when: Vec<String>,
}

impl Environment {
    /// Whether a variable of this name is taken out.
    #[must_use]
    pub fn removes(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.remove.iter().any(|pattern| glob(&pattern.to_ascii_lowercase(), &name))
    }
}

impl Filter {
    /// What stays of a value; `None`: all of it.
    ///
    /// Words are cut as node cuts them: at blanks, with double quotes around what holds blanks.
    #[must_use]
    pub fn kept(&self, value: &str) -> Option<String> {
        let words = words(value);
        let mut kept: Vec<&str> = Vec::new();
        let mut keeps = false;
        for word in &words {
            if word.starts_with('-') {
                let option = word.trim_matches('"').split('=').next().unwrap_or_default().replace('_', "-");
                keeps = self.keep.contains(&option);
            }
            // A word without dashes is the value of the option before it.
            if keeps {
                kept.push(word);
            }
        }
        (kept.len() != words.len()).then(|| kept.join(" "))
    }
}

fn words(value: &str) -> Vec<&str> {
    let mut quoted = false;
    let mut escaped = false;
    let cut = |sign: char| {
        let was_escaped = std::mem::take(&mut escaped);
        match sign {
            '\\' if quoted && !was_escaped => escaped = true,
            '"' if !was_escaped => quoted = !quoted,
            _ => {}
        }
        sign == ' ' && !quoted
    };
    value.split(cut).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_patterns_without_case() {
        let environment = Environment {
            remove: vec!["JEST_*".to_owned(), "CARGO_TARGET_*_RUNNER".to_owned(), "RUBYOPT".to_owned()],
            ..Environment::default()
        };
        for name in ["JEST_X", "jest_", "CARGO_TARGET_A_B_RUNNER", "RubyOpt"] {
            assert!(environment.removes(name), "{name}");
        }
        for name in ["JEST", "XJEST_A", "CARGO_TARGET_DIR", "RUBYOPTS"] {
            assert!(!environment.removes(name), "{name}");
        }
    }

    #[track_caller]
    fn check(value: &str, kept: Option<&str>) {
        let filter = Filter {
            name: "NODE_OPTIONS".to_owned(),
            keep: vec!["--max-old-space-size".to_owned(), "--no-warnings".to_owned()],
        };
        assert_eq!(filter.kept(value).as_deref(), kept, "{value}");
    }

    #[test]
    fn options_that_are_known_stay() {
        check("", None);
        check("--no-warnings --max-old-space-size=4096", None);
        check("--max_old_space_size=4096", None);
        check("--max-old-space-size 4096", None);
        check("--require ./x.js --no-warnings", Some("--no-warnings"));
        check("-r ./x.js", Some(""));
        check(
            "--no-warnings --require \"./a b.js\" --max-old-space-size 1",
            Some("--no-warnings --max-old-space-size 1"),
        );
        check("--require \"a \\\" --no-warnings\"", Some(""));
        check("--no-warningsX", Some(""));
        check("\"--require\" --no-warnings", Some("--no-warnings"));
    }
}
