//! The log, read and proved: every record has an `intent` and then a `done` line, and names the record before it.

use std::collections::HashMap;

use super::layout::parse_record_name;
use crate::digest::Sha256;
use crate::record::wire::{LogLine, LogState, TaskNumber};

/// The log, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Chain {
    lines: Vec<LogLine>,
    records: Vec<LogLine>,
    pending: Option<LogLine>,
    /// The greatest number of each stage.
    numbers: HashMap<String, u32>,
    length: u64,
    breaks: Vec<String>,
}

impl Chain {
    /// Reads a log. What stands after the last line feed was never finished, and is passed over.
    pub(super) fn read(log: &[u8]) -> Self {
        let mut chain = Self::default();
        for (at, line) in log.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let Some(json) = line.strip_suffix(b"\n") else { break };
            chain.length += line.len() as u64;
            match serde_json::from_slice(json) {
                Ok(line) => chain.add(line),
                Err(error) => chain.breaks.push(format!("line {} is no line of a log: {error}", at + 1)),
            }
        }
        chain
    }

    /// Adds a line, and notes what doesn't fit.
    fn add(&mut self, line: LogLine) {
        if let Err(why) = self.fits(&line) {
            self.breaks.push(format!("line {} ({}): {why}", self.lines.len() + 1, line.record));
        }
        if let Some((stage, number)) = parse_record_name(&line.record) {
            let last = self.numbers.entry(stage.to_owned()).or_default();
            *last = number.max(*last);
        }
        self.pending = match line.state {
            LogState::Intent => Some(line.clone()),
            LogState::Done | LogState::Abandoned => None,
        };
        if line.state == LogState::Done {
            self.records.push(line.clone());
        }
        self.lines.push(line);
    }

    /// Adds a line that was just written, with the length of its bytes.
    pub(super) fn push(&mut self, line: LogLine, bytes: u64) {
        self.length += bytes;
        self.add(line);
    }

    fn fits(&self, line: &LogLine) -> Result<(), String> {
        match (line.state, &self.pending) {
            (LogState::Intent, Some(pending)) => {
                Err(format!("{} was neither finished nor abandoned", pending.record))
            }
            (LogState::Intent, None) => self.intent_fits(line),
            (LogState::Done | LogState::Abandoned, None) => Err("no intent stands before it".to_owned()),
            (state, Some(pending)) => {
                let same = *pending == LogLine { state: LogState::Intent, ..line.clone() };
                let word = if state == LogState::Done { "finished" } else { "abandoned" };
                if same { Ok(()) } else { Err(format!("what was {word} isn't what was meant")) }
            }
        }
    }

    fn intent_fits(&self, line: &LogLine) -> Result<(), String> {
        let next = self.entries() + 1;
        if line.n != next {
            return Err(format!("its number is {}, and {next} comes next", line.n));
        }
        if line.previous != self.head() {
            return Err("the record that it names as the one before isn't".to_owned());
        }
        let Some((stage, number)) = parse_record_name(&line.record) else {
            return Err("it is no name of a record".to_owned());
        };
        if number < self.next_number(stage) {
            return Err("a later record of its stage stands before it".to_owned());
        }
        if self.lines.last().is_some_and(|last| last.task > line.task) {
            return Err("a later task stands before it".to_owned());
        }
        Ok(())
    }

    /// Every line that can be read.
    pub(super) fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    /// The finished records.
    pub(super) fn records(&self) -> &[LogLine] {
        &self.records
    }

    /// The record that was meant and is neither finished nor abandoned.
    pub(super) fn pending(&self) -> Option<&LogLine> {
        self.pending.as_ref()
    }

    /// The hash of the last finished record.
    pub(super) fn head(&self) -> Option<Sha256> {
        self.records.last().map(|line| line.sha256)
    }

    /// How many records were begun.
    pub(super) fn entries(&self) -> u64 {
        self.lines.last().map_or(0, |line| line.n)
    }

    /// The number of the next record of a stage. One that was abandoned isn't used again.
    pub(super) fn next_number(&self, stage: &str) -> u32 {
        self.numbers.get(stage).map_or(1, |last| last.saturating_add(1))
    }

    /// Which attempt at a stage comes next in a task.
    pub(super) fn next_attempt(&self, task: TaskNumber, stage: &str) -> u32 {
        let of_stage = |line: &&LogLine| {
            line.task == task && parse_record_name(&line.record).is_some_and(|(of, _)| of == stage)
        };
        u32::try_from(self.records.iter().filter(of_stage).count()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The length of the whole lines, in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// What doesn't fit, in order.
    pub(super) fn breaks(&self) -> &[String] {
        &self.breaks
    }
}
