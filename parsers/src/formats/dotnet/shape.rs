//! The shapes of single lines, which stay the same when the console speaks another language.

use memchr::memmem;

use crate::text::number;

/// In seconds.
const MILLISECOND: f32 = 0.001;

/// `12 ms`, `< 1 ms`, `1 m 3 s`, `1s 464ms`: numbers, each with a unit. In seconds.
pub(super) fn duration(text: &[u8]) -> Option<f32> {
    if let Some((value, b" ms")) = number(text) {
        // Nearly all of them.
        return Some(value as f32 * MILLISECOND);
    }
    units(text)
}

/// The same of any.
fn units(text: &[u8]) -> Option<f32> {
    let text = text.strip_prefix(b"< ").or_else(|| text.strip_prefix(b"<")).unwrap_or(text);
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let (value, after) = number(rest)?;
        let (fraction, after) =
            match after.strip_prefix(b".").or_else(|| after.strip_prefix(b",")).map(number) {
                Some(Some((digits, end))) => {
                    (digits as f32 / 10_f32.powi(i32::try_from(after.len() - end.len() - 1).ok()?), end)
                }
                _ => (0.0, after),
            };
        let after = after.strip_prefix(b" ").unwrap_or(after);
        let letters = after.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (unit, after) = after.split_at(letters);
        let scale = match unit {
            b"d" => 86_400.0,
            b"h" => 3_600.0,
            b"m" => 60.0,
            b"s" => 1.0,
            b"ms" => MILLISECOND,
            _ => return None,
        };
        seconds += (value as f32 + fraction) * scale;
        rest = after.strip_prefix(b" ").unwrap_or(after);
    }
    (!text.is_empty()).then_some(seconds)
}

/// Takes `[12 ms]` or `(12ms)` off the end.
pub(super) fn timed(text: &[u8], brackets: [u8; 2]) -> (&[u8], Option<f32>) {
    let [open, close] = brackets;
    let parts = text.strip_suffix(&[close]).and_then(|text| {
        // It is near: a loop is faster than a search.
        let at = text.iter().rposition(|byte| *byte == open)?;
        let name = text.get(..at)?.strip_suffix(b" ")?;
        Some((name, duration(text.get(at + 1..)?)?))
    });
    match parts {
        Some((name, seconds)) => (name, Some(seconds)),
        None => (text, None),
    }
}

/// ` (net10.0|x64)` or ` (net10.0)` at the end of what names a module, and what stands before it.
fn targeted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = text.strip_suffix(b")")?;
    let at = memmem::rfind(inner, b" (")?;
    let (before, target) = (inner.get(..at)?, inner.get(at + 2..)?);
    is_target(target).then_some((before, target))
}

fn is_target(target: &[u8]) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'|' | b'_');
    target.starts_with(b"net") && target.len() < 60 && target.iter().all(word)
}

fn is_module(path: &[u8]) -> bool {
    [&b".dll"[..], b".exe"].iter().any(|end| path.ends_with(end))
}

/// The last part of a path.
pub(super) fn file_name(path: &[u8]) -> &[u8] {
    let at = path.iter().rposition(|byte| matches!(byte, b'/' | b'\\')).map_or(0, |at| at + 1);
    path.get(at..).unwrap_or_default()
}

/// `Running tests from /w/X.dll (net10.0|x64)`: the path's last part and the target.
pub(super) fn module_begins(text: &[u8]) -> Option<&[u8]> {
    let (before, target) = targeted(text)?;
    if !is_module(before) || !target.contains(&b'|') || matches!(text.first(), Some(b' ' | b'/')) {
        return None;
    }
    // A line that is the path alone is another thing.
    let path = memchr::memrchr2(b'/', b'\\', before).unwrap_or(0);
    memchr::memchr(b' ', before.get(..path)?)?;
    text.get(path + 1..)
}

/// `  from /w/X.dll (net10.0|x64)`, below a row of the platform's console.
pub(super) fn names_module(text: &[u8]) -> bool {
    text.starts_with(b"  ")
        && text.get(2).is_some_and(|byte| *byte != b' ')
        && text.ends_with(b")")
        && targeted(text).is_some_and(|(before, _)| is_module(before))
}

/// How a module came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ModuleEnd<'t> {
    /// The path's last part and the target.
    pub(super) module: &'t [u8],
    /// The console's word for it.
    pub(super) how: &'t [u8],
}

