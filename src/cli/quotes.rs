//! Lines of an output by their numbers, for quoting.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use redgreen_parsers::Lines;

use super::source::Source;
use crate::observe::transcript::Transcript;
use crate::present::problems::quoted_numbers;

/// The lines that will be quoted. They are read in one pass, when the first of them is asked for; one pass each would
/// be quadratic in an output with many failures.
pub(super) struct Quotes<'a> {
    from: From<'a>,
    /// In order, each once.
    wanted: Vec<u32>,
    lines: OnceCell<BTreeMap<u32, Vec<u8>>>,
}

enum From<'a> {
    Source(&'a Source),
    Transcript(&'a Transcript),
}

impl<'a> Quotes<'a> {
    /// Those of an output; of each block only the lines that are shown.
    pub(super) fn of(source: &'a Source, blocks: impl IntoIterator<Item = Lines>) -> Self {
        Self::new(From::Source(source), blocks)
    }

    /// Those of a run.
    pub(super) fn of_run(transcript: &'a Transcript, blocks: impl IntoIterator<Item = Lines>) -> Self {
        Self::new(From::Transcript(transcript), blocks)
    }

    fn new(from: From<'a>, blocks: impl IntoIterator<Item = Lines>) -> Self {
        let mut wanted: Vec<u32> = blocks.into_iter().flat_map(quoted_numbers).collect();
        wanted.sort_unstable();
        wanted.dedup();
        Self { from, wanted, lines: OnceCell::new() }
    }

    /// The line of this number, if it was among those wanted and can be read.
    pub(super) fn line(&self, number: u32) -> Option<Vec<u8>> {
        self.lines.get_or_init(|| self.read()).get(&number).cloned()
    }

    fn read(&self) -> BTreeMap<u32, Vec<u8>> {
        const LONGEST: usize = 4096;
        match self.from {
            From::Source(source) => {
                let mut lines = BTreeMap::new();
                let mut wanted = self.wanted.iter().peekable();
                source.each_line(&mut |number, text| {
                    if wanted.next_if_eq(&&number).is_some() {
                        lines.insert(number, text.get(..LONGEST).unwrap_or(text).to_vec());
                    }
                });
                lines
            }
            From::Transcript(transcript) => {
                let ranges: Vec<_> = self.wanted.iter().map(|number| *number..=*number).collect();
                let lines = transcript.lines(&ranges).unwrap_or_default();
                lines.into_iter().map(|line| (line.number, line.text)).collect()
            }
        }
    }
}
