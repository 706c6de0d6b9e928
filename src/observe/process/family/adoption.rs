//! On Linux a process can adopt what its descendants leave behind: it is a *subreaper*. So every process of a run
//! whose parent ended becomes a child of ours, also one that left the group, and can be found, ended and reaped.

use std::fs;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{
    Pid, WaitOptions, child_subreaper, getpgid, getpgrp, getpid, set_child_subreaper, waitpid,
};

use super::Left;

/// The runs of this process. Held while a leader starts, so that no other run takes it for a process left behind.
static RUNS: Mutex<Runs> = Mutex::new(Runs { leaders: Vec::new(), others: Vec::new(), was_subreaper: false });

struct Runs {
    leaders: Vec<Pid>,
    /// Children of this process that were there before the first run.
    others: Vec<Pid>,
    was_subreaper: bool,
}

/// A run's claim to what its leader leaves behind.
pub(super) struct Adoption {
    leader: Pid,
}

impl Adoption {
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let mut runs = runs();
        if runs.leaders.is_empty() {
            runs.others = children();
            runs.was_subreaper = matches!(child_subreaper(), Ok(Some(_)));
            // Where it is refused, what stays in the group is found still.
            let _ = set_child_subreaper(Some(getpid()));
        }
        let started = command.spawn();
        match started {
            Ok(child) => {
                let leader = Pid::from_child(&child);
                runs.leaders.push(leader);
                Ok((child, Self { leader }))
            }
            Err(error) => {
                runs.rest();
                Err(error)
            }
        }
    }

    /// The living processes that this run left to us. Reaps the dead.
    ///
    /// While several runs last, one that left its group may be anybody's: it is left to the run that ends last, lest
    /// the end of one run takes a process that another one needs.
    pub(super) fn left(&self) -> Vec<Left> {
        let runs = runs();
        let mut left = Vec::new();
        for pid in children() {
            if runs.others.contains(&pid) || runs.leaders.contains(&pid) {
                continue;
            }
            let Ok(group) = getpgid(Some(pid)) else { continue };
            let in_group = group == self.leader;
            // In our own group are the children of whoever shares this process with us.
            if group == getpgrp() || (runs.leaders.len() > 1 && !in_group) {
                continue;
            }
            if matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)) {
                left.push(Left { pid: Some(pid), name: name(pid), in_group });
            }
        }
        left
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        let mut runs = runs();
        runs.leaders.retain(|leader| *leader != self.leader);
        runs.rest();
    }
}

impl Runs {
    /// After the last run this process is no more of a parent than it was.
    fn rest(&self) {
        if self.leaders.is_empty() && !self.was_subreaper {
            let _ = set_child_subreaper(None);
        }
    }
}

fn runs() -> MutexGuard<'static, Runs> {
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The children of this process, zombies too. A kernel without this list has none to tell.
fn children() -> Vec<Pid> {
    let mut children = Vec::new();
    for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.extend(list.split_ascii_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)));
    }
    children
}

/// The name alone: arguments may hold secrets.
fn name(pid: Pid) -> String {
    let name = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    format!("`{}` (process {pid})", name.trim_ascii().escape_ascii())
}
