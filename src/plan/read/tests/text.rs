//! Faults of the text as a whole: bytes, notation, words, types.

use super::{CHECK, check_fault, check_fault_with, check_faults, faults, plan, source};
use crate::plan::read::read;
use crate::plan::{FaultPlace, Source};

#[test]
fn the_bytes_of_the_file() {
    check_fault("", "1:1", "the plan is empty; `verify init`");
    check_fault(" \r\n\t", "1:1", "the plan is empty");
    let bom = format!("\u{feff}version = 1\r\n{}", CHECK.replace('\n', "\r\n"));
    assert_eq!(plan(&bom).checks.len(), 1);
    let bytes = |text: &[u8]| {
        let error = read(&Source { name: "verify.toml", text, folder_name: "a" }).unwrap_err();
        (error.faults()[0].place.clone(), error.faults()[0].message.clone())
    };
    let (place, message) = bytes(b"version = 1\nrevision = \"\xff\"");
    assert_eq!(place, FaultPlace::Line { line: 2, column: 13 });
    assert!(message.contains("not UTF-8"), "{message}");
    let (_, message) = bytes(b"\xff\xfev\0e\0");
    assert!(message.contains("UTF-16"), "{message}");
}

#[test]
fn the_notation() {
    check_fault("version = 1\nrevision = \n", "2:12", "string values must be quoted");
    check_fault("version = 1\nversion = 1\n", "2:1", "duplicate key");
    check_fault("version = 1\r\n\r\n[freeze\r\n", "3:8", "unclosed table");
    check_fault("{\"version\": 1,\n \"checks\": [}\n", "2:13", "expected value");
    check_fault("{\"version\": 1", "1:13", "EOF while parsing an object");
    check_fault("{\"version\": 1} x", "1:16", "trailing characters");
    check_fault(
        "{\"version\": 1, \"freeze\": {\"a\": 1, \"a\": 2}}",
        "/freeze/a",
        "the key `a` stands twice",
    );
    let deep = "[".repeat(200_000);
    assert!(read(&source("p.json", &deep)).is_err());
    let keys = "a.".repeat(200_000);
    for toml in
        [format!("a = {deep}"), format!("{keys}a = 1"), format!("[{keys}a]"), "a = {a = ".repeat(200_000)]
    {
        assert!(read(&source("p.toml", &toml)).is_err());
    }
}

