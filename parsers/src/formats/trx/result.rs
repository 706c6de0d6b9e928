//! One result of a TRX file, and the values of its attributes.

use std::borrow::Cow;

use crate::Status;

/// A result that is open.
#[derive(Debug, Default)]
pub(super) struct Result {
    pub(super) name: String,
    pub(super) status: Option<Status>,
    /// A clock ended it.
    pub(super) timed_out: bool,
    pub(super) seconds: Option<f32>,
    /// Which test of the definitions it is of.
    pub(super) test: Option<u128>,
    pub(super) line: u32,
    pub(super) message: String,
    pub(super) stack: String,
    /// It stands for the results within it.
    pub(super) holds_others: bool,
}

/// What an outcome means. A word that the schema doesn't have is none.
pub(super) fn status(outcome: &str) -> Option<Status> {
    Some(match outcome {
        "Passed" | "PassedButRunAborted" => Status::Passed,
        "Failed" | "Error" | "Timeout" | "Aborted" | "Disconnected" | "InProgress" => Status::Failed,
        "NotExecuted" | "Inconclusive" | "NotRunnable" | "Warning" | "Pending" | "Completed" => {
            Status::Skipped
        }
        _ => return None,
    })
}

/// `00:01:02.0011269`, in seconds.
pub(super) fn seconds(text: &str) -> Option<f32> {
    let mut parts = text.trim().rsplitn(3, ':');
    let seconds: f32 = parts.next()?.parse().ok().filter(|seconds: &f32| seconds.is_finite())?;
    let minutes: f32 = parts.next().map_or(Some(0.0), |part| part.parse::<u16>().ok().map(f32::from))?;
    let hours: f32 = parts.next().map_or(Some(0.0), |part| part.parse::<u16>().ok().map(f32::from))?;
    Some(hours * 3600.0 + minutes * 60.0 + seconds)
}

/// A GUID as a number; it stands for the test in less room.
pub(super) fn guid(text: &str) -> Option<u128> {
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).take(33).collect();
    (digits.len() == 32).then(|| u128::from_str_radix(&digits, 16).ok()).flatten()
}

/// VSTest writes a character beyond the first plane as two `\uXXXX`.
pub(super) fn unescaped(name: &str) -> Cow<'_, str> {
    if !name.contains("\\ud") {
        return Cow::Borrowed(name);
    }
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("\\ud") {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        match pair(from) {
            Some(character) => {
                plain.push(character);
                rest = from.get(12..).unwrap_or("");
            }
            None => {
                plain.push_str("\\ud");
                rest = from.get(3..).unwrap_or("");
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// `\ud83d\ude00`
fn pair(text: &str) -> Option<char> {
    let unit = |from: usize| {
        let digits = text.get(from..from + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let units = [unit(0)?, unit(6)?];
    char::decode_utf16(units).next()?.ok().filter(|character| u32::from(*character) > 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_a_clock() {
        assert_eq!(seconds("00:01:02.5"), Some(62.5));
        assert_eq!(seconds("01:00:00"), Some(3600.0));
        assert_eq!(seconds("soon"), None);
    }

    #[test]
    fn pairs_are_one_character() {
        assert_eq!(unescaped(r"a \ud83d\ude00 b"), "a 😀 b");
        assert_eq!(unescaped(r"a \ud83d b \u0041"), r"a \ud83d b \u0041");
        assert_eq!(unescaped(r"\ud83d\"), r"\ud83d\");
    }

    #[test]
    fn tests_are_known_by_a_number() {
        assert_eq!(guid("00000000-0000-0000-0000-0000000000ff"), Some(255));
        assert_eq!(guid("ff"), None);
    }
}
