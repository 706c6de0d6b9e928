//! The project's own tasks: `cargo xtask`.

mod bench;
mod ci;
mod corpus;
mod docs;
mod fuzz;
mod generate;
mod mutants;
mod rooms;
mod runners;
mod shell;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <task>

  ci              what CI runs: format, clippy, rooms, docs, then `test`
  test [ARG…]     provisions the real runners it can, then `cargo test --workspace ARG…`
  rooms           checks every `use` and path against the table of allowed edges
  docs [--check]  writes the generated pages of docs/, or says which are not up to date
  fuzz [--for 60s] [--seed N] [FORMAT]
                  reads damaged recordings with each format, that long a format
  mutants [RULE…] takes one rule after the other out of the product; its test has to fail
                  (`gate` are all the rules that begin with `gate-`)
  corpus record FORMAT [SEED…]
                  runs the seed projects with the real tools and writes their recordings
  corpus score [--all]
                  says how many recordings read as their truth says; fails if one doesn't
  bench [--library | --peers]
                  measures speed and memory, and prints a table: of everything, of the parsers alone,
                  or beside the tools that people would pick instead
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words = arguments.iter().map(String::as_str);
    let task = words.next().unwrap_or("");
    let rest: Vec<&str> = words.collect();
    let done = match (task, rest.as_slice()) {
        ("ci", []) => ci::run(),
        ("test", rest) => runners::test(rest, runners::Table::AtTheEnd),
        ("rooms", []) => rooms::run(),
        ("docs", []) => docs::write(),
        ("docs", ["--check"]) => docs::check(),
        ("fuzz", rest) => fuzz::command(rest),
        ("mutants", rules) => mutants::run(rules),
        ("corpus", rest) => corpus::run(rest),
        ("bench", []) => bench::run(bench::Scope::Ours),
        ("bench", ["--library"]) => bench::run(bench::Scope::Library),
        ("bench", ["--peers"]) => bench::run(bench::Scope::Peers),
        ("help" | "--help" | "-h", _) => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!("no such task\n\n{HELP}").into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
