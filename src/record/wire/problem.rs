//! Reasons to reject and notes, in records.

use bstr::ByteSlice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Lines, PathText};
use crate::judge;

/// A reason to reject, or a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Which reason. A word of a later version is kept as it is.
    pub code: String,
    /// One sentence: what, and on what.
    pub message: String,
    /// The id of the repository that it is about.
    pub repository: Option<String>,
    /// The file that it is about, below the repository's root.
    pub path: Option<String>,
    /// The bytes of `path` in hex, when it isn't UTF-8.
    pub path_hex: Option<String>,
    /// Where the transcript says so.
    pub lines: Option<Lines>,
}

impl From<&judge::Problem> for Problem {
    fn from(problem: &judge::Problem) -> Self {
        let place = problem.place.as_ref();
        let path = place.and_then(|place| place.path.as_ref()).map(|path| PathText::new(path.as_bstr()));
        let (path, path_hex) = path.map_or((None, None), |text| (Some(text.path), text.path_hex));
        Self {
            code: problem.code.word().to_owned(),
            message: problem.message.clone(),
            repository: place.map(|place| place.repository.clone()),
            path,
            path_hex,
            lines: problem.lines.map(Lines::from),
        }
    }
}

impl Problem {
    /// All of these.
    #[must_use]
    pub fn all(problems: &[judge::Problem]) -> Vec<Self> {
        problems.iter().map(Self::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Code;

    #[test]
    fn a_problem_has_every_key() {
        let problem = judge::Problem::new(Code::OutsideScope, "m").on("app", Some("a\u{0}".into()));
        let json = serde_json::to_string(&Problem::from(&problem)).unwrap();
        assert_eq!(
            json,
            r#"{"code":"outside-scope","message":"m","repository":"app","path":"a\u0000","path_hex":null,"lines":null}"#
        );
    }
}
