//! Microsoft.Testing.Platform run by MSBuild, as `dotnet test` does where the project asks for the platform and
//! `global.json` does not.
//!
//! ```text
//!   Run tests: '/w/X.dll' [net8.0|x64]
//! /w/C.cs(14): error test failed: N.C.Adds (30ms): Assert.AreEqual failed. [/w/X.csproj]
//!   Failed! - Failed: 1, Passed: 2, Skipped: 0, Total: 3, Duration: 67ms - X.dll (net8.0|x64)
//! ```

use memchr::memmem;

use super::block::{Block, Console, Part};
use super::{Dotnet, build, shape, terminal};
use crate::text::lossy;
use crate::{Line, Status};

/// What follows `: error `.
const FAILED: &[u8] = b"test failed: ";

impl Dotnet {
    /// Takes the last line of an assembly.
    pub(super) fn bridge_ends(&mut self, line: Line<'_>, text: &[u8]) -> bool {
        if !text.ends_with(b")") {
            return false;
        }
        let Some(end) = shape::assembly_ends(text).filter(|end| end.module.contains(&b'|')) else {
            return false;
        };
        self.end_block();
        self.claims.assembly(lossy(end.module).into_owned(), end.counts.map(Some), line.number, true);
        true
    }

    /// Takes an error of the build that is a failed test. `at`: where the word is.
    pub(super) fn bridge_error(&mut self, line: Line<'_>, at: usize) -> bool {
        let said = line.text.get(at + build::ERROR.len()..).and_then(|rest| rest.strip_prefix(FAILED));
        let Some((name, seconds, message)) = said.and_then(terminal::named) else { return false };
        let project = memmem::rfind(message, b" [").filter(|_| message.ends_with(b"proj]"));
        let message = project.and_then(|at| message.get(..at)).unwrap_or(message);
        self.end_block();
        let owner = self.row(&lossy(name), Status::Failed, seconds, line.number);
        let mut block = Block::new(owner, Console::Terminal, line.number);
        block.part = Part::Message;
        block.say(message, line.number);
        self.block = Some(block);
        true
    }
}
