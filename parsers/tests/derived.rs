//! What must hold of every recording of the corpus, whatever it says: its prefixes promise no more than it does, and
//! its twins, which differ in what carries no meaning, read the same.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests read the corpus, and say what went wrong by panicking"
)]

use std::cell::Cell;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_parsers::{
    Case, Completeness, Feed, Format, NoteCode, Options, Report, Status, Stream, parse, read,
};

/// How many recordings a failing test names.
const MOST_NAMED: usize = 10;

/// The output of one run of a runner.
struct Recording {
    format: Format,
    folder: PathBuf,
    merged: Option<Vec<u8>>,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Recording {
    fn at(folder: &Path) -> Option<Self> {
        let word = folder.ancestors().nth(2)?.file_name()?.to_str()?;
        let bytes = |name: &str| fs::read(folder.join(name)).ok();
        Some(Self {
            format: Format::find(word).unwrap_or_else(|| panic!("{word} is no format")),
            folder: folder.to_owned(),
            merged: bytes("merged"),
            out: bytes("stdout").unwrap_or_default(),
            err: bytes("stderr").unwrap_or_default(),
        })
    }

    /// The same run with other bytes.
    fn map(&self, change: impl Fn(&[u8]) -> Vec<u8>) -> Self {
        let change = |bytes: &[u8]| if is_utf_16(bytes) { bytes.to_vec() } else { change(bytes) };
        Self {
            format: self.format,
            folder: self.folder.clone(),
            merged: self.merged.as_deref().map(&change),
            out: change(&self.out),
            err: change(&self.err),
        }
    }

    fn read(&self, order: [Stream; 2]) -> Vec<Report> {
        if let Some(merged) = &self.merged {
            return parse(self.format, merged, &Options::default());
        }
        let replay = |feed: &mut Feed<'_>| {
            for stream in order {
                feed.push(if stream == Stream::Out { &self.out } else { &self.err }, stream);
            }
            Ok::<(), ()>(())
        };
        read(self.format, &Options::default(), replay).unwrap()
    }

    fn reports(&self) -> Vec<Report> {
        self.read([Stream::Out, Stream::Err])
    }

    /// The same run with this line wherever a result follows another at once: there a test that starts may print.
    /// `None`: there is no such place.
    fn with_between_results(&self, line: &[u8]) -> Option<Self> {
        let reports = self.reports();
        let cases = reports.iter().flat_map(|report| report.cases.iter());
        // What TAP says of a failure stands below its result; others say it in blocks that stand elsewhere.
        let stands = |case: &Case<'_>| {
            let lines = case.lines();
            self.format.word() == "tap" || case.status() == Status::Passed && lines.first == lines.last
        };
        let lines = cases.filter(stands).map(|case| case.lines());
        let (first, last): (HashSet<u32>, HashSet<u32>) =
            lines.map(|lines| (lines.first, lines.last)).unzip();
        let number = Cell::new(0);
        let found = Cell::new(false);
        let put = |bytes: &[u8]| {
            let mut twin = Vec::new();
            for text in bytes.split_inclusive(|byte| *byte == b'\n') {
                number.set(number.get() + 1);
                twin.extend_from_slice(text);
                let follows = last.contains(&number.get()) && first.contains(&(number.get() + 1));
                // A summary that lists results is one block.
                if follows && !text.starts_with(b"PASSED ") && text.ends_with(b"\n") {
                    found.set(true);
                    twin.extend_from_slice(line);
                }
            }
            twin
        };
        let twin = self.map(put);
        found.get().then_some(twin)
    }

    /// Both streams as one, as a file of merged output holds them.
    fn whole(&self) -> Vec<u8> {
        self.merged.clone().unwrap_or_else(|| [self.out.as_slice(), &self.err].concat())
    }
}

/// Whether these bytes are no text that can be changed byte by byte.
fn is_utf_16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'<', 0, ..])
}

