//! Whether a command is plainly a runner, and where in it the runner is named.

use redgreen_parsers::Witness;
use serde_json::Value;

/// A command in which the runner was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The command, with Python's `-Bm` written as `-B -m`.
    pub(super) argv: Vec<String>,
    /// In front of which word Python is told what to run; `None`: it isn't Python that is told.
    pub(super) before: Option<usize>,
    /// Where words for the runner go.
    pub(super) behind: Behind,
    /// What stands in front of the runner: `uv run`, `coverage run`.
    pub(super) launchers: Vec<String>,
    /// Words that the runner is given elsewhere than in the command: those of a script of `package.json`.
    pub(super) elsewhere: Vec<String>,
}

/// Where words for a runner go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// In front of the word at this place.
    At(usize),
    /// At the end.
    End,
    /// At the end, behind `--`.
    EndBehindDashes,
}

/// The runner of a grammar in a command. `read` gives the text of a file, by its path from where the command runs.
pub(super) fn find(
    argv: &[String],
    witness: &Witness,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<Place> {
    let mut search = Search { argv: argv.to_vec(), witness, read, launchers: Vec::new() };
    let found = search.program(0)?;
    let Search { argv, launchers, .. } = search;
    let (before, behind, elsewhere) = match found {
        Found::Program { behind } => (None, Behind::At(behind), Vec::new()),
        Found::Python { before, behind } => (Some(before), Behind::At(behind), Vec::new()),
        Found::Script { behind, words } => (None, behind, words),
    };
    Some(Place { argv, before, behind, launchers, elsewhere })
}

enum Found {
    Program { behind: usize },
    Python { before: usize, behind: usize },
    Script { behind: Behind, words: Vec<String> },
}

struct Search<'a> {
    argv: Vec<String>,
    witness: &'a Witness,
    read: &'a dyn Fn(&str) -> Option<String>,
    launchers: Vec<String>,
}

/// What starts another program: its words, and its options that take a value as a word of its own.
const LAUNCHERS: &[(&[&str], &[&str])] = &[
    (
        &["uv", "run"],
        &[
            "--with",
            "--with-editable",
            "--with-requirements",
            "--python",
            "-p",
            "--extra",
            "--group",
            "--only-group",
            "--no-group",
            "--package",
            "--project",
            "--directory",
            "--env-file",
            "--index",
            "--cache-dir",
        ],
    ),
    (&["poetry", "run"], &["-C", "--directory", "-P", "--project"]),
    (&["pipenv", "run"], &[]),
    (&["pdm", "run"], &["-p", "--project", "-L", "--lockfile", "--venv"]),
    (&["hatch", "run"], &["-e", "--env"]),
    (&["npx"], &["-p", "--package"]),
    (&["bunx"], &["-p", "--package"]),
    (&["pnpm", "exec"], &["-C", "--dir", "--filter", "-F"]),
    (&["npm", "exec"], &["-w", "--workspace"]),
    (&["yarn", "exec"], &[]),
    (&["yarn", "run"], &[]),
    (&["yarn"], &[]),
];

/// Options of `coverage run` that take a value as a word of its own.
const OF_COVERAGE: &[&str] = &[
    "--source",
    "--rcfile",
    "--omit",
    "--include",
    "--context",
    "--concurrency",
    "--data-file",
    "--save-signal",
];

