//! Git repositories with a plan and many files.

use std::path::Path;
use std::process::Command;

use crate::shell::{self, Done};

/// A repository in a temporary folder, with a plan that has one check.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    check: Vec<String>,
}

const PLAN: &str = r#"version = 1

[freeze]
test_paths = ["tests/**"]

[deliver]
allow_empty = true

[[checks]]
id = "script"
command = COMMAND
parser = "PARSER"
output_limit = "4GB"
phases = ["green"]

[[outcomes]]
id = "works"
text = "The script passes"
checks = ["script"]
"#;

impl Project {
    /// A committed repository with this many files, about 4 KiB each. Its check is a shell script that prints TAP.
    pub(crate) fn new(files: usize) -> Done<Self> {
        let script = "echo 1..1\necho ok 1 - works\n";
        Self::with_check(&["sh", "tests/run.sh"], "tap", "tests/run.sh", script)?.filled(files)
    }

    /// The same, with a check that is a test of pytest's, run by this interpreter.
    pub(crate) fn of_pytest(python: &str, files: usize) -> Done<Self> {
        let test = "def test_works():\n    assert 1 + 1 == 2\n";
        Self::with_check(&[python, "-m", "pytest", "tests"], "pytest", "tests/test_works.py", test)?
            .filled(files)
    }

    /// A committed repository whose check prints a file, which lies elsewhere.
    pub(crate) fn printing(file: &Path, parser: &str) -> Done<Self> {
        let script = format!("exec cat '{}'\n", file.display());
        Self::with_check(&["sh", "tests/run.sh"], parser, "tests/run.sh", &script)?.commit()
    }

    fn with_check(command: &[&str], parser: &str, test: &str, text: &str) -> Done<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        put(
            root,
            "verify.toml",
            &PLAN.replace("PARSER", parser).replace("COMMAND", &format!("{command:?}")),
        )?;
        put(root, ".gitignore", "/.verify/\n")?;
        put(root, test, text)?;
        Ok(Self { folder, check: command.iter().map(|word| (*word).to_owned()).collect() })
    }

    fn filled(self, files: usize) -> Done<Self> {
        let text = "The quick brown fox jumps over the lazy dog.\n".repeat(90);
        for n in 0..files.saturating_sub(3) {
            put(self.root(), &format!("src/part{:03}/file{n:06}.txt", n / 100), &format!("{n}\n{text}"))?;
        }
        self.commit()
    }

    fn commit(self) -> Done<Self> {
        for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "all"]]
        {
            shell::read(git(self.root()).args(arguments))?;
        }
        Ok(self)
    }

    /// The command of its check.
    pub(crate) fn check(&self) -> (&Path, Vec<&str>) {
        let mut words = self.check.iter().map(String::as_str);
        (Path::new(words.next().unwrap_or_default()), words.collect())
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }
}

fn put(root: &Path, path: &str, text: &str) -> Done {
    let path = root.join(path);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(path, text)?)
}

/// git without this user's configuration.
fn git(root: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(root).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    git.args(["-c", "user.name=bench", "-c", "user.email=bench@example.org"]);
    git
}
