//! Which files count by ignore rules.

use super::*;
use crate::observe::facts::IgnoreOrigin;

#[test]
fn ignored_files_do_not_count() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "*.log\n/build/\n!keep.log\n");
    scratch.write("x.log", "");
    scratch.write("keep.log", "");
    scratch.write("build/x", "");
    scratch.write("src/build/x", "");
    scratch.write("src/.gitignore", "/b?\n");
    scratch.write("src/bb", "");
    check(&scratch, &["f .gitignore", "f a", "f keep.log", "f src/.gitignore", "f src/b", "f src/build/x"]);
}

#[test]
fn below_an_ignored_folder_nothing_is_brought_back() {
    let scratch = Scratch::plain();
    scratch.write(".gitignore", "build/\n!build/keep\n");
    scratch.write("build/keep", "");
    scratch.write("build/.gitignore", "!*\n");
    check(&scratch, &["f .gitignore"]);
}

#[test]
fn tracked_files_count_though_ignored() {
    let scratch = Scratch::unborn();
    scratch.write("build/deep/tracked", "");
    scratch.write("tracked.log", "");
    scratch.git(&["add", "."]);
    scratch.write(".gitignore", "build/\n*.log\n");
    scratch.write("build/deep/other", "");
    scratch.write("other.log", "");
    check(&scratch, &["f .gitignore", "f build/deep/tracked", "f tracked.log"]);
}

#[test]
fn what_git_ignores_for_this_checkout_alone_does_not_count() {
    let scratch = Scratch::repository();
    scratch.write(".git/info/exclude", "mine\n");
    scratch.write("global", "yours\n");
    scratch.git(&["config", "core.excludesFile", scratch.path("global").to_str().unwrap()]);
    scratch.write("mine", "");
    scratch.write("yours", "");
    check(&scratch, &["f a", "f global", "f src/b"]);
    let origins: Vec<_> = Ask::of(&scratch).look().ignore.iter().map(|source| source.origin).collect();
    assert_eq!(origins, [IgnoreOrigin::Global, IgnoreOrigin::Exclude]);
}

#[test]
fn an_exclude_outweighs_a_global_rule() {
    let scratch = Scratch::repository();
    scratch.write("global", "*.tmp\n");
    scratch.git(&["config", "core.excludesFile", scratch.path("global").to_str().unwrap()]);
    scratch.write(".git/info/exclude", "!keep.tmp\n");
    scratch.write("keep.tmp", "");
    scratch.write("other.tmp", "");
    check(&scratch, &["f a", "f global", "f keep.tmp", "f src/b"]);
    let before = Ask::of(&scratch).look();
    let ask = Ask { baseline: Some(before.ignore), ..Ask::of(&scratch) };
    check_ask(&ask, &["f a", "f global", "f keep.tmp", "f src/b"]);
}

#[test]
fn a_new_ignore_line_has_no_power_and_is_listed() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "*.log\n");
    scratch.write("old.log", "");
    let ask = Ask { baseline: Some(Ask::of(&scratch).look().ignore), ..Ask::of(&scratch) };
    scratch.write("evil/x.py", "");
    scratch.write("evil/y.log", "");
    for (path, text) in
        [(".gitignore", "*.log\nevil/\n"), ("evil/.gitignore", "*\n"), (".git/info/exclude", "evil\n")]
    {
        scratch.write(path, text);
        let facts = ask.look();
        assert!(facts.map.get(b"evil/x.py").is_some(), "{path}");
        assert!(facts.map.get(b"evil/y.log").is_none(), "the baseline hides it too");
        assert!(facts.hidden_by_new_rule.contains(&"evil/x.py".into()), "{path}");
    }
}

#[test]
fn a_rule_taken_away_shows_what_it_hid() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "*.log\n");
    scratch.write("x.log", "");
    let ask = Ask { baseline: Some(Ask::of(&scratch).look().ignore), ..Ask::of(&scratch) };
    scratch.remove(".gitignore");
    let facts = ask.look();
    assert!(facts.map.get(b"x.log").is_some());
    assert!(facts.hidden_by_new_rule.is_empty());
}

#[test]
fn braces_in_ignore_rules_mean_themselves() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "{x,y}\n");
    scratch.write("x", "");
    scratch.write("{x,y}", "");
    check(&scratch, &["f .gitignore", "f a", "f src/b", "f x"]);
}

#[test]
fn included_files_count_though_ignored() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "gen/\n*.env\n");
    scratch.write("gen/deep/api.py", "");
    scratch.write("gen/deep/api.log", "");
    scratch.write("x.env", "");
    let ask = Ask { include: globs(["gen/**/*.py", "x.env"]), ..Ask::of(&scratch) };
    check_ask(&ask, &["f .gitignore", "f a", "f gen/deep/api.py", "f src/b", "f x.env"]);
}

#[test]
fn a_sparse_checkout_keeps_the_rules_that_are_not_there() {
    let scratch = Scratch::repository();
    scratch.write("src/.gitignore", "*.log\n");
    scratch.commit();
    scratch.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/src/.gitignore"]);
    assert!(!scratch.path("src/.gitignore").exists());
    scratch.write("src/x.log", "");
    check(&scratch, &["f a", "f src/b"]);
}
