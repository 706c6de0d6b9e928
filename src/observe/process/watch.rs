//! Watching a command from its start until nothing of it is left.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use redgreen_parsers::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::Signal;

use super::family::Family;
use super::{Cancel, Command, Finished, RunError};
use crate::observe::facts::{Ended, RunFacts};
use crate::observe::transcript::Merge;

/// How long the streams are read after the leader's end, while somebody holds them open.
const DRAIN: Duration = Duration::from_secs(2);

/// How long a process whose streams are closed has to end by itself before it counts as left behind.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// From SIGTERM to SIGKILL.
const GRACE: Duration = Duration::from_secs(5);

/// How long a SIGKILL has to work. Only a process that hangs in the kernel needs longer.
const KILL: Duration = Duration::from_secs(2);

/// How often to look where nothing wakes us.
const TICK: Duration = Duration::from_millis(5);

/// How often to reap what was left to us and ended, while the leader runs.
const REAP: Duration = Duration::from_secs(1);

const BLOCK: usize = 64 << 10;

/// Where a run is. The times are when to go on to the next.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// The leader lives.
    Running { reap: Instant },
    /// The leader ended by itself; others may still print.
    Draining { until: Instant },
    /// All were asked to end.
    Ending { until: Instant },
    /// All were killed.
    Killing { until: Instant },
}

struct Watch<'r> {
    command: &'r Command,
    cancel: &'r Cancel,
    tell: &'r mut dyn FnMut(Stream, &[u8]),
    family: Family,
    pipes: [Pipe; 2],
    buffer: Vec<u8>,
    merge: Merge,
    started: Instant,
    /// When something was printed last.
    spoke: Instant,
    bytes: u64,
    leader_ended: Option<Instant>,
    /// Why the run was cut off.
    cut_off: Option<Ended>,
}

struct Pipe {
    stream: Stream,
    /// `None`: it is closed.
    end: Option<OwnedFd>,
}

