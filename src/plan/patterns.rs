//! The patterns by which a check of the format `generic` is read.

use regex::bytes::{Regex, RegexBuilder};

/// What a run without any success prints as well; a success pattern may match none of these.
const NO_PROOF: &[&str] = &["passed", "ok", "OK", "done", "success", "1 failed, 1 passed", "0 passed"];

/// What a run without any failure prints as well; a failure pattern may match none of these.
const NO_FAILURE: &[&str] = &["0 failed", "no errors"];

/// Why a pattern can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// It is no regular expression; this says why.
    #[error("this is no regular expression: {0}")]
    Malformed(String),
    /// It matches a line that says nothing.
    #[error("a pattern that matches an empty line proves nothing; write what the line has to say")]
    MatchesEmpty,
    /// It matches a line that proves nothing.
    #[error(
        "a {phase} pattern that matches `{line}` proves nothing; write more of the line, such as `{better}`"
    )]
    ProvesNothing {
        /// `success` or `failure`.
        phase: &'static str,
        /// The line that it matches.
        line: &'static str,
        /// What could be written.
        better: &'static str,
    },
}

/// Compiles a pattern, which is matched against one line at a time.
///
/// # Errors
/// When it is no regular expression.
pub fn pattern(text: &str) -> Result<Regex, BadPattern> {
    RegexBuilder::new(text).multi_line(true).build().map_err(|error| {
        // The last line of a syntax error says what is wrong; those before repeat the pattern.
        let error = error.to_string();
        let what = error.lines().last().unwrap_or("").trim();
        BadPattern::Malformed(what.strip_prefix("error: ").unwrap_or(what).to_owned())
    })
}

/// Compiles a pattern that says that a `generic` check passed.
///
/// # Errors
/// When it is no regular expression, or matches the empty text or one of the lines that prove nothing: `passed`, `ok`,
/// `OK`, `done`, `success`, `1 failed, 1 passed`, `0 passed`.
pub fn success_pattern(text: &str) -> Result<Regex, BadPattern> {
    proving(text, "success", NO_PROOF, "^[1-9][0-9]* passed, 0 failed$")
}

/// Compiles a pattern that says that a `generic` check failed.
///
/// # Errors
/// When it is no regular expression, or matches the empty text, `0 failed` or `no errors`.
pub fn failure_pattern(text: &str) -> Result<Regex, BadPattern> {
    proving(text, "failure", NO_FAILURE, "^[1-9][0-9]* failed$")
}

fn proving(
    text: &str,
    phase: &'static str,
    lines: &[&'static str],
    better: &'static str,
) -> Result<Regex, BadPattern> {
    let regex = pattern(text)?;
    if regex.is_match(b"") {
        return Err(BadPattern::MatchesEmpty);
    }
    match lines.iter().find(|line| regex.is_match(line.as_bytes())) {
        Some(line) => Err(BadPattern::ProvesNothing { phase, line, better }),
        None => Ok(regex),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_patterns_that_prove_nothing_are_refused() {
        for bad in [
            "",
            ".*",
            "x*",
            "^$",
            "passed",
            "ok",
            "(?i)ok",
            "done",
            "succe",
            r"\d+ passed",
            "[a-z]+",
            "^OK$",
            "(",
        ] {
            assert!(success_pattern(bad).is_err(), "{bad:?}");
        }
        for good in ["^All 12 checks passed$", r"[1-9]\d* passed, 0 failed", "BUILD SUCCESSFUL", "^ok: all$"]
        {
            assert!(success_pattern(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn the_better_patterns_of_the_messages_are_good() {
        for (proving, text) in
            [(success_pattern as fn(&str) -> _, "passed"), (failure_pattern as fn(&str) -> _, "failed")]
        {
            let Err(BadPattern::ProvesNothing { better, .. }) = proving(text) else { panic!("{text}") };
            assert!(proving(better).is_ok(), "{better}");
        }
    }

    #[test]
    fn failure_patterns_that_prove_nothing_are_refused() {
        for bad in ["", ".*", "failed", "error", "^no errors", r"\d+ failed", "(a"] {
            assert!(failure_pattern(bad).is_err(), "{bad:?}");
        }
        for good in [r"[1-9]\d* failed", "^FAIL", "ERROR:", "assertion .* failed:"] {
            assert!(failure_pattern(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn malformed_patterns_say_why_in_one_line() {
        assert_eq!(pattern("a(").unwrap_err().to_string(), "this is no regular expression: unclosed group");
    }
}
