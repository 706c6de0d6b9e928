//! A `testcase` from its start tag to its end.

use crate::bounded::Bounded;
use crate::xml::{Element, Oddity};
use crate::{Lines, Status};

/// What stands in a `testcase`, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct OpenCase {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) file: String,
    pub(super) seconds: Option<f32>,
    /// How many assertions were counted in it.
    pub(super) assertions: Option<u64>,
    pub(super) line: u32,
    /// What its attributes say became of it.
    said: Option<Status>,
    /// How often each result element stands in it.
    pub(super) failures: Vec<Outcome>,
    pub(super) skip: Option<Skip>,
    /// A try before the last failed, as the runner itself marks it.
    pub(super) flaky: bool,
}

/// A `failure` or an `error`.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) is_error: bool,
    /// PHPUnit's: it counts neither as an error nor as a failure.
    pub(super) is_warning: bool,
    pub(super) class: String,
    pub(super) message: Option<String>,
    /// At most 64 KiB: what was thrown may stand at the end.
    pub(super) text: String,
    pub(super) lines: Lines,
}

/// A `skipped`.
#[derive(Debug, Default)]
pub(super) struct Skip {
    pub(super) class: String,
    pub(super) message: Option<String>,
    pub(super) text: Bounded,
}

impl OpenCase {
    /// Starts anew with the attributes of a case.
    pub(super) fn open(&mut self, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) {
        let Self { class, name, file, .. } = self;
        [&mut *class, &mut *name, &mut *file].into_iter().for_each(String::clear);
        (self.seconds, self.assertions, self.said) = (None, None, None);
        let (mut result, mut has_class) = (None, false);
        for (key, raw) in element.attributes() {
            let mut set = |to: &mut String| {
                if to.is_empty() {
                    to.push_str(trimmed(&element.text(raw, &mut |what| odd(what))));
                }
            };
            match key {
                "classname" if !has_class => {
                    has_class = true;
                    class.clear();
                    set(class);
                }
                // Ant's and PHPUnit's other word for it.
                "class" => set(class),
                "name" => set(name),
                "file" => set(file),
                "time" | "duration" if self.seconds.is_none() => self.seconds = seconds(raw),
                "assertions" => self.assertions = self.assertions.or_else(|| raw.trim().parse().ok()),
                "status" => self.said = self.said.or_else(|| said(raw)),
                "result" => result = result.or_else(|| said(raw)),
                _ => {}
            }
        }
        self.said = self.said.or(result);
        self.line = element.line;
        self.failures.clear();
        self.skip = None;
        self.flaky = false;
    }

    /// What became of it. The worst of its results counts.
    pub(super) fn status(&self) -> Status {
        if self.failures.iter().any(|outcome| outcome.is_error) {
            Status::Errored
        } else if !self.failures.is_empty() {
            Status::Failed
        } else if let Some(skip) = &self.skip {
            skip.status()
        } else {
            self.said.unwrap_or(Status::Passed)
        }
    }
}

impl Outcome {
    pub(super) fn open(element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) -> Self {
        let mut value = |key| element.value(key, &mut |what| odd(what)).map(|value| value.trim().to_owned());
        Self {
            is_error: ["error", "warning"].iter().any(|name| element.name().eq_ignore_ascii_case(name)),
            is_warning: element.name().eq_ignore_ascii_case("warning"),
            class: value("type").unwrap_or_default(),
            message: value("message").filter(|message| !message.is_empty()),
            text: String::new(),
            lines: Lines::one(element.line),
        }
    }

    /// Adds text, as long as there is little.
    pub(super) fn add(&mut self, text: &str) {
        const MOST: usize = 64 << 10;
        if self.text.len() < MOST {
            self.text.push_str(text);
        }
    }
}