#[test]
fn the_version() {
    check_fault(CHECK, "1:1", "the key `version` is missing");
    check_fault(&format!("version = 0\n{CHECK}"), "1:11", "is the number 1");
    check_fault(&format!("version = \"1\"\n{CHECK}"), "1:11", "is the number 1");
    check_fault("version = 2\nnovelty = true\n", "1:11", "version 2; it needs a newer `verify`");
    check_fault(r#"{"version": 2}"#, "/version", "version 2");
}

#[test]
fn unknown_keys() {
    check_fault_with("comand = []\n", "6:1", "unknown key `comand`; did you mean `command`?");
    check_fault_with("comand = []\n", "6:1", "6 | comand = []\n  | ^^^^^^\n");
    check_fault_with("comand = []\n", "6:1", "valid here: id, command, argv,");
    let misspelt = format!("version = 1\n{}", CHECK.replace("command", "comand"));
    check_fault(&misspelt, "4:1", "did you mean `command`?");
    check_fault(
        &misspelt.replace("comand", "command").replace("[[checks]]", "[[check]]"),
        "2:3",
        "`checks`?",
    );
    check_fault(&misspelt.replace("comand", "command").replace("version", "versoin"), "1:1", "`version`?");
    check_fault_with("[frieze]\n", "6:2", "did you mean `freeze`?");
    check_fault_with("[freeze]\ntest_path = []\n", "7:1", "did you mean `test_paths`?");
    check_fault_with("[guard]\nzzz = 1\n", "7:1", "valid here: head, ignore");
    let json = r#"{"version": 1, "checks": [{"id": "a", "command": ["x"], "parser": "tap", "x~/y": 1}]}"#;
    check_fault(json, "/checks/0/x~0~1y", "unknown key `x~/y`");
    check_fault(json, "/checks/0/x~0~1y", "plan.json: /checks/0/x~0~1y: unknown key");
}

#[test]
fn every_fault_is_named_in_the_order_of_the_text() {
    check_faults(
        "version = 1\n[guard]\nhead = \"loose\"\n[[checks]]\nid = \"A\"\nparser = \"pytst\"\n",
        &[
            ("3:8", "unknown word `loose`"),
            ("4:1", "the key `command` is missing"),
            ("5:6", "`A` is no id"),
            ("6:10", "unknown parser `pytst`; did you mean `pytest`?"),
        ],
    );
}

#[test]
fn a_file_that_is_no_plan_costs_no_more_than_a_hundred_faults() {
    let error = faults("verify.toml", &(0..1000).map(|n| format!("k{n} = 1\n")).collect::<String>());
    assert_eq!(error.faults().len(), 100);
    assert!(error.to_string().ends_with("and 902 more"), "{error}");
}

#[test]
fn wrong_types() {
    check_fault_with("cwd = 1\n", "6:7", "expected a text in quotes, found a number");
    check_fault_with("env = []\n", "6:7", "expected a table, such as");
    check_fault_with("env = { A = 1 }\n", "6:13", "expected a text in quotes, found a number");
    check_fault_with("may_write = \"a\"\n", "6:13", "expected a list of texts, found a text");
    check_fault_with("may_write = [1.5]\n", "6:14", "expected a text in quotes, found a fraction");
    check_fault_with("[deliver]\nallow_empty = \"yes\"\n", "7:15", "expected `true` or `false`");
    check_fault("version = 1\nchecks = [1]\n", "2:11", "expected a table, found a number");
    check_fault(
        "version = 1\nchecks = {}\n",
        "2:10",
        "expected a list of tables, `[[checks]]`, found a table",
    );
    check_fault_with("[freeze]\nrebind = 2026-01-02\n", "7:10", "found a date");
    check_fault(r#"{"version": 1, "checks": null}"#, "/checks", "found null; leave the key out");
}

#[test]
fn ids() {
    for bad in ["", "A", "-a", ".a", "a b", "ä", "a/b", &"a".repeat(65)] {
        let text = format!("version = 1\n{}", CHECK.replace("\"a\"", &format!("\"{bad}\"")));
        check_fault(&text, "3:6", "is no id");
    }
    for good in ["a", "0", "a.b_c-d", &"a".repeat(64), "red"] {
        plan(&format!("version = 1\n{}", CHECK.replace("\"a\"", &format!("\"{good}\""))));
    }
    check_fault_with(CHECK, "7:6", "`a` is taken already, at line 3");
    let json = r#"{"version": 1, "checks": [{"id": "a", "command": ["x"], "parser": "tap"}, {"id": "a", "command": ["x"], "parser": "tap"}]}"#;
    check_fault(json, "/checks/1/id", "taken already, at `/checks/0/id`");
}

#[test]
fn no_damage_panics_or_reads_as_another_plan() {
    let json = r#"{"version": 1, "checks": [{"id": "a", "argv": ["x"], "parser": "tap", "timeout": "9s"}]}"#;
    for (name, text) in [("verify.toml", super::accepted::WHOLE), ("plan.json", json)] {
        for at in (0..text.len()).step_by(3) {
            let cut = &text.as_bytes()[..at];
            let _ = read(&Source { name, text: cut, folder_name: "a" });
            for byte in [b'\n', b'"', b'}', 0xff] {
                let mut damaged = text.as_bytes().to_vec();
                damaged[at] = byte;
                if let Err(error) = read(&Source { name, text: &damaged, folder_name: "a" }) {
                    assert!(!error.faults().is_empty());
                    let shown = error.to_string();
                    assert!(!shown.contains(|char: char| char.is_control() && char != '\n'), "{shown:?}");
                }
            }
        }
    }
}

#[test]
fn what_a_plan_quotes_is_harmless() {
    let error = faults("verify\u{1b}.toml", "version = 1\n\"\u{202e}\\u001b[31m\" = 1 #\t\u{7f}x\n");
    let shown = error.to_string();
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\t', '\u{7f}']), "{shown:?}");
}

#[test]
fn long_lines_are_shown_around_their_fault() {
    let text = format!("version = 1\nrevision = {{ a = \"{}\", b = ! }}\n", "x".repeat(10_000));
    let error = faults("verify.toml", &text);
    let excerpt = error.faults()[0].excerpt.as_ref().unwrap();
    assert!(excerpt.line.len() <= 100 && excerpt.line.contains("b = !"), "{error}");
    assert_eq!(&excerpt.line[excerpt.before..=excerpt.before], "!", "{error}");
}

#[test]
fn columns_count_characters() {
    check_fault(
        "version = 1\nrevision = { \"äöü\" = ! }\n",
        "2:22",
        "2 | revision = { \"äöü\" = ! }\n  |                      ^",
    );
}
