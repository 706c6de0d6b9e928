//! Whether a service is ready, seen from outside.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::output::Output;
use crate::plan::{Page, Ready};

/// How long an address may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// A look at what says that a service is ready.
pub(super) enum Probe<'s> {
    /// Its output says it.
    Output,
    Tcp(&'s str),
    Http(&'s Page),
    /// A file, and when it was written before the service began.
    File(PathBuf, Option<SystemTime>),
}

impl<'s> Probe<'s> {
    /// Made before the service is started. Paths are relative to `folder`.
    pub(super) fn of(ready: &'s Ready, folder: &Path) -> Self {
        match ready {
            Ready::Pattern(_) => Self::Output,
            Ready::Tcp(address) => Self::Tcp(address),
            Ready::Http(page) => Self::Http(page),
            Ready::File(path) => {
                let path = folder.join(path);
                let written = written(&path);
                Self::File(path, written)
            }
        }
    }

    /// Why what it looks at would be no sign of the service: somebody else answers already.
    pub(super) fn is_taken(&self) -> Option<String> {
        let address = match self {
            Self::Tcp(address) => *address,
            Self::Http(page) => page.address.as_str(),
            Self::Output | Self::File(..) => return None,
        };
        connect(address).map(|_| {
            format!(
                "something else answers at `{address}` already; end it, or give the service another address"
            )
        })
    }

    pub(super) fn is_ready(&self, output: &Output) -> bool {
        match self {
            Self::Output => output.matched(),
            Self::Tcp(address) => connect(address).is_some(),
            Self::Http(page) => is_served(page).unwrap_or(false),
            Self::File(path, before) => written(path).is_some_and(|now| Some(now) != *before),
        }
    }
}

fn written(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|meta| meta.modified()).ok()
}

fn connect(address: &str) -> Option<TcpStream> {
    address.to_socket_addrs().ok()?.find_map(|address| TcpStream::connect_timeout(&address, PATIENCE).ok())
}

/// Whether a page is served with a status of 200 to 399. No more of the answer is read than its first line needs.
fn is_served(page: &Page) -> Option<bool> {
    let Page { address, path } = page;
    let mut stream = connect(address)?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\nConnection: close\r\n\r\n").ok()?;
    let mut head = [0; "HTTP/1.1 200".len()];
    stream.read_exact(&mut head).ok()?;
    let [b'H', b'T', b'T', b'P', b'/', b'1', b'.', _, b' ', first, _, _] = head else { return Some(false) };
    Some(matches!(first, b'2' | b'3'))
}
