//! A format whose output is documents of XML, as a parser.

use super::{Handler, Xml};
use crate::feed::{Line, Parser, Stream};
use crate::{Note, Report};

/// What a format makes of its documents.
pub(crate) trait Reporting: Handler {
    /// The report of all of them. `notes` are those of the reader of XML.
    fn report(&mut self, notes: Vec<Note>) -> Report;
}

/// Reads documents from every stream but standard error, which holds what the writer said beside them.
pub(crate) struct Documented<H>(Xml<H>);

impl<H: Reporting> Documented<H> {
    pub(crate) fn new(handler: H) -> Self {
        Self(Xml::new(handler))
    }
}

impl<H: Reporting> Parser for Documented<H> {
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
            self.0.push(bytes, number);
        }
    }

    fn end(&mut self) -> Vec<Report> {
        self.0.finish();
        let notes = self.0.mended().notes().collect();
        vec![self.0.handler.report(notes)]
    }
}
