//! What a CI system, a multiplexer or a clock puts before each line of a log.
//!
//! Which it is, is seen in the first lines, of which nearly all must have it; then it is taken off every line that has
//! it. A line without one stays as it is.
//!
//! Sources: the raw logs of GitHub Actions and Azure Pipelines (an RFC 3339 time), `gh run view --log` (job and step
//! before it), GitLab's `FF_TIMESTAMPS` (a stream mark behind it), Jenkins' timestamper, TeamCity, Buildkite, `ts` of
//! moreutils, `docker compose`, BuildKit's plain progress, and the `package:script:` of workspace runners.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::Report;
use crate::feed::{Line, Parser, Stream};
use crate::text::clean;

/// So many lines tell which it is.
const SAMPLE: usize = 200;

/// Of them so many must have it, out of ten.
const MOST: usize = 9;

/// Each with the least number of lines that must have it: one line alone may look like much, but not like a time with
/// its date and zone. A part that must be the same on every line is the group `name`.
const SHAPES: [(usize, &str); 12] = [
    // `gh run view --log`: job, step, time.
    (1, r"^[^\t]{1,200}\t[^\t]{1,200}\t(?:\xef\xbb\xbf)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?: |$)"),
    // GitHub Actions, Azure Pipelines; GitLab with its mark; containers under Kubernetes.
    (
        1,
        r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?:(?: \d\d[OE](?:\+? |\+?$))| std(?:out|err) [FP](?: |$)| |$)",
    ),
    // Buildkite, Jenkins.
    (1, r"^\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\](?: |$)"),
    (2, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?: {1,2}|$)"),
    // TeamCity; a bare clock in brackets.
    (2, r"^\[\d\d:\d\d:\d\d(?:\.\d+)?\](?:[ WEiFX]?:\t? ?)?(?:\[Step \d+/\d+\])?(?: |$)"),
    (2, r"^\d\d:\d\d:\d\d(?:\.\d+)?(?: {1,2}|$)"),
    // `ts`; `journalctl` with host and process.
    (2, r"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: [\w.-]{1,100} [\w./-]{1,100}\[\d+\]:)?(?: |$)"),
    // BuildKit.
    (2, r"^(?P<name>#\d+) \d+\.\d+(?: |$)"),
    // docker compose, Earthly, act; turbo, pnpm.
    (2, r"^(?P<name>(?:\[[\w./ -]{1,100}\]|\+?[\w.-]{1,100}) +\||[@\w./-]{1,100}[: ][\w.-]{1,60}:)(?: |$)"),
    // concurrently. A word in capitals is a level: `[INFO]`.
    (2, r"^(?P<name>\[(?:\d{1,3}|[@\w./-]*[a-z][@\w./-]*)\])(?: |$)"),
    // Drone, which counts the lines.
    (2, r"^\[[\w.-]*[a-z][\w.-]*:\d+\](?: |$)"),
    // lerna; pnpm beside a single package.
    (3, r"^(?P<name>[@\w./-]{1,100}:|\xe2\x94\x82)(?: |$)"),
];

static PATTERNS: LazyLock<Vec<(usize, Regex)>> = LazyLock::new(|| {
    let build = |(least, pattern): &(usize, &str)| {
        RegexBuilder::new(pattern).unicode(false).build().ok().map(|regex| (*least, regex))
    };
    SHAPES.iter().filter_map(build).collect()
});

/// What stands before each line of a log.
#[derive(Debug, Clone)]
pub struct Envelope {
    shape: &'static Regex,
    name: Option<Vec<u8>>,
}

impl Envelope {
    /// What stands before each of the first lines of this output, if nearly all have the same.
    #[must_use]
    pub fn of(head: &[u8]) -> Option<Self> {
        let mut scratch = Vec::new();
        let mut lines: Vec<Vec<u8>> = Vec::new();
        for raw in head.split(|byte| *byte == b'\n') {
            // What overwrites a line overwrites the time before it as well.
            let first = raw.split(|byte| *byte == b'\r').find(|part| !part.is_empty()).unwrap_or_default();
            let text = clean(first, &mut scratch);
            if !text.trim_ascii().is_empty() {
                lines.push(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).to_vec());
            }
            if lines.len() == SAMPLE {
                break;
            }
        }
        PATTERNS.iter().find_map(|(least, shape)| {
            let enough = |count: usize| count >= *least && count * 10 >= lines.len() * MOST;
            let name = lines.iter().find_map(|line| named(shape, line));
            if name.is_none() && shape.captures_len() > 1 {
                return None;
            }
            let envelope = Self { shape, name };
            enough(lines.iter().filter(|line| envelope.len(line).is_some()).count()).then_some(envelope)
        })
    }

    /// How much of a line it is; `None`: the line has none.
    fn len(&self, text: &[u8]) -> Option<usize> {
        match &self.name {
            None => self.shape.find(text).map(|found| found.end()),
            Some(name) => {
                let captures = self.shape.captures(text)?;
                let same = captures.name("name").is_some_and(|found| found.as_bytes() == name.as_slice());
                captures.get(0).filter(|_| same).map(|found| found.end())
            }
        }
    }

    /// The line without it.
    #[must_use]
    pub fn open<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        self.len(text).and_then(|len| text.get(len..)).unwrap_or(text)
    }

    /// A parser for lines that have it.
    pub(crate) fn around(&self, inner: Box<dyn Parser>) -> Box<dyn Parser> {
        Box::new(Opened { envelope: self.clone(), inner })
    }
}

