//! Slices: the part of a file that steers a runner, in canonical form.
//!
//! Two files whose slices say the same have the same text here: keys are sorted, comments, blanks and all other parts
//! are gone. A file that can't be read as what it should be is one slice as a whole: nobody knows what it says.

mod attributes;
mod ini;
mod tree;
mod xml;

use redgreen_parsers::Keep;

use super::command::Reached;

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slice {
    /// What it is called, such as `tool.pytest`.
    pub(super) name: String,
    /// What it says.
    pub(super) text: Vec<u8>,
}

impl Slice {
    fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// A file that nobody can read in parts.
    fn unreadable(bytes: &[u8]) -> Vec<Self> {
        vec![Self::new("a file that can't be read", bytes)]
    }
}

/// The slices of a file that a rule keeps, in order of their names. `reached`: the scripts of this file that a command
/// reaches.
pub(super) fn slices(keep: &Keep, bytes: &[u8], reached: &Reached) -> Vec<Slice> {
    let mut slices = match keep {
        Keep::Toml(keys) => tree::toml(bytes, keys),
        Keep::Json(keys) => tree::json(bytes, keys),
        Keep::Scripts => tree::scripts(bytes, reached),
        Keep::Versions(packages) => tree::versions(bytes, packages),
        Keep::Ini(sections) => ini::sections(bytes, sections),
        Keep::Settings(keys) => ini::settings(bytes, keys),
        Keep::Attributes(names) => attributes::lines(bytes, names),
        Keep::Without(elements) => vec![Slice::new("all but references", xml::without(bytes, elements))],
    };
    slices.sort_by(|a, b| a.name.cmp(&b.name));
    slices
}

pub(super) use tree::local_runners;

#[cfg(test)]
mod tests;