impl Search<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        self.argv.get(at).map(String::as_str)
    }

    /// The runner in what begins at a word that names a program.
    fn program(&mut self, at: usize) -> Option<Found> {
        let name = base_name(self.word(at)?).to_owned();
        if is_python(&name) {
            return self.python(at + 1);
        }
        if let Some(behind) = self.head(&name, at) {
            return Some(Found::Program { behind });
        }
        if let Some(found) = self.package_script(&name, at) {
            return Some(found);
        }
        self.launched(&name, at)
    }

    /// The runner itself; gives the place behind its words.
    fn head(&self, name: &str, at: usize) -> Option<usize> {
        self.witness.runner.iter().find_map(|head| {
            let mut words = head.split_whitespace();
            (words.next() == Some(name)).then_some(())?;
            let mut behind = at + 1;
            for word in words {
                (self.word(behind) == Some(word)).then_some(())?;
                behind += 1;
            }
            Some(behind)
        })
    }

    /// What a launcher starts.
    fn launched(&mut self, name: &str, at: usize) -> Option<Found> {
        if name == "coverage" && self.word(at + 1) == Some("run") {
            self.launchers.push("coverage run".to_owned());
            let at = self.skip_options(at + 2, OF_COVERAGE);
            return self.module_or_script(at);
        }
        let (words, with_value) = LAUNCHERS.iter().find(|(words, _)| {
            words.first() == Some(&name)
                && words.iter().enumerate().skip(1).all(|(n, word)| self.word(at + n) == Some(*word))
        })?;
        self.launchers.push(words.join(" "));
        let at = self.skip_options(at + words.len(), with_value);
        match self.word(at)? {
            "-m" => self.module_or_script(at),
            "--" => self.program(at + 1),
            word if word.ends_with(".py") => self.module_or_script(at),
            _ => self.program(at),
        }
    }

    /// The place of the first word that is no option; `-m` and `--` end the options.
    fn skip_options(&self, mut at: usize, with_value: &[&str]) -> usize {
        while let Some(word) = self.word(at).filter(|word| word.starts_with('-')) {
            if matches!(word, "--" | "-m") {
                break;
            }
            at += if with_value.contains(&word) { 2 } else { 1 };
        }
        at
    }

    /// What Python is told to run, from its options on.
    fn python(&mut self, mut at: usize) -> Option<Found> {
        while let Some(word) = self.word(at).filter(|word| word.len() > 1 && word.starts_with('-')) {
            let letters = if word.starts_with("--") { "" } else { word };
            let Some((flags, letter, glued)) = option_with_value(letters) else {
                at += if word == "--check-hash-based-pycs" { 2 } else { 1 };
                continue;
            };
            match letter {
                'm' => {
                    let flags = Some(flags).filter(|flags| *flags != "-").map(str::to_owned);
                    let module = Some(glued).filter(|glued| !glued.is_empty()).map(str::to_owned);
                    let told = at + usize::from(flags.is_some());
                    self.argv.splice(at..=at, flags.into_iter().chain(["-m".to_owned()]).chain(module));
                    return self.module_or_script(told);
                }
                'c' => return None,
                _ => at += if glued.is_empty() { 2 } else { 1 },
            }
        }
        self.module_or_script(at)
    }

    /// `-m MODULE …` or `SCRIPT …`, as Python and what works like it are told.
    fn module_or_script(&mut self, at: usize) -> Option<Found> {
        if self.word(at)? == "-m" {
            let module = self.word(at + 1)?.to_owned();
            let is_head = |head: &&String| head.strip_prefix("python -m ").is_some_and(|of| of == module);
            if self.witness.runner.iter().any(|head| is_head(&head)) {
                return Some(Found::Python { before: at, behind: at + 2 });
            }
            return self.launched(&module, at + 1);
        }
        let script = self.witness.script.as_ref()?;
        let path = self.word(at).filter(|path| !path.starts_with('-'))?;
        let text = (self.read)(path)?;
        let runs = text.lines().any(|line| script.pattern.is_match(line.as_bytes()));
        runs.then_some(Found::Python { before: at, behind: at + 1 })
    }

    /// A script of `package.json` that is plainly the runner.
    fn package_script(&mut self, name: &str, at: usize) -> Option<Found> {
        if !matches!(name, "npm" | "pnpm" | "yarn" | "bun") {
            return None;
        }
        let script = match self.word(at + 1)? {
            "run" | "run-script" => self.word(at + 2)?,
            "test" | "t" | "tst" => "test",
            other if name == "yarn" => other,
            _ => return None,
        };
        let manifest: Value = serde_json::from_str(&(self.read)("package.json")?).ok()?;
        let text = manifest.get("scripts")?.get(script)?.as_str()?;
        if text.contains(['|', '&', ';', '<', '>', '$', '`', '(', ')', '\n', '\\']) {
            return None;
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let is_setting =
            |word: &&String| *word == "cross-env" || word.contains('=') && !word.starts_with('-');
        let program = words.iter().take_while(is_setting).count();
        let mut within =
            Search { argv: words.clone(), witness: self.witness, read: self.read, launchers: Vec::new() };
        // A script that runs another script is no plain runner.
        if !matches!(within.program(program)?, Found::Program { .. }) {
            return None;
        }
        self.launchers.append(&mut within.launchers);
        let behind = match name {
            "npm" if !self.argv.iter().any(|word| word == "--") => Behind::EndBehindDashes,
            _ => Behind::End,
        };
        Some(Found::Script { behind, words })
    }
}

/// Takes `-Bm…` apart: the flags before the first letter that takes a value, that letter, and what is glued to it.
fn option_with_value(word: &str) -> Option<(&str, char, &str)> {
    let at = word.find(['W', 'X', 'm', 'c'])?;
    let letter = word.get(at..)?.chars().next()?;
    Some((word.get(..at)?, letter, word.get(at + 1..)?))
}

/// The name of a program without its folder and the end that Windows gives it.
fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    name == "py"
        || version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.' || c == 'w'))
}

#[cfg(test)]
mod tests {
    use redgreen_parsers::Format;

    use super::*;