impl Skip {
    pub(super) fn open(element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) -> Self {
        let mut value = |key| element.value(key, &mut |what| odd(what)).map(|value| value.trim().to_owned());
        Self {
            class: value("type").unwrap_or_default(),
            message: value("message").filter(|message| !message.is_empty()),
            text: Bounded::default(),
        }
    }

    /// pytest, unittest-xml-reporting, nose2 and node say so of what is no plain skip.
    fn status(&self) -> Status {
        let is = |message: &str| self.message.as_deref() == Some(message);
        match self.class.as_str() {
            "pytest.xfail" | "XFAIL" | "xfail" => Status::Xfailed,
            "todo" => Status::Todo,
            _ if is("expected test failure") => Status::Xfailed,
            _ if is("test passes unexpectedly") => Status::Xpassed,
            _ => Status::Skipped,
        }
    }

    pub(super) fn reason(self) -> Option<String> {
        self.message.or_else(|| self.text.into_text()).filter(|reason| !reason.is_empty())
    }
}

/// Text without blanks at its ends; most has none.
pub(super) fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim(),
    }
}

/// What a case says of itself in an attribute; without a word it passed.
fn said(word: &str) -> Option<Status> {
    match word.to_ascii_lowercase().as_str() {
        "notrun" | "disabled" | "skipped" | "skip" | "ignored" | "pending" | "suppressed"
        | "inconclusive" => Some(Status::Skipped),
        "todo" => Some(Status::Todo),
        "fail" | "failed" | "failure" => Some(Status::Failed),
        "error" | "errored" | "broken" | "undefined" | "ambiguous" | "blocked" | "aborted" | "abort"
        | "crash" | "crashed" | "timeout" | "timedout" | "timed out" | "timed-out" | "interrupted"
        | "cancelled" | "canceled" => Some(Status::Errored),
        "xfail" | "xfailed" => Some(Status::Xfailed),
        "xpass" | "xpassed" => Some(Status::Xpassed),
        _ => None,
    }
}

/// `1.5`; Surefire and others group thousands: `1,234.5`.
pub(super) fn seconds(text: &str) -> Option<f32> {
    if let Some(seconds) = short_decimal(text) {
        return Some(seconds);
    }
    match text.trim().parse::<f32>() {
        Ok(seconds) => Some(seconds),
        Err(_) => text.replace(',', "").trim().parse().ok(),
    }
    .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
}

/// `12.345` of at most seven digits, as [`str::parse`] reads it: such a number is a quotient of two that `f32` holds exactly,
/// and division rounds rightly.
fn short_decimal(text: &str) -> Option<f32> {
    const POWERS: [f32; 8] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
    if text.len() > 8 {
        return None;
    }
    let (mut value, mut point) = (0, None);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => value = value * 10 + u32::from(byte - b'0'),
            b'.' if at > 0 && point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let fraction = text.len().checked_sub(point? + 1).filter(|len| *len > 0)?;
    Some(value as f32 / POWERS.get(fraction)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_numbers_are() {
        for text in ["0.001", "0.0", "1.5", "61.02", "123.4567", "9.999999", "999999.9", "00.10", "0.1234567"]
        {
            assert_eq!(seconds(text), text.parse().ok(), "{text}");
            assert_eq!(short_decimal(text), (text.len() <= 8).then(|| text.parse().unwrap()), "{text}");
        }
        for value in 0..=99_999_u32 {
            let text = format!("{:.4}", f64::from(value) / 1e4);
            assert_eq!(short_decimal(&text), text.parse().ok(), "{text}");
        }
        for text in
            ["", ".", "1.", ".5", "1", "1.2.3", "-1.5", "1,234.5", " 1.5", "1.5e3", "inf", "1.\u{664}"]
        {
            assert_eq!(short_decimal(text), None, "{text}");
        }
        assert_eq!(
            [" 1.5 ", "1,234.5", "5", "-1", "inf"].map(seconds),
            [Some(1.5), Some(1234.5), Some(5.0), None, None]
        );
    }
}
