//! JUnit XML: suites that nest, cases in them, and below a case what went wrong.
//!
//! There is no standard. What most tools follow is what Ant's `junitreport` reads, and each adds to it; the pages are in
//! the grammar's `sources`. Known traps:
//!
//! * Suites nest to any depth, and cases and suites may be siblings; the root is a `testsuites` or a `testsuite`.
//! * `<failure/>` may be empty, and an `<error>` alone is no pass.
//! * Counts are claims: some writers count tries, some cases, some leave them out. A claim that fits neither is a note.
//! * Surefire and nextest put the tries of a test into its case (`rerunFailure`, `flakyFailure`); others write a case for
//!   each try, one after the other.
//! * What broke outside any test stands among the cases under names of its own: a hook, a file, a class.
//! * Writers copy what a test printed, with escapes, unescaped, or cut. The layer below mends it and says so.

mod case;
mod claims;
mod document;
mod elements;
mod java;
mod kinds;
mod outside;
mod passed;
mod place;
mod repeated;
#[cfg(test)]
mod tests;
mod tries;

use crate::feed::Parser;
use crate::xml::Documented;
use crate::{Format, Options};
use document::Documents;

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Documented::new(Documents::new(format, options))
}
