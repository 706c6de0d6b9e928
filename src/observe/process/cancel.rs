//! Being told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether to stop, and a file descriptor that becomes readable then.
#[derive(Debug, Default)]
pub struct Cancel {
    /// 0, or the signal.
    signal: Arc<AtomicUsize>,
    #[cfg(unix)]
    wake: Option<Wake>,
}

impl Cancel {
    /// Never stops.
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    /// The signal that asked to stop.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        let signal = self.signal.load(Ordering::SeqCst);
        i32::try_from(signal).ok().filter(|signal| *signal != 0)
    }
}

#[cfg(unix)]
mod wake {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

    use rustix::pipe::{PipeFlags, pipe_with};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    use super::{AtomicUsize, Cancel, Ordering};

    /// A pipe that nobody empties: once written to it stays readable, for every run that waits.
    #[derive(Debug)]
    pub(super) struct Wake {
        read: OwnedFd,
        write: OwnedFd,
    }

    impl Cancel {
        /// Stops by SIGINT, SIGTERM and SIGHUP, except those that this process was started to ignore. To be called once.
        ///
        /// # Errors
        /// When no pipe can be made or a handler can't be set.
        pub fn on_signals() -> io::Result<Self> {
            let cancel = Self::on_demand()?;
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                // A shell's background job ignores SIGINT, `nohup` has SIGHUP ignored: a handler would undo that.
                let Ok(value) = usize::try_from(signal) else { continue };
                if is_ignored(signal) {
                    continue;
                }
                // Handlers run in this order, so that whoever is woken finds the signal set.
                signal_hook::flag::register_usize(signal, cancel.signal.clone(), value)?;
                if let Some(wake) = &cancel.wake {
                    signal_hook::low_level::pipe::register(signal, wake.write.try_clone()?)?;
                }
            }
            Ok(cancel)
        }

        /// Stops when [`stop`](Self::stop) is called.
        ///
        /// # Errors
        /// When no pipe can be made.
        pub fn on_demand() -> io::Result<Self> {
            let (read, write) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
            Ok(Self { signal: AtomicUsize::new(0).into(), wake: Some(Wake { read, write }) })
        }

        /// Stops as if this signal had come. Does nothing on [`never`](Self::never).
        pub fn stop(&self, signal: i32) {
            let (Some(wake), Ok(signal)) = (&self.wake, usize::try_from(signal)) else { return };
            self.signal.store(signal, Ordering::SeqCst);
            // It fails only when the pipe is full, and then it is readable already.
            let _ = rustix::io::write(&wake.write, b"!");
        }

        /// Becomes readable, and stays so, when there is a signal.
        pub(in super::super) fn wakes(&self) -> Option<BorrowedFd<'_>> {
            self.wake.as_ref().map(|wake| wake.read.as_fd())
        }
    }

    /// Where the system doesn't tell, nothing counts as ignored.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        mask >> (signal - 1) & 1 == 1
    }
}

#[cfg(unix)]
use wake::Wake;

#[cfg(not(unix))]
impl Cancel {
    /// Never stops: signals are not observed on this system.
    ///
    /// # Errors
    /// None here.
    pub fn on_signals() -> std::io::Result<Self> {
        Ok(Self::never())
    }

    /// Stops when [`stop`](Self::stop) is called.
    ///
    /// # Errors
    /// None here.
    pub fn on_demand() -> std::io::Result<Self> {
        Ok(Self::never())
    }

    /// Stops as if this signal had come.
    pub fn stop(&self, signal: i32) {
        self.signal.store(usize::try_from(signal).unwrap_or_default(), Ordering::SeqCst);
    }
}
