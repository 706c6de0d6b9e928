//! Where the bytes of a transcript lie: frames of stream, length and bytes, in memory or in a temporary file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;

use redgreen_parsers::Stream;
use sha2::Digest as _;

use crate::digest::Sha256;

use super::BLOCK;

/// As much is kept in memory before it goes to the file, and all of it when there is no more.
const IN_MEMORY: usize = 1 << 20;

const HEADER: usize = 5;

/// Writes frames.
#[derive(Default)]
pub(super) struct FramesWriter {
    buffer: Vec<u8>,
    file: Option<File>,
    hash: sha2::Sha256,
    bytes: u64,
    /// The stream of the last frame, when its last line has no end yet.
    open_line: Option<Stream>,
    end_line: bool,
}

/// Frames that were written.
#[derive(Debug)]
pub(super) struct Frames {
    buffer: Vec<u8>,
    file: Option<File>,
    sha256: Sha256,
    bytes: u64,
}

impl FramesWriter {
    /// Appends bytes of one stream. If the other stream's last line has no end, it gets one first: a line is of one
    /// stream.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let Some(last) = bytes.last() else { return Ok(()) };
        if let Some(open) = self.open_line
            && (open != stream || self.end_line)
        {
            self.frame(open, b"\n")?;
        }
        self.end_line = false;
        self.open_line = (*last != b'\n').then_some(stream);
        self.frame(stream, bytes)
    }

    /// Makes what is pushed next begin a line, though it be of the same stream.
    pub(super) fn end_line_at_next_push(&mut self) {
        self.end_line = true;
    }

    fn frame(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        for part in bytes.chunks(BLOCK) {
            // A part has at most `BLOCK` bytes.
            let length = u32::try_from(part.len()).unwrap_or_default().to_le_bytes();
            self.write(&[stream_to_byte(stream)])?;
            self.write(&length)?;
            self.write(part)?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > IN_MEMORY {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            // It has no name, so that nobody else can open it and nothing is left of it, however we end.
            none => none.insert(tempfile::tempfile_in(std::env::temp_dir())?),
        };
        file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// What was written.
    pub(super) fn finish(mut self) -> io::Result<Frames> {
        if self.file.is_some() {
            self.flush()?;
            self.buffer = Vec::new();
        }
        self.buffer.shrink_to_fit();
        let sha256 = Sha256(self.hash.finalize().into());
        Ok(Frames { buffer: self.buffer, file: self.file, sha256, bytes: self.bytes })
    }
}

impl Frames {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn sha256(&self) -> Sha256 {
        self.sha256
    }

    #[cfg(test)]
    pub(super) fn is_in_file(&self) -> bool {
        self.file.is_some()
    }

    pub(super) fn blocks(
        &self,
        visit: impl FnMut(Stream, &[u8]) -> io::Result<ControlFlow<()>>,
    ) -> io::Result<()> {
        match &self.file {
            None => walk(self.buffer.as_slice(), visit),
            Some(file) => walk(BufReader::with_capacity(BLOCK, FromStart { file, at: 0 }), visit),
        }
    }
}

fn walk(
    mut frames: impl BufRead,
    mut visit: impl FnMut(Stream, &[u8]) -> io::Result<ControlFlow<()>>,
) -> io::Result<()> {
    while !frames.fill_buf()?.is_empty() {
        let mut header = [0; HEADER];
        frames.read_exact(&mut header)?;
        let [stream, length @ ..] = header;
        let stream = stream_of_byte(stream);
        let mut left = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
        while left > 0 {
            let block = frames.fill_buf()?;
            let block = &block[..block.len().min(left)];
            if block.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if visit(stream, block)?.is_break() {
                return Ok(());
            }
            let used = block.len();
            frames.consume(used);
            left -= used;
        }
    }
    Ok(())
}

fn stream_to_byte(stream: Stream) -> u8 {
    match stream {
        Stream::Merged => 0,
        Stream::Out => 1,
        Stream::Err => 2,
    }
}

fn stream_of_byte(byte: u8) -> Stream {
    match byte {
        1 => Stream::Out,
        2 => Stream::Err,
        _ => Stream::Merged,
    }
}

/// Reads a file with a place of its own, so that several readers share one handle.
struct FromStart<'f> {
    file: &'f File,
    at: u64,
}

impl Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}
