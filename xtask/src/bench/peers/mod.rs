//! The tools that people would pick instead, on the same input in the same minutes. Each measures itself, so that the
//! start of an interpreter does not count. A peer that can't be had is named as not run.

mod crates;
mod files;
mod provision;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use redgreen_parsers::Format;

use self::provision::Peers;
use super::Row;
use super::library::parse_all;
use super::timing::rate;
use crate::generate::{JUNIT_DENSE, Output, PYTEST_SUMMARY, TAP_DENSE, UNITTEST_DENSE};
use crate::shell::{self, Done};

/// Large enough for us, small enough for the slowest of them.
const BYTES: u64 = 10_000_000;

/// How often we read it. The median of few short times is not worth much.
const TRIES: usize = 21;

/// A parser of somebody else's.
struct Peer {
    name: &'static str,
    by: By,
}

enum By {
    /// A parser that `read.py` knows.
    Python(&'static str),
    /// A package that `read.mjs` knows.
    Node(&'static str),
    /// The cases in a text, by a crate.
    Crate(fn(&str) -> Done<usize>),
}

const TEXT_BAR: &str = "bar: 8 × the fastest";

/// An input, who reads it, and by how much we want to be faster.
const MATCHES: &[(Output, &[Peer], &str)] = &[
    (
        PYTEST_SUMMARY,
        &[Peer { name: "swebench, parse_log_pytest", by: By::Python("parse_log_pytest") }],
        TEXT_BAR,
    ),
    (
        UNITTEST_DENSE,
        &[Peer { name: "swebench, parse_log_django", by: By::Python("parse_log_django") }],
        TEXT_BAR,
    ),
    (
        TAP_DENSE,
        &[
            Peer { name: "swebench, parse_log_tap", by: By::Python("parse_log_tap") },
            Peer { name: "tap-parser", by: By::Node("tap-parser") },
        ],
        "bar: 30 × the fastest",
    ),
    (
        JUNIT_DENSE,
        &[
            Peer { name: "junitparser", by: By::Python("junitparser") },
            Peer { name: "junit-to-ctrf", by: By::Node("junit-to-ctrf") },
            Peer { name: "crate quick-junit", by: By::Crate(crates::quick_junit) },
            Peer { name: "crate junit-parser", by: By::Crate(crates::junit_parser) },
        ],
        "bar: 3 × the fastest",
    ),
];

pub(crate) fn rows(verify: &Path) -> Vec<Row> {
    let peers = Peers::provision();
    let mut rows = Vec::new();
    for (output, against, bar) in MATCHES {
        if Format::find(output.format).is_none() {
            continue;
        }
        eprintln!("bench: peers on {}", output.name);
        let input = Input::new(output);
        for peer in *against {
            let figure = input
                .as_ref()
                .map_err(ToString::to_string)
                .map_or_else(|why| Err(why.into()), |input| ratio(output, input, &peer.by, &peers));
            rows.push(Row::new(format!("{}, 10 MB, over {}", output.name, peer.name), figure, *bar));
        }
    }
    rows.extend(files::rows(verify, &peers));
    rows
}

/// An output, in memory and in a file.
struct Input {
    bytes: Vec<u8>,
    cases: u64,
    file: tempfile::NamedTempFile,
}

impl Input {
    fn new(output: &Output) -> Done<Self> {
        let (bytes, cases) = output.bytes(BYTES);
        let file = tempfile::Builder::new().suffix(".xml").tempfile()?;
        std::fs::write(file.path(), &bytes)?;
        Ok(Self { bytes, cases, file })
    }
}

/// How many times as fast we are, and both rates.
fn ratio(output: &Output, input: &Input, by: &By, peers: &Peers) -> Done<String> {
    let (found, theirs) = match by {
        By::Python(parser) => {
            told(Command::new(peers.python()?).args(["-c", include_str!("read.py"), parser]), input)?
        }
        By::Node(parser) => {
            let home = peers.node()?;
            let mut node = Command::new("node");
            node.args(["--input-type=module", "-e", include_str!("read.mjs"), "--"]).arg(home).arg(parser);
            told(&mut node, input)?
        }
        By::Crate(read) => crates::timed(*read, &input.bytes)?,
    };
    if found != input.cases {
        return Err(format!("it read {found} of {} cases", input.cases).into());
    }
    let ours = parse_all(output, &input.bytes, input.cases, TRIES)?;
    let (ours, theirs) = (rate(input.bytes.len() as u64, ours), rate(input.bytes.len() as u64, theirs));
    Ok(format!("{:.1} × ({ours:.0} over {theirs:.1} MB/s)", ours / theirs))
}

/// What a script found, and how long it took.
fn told(script: &mut Command, input: &Input) -> Done<(u64, Duration)> {
    let said = shell::read(script.arg(input.file.path()))?;
    // A package may greet on the same stream.
    let last = said.lines().last().unwrap_or_default();
    let (cases, seconds) = last.split_once(' ').ok_or_else(|| format!("it said `{last}`"))?;
    Ok((cases.parse()?, Duration::try_from_secs_f64(seconds.parse()?)?))
}

/// Where a program is, on PATH.
fn on_path(program: &str) -> Done<PathBuf> {
    crate::runners::which(program).ok_or_else(|| format!("not run: there is no `{program}` on PATH").into())
}
