//! What a service prints: looked through for the line that says that it is ready, and its last lines kept.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redgreen_parsers::{Feed, Line, Parser, Report, Stream};
use regex::bytes::Regex;

use crate::plan::Ready;

/// How many of the last lines are kept, and how much of each.
const LINES: usize = 5;
const BYTES: usize = 300;

/// What is known of a service by its output, shared by the thread that reads it and the one that waits.
#[derive(Debug)]
pub(super) struct Output {
    pattern: Option<Regex>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    matched: bool,
    last: VecDeque<String>,
    /// How it ended.
    ended: Option<String>,
}

impl Output {
    /// Nothing yet of a service that is ready by this.
    pub(super) fn until(ready: &Ready) -> Self {
        let pattern = match ready {
            Ready::Pattern(pattern) => Some(pattern.clone()),
            _ => None,
        };
        Self { pattern, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Runs something that hands on blocks of output as they come.
    pub(super) fn reading<T>(&self, run: impl FnOnce(&mut dyn FnMut(Stream, &[u8])) -> T) -> T {
        let mut lines = Lines(self);
        let mut feed = Feed::new(&mut lines);
        let done = run(&mut |stream, block| feed.push(block, stream));
        feed.finish();
        done
    }

    pub(super) fn end(&self, how: String) {
        self.state().ended = Some(how);
        self.changed.notify_all();
    }

    pub(super) fn ended(&self) -> Option<String> {
        self.state().ended.clone()
    }

    /// Whether a line matched.
    pub(super) fn matched(&self) -> bool {
        self.state().matched
    }

    /// The last lines, as the end of a sentence.
    pub(super) fn last(&self) -> String {
        let state = self.state();
        if state.last.is_empty() {
            return "; it printed nothing".to_owned();
        }
        let lines: Vec<&str> = state.last.iter().map(String::as_str).collect();
        format!("; its last output: `{}`", lines.join(" ⏎ "))
    }

    /// Waits for something new, at most so long.
    pub(super) fn wait(&self, at_most: Duration) {
        drop(self.changed.wait_timeout(self.state(), at_most));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads lines, without escapes.
struct Lines<'o>(&'o Output);

impl Parser for Lines<'_> {
    fn line(&mut self, line: Line<'_>, _: Stream) {
        let text = line.text.trim_ascii();
        if text.is_empty() {
            return;
        }
        let matches = self.0.pattern.as_ref().is_some_and(|pattern| pattern.is_match(line.text));
        let mut state = self.0.state();
        if state.last.len() == LINES {
            state.last.pop_front();
        }
        let cut = text.get(..BYTES).unwrap_or(text);
        state.last.push_back(String::from_utf8_lossy(cut).into_owned());
        state.matched |= matches;
        if matches {
            self.0.changed.notify_all();
        }
    }

    fn end(&mut self) -> Vec<Report> {
        Vec::new()
    }
}
