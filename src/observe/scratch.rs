//! Work trees made for a test, with a `git` that knows nothing of whoever runs it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A temporary folder that goes with the test.
pub(crate) struct Scratch {
    root: PathBuf,
    _folder: tempfile::TempDir,
}

impl Scratch {
    /// An empty folder without git.
    pub(crate) fn plain() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { root: folder.path().canonicalize().unwrap(), _folder: folder }
    }

    /// An empty repository with an unborn branch `main`.
    pub(crate) fn unborn() -> Self {
        let scratch = Self::plain();
        scratch.init(".");
        scratch
    }

    /// A repository with one commit that holds `a` and `src/b`.
    pub(crate) fn repository() -> Self {
        let scratch = Self::unborn();
        scratch.write("a", "a\n");
        scratch.write("src/b", "b\n");
        scratch.commit();
        scratch
    }

    /// Makes a repository in a folder. Its rules are its own: those of whoever runs the tests are kept out.
    pub(crate) fn init(&self, folder: &str) {
        fs::create_dir_all(self.path(folder)).unwrap();
        self.git_in(folder, &["init", "-q", "-b", "main"]);
        self.git_in(folder, &["config", "core.excludesFile", "/dev/null"]);
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.root.join(Path::new(path.as_ref()))
    }

    pub(crate) fn write(&self, path: impl AsRef<OsStr>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn chmod(&self, path: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn fifo(&self, path: &str) {
        assert!(Command::new("mkfifo").arg(self.path(path)).status().unwrap().success());
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    /// Adds all and commits.
    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "commit"]);
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(".", args)
    }

    pub(crate) fn git_in(&self, folder: &str, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "protocol.file.allow=always", "-c", "init.defaultRefFormat=files"])
            .args(args)
            .current_dir(self.path(folder))
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
            .envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
            .envs([("GIT_AUTHOR_DATE", "1700000000 +0000"), ("GIT_COMMITTER_DATE", "1700000000 +0000")])
            .output()
            .expect("these tests need git");
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }
}
