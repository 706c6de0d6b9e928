//! What somebody meets who has read the first pages and nothing else.

use std::fmt::Write as _;
use std::path::Path;

use crate::loops::SHELL;
use crate::support::{Project, hermetic, runners};

#[test]
fn the_tutorial_prints_what_it_shows() {
    let Some(python) = runners::python() else { return };
    let text = include_str!("../../docs/tutorial.md");
    let steps = steps(text);
    assert!(steps.iter().any(|step| step.command.starts_with("verify deliver")), "{steps:#?}");

    let folders = [env!("CARGO_BIN_EXE_verify"), &python].map(|program| Path::new(program).parent().unwrap());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        folders.iter().map(|folder| (*folder).to_owned()).chain(std::env::split_paths(&path)),
    );
    let mut script = String::new();
    for step in &steps {
        writeln!(script, "{}\nprintf '\\1'", step.command).unwrap();
    }
    let project = Project::bare();
    let output = hermetic("sh", project.path())
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .env("PATH", path.unwrap())
        .output();
    let output = String::from_utf8(output.unwrap().stdout).unwrap();
    for (step, printed) in steps.iter().zip(output.split('\u{1}')) {
        for line in step.shows.iter().filter_map(|line| same_everywhere(line)) {
            assert!(printed.contains(line), "{}: {line:?} is not in:\n{printed}", step.command);
        }
    }
}

#[derive(Debug)]
struct Step {
    command: String,
    shows: Vec<String>,
}

/// The commands of the console blocks, here-documents with them, each with what the page shows below it.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in text.split("```console\n").skip(1) {
        let (block, _) = block.split_once("\n```").unwrap();
        let mut in_document = false;
        for line in block.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step { command: command.to_owned(), shows: Vec::new() });
                in_document = command.contains("<<'EOF'");
            } else if in_document {
                let step = steps.last_mut().unwrap();
                step.command.push('\n');
                step.command.push_str(line);
                in_document = line != "EOF";
            } else {
                steps.last_mut().unwrap().shows.push(line.to_owned());
            }
        }
    }
    steps
}

/// The part of a line that doesn't depend on the machine, the time, or the version of Python.
fn same_everywhere(line: &str) -> Option<&str> {
    if line.contains(" │ ") || line.trim_start().starts_with("fingerprint") {
        return None;
    }
    let ends = ["…", "  (exit", "  20", " ("].iter().filter_map(|part| line.find(part)).min();
    Some(line[..ends.unwrap_or(line.len())].trim())
}

#[test]
fn the_first_commands_say_what_comes_next() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0).says("next: write a test that fails on an assertion, then verify red");
    project.verify("guard").exits(0).says("guard accepted");
    project
        .verify("green")
        .exits(1)
        .says("    next: Run `verify red` first")
        .says("more: verify explain red-missing");
}

#[test]
fn a_stage_without_checks_is_named_as_guarded() {
    let project = Project::git(SHELL);
    let plan = format!("{}\n[[stages]]\nid = \"review\"\nwrites = []\n", project.read("verify.toml"));
    project.write("verify.toml", &plan);
    project.commit("a stage");
    project.verify("begin").exits(0);
    project.verify("guard --stage review").exits(0).says("guard of stage review accepted");
}

#[test]
fn a_delivery_without_a_run_says_that_nothing_moved() {
    let project = Project::git(SHELL);
    project.verify("begin").exits(0);
    project.verify("red").exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.verify("green").exits(0);
    project.verify("deliver").exits(0).says("nothing moved since the evidence was taken");
}

#[test]
fn where_no_runner_is_found_a_way_is_shown() {
    let project = Project::bare();
    let way = "`verify explain nothing-found` shows one";
    project.verify("init").exits(3).says("no test runner was found; write").says(way);
    project.write(
        "package.json",
        "{\"scripts\": {\"test\": \"mocha\"}, \"devDependencies\": {\"mocha\": \"11\"}}",
    );
    project.verify("init").exits(3).says("mocha, found by package.json").says("can be read yet").says(way);
}

/// The plan of the page is one that can be begun with.
#[test]
fn the_plan_for_any_command_reads() {
    let project = Project::bare();
    let page = project.verify("explain nothing-found").exits(0).out;
    let plan = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    project.write("verify.toml", plan);
    project.write("tests/run.js", "");
    project.verify("begin").exits(0);
    let how_to = include_str!("../../docs/how-to/any-command.md");
    assert!(how_to.contains(plan), "the how-to shows another plan");
}

#[test]
fn a_format_that_finds_nothing_is_named() {
    let project = Project::bare();
    project.write("out.txt", "hello\n");
    project.verify("parse out.txt").exits(3).says("nothing of a known format was found");
    project.verify("parse --as pytest out.txt").exits(3).says("nothing of the format `pytest` was found");
}