fn named(shape: &Regex, line: &[u8]) -> Option<Vec<u8>> {
    /// Words that tools put before what they say.
    const LEVELS: [&[u8]; 8] =
        [b"error:", b"warning:", b"note:", b"fatal:", b"info:", b"hint:", b"usage:", b"debug:"];
    let name = shape.captures(line)?.name("name")?.as_bytes();
    let is_level = LEVELS.iter().any(|level| name.eq_ignore_ascii_case(level));
    (!is_level).then(|| name.to_vec())
}

/// Takes the envelope off each line before another parser sees it.
struct Opened {
    envelope: Envelope,
    inner: Box<dyn Parser>,
}

impl Parser for Opened {
    fn line(&mut self, line: Line<'_>, stream: Stream) {
        let text = self.envelope.open(line.text);
        if self.inner.takes_raw() {
            self.inner.raw(text, line.number, stream);
            let end: &[u8] = if line.ended { b"\n" } else { b"" };
            self.inner.raw(end, line.number, stream);
        } else {
            self.inner.line(Line { text, ..line }, stream);
        }
    }

    fn end(&mut self) -> Vec<Report> {
        self.inner.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(log: &str, opened: &[&str]) {
        let envelope = Envelope::of(log.as_bytes());
        let open = |line: &str| match &envelope {
            Some(envelope) => String::from_utf8_lossy(envelope.open(line.as_bytes())).into_owned(),
            None => line.to_owned(),
        };
        assert_eq!(log.lines().map(open).collect::<Vec<_>>(), opened);
    }

    #[test]
    fn every_shape_is_a_pattern() {
        assert_eq!(PATTERNS.len(), SHAPES.len());
    }

    #[test]
    fn clocks_of_ci_systems_go() {
        check("2026-11-30T22:01:02.1234567Z ok 1\n2026-11-30T22:01:02.2234567Z   ---", &["ok 1", "  ---"]);
        check("2026-11-30T22:01:02Z a\n2026-11-30T22:01:02Z\n2026-11-30T22:01:02Z ", &["a", "", ""]);
        check("2026-11-30T22:01:02.123456Z 00O a\n2026-11-30T22:01:02.123456Z 00O+ b", &["a", "b"]);
        check("[2026-11-30T22:01:02.123Z] a\n[2026-11-30T22:01:03.123Z]  b", &["a", " b"]);
        check("22:01:02  a\n22:01:03  b", &["a", "b"]);
        check("[22:01:02] :\t [Step 1/3] a\n[22:01:02]W:\t [Step 1/3]   b", &["a", "  b"]);
        check("Nov 30 22:01:02 vm ci[7]: a\nNov 30 22:01:02 vm ci[7]:   b", &["a", "  b"]);
        check("2026-11-30T22:01:02.1Z stdout F a\n2026-11-30T22:01:02.1Z stderr F   b", &["a", "  b"]);
        check("Nov 30 22:01:02 a\nNov  1 22:01:02 b", &["a", "b"]);
        check("2026-11-30 22:01:02,123 a\n2026-11-30 22:01:02,124 b", &["a", "b"]);
        check(
            "build\tRun pytest\t2026-11-30T22:01:02.1Z a\nbuild\tRun jest\t2026-11-30T22:01:02.1Z   b",
            &["a", "  b"],
        );
    }

    #[test]
    fn names_go_where_all_are_the_same() {
        check("web-1  | a\nweb-1  |   b", &["a", "  b"]);
        check("#12 3.456 a\n#12 3.459 b", &["a", "b"]);
        check("@acme/web:test: a\n@acme/web:test:\n@acme/web:test:  b", &["a", "", " b"]);
        check("web: a\nweb:\nweb:   b", &["a", "", "  b"]);
        check("[0] a\n[0]   b", &["a", "  b"]);
        check("[test:1] a\n[test:2]   b", &["a", "  b"]);
        check("+test | a\n+test |   b", &["a", "  b"]);
        check("[CI/build]   | a\n[CI/build]   |   b", &["a", "  b"]);
        check("│ a\n│   b\n│", &["a", "  b", ""]);
        check("[INFO] a\n[INFO] b", &["[INFO] a", "[INFO] b"]);
        // Two interleave: nobody could read them as one.
        check("web-1  | a\ndb-1   | b", &["web-1  | a", "db-1   | b"]);
    }

    #[test]
    fn a_line_without_it_stays() {
        let log = "22:01:02 a\n22:01:02 b\nno clock\n".to_owned() + &"22:01:03 c\n".repeat(20);
        let envelope = Envelope::of(log.as_bytes()).unwrap();
        assert_eq!(envelope.open(b"no clock"), b"no clock");
    }

    #[test]
    fn what_a_program_logs_is_no_envelope() {
        check("ok 1 - a\n22:01:02 b\n22:01:02 c", &["ok 1 - a", "22:01:02 b", "22:01:02 c"]);
        check("1..2\nok 1\nok 2", &["1..2", "ok 1", "ok 2"]);
        check("22:01:02 alone", &["22:01:02 alone"]);
        check("2026-11-30T22:01:02Z alone", &["alone"]);
        let errors = "error: a\nerror: b\nerror: c";
        check(errors, &errors.lines().collect::<Vec<_>>());
        check("", &[]);
    }
}
