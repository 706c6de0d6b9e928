//! Copies of small work trees.

use std::collections::BTreeMap;

use super::*;
use crate::digest::Sha256;
use crate::observe::content::tests::facts;
use crate::observe::facts::Entry;
use crate::observe::scratch::Scratch;

fn copy(scratch: &Scratch) -> Checkout {
    let map = facts(scratch).map;
    let tree = Tree { root: scratch.root(), map: &map };
    Checkout::of(&[tree], scratch.root(), &scratch.path(".verify")).unwrap()
}

/// What is at a path of the copy: its text, `-> target` of a link, `/` of a folder; empty: nothing.
fn at(copy: &Checkout, scratch: &Scratch, path: &str) -> String {
    let place = copy.at(&scratch.path(path));
    match fs::symlink_metadata(&place) {
        Err(_) => String::new(),
        Ok(meta) if meta.is_dir() => "/".to_owned(),
        Ok(meta) if meta.is_symlink() => format!("-> {}", fs::read_link(&place).unwrap().display()),
        Ok(_) => fs::read_to_string(&place).unwrap(),
    }
}

#[track_caller]
fn check(scratch: &Scratch, want: &[(&str, &str)]) {
    let copy = copy(scratch);
    let (from, to) = (scratch.root().display().to_string(), copy.at(scratch.root()).display().to_string());
    for (path, want) in want {
        assert_eq!(at(&copy, scratch, path), want.replace("FROM", &from).replace("TO", &to), "{path}");
    }
}

#[test]
fn what_counts_is_copied_and_what_builds_make_is_not() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "target\n*.log\n.env\nbuilt/\n__pycache__/\nobj/\nbig/\n");
    scratch.write("src/run", "r");
    scratch.chmod("src/run", 0o755);
    scratch.write("target/debug/x", "x");
    scratch.write("src/__pycache__/b.pyc", "x");
    scratch.write("web/obj/x", "x");
    scratch.write("web/web.csproj", "<Project/>");
    scratch.write("tool/obj/x", "kept");
    scratch.write("built/deep/y", "y");
    scratch.write(".env", "A=1");
    scratch.write(".verify/task.json", "{}");
    fs::create_dir_all(scratch.path("empty")).unwrap();
    check(
        &scratch,
        &[
            ("a", "a\n"),
            ("src/b", "b\n"),
            (".gitignore", "target\n*.log\n.env\nbuilt/\n__pycache__/\nobj/\nbig/\n"),
            (".env", "A=1"),
            ("built/deep/y", "y"),
            ("tool/obj/x", "kept"),
            ("empty", "/"),
            ("target", ""),
            ("src/__pycache__", ""),
            ("web/obj", ""),
            (".verify", ""),
            (".git/index", ""),
            (".git/HEAD", "ref: refs/heads/main\n"),
        ],
    );
    let copy = copy(&scratch);
    assert_eq!(mode(&copy.at(&scratch.path("src/run")).metadata().unwrap()), 0o755);
    assert_eq!(mode(&copy.folder.path().metadata().unwrap()), 0o700);
    let folder = copy.folder.path().to_owned();
    drop(copy);
    assert!(!folder.exists());
}

#[test]
fn installed_packages_are_linked_and_those_of_the_work_tree_are_the_copys() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", "node_modules\n.venv\n");
    scratch.write("packages/x/index.js", "");
    scratch.write("node_modules/.pnpm/dep@1/node_modules/dep/index.js", "");
    scratch.write("node_modules/.cache/x", "");
    scratch.write("node_modules/plain/index.js", "");
    scratch.link("node_modules/dep", ".pnpm/dep@1/node_modules/dep");
    scratch.link("node_modules/@own/x", "../../packages/x");
    let absolute = scratch.path("packages/x").display().to_string();
    scratch.link("node_modules/y", &absolute);
    scratch.link("node_modules/elsewhere", "../../elsewhere");
    scratch.write("node_modules/.bin/shim", "");
    scratch.write(".venv/pyvenv.cfg", "");
    let above = scratch.root().parent().unwrap().join("elsewhere").display().to_string();
    check(
        &scratch,
        &[
            ("node_modules/plain", "-> FROM/node_modules/plain"),
            ("node_modules/.pnpm", "-> FROM/node_modules/.pnpm"),
            ("node_modules/dep", "-> .pnpm/dep@1/node_modules/dep"),
            ("node_modules/@own/x", "-> ../../packages/x"),
            ("node_modules/y", "-> TO/packages/x"),
            ("node_modules/elsewhere", &format!("-> {above}")),
            ("node_modules/.cache", ""),
            ("node_modules/.bin/shim", "-> FROM/node_modules/.bin/shim"),
            (".venv", "-> FROM/.venv"),
        ],
    );
}

