use std::io::Write as _;

use redgreen_parsers::{Line, Parser, Report};

use std::ops::RangeInclusive;

use super::*;

/// What a parser sees: each line's number and stream.
#[derive(Default)]
struct Seen(Vec<String>);

impl Parser for Seen {
    fn line(&mut self, line: Line<'_>, stream: Stream) {
        self.0.push(format!("{} {} ", line.number, sign(stream)));
    }

    fn end(&mut self) -> Vec<Report> {
        Vec::new()
    }
}

fn sign(stream: Stream) -> char {
    match stream {
        Stream::Out => 'o',
        Stream::Err => 'e',
        Stream::Merged => 'm',
    }
}

fn seen(transcript: &Transcript) -> Vec<String> {
    let mut seen = Seen::default();
    let mut feed = Feed::new(&mut seen);
    transcript.feed(&mut feed).unwrap();
    feed.finish();
    seen.0
}

fn text(transcript: &Transcript) -> String {
    let (saved, truncated) = transcript.saved(u64::MAX).unwrap();
    assert!(!truncated);
    assert_eq!(transcript.bytes(), saved.len() as u64);
    assert_eq!(transcript.sha256().unwrap(), Sha256::of(&saved));
    // A report's line numbers must fit the saved text and the quotes.
    let lines = seen(transcript);
    assert_eq!(saved.split_inclusive(|byte| *byte == b'\n').count(), lines.len());
    let quotes = transcript.lines(&[0..=u32::MAX]).unwrap();
    assert_eq!(quotes.len(), lines.len());
    for (line, quote) in lines.iter().zip(quotes) {
        let number = format!("{} {} ", quote.number, sign(quote.stream));
        assert_eq!(*line, number);
    }
    String::from_utf8(saved).unwrap()
}

fn merged<'a>(blocks: impl IntoIterator<Item = (Stream, &'a [u8])>) -> Transcript {
    let mut merge = Merge::default();
    for (stream, block) in blocks {
        merge.push(stream, block).unwrap();
    }
    merge.finish().unwrap()
}

/// Blocks as they arrive, each with the sign of its stream before it.
#[track_caller]
fn check(blocks: &[&str], expected: &str) {
    let stream = |block: &str| if block.starts_with('o') { Stream::Out } else { Stream::Err };
    let transcript = merged(blocks.iter().map(|block| (stream(block), &block.as_bytes()[1..])));
    assert_eq!(text(&transcript), expected, "{blocks:?}");
}

#[test]
fn lines_are_merged_in_the_order_of_their_ends() {
    check(&[], "");
    check(&["oa\n", "eb\n", "oc\n"], "a\nb\nc\n");
    check(&["oa\nb\n", "ec\nd\n"], "a\nb\nc\nd\n");
    check(&["oa", "eb\n", "oc\n"], "b\nac\n");
    check(&["oa\nb", "ec\nd", "oe\n", "ef\n"], "a\nc\nbe\ndf\n");
    check(&["oa", "ob", "oc\nd", "o\n"], "abc\nd\n");
    check(&["e|\r", "e/\r", "oa\n", "e-\n"], "a\n|\r/\r-\n");
    check(&["oa", "eb"], "a\nb");
    check(&["eb", "oa"], "a\nb");
    check(&["oa\n", "eb"], "a\nb");
    check(&["o\n", "e\n", "o"], "\n\n");
}

#[test]
fn a_long_line_is_not_held() {
    let long = vec![b'x'; 5 << 20];
    let far = vec![b'y'; 9 << 20];
    let check = |blocks: &[(Stream, &[u8])], expected: &[&[u8]]| {
        let transcript = merged(blocks.iter().copied());
        assert!(text(&transcript).as_bytes() == expected.concat());
    };
    let (out, err) = (Stream::Out, Stream::Err);
    // Others wait for it, as long as that is bearable.
    check(&[(out, &long), (err, b"e\nf"), (out, b"x\n"), (err, b"\n")], &[&long, b"x\ne\nf\n"]);
    check(&[(out, &long), (err, b"e\nf"), (out, b"x\n"), (out, b"y\n")], &[&long, b"x\ne\ny\nf"]);
    check(&[(out, &long), (err, b"e\n")], &[&long, b"\ne\n"]);
    check(&[(out, &long), (err, &far), (err, b"\n"), (out, b"x\n")], &[&long, b"\n", &far, b"\nx\n"]);
}

fn file(content: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file
}

