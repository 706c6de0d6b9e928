//! Two streams that arrive in blocks become one sequence of whole lines.

use std::io;

use redgreen_parsers::Stream;

use super::Transcript;
use super::store::FramesWriter;

/// A line that grows longer than this is written before its end is there; the other stream's lines then wait for it.
const LONG_LINE: usize = 4 << 20;

/// When more than this waits for a long line, that line is ended where it is.
const LONG_WAIT: usize = 8 << 20;

/// Merges standard output and standard error line by line, in the order in which lines end.
#[derive(Default)]
pub(crate) struct Merge {
    writer: FramesWriter,
    out: Vec<u8>,
    err: Vec<u8>,
    /// The stream of a long line that is being written.
    long: Option<Stream>,
}

impl Merge {
    /// Takes what was read from one stream.
    ///
    /// # Errors
    /// When the temporary file can't be made or written.
    pub(crate) fn push(&mut self, stream: Stream, block: &[u8]) -> io::Result<()> {
        if let Some(long) = self.long
            && long != stream
        {
            let waiting = self.pending(stream);
            waiting.extend_from_slice(block);
            if waiting.len() > LONG_WAIT {
                self.long = None;
                self.write_waiting(stream)?;
            }
            return Ok(());
        }
        let Some(end) = memchr::memrchr(b'\n', block) else { return self.push_half(stream, block) };
        let (lines, half) = block.split_at(end + 1);
        let mut begun = std::mem::take(self.pending(stream));
        if begun.is_empty() {
            self.writer.push(stream, lines)?;
        } else {
            begun.extend_from_slice(lines);
            self.writer.push(stream, &begun)?;
            begun.clear();
            begun.shrink_to(1 << 16);
        }
        begun.extend_from_slice(half);
        *self.pending(stream) = begun;
        match self.long.take() {
            None => Ok(()),
            Some(_) => self.write_waiting(other(stream)),
        }
    }

    fn push_half(&mut self, stream: Stream, block: &[u8]) -> io::Result<()> {
        if self.long == Some(stream) {
            return self.writer.push(stream, block);
        }
        let pending = self.pending(stream);
        pending.extend_from_slice(block);
        if pending.len() > LONG_LINE {
            let begun = std::mem::take(pending);
            self.long = Some(stream);
            self.writer.push(stream, &begun)?;
        }
        Ok(())
    }

    /// Writes what waited for the other stream's long line, up to its last whole line.
    fn write_waiting(&mut self, stream: Stream) -> io::Result<()> {
        let waiting = std::mem::take(self.pending(stream));
        self.push(stream, &waiting)
    }

    /// Ends the merge: half lines that are left come last, standard output's first.
    ///
    /// # Errors
    /// When the temporary file can't be made or written.
    pub(crate) fn finish(mut self) -> io::Result<Transcript> {
        for stream in [Stream::Out, Stream::Err] {
            let half = std::mem::take(self.pending(stream));
            self.writer.push(stream, &half)?;
        }
        Ok(self.writer.finish()?.into())
    }

    fn pending(&mut self, stream: Stream) -> &mut Vec<u8> {
        match stream {
            Stream::Err => &mut self.err,
            Stream::Out | Stream::Merged => &mut self.out,
        }
    }
}

fn other(stream: Stream) -> Stream {
    match stream {
        Stream::Err => Stream::Out,
        Stream::Out | Stream::Merged => Stream::Err,
    }
}
