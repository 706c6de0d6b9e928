//! What is wrong with a plan, with its place and the way out.

use std::fmt;

use super::source::{Place, Text};

/// Everything that is wrong with a plan, in the order in which it stands there. Never empty.
///
/// Displays as one block a fault: place and message, the line with a caret, the words that would be valid. What is
/// quoted from the plan holds no control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError {
    faults: Vec<Fault>,
    left_out: usize,
}

impl PlanError {
    /// The faults, at most 100.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl std::error::Error for PlanError {}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, fault) in self.faults.iter().enumerate() {
            if n > 0 {
                f.write_str("\n\n")?;
            }
            fault.fmt(f)?;
        }
        match self.left_out {
            0 => Ok(()),
            more => write!(f, "\n\nand {more} more"),
        }
    }
}

/// One thing that is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The path of the plan as it is shown.
    pub file: String,
    /// Where in it.
    pub place: FaultPlace,
    /// What is wrong, and what to write instead. Lower-case, one line.
    pub message: String,
    /// For an unknown word: the valid word that is nearest, if one is near.
    pub nearest: Option<String>,
    /// For an unknown word: every word that is valid there.
    pub valid: Vec<String>,
    /// The line that it stands on.
    pub excerpt: Option<Excerpt>,
}

/// Where in a plan something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultPlace {
    /// A line and a column, counted in characters; both from 1.
    Line {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A JSON Pointer (RFC 6901); empty for the whole document.
    Pointer(String),
}

/// A line of the plan, or the part of a long one around its fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, without control characters.
    pub line: String,
    /// How many characters stand before what is marked.
    pub before: usize,
    /// How many characters are marked; at least one.
    pub marked: usize,
}

impl Excerpt {
    /// The most characters of a line that are shown.
    const WIDTH: usize = 100;

    pub(super) fn new(line: &str, before: usize, marked: usize) -> Self {
        let skipped = if before < Self::WIDTH { 0 } else { before - Self::WIDTH / 2 };
        let mut shown = String::new();
        let (mut at, mut until) = (0, 0);
        for (n, char) in line.chars().skip(skipped).take(Self::WIDTH).enumerate() {
            let n = n + skipped;
            if n == before {
                at = shown.chars().count();
            }
            match char {
                '\t' => shown.push(' '),
                char => push_harmless(&mut shown, char),
            }
            if n < before + marked {
                until = shown.chars().count();
            }
        }
        if line.chars().count() <= before {
            at = shown.chars().count();
        }
        Self { line: shown, before: at, marked: until.saturating_sub(at).max(1) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&harmless(&self.file))?;
        match &self.place {
            FaultPlace::Line { line, column } => write!(f, ":{line}:{column}")?,
            FaultPlace::Pointer(pointer) if pointer.is_empty() => {}
            FaultPlace::Pointer(pointer) => write!(f, ": {}", harmless(pointer))?,
        }
        write!(f, ": {}", self.message)?;
        if let Some(nearest) = &self.nearest {
            write!(f, "; did you mean {}?", quoted(nearest))?;
        }
        if let (Some(excerpt), FaultPlace::Line { line, .. }) = (&self.excerpt, &self.place) {
            let number = line.to_string();
            let gutter = " ".repeat(number.len());
            write!(f, "\n{gutter} |\n{number} | {}", excerpt.line)?;
            write!(f, "\n{gutter} | {}{}", " ".repeat(excerpt.before), "^".repeat(excerpt.marked))?;
        }
        if !self.valid.is_empty() {
            let valid: Vec<_> = self.valid.iter().map(|word| harmless(word)).collect();
            write!(f, "\n  valid here: {}", valid.join(", "))?;
        }
        Ok(())
    }
}

/// Gathers faults while a plan is read.
#[derive(Debug)]
pub(crate) struct Faults<'t> {
    text: &'t Text<'t>,
    faults: Vec<(Place, Fault)>,
    left_out: usize,
}

impl<'t> Faults<'t> {
    /// The most faults that are kept, so that a file that is no plan at all costs no more than one.
    const MOST: usize = 100;

    pub(crate) fn new(text: &'t Text<'t>) -> Self {
        Self { text, faults: Vec::new(), left_out: 0 }
    }

    /// Something is wrong at this place.
    pub(crate) fn add(&mut self, place: Place, message: impl Into<String>) {
        self.push(place, message.into(), None, Vec::new());
    }

    /// A word at this place is none of those that are valid there.
    pub(crate) fn unknown<'w>(
        &mut self,
        place: Place,
        what: &str,
        word: &str,
        valid: impl IntoIterator<Item = &'w str>,
    ) {
        let valid: Vec<&str> = valid.into_iter().collect();
        self.unknown_near(place, what, word, &valid, &valid);
    }

    /// The same where more words are known, and may have been meant, than are valid.
    pub(crate) fn unknown_near(
        &mut self,
        place: Place,
        what: &str,
        word: &str,
        known: &[&str],
        valid: &[&str],
    ) {
        if self.faults.len() >= Self::MOST {
            self.left_out += 1;
            return;
        }
        let nearest = nearest(word, known).map(str::to_owned);
        let valid = valid.iter().map(|&word| word.to_owned()).collect();
        self.push(place, format!("unknown {what} {}", quoted(word)), nearest, valid);
    }

    fn push(&mut self, place: Place, message: String, nearest: Option<String>, valid: Vec<String>) {
        if self.faults.len() >= Self::MOST {
            self.left_out += 1;
            return;
        }
        let (shown, excerpt) = self.text.show(place);
        let file = self.text.name.to_owned();
        self.faults.push((place, Fault { file, place: shown, message, nearest, valid, excerpt }));
    }

    /// Where an earlier value stands, to name it in the message of a later one.
    pub(crate) fn whereabouts(&self, place: Place) -> String {
        match self.text.show(place).0 {
            FaultPlace::Line { line, .. } => format!("line {line}"),
            FaultPlace::Pointer(pointer) => quoted(&pointer),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// What was gathered, in the order of the text.
    pub(crate) fn into_error(mut self) -> PlanError {
        self.faults.sort_by_key(|(place, _)| match place {
            Place::Span(start, _) => *start,
            Place::Step(step) => *step,
        });
        let faults = self.faults.into_iter().map(|(_, fault)| fault).collect();
        PlanError { faults, left_out: self.left_out }
    }
}

/// The valid word that is most like this one, if any is: by edits, with a third of the letters wrong at most.
pub fn nearest<'w>(word: &str, valid: &[&'w str]) -> Option<&'w str> {
    let word: String = word.chars().take(64).flat_map(char::to_lowercase).collect();
    let allowed = (word.chars().count() / 3).max(1);
    valid
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// A word of the plan in a message: at most 80 characters, and none that a terminal would obey.
pub(crate) fn quoted(word: &str) -> String {
    let mut quoted = String::from("`");
    quoted.push_str(&harmless(word));
    quoted.push('`');
    quoted
}

fn harmless(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars();
    for char in chars.by_ref().take(80) {
        push_harmless(&mut shown, char);
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

fn push_harmless(to: &mut String, char: char) {
    // Beside controls: marks that reorder or hide text.
    let hidden = matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    if char.is_control() || hidden {
        to.extend(char.escape_unicode());
    } else {
        to.push(char);
    }
}
