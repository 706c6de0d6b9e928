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

use crate::feed::Parser;
use crate::xml::Documented;
use crate::{Format, Options};
use document::Document;

pub(crate) fn new(format: Format, options: &Options) -> impl Parser + use<> {
    Documented::new(Document::new(format, options))
}
