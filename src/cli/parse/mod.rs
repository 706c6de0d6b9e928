//! `verify parse`: output → report, and on request → verdict.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use redgreen_parsers::{Format, Lines, Options, Report};
use regex::bytes::Regex;

mod many;

use super::find::find;
use super::output::Output;
use super::quotes::Quotes;
use super::source::Source;
use super::{Exit, Stop};
use crate::judge::{self, Code, Expectations, Reading, Run, Verdict};
use crate::observe::facts::Ended;
use crate::plan::{Identities, Phase, patterns};
use crate::present;
use crate::record::wire;

/// Reads the output of a test runner into a report
#[derive(Debug, Args)]
pub(super) struct Parse {
    /// Files or folders with output of both streams; `-` reads standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["stdout", "stderr"])]
    files: Vec<PathBuf>,

    /// A file that holds standard output alone
    #[arg(long, value_name = "FILE")]
    stdout: Option<PathBuf>,

    /// A file that holds standard error alone
    #[arg(long, value_name = "FILE")]
    stderr: Option<PathBuf>,

    #[arg(long = "as", value_name = "FORMAT", default_value = "auto", help = format_help())]
    read_as: String,

    /// Judge the report as a red or a green
    #[arg(long, value_enum, value_name = "PHASE")]
    judge: Option<Judge>,

    /// The exit code of the run; a verdict without it, or the signal, is a rejection
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "signal",
        allow_negative_numbers = true,
        requires = "judge"
    )]
    exit_code: Option<i32>,

    /// The signal that ended the run, as a number or a name
    #[arg(long, value_name = "SIGNAL", requires = "judge", value_parser = signal)]
    signal: Option<i32>,

    /// A test that the run is about; can be given again
    #[arg(long, value_name = "ID")]
    identity: Vec<String>,

    /// Why tests may be skipped
    #[arg(long, value_name = "TEXT", requires = "judge")]
    approved_skip_reason: Option<String>,

    /// generic: a line that matches means success
    #[arg(long, value_name = "PATTERN")]
    success_pattern: Option<String>,

    /// generic: a line that matches means failure
    #[arg(long, value_name = "PATTERN")]
    failure_pattern: Option<String>,
}

/// What a report is judged as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Judge {
    /// It must fail on an assertion.
    Red,
    /// It must pass.
    Green,
}

/// The options of `--as`, by the registry.
fn format_help() -> String {
    format!("The format: {}; `auto` finds it and says why", readable())
}

fn readable() -> String {
    Format::all().map(Format::word).collect::<Vec<_>>().join(", ")
}

type Compile = fn(&str) -> Result<Regex, patterns::BadPattern>;

fn signal(text: &str) -> Result<i32, String> {
    let named = || {
        let name = text.to_ascii_uppercase();
        let name = if name.starts_with("SIG") { name } else { format!("SIG{name}") };
        crate::observe::process::signal_of_name(&name)
    };
    let number = text.parse().ok().filter(|number| (1..=64).contains(number));
    number.or_else(named).ok_or_else(|| "a signal is a number like 9 or a name like SIGKILL".to_owned())
}

/// Runs the command.
///
/// # Errors
/// A bad option, or one file that can't be read.
pub(super) fn run(parse: &Parse, out: &mut Output) -> Result<Exit, Stop> {
    let options = parse.options()?;
    let format = parse.format()?;
    // JSON of a known format quotes no line, and a judge alone looks for other formats: the output is read once.
    let once = out.is_json() && format.is_some() && parse.judge.is_none();
    let files = parse.sources(once, out)?;
    match files {
        Sources::One(source) => one(parse, format, &options, &source, out),
        Sources::Many(files) => Ok(many::many(format, &options, &files, out)),
    }
}

enum Sources {
    One(Source),
    Many(Vec<PathBuf>),
}

impl Parse {
    fn options(&self) -> Result<Options, Stop> {
        let pattern = |name: &str, text: &Option<String>, compile: Compile| {
            let Some(text) = text else { return Ok(None) };
            let bad = |why: patterns::BadPattern| {
                Stop::new(Code::BadOption, format!("--{name} can't be used: {why}"))
            };
            compile(text).map(Some).map_err(bad)
        };
        Ok(Options {
            success_pattern: pattern("success-pattern", &self.success_pattern, patterns::success_pattern)?,
            failure_pattern: pattern("failure-pattern", &self.failure_pattern, patterns::failure_pattern)?,
            identities: self.identity.clone(),
            assertion_errors: Vec::new(),
            envelope: None,
            others: Vec::new(),
        })
    }

    /// The format that was asked for; `None`: find it.
    fn format(&self) -> Result<Option<Format>, Stop> {
        if self.read_as == "auto" {
            return Ok(None);
        }
        if let Some(format) = Format::find(&self.read_as) {
            return Ok(Some(format));
        }
        let words = readable();
        let what = if Format::is_announced(&self.read_as) { "is not read yet" } else { "is no format" };
        let why = format!("`{}` {what}; those that are: auto, {words}", self.read_as);
        Err(Stop::new(Code::BadOption, why))
    }

