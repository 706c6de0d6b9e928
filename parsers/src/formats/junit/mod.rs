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
mod java;
mod kinds;
mod outside;
mod place;
mod repeated;
#[cfg(test)]
mod tests;

use crate::feed::{Line, Parser, Stream};
use crate::xml::Xml;
use crate::{Format, Options, Report};
use document::Documents;

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Junit { xml: Xml::new(Documents::new(format, options)) }
}

struct Junit {
    xml: Xml<Documents>,
}

impl Parser for Junit {
    fn line(&mut self, line: Line<'_>, stream: Stream) {
        self.raw(line.text, line.number, stream);
        if line.ended {
            self.raw(b"\n", line.number, stream);
        }
    }

    fn takes_raw(&self) -> bool {
        true
    }

    fn raw(&mut self, bytes: &[u8], number: u32, stream: Stream) {
        if stream != Stream::Err {
            self.xml.push(bytes, number);
        }
    }

    fn end(&mut self) -> Vec<Report> {
        self.xml.finish();
        let notes: Vec<_> = self.xml.mended().notes().collect();
        vec![self.xml.handler.report(notes)]
    }
}
