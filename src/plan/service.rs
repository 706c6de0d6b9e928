//! What runs beside checks, and how it is seen to be ready.

use std::fmt;
use std::time::Duration;

use regex::bytes::Regex;

/// A program that runs while the checks run that need it.
#[derive(Debug, Clone)]
pub struct Service {
    /// Its id.
    pub id: String,
    /// The program and its arguments; no shell. It runs in the plan's folder, and in the foreground.
    pub command: Vec<String>,
    /// How it is seen to be ready.
    pub ready: Ready,
    /// How long that may take.
    pub timeout: Duration,
}

/// What says that a service is ready.
#[derive(Debug, Clone)]
pub enum Ready {
    /// A line of its output.
    Pattern(Regex),
    /// An address, `host:port`, that takes connections.
    Tcp(String),
    /// A page that is served with a status of 200 to 399.
    Http(Page),
    /// A file, relative to the plan's folder, that it writes anew.
    File(String),
}

/// A page by plain HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// `host:port`
    pub address: String,
    /// From the slash on.
    pub path: String,
}

impl Page {
    /// The page of an address that starts with `http://`.
    #[must_use]
    pub fn of_url(url: &str) -> Option<Self> {
        let rest = url.strip_prefix("http://")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let address = if is_address(host) { host.to_owned() } else { format!("{host}:80") };
        let plain = |text: &str| !text.contains(|char: char| char.is_control() || char == ' ');
        (is_address(&address) && plain(rest))
            .then(|| Self { address, path: if path.is_empty() { "/".to_owned() } else { path.to_owned() } })
    }
}

/// Whether a text is a host and a port.
#[must_use]
pub(super) fn is_address(text: &str) -> bool {
    let parts = text.rsplit_once(':');
    parts.is_some_and(|(host, port)| {
        let whole = !host.is_empty() && (!host.contains(':') || host.starts_with('[') && host.ends_with(']'));
        whole && port.parse::<u16>().is_ok_and(|port| port > 0)
    })
}

impl fmt::Display for Ready {
    /// As a clause: "once …".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(pattern) => write!(f, "a line of its output matches `{pattern}`"),
            Self::Tcp(address) => write!(f, "`{address}` takes connections"),
            Self::Http(Page { address, path }) => write!(f, "`http://{address}{path}` is served"),
            Self::File(path) => write!(f, "`{path}` is written"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for good in ["127.0.0.1:80", "localhost:8000", "[::1]:1"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["", "localhost", ":80", "a:0", "a:65536", "::1:80", "a:http"] {
            assert!(!is_address(bad), "{bad}");
        }
    }

    #[test]
    fn pages() {
        let page = |address: &str, path: &str| Some(Page { address: address.into(), path: path.into() });
        for (url, want) in [
            ("http://localhost:8000/health?x=1", page("localhost:8000", "/health?x=1")),
            ("http://localhost", page("localhost:80", "/")),
            ("http://[::1]:9/a", page("[::1]:9", "/a")),
            ("https://localhost/", None),
            ("http:///x", None),
            ("http://a:80/x y", None),
            ("http://a:80/\r\nX: y", None),
        ] {
            assert_eq!(Page::of_url(url), want, "{url}");
        }
    }
}
