//! What is said outside of the protocol: Test::More's diagnostics, and the last words of scripts.

use super::comments::{self, Death, LooksLike, NamedFailures};
use super::diagnosis::Diagnosis;
use crate::startup::Startup;
use crate::{Format, Line};

/// So many last words of scripts are kept.
const MOST_DEATHS: usize = 1000;

/// What is said outside of the protocol, on either stream and in any order to it.
#[derive(Default)]
pub(super) struct Said {
    pub(super) named: NamedFailures,
    pub(super) deaths: Vec<Death>,
    pub(super) uncaught: Option<Diagnosis>,
    pub(super) startup: Startup,
    /// Test::More's word that another number of tests ran than was planned.
    pub(super) ran_otherwise: bool,
    /// Its word that the script died, and where it says so.
    pub(super) exited: Option<u32>,
}

impl Said {
    /// Takes a comment, without its `#`, of either stream. Says whether it was one of Test::More's.
    pub(super) fn comment(&mut self, text: &[u8], number: u32) -> bool {
        match comments::looks_like(text) {
            Some(LooksLike::Planned) => self.ran_otherwise = true,
            Some(LooksLike::Exited) => self.exited = Some(number),
            Some(LooksLike::Failed) => {}
            None => return self.named.comment(text, number),
        }
        self.named.interrupt();
        true
    }

    /// Takes a line that is no TAP: the last words of a script, or of what could not start it.
    pub(super) fn outside(&mut self, line: Line<'_>, format: Format) {
        let text = line.text;
        let dies = match text {
            [.., digit, b'.'] => digit.is_ascii_digit(),
            _ => text.starts_with(b"syntax error at "),
        };
        if dies
            && self.deaths.len() < MOST_DEATHS
            && let Some(death) = comments::death(text, line.number)
        {
            self.deaths.push(death);
            return;
        }
        if text.first().is_some_and(u8::is_ascii_uppercase)
            && let Some(uncaught) = comments::uncaught(text, line.number)
        {
            self.uncaught = Some(uncaught);
            return;
        }
        self.startup.line(line, format.grammar());
    }
}
