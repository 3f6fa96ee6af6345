//! The cells of all rows of a table, one after the other in one text.

/// Cells in rows of equal length, which are only ever added.
#[derive(Debug, Default)]
pub struct Cells {
    columns: usize,
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<usize>,
    /// The line of each row in its file, counted from 1.
    lines: Vec<u64>,
}

/// One row below the header.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// Its line in the file, counted from 1.
    pub line: u64,
    cells: &'a Cells,
    /// The place of its first cell.
    first: usize,
}

impl<'a> Row<'a> {
    pub fn cell(&self, column: usize) -> &'a str {
        if column < self.cells.columns { self.cells.at(self.first + column) } else { "" }
    }

    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        (self.first..self.first + self.cells.columns).map(move |place| self.cells.at(place))
    }
}

impl Cells {
    /// No rows of so many cells each.
    pub fn new(columns: usize) -> Self {
        Cells { columns, ..Cells::default() }
    }

    /// Adds a row, which must have as many cells as the others.
    pub fn push<T: AsRef<str>>(&mut self, line: u64, cells: impl Iterator<Item = T>) {
        let before = self.ends.len();
        for cell in cells {
            self.text.push_str(cell.as_ref());
            self.ends.push(self.text.len());
        }
        debug_assert_eq!(self.ends.len() - before, self.columns);
        self.lines.push(line);
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> + DoubleEndedIterator {
        (0..self.lines.len()).map(|i| Row { line: self.lines[i], cells: self, first: i * self.columns })
    }

    /// All cells, row after row.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|place| self.at(place))
    }

    fn at(&self, place: usize) -> &str {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.text[start..self.ends[place]]
    }
}
