use super::*;

/// What is said of a file of the product; `""` for nothing.
#[track_caller]
fn check(file: &str, source: &str, want: &[&str]) {
    check_in(PRODUCT, file, source, want);
}

#[track_caller]
fn check_in(of: Crate, file: &str, source: &str, want: &[&str]) {
    let module = module_of(Path::new(file));
    let mut violations = Vec::new();
    check_file(of, file, &module, &names(source, &module).unwrap(), &mut violations);
    assert_eq!(violations, want, "{file}: {source}");
}

const JUDGE: &str = "(allowed: plan, observe::facts, observe::fingerprint, digest, redgreen_parsers)";

#[test]
fn an_edge_that_is_not_in_the_table_is_refused() {
    let said = format!("judge/red.rs:1: judge may not use observe::process::run {JUDGE}");
    let ways = [
        "use crate::observe::process::run;",
        "use crate::{observe::{process::run}};",
        "use super::super::observe::process::run;",
        "use redgreen::observe::process::run;",
        "fn f() { crate::observe::process::run() }",
        "fn f() { let x: crate::observe::process::run; }",
        "fn f() { vec![crate::observe::process::run()]; }",
        "mod inner { use super::super::super::observe::process::run; }",
    ];
    for way in ways {
        check("judge/red.rs", way, &[&said]);
    }
}

#[test]
fn an_alias_hides_nothing() {
    check(
        "cli/run.rs",
        "use std::process as p;\nfn f() { p::Command::new(\"x\"); }",
        &["cli/run.rs:2: cli may not use std::process::Command: it touches the world"],
    );
    check(
        "record/store.rs",
        "use crate as c;\nfn f() { c::present::show() }",
        &["record/store.rs:2: record may not use present::show (allowed: judge, plan, observe::facts, \
           observe::fingerprint, digest, redgreen_parsers)"],
    );
}

#[test]
fn a_glob_brings_in_what_it_holds() {
    check("judge/mod.rs", "use crate::*;", &[&format!("judge/mod.rs:1: judge may not use * {JUDGE}")]);
    check(
        "judge/mod.rs",
        "use crate::observe::*;",
        &[&format!("judge/mod.rs:1: judge may not use observe::* {JUDGE}")],
    );
    check(
        "cli/mod.rs",
        "use std::process::*;",
        &["cli/mod.rs:1: cli may not use std::process::Command: it touches the world"],
    );
    check("judge/mod.rs", "use crate::plan::*; use super::judge::*;", &[]);
}

#[test]
fn a_pure_room_does_not_touch_the_world() {
    for banned in ["std::fs", "std::env", "std::net", "std::thread", "std::time::Instant", "gix"] {
        for room in ["plan", "judge", "present"] {
            let said = format!("{room}/x.rs:1: {room} may not use {banned}: it touches the world");
            check(&format!("{room}/x.rs"), &format!("use {banned}::x;"), &[&said]);
        }
        let said = format!("x.rs:1: redgreen_parsers may not use {banned}: it touches the world");
        check_in(table::PARSERS, "x.rs", &format!("fn f() {{ {banned}::x() }}"), &[&said]);
    }
    check(
        "judge/x.rs",
        "fn f() {\n    if true { println!(\"x\") }\n}",
        &["judge/x.rs:2: judge may not call println!"],
    );
    check("judge/x.rs", "use std::time::Duration; use std::io::Write;", &[]);
}

#[test]
fn one_room_starts_processes() {
    let source = "use std::process::Command;";
    check("observe/process.rs", source, &[]);
    check("observe/process/group.rs", source, &[]);
    for (file, room) in [("observe/git.rs", "observe"), ("record/x.rs", "record"), ("main.rs", "redgreen")] {
        let said = format!("{file}:1: {room} may not use std::process::Command: it touches the world");
        check(file, source, &[&said]);
    }
    check("main.rs", "use std::process::ExitCode; fn main() { redgreen::cli::main() }", &[]);
}

#[test]
fn plain_data_of_a_room_can_be_used_where_the_room_can_not() {
    check("judge/x.rs", "use crate::observe::facts::FileMap; use crate::observe::facts;", &[]);
    check("record/x.rs", "use crate::observe::fingerprint::of;", &[]);
    check("observe/facts.rs", "pub(in crate::observe) fn f() {}", &[]);
    check(
        "observe/facts.rs",
        "use super::walk::Walk;",
        &[
            "observe/facts.rs:1: observe::facts may not use observe::walk::Walk (allowed: plan, digest, redgreen_parsers)",
        ],
    );
}

#[test]
fn tests_may_use_everything() {
    check("judge/x.rs", "#[cfg(test)] mod tests { use std::fs; use crate::cli::main; }", &[]);
    check("judge/x.rs", "#[cfg(all(test, unix))] fn f() { std::fs::read(\"x\"); }", &[]);
    check(
        "judge/x.rs",
        "#[cfg(not(test))] use std::fs;",
        &["judge/x.rs:1: judge may not use std::fs: it touches the world"],
    );
    let names = names("#[cfg(test)] mod tests;", &["judge".to_owned()]).unwrap();
    assert_eq!(names.test_modules, [["judge", "tests"]]);
}

#[test]
fn a_new_room_has_to_be_put_in_the_table() {
    check("extra/mod.rs", "", &["extra/mod.rs:1: the table has no room `extra`"]);
}

#[test]
fn names_of_its_own_and_of_libraries_are_free() {
    check("judge/x.rs", "use regex::Regex; use super::Code; fn f() { Code::find(\"x\"); fs::x(); }", &[]);
    check_in(table::PARSERS, "formats/tap.rs", "use crate::feed::Line; use crate::judge::X;", &[]);
}

#[test]
fn a_violation_in_a_tree_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("parsers/src/lib.rs", "");
    put("src/judge/mod.rs", "#[cfg(test)]\nmod trial;\nmod red;\n");
    put("src/judge/trial.rs", "use std::fs;");
    assert_eq!(check_tree(folder.path()).unwrap(), <[String; 0]>::default());
    put("src/judge/red.rs", "\nuse std::fs;");
    let said = "src/judge/red.rs:2: judge may not use std::fs: it touches the world";
    assert_eq!(check_tree(folder.path()).unwrap(), [said]);
}

#[test]
fn the_tree_keeps_to_the_table() {
    assert_eq!(check_tree(root()).unwrap(), <[String; 0]>::default());
}
