//! The commands: parse arguments, call the rooms in order, map to an exit code. One file a command.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

mod begin;
mod checks;
mod completions;
mod deliver;
mod demo;
mod desk;
mod exit;
mod explain;
mod find;
mod fingerprint;
mod gate;
mod green;
mod guard;
mod hiding;
mod init;
mod log;
mod man;
mod options;
mod output;
mod own_task;
mod parse;
mod patrol;
mod plan_file;
mod progress;
mod quotes;
mod recognize;
mod red;
mod replay;
mod rules;
mod schema;
mod sign;
mod source;
mod stage;
mod status;
mod stop;
mod words;
mod world;

pub use exit::Exit;
pub use stop::Stop;

use crate::judge::Code;
use crate::observe::process::Cancel;
use options::Global;
use output::Output;

/// Says whether a claim of "done" is backed by what really happened.
///
/// The loop: begin → red → (the tests are frozen) → green → deliver.
#[derive(Debug, Parser)]
#[command(
    name = "verify",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "To see it: verify demo. In a project of yours: verify init, then verify begin."
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Init),
    Begin(begin::Begin),
    Red(red::Red),
    Green(green::Green),
    Guard(guard::Guard),
    Replay(replay::Replay),
    Deliver(deliver::Deliver),
    Status(status::Status),
    Parse(parse::Parse),
    Patrol(patrol::Patrol),
    Explain(explain::Explain),
    Log(log::Log),
    Fingerprint(fingerprint::Fingerprint),
    Gate(gate::Gate),
    Recognize(recognize::Recognize),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
    Demo(demo::Demo),
}

/// The definition of every command and option, from which help, completions and manual pages are made.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs `verify` with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(why) => return bad_arguments(&arguments, &why).into(),
    };
    let mut out = Output::new(&cli.global);
    let exit = run(&cli, &mut out).unwrap_or_else(|stop| out.stop(&stop));
    out.finish(exit).into()
}

fn run(cli: &Cli, out: &mut Output) -> Result<Exit, Stop> {
    let global = &cli.global;
    match &cli.command {
        Command::Init(init) => init::run(init, global, out),
        Command::Begin(begin) => begin::run(begin, global, out),
        Command::Red(red) => red::run(red, global, out, &cancel()?),
        Command::Green(green) => green::run(green, global, out, &cancel()?),
        Command::Guard(guard) => guard::run(guard, global, out),
        Command::Replay(replay) => replay::run(replay, global, out, &cancel()?),
        Command::Deliver(deliver) => deliver::run(deliver, global, out, &cancel()?),
        Command::Status(status) => status::run(status, global, out),
        Command::Parse(parse) => parse::run(parse, out),
        Command::Patrol(patrol) => patrol::run(patrol, out, &cancel()?),
        Command::Explain(explain) => explain::run(explain, global, out),
        Command::Log(log) => log::run(log, global, out),
        Command::Fingerprint(fingerprint) => fingerprint::run(fingerprint, global, out),
        Command::Gate(gate) => gate::run(gate, global, out),
        Command::Recognize(recognize) => recognize::run(recognize, global, out, &cancel()?),
        Command::Schema(schema) => schema::run(schema, out),
        Command::Completions(completions) => completions::run(completions, out),
        Command::Man(man) => man::run(man, out),
        Command::Demo(demo) => demo::run(demo, out, &cancel()?),
    }
}

/// Watches for signals. Only commands that run something do: any other simply ends.
fn cancel() -> Result<Cancel, Stop> {
    Cancel::on_signals()
        .map_err(|why| Stop::new(Code::Unreadable, format!("signals can't be watched: {why}")))
}

/// Help and version are no errors. Anything else is, in JSON too where that was asked for.
fn bad_arguments(arguments: &[OsString], why: &clap::Error) -> Exit {
    let printed = why.print().is_ok();
    if !why.use_stderr() {
        return if printed { Exit::Good } else { Exit::State };
    }
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    let json = words.iter().any(|word| word == "--format=json")
        || words
            .windows(2)
            .any(|pair| matches!(pair, [format, json] if format == "--format" && json == "json"));
    if json {
        let message = why.render().to_string();
        let first = message.lines().next().unwrap_or("").trim_start_matches("error: ");
        let error = crate::record::wire::Error::new(Code::BadOption.word(), first, None);
        if let Ok(line) = serde_json::to_string(&error) {
            anstream::println!("{line}");
        }
    }
    Exit::Usage
}
