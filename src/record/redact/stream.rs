//! Redaction of what comes piece by piece.

use std::io::{BufWriter, Write};

use super::Redactor;

/// So much is held back of a key whose end hasn't come. The longest real ones have a fifth of it.
const LONGEST_KEY: usize = 64 << 10;

/// Sends what is written to it through redaction, line by line, so that a secret isn't cut in two; a private key, which
/// goes over several lines, is held back until it is whole.
pub(in crate::record) struct Redacting<'r, W: Write> {
    redactor: &'r Redactor,
    to: BufWriter<W>,
    held: Vec<u8>,
}

impl<'r, W: Write> Redacting<'r, W> {
    pub(in crate::record) fn new(to: W, redactor: &'r Redactor) -> Self {
        Self { redactor, to: BufWriter::new(to), held: Vec::new() }
    }

    pub(in crate::record) fn finish(mut self) -> std::io::Result<()> {
        self.pass_on(self.held.len())?;
        self.to.flush()
    }

    fn pass_on(&mut self, length: usize) -> std::io::Result<()> {
        let ready: Vec<u8> = self.held.drain(..length).collect();
        self.to.write_all(&self.redactor.text(&ready))
    }
}

impl<W: Write> Write for Redacting<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let whole = memchr::memrchr(b'\n', bytes).map(|end| self.held.len() + end + 1);
        self.held.extend_from_slice(bytes);
        if let Some(whole) = whole {
            let lines = self.held.get(..whole).unwrap_or_default();
            let length = match open_key(lines) {
                Some(start) if whole - start < LONGEST_KEY => start,
                _ => whole,
            };
            self.pass_on(length)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

/// Where the line begins in which a private key begins that doesn't end.
fn open_key(lines: &[u8]) -> Option<usize> {
    let begin = memchr::memmem::rfind(lines, b"-----BEGIN ")?;
    let rest = lines.get(begin..)?;
    let first = rest.get(..rest.len().min(80))?;
    let is_private = memchr::memmem::find(first, b"PRIVATE KEY").is_some();
    let is_open = is_private && memchr::memmem::find(rest, b"-----END").is_none();
    let start = memchr::memrchr(b'\n', lines.get(..begin)?).map_or(0, |end| end + 1);
    is_open.then_some(start)
}
