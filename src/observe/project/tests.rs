use std::fs;

use super::look;
use crate::plan::template::{self, Found};
use crate::plan::{Source, read};

/// What is found in a folder with these files.
fn found(files: &[(&str, &str)]) -> Found {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    look(folder.path()).unwrap()
}

/// The commands found, each with its evidence, and the globs of the first; the plan made of them reads.
#[track_caller]
fn check(files: &[(&str, &str)], commands: &[(&str, &str)], test_paths: &[&str]) {
    let found = found(files);
    let lines: Vec<_> = found.runners.iter().map(|it| (it.evidence.clone(), it.command.join(" "))).collect();
    let lines: Vec<_> =
        lines.iter().map(|(evidence, command)| (evidence.as_str(), command.as_str())).collect();
    assert_eq!(lines, commands);
    assert_eq!(found.runners[0].test_paths, test_paths);
    let text = template::write(&found).unwrap();
    let source = Source { name: "verify.toml", text: text.as_bytes(), folder_name: "a" };
    read(&source).unwrap_or_else(|error| panic!("{error}"));
}

const BARE: &str = "def test_a():\n    assert True\n";
const CLASS: &str = "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n";

#[test]
fn pytest() {
    let pytest = "python3 -m pytest -v";
    let python = ("tests/test_a.py", CLASS);
    check(&[("pytest.ini", ""), python], &[("pytest.ini", pytest)], &["tests/**"]);
    check(
        &[("pyproject.toml", "[tool.pytest.ini_options]"), python],
        &[("pyproject.toml", pytest)],
        &["tests/**"],
    );
    check(&[("setup.cfg", "[tool:pytest]"), python], &[("setup.cfg", pytest)], &["tests/**"]);
    check(&[("tox.ini", "[pytest]"), python], &[("tox.ini", pytest)], &["tests/**"]);
    check(&[("tests/conftest.py", ""), python], &[("tests/conftest.py", pytest)], &["tests/**"]);
    check(&[("tests/test_b.py", BARE), python], &[("tests/test_b.py", pytest)], &["tests/**"]);
    check(&[("test_b.py", "from pytest import raises")], &[("test_b.py", pytest)], &["**/test_*.py"]);
    check(
        &[("src/a/tests/test_a.py", BARE), ("a_test.py", "")],
        &[("src/a/tests/test_a.py", pytest)],
        &["**/*_test.py", "src/a/tests/**"],
    );
    check(&[("my tests/tests/test_a.py", BARE)], &[("my tests/tests/test_a.py", pytest)], &["**/tests/**"]);
}

#[test]
fn unittest() {
    let discover = "python3 -m unittest discover -v";
    check(
        &[("tests/test_a.py", CLASS), ("pyproject.toml", "[project]")],
        &[("tests/test_a.py", "python3 -m unittest discover -v -s tests")],
        &["tests/**"],
    );
    check(
        &[("tests/__init__.py", ""), ("tests/test_a.py", CLASS)],
        &[("tests/test_a.py", discover)],
        &["tests/**"],
    );
    let in_src = [
        ("src/shop/__init__.py", ""),
        ("src/shop/tests/__init__.py", ""),
        ("src/shop/tests/test_a.py", CLASS),
    ];
    check(
        &in_src,
        &[("src/shop/tests/test_a.py", "python3 -m unittest discover -v -s src")],
        &["src/shop/tests/**"],
    );
    check(
        &[("tests/a/test_a.py", CLASS), ("tests/b/test_b.py", ""), ("tests/b/test_c.py", "")],
        &[("tests/a/test_a.py", "python3 -m unittest discover -v -s tests/b")],
        &["tests/**"],
    );
    check(
        &[("test_a.py", "from shop.testing import ShopTestCase\nclass A(ShopTestCase):\n")],
        &[("test_a.py", discover)],
        &["**/test_*.py"],
    );
}

#[test]
fn tap() {
    check(&[("t/a.t", "")], &[("t/a.t", "prove -v t")], &["t/**"]);
    check(&[("t/a.t", ""), ("t/b/c.t", ""), ("lib/A.pm", "")], &[("t/a.t", "prove -v -l -r t")], &["t/**"]);
    check(&[("tests/a.t", "")], &[("tests/a.t", "prove -v tests")], &["tests/**"]);
    let tap = "#!/bin/sh\necho 1..1\necho \"ok 1 - a\"\n";
    check(&[("tests/a.sh", tap)], &[("tests/a.sh", "sh tests/a.sh")], &["tests/**"]);
    check(
        &[("tests/a.sh", "#!/usr/bin/env bash\nx && printf '1..%d\\n' 2\n")],
        &[("tests/a.sh", "bash tests/a.sh")],
        &["tests/**"],
    );
    check(
        &[("tests/a.sh", tap), ("tests/b.sh", tap)],
        &[(
            "tests/a.sh",
            "sh -c failed=0; for script in tests/*.sh; do sh \"$script\" || failed=1; done; exit $failed",
        )],
        &["tests/**"],
    );
    check(
        &[("tests/a.sh", tap), ("tests/b.sh", tap), ("tests/lib.sh", "echo fine")],
        &[(
            "tests/a.sh",
            "sh -c failed=0; for script in tests/a.sh tests/b.sh; do sh \"$script\" || failed=1; done; exit $failed",
        )],
        &["tests/**"],
    );
}

