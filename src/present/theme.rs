//! The one theme: which colour means what. `anstream` takes the colours away where no terminal listens.

use anstyle::{AnsiColor, Style};

/// A verdict that accepts.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// A verdict that rejects.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// A note or a warning.
pub const CARE: Style = AnsiColor::Yellow.on_default();
/// A code, an id, a command to type.
pub const WORD: Style = Style::new().bold();
/// What is said beside the point: line numbers, paths of records.
pub const FAINT: Style = Style::new().dimmed();

/// Text in a style.
#[must_use]
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