#[test]
fn nothing_is_written_through_a_link() {
    let scratch = Scratch::repository();
    scratch.write(".gitignore", ".venv\n");
    scratch.write(".venv/pyvenv.cfg", "old");
    let copy = copy(&scratch);
    let content = Content { kind: EntryKind::Executable, mode: 0o755, bytes: b"new".to_vec() };
    let put = |path: &str, content| copy.put(scratch.root(), path.into(), content).unwrap();
    put(".venv/pyvenv.cfg", None);
    assert_eq!(fs::read_to_string(scratch.path(".venv/pyvenv.cfg")).unwrap(), "old");
    put(".venv/pyvenv.cfg", Some(&content));
    assert_eq!(fs::read_to_string(scratch.path(".venv/pyvenv.cfg")).unwrap(), "old");
    assert_eq!(at(&copy, &scratch, ".venv/pyvenv.cfg"), "new");
    assert_eq!(mode(&copy.at(&scratch.path(".venv/pyvenv.cfg")).metadata().unwrap()), 0o755);
    // A file where a folder was, and the other way round.
    put("src", Some(&content));
    put("a/b", Some(&content));
    assert_eq!((at(&copy, &scratch, "src").as_str(), at(&copy, &scratch, "a/b").as_str()), ("new", "new"));
    let target = Content { kind: EntryKind::Link, mode: 0, bytes: b"../src".to_vec() };
    put("a/b", Some(&target));
    assert_eq!(at(&copy, &scratch, "a/b"), "-> ../src");
    put("a/b", None);
    assert_eq!(at(&copy, &scratch, "a/b"), "");
    assert!(copy.put(scratch.root(), "../../out".into(), Some(&content)).is_err());
    assert_eq!(fs::read_to_string(scratch.path("a")).unwrap(), "a\n");
}

#[test]
fn what_a_file_held_has_the_hash_of_then() {
    let scratch = Scratch::repository();
    scratch.write("late", "late");
    let then = facts(&scratch);
    let head = then.git.as_ref().unwrap().head.clone();
    let entry = |path: &str, text: &str| Entry {
        path: path.into(),
        kind: EntryKind::File,
        mode: 0o644,
        sha256: Sha256::of(text.as_bytes()),
    };
    scratch.write("a", "moved");
    scratch.remove("late");
    let now = facts(&scratch).map;
    let kept: BTreeMap<_, _> = [b"late".as_slice(), b"lie"]
        .map(|bytes| (Sha256::of(bytes), if bytes == b"lie" { b"truth".to_vec() } else { bytes.to_vec() }))
        .into();
    let former = Former::of(scratch.root(), head.as_deref(), &now, &kept);
    for (path, text, is_there) in [
        ("a", "a\n", true),
        ("src/b", "b\r\n", true),
        ("late", "late", true),
        ("elsewhere", "moved", true),
        ("a", "lie", false),
        ("a", "never", false),
    ] {
        let want = is_there.then(|| text.as_bytes().to_vec());
        assert_eq!(former.content(&entry(path, text)).map(|content| content.bytes), want, "{path} {text:?}");
    }
}

#[test]
fn a_command_is_led_into_the_copy() {
    use std::ffi::OsString;

    use crate::observe::process::Command;

    let scratch = Scratch::repository();
    scratch.write("pyproject.toml", "");
    scratch.write("src/app.py", "");
    let copy = copy(&scratch);
    let (from, to) = (scratch.root().display().to_string(), copy.at(scratch.root()).display().to_string());
    let words = ["FROM/src/b", "FROM/nowhere", "--x=FROM/a", "a:FROM/a:FROM/src", "/FROMa", "plain"];
    let want = ["TO/src/b", "FROM/nowhere", "--x=TO/a", "a:TO/a:TO/src", "/FROMa", "plain"];
    let mut command = Command::new(words.map(|word| word.replace("FROM", &from)), copy.at(scratch.root()));
    command.env.push(("PYTHONPATH".into(), Some("lib".into())));
    copy.adapt(&mut command);
    assert_eq!(command.argv, want.map(|word| OsString::from(word.replace("FROM", &from).replace("TO", &to))));
    let last = |name: &str| {
        let found = command.env.iter().rev().find(|(of, _)| of == name);
        found.map(|(_, value)| value.clone().unwrap_or_default().into_string().unwrap())
    };
    assert_eq!(last("PYTHONPATH"), Some(format!("{to}/src:lib")));
    assert_eq!(last("PWD"), Some(to));
    assert_eq!(last("CARGO_TARGET_DIR"), Some(String::new()));
}
