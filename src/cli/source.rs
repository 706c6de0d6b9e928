//! Where `parse` and `explain` read an output from: a file, a pipe, or two files with the streams apart.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use redgreen_parsers::{
    Detected, Envelope, Feed, Format, Line, Options, Parser, Report, Stream, detect, read,
};

use super::Stop;
use crate::judge::Code;
use crate::observe::transcript::Transcript;

/// How much is read at once.
const BLOCK: usize = 256 << 10;

/// How much is looked at to tell what stands before each line.
const HEAD: u64 = 64 << 10;

/// An output that can be read more than once.
pub(super) enum Source {
    /// A file that holds both streams.
    File(PathBuf),
    /// A file for each stream.
    Apart {
        /// Standard output.
        out: Option<PathBuf>,
        /// Standard error.
        err: Option<PathBuf>,
    },
    /// What came through a pipe, and its first block.
    Kept(Transcript, Vec<u8>),
    /// Standard input as it comes, to be fed once. Nothing of it is kept but its first block.
    Passing(Vec<u8>),
}

impl Source {
    /// Keeps what comes through standard input.
    ///
    /// # Errors
    /// It can't be read, or there is no place to keep it.
    pub(super) fn stdin() -> Result<Self, Stop> {
        let head = head(io::stdin().lock()).map_err(stdin_unreadable)?;
        let whole = head.as_slice().chain(io::stdin().lock());
        let kept = Transcript::from_reader(whole, Stream::Merged).map_err(stdin_unreadable)?;
        Ok(Self::Kept(kept, head))
    }

    /// Takes what comes through standard input as it comes.
    ///
    /// # Errors
    /// It can't be read.
    pub(super) fn passing() -> Result<Self, Stop> {
        head(io::stdin().lock()).map(Self::Passing).map_err(stdin_unreadable)
    }

    /// What stands before each line of it, told by its first lines.
    ///
    /// # Errors
    /// A file can't be read.
    pub(super) fn envelope(&self) -> Result<Option<Envelope>, Stop> {
        let of_file = |path: &PathBuf| {
            File::open(path)
                .and_then(head)
                .map(|head| Envelope::of(&head))
                .map_err(|why| unreadable(path, &why))
        };
        match self {
            Self::File(path) => of_file(path),
            Self::Apart { out, err } => {
                let mut found = out.as_ref().map(of_file).transpose()?.flatten();
                if let (None, Some(err)) = (&found, err) {
                    found = of_file(err)?;
                }
                Ok(found)
            }
            Self::Kept(_, head) | Self::Passing(head) => Ok(Envelope::of(head)),
        }
    }

    /// Feeds the whole output.
    ///
    /// # Errors
    /// A file can't be read.
    pub(super) fn feed(&self, feed: &mut Feed<'_>) -> Result<(), Stop> {
        let file = |path: &PathBuf, stream: Stream, feed: &mut Feed<'_>| {
            File::open(path).and_then(|file| blocks(file, stream, feed)).map_err(|why| unreadable(path, &why))
        };
        match self {
            Self::File(path) => file(path, Stream::Merged, feed),
            Self::Apart { out, err } => {
                if let Some(path) = out {
                    file(path, Stream::Out, feed)?;
                }
                if let Some(path) = err {
                    file(path, Stream::Err, feed)?;
                }
                Ok(())
            }
            Self::Passing(head) => {
                let whole = head.as_slice().chain(io::stdin().lock());
                blocks(whole, Stream::Merged, feed).map_err(stdin_unreadable)
            }
            Self::Kept(transcript, _) => transcript.feed(feed).map_err(|why| {
                Stop::new(Code::Unreadable, format!("the kept input can't be read again: {why}"))
            }),
        }
    }

    /// Hands on each line with its number, as parsers see it. What can't be read ends it.
    pub(super) fn each_line(&self, visit: &mut dyn FnMut(u32, &[u8])) {
        let mut lines = EachLine(visit);
        let mut feed = Feed::new(&mut lines);
        let _what_could_be_read = self.feed(&mut feed);
        feed.finish();
    }

    /// Reads the output with one format.
    ///
    /// # Errors
    /// A file can't be read.
    pub(super) fn read(&self, format: Format, options: &Options) -> Result<Vec<Report>, Stop> {
        read(format, options, |feed| self.feed(feed))
    }

    /// Finds the formats of the output, and the sessions of each.
    ///
    /// # Errors
    /// A file can't be read.
    pub(super) fn detect(&self, options: &Options) -> Result<Detected, Stop> {
        detect(options, |feed| self.feed(feed))
    }
}

fn blocks(mut from: impl Read, stream: Stream, feed: &mut Feed<'_>) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    loop {
        match from.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(read) => feed.push(block.get(..read).unwrap_or_default(), stream),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
}

/// The first block.
fn head(from: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    from.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

fn unreadable(path: &Path, why: &io::Error) -> Stop {
    let why = format!("the output can't be read: {why}; name a file that is there and may be read");
    Stop::new(Code::Unreadable, why).on(path)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn stdin_unreadable(why: io::Error) -> Stop {
    Stop::new(Code::Unreadable, format!("standard input can't be read: {why}"))
}

struct EachLine<'a>(&'a mut dyn FnMut(u32, &[u8]));

impl Parser for EachLine<'_> {
    fn line(&mut self, line: Line<'_>, _: Stream) {
        (self.0)(line.number, line.text);
    }

    fn end(&mut self) -> Vec<Report> {
        Vec::new()
    }
}