/// Reads a started command's streams, keeps its deadlines, and ends what it leaves behind.
pub(super) fn watch(
    command: &Command,
    cancel: &Cancel,
    mut family: Family,
    tell: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Finished, RunError> {
    let started = Instant::now();
    let (out, err) = family.take_pipes();
    let pipes = [
        Pipe::new(Stream::Out, out.map(OwnedFd::from))
            .map_err(RunError::system("set up the command's pipes"))?,
        Pipe::new(Stream::Err, err.map(OwnedFd::from))
            .map_err(RunError::system("set up the command's pipes"))?,
    ];
    let mut watch = Watch {
        command,
        cancel,
        tell,
        family,
        pipes,
        buffer: vec![0; BLOCK],
        merge: Merge::default(),
        started,
        spoke: started,
        bytes: 0,
        leader_ended: None,
        cut_off: None,
    };
    watch.until_nothing_is_left()?;
    watch.finish()
}

impl Watch<'_> {
    fn until_nothing_is_left(&mut self) -> Result<(), RunError> {
        let mut phase = Phase::Running { reap: self.started + REAP };
        let mut closed = None;
        loop {
            let now = Instant::now();
            if self.leader_ended.is_none() && self.family.leader_ended() {
                self.leader_ended = Some(now);
            }
            let open = self.pipes.iter().any(|pipe| pipe.end.is_some());
            if !open {
                closed.get_or_insert(now);
            }
            phase = match phase {
                Phase::Running { .. } | Phase::Draining { .. } if self.must_stop(now) => self.terminate(now),
                Phase::Running { .. } if self.leader_ended.is_some() => {
                    phase = Phase::Draining { until: now + DRAIN };
                    // Most often nothing is left: nothing would wake us then.
                    continue;
                }
                Phase::Running { reap } if now >= reap => {
                    self.family.left();
                    Phase::Running { reap: now + REAP }
                }
                Phase::Draining { .. } if !open && self.family.left() == 0 => return Ok(()),
                Phase::Draining { until } => {
                    let until =
                        closed.map_or(until, |closed| until.min(closed.max(self.leader_end()) + LAST_MOMENT));
                    if now >= until { self.terminate(now) } else { Phase::Draining { until } }
                }
                Phase::Ending { until } => {
                    self.note_cancel();
                    let left = self.family.sweep(Signal::TERM, self.cut_off.is_some());
                    if left == 0 && self.leader_ended.is_some() {
                        return self.drain(until);
                    }
                    if now >= until {
                        self.family.kill(self.cut_off.is_some());
                        Phase::Killing { until: now + KILL }
                    } else {
                        phase
                    }
                }
                Phase::Killing { until } => {
                    let left = self.family.sweep(Signal::KILL, self.cut_off.is_some());
                    if (left == 0 && self.leader_ended.is_some()) || now >= until {
                        return self.drain(until);
                    }
                    phase
                }
                running @ Phase::Running { .. } => running,
            };
            let wait = self.wait(phase, open);
            self.poll(wait.saturating_duration_since(now))?;
            self.read()?;
        }
    }

    /// Whether the run is to be cut off, and why.
    fn must_stop(&mut self, now: Instant) -> bool {
        self.note_cancel();
        if self.cut_off.is_none() && self.leader_ended.is_none() {
            let over =
                |since: Instant, limit: Option<Duration>| limit.is_some_and(|limit| now - since >= limit);
            if over(self.started, self.command.timeout) {
                self.cut_off = Some(Ended::Timeout);
            } else if over(self.spoke, self.command.inactivity_timeout) {
                self.cut_off = Some(Ended::Inactivity);
            }
        }
        self.cut_off.is_some()
    }

    /// Being told to stop is the reason, whatever else was.
    fn note_cancel(&mut self) {
        if let Some(signal) = self.cancel.signal() {
            self.cut_off = Some(Ended::Cancelled(signal));
        }
    }

    fn terminate(&mut self, now: Instant) -> Phase {
        self.family.terminate(self.cut_off.is_some());
        Phase::Ending { until: now + GRACE }
    }

    fn leader_end(&self) -> Instant {
        self.leader_ended.unwrap_or(self.started)
    }

    /// When to look again, at the latest.
    fn wait(&self, phase: Phase, open: bool) -> Instant {
        let soon = Instant::now() + TICK;
        match phase {
            Phase::Running { reap } => {
                let deadline = |since: Instant, limit: Option<Duration>| {
                    limit.and_then(|limit| since.checked_add(limit))
                };
                let no_wake = self.family.ends().is_none().then_some(soon);
                let timeout = deadline(self.started, self.command.timeout);
                let inactivity = deadline(self.spoke, self.command.inactivity_timeout);
                [no_wake, timeout, inactivity].into_iter().flatten().fold(reap, Instant::min)
            }
            Phase::Draining { until } if open => until,
            Phase::Draining { .. } | Phase::Ending { .. } | Phase::Killing { .. } => soon,
        }
    }

    /// Waits until there is something to read, the leader ends, we are told to stop, or the time is up.
    fn poll(&self, wait: Duration) -> Result<(), RunError> {
        // A signal's pipe and an ended leader stay readable: once seen they would keep us from waiting.
        let ends = self.family.ends().filter(|_| self.leader_ended.is_none());
        let wakes = self.cancel.wakes().filter(|_| self.cancel.signal().is_none());
        let pipes = self.pipes.iter().filter_map(|pipe| pipe.end.as_ref());
        let mut fds: Vec<_> = pipes.map(|end| PollFd::new(end, PollFlags::IN)).collect();
        fds.extend(ends.into_iter().chain(wakes).map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let wait = Timespec::try_from(wait).ok();
        match poll(&mut fds, wait.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(RunError::system("wait for the command's output")(error.into())),
        }
    }

    /// Reads a block from each stream that has one. Returns whether there was any.
    fn read(&mut self) -> Result<bool, RunError> {
        let mut any = false;
        for pipe in &mut self.pipes {
            let Some(end) = &pipe.end else { continue };
            match rustix::io::read(end, &mut self.buffer) {
                Ok(0) => pipe.end = None,
                Ok(read) => {
                    any = true;
                    self.spoke = Instant::now();
                    let room = self.command.output_limit - self.bytes;
                    let kept = usize::try_from(room).unwrap_or(usize::MAX).min(read);
                    self.bytes += kept as u64;
                    if kept < read && self.cut_off.is_none() {
                        self.cut_off = Some(Ended::OutputLimit);
                    }
                    (self.tell)(pipe.stream, &self.buffer[..kept]);
                    self.merge.push(pipe.stream, &self.buffer[..kept]).map_err(RunError::store)?;
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(RunError::system("read the command's output")(error.into())),
            }
        }
        Ok(any)
    }

    /// Reads what the ended processes left in the pipes. Somebody whom we don't know may still write: not for ever.
    fn drain(&mut self, until: Instant) -> Result<(), RunError> {
        while self.read()? && Instant::now() < until {}
        Ok(())
    }

    fn finish(self) -> Result<Finished, RunError> {
        let ran_to = self.leader_ended.unwrap_or_else(Instant::now);
        let (ended, orphans) =
            self.family.finish().map_err(RunError::system("learn how the command ended"))?;
        // A leader that can't be ended was cut off: there is a reason.
        let ended = self.cut_off.or(ended).unwrap_or(Ended::Timeout);
        let facts = RunFacts { ended, duration: ran_to - self.started, program: None, orphans };
        Ok(Finished { facts, transcript: self.merge.finish().map_err(RunError::store)? })
    }
}

impl Pipe {
    fn new(stream: Stream, end: Option<OwnedFd>) -> std::io::Result<Self> {
        if let Some(end) = &end {
            fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { stream, end })
    }
}
