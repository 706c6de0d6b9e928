//! Rows and text that grow in chunks. What is there is never copied to where there is more room, so that memory is
//! touched once: in a large table that costs as much as reading does.

/// So many rows are a chunk.
const ROWS: usize = 1 << 14;

/// So many bytes of text are a chunk, unless one piece is longer.
const TEXT: usize = 1 << 20;

/// A list of rows.
#[derive(Debug, Clone)]
pub(crate) struct Rows<T> {
    /// Each holds [`ROWS`].
    full: Vec<Vec<T>>,
    last: Vec<T>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new() }
    }
}

impl<T> Rows<T> {
    #[inline]
    pub(crate) fn push(&mut self, row: T) {
        if self.last.len() == ROWS {
            self.full.push(std::mem::replace(&mut self.last, Vec::with_capacity(ROWS)));
        }
        self.last.push(row);
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.full.len() * ROWS + self.last.len()
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        let chunk = at / ROWS;
        let rows = if chunk == self.full.len() { &self.last } else { self.full.get(chunk)? };
        rows.get(at % ROWS)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        let chunk = at / ROWS;
        let rows = if chunk == self.full.len() { &mut self.last } else { self.full.get_mut(chunk)? };
        rows.get_mut(at % ROWS)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.full.iter().flatten().chain(&self.last)
    }
}

/// Values of which most rows have none: a row costs something only if one behind it has a value.
#[derive(Debug, Clone)]
pub(crate) struct Column<T> {
    values: Rows<T>,
    none: T,
}

impl<T: Copy> Column<T> {
    /// A column in which `none` stands for no value.
    pub(crate) fn new(none: T) -> Self {
        Self { values: Rows::default(), none }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> T {
        self.values.get(row).copied().unwrap_or(self.none)
    }

    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: T) {
        while self.values.len() < row {
            self.values.push(self.none);
        }
        match self.values.get_mut(row) {
            Some(place) => *place = value,
            None => self.values.push(value),
        }
    }
}

/// Pieces of text one behind the other, none of which lies in two chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    full: Vec<String>,
    last: String,
}

/// Where a piece ends. It starts where the one before ends, or with its chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) chunk: u16,
    pub(crate) at: u32,
}

impl Text {
    /// Adds a piece.
    #[inline]
    pub(crate) fn push(&mut self, piece: &str) -> End {
        if self.last.len() + piece.len() > TEXT {
            self.next_chunk(piece.len());
        }
        self.last.push_str(piece);
        End { chunk: self.full.len() as u16, at: u32::try_from(self.last.len()).unwrap_or(u32::MAX) }
    }

    /// The last chunk that has a number, which lies behind 64 GiB, grows.
    #[cold]
    fn next_chunk(&mut self, least: usize) {
        if !self.last.is_empty() && self.full.len() < usize::from(u16::MAX) {
            let next = String::with_capacity(least.max(TEXT));
            self.full.push(std::mem::replace(&mut self.last, next));
        }
    }

    /// The piece that ends here, behind the one that ends there.
    #[inline]
    pub(crate) fn get(&self, before: End, end: End) -> &str {
        let start = if before.chunk == end.chunk { before.at } else { 0 };
        let chunk = self.full.get(usize::from(end.chunk)).unwrap_or(&self.last);
        chunk.get(start as usize..end.at as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_where_they_are_counted() {
        let mut rows = Rows::default();
        for row in 0..3 * ROWS {
            assert_eq!((rows.len(), rows.get(row)), (row, None));
            rows.push(row);
        }
        assert!(rows.iter().copied().eq(0..3 * ROWS));
        for at in [0, ROWS - 1, ROWS, 2 * ROWS, 3 * ROWS - 1] {
            assert_eq!(rows.get(at), Some(&at));
            *rows.get_mut(at).unwrap() = 7;
            assert_eq!(rows.get(at), Some(&7));
        }
        assert_eq!(rows.get(3 * ROWS), None);
        assert_eq!(rows.get_mut(4 * ROWS), None);
    }

    #[test]
    fn a_column_tells_what_has_no_value() {
        let mut column = Column::new(0);
        for (row, value) in [(3, 1), (1, 2), (2 * ROWS, 3), (3, 4)] {
            column.set(row, value);
        }
        let read = [0, 1, 2, 3, 4, 2 * ROWS, 2 * ROWS + 1].map(|row| column.get(row));
        assert_eq!(read, [0, 2, 0, 4, 0, 3, 0]);
    }

    #[test]
    fn text_gives_back_its_pieces() {
        let (mut text, mut pieces) = (Text::default(), Vec::new());
        // Some end where a chunk does, some are longer than one, some are empty.
        for len in [0, 5, TEXT - 5, 0, 1, TEXT, TEXT + 1, 0, 0, 3 * TEXT, TEXT / 2, TEXT / 2, TEXT / 3, 2] {
            let piece: String = "abcdefg".chars().cycle().skip(len % 7).take(len).collect();
            let before = pieces.last().map_or(End::default(), |(_, end, _)| *end);
            pieces.push((before, text.push(&piece), piece));
        }
        for (before, end, piece) in &pieces {
            assert!(text.get(*before, *end) == piece, "{end:?}");
        }
        assert_eq!(text.get(End::default(), End { chunk: 9, at: u32::MAX }), "");
    }
}
