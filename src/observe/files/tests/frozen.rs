//! What a frozen set would hold.

use super::*;

#[track_caller]
fn check_frozen(scratch: &Scratch, expected: &[&str], refused: &[&str]) {
    let facts = Ask { tests: globs(["tests/**"]), ..Ask::of(scratch) }.look();
    assert_eq!(listed(&facts.frozen), expected);
    let found: Vec<_> = facts.frozen_refused.iter().map(|(path, why)| format!("{path}: {why}")).collect();
    assert_eq!(found.len(), refused.len(), "{found:?}");
    for (found, refused) in found.iter().zip(refused) {
        assert!(found.contains(refused), "{found}");
    }
}

#[test]
fn tests_are_frozen_with_what_a_runner_could_load() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "output/\n*.sqlite3\nlocal.py\n__pycache__/\nnode_modules/\ntarget/\n");
    for path in [
        "tests/test_a.py",
        "tests/data.json",
        "tests/db.sqlite3",
        "tests/local.py",
        "tests/output/log.txt",
        "tests/output/evil.py",
        "tests/__pycache__/test_a.pyc",
        "tests/js/package.json",
        "tests/js/node_modules/x/index.js",
        "tests/py/node_modules/x/index.js",
        "tests/target/x.rs",
        "src/local.py",
    ] {
        scratch.write(path, "");
    }
    let expected = [
        "f tests/data.json",
        "f tests/js/package.json",
        "f tests/local.py",
        "f tests/output/evil.py",
        "f tests/py/node_modules/x/index.js",
        "f tests/target/x.rs",
        "f tests/test_a.py",
    ];
    check_frozen(&scratch, &expected, &[]);
    check(
        &scratch,
        &[
            "f .gitignore",
            "f a",
            "f src/b",
            "f tests/data.json",
            "f tests/js/package.json",
            "f tests/test_a.py",
        ],
    );
}

#[test]
fn a_tracked_cache_is_frozen() {
    let scratch = Scratch::repository();
    scratch.write("tests/package.json", "");
    scratch.write("tests/node_modules/x.js", "");
    scratch.commit();
    scratch.write(".gitignore", "node_modules\n");
    scratch.write("tests/node_modules/y.js", "");
    check_frozen(&scratch, &["f tests/node_modules/x.js", "f tests/package.json"], &[]);
}

#[test]
fn a_link_is_frozen_with_what_it_points_to() {
    let scratch = Scratch::repository();
    scratch.write("shared/x/y", "");
    scratch.write("shared/z", "");
    scratch.write("other", "");
    scratch.write("ignored", "");
    scratch.write(".gitignore", "/ignored\n");
    scratch.link("tests/file", "../other");
    scratch.link("tests/folder", "../shared");
    scratch.link("tests/twice", "file");
    scratch.link("tests/ignored", "../ignored");
    scratch.link("tests/dangling", "nowhere");
    scratch.link("tests/loop", "loop");
    scratch.link("tests/up", "..");
    let expected = [
        "f ignored",
        "f other",
        "f shared/x/y",
        "f shared/z",
        "l tests/dangling",
        "l tests/file",
        "l tests/folder",
        "l tests/ignored",
        "l tests/loop",
        "l tests/twice",
        "l tests/up",
    ];
    check_frozen(&scratch, &expected, &[]);
}

#[test]
fn what_leads_away_or_is_no_file_cannot_be_frozen() {
    let scratch = Scratch::repository();
    scratch.link("tests/etc", "/etc/passwd");
    scratch.link("tests/gone", "/no/such/file");
    scratch.link("tests/git", "../.git/HEAD");
    scratch.link("tests/to-pipe", "../pipe");
    scratch.fifo("pipe");
    scratch.fifo("tests/pipe");
    let frozen = ["l tests/etc", "l tests/git", "l tests/gone", "l tests/to-pipe"];
    let refused =
        ["tests/etc: it leads out", "git's own", "tests/gone: it leads out", "tests/pipe: it is", "FIFO"];
    check_frozen(&scratch, &frozen, &refused);
}

#[test]
fn twins_by_case_or_unicode_form_are_reported() {
    let scratch = Scratch::plain();
    for path in
        ["tests/A", "tests/a", "tests/b", "tests/\u{e9}", "tests/e\u{301}", "tests/\u{c9}", "src/X", "src/x"]
    {
        scratch.write(path, "");
    }
    let facts = Ask { tests: globs(["tests/**"]), ..Ask::of(&scratch) }.look();
    let pairs: Vec<_> = facts.collisions.iter().map(|(a, b)| format!("{a} {b}")).collect();
    assert_eq!(pairs.len(), 3, "{pairs:?}");
    assert!(pairs.contains(&"tests/A tests/a".to_owned()));
}