    const SCRIPT: &str = "import unittest\nif __name__ == '__main__':\n    unittest.main()\n";
    const PACKAGE: &str = r#"{"scripts": {
        "test": "pytest -q", "unit": "CI=1 pytest tests", "ci": "npm test", "both": "pytest && true"
    }}"#;

    fn read(path: &str) -> Option<String> {
        match path {
            "tests/run.py" => Some(SCRIPT.to_owned()),
            "other.py" => Some("import unittest\ndef main(): pass\nmain()\n".to_owned()),
            "package.json" => Some(PACKAGE.to_owned()),
            _ => None,
        }
    }

    /// Where the words of a format go: `^` marks those for Python, `+` those for the runner. Empty: no runner.
    #[track_caller]
    fn check(format: &str, command: &str, wanted: &str) {
        let witness = Format::find(format).unwrap().grammar().witness.as_ref().unwrap();
        let argv: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let marked = find(&argv, witness, &read).map_or_else(String::new, |place| {
            let mut words = place.argv.clone();
            match place.behind {
                Behind::At(at) => words.insert(at, "+".to_owned()),
                Behind::End => words.push("+".to_owned()),
                Behind::EndBehindDashes => words.extend(["--".to_owned(), "+".to_owned()]),
            }
            if let Some(at) = place.before {
                words.insert(at, "^".to_owned());
            }
            words.join(" ")
        });
        assert_eq!(marked, wanted, "{command}");
    }

    #[test]
    fn the_runner_by_its_own_name() {
        check("pytest", "pytest -q", "pytest + -q");
        check("pytest", "/srv/venv/bin/pytest -q -- tests", "/srv/venv/bin/pytest + -q -- tests");
        check("pytest", "py.test", "py.test +");
        check("pytest", "Scripts\\pytest.exe", "Scripts\\pytest.exe +");
        check("pytest", "pytest-watch", "");
        check("pytest", "tox -e py", "");
        check("unittest", "unittest", "");
    }

    #[test]
    fn a_module_of_python() {
        check("pytest", "python3 -m pytest tests", "python3 ^ -m pytest + tests");
        check(
            "unittest",
            "python3.11 -W error -X dev -m unittest -v",
            "python3.11 -W error -X dev ^ -m unittest + -v",
        );
        check("unittest", "python -Wd -bm unittest", "python -Wd -b ^ -m unittest +");
        check("unittest", "python -munittest x", "python ^ -m unittest + x");
        check("unittest", "/usr/bin/python -E -m unittest", "/usr/bin/python -E ^ -m unittest +");
        check("unittest", "python3 -m pytest", "");
        check("unittest", "python3 -m unittest.mock", "");
        check("pytest", "python3 -c pytest -m pytest", "");
        check("pytest", "pythonic -m pytest", "");
        check("pytest", "python3 -m", "");
    }

    #[test]
    fn a_script_that_is_plainly_the_runner() {
        check("unittest", "python3 tests/run.py -v", "python3 ^ tests/run.py + -v");
        check("unittest", "python3 -B tests/run.py", "python3 -B ^ tests/run.py +");
        check("unittest", "python3 other.py", "");
        check("unittest", "python3 absent.py", "");
        check("pytest", "python3 tests/run.py", "");
    }

    #[test]
    fn behind_what_starts_it() {
        check("pytest", "uv run pytest -q", "uv run pytest + -q");
        check("pytest", "uv run --with x --frozen pytest", "uv run --with x --frozen pytest +");
        check("pytest", "uv run -m pytest", "uv run ^ -m pytest +");
        check("pytest", "poetry run python -m pytest", "poetry run python ^ -m pytest +");
        check("pytest", "pipenv run pytest", "pipenv run pytest +");
        check("pytest", "pdm run pytest", "pdm run pytest +");
        check("pytest", "hatch run pytest", "hatch run pytest +");
        check("pytest", "hatch run test:all", "");
        check(
            "pytest",
            "coverage run --source src -m pytest -q",
            "coverage run --source src ^ -m pytest + -q",
        );
        check("pytest", "python -m coverage run -m pytest", "python -m coverage run ^ -m pytest +");
        check("unittest", "uv run tests/run.py", "uv run ^ tests/run.py +");
        check("pytest", "uv pip install pytest", "");
        check("pytest", "sh -c pytest", "");
        check("pytest", "make test", "");
    }

    #[test]
    fn a_script_of_the_package() {
        check("pytest", "npm test", "npm test -- +");
        check("pytest", "npm run unit -- -x", "npm run unit -- -x +");
        check("pytest", "yarn test", "yarn test +");
        check("pytest", "pnpm run test", "pnpm run test +");
        check("pytest", "yarn pytest", "yarn pytest +");
        check("pytest", "npm run ci", "");
        check("pytest", "npm run both", "");
        check("pytest", "npm run absent", "");
        check("pytest", "npm install pytest", "");
    }
}
