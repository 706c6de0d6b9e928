//! Without a subreaper only the process group is known: what leaves it isn't found.

use std::io;
use std::process::{Child, Command};

use rustix::process::{Pid, test_kill_process_group};

use super::Left;

/// A run's claim to what its leader leaves behind.
pub(super) struct Adoption {
    leader: Pid,
}

impl Adoption {
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let child = command.spawn()?;
        let leader = Pid::from_child(&child);
        Ok((child, Self { leader }))
    }

    /// The group, if anybody in it lives.
    pub(super) fn left(&self) -> Vec<Left> {
        let alive = test_kill_process_group(self.leader).is_ok();
        let group = || Left { pid: None, name: "a process of its group".to_owned(), in_group: true };
        alive.then(group).into_iter().collect()
    }
}
