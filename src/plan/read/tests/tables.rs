//! The rules of each table: what a liar or a slip of the pen writes, and its honest twin.

use super::{CHECK, check_fault, check_fault_with, check_faults, check_with, plan, source};
use crate::plan::read::read;
use crate::plan::{Identities, Phase};

/// A plan with this in place of the check's line for a key.
fn with_line(key: &str, line: &str) -> String {
    let lines: Vec<_> =
        CHECK.lines().map(|old| if old.starts_with(&format!("{key} =")) { line } else { old }).collect();
    format!("version = 1\n{}\n", lines.join("\n"))
}

#[test]
fn commands() {
    let fault = |line: &str, place: &str, part: &str| check_fault(&with_line("command", line), place, part);
    fault("command = []", "4:11", "the command is empty");
    fault("command = [\"\", \"x\"]", "4:12", "the program of the command is empty");
    fault("command = [\" \"]", "4:12", "the program of the command is empty");
    fault("command = \"make test\"", "4:11", "expected a list, such as");
    fault("command = [\"a\", \"b\\u0000\"]", "4:17", "a NUL byte");
    fault("command = [\"a\", 1]", "4:17", "found a number");
    fault("argv = []", "4:8", "the command is empty");
    fault("", "2:1", "the key `command` is missing");
    check_fault_with("argv = [\"true\"]\n", "6:1", "`argv` is another word for `command`");
    assert_eq!(plan(&with_line("command", "argv = [\"x\", \"\"]")).checks[0].command, ["x", ""]);
}

#[test]
fn parsers() {
    let fault = |line: &str, place: &str, part: &str| check_fault(&with_line("parser", line), place, part);
    fault("parser = \"jset\"", "5:10", "unknown parser `jset`; did you mean `jest`?");
    fault("parser = \"jset\"", "5:10", "valid here: ");
    fault("parser = \"mocha\"", "5:10", "not yet: the format `mocha` can't be read; those that can: ");
    fault("parser = \"gtest\"", "5:10", "not yet: the format `gtest` can't be read");
    fault("parser = \"\"", "5:10", "unknown parser ``");
    fault("parser = \"TAP\"", "5:10", "did you mean `tap`?");
    fault("parser = []", "5:10", "the list of parsers is empty");
    fault("parser = [\"tap\", \"tap\"]", "5:18", "the parser `tap` is named twice");
    fault("parser = 1", "5:10", "expected the word of a format");
    fault("", "2:1", "the key `parser` is missing");
    assert_eq!(
        plan(&with_line("parser", "parser = [\"tap\", \"pytest\"]")).checks[0].parsers,
        ["tap", "pytest"]
    );
}

