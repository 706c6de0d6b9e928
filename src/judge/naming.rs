//! How the runner of a format spells and counts tests, as far as judges have to know it.

use std::borrow::Cow;

/// What judges know of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Naming {
    /// What stands between the components of an id.
    pub(super) separators: &'static [&'static str],
    /// What opens the parameters of a test, which end the name.
    pub(super) parameters: &'static [(char, char)],
    /// Whether the console can leave out the class of a test.
    pub(super) leaves_out_suites: bool,
    /// What ends the name of a file in an identity and stands in no name of the report.
    pub(super) file_end: &'static str,
    /// What makes the runner name the tests that pass.
    pub(super) to_name_passing: &'static str,
    /// How a sentence ends that says that the runner doesn't explain a failure.
    pub(super) to_explain: &'static str,
    /// Whether several sessions in one output are everyday, and add up.
    pub(super) sessions_add_up: bool,
    /// Whether each of these sessions needs a test that passed.
    pub(super) each_session_passes: bool,
}

const ANY: Naming = Naming {
    separators: &["::", ".", " › ", " > ", "/"],
    parameters: &[],
    leaves_out_suites: false,
    file_end: "",
    to_name_passing: "use a reporter that names the tests that pass",
    to_explain: "; let the runner print why",
    sessions_add_up: false,
    each_session_passes: true,
};

impl Naming {
    /// What is known of the format of this word.
    pub(super) fn of(word: &str) -> Self {
        let add_up = Self { sessions_add_up: true, each_session_passes: false, ..ANY };
        match word {
            "pytest" => Self {
                separators: &["::", "/"],
                parameters: &[('[', ']')],
                to_name_passing: "run pytest with `-v` or `-rA`",
                to_explain: "; leave out `--tb=no`, or add `-rf`",
                ..ANY
            },
            "unittest" => Self { separators: &["."], to_name_passing: "run unittest with `-v`", ..ANY },
            "dotnet" => Self {
                separators: &["."],
                parameters: &[('(', ')')],
                leaves_out_suites: true,
                to_name_passing: "run it with `--logger \"console;verbosity=normal\"`",
                sessions_add_up: true,
                ..ANY
            },
            "trx" | "nunit" | "xunit" => Self { separators: &["."], parameters: &[('(', ')')], ..ANY },
            "jest" | "vitest" => {
                Self { separators: &[" › ", " > ", "/"], to_name_passing: "run it with `--verbose`", ..ANY }
            }
            "mocha" | "node-test" | "uvu" => Self { separators: &[" › ", " > ", "/"], ..ANY },
            "tap" | "bats" => Self {
                separators: &[" > "],
                to_explain: "; print `expected:` or `operator:` below the `not ok`",
                ..ANY
            },
            "prove" => Self {
                separators: &[" > ", "/"],
                to_name_passing: "run `prove -v` and read it as `tap`",
                ..add_up
            },
            // pytest writes its modules as packages; its own names have the file's.
            "junit" => Self { parameters: &[('[', ']'), ('(', ')')], file_end: ".py", ..add_up },
            "maven-surefire" | "ant-junit" => Self { parameters: &[('[', ']'), ('(', ')')], ..add_up },
            "junit-console" | "junit4" => Self { parameters: &[('[', ']'), ('(', ')')], ..ANY },
            "go-test" => {
                Self { separators: &["/", "."], to_name_passing: "run `go test` with `-v`", ..add_up }
            }
            "go-test-json" | "gotestsum" => Self { separators: &["/", "."], ..ANY },
            "cargo-test" => Self { separators: &["::"], ..add_up },
            "cargo-nextest" => Self { separators: &["::", " "], ..ANY },
            "googletest" => Self { separators: &[".", "/"], ..ANY },
            "boost-test" => Self { separators: &["/"], ..add_up },
            _ => ANY,
        }
    }

    /// The same, for a name that is spelled with the separators of another format.
    pub(super) fn with_every_separator(self) -> Self {
        Self { separators: ANY.separators, ..self }
    }

    /// An identity as this report spells it.
    pub(super) fn spelled<'i>(&self, identity: &'i str) -> Cow<'i, str> {
        if self.file_end.is_empty() || !identity.contains(self.file_end) {
            return Cow::Borrowed(identity);
        }
        Cow::Owned(identity.replace(&format!("{}::", self.file_end), "::"))
    }

    /// The name of a test without its parameters; `None` when it has none.
    pub(super) fn without_parameters<'n>(&self, name: &'n str) -> Option<&'n str> {
        self.parameters.iter().find_map(|(open, close)| {
            let at = name.ends_with(*close).then(|| name.find(*open)).flatten()?;
            name.get(..at).map(str::trim_end).filter(|base| !base.is_empty())
        })
    }

    /// Cuts a text at the separators.
    pub(super) fn split<'t>(&self, text: &'t str, into: &mut Vec<&'t str>) {
        let mut from = 0;
        for (at, separator) in self.separators_in(text) {
            into.push(text.get(from..at).unwrap_or(""));
            from = at + separator;
        }
        into.push(text.get(from..).unwrap_or(""));
    }

    /// Where the separators of a text stand, and their lengths in bytes. The longest at one place wins.
    pub(super) fn separators_in(&self, text: &str) -> impl Iterator<Item = (usize, usize)> {
        let mut free = 0;
        text.char_indices().filter_map(move |(at, _)| {
            let rest = text.get(at..).filter(|_| at >= free)?;
            let len =
                self.separators.iter().filter(|one| rest.starts_with(**one)).map(|one| one.len()).max()?;
            free = at + len;
            Some((at, len))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_end_the_name() {
        let check = |word: &str, name: &str, base: Option<&str>| {
            assert_eq!(Naming::of(word).without_parameters(name), base, "{word} {name}");
        };
        check("pytest", "test_y[p0]", Some("test_y"));
        check("pytest", "test_y[a[b]-x - y]", Some("test_y"));
        check("pytest", "test_y", None);
        check("pytest", "[x]", None);
        check("dotnet", "Adds(x: 1)", Some("Adds"));
        check("jest", "adds (1)", None);
        check("unittest", "test_y[x]", None);
    }

    #[test]
    fn identities_are_spelled_as_the_report_does() {
        assert_eq!(Naming::of("junit").spelled("tests/test_a.py::test_x"), "tests/test_a::test_x");
        assert_eq!(Naming::of("junit").spelled("happy.test_x"), "happy.test_x");
        assert_eq!(Naming::of("pytest").spelled("tests/test_a.py::test_x"), "tests/test_a.py::test_x");
    }

    #[test]
    fn texts_are_cut_at_the_formats_separators() {
        let check = |word: &str, text: &str, parts: &[&str]| {
            let mut split = Vec::new();
            Naming::of(word).split(text, &mut split);
            assert_eq!(split, parts, "{word} {text}");
        };
        check("pytest", "tests/test_a.py::TestX", &["tests", "test_a.py", "TestX"]);
        check("unittest", "a.b.C", &["a", "b", "C"]);
        check("jest", "src/a.test.js › v1.2 > x", &["src", "a.test.js", "v1.2", "x"]);
        check("tap", "a/b > c", &["a/b", "c"]);
    }
}