/// `/w/X.dll (net10.0|x64) failed with 1 error(s) (1s 464ms)`
pub(super) fn module_ends(text: &[u8]) -> Option<ModuleEnd<'_>> {
    if text.starts_with(b" ") {
        return None;
    }
    let (text, timed) = match timed(text, *b"()") {
        (rest, Some(_)) => (rest, true),
        (rest, None) => (rest, false),
    };
    let dll = memmem::find(text, b".dll (").or_else(|| memmem::find(text, b".exe ("))?;
    let target = text.get(dll + 6..)?;
    let close = memchr::memchr(b')', target)?;
    let how = target.get(close + 1..)?.strip_prefix(b" ")?;
    // A run that never began has no duration.
    if !is_target(target.get(..close)?) || how.is_empty() || (!timed && how != b"Zero tests ran") {
        return None;
    }
    let path = text.get(..dll + 4)?;
    let from = path.len() - file_name(path).len();
    Some(ModuleEnd { module: text.get(from..dll + 7 + close)?, how })
}

/// `label: 12`, with a blank before the colon in some languages; the label and the number.
pub(super) fn count(text: &[u8]) -> Option<(&[u8], u64)> {
    let (label, value) = labelled(text)?;
    match number(value)? {
        (count, b"") => Some((label, count)),
        _ => None,
    }
}

/// `label: value`
pub(super) fn labelled(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b':', text)?;
    let label = text.get(..at)?;
    let label = label.strip_suffix("\u{a0}".as_bytes()).unwrap_or(label).trim_ascii_end();
    (!label.is_empty()).then_some((label, text.get(at + 1..)?.trim_ascii()))
}

/// The numbers of an assembly's last line, and the assembly with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AssemblyEnd<'t> {
    pub(super) module: &'t [u8],
    /// Failed, passed, skipped.
    pub(super) counts: [u64; 3],
}

/// `Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 31 ms - X.dll (net9.0)`
pub(super) fn assembly_ends(text: &[u8]) -> Option<AssemblyEnd<'_>> {
    let text = text.trim_ascii();
    let (before, _) = targeted(text)?;
    if !is_module(before) {
        return None;
    }
    let dash = memmem::rfind(before, b" - ")?;
    let module = text.get(dash + 3..)?;
    let before = before.get(..dash)?;
    // The mark of the first word is in every language.
    let mark = memchr::memchr(b'!', before).filter(|at| *at < 40)?;
    let mut counts = [0; 4];
    let mut rest = before.get(mark + 1..)?;
    // A language that puts a colon behind the mark states nothing there.
    if let Some(after) = rest.trim_ascii_start().strip_prefix(b":") {
        rest = after;
    }
    for count in &mut counts {
        let colon = memchr::memchr(b':', rest)?;
        let (value, after) = number(rest.get(colon + 1..)?.trim_ascii_start())?;
        (*count, rest) = (value, after);
    }
    let [failed, passed, skipped, total] = counts;
    let duration = memchr::memchr(b':', rest).and_then(|at| duration(rest.get(at + 1..)?.trim_ascii()));
    let adds_up = failed.checked_add(passed)?.checked_add(skipped)? <= total;
    (adds_up && duration.is_some()).then_some(AssemblyEnd { module, counts: [failed, passed, skipped] })
}

/// `Test summary: total: 12, failed: 0, succeeded: 12, skipped: 0, duration: 7.0s`: failed, passed, skipped.
pub(super) fn terminal_summary(text: &[u8]) -> Option<[u64; 3]> {
    let (_, mut rest) = labelled(text)?;
    let mut counts = [0; 4];
    for count in &mut counts {
        let colon = memchr::memchr(b':', rest)?;
        let (value, after) = number(rest.get(colon + 1..)?.trim_ascii_start())?;
        let after = [", ", "、", "，"].iter().find_map(|comma| after.strip_prefix(comma.as_bytes()))?;
        (*count, rest) = (value, after);
    }
    let (_, lasted) = labelled(rest)?;
    let [total, failed, passed, skipped] = counts;
    let adds_up = failed.checked_add(passed)?.checked_add(skipped)? == total;
    (adds_up && duration(lasted).is_some()).then_some([failed, passed, skipped])
}

/// `Test run for /w/X.dll (.NETCoreApp,Version=v10.0)`: what follows the last separator of the path.
pub(super) fn session_begins(text: &[u8]) -> Option<&[u8]> {
    let at = memmem::find(text, b" (.NET")?;
    memmem::find(text.get(at..)?, b",Version=v")?;
    let before = text.get(..at)?;
    let path = before.strip_suffix(b"\"").unwrap_or(before);
    is_module(path).then(|| file_name(path))
}

