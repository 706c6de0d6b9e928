//! The merged output of one run, line by line, each line knowing its stream.
//!
//! A transcript is read in blocks, as often as needed, and never held whole: that of a run lies in memory while it is
//! small and in an unlinked temporary file when it isn't; that of files given by the user stays in those files.

#[cfg(unix)]
mod merge;
mod quote;
mod save;
mod store;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use redgreen_parsers::{Feed, Stream};
use sha2::Digest as _;

use crate::digest::Sha256;

#[cfg(unix)]
pub(crate) use merge::Merge;
pub use quote::Quote;
use store::{Frames, FramesWriter, read_at};

/// How much is read at once.
const BLOCK: usize = 256 << 10;

/// Both output streams of a command, merged line by line.
#[derive(Debug)]
pub struct Transcript {
    source: Source,
}

#[derive(Debug)]
enum Source {
    Frames(Frames),
    Files(Vec<Part>),
}

/// A file that is one stream, or holds both.
#[derive(Debug)]
struct Part {
    file: File,
    stream: Stream,
    /// As it was when opened: what is appended later doesn't count.
    length: u64,
    /// Whether the next part would otherwise continue this one's last line.
    needs_end: bool,
}

impl Transcript {
    /// The output that files hold, one after the other: one file of both streams, or standard output and then standard
    /// error. Regular files are read where they are; anything else (a pipe) is read to its end first.
    ///
    /// # Errors
    /// When a file can't be read, or there is no room for what comes out of a pipe.
    pub fn from_files(files: impl IntoIterator<Item = (File, Stream)>) -> io::Result<Self> {
        let mut files: Vec<_> = files.into_iter().collect();
        for (file, _) in &files {
            if file.metadata()?.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
        }
        let seekable = |(file, _): &(File, Stream)| file.metadata().is_ok_and(|about| about.is_file());
        if files.iter().all(seekable) {
            let parts = files.into_iter().map(|(file, stream)| Part::new(file, stream));
            let mut parts = parts.collect::<io::Result<Vec<_>>>()?;
            parts.retain(|part| part.length > 0);
            if let Some(last) = parts.last_mut() {
                last.needs_end = false;
            }
            return Ok(Self { source: Source::Files(parts) });
        }
        let mut writer = FramesWriter::default();
        for (file, stream) in &mut files {
            writer.end_line_at_next_push();
            spool(file, *stream, &mut writer)?;
        }
        Ok(writer.finish()?.into())
    }

    /// The output that comes out of `reader`, which is read to its end, in bounded memory.
    ///
    /// # Errors
    /// Those of `reader`, or when there is no room for a temporary file.
    pub fn from_reader(mut reader: impl Read, stream: Stream) -> io::Result<Self> {
        let mut writer = FramesWriter::default();
        spool(&mut reader, stream, &mut writer)?;
        Ok(writer.finish()?.into())
    }

    /// Feeds the whole transcript, again each time it is called.
    ///
    /// # Errors
    /// When the file behind it can't be read.
    pub fn feed(&self, feed: &mut Feed<'_>) -> io::Result<()> {
        self.blocks(|stream, block| {
            feed.push(block, stream);
            Ok(ControlFlow::Continue(()))
        })
    }

    /// How many bytes it has, in both streams together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.source {
            Source::Frames(frames) => frames.bytes(),
            Source::Files(parts) => parts.iter().map(|part| part.length + u64::from(part.needs_end)).sum(),
        }
    }

    /// The hash of the bytes as they were merged. That of a run is known when it ends; files are read for it.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn sha256(&self) -> io::Result<Sha256> {
        if let Source::Frames(frames) = &self.source {
            return Ok(frames.sha256());
        }
        let mut hash = sha2::Sha256::new();
        self.blocks(|_, block| {
            hash.update(block);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Sha256(hash.finalize().into()))
    }

    /// What was printed on one stream, as it came.
    ///
    /// # Errors
    /// When it can't be read again.
    pub fn stream(&self, wanted: Stream) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.blocks(|stream, block| {
            if stream == wanted {
                bytes.extend_from_slice(block);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(bytes)
    }

    /// Hands on the bytes in order, in blocks of at most [`BLOCK`]; a block is of one stream, and lines end anywhere
    /// in it. Where the stream changes, the last line has its end.
    fn blocks(&self, mut visit: impl FnMut(Stream, &[u8]) -> io::Result<ControlFlow<()>>) -> io::Result<()> {
        match &self.source {
            Source::Frames(frames) => frames.blocks(visit),
            Source::Files(parts) => {
                let mut buffer = vec![0; BLOCK];
                for part in parts {
                    if part.blocks(&mut buffer, &mut visit)?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
        }
    }
}

impl From<Frames> for Transcript {
    fn from(frames: Frames) -> Self {
        Self { source: Source::Frames(frames) }
    }
}

impl Part {
    fn new(mut file: File, stream: Stream) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        let mut last = [b'\n'];
        if let Some(at) = length.checked_sub(1) {
            read_at(&file, &mut last, at)?;
        }
        Ok(Self { file, stream, length, needs_end: last != *b"\n" })
    }

    fn blocks(
        &self,
        buffer: &mut [u8],
        visit: &mut impl FnMut(Stream, &[u8]) -> io::Result<ControlFlow<()>>,
    ) -> io::Result<ControlFlow<()>> {
        let mut at = 0;
        while at < self.length {
            let room = usize::try_from(self.length - at).unwrap_or(usize::MAX).min(buffer.len());
            let read = match read_at(&self.file, &mut buffer[..room], at) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            at += read as u64;
            if visit(self.stream, &buffer[..read])?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if self.needs_end { visit(self.stream, b"\n") } else { Ok(ControlFlow::Continue(())) }
    }
}

fn spool(reader: &mut impl Read, stream: Stream, to: &mut FramesWriter) -> io::Result<()> {
    let mut buffer = vec![0; BLOCK];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => to.push(stream, &buffer[..read])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
