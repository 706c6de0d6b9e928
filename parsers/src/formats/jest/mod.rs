//! Reads the output of jest.
use crate::{Format, Line, Options, Parser, Report, Stream};

pub(crate) fn new(format: Format, _: &Options) -> impl Parser + use<> {
    Jest { format }
}

struct Jest {
    format: Format,
}

impl Parser for Jest {
    fn line(&mut self, _: Line<'_>, _: Stream) {}

    fn end(&mut self) -> Vec<Report> {
        vec![Report::empty(self.format)]
    }
}