/// Checks every recording, and then says for how many it went wrong and what went wrong with the first of them.
#[track_caller]
fn each(check: impl Fn(&Recording) -> Result<(), String>) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut folders = vec![corpus];
    let mut count = 0;
    let mut failed = Vec::new();
    while let Some(folder) = folders.pop() {
        if folder.join("recording.toml").is_file() {
            count += 1;
            if let Err(why) = check(&Recording::at(&folder).unwrap()) {
                failed.push(format!("{}: {why}", folder.display()));
            }
            continue;
        }
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        folders.extend(entries.filter(|path| path.is_dir()));
    }
    assert!(count > 0, "the corpus is empty");
    failed.sort_unstable();
    let first = &failed[..failed.len().min(MOST_NAMED)];
    assert!(failed.is_empty(), "{} of {count} recordings fail:\n{}", failed.len(), first.join("\n"));
}

/// How many tests passed, by cases, numbers, or the word that some did.
fn passes(report: &Report) -> u64 {
    let hidden = u64::from(report.has_note(NoteCode::NamesHidden));
    report.cases.count(Status::Passed).max(report.totals.passed.unwrap_or(hidden))
}

/// What a report says, without where.
fn said(reports: &[Report]) -> Vec<String> {
    let mut said = Vec::new();
    for report in reports {
        said.push(format!("{:?} {:?}", report.completeness, report.totals));
        for case in report.cases.iter() {
            let kinds: Vec<_> =
                case.failures().iter().map(|failure| (failure.kind, &failure.error)).collect();
            said.push(format!("{} {:?} {kinds:?} {:?}", case.id(), case.status(), case.reason()));
        }
        for problem in &report.problems {
            said.push(format!("! {:?} {:?} {:?}", problem.kind, problem.subject, problem.message));
        }
        // That colours were taken out of XML, which doesn't allow them, is true of the coloured twin alone.
        let notes = report.notes.iter().filter(|note| note.code != NoteCode::InputRepaired);
        said.extend(notes.map(|note| format!("* {}", note.code.word())));
    }
    said
}

/// Whether both say the same; else the first of what they say apart.
fn same(recording: &Recording, twin: &[Report]) -> Result<(), String> {
    let (said, twin) = (said(&recording.reports()), said(twin));
    if said == twin {
        return Ok(());
    }
    let differs = (0..).find(|at| said.get(*at) != twin.get(*at)).unwrap_or_default();
    let line = |said: &[String]| said.get(differs).cloned().unwrap_or_else(|| "nothing".to_owned());
    Err(format!("\n  it says   {}\n  its twin  {}", line(&said), line(&twin)))
}

/// Where a recording is cut: at the ends of its lines, within some of them, and everywhere in a short one.
fn cuts(whole: &[u8]) -> Vec<usize> {
    const SHORT: usize = 200;
    const FEW_LINES: usize = 100;
    if whole.len() < SHORT {
        return (0..whole.len()).collect();
    }
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', whole).map(|at| at + 1).collect();
    let late = ends.get(FEW_LINES..).unwrap_or_default().iter().step_by(10);
    let at_lines = ends.iter().take(FEW_LINES).chain(late).copied();
    let within = (0..whole.len()).step_by((whole.len() / 20) | 1);
    at_lines.chain(within).filter(|end| *end < whole.len()).collect()
}

#[test]
fn no_prefix_is_complete_with_more_passes() {
    each(|recording| {
        let whole = recording.whole();
        let all = |bytes: &[u8]| parse(recording.format, bytes, &Options::default());
        let most: u64 = all(&whole).iter().map(passes).sum();
        for end in cuts(&whole) {
            let reports = all(&whole[..end]);
            let complete = reports.iter().filter(|report| report.completeness == Completeness::Complete);
            let claimed: u64 = complete.map(passes).sum();
            if claimed > most {
                return Err(format!("cut at byte {end} it claims {claimed} passes, whole {most}"));
            }
        }
        Ok(())
    });
}

#[test]
fn line_ends_of_another_system_change_nothing() {
    each(|recording| {
        let twin =
            recording.map(|bytes| bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]));
        same(recording, &twin.reports())
    });
}

