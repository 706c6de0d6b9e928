//! The line above what jest says of a file: `FAIL lib/box.test.js (5.2 s)`.
//!
//! In colour the word is a badge with blanks around it, and so is the name of a project: ` FAIL   client  lib/a.test.js`.

use crate::text::{lossy, number};

/// What such a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) failed: bool,
    /// The name of the project, where there is one.
    pub(super) project: Option<String>,
    /// Whether that may as well be the start of a path with a blank.
    pub(super) is_guess: bool,
    /// Below the project's root, with `/`, as printed but for a `./` in front.
    pub(super) path: String,
}

/// Reads a line. A path is printed with its folder, so without a `/` and an extension there is none.
pub(super) fn read(text: &[u8]) -> Option<Header> {
    let (badge, rest, in_colour) = match text {
        [b' ', badge @ ..] if badge.get(4..6) == Some(b"  ") => (badge, badge.get(6..)?, true),
        _ if text.get(4) == Some(&b' ') => (text, text.get(5..)?, false),
        _ => return None,
    };
    let failed = match badge.get(..4)? {
        b"FAIL" => true,
        b"PASS" => false,
        _ => return None,
    };
    let rest = lossy(rest);
    let rest = without_details(&rest);
    let (project, path) = match rest.strip_prefix(' ').and_then(|rest| rest.split_once("  ")) {
        Some((project, path)) if in_colour => (Some(project), path),
        _ if in_colour => (None, rest),
        _ => split(rest),
    };
    is_path(path).then(|| Header {
        failed,
        project: project.map(str::to_owned),
        is_guess: !in_colour && !path.starts_with("./"),
        path: path.strip_prefix("./").unwrap_or(path).to_owned(),
    })
}

fn is_path(path: &str) -> bool {
    let Some((folder, file)) = path.rsplit_once('/') else { return false };
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !folder.is_empty()
        && !path.starts_with(' ')
        && (1..=10).contains(&extension.len())
        && extension.chars().all(plain)
}

/// Without colour a project's name and a blank in a path look alike. Names of projects are the more usual.
fn split(rest: &str) -> (Option<&str>, &str) {
    if !rest.contains(' ') {
        return (None, rest);
    }
    let mut at = 0;
    for word in rest.split(' ') {
        // A project may be called as a package is.
        if word.contains('/') && !word.starts_with('@') {
            let project = rest.get(..at).map(str::trim_end).filter(|project| !project.is_empty());
            return (project, rest.get(at..).unwrap_or(rest));
        }
        at += word.len() + 1;
    }
    (None, rest)
}

/// Takes off ` (5.2 s, 35 MB heap size)`.
fn without_details(text: &str) -> &str {
    let Some((path, details)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) else {
        return text;
    };
    let is_detail = |detail: &str| detail.ends_with(" MB heap size") || is_duration(detail.as_bytes());
    if details.split(", ").all(is_detail) { path } else { text }
}

/// `5 ms`, `1.203 s`, and in older versions `5ms`, `1.2s`.
pub(super) fn is_duration(text: &[u8]) -> bool {
    seconds(text).is_some()
}

/// The seconds of a duration.
pub(super) fn seconds(text: &[u8]) -> Option<f32> {
    let (whole, rest) = number(text)?;
    let mut value = u16::try_from(whole).map_or(f32::MAX, f32::from);
    if rest == b" ms" {
        // Nearly all of them.
        return Some(value / 1000.0);
    }
    let rest = match rest.strip_prefix(b".") {
        Some(after) => {
            let (_, rest) = number(after)?;
            let digits = text.get(..text.len() - rest.len())?;
            value = std::str::from_utf8(digits).ok()?.parse().ok()?;
            rest
        }
        None => rest,
    };
    match rest.strip_prefix(b" ").unwrap_or(rest) {
        b"ms" => Some(value / 1000.0),
        b"s" => Some(value),
        b"m" | b"min" => Some(value * 60.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, want: Option<(bool, &str, &str)>) {
        let read = read(line.as_bytes());
        let read = read
            .as_ref()
            .map(|read| (read.failed, read.project.as_deref().unwrap_or(""), read.path.as_str()));
        assert_eq!(read, want, "{line}");
    }

    #[test]
    fn a_path_with_what_stands_around_it() {
        check("PASS ./a.test.js", Some((false, "", "a.test.js")));
        check("FAIL lib/a.test.ts (5.2 s)", Some((true, "", "lib/a.test.ts")));
        check("FAIL ../x/a.js (5.203s, 35 MB heap size)", Some((true, "", "../x/a.js")));
        check("PASS lib/a (5 s).test.js", Some((false, "", "lib/a (5 s).test.js")));
        check(" PASS  lib/a.test.js", Some((false, "", "lib/a.test.js")));
    }

    #[test]
    fn a_project_has_a_badge() {
        check("FAIL client ./a.test.js", Some((true, "client", "a.test.js")));
        check("PASS server side lib/a.test.js", Some((false, "server side", "lib/a.test.js")));
        check("PASS @kit/box lib/a.test.js", Some((false, "@kit/box", "lib/a.test.js")));
        check(" FAIL   server side  lib/a.test.js", Some((true, "server side", "lib/a.test.js")));
        check(" FAIL  my tests/a.test.js", Some((true, "", "my tests/a.test.js")));
        check("FAIL my tests/a.test.js", Some((true, "my", "tests/a.test.js")));
    }

    #[test]
    fn what_people_print_is_no_header() {
        for line in [
            "PASS",
            "FAIL ",
            "PASS: a/b.js",
            "FAIL to connect",
            "PASS 3 of 4",
            "FAILED a/b.js",
            "FAIL /health",
            "PASS a.test.js",
            "FAIL a/b",
            " PASS ",
            "PASSx a/b.js",
            "RUNS a/b.js",
        ] {
            check(line, None);
        }
    }

    #[test]
    fn durations_have_units() {
        for (text, want) in [("5 ms", 0.005), ("12ms", 0.012), ("1.5 s", 1.5), ("2m", 120.0)] {
            assert!((seconds(text.as_bytes()).unwrap() - want).abs() < 1e-4, "{text}");
        }
        for text in ["", "5", "ms", "5 ms ", "x5 ms", "1. s"] {
            assert!(seconds(text.as_bytes()).is_none(), "{text}");
        }
    }
}