/// Whether a framework is named that writes the frames of reflection into stack traces: .NET 8 or later.
pub(super) fn is_modern(text: &[u8]) -> bool {
    let version = memmem::rfind(text, b"NETCoreApp,Version=v").map(|at| at + 20);
    let version = version.or_else(|| memmem::rfind(text, b" (net").map(|at| at + 5));
    let number = version.and_then(|at| number(text.get(at..)?));
    number.is_some_and(|(major, rest)| (8..40).contains(&major) && rest.starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        for (text, seconds) in [
            ("12 ms", 0.012),
            ("< 1 ms", 0.001),
            ("1 m 3 s", 63.0),
            ("1s 464ms", 1.464),
            ("1h 02m 03s", 3723.0),
            ("7.5s", 7.5),
        ] {
            let read = duration(text.as_bytes()).unwrap();
            assert!((read - seconds).abs() < 1e-4, "{text}: {read}");
        }
        for text in ["", "12", "ms", "12 kg", "x 1 ms"] {
            assert_eq!(duration(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn milliseconds_alone_read_as_any_duration_does() {
        for text in ["0 ms", "1 ms", "96 ms", "16777217 ms", "18446744073709551615 ms", "007 ms"] {
            let both = [duration(text.as_bytes()), units(text.as_bytes())].map(|read| read.map(f32::to_bits));
            assert!(both[0].is_some() && both[0] == both[1], "{text}");
        }
    }

    #[test]
    fn a_name_may_end_like_a_duration() {
        assert_eq!(timed(b"a [1 ms]", *b"[]").0, b"a");
        assert_eq!(timed(b"a(x: \"[1 ms]\")", *b"[]"), (&b"a(x: \"[1 ms]\")"[..], None));
        assert_eq!(timed(b"a (x) [1 ms] [2 ms]", *b"[]").0, b"a (x) [1 ms]");
    }

    #[test]
    fn modules_begin_and_end() {
        let begins = |text: &str| {
            module_begins(text.as_bytes()).map(|name| String::from_utf8_lossy(name).into_owned())
        };
        let module = Some("X.dll (net10.0|x64)".to_owned());
        assert_eq!(begins("Running tests from /w/X.dll (net10.0|x64)"), module);
        assert_eq!(begins("次からテストを実行しています: /w/X.dll (net10.0|x64)"), module);
        assert_eq!(begins("  from /w/X.dll (net10.0|x64)"), None);
        assert_eq!(begins("/w/X.dll (net10.0|x64) passed (1s 000ms)"), None);
        let ends = |text: &'static str| module_ends(text.as_bytes()).map(|end| (end.module, end.how));
        assert_eq!(
            ends("/w/X.dll (net10.0|x64) failed with 1 error(s) (1s 464ms)"),
            Some((&b"X.dll (net10.0|x64)"[..], &b"failed with 1 error(s)"[..]))
        );
        assert_eq!(ends("  /w/X.dll (net10.0|x64) passed (1s 464ms)"), None);
        assert_eq!(ends("/w/X.dll (net10.0|x64) passed"), None);
    }

    #[test]
    fn assemblies_end_in_every_language() {
        for text in [
            "Passed!  - Failed:     0, Passed:     2, Skipped:     1, Total:     3, Duration: 31 ms - X.dll (net9.0)",
            "Bestanden!   : Fehler:     0, erfolgreich:     2, übersprungen:     1, gesamt:     3, Dauer: 248 ms - X.dll (net9.0)",
            "成功!   -失敗:     0、合格:     2、スキップ:     1、合計:     3、期間: 261 ms - X.dll (net9.0)",
            "失败!  - 失败:     0，通过:     2，已跳过:     1，总计:     3，持续时间: 644 ms - X.dll (net9.0)",
            "Réussi!  - échec :     0, réussite :     2, ignorée(s) :     1, total :     3, durée : 957 ms - X.dll (net9.0)",
        ] {
            let end = assembly_ends(text.as_bytes());
            assert_eq!(end, Some(AssemblyEnd { module: b"X.dll (net9.0)", counts: [0, 2, 1] }), "{text}");
        }
        assert_eq!(
            assembly_ends(
                b"Passed!  - Failed: 0, Passed: 2, Skipped: 0, Total: 1, Duration: 1 ms - X.dll (net9.0)"
            ),
            None
        );
    }

    #[test]
    fn the_terminal_logger_sums_up() {
        let line = b"Test summary: total: 12, failed: 1, succeeded: 9, skipped: 2, duration: 7.0s";
        assert_eq!(terminal_summary(line), Some([1, 9, 2]));
        assert_eq!(terminal_summary(b"Test summary: total: 12, failed: 1"), None);
    }

    #[test]
    fn a_session_names_its_framework() {
        assert_eq!(session_begins(b"Test run for /w/X.dll (.NETCoreApp,Version=v10.0)"), Some(&b"X.dll"[..]));
        assert_eq!(
            session_begins("Testlauf für \"/w/X.dll\" (.NETFramework,Version=v4.8)".as_bytes()),
            Some(&b"X.dll"[..])
        );
        assert_eq!(session_begins(b"for /w/X.dll"), None);
    }
}
