//! Waiting for a folder to change.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _, recommended_watcher};

use super::Kind;
use crate::observe::process::Cancel;

/// How often to look whether to stop.
const TICK: Duration = Duration::from_millis(50);

/// Changes that come within this time are looked at together.
const TOGETHER: Duration = Duration::from_millis(20);

/// Tells when files of claims, briefs, scopes or questions change.
#[derive(Debug)]
pub struct Watcher {
    events: Receiver<notify::Result<Event>>,
    /// It ends the watch when it goes.
    _watch: RecommendedWatcher,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// Something changed.
    Changed,
    /// The time is over.
    TimeOver,
    /// It was told to stop, by this signal.
    Cancelled(i32),
}

impl Watcher {
    /// Watches these folders, without those below.
    ///
    /// # Errors
    /// When the system can't watch one of them.
    pub fn new<'p>(folders: impl IntoIterator<Item = &'p Path>) -> notify::Result<Self> {
        let (to, events) = channel();
        let mut watch = recommended_watcher(to)?;
        for folder in folders {
            watch.watch(folder, RecursiveMode::NonRecursive)?;
        }
        Ok(Self { events, _watch: watch })
    }

    /// Waits until something changes, but no longer than this.
    pub fn wait(&self, time: Duration, cancel: &Cancel) -> Wake {
        let until = Instant::now() + time;
        loop {
            if let Some(signal) = cancel.signal() {
                return Wake::Cancelled(signal);
            }
            let Some(left) = until.checked_duration_since(Instant::now()) else { return Wake::TimeOver };
            match self.events.recv_timeout(left.min(TICK)) {
                Ok(event) if counts(&event) => {
                    self.drain();
                    return Wake::Changed;
                }
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                // Nothing will come any more; the time alone wakes.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(left.min(TICK)),
            }
        }
    }

    fn drain(&self) {
        let until = Instant::now() + TOGETHER;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            if self.events.recv_timeout(left).is_err() {
                return;
            }
        }
    }
}

/// Whether an event is of a file that is read here. What is written here are others.
fn counts(event: &notify::Result<Event>) -> bool {
    match event {
        Ok(event) if event.kind.is_access() => false,
        Ok(event) => {
            event.need_rescan()
                || event.paths.iter().any(|path| path.file_name().and_then(Kind::of).is_some())
        }
        // Events were lost: look at everything.
        Err(_) => true,
    }
}
