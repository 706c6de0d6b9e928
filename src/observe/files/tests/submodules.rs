//! Repositories within repositories.

use super::*;
use crate::observe::fingerprint::fingerprint;

#[test]
fn a_nested_repository_is_plain_files() {
    let scratch = Scratch::repository();
    scratch.init("inner");
    scratch.write("inner/x", "");
    scratch.write("inner/.git/info/exclude", "x\n");
    check(&scratch, &["f a", "f inner/x", "f src/b"]);
    assert_eq!(Ask::of(&scratch).look().nested, ["inner"]);
}

#[test]
fn a_submodule_is_one_entry() {
    let library = Scratch::repository();
    let scratch = Scratch::repository();
    scratch.git(&["submodule", "--quiet", "add", library.root().to_str().unwrap(), "lib"]);
    scratch.commit();
    check(&scratch, &["f .gitmodules", "f a", "s lib", "f src/b"]);

    let hash = |scratch: &Scratch| Ask::of(scratch).look().map.get(b"lib").unwrap().sha256;
    let head = library.git(&["rev-parse", "HEAD"]);
    let inner = fingerprint(&Ask::of(&library).look().map, &[]);
    let clean = hash(&scratch);
    assert_eq!(clean, Sha256::of(format!("{head}\n{inner}").as_bytes()));

    scratch.write("lib/src/b", "edited\n");
    assert_ne!(hash(&scratch), clean);
    scratch.write("lib/src/b", "b\n");
    assert_eq!(hash(&scratch), clean);

    scratch.write("lib/x.log", "");
    assert_ne!(hash(&scratch), clean, "an untracked file");
    scratch.write(".git/modules/lib/info/exclude", "*.log\n");
    assert_eq!(hash(&scratch), clean, "its own rules hold in it");
    let ask = Ask { baseline: Some(Ask::of(&scratch).look().ignore), ..Ask::of(&scratch) };
    scratch.write("lib/.git-is-elsewhere", "");
    scratch.write(".git/modules/lib/info/exclude", "*.log\n.git-*\n");
    assert_eq!(ask.look().hidden_by_new_rule, ["lib/.git-is-elsewhere"]);
    assert_ne!(ask.look().map.get(b"lib").unwrap().sha256, clean);
}

#[test]
fn a_submodule_that_is_not_checked_out_hides_no_files() {
    let library = Scratch::repository();
    let scratch = Scratch::repository();
    scratch.git(&["submodule", "--quiet", "add", library.root().to_str().unwrap(), "lib"]);
    scratch.commit();
    scratch.git(&["submodule", "--quiet", "deinit", "-f", "lib"]);
    let head = library.git(&["rev-parse", "HEAD"]);
    check(&scratch, &["f .gitmodules", "f a", "s lib", "f src/b"]);
    assert_eq!(Ask::of(&scratch).look().map.get(b"lib").unwrap().sha256, Sha256::of(head.as_bytes()));
    scratch.write("lib/x", "");
    check(&scratch, &["f .gitmodules", "f a", "s lib", "f lib/x", "f src/b"]);
}

#[test]
fn submodules_within_submodules() {
    let leaf = Scratch::repository();
    let middle = Scratch::repository();
    middle.git(&["submodule", "--quiet", "add", leaf.root().to_str().unwrap(), "leaf"]);
    middle.commit();
    let scratch = Scratch::repository();
    scratch.git(&["submodule", "--quiet", "add", middle.root().to_str().unwrap(), "middle"]);
    scratch.git(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    scratch.commit();
    let head = middle.git(&["rev-parse", "HEAD"]);
    let inner = fingerprint(&Ask::of(&middle).look().map, &[]);
    let expected = Sha256::of(format!("{head}\n{inner}").as_bytes());
    assert_eq!(Ask::of(&scratch).look().map.get(b"middle").unwrap().sha256, expected);
    scratch.write("middle/leaf/a", "edited\n");
    assert_ne!(Ask::of(&scratch).look().map.get(b"middle").unwrap().sha256, expected);
}
