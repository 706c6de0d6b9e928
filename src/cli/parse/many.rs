//! Many outputs: a report a line, in the order of the files; one that can't be read stops nothing.

use std::path::PathBuf;

use rayon::prelude::*;
use redgreen_parsers::{Format, Options};
use serde::Serialize;

use super::super::find::{CandidateOut, find};
use super::super::output::Output;
use super::super::source::Source;
use super::super::{Exit, Stop};
use crate::present;
use crate::record::wire;

/// So many are read before any is printed.
const BATCH: usize = 64;

/// A report of one file among many.
#[derive(Serialize)]
struct Sourced<'a> {
    source: String,
    #[serde(flatten)]
    report: wire::ReportsOut<'a>,
    /// Where more than one format fits: which they are, the best first, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<CandidateOut<'a>>,
}

#[derive(Serialize)]
struct SourcedError {
    source: String,
    #[serde(flatten)]
    error: wire::Error,
}

/// Reads the files in parallel and prints them in their order.
pub(super) fn many(format: Option<Format>, options: &Options, files: &[PathBuf], out: &mut Output) -> Exit {
    let mut exit = if files.is_empty() { Exit::State } else { Exit::Good };
    for batch in files.chunks(BATCH) {
        let read = |file: &PathBuf| find(format, options, &Source::File(file.clone()));
        let found: Vec<_> = batch.par_iter().map(read).collect();
        for (file, found) in batch.iter().zip(found) {
            let source = file.display().to_string();
            match found {
                Ok(found) => {
                    if !found.recognised() {
                        exit = Exit::State;
                    }
                    if out.is_json() {
                        let report = wire::ReportsOut(&found.reports);
                        out.json(&Sourced { source, report, candidates: found.choice() });
                        continue;
                    }
                    out.line(&present::theme::paint(present::theme::WORD, &present::text::safe(&source)));
                    for report in &found.reports {
                        for line in present::report::report(report, out.is_verbose(), &|_| None) {
                            out.line(&format!("  {line}"));
                        }
                    }
                }
                Err(stop) => {
                    exit = Exit::State;
                    unreadable(source, &stop, out);
                }
            }
        }
    }
    exit
}

fn unreadable(source: String, stop: &Stop, out: &mut Output) {
    if out.is_json() {
        let error = wire::Error::new(stop.code.word(), &stop.message, Some(source.clone()));
        out.json(&SourcedError { source, error });
    } else {
        out.warn(&present::text::safe(&format!("{source}: {}", stop.message)));
    }
}