#[test]
fn several() {
    check(
        &[("tests/test_a.py", BARE), ("t/a.t", "")],
        &[("tests/test_a.py", "python3 -m pytest -v"), ("t/a.t", "prove -v t")],
        &["tests/**"],
    );
}

#[test]
fn nothing_is_made_up() {
    let other = [
        ("README.md", "pytest"),
        ("src/a.py", "import unittest\ndef test_a(): pass\n"),
        ("pyproject.toml", "[project]"),
        ("tests/run.sh", "echo fine; grep '1..2'"),
        ("build/a.t", ""),
        (".gitignore", "gen/\n"),
        ("gen/test_a.py", BARE),
        ("node_modules/x/test_a.py", BARE),
        ("Makefile", "test := 1\n# test:\n"),
        ("package.json", "{ broken"),
    ];
    assert_eq!(found(&other), Found::default());
    assert!(look(std::path::Path::new("/no/such/folder")).is_err());
}

#[test]
fn jest() {
    let command = "npx jest --verbose";
    let root = ("package.json", r#"{"scripts": {"test": "jest --ci"}}"#);
    check(&[root, ("src/sum.test.js", "")], &[("package.json", command)], &["**/*.test.*"]);
    check(
        &[root, ("src/__tests__/sum.js", ""), ("src/__tests__/__snapshots__/sum.js.snap", "")],
        &[("package.json", command)],
        &["**/__tests__/**"],
    );
    check(
        &[root, ("tests/a.spec.ts", ""), ("tests/helper.ts", ""), ("src/__snapshots__/b.snap", "")],
        &[("package.json", command)],
        &["**/__snapshots__/**", "tests/**"],
    );
    check(&[root], &[("package.json", command)], &["**/*.test.*", "**/__tests__/**"]);
    let web = ("web/package.json", r#"{"devDependencies": {"jest": "30"}}"#);
    let of_web = found(&[web, ("web/a.test.js", ""), ("b.test.js", "")]);
    assert_eq!(of_web.runners[0].cwd.as_deref(), Some("web"));
    assert_eq!(of_web.runners[0].test_paths, ["web/**/*.test.*"]);
    check(
        &[root, ("api/package.json", web.1)],
        &[("package.json", command)],
        &["**/*.test.*", "**/__tests__/**"],
    );
}

#[test]
fn dotnet() {
    let project = "<Project Sdk=\"Microsoft.NET.Sdk\"><PackageReference Include=\"Microsoft.NET.Test.Sdk\" /></Project>";
    let tests = ("tests/App.Tests/App.Tests.csproj", project);
    let app = ("src/App/App.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\" />");
    let evidence = tests.0;
    check(&[("App.sln", ""), tests, app], &[(evidence, "dotnet test")], &["tests/App.Tests/**"]);
    check(&[tests, app], &[(evidence, &format!("dotnet test {evidence}"))], &["tests/App.Tests/**"]);
    check(&[("a.csproj", project)], &[("a.csproj", "dotnet test")], &["**/*Test*.*"]);
    assert_eq!(found(&[("App.sln", ""), app]), Found::default());
}

#[test]
fn what_cannot_be_read_yet_is_named() {
    let unread = found(&[
        ("package.json", r#"{"devDependencies": {"ava": "1"}, "scripts": {"test": "mocha && node --test"}}"#),
        ("web/package.json", r#"{"dependencies": {"vitest": "1", "mocha": "1"}}"#),
        ("Cargo.toml", ""),
        ("go.mod", ""),
        ("pom.xml", ""),
        ("build.gradle.kts", ""),
        ("phpunit.xml.dist", ""),
        ("spec/a_spec.rb", ""),
        ("test/a.bats", ""),
        ("CMakeLists.txt", "enable_testing()"),
        ("Makefile", "all:\ncheck: all\n\t./check\n"),
    ])
    .unread;
    let lines: Vec<_> = unread.iter().map(|it| format!("{}: {}", it.name, it.evidence)).collect();
    let expected = [
        "cargo test: Cargo.toml",
        "go test: go.mod",
        "Maven Surefire: pom.xml",
        "Gradle: build.gradle.kts",
        "PHPUnit: phpunit.xml.dist",
        "RSpec: spec/a_spec.rb",
        "Bats: test/a.bats",
        "mocha: package.json",
        "node --test: package.json",
        "vitest: web/package.json",
        "make check: Makefile",
        "CTest: CMakeLists.txt",
    ];
    assert_eq!(lines, expected);
}
