//! The processes of one run: the command itself (the *leader*), its process group, and what left the group.

#[cfg_attr(not(any(target_os = "linux", target_os = "android")), path = "family/group.rs")]
#[cfg_attr(any(target_os = "linux", target_os = "android"), path = "family/adoption.rs")]
mod adoption;

use std::collections::HashSet;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdout};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use adoption::Adoption;

use crate::observe::facts::Ended;

/// More processes than this are counted, not named.
const NAMED_ORPHANS: usize = 20;

/// A process that runs without the leader.
struct Left {
    /// `None`: the system only tells that there is one.
    pid: Option<Pid>,
    name: String,
    in_group: bool,
}

pub(super) struct Family {
    leader: Child,
    pid: Pid,
    /// Becomes readable when the leader ends, where the system can do that.
    ends: Option<OwnedFd>,
    adoption: Adoption,
    seen: HashSet<Option<Pid>>,
    orphans: Vec<String>,
    unnamed: usize,
    finished: bool,
}

impl Family {
    pub(super) fn start(mut command: std::process::Command) -> io::Result<Self> {
        let (leader, adoption) = Adoption::start(&mut command)?;
        let pid = Pid::from_child(&leader);
        Ok(Self {
            leader,
            pid,
            ends: pidfd(pid),
            adoption,
            seen: HashSet::new(),
            orphans: Vec::new(),
            unnamed: 0,
            finished: false,
        })
    }

    pub(super) fn take_pipes(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.leader.stdout.take(), self.leader.stderr.take())
    }

    /// Becomes readable when the leader ends. `None`: ask [`leader_ended`](Self::leader_ended) again and again.
    pub(super) fn ends(&self) -> Option<BorrowedFd<'_>> {
        self.ends.as_ref().map(AsFd::as_fd)
    }

    /// Whether the leader ended. It isn't reaped, so that its group's number stays its own.
    pub(super) fn leader_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that there is nothing to wait for.
        !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None) | Err(rustix::io::Errno::INTR))
    }

    /// How many processes of this run are alive beside the leader and those whose parent still lives. Reaps the dead.
    pub(super) fn left(&self) -> usize {
        self.adoption.left().len()
    }

    /// Asks all to end. `by_us`: the command is cut off, so that what is left in its group is nothing to tell.
    pub(super) fn terminate(&mut self, by_us: bool) {
        // First, to see who is there before they are gone.
        self.sweep(Signal::TERM, by_us);
        let _ = kill_process_group(self.pid, Signal::TERM);
    }

    /// Ends all, now.
    pub(super) fn kill(&mut self, by_us: bool) {
        self.sweep(Signal::KILL, by_us);
        let _ = kill_process_group(self.pid, Signal::KILL);
    }

    /// Signals those that left the group and weren't signalled yet, for as parents end there are new ones. Returns
    /// how many are left.
    pub(super) fn sweep(&mut self, signal: Signal, by_us: bool) -> usize {
        let left = self.adoption.left();
        for process in &left {
            let new = self.seen.insert(process.pid);
            if new && !(by_us && process.in_group) {
                self.tell(process);
            }
            if let Some(pid) = process.pid
                && (signal == Signal::KILL || (new && !process.in_group))
            {
                // It is our child and only we reap it: the number is still its own.
                let _ = kill_process(pid, signal);
            }
        }
        left.len()
    }

    fn tell(&mut self, process: &Left) {
        if self.orphans.len() >= NAMED_ORPHANS {
            self.unnamed += 1;
            return;
        }
        let name = &process.name;
        self.orphans.push(if process.in_group {
            format!("{name} was still running after the command and was ended")
        } else {
            format!("{name} had left the command's process group, was still running after it and was ended")
        });
    }

    /// Reaps the leader: how it ended, unless it can't be ended, and what it left behind.
    pub(super) fn finish(mut self) -> io::Result<(Option<Ended>, Vec<String>)> {
        let stuck = !self.leader_ended();
        let mut orphans = std::mem::take(&mut self.orphans);
        if self.unnamed > 0 {
            orphans.push(format!("{} more processes were still running and were ended", self.unnamed));
        }
        let stuck_orphans = self.left();
        if stuck || stuck_orphans > 0 {
            orphans
                .push(format!("{} of its processes could not be ended", stuck_orphans + usize::from(stuck)));
        }
        self.finished = true;
        if stuck {
            return Ok((None, orphans));
        }
        let status = self.leader.wait()?;
        let ended = status.code().map(Ended::Exit).or(status.signal().map(Ended::Signal));
        Ok((ended, orphans))
    }
}

impl Drop for Family {
    /// Leaves nothing running when the run broke off by an error.
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        let until = Instant::now() + Duration::from_secs(2);
        self.kill(true);
        while Instant::now() < until && !(self.leader_ended() && self.left() == 0) {
            std::thread::sleep(Duration::from_millis(1));
            self.kill(true);
        }
        let _ = self.leader.try_wait();
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn pidfd(_: Pid) -> Option<OwnedFd> {
    None
}