#[test]
fn identities_and_phases() {
    let check = |lines: &str, identities: &Identities, phases: &[Phase]| {
        let check = check_with(lines);
        assert_eq!((&check.identities, check.phases.as_slice()), (identities, phases), "{lines}");
    };
    let none = Identities::Named(Vec::new());
    let some = Identities::Named(vec!["t".to_owned()]);
    check("", &none, &[Phase::Green]);
    check("identities = []", &none, &[Phase::Green]);
    check("identities = [\"t\"]", &some, &[Phase::Red, Phase::Green]);
    check("identities = [\"t\"]\nphases = [\"green\"]", &some, &[Phase::Green]);
    check(
        "identities = \"any\"\nphases = [\"green\", \"red\"]",
        &Identities::Any,
        &[Phase::Red, Phase::Green],
    );

    check_fault_with("phases = [\"red\", \"green\"]\n", "6:10", "a red phase needs identities");
    check_fault_with(
        "phases = [\"red\", \"green\"]\nidentities = []\n",
        "7:14",
        "a red phase needs identities",
    );
    check_fault_with("identities = \"all\"\n", "6:14", "expected a list of tests, or `\"any\"`");
    check_fault_with("identities = [\"\"]\n", "6:15", "this identity is empty");
    check_fault_with("phases = []\n", "6:10", "a check without a phase never runs");
    check_fault_with("phases = \"green\"\n", "6:10", "expected a list of phases");
    check_fault_with("phases = [\"gren\"]\n", "6:11", "did you mean `green`?");
    check_fault_with("phases = [\"green\", \"green\"]\n", "6:20", "named twice");
    check_fault_with(
        "identities = \"any\"\nphases = [\"red\"]\n",
        "2:1",
        "a plan needs a check with a green phase",
    );
    check_fault("version = 1\n", "1:1", "a plan needs a check with a green phase");
    check_fault("version = 1\nchecks = []\n", "1:1", "a plan needs a check with a green phase");
    check_fault(r#"{"version": 1}"#, "", "a plan needs a check with a green phase");
}

#[test]
fn generic_patterns() {
    let generic = |lines: &str| format!("{}{lines}\n", with_line("parser", "parser = \"generic\""));
    let fault = |lines: &str, place: &str, part: &str| check_fault(&generic(lines), place, part);
    let both = "success_pattern = '^all fine$'\nfailure_pattern = '^FAIL'";
    assert_eq!(plan(&generic("success_pattern = 'all fine'")).checks[0].phases, [Phase::Green]);
    assert_eq!(plan(&generic(&format!("{both}\nphases = [\"red\", \"green\"]"))).checks[0].phases.len(), 2);
    assert!(plan(&generic(both)).checks[0].success_pattern.as_ref().unwrap().is_match(b"all fine"));

    fault("", "5:10", "needs `success_pattern` for its green phase");
    fault("success_pattern = ''", "5:10", "needs `success_pattern` for its green phase");
    fault(
        "success_pattern = 'all fine'\nphases = [\"red\", \"green\"]",
        "5:10",
        "needs `failure_pattern` for its red phase",
    );
    fault("success_pattern = 'ok'", "6:19", "a success pattern that matches `ok` proves nothing");
    fault("success_pattern = '.*'", "6:19", "matches an empty line");
    fault("success_pattern = 'a('", "6:19", "this is no regular expression: unclosed group");
    fault("success_pattern = 'all fine'\nfailure_pattern = 'failed'", "7:19", "matches `0 failed`");
    check_fault_with(
        "success_pattern = 'all fine'\n",
        "6:19",
        "only the parser `generic` reads `success_pattern`",
    );
    check_fault_with(
        "failure_pattern = 'FAIL'\n",
        "6:19",
        "only the parser `generic` reads `failure_pattern`",
    );
}

#[test]
fn the_bounds_of_a_run() {
    check_fault_with("timeout = 600\n", "6:11", "a duration has a unit: `\"600s\"`");
    check_fault_with("timeout = \"10 minutes\"\n", "6:11", "`10 minutes`: a duration is a whole number");
    check_fault_with("timeout = \"0s\"\n", "6:11", "too short");
    check_fault_with("inactivity_timeout = \"of\"\n", "6:22", "a duration is a whole number");
    check_fault_with("output_limit = \"64 MB\"\n", "6:16", "a size is a whole number");
    check_fault_with("output_limit = \"off\"\n", "6:16", "a size is a whole number");
    check_fault_with("output_limit = -1\n", "6:16", "a size is a whole number");
    check_fault_with("output_limit = true\n", "6:16", "expected a size");
    check_fault_with("cwd = \"/srv\"\n", "6:7", "is absolute");
    check_fault_with("cwd = \"C:\\\\x\"\n", "6:7", "is absolute");
    check_fault_with("cwd = \"..\"\n", "6:7", "leaves the repository's `path`");
    check_fault_with("cwd = \"a/../../a\"\n", "6:7", "leaves the repository's `path`");
    check_fault_with("cwd = \"\"\n", "6:7", "this path is empty");
    check_fault_with("env = { \"A=B\" = \"x\" }\n", "6:9", "`A=B` is no name");
    check_fault_with("env = { \"\" = \"x\" }\n", "6:9", "is no name");
    check_fault_with("env = { A = \"\\u0000\" }\n", "6:13", "a NUL byte");
    assert_eq!(check_with("output_limit = \"10KB\"\n").output_limit, 10_000);
    assert_eq!(check_with("env = { npm_config_foo-bar = \"\" }\n").env.len(), 1);
}

#[test]
fn words_of_a_check() {
    check_fault_with("witness = \"on\"\n", "6:11", "valid here: auto, off");
    check_fault_with("sessions = \"mny\"\n", "6:12", "did you mean `many`?");
    check_fault_with("flaky = \"rejct\"\n", "6:9", "did you mean `reject`?");
    check_fault_with("assertion_errors = [\" \"]\n", "6:21", "this is empty");
    check_fault_with("may_write = [\"../Cargo.lock\"]\n", "6:14", "`..` leaves the repository");
    check_fault_with("approved_skip_reason = \"  \"\n", "6:24", "a reason of blanks");
}

#[test]
fn repositories() {
    let two = "[repositories.app]\n[repositories.lib]\npath = \"../lib\"\naccess = \"read\"\n";
    let fault = |lines: &str, tables: &str, place: &str, part: &str| {
        check_fault(&format!("version = 1\n{CHECK}{lines}\n{two}{tables}"), place, part);
    };
    plan(&format!("version = 1\n{CHECK}repository = \"lib\"\n{two}"));
    fault("", "", "2:1", "the key `repository` is missing; it is one of `app`, `lib`");
    fault("repository = \"ap\"", "", "6:14", "unknown repository `ap`; did you mean `app`?");
    fault("repository = \"\"", "", "6:14", "unknown repository");
    fault("repository = \"app\"\ndepends = [\"lab\"]", "", "7:12", "did you mean `lib`?");
    let app = "repository = \"app\"";
    fault(app, "[[stages]]\nid = \"s\"\nwrites = { lib = [\"a\"] }\n", "13:12", "no stage may write in it");
    fault(app, "[[stages]]\nid = \"s\"\nwrites = { lab = [\"a\"] }\n", "13:12", "did you mean `lib`?");
    fault(app, "[freeze]\ntest_paths = { lab = [\"a\"] }\n", "12:16", "did you mean `lib`?");
    plan(&format!("version = 1\n{CHECK}{app}\n{two}[freeze]\ntest_paths = {{ lib = [\"a\"] }}\n"));
    fault(app, "[repositories.b]\npath = \"./\"\n", "12:8", "the repository `app` has this path already");
    fault(app, "[repositories.b]\npath = \"/srv\"\n", "12:8", "is absolute");
    fault(app, "[repositories.b]\npath = \"b\"\naccess = \"none\"\n", "13:10", "valid here: write, read");
    fault(app, "[repositories.B]\npath = \"b\"\n", "11:15", "is no id");
    let read_only = "[repositories.a]\naccess = \"read\"\n[[stages]]\nid = \"s\"\nwrites = [\"x\"]\n";
    check_fault_with(read_only, "10:10", "every repository has `access = \"read\"`");
    check_fault(
        &format!("version = 1\nrepositories = 1\n{CHECK}"),
        "2:16",
        "expected a table of repositories",
    );
    check_fault_with("[repositories]\na = 1\n", "7:5", "expected a table");
}

#[test]
fn the_id_of_the_only_repository() {
    let check = |folder_name: &str, id: &str| {
        let text = format!("version = 1\n{CHECK}");
        let mut source = source("verify.toml", &text);
        source.folder_name = folder_name;
        assert_eq!(read(&source).unwrap().repositories[0].id, id);
    };
    check("shop", "shop");
    check("My App", "my-app");
    check(".dotfiles", "dotfiles");
    check("__x__", "x__");
    check("Größe", "gr--e");
    check("日本", "repository");
    check("", "repository");
    check(&"a".repeat(300), &"a".repeat(64));
}

#[test]
fn freeze() {
    check_fault_with(
        "[freeze]\ntest_paths = [\"!a\"]\n",
        "7:15",
        "the glob `!a` can't be used: `!` is not known here",
    );
    check_fault_with("[freeze]\ntest_paths = [\"a\", \"/b\"]\n", "7:20", "it is absolute");
    check_fault_with("[freeze]\ntest_paths = [\"a{\"]\n", "7:15", "can't be used");
    check_fault_with(
        "[freeze]\ntest_paths = \"a\"\n",
        "7:14",
        "expected a list of globs, or `{ repository = list }`",
    );
    check_fault_with("[freeze]\nrebind = \"tokn\"\n", "7:10", "did you mean `token`?");
    check_fault_with("[freeze]\nrebind = \"token\"\n", "7:10", "needs `rebind_sha256`");
    check_fault_with(
        "[freeze]\nrebind = \"token\"\nrebind_sha256 = \"abc\"\n",
        "8:17",
        "`abc` is no SHA-256",
    );
    let hash = "0".repeat(64);
    check_fault_with(&format!("[freeze]\nrebind_sha256 = \"{hash}\"\n"), "7:17", "no effect");
}

#[test]
fn guard_and_fingerprint() {
    check_fault_with("[guard]\nhead = \"may-advanse\"\n", "7:8", "did you mean `may-advance`?");
    check_fault_with("[guard]\nignore = [\"\"]\n", "7:11", "it is empty");
    check_fault_with("[fingerprint]\nof = \"trea\"\n", "7:6", "did you mean `tree`?");
    check_fault_with("[fingerprint]\nenv = [\"A B\"]\n", "7:8", "`A B` is no name");
    check_fault_with("[fingerprint]\ninclude = [\"../.env\"]\n", "7:12", "leaves the repository");
}

#[test]
fn outcomes() {
    let red_only = "[[checks]]\nid = \"r\"\ncommand = [\"x\"]\nparser = \"tap\"\nidentities = \"any\"\nphases = [\"red\"]\n";
    let fault = |lines: &str, place: &str, part: &str| {
        check_fault_with(&format!("{red_only}[[outcomes]]\nid = \"o\"\n{lines}\n"), place, part);
    };
    fault("", "12:1", "no check proves the outcome `o`");
    fault("checks = []", "14:10", "no check with a green phase proves the outcome `o`");
    fault("checks = [\"r\"]", "14:10", "no check with a green phase proves the outcome `o`");
    fault("checks = [\"b\"]", "14:11", "unknown check `b`");
    fault("checks = [\"a\"]\n[[outcomes]]\nid = \"o\"\nchecks = [\"a\"]", "16:6", "taken already");
    let text = format!("version = 1\n{CHECK}{red_only}[[outcomes]]\nid = \"o\"\nchecks = [\"r\", \"a\"]\n");
    assert_eq!(plan(&text).outcomes[0].text, "o");
}

#[test]
fn stages() {
    for taken in ["red", "green", "deliver", "guard", "replay"] {
        check_fault_with(&format!("[[stages]]\nid = \"{taken}\"\nwrites = []\n"), "7:6", "choose another id");
    }
    check_fault_with("[[stages]]\nid = \"s\"\n", "6:1", "the key `writes` is missing");
    check_fault_with("[[stages]]\nwrites = []\n", "6:1", "the key `id` is missing");
    plan(&format!("version = 1\n{CHECK}[[stages]]\nid = \"review\"\nwrites = []\n"));
}

#[test]
fn reports_are_read_by_some_parsers() {
    let fault = |parser: &str, more: &str, place: &str, part: &str| {
        check_fault(&with_line("parser", &format!("parser = \"{parser}\"\n{more}")), place, part);
    };
    fault("junit", "", "5:10", "reads a report: say which file");
    fault("tap", "report = \"a.xml\"", "6:10", "none of these parsers reads a report");
    fault("junit", "report = \"/a.xml\"", "6:10", "is absolute");
    fault("junit", "report = \"../a.xml\"", "6:10", "leaves");
}

#[test]
fn what_is_not_there_yet_is_refused() {
    check_fault_with("[freeze]\ninline = [\"../src/**\"]\n", "7:11", "`..` leaves");
    check_fault_with("[freeze]\nallow = [\"/a\"]\n", "7:10", "it is absolute");
    check_fault_with("[deliver]\nreplay = true\n", "7:1", "can't be replayed; leave `replay` out");
    check_fault_with("[secrets]\nallow = [\"a\"]\n", "7:1", "aren't looked for; leave `allow` out");
    let rule =
        "[[rules]]\nid = \"r\"\npattern = 'x'\npaths = [\"a\"]\nlevel = \"blocking\"\nmessage = \"m\"\n";
    check_fault_with(rule, "6:1", "not yet: rules aren't applied");
    let own = "[[parsers]]\nname = \"mytool\"\ngrammar = \"tools/mytool.toml\"\n";
    check_fault(
        &format!("{}{own}", with_line("parser", "parser = \"mytool\"")),
        "6:1",
        "not yet: grammars of your own can't be loaded",
    );
}

#[test]
fn what_is_not_there_yet_is_validated() {
    let faults = |tables: &str, expected: &[(&str, &str)]| {
        check_faults(&format!("version = 1\n{CHECK}{tables}\n"), expected);
    };
    let not_yet = ("6:1", "not yet");
    faults(
        "[[rules]]\nid = \"r\"\npattern = '('\npaths = [\"../a\"]\nlevel = \"blockin\"\nmessage = 1",
        &[
            not_yet,
            ("8:11", "unclosed group"),
            ("9:10", "`..` leaves"),
            ("10:9", "did you mean `blocking`?"),
            ("11:11", "found a number"),
        ],
    );
    faults(
        "[[parsers]]\nname = \"jest\"\ngrammar = \"/x\"",
        &[not_yet, ("7:8", "is the word of a format already"), ("8:11", "is absolute")],
    );
}
