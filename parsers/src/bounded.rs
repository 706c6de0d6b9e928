//! Text that stops growing at a limit and remembers it.

use crate::text::lossy;

/// How much of one message is kept.
const LIMIT: usize = 4096;

/// Lines of a message, at most 4 KiB of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounded {
    text: String,
    started: bool,
    cut: bool,
}

impl Bounded {
    /// The text of one line.
    pub(crate) fn of(line: &[u8]) -> Self {
        let mut text = Self::default();
        text.line(line);
        text
    }

    /// Forgets all of it.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, line: &[u8]) {
        let room = LIMIT.saturating_sub(self.text.len() + usize::from(self.started));
        if room == 0 {
            // Blank lines at the end of a message are no loss.
            self.cut |= !line.trim_ascii().is_empty();
            return;
        }
        if self.started {
            self.text.push('\n');
        }
        self.started = true;
        let mut end = line.len().min(room);
        while end > 0 && line.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
            end -= 1;
        }
        let (kept, rest) = line.split_at(end);
        self.text.push_str(&lossy(kept));
        self.cut |= !rest.is_empty();
    }

    /// Whether something was left out.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What was kept so far, without blank lines at its end.
    pub(crate) fn as_str(&self) -> &str {
        self.text.trim_end()
    }

    /// The text without blank lines at its end; `None` if nothing is left.
    pub(crate) fn into_text(mut self) -> Option<String> {
        self.text.truncate(self.text.trim_end().len());
        (!self.text.is_empty()).then_some(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_join_and_blank_ends_go() {
        let mut text = Bounded::default();
        for line in [&b"a"[..], b"", b"b", b"", b""] {
            text.line(line);
        }
        assert!(!text.is_cut());
        assert_eq!(text.into_text().as_deref(), Some("a\n\nb"));
        assert_eq!(Bounded::default().into_text(), None);
    }

    #[test]
    fn the_limit_is_kept_and_known() {
        let mut text = Bounded::default();
        text.line(&[b'x'; LIMIT - 2]);
        text.line(b"yz");
        text.line(b"");
        assert!(text.as_str().len() <= LIMIT && text.is_cut());
        let mut long = Bounded::default();
        long.line("é".repeat(LIMIT).as_bytes());
        assert!(long.is_cut() && long.as_str() == "é".repeat(LIMIT / 2));
    }
}
