//! Reads the raw output of test runners into typed reports.
//!
//! A parser is a state machine fed with lines ([`Parser`]); [`parse`] is the wrapper for bytes that are already in
//! memory, [`read`] the one for output that isn't. A [`Report`] says what the runner said, where it said it, and what
//! doesn't add up. It never judges.
//!
//! Nothing in this crate does I/O, knows the time, or panics, whatever comes in; the work is linear in the input and
//! the memory is that of the report.
//!
//! ```
//! use redgreen_parsers::{Format, Options, Status, parse};
//!
//! let tap = Format::find("tap").ok_or("no such format")?;
//! let reports = parse(tap, b"1..1\nok 1 - adds\n", &Options::default());
//! let case = reports[0].cases.iter().next().ok_or("no case")?;
//! assert_eq!((case.id(), case.status()), ("adds", Status::Passed));
//! # Ok::<(), &str>(())
//! ```

mod block;
mod bounded;
mod cases;
mod chunked;
mod detect;
mod envelope;
mod environment;
mod family;
mod feed;
mod format;
mod formats;
mod glob;
mod grammar;
mod index;
mod influence;
mod json;
mod note;
mod python;
mod read;
mod report;
mod sniff;
mod startup;
mod text;
mod utf16;
pub mod witness;
mod xml;

pub use block::Block;
pub use cases::{Case, CaseKey, Cases, NewCase};
pub use detect::{Candidate, Detected, detect, foreign};
pub use envelope::Envelope;
pub use environment::{Environment, Filter, Setting};
pub use family::{Family, Steering, is_sliced_test, sliced_tests, steering};
pub use feed::{Feed, Line, Parser, Stream};
pub use format::{Format, Options};
pub use glob::glob;
pub use grammar::{
    Configuration, Grammar, GrammarError, KindRule, Matching, Pattern, Refused, Restored, Signature, Way,
    Witness, Words,
};
pub use influence::{FileRule, Influence, Keep, Place, SliceRule};
pub use note::{Note, NoteCode};
pub use read::{parse, read};
pub use report::{Completeness, Failure, Kind, Lines, Problem, Report, Runner, Status, Totals};
