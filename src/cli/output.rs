//! Where commands print: data on standard output, talk on standard error.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use super::options::{Colour, Format, Global};
use super::{Exit, Stop};
use crate::present::text::{safe, safe_bytes};
use crate::present::theme::{BAD, CARE, WORD, paint};
use crate::record::wire::ReportsOut;

/// How much is written at once.
const BLOCK: usize = 64 << 10;

/// The two streams of a command, and how it was asked to speak.
pub(super) struct Output {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    format: Format,
    quiet: bool,
    verbose: bool,
    colour: bool,
    failed: Option<io::Error>,
}

impl Output {
    /// The streams of this process.
    #[must_use]
    pub(super) fn new(global: &Global) -> Self {
        let choice = match global.color {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        };
        let colour = match global.color {
            Colour::Auto => {
                io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty())
            }
            Colour::Always => true,
            Colour::Never => false,
        };
        let out: Box<dyn Write> = match global.format {
            // JSON holds no escape sequence, and the look for one costs more than writing: 268 MB of JSON, 0.9 s.
            Format::Json => Box::new(io::stdout()),
            Format::Human => Box::new(anstream::AutoStream::new(io::stdout(), choice)),
        };
        Self {
            out: Box::new(io::BufWriter::with_capacity(BLOCK, out)),
            err: Box::new(anstream::AutoStream::new(io::stderr(), choice)),
            format: global.format,
            quiet: global.quiet,
            verbose: global.verbose,
            colour,
            failed: None,
        }
    }

    /// Whether JSON is wanted on standard output.
    #[must_use]
    pub(super) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Whether nothing but the verdict is wanted.
    #[must_use]
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether more was asked for.
    #[must_use]
    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Whether what is printed may be coloured.
    #[must_use]
    pub(super) fn has_colour(&self) -> bool {
        self.colour
    }

    /// Prints a line of data that is already harmless.
    pub(super) fn line(&mut self, text: &str) {
        self.raw(text.as_bytes());
        self.raw(b"\n");
    }

    /// Prints bytes as they are; for JSON and for generated text.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        if self.failed.is_none()
            && let Err(why) = self.out.write_all(bytes)
        {
            self.failed = Some(why);
        }
    }

    /// Prints a value as one line of JSON.
    pub(super) fn json(&mut self, value: &impl Serialize) {
        self.json_by(|to| Ok(serde_json::to_writer(to, value)?));
    }

    /// Prints what the sessions of an output say as one line of JSON.
    pub(super) fn reports(&mut self, reports: ReportsOut<'_>) {
        self.json_by(|to| reports.write(to));
    }

    fn json_by(&mut self, write: impl FnOnce(&mut io::BufWriter<Sink<'_>>) -> io::Result<()>) {
        // serde writes in pieces of a few bytes: a buffer of a known type takes them without a call.
        let mut buffer = io::BufWriter::with_capacity(BLOCK, Sink(self));
        let written = write(&mut buffer).and_then(|()| buffer.write_all(b"\n")).and_then(|()| buffer.flush());
        // What could not be written is not tried again.
        drop(buffer.into_parts());
        if let Err(why) = written {
            self.failed.get_or_insert(why);
        }
    }

    /// Sends what was printed on its way, for whoever reads it while the command goes on.
    pub(super) fn flush(&mut self) {
        if let Err(why) = self.out.flush() {
            self.failed.get_or_insert(why);
        }
    }

    /// Says something beside the data, unless quiet was asked for.
    pub(super) fn talk(&mut self, text: &str) {
        if !self.quiet {
            let _kept_for_later = self.out.flush();
            let _nobody_listens = writeln!(self.err, "{text}");
        }
    }

    /// Warns, also when quiet.
    pub(super) fn warn(&mut self, text: &str) {
        let _nobody_listens = writeln!(self.err, "{} {text}", paint(CARE, "warning:"));
    }

    /// Says why a command stopped: to a person on standard error, and as JSON on standard output where that was asked.
    pub(super) fn stop(&mut self, stop: &Stop) -> Exit {
        if self.is_json() {
            let path = stop.path.as_deref().map(|path| path.to_string_lossy().into_owned());
            self.json(&crate::record::wire::Error::new(stop.code.word(), stop.message.as_str(), path));
        }
        let mut lines = stop.message.lines();
        let first = safe(lines.next().unwrap_or(""));
        let _nobody_listens = writeln!(
            self.err,
            "{} {first} {}",
            paint(BAD, "error:"),
            paint(WORD, &format!("[{}]", stop.code))
        );
        for line in lines {
            let _nobody_listens = writeln!(self.err, "  {}", safe(line));
        }
        if let Some(path) = &stop.path {
            let path = safe_bytes(path.as_os_str().as_encoded_bytes());
            let _nobody_listens = writeln!(self.err, "  in {path}");
        }
        stop.exit()
    }

    /// Ends the output. What could not be printed never counts as success.
    #[must_use]
    pub(super) fn finish(mut self, exit: Exit) -> Exit {
        let flushed = self.out.flush();
        match self.failed.or(flushed.err()) {
            None => exit,
            Some(why) => {
                let _nobody_listens = writeln!(self.err, "error: standard output can't be written: {why}");
                if exit == Exit::Good { Exit::State } else { exit }
            }
        }
    }
}

struct Sink<'a>(&'a mut Output);

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.raw(bytes);
        match &self.0.failed {
            None => Ok(bytes.len()),
            Some(why) => Err(io::Error::new(why.kind(), why.to_string())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
