//! CSV files of numbers; every error names the file, the line and the column.

use crate::io::csv::csv_out::{CsvFormat, to_csv};
use crate::io::csv::records::{Records, Row};
use miette::Result;
use spargo::linalg::Mat;
use std::path::Path;

/// A CSV file of numbers with a header.
pub struct NumberTable {
    records: Records,
    rows: Vec<Vec<f64>>,
}

impl NumberTable {
    /// Reads a file with a header line; every other cell must be a finite number.
    pub fn read(path: &Path) -> Result<Self> {
        let records = Records::read(path)?;
        let number = |row: Row<'_>, column: usize| {
            let cell = row.cell(column);
            cell.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(|| {
                let message = format!("'{cell}' is not a finite number; remove the row or the column");
                records.fault_in(row, column, &message)
            })
        };
        let numbers = |row| (0..records.header().len()).map(|column| number(row, column)).collect();
        let rows = records.rows().map(numbers).collect::<Result<_>>()?;
        Ok(NumberTable { records: records.without_rows(), rows })
    }

    /// The names of all columns but the target.
    pub fn inputs(&self, target: &str) -> Vec<String> {
        self.records.header().iter().filter(|name| *name != target).cloned().collect()
    }

    /// The named columns as a matrix, one row per point.
    pub fn matrix(&self, names: &[String]) -> Result<Mat> {
        let columns = self.records.columns(names.iter())?;
        Ok(Mat::from_fn(self.rows.len(), columns.len(), |i, k| self.rows[i][columns[k]]))
    }

    /// One named column.
    pub fn column(&self, name: &str) -> Result<Vec<f64>> {
        let column = self.records.column(name)?;
        Ok(self.rows.iter().map(|row| row[column]).collect())
    }

    /// This table with further columns appended.
    pub fn csv_with(&self, names: &[&str], columns: &[Vec<f64>]) -> Result<String> {
        let header = self.records.header().iter().cloned().chain(names.iter().map(|name| name.to_string()));
        let row = |(i, row): (usize, &Vec<f64>)| {
            let cells = row.iter().copied().chain(columns.iter().map(|column| column[i]));
            cells.map(|v| v.to_string()).collect()
        };
        to_csv(CsvFormat::default(), std::iter::once(header.collect()).chain(self.rows.iter().enumerate().map(row)))
    }
}
