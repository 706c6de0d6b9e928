//! What never counts, by its name alone: what tools drop beside the files that people write.

use bstr::BString;

/// Folders that hold nothing but what a tool can make again.
const CACHES: [&str; 5] = ["__pycache__", ".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache"];

/// Files of desktops, and the name that vim tries out whether it may write.
const STRAY: [&str; 4] = [".DS_Store", "Thumbs.db", "desktop.ini", "4913"];

/// The caches among folders that never count, with a slash at the end, as a record lists them.
pub(super) fn folder_left_out(name: &[u8]) -> Option<BString> {
    CACHES.iter().find(|cache| cache.as_bytes() == name).map(|cache| format!("{cache}/").into())
}

/// The pattern by which a file or link never counts, as a record lists it.
pub(super) fn file_left_out(name: &[u8]) -> Option<BString> {
    if let Some(stray) = STRAY.iter().find(|stray| stray.as_bytes() == name) {
        return Some((*stray).into());
    }
    let pattern = match name {
        [.., b'~'] => "*~",
        [b'.', b'#', ..] => ".#*",
        [b'.', .., b'.', b's', b'w', _] => ".*.sw?",
        _ => return None,
    };
    Some(pattern.into())
}

/// Endings of what a runner loads without being told its name: sources, compiled modules, snapshots, settings.
const LOADABLE: &[&str] = &[
    "ambr",
    "bash",
    "bats",
    "c",
    "cc",
    "cjs",
    "cpp",
    "cs",
    "csproj",
    "cts",
    "cxx",
    "dart",
    "erl",
    "ex",
    "exs",
    "feature",
    "fs",
    "go",
    "groovy",
    "h",
    "hpp",
    "java",
    "js",
    "jsx",
    "kt",
    "kts",
    "lua",
    "mjs",
    "mts",
    "php",
    "phpt",
    "pl",
    "pm",
    "pth",
    "py",
    "pyc",
    "pyd",
    "rb",
    "rs",
    "runsettings",
    "scala",
    "sh",
    "snap",
    "so",
    "svelte",
    "swift",
    "t",
    "ts",
    "tsx",
    "vb",
    "vue",
];

/// Names of files that steer a runner and whose endings don't say so.
const STEERING: &[&str] = &[
    ".babelrc",
    ".babelrc.json",
    ".mocharc.json",
    ".mocharc.jsonc",
    ".mocharc.yaml",
    ".mocharc.yml",
    ".npmrc",
    ".proverc",
    ".pytest.ini",
    ".rspec",
    "Cargo.toml",
    "babel.config.json",
    "jest.config.json",
    "nextest.toml",
    "package.json",
    "phpunit.xml",
    "phpunit.xml.dist",
    "pyproject.toml",
    "pytest.ini",
    "setup.cfg",
    "tox.ini",
    "tsconfig.json",
    "xunit.runner.json",
];

/// Whether an ignored file below `test_paths` could be loaded by a runner: a source, a snapshot, or what steers it.
pub(super) fn is_loadable(path: &[u8]) -> bool {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let name = parts.next().unwrap_or_default();
    let extension =
        name.iter().rposition(|byte| *byte == b'.').and_then(|dot| name.get(dot + 1..)).unwrap_or_default();
    let is =
        |list: &[&str], word: &[u8]| list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word));
    is(LOADABLE, extension)
        || is(STEERING, name)
        || parts.any(|folder| folder == b"__snapshots__" || folder == b"__mocks__")
}

/// Whether an ignored folder is a cache of the project whose own file lies beside it: nothing in it is frozen. `beside`
/// says whether such a file is there.
pub(super) fn is_cache_of_project(name: &[u8], beside: impl Fn(fn(&[u8]) -> bool) -> bool) -> bool {
    match name {
        b"bin" | b"obj" => beside(|name| name.ends_with(b".csproj")),
        b"target" => beside(|name| name == b"Cargo.toml" || name == b"pom.xml"),
        b"node_modules" => beside(|name| name == b"package.json"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, pattern: Option<&str>) {
        assert_eq!(file_left_out(name.as_bytes()), pattern.map(BString::from), "{name}");
    }

    #[test]
    fn files_left_out_by_name() {
        check("a~", Some("*~"));
        check(".x.swp", Some(".*.sw?"));
        check(".a.b.swo", Some(".*.sw?"));
        check(".#lock", Some(".#*"));
        check("4913", Some("4913"));
        check(".DS_Store", Some(".DS_Store"));
        check("x.swp", None);
        check(".swp", None);
        check("~a", None);
        check("49130", None);
        check("#a", None);
    }

    #[test]
    fn folders_left_out_by_name() {
        assert_eq!(folder_left_out(b"__pycache__"), Some("__pycache__/".into()));
        assert_eq!(folder_left_out(b"pycache"), None);
        assert_eq!(folder_left_out(b".git"), None, "it is passed over, and nobody asks for it to be listed");
    }

    #[test]
    fn what_a_runner_can_load() {
        for path in
            ["tests/a.py", "a.TS", "x/conftest.py", "t/__snapshots__/a.txt", "pytest.ini", "a.t", "lib.so"]
        {
            assert!(is_loadable(path.as_bytes()), "{path}");
        }
        for path in ["tests/db.sqlite3", "tests/output/log.txt", "py", "a.json", "x.py/data", ".cache"] {
            assert!(!is_loadable(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn caches_need_their_project() {
        let beside = |file: &'static str| move |is: fn(&[u8]) -> bool| is(file.as_bytes());
        assert!(is_cache_of_project(b"target", beside("Cargo.toml")));
        assert!(is_cache_of_project(b"obj", beside("App.csproj")));
        assert!(!is_cache_of_project(b"target", beside("package.json")));
        assert!(!is_cache_of_project(b"node_modules", beside("setup.py")));
        assert!(!is_cache_of_project(b"build", beside("Cargo.toml")));
    }
}
