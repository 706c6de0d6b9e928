//! Rules and secrets over the lines that the task added; and the honest twins.

use serde_json::Value;

use crate::loops::SHELL;
use crate::support::Project;

/// What a service would give out, and nobody ever did.
pub fn token() -> String {
    ["ghp", "_16C7e42F292c69C2E7C10c838347Ae178B4a"].concat()
}

const RULES: &str = "[[rules]]\nid = \"no-debug\"\npattern = 'set -x'\npaths = [\"*.sh\"]\nmessage = \"Remove the trace\"\n\
    [[rules]]\nid = \"no-todo\"\npattern = 'TODO'\nlevel = \"advisory\"\n[freeze]";

/// A task in which red was accepted, under a plan with rules; `greet.sh` held a forbidden line before.
fn ruled() -> Project {
    let project = Project::git(&SHELL.replace("[freeze]", RULES));
    let before = project.read("greet.sh");
    project.write("greet.sh", &format!("{before}# set -x, TODO\n"));
    project.commit("before");
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project
}

fn implement(project: &Project, more: &str) {
    project.write("greet.sh", &format!("greet() {{ echo \"hello $1\"; }}\n# set -x, TODO\n{more}"));
}

/// `id:line` of a record's findings.
fn found(record: &Value) -> Vec<String> {
    let rules = record["rules"].as_array().unwrap();
    rules.iter().map(|rule| format!("{}:{}", rule["id"].as_str().unwrap(), rule["line"])).collect()
}

#[test]
fn a_blocking_rule_stops_green_and_what_was_there_before_does_not() {
    let project = ruled();
    implement(&project, "set -x\n");
    let run = project.json("green").exits(1).names("rule-blocking").says("Remove the trace");
    let record = run.value();
    assert_eq!(found(&record), ["no-debug:3"]);
    assert_eq!(record["checks"].as_array().unwrap().len(), 0, "nothing runs on a finding");
    let rule = &record["rules"][0];
    assert_eq!((&rule["level"], &rule["path"]), (&"blocking".into(), &"greet.sh".into()));

    // The fingerprint that the message shows lets this line through.
    let fingerprint = rule["fingerprint"].as_str().unwrap();
    project.edit("verify.toml", "[freeze]", &format!("[secrets]\nallow = [\"{fingerprint}\"]\n[freeze]"));
    project.json_words(&["red", "--rebind", "--reason", "allowed"]).exits(0);
    project.json("green").exits(0);
    project.json("deliver").exits(0);
}

#[test]
fn an_advisory_rule_says_so_and_lets_through() {
    let project = ruled();
    implement(&project, "# TODO: more\n");
    project.verify("green").exits(0).says("greet.sh:3").says("no-todo");
    assert_eq!(found(&project.json("deliver").exits(0).value()), ["no-todo:3"]);
}

#[test]
fn a_secret_stops_every_stage_and_the_delivery() {
    let project = ruled();
    implement(&project, "");
    project.json("green").exits(0);
    project.write("notes.txt", &format!("use {} for it\n", token()));
    for command in ["green", "guard", "deliver"] {
        let run = project.json(command).exits(1).names("secret-found");
        assert_eq!(found(&run.value()), ["secret:github-token:1"]);
        assert!(!run.out.contains(&token()), "{}", run.out);
    }
    project.remove("notes.txt");
    project.json("deliver").exits(0);
}

#[test]
fn a_secret_in_a_file_in_utf16_is_found_on_its_line() {
    let project = ruled();
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    std::fs::write(project.at("settings.reg"), utf16("a\r\nb\r\n")).unwrap();
    project.json("guard").exits(0);
    std::fs::write(project.at("settings.reg"), utf16(&format!("a\r\nb\r\n\"key\"=\"{}\"\r\n", token())))
        .unwrap();
    let run = project.json("guard").exits(1).names("secret-found");
    assert_eq!(found(&run.value()), ["secret:github-token:3"]);
    // One that was there is none of the task's.
    project.commit("it is there");
    project.verify("begin --fresh").exits(0);
    std::fs::write(project.at("settings.reg"), utf16(&format!("\"key\"=\"{}\"\r\nmore\r\n", token())))
        .unwrap();
    project.json("guard").exits(0);
}

#[test]
fn a_secret_in_a_new_test_stops_red() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.edit("tests/greet.sh", "1..1", &format!("1..1\" # {}\"", token()));
    project.json("red").exits(1).names("secret-found");
}

#[test]
fn what_was_there_uncommitted_is_not_the_tasks() {
    let project = Project::git(SHELL);
    project.write("notes.txt", &format!("old {}\n", token()));
    project.verify("begin --adopt notes.txt").exits(0);
    project.verify("red").exits(0);
    // Adopted, it is.
    project.write("notes.txt", &format!("old {}\nmore\n", token()));
    project.json("guard").exits(1).names("secret-found");

    let project = Project::bare();
    project.files(SHELL);
    project.write("notes.txt", &format!("old {}\n", token()));
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    // Without git nobody has the old bytes; what they held is known by its fingerprint.
    project.write("notes.txt", &format!("old {}\nmore\n", token()));
    project.json("green").exits(0);
    project.write("notes.txt", &format!("old {}\nmore {}\n", token(), token().replace("16C7", "27D8")));
    project.json("green").exits(1).names("secret-found");
}

#[test]
fn a_file_that_moves_holds_no_new_line() {
    let project = Project::git(&format!("{SHELL}>> a.txt\n{}\n", token()));
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    std::fs::rename(project.at("a.txt"), project.at("b.txt")).unwrap();
    project.json("guard").exits(0);
}

#[test]
fn a_file_that_moves_and_changes_holds_only_what_is_new() {
    let old = "one\ntwo\n<<<<<<< shown\nthree\n";
    let project = Project::git(&format!("{SHELL}>> a.txt\n{old}{}\n", token()));
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.remove("a.txt");
    project.write("b.txt", &format!("{old}{}\nfour\n", token()));
    project.json("guard").exits(0);
    project.write("b.txt", &format!("{old}{}\n>>>>>>> new\n", token()));
    assert_eq!(found(&project.json("guard").exits(1).value()), ["conflict-marker:6"]);
    // What shares less is another file.
    project.write("b.txt", &format!("other\nlines\nof its own\nand more\n{}\n", token()));
    project.json("guard").exits(1).names("secret-found");
}
