//! Where `parse` and `explain` read an output from: a file, a pipe, or two files with the streams apart.

use std::cell::RefCell;
use std::collections::BTreeMap;
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
}

impl Source {
    /// Keeps what comes through standard input.
    ///
    /// # Errors
    /// It can't be read, or there is no place to keep it.
    pub(super) fn stdin() -> Result<Self, Stop> {
        Transcript::from_reader(io::stdin().lock(), Stream::Merged)
            .map(Self::Kept)
            .map_err(|why| Stop::new(Code::Unreadable, format!("standard input can't be read: {why}")))
    }

    /// Feeds the whole output.
    ///
    /// # Errors
    /// A file can't be read.
    pub(super) fn feed(&self, feed: &mut Feed<'_>) -> Result<(), Stop> {
        let blocks = |path: &PathBuf, stream: Stream, feed: &mut Feed<'_>| {
            let unreadable = |why: io::Error| {
                let why =
                    format!("the output can't be read: {why}; name a file that is there and may be read");
                Stop::new(Code::Unreadable, why).on(path)
            };
            let mut file = File::open(path).map_err(unreadable)?;
            let mut block = vec![0; BLOCK];
            loop {
                match file.read(&mut block) {
                    Ok(0) => break,
                    Ok(read) => feed.push(block.get(..read).unwrap_or_default(), stream),
                    Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                    Err(why) => return Err(unreadable(why)),
                }
            }
            Ok(())
        };
        match self {
            Self::File(path) => blocks(path, Stream::Merged, feed),
            Self::Apart { out, err } => {
                if let Some(path) = out {
                    blocks(path, Stream::Out, feed)?;
                }
                if let Some(path) = err {
                    blocks(path, Stream::Err, feed)?;
                }
                Ok(())
            }
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

    /// A way to quote lines by their numbers. Reads the output once, when the first line is asked for, and keeps the
    /// lines asked for beforehand.
    #[must_use]
    pub(super) fn quotes(&self, wanted: Vec<(u32, u32)>) -> Quotes<'_> {
        Quotes { source: self, wanted, lines: RefCell::new(None) }
    }
}

/// Lines of an output, by number.
pub(super) struct Quotes<'a> {
    source: &'a Source,
    wanted: Vec<(u32, u32)>,
    lines: RefCell<Option<BTreeMap<u32, Vec<u8>>>>,
}

impl Quotes<'_> {
    /// The line of this number, if it was among those wanted.
    pub(super) fn line(&self, number: u32) -> Option<Vec<u8>> {
        let mut lines = self.lines.borrow_mut();
        lines.get_or_insert_with(|| self.collect()).get(&number).cloned()
    }

    fn collect(&self) -> BTreeMap<u32, Vec<u8>> {
        const LONGEST: usize = 4096;
        let mut lines = BTreeMap::new();
        self.source.each_line(&mut |number, text| {
            if self.wanted.iter().any(|(first, last)| (*first..=*last).contains(&number)) {
                lines.insert(number, text.get(..text.len().min(LONGEST)).unwrap_or_default().to_vec());
            }
        });
        lines
    }
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
