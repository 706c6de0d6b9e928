//! When files were touched: what was swapped for a run and put back has the content that it had, and other times.

use std::cmp::Ordering;

use bstr::{BStr, BString, ByteSlice as _};

/// Seconds and nanoseconds since 1970.
pub type Time = (i64, u32);

/// What the system says of a file or link beside what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// When its content or its data in the file system changed. No program can set it.
    pub changed: Time,
    /// When its content changed, as far as nobody set it back.
    pub modified: Time,
    /// Which file it is.
    pub inode: u64,
    /// When a name in its folder came or went.
    pub folder: Time,
}

/// How a file was touched whose content is what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// It was written, or another file had its place for a while.
    Written,
    /// Only its change time moved: `chmod` does that, a new hard link, and whoever writes and sets the times back.
    OnlyChanged,
}

impl Stamp {
    /// How the file was touched between an earlier stamp and this one; `None`: it wasn't.
    #[must_use]
    pub fn touch(&self, earlier: &Self) -> Option<Touch> {
        if self.changed == earlier.changed {
            return None;
        }
        // Moved away and back, a file keeps its own time and number; its folder doesn't.
        let same = (self.modified, self.inode, self.folder);
        let written = same != (earlier.modified, earlier.inode, earlier.folder);
        Some(if written { Touch::Written } else { Touch::OnlyChanged })
    }
}

/// The stamps of all files that count or may be frozen, in order of their paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stamps {
    /// All paths, one behind the other.
    paths: BString,
    /// Where in them each one ends.
    stamps: Vec<(usize, Stamp)>,
}

impl Stamps {
    /// Of files that come in the order of their paths, at most so many.
    pub(in crate::observe) fn of_sorted<'p>(
        most: usize,
        files: impl Iterator<Item = (&'p [u8], Stamp)>,
    ) -> Self {
        // Paths of this length are usual. They are taken at once, since all of them are copied when room runs out.
        let paths = BString::from(Vec::with_capacity(most * 32));
        let mut all = Self { paths, stamps: Vec::with_capacity(most) };
        files.for_each(|(path, stamp)| all.push(path, stamp));
        all
    }

    /// Adds the next file; the paths come in order.
    pub fn push(&mut self, path: &[u8], stamp: Stamp) {
        self.paths.extend_from_slice(path);
        self.stamps.push((self.paths.len(), stamp));
    }

    /// The files that were touched since earlier stamps were taken, of those that both hold.
    #[must_use]
    pub fn touched_since(&self, earlier: &Self) -> Vec<(&BStr, Touch)> {
        let mut touched = Vec::new();
        let mut old = earlier.iter().peekable();
        for (path, stamp) in self.iter() {
            while old.next_if(|(before, _)| before.cmp(&path) == Ordering::Less).is_some() {}
            let Some((_, before)) = old.next_if(|(before, _)| *before == path) else { continue };
            touched.extend(stamp.touch(before).map(|touch| (path, touch)));
        }
        touched
    }

    fn iter(&self) -> impl Iterator<Item = (&BStr, &Stamp)> {
        self.stamps.iter().scan(0, |start, (end, stamp)| {
            let path = self.paths.get(*start..*end).unwrap_or_default().as_bstr();
            *start = *end;
            Some((path, stamp))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp = Stamp { changed: (9, 1), modified: (5, 0), inode: 7, folder: (3, 3) };

    #[test]
    fn the_change_time_decides_and_the_others_say_how() {
        let later = Stamp { changed: (9, 2), ..STAMP };
        let check = |now: Stamp, touch| assert_eq!(now.touch(&STAMP), touch, "{now:?}");
        check(STAMP, None);
        check(Stamp { folder: (4, 4), ..STAMP }, None);
        check(later, Some(Touch::OnlyChanged));
        check(Stamp { modified: (5, 1), ..later }, Some(Touch::Written));
        check(Stamp { modified: (4, 0), ..later }, Some(Touch::Written));
        check(Stamp { inode: 8, ..later }, Some(Touch::Written));
        check(Stamp { folder: (4, 4), ..later }, Some(Touch::Written));
    }

    #[test]
    fn files_that_both_hold_are_compared() {
        let stamps = |files: &[(&str, i64)]| {
            let mut stamps = Stamps::default();
            for (path, modified) in files {
                let modified = (*modified, 0);
                stamps.push(path.as_bytes(), Stamp { changed: modified, modified, ..STAMP });
            }
            stamps
        };
        let before = stamps(&[("a", 1), ("b", 1), ("b/c", 1), ("d", 1)]);
        let after = stamps(&[("0", 2), ("b", 2), ("b/c", 1), ("d", 2), ("e", 2)]);
        let touched = after.touched_since(&before);
        assert_eq!(touched, [("b".into(), Touch::Written), ("d".into(), Touch::Written)]);
        assert_eq!(before.touched_since(&before), []);
    }
}