#[test]
fn colours_change_nothing() {
    each(|recording| {
        let twin = recording.map(|bytes| {
            let mut twin = Vec::new();
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                let words = line.split_inclusive(|byte| *byte == b' ');
                for word in words {
                    let text = word.trim_ascii_end();
                    twin.extend_from_slice(b"\x1b[1;38;5;208m");
                    twin.extend_from_slice(text);
                    twin.extend_from_slice(b"\x1b[0m\x1b[K");
                    twin.extend_from_slice(&word[text.len()..]);
                }
            }
            twin
        });
        same(recording, &twin.reports())
    });
}

#[test]
fn the_order_between_the_streams_changes_nothing() {
    each(|recording| same(recording, &recording.read([Stream::Err, Stream::Out])));
}

/// A line of a program's own log.
const NOISE: &str = "2026-01-02 03:04:05,678 ERROR db: FAILED to connect (attempt 1 of 2) ... retrying\n";

#[test]
fn noise_around_a_run_changes_nothing() {
    each(|recording| {
        let twin = recording.map(|bytes| match bytes.last() {
            Some(b'\n') => [NOISE.as_bytes(), bytes, NOISE.as_bytes()].concat(),
            _ => [NOISE.as_bytes(), bytes].concat(),
        });
        same(recording, &twin.reports())
    });
}

/// Formats whose runner prints each result as it comes, on the stream on which tests print too.
const PRINTED_AS_THEY_RUN: [&str; 3] = ["pytest", "tap", "unittest"];

#[test]
fn noise_between_results_changes_nothing() {
    let tried = Cell::new(0);
    each(|recording| {
        if !PRINTED_AS_THEY_RUN.contains(&recording.format.word()) {
            return Ok(());
        }
        let Some(twin) = recording.with_between_results(NOISE.as_bytes()) else { return Ok(()) };
        tried.set(tried.get() + 1);
        same(recording, &twin.reports())
    });
    assert!(tried.get() > 0, "no recording has two results on lines that follow each other");
}

#[test]
fn blocks_end_anywhere() {
    each(|recording| {
        let whole = recording.whole();
        let replay = |feed: &mut Feed<'_>| {
            whole.chunks(7).for_each(|block| feed.push(block, Stream::Merged));
            Ok::<(), ()>(())
        };
        let twin = read(recording.format, &Options::default(), replay).unwrap();
        if parse(recording.format, &whole, &Options::default()) == twin {
            Ok(())
        } else {
            Err("read in blocks it says something else".to_owned())
        }
    });
}

#[test]
fn damage_is_read_through() {
    const DAMAGES: usize = 3;
    each(|recording| {
        let whole = recording.whole();
        let mut state: u64 = 0x9e37_79b9_7f4a_7c15 ^ whole.len() as u64;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 11).unwrap() % below.max(1)
        };
        for _ in 0..DAMAGES {
            let mut damaged = whole.clone();
            for _ in 0..=random(8) {
                let (at, len) = (random(damaged.len()), random(40));
                let end = (at + len).min(damaged.len());
                match random(4) {
                    0 => damaged.truncate(at),
                    1 => drop(damaged.drain(at..end)),
                    2 => damaged.extend_from_within(at..end),
                    _ => damaged
                        .splice(at..at, (0..len).map(|_| [b'\n', b' ', 0, 0xff, b'='][random(5)]))
                        .for_each(drop),
                }
            }
            // Each format reads what is another's as well.
            for format in Format::all() {
                assert!(!parse(format, &damaged, &Options::default()).is_empty());
            }
        }
        Ok(())
    });
}

/// The output with some of its numbers as great as they get; `by` says which.
fn with_great_numbers(bytes: &[u8], mut by: u64) -> Vec<u8> {
    const GREAT: [&str; 3] = ["18446744073709551615", "4294967295", "99999999999999999999"];
    let mut out = Vec::with_capacity(bytes.len());
    for part in bytes.chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit()) {
        by = by.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let great = GREAT.get(usize::try_from(by >> 61).unwrap()).filter(|_| part[0].is_ascii_digit());
        out.extend_from_slice(great.map_or(part, |great| great.as_bytes()));
    }
    out
}

#[test]
fn the_greatest_numbers_are_added_up() {
    each(|recording| {
        for by in 0..8 {
            recording.map(|bytes| with_great_numbers(bytes, by)).reports();
        }
        Ok(())
    });
}
