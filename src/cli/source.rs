//! Where `parse` and `explain` read an output from: a file, a pipe, or two files with the streams apart.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use redgreen_parsers::{Candidate, Feed, Format, Line, Options, Parser, Report, Stream, detect, read};

use super::Stop;
use crate::judge::Code;
use crate::observe::transcript::Transcript;

/// How much is read at once.
const BLOCK: usize = 256 << 10;

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
    /// What came through a pipe.
    Kept(Transcript),
    /// Standard input as it comes, to be fed once. Nothing of it is kept.
    Passing,
}

impl Source {
    /// Keeps what comes through standard input.
    ///
    /// # Errors
    /// It can't be read, or there is no place to keep it.
    pub(super) fn stdin() -> Result<Self, Stop> {
        Transcript::from_reader(io::stdin().lock(), Stream::Merged).map(Self::Kept).map_err(stdin_unreadable)
    }

    /// Feeds the whole output.
    ///
    /// # Errors
    /// A file can't be read.
    pub(super) fn feed(&self, feed: &mut Feed<'_>) -> Result<(), Stop> {
        let file = |path: &PathBuf, stream: Stream, feed: &mut Feed<'_>| {
            File::open(path).and_then(|file| blocks(file, stream, feed)).map_err(|why| {
                let why =
                    format!("the output can't be read: {why}; name a file that is there and may be read");
                Stop::new(Code::Unreadable, why).on(path)
            })
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
            Self::Passing => blocks(io::stdin().lock(), Stream::Merged, feed).map_err(stdin_unreadable),
            Self::Kept(transcript) => transcript.feed(feed).map_err(|why| {
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

    /// Reads the output with each format that knows its own, best first.
    ///
    /// # Errors
    /// A file can't be read.
    pub(super) fn detect(&self, options: &Options) -> Result<Vec<Candidate>, Stop> {
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