#[test]
fn files_are_read_one_after_the_other() {
    let check = |out: &str, err: &str, expected: &str| {
        let files = || [(file(out.as_bytes()), Stream::Out), (file(err.as_bytes()), Stream::Err)];
        let transcript = Transcript::from_files(files()).unwrap();
        assert_eq!(text(&transcript), expected);
        // The same when they must be copied.
        let mut writer = FramesWriter::default();
        for (mut file, stream) in files() {
            std::io::Seek::rewind(&mut file).unwrap();
            writer.end_line_at_next_push();
            spool(&mut file, stream, &mut writer).unwrap();
        }
        assert_eq!(text(&writer.finish().unwrap().into()), expected);
    };
    check("a\nb\n", "c\n", "a\nb\nc\n");
    check("a\nb", "c", "a\nb\nc");
    check("a", "", "a");
    check("", "b", "b");
    check("", "", "");
}

#[test]
fn two_merged_files_do_not_share_a_line() {
    let files = ["a", "b"].map(|text| (file(text.as_bytes()), Stream::Merged));
    assert_eq!(text(&Transcript::from_files(files).unwrap()), "a\nb");
}

#[test]
fn more_than_memory_holds() {
    let line = b"0123456789abcde\n";
    let content = line.repeat(200_000);
    let transcript = Transcript::from_reader(content.as_slice(), Stream::Merged).unwrap();
    assert!(matches!(&transcript.source, Source::Frames(frames) if frames.is_in_file()));
    for _ in 0..2 {
        assert!(text(&transcript).as_bytes() == content);
    }
}

#[test]
fn a_folder_is_no_output() {
    let folder = File::open(std::env::temp_dir()).unwrap();
    assert!(Transcript::from_files([(folder, Stream::Merged)]).is_err());
}

#[test]
fn quotes() {
    let transcript =
        merged([(Stream::Out, b"one\ntwo\n".as_slice()), (Stream::Err, b"three\nfour".as_slice())]);
    let check = |ranges: &[RangeInclusive<u32>], expected: &[&str]| {
        let quotes = transcript.lines(ranges).unwrap();
        let quotes: Vec<_> = quotes.iter().map(|quote| quote.text.escape_ascii().to_string()).collect();
        assert_eq!(quotes, expected, "{ranges:?}");
    };
    check(&[1..=1], &["one"]);
    check(&[2..=3], &["two", "three"]);
    check(&[4..=9], &["four"]);
    check(&[5..=9], &[]);
    check(&[], &[]);
    check(&[3..=3, 1..=1], &["one", "three"]);
    check(&[1..=3, 2..=2, 2..=4], &["one", "two", "three", "four"]);
    #[expect(clippy::reversed_empty_ranges, reason = "a report of bad data may hold one")]
    check(&[3..=2], &[]);
    assert_eq!(transcript.line(3).unwrap().map(|quote| quote.stream), Some(Stream::Err));
    assert_eq!(transcript.line(0).unwrap(), None);
}

#[test]
fn a_long_quote_is_cut() {
    let transcript = Transcript::from_reader(vec![b'x'; 300 << 10].as_slice(), Stream::Merged).unwrap();
    let quote = transcript.line(1).unwrap().unwrap();
    assert_eq!((quote.text.len(), quote.cut), (64 << 10, true));
}

#[test]
fn head_and_tail_are_saved() {
    let check = |content: &str, limit: u64, expected: &str| {
        let transcript = Transcript::from_reader(content.as_bytes(), Stream::Merged).unwrap();
        let (saved, truncated) = transcript.saved(limit).unwrap();
        assert_eq!(String::from_utf8(saved.clone()).unwrap(), expected);
        assert_eq!(truncated, content.len() as u64 > limit);
        assert!(saved.len() as u64 <= limit.max(64), "{limit}");
    };
    let lines: String = (100..200).map(|n| format!("{n}\n")).collect();
    check(&lines, 400, &lines);
    check(&lines, 64 + 16, "100\n101\n[… 384 bytes left out …]\n198\n199\n");
    check(&lines, 64 + 19, "100\n101\n[… 384 bytes left out …]\n198\n199\n");
    check(&lines, 64, "[… 400 bytes left out …]\n");
    check(&lines, 0, "[… 400 bytes left out …]\n");
    // Without lines it is cut where it must be.
    check(&"x".repeat(100), 64 + 20, "xxxxxxxxxx\n[… 80 bytes left out …]\nxxxxxxxxxx");
    let last_is_long = format!("a\n{}\n", "x".repeat(200));
    check(&last_is_long, 64 + 20, "a\n[… 191 bytes left out …]\nxxxxxxxxx\n");
}

#[test]
fn a_gap_over_many_blocks() {
    let line = b"0123456789abcde\n";
    let content = line.repeat(200_000);
    let transcript = Transcript::from_reader(content.as_slice(), Stream::Merged).unwrap();
    let (saved, truncated) = transcript.saved(1 << 20).unwrap();
    let gap = "[… 2151488 bytes left out …]\n".len();
    assert!(truncated);
    assert_eq!((saved.len() - gap) % line.len(), 0);
    assert_eq!(saved.len() - gap, content.len() - 2_151_488);
}