    fn sources(&self, once: bool, out: &mut Output) -> Result<Sources, Stop> {
        if self.stdout.is_some() || self.stderr.is_some() {
            return Ok(Sources::One(Source::Apart { out: self.stdout.clone(), err: self.stderr.clone() }));
        }
        match self.files.as_slice() {
            [] => {
                Err(Stop::new(Code::BadOption, "no output to read: name a file, or `-` for standard input"))
            }
            [file] if file.as_os_str() == "-" => {
                Ok(Sources::One(if once { Source::passing()? } else { Source::stdin()? }))
            }
            [file] if !file.is_dir() => Ok(Sources::One(Source::File(file.clone()))),
            files if self.judge.is_some() => {
                let why =
                    format!("--judge is about one run, and {} files or a folder were named", files.len());
                Err(Stop::new(Code::BadOption, why))
            }
            files => Ok(Sources::Many(files.iter().flat_map(|file| files_below(file, out)).collect())),
        }
    }

    fn judge(&self, phase: Judge, readings: &[Reading], foreign: &[Report]) -> Verdict {
        let ended = self.exit_code.map(Ended::Exit).or(self.signal.map(Ended::Signal));
        let expectations = Expectations {
            identities: if self.identity.is_empty() {
                Identities::Any
            } else {
                Identities::Named(self.identity.clone())
            },
            approved_skip_reason: self
                .approved_skip_reason
                .clone()
                .filter(|reason| !reason.trim().is_empty()),
            ..Expectations::default()
        };
        let run = Run { ended: ended.as_ref(), readings, foreign, witness: None };
        match phase {
            Judge::Red => judge::red(&run, &expectations),
            Judge::Green => judge::green(&run, &expectations),
        }
    }
}

/// The files below a folder, in order of their names; a file stands for itself, and so does what can't be read or isn't
/// there, to be told in its place.
fn files_below(path: &Path, out: &mut Output) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) if entry.depth() > 0 && !entry.path().is_file() => {
                // A pipe without a writer would be waited for without end.
                if !entry.path().is_dir() {
                    let shown = entry.path().display();
                    out.warn(&present::text::safe(&format!("{shown}: not a regular file, left out")));
                }
            }
            Ok(entry) => files.push(entry.into_path()),
            Err(error) => files.push(error.path().unwrap_or(path).to_owned()),
        }
    }
    if files.is_empty() {
        out.warn(&present::text::safe(&format!("{}: there is no file below it", path.display())));
    }
    files
}

fn one(
    parse: &Parse,
    format: Option<Format>,
    options: &Options,
    source: &Source,
    out: &mut Output,
) -> Result<Exit, Stop> {
    let found = find(format, options, source)?;
    found.tell(out);
    let Some(phase) = parse.judge else {
        if out.is_json() {
            out.reports(wire::ReportsOut(&found.reports));
        } else {
            let quotes = Quotes::of(source, found.reports.iter().flat_map(wanted_lines));
            for report in &found.reports {
                for line in present::report::report(report, out.is_verbose(), &|number| quotes.line(number)) {
                    out.line(&line);
                }
            }
        }
        return Ok(if found.recognised() { Exit::Good } else { Exit::State });
    };
    let reports = if out.is_json() { Some(raw(&found.reports)?) } else { None };
    let foreign = match format {
        // Where no format was asked for, each that was found is judged. In the log of a job, whose lines stand behind
        // times, several commands are everyday: there the format says which is meant.
        None => Vec::new(),
        Some(format) => redgreen_parsers::foreign(&[format], options, |feed| source.feed(feed))?,
    };
    let verdict = parse.judge(phase, &found.into_readings(), &foreign);
    if let Some(reports) = reports {
        out.json(&wire::Judgement::new(reports, &verdict));
    } else {
        let quotes = Quotes::of(source, verdict.problems.iter().filter_map(|problem| problem.lines));
        show(&verdict, &|number| quotes.line(number), out);
    }
    Ok(if verdict.accepted() { Exit::Good } else { Exit::Rejected })
}

fn raw(reports: &[Report]) -> Result<Box<serde_json::value::RawValue>, Stop> {
    let bad =
        |why: serde_json::Error| Stop::new(Code::Unreadable, format!("the report can't be written: {why}"));
    wire::raw_reports(reports).map_err(bad)
}

fn show(verdict: &Verdict, quote: present::problems::Quote<'_>, out: &mut Output) {
    let word = Phase::word(verdict.phase);
    out.line(&present::problems::headline(word, verdict.accepted(), verdict.problems.len()));
    for line in present::problems::problems(&verdict.problems, quote) {
        out.line(&line);
    }
    for line in present::problems::notes(&verdict.notes) {
        out.line(&line);
    }
}

fn wanted_lines(report: &Report) -> impl Iterator<Item = Lines> {
    let cases = report.cases.iter().flat_map(|case| case.failures());
    let failures = cases.map(|failure| failure.lines);
    failures.chain(report.problems.iter().map(|problem| problem.lines))
}
