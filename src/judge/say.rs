//! How judges quote what a runner said.

use redgreen_parsers::{Case, Failure};

/// So much of a quoted text is shown, in characters. The whole stands in the report, at the problem's lines.
const QUOTED: usize = 200;

/// A text in backticks: its first line, cut where it is long.
pub(super) fn quote(text: &str) -> String {
    format!("`{}`", first_line(text))
}

fn first_line(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or("").trim_end();
    match line.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or(line)),
        None => line.to_owned(),
    }
}

/// `error: message`, as far as they are known.
pub(super) fn error_and_message(error: Option<&str>, message: Option<&str>) -> Option<String> {
    let message = message.map(first_line).filter(|message| !message.is_empty());
    match (error.map(first_line).filter(|error| !error.is_empty()), message) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => Some(one),
        // Many runners print the class in front of the message.
        (Some(error), Some(message)) if message.starts_with(&error) => Some(message),
        (Some(error), Some(message)) => Some(format!("{error}: {message}")),
    }
}

/// ` (error: message)`, or nothing.
pub(super) fn in_brackets(error: Option<&str>, message: Option<&str>) -> String {
    error_and_message(error, message).map_or_else(String::new, |said| format!(" ({said})"))
}

/// What a failure says of itself, in brackets behind its case.
pub(super) fn failure(failure: &Failure) -> String {
    in_brackets(failure.error.as_deref(), failure.message.as_deref())
}

/// What a case says of itself: its first failure, or the reason of a skip.
pub(super) fn why(case: &Case<'_>) -> String {
    match (case.failures().first(), case.reason()) {
        (Some(first), _) => failure(first),
        (None, reason) => in_brackets(None, reason),
    }
}

/// `1 test`, `2 tests`.
pub(super) fn count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_one_line_and_bounded() {
        assert_eq!(quote("\n  a\r\nb"), "`a`");
        let long = quote(&"é".repeat(1_000));
        assert_eq!(long.chars().count(), QUOTED + 3);
    }

    #[test]
    fn the_class_is_not_said_twice() {
        let check = |error, message, said: Option<&str>| {
            assert_eq!(error_and_message(error, message).as_deref(), said);
        };
        check(Some("E"), Some("E: no"), Some("E: no"));
        check(Some("E"), Some("no"), Some("E: no"));
        check(Some("E"), Some(""), Some("E"));
        check(None, Some("no"), Some("no"));
        check(None, None, None);
    }
}
