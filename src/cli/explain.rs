//! `verify explain`: the lines that decided, marked, and why; or the page of a code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use redgreen_parsers::{Options, Report};

use super::find::find;
use super::options::Global;
use super::output::Output;
use super::plan_file;
use super::quotes::Quotes;
use super::source::Source;
use super::{Exit, Stop};
use crate::judge::Code;
use crate::plan::nearest;
use crate::present;
use crate::record::store::Store;
use crate::record::wire::{self, Evidence, LogLine};

/// Shows the lines of an output that decided, and why; or what a code means
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A code, a record, or a file with the output of a runner
    #[arg(value_name = "FILE|RECORD|CODE")]
    what: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// There is no such code, record or file, or it can't be read.
pub(super) fn run(explain: &Explain, global: &Global, out: &mut Output) -> Result<Exit, Stop> {
    let what = explain.what.as_path();
    let word = what.to_string_lossy();
    if let Some(code) = Code::find(&word) {
        if out.is_json() {
            out.json(&wire::CodePage::new(code.word(), code.page()));
        } else {
            out.raw(code.page().as_bytes());
        }
        return Ok(Exit::Good);
    }
    if let Some((store, line)) = record(&word, global)? {
        let evidence = store.read(&line)?;
        explain_record(&store, &line, &evidence, out);
        return Ok(Exit::Good);
    }
    if what.is_file() {
        return explain_file(what, out);
    }
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.word()).collect();
    let hint = match nearest(&word, &codes) {
        Some(code) => format!("did you mean the code `{code}`?"),
        None => "`verify log` lists the records".to_owned(),
    };
    Err(Stop::new(Code::NoSuchRecord, format!("`{word}` is no code, no record and no file; {hint}")))
}

/// The record of this name, where there is a plan with records.
fn record(name: &str, global: &Global) -> Result<Option<(Store, LogLine)>, Stop> {
    let file = match plan_file::load(global) {
        Ok(file) => file,
        // A file with output needs no plan, and so no plan that holds.
        Err(stop) if stop.code == Code::NoPlan || Path::new(name).is_file() => return Ok(None),
        Err(stop) => return Err(stop),
    };
    let store = Store::open(&file.state_dir)?;
    let evidence = file.state_dir.join("evidence");
    let name =
        Path::new(name).strip_prefix(&evidence).unwrap_or(Path::new(name)).to_string_lossy().into_owned();
    let name = name.rsplit_once(".verify/").map_or(name.as_str(), |(_, below)| below);
    let line = store.find(name).cloned();
    Ok(line.map(|line| (store, line)))
}

fn explain_record(store: &Store, line: &LogLine, evidence: &Evidence, out: &mut Output) {
    if out.is_json() {
        out.json(evidence);
        return;
    }
    let source = |check: &str| Source::File(store.transcript(line, check));
    let sources: Vec<_> = evidence.checks.iter().map(|check| (check, source(&check.id))).collect();
    let quotes: BTreeMap<_, _> = sources
        .iter()
        .map(|(check, source)| (check.id.as_str(), Quotes::of(source, check.problem_lines())))
        .collect();
    let quote = |check: &str, number: u32| quotes.get(check)?.line(number);
    for text in present::evidence::evidence(evidence, &quote, true) {
        out.line(&text);
    }
    for (check, source) in &sources {
        let reports: Vec<_> =
            check.reports().unwrap_or_default().iter().filter_map(wire::Report::report).collect();
        out.line("");
        out.line(&present::theme::paint(present::theme::WORD, &present::text::safe(&check.command)));
        transcript(source, &reports, out);
    }
}

fn explain_file(path: &Path, out: &mut Output) -> Result<Exit, Stop> {
    let source = Source::File(path.to_owned());
    let found = find(None, &Options::default(), &source)?;
    if !found.recognised() {
        let why = "nothing of a known format was found there for certain; `verify parse --as FORMAT` reads it with one";
        return Err(Stop::new(Code::NothingRecognised, why).on(path));
    }
    found.tell(out);
    if out.is_json() {
        match wire::raw_reports(&found.reports) {
            Ok(raw) => out.json(&raw),
            Err(why) => {
                return Err(Stop::new(Code::Unreadable, format!("the report can't be written: {why}")));
            }
        }
        return Ok(Exit::Good);
    }
    transcript(&source, &found.reports, out);
    Ok(Exit::Good)
}

/// The transcript, with the lines that decided marked.
fn transcript(source: &Source, reports: &[Report], out: &mut Output) {
    let marks = present::explain::Marks::of(reports);
    source.each_line(&mut |number, text| {
        if let Some(line) = marks.line(number, text) {
            out.line(&line);
        }
    });
    for report in reports {
        for line in present::report::report(report, false, &|_| None) {
            out.line(&line);
        }
    }
}
