//! TRX: the report that VSTest's logger and Microsoft.Testing.Platform's extension write of a run.
//!
//! `TestRun` holds `Results`, then `TestDefinitions`, which alone name the classes, then `ResultSummary` with the run's
//! own numbers and what was said outside any test. The schema is `vstst.xsd` of Visual Studio; the writers are in the
//! grammar's `sources`.
//!
//! Known traps: MSTest before 2.0 puts the rows of a data-driven test below a result of all of them; a skipped test is
//! `NotExecuted`, and VSTest's `notExecuted` counter is 0 all the same; a host that crashed is a `RunInfo` below results
//! that all passed; characters beyond the first plane are written as two `\uXXXX`.

mod document;
mod result;
#[cfg(test)]
mod tests;

use crate::feed::{Line, Parser, Stream};
use crate::xml::Xml;
use crate::{Format, Options, Report};
use document::Document;

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Trx { xml: Xml::new(Document::new(format, options)) }
}

struct Trx {
    xml: Xml<Document>,
}

impl Parser for Trx {
    fn line(&mut self, line: Line<'_>, stream: Stream) {
        self.raw(line.text, line.number, stream);
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
