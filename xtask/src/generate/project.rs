//! Git repositories with a plan and many files.

use std::path::Path;
use std::process::Command;

use crate::shell::{self, Done};

/// A repository in a temporary folder, with a plan whose one check is a shell script that prints TAP.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

const PLAN: &str = r#"version = 1

[freeze]
test_paths = ["tests/**"]

[deliver]
allow_empty = true

[[checks]]
id = "script"
command = ["sh", "tests/run.sh"]
parser = "PARSER"
output_limit = "4GB"
phases = ["green"]

[[outcomes]]
id = "works"
text = "The script passes"
checks = ["script"]
"#;

impl Project {
    /// The command of its check.
    pub(crate) const CHECK: [&str; 2] = ["sh", "tests/run.sh"];

    /// A committed repository with this many files, about 4 KiB each.
    pub(crate) fn new(files: usize) -> Done<Self> {
        let project = Self::with_check("tap", "echo 1..1\necho ok 1 - works\n")?;
        let text = "The quick brown fox jumps over the lazy dog.\n".repeat(90);
        for n in 0..files.saturating_sub(3) {
            put(project.root(), &format!("src/part{:03}/file{n:06}.txt", n / 100), &format!("{n}\n{text}"))?;
        }
        project.commit()
    }

    /// A committed repository whose check prints a file, which lies elsewhere.
    pub(crate) fn printing(file: &Path, parser: &str) -> Done<Self> {
        Self::with_check(parser, &format!("exec cat '{}'\n", file.display()))?.commit()
    }

    fn with_check(parser: &str, script: &str) -> Done<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        put(root, "verify.toml", &PLAN.replace("PARSER", parser))?;
        put(root, ".gitignore", "/.verify/\n")?;
        put(root, "tests/run.sh", script)?;
        Ok(Self { folder })
    }

    fn commit(self) -> Done<Self> {
        for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "all"]]
        {
            shell::read(git(self.root()).args(arguments))?;
        }
        Ok(self)
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
