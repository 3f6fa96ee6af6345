//! CSV files of numbers; every error names the file, the line and the column.

use crate::io::csv::csv_out::to_csv;
use crate::io::csv::records::{Records, Row};
use miette::{Result, miette};
use spargo::linalg::Mat;
use std::path::Path;

/// A CSV file of numbers with a header.
pub struct NumberTable {
    file: String,
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl NumberTable {
    /// Reads a file with a header line; every other cell must be a finite number.
    pub fn read(path: &Path) -> Result<Self> {
        let records = Records::read(path)?;
        let (file, header) = (records.file().to_string(), records.header().to_vec());
        let numbers = |row: Row<'_>| {
            let cells = header.iter().enumerate();
            cells.map(|(k, column)| number(row.cell(k), &file, row.line, column)).collect::<Result<Vec<_>>>()
        };
        let rows = records.rows().map(numbers).collect::<Result<Vec<_>>>()?;
        Ok(NumberTable { file, header, rows })
    }

    /// The names of all columns but the target.
    pub fn inputs(&self, target: &str) -> Vec<String> {
        self.header.iter().filter(|name| *name != target).cloned().collect()
    }

    /// The named columns as a matrix, one row per point.
    pub fn matrix(&self, names: &[String]) -> Result<Mat<f64>> {
        let columns = names.iter().map(|name| self.index(name)).collect::<Result<Vec<_>>>()?;
        Ok(Mat::from_fn(self.rows.len(), columns.len(), |i, k| self.rows[i][columns[k]]))
    }

    /// One named column.
    pub fn column(&self, name: &str) -> Result<Vec<f64>> {
        let column = self.index(name)?;
        Ok(self.rows.iter().map(|row| row[column]).collect())
    }

    fn index(&self, name: &str) -> Result<usize> {
        self.header
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| miette!("{} has no column '{name}'; its columns are: {}", self.file, self.header.join(", ")))
    }

    /// This table with further columns appended.
    pub fn csv_with(&self, names: &[&str], columns: &[Vec<f64>]) -> Result<String> {
        let header = self.header.iter().cloned().chain(names.iter().map(|name| name.to_string()));
        let row = |(i, row): (usize, &Vec<f64>)| {
            let cells = row.iter().copied().chain(columns.iter().map(|column| column[i]));
            cells.map(|v| v.to_string()).collect()
        };
        to_csv(std::iter::once(header.collect()).chain(self.rows.iter().enumerate().map(row)))
    }
}

fn number(cell: &str, file: &str, line: u64, column: &str) -> Result<f64> {
    let parsed = cell.parse::<f64>().ok().filter(|value| value.is_finite());
    parsed.ok_or_else(|| {
        miette!("{file}, line {line}, column '{column}': '{cell}' is not a finite number; remove the row or the column")
    })
}
