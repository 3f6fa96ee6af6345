//! Numbers in and out of CSV files; every complaint names the file, the line and the column.

use crate::records::{Records, Row};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use spargo::linalg::Mat;
use std::path::Path;

/// A CSV file of numbers with a header.
pub struct Table {
    file: String,
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads a file with a header line; every other cell must be a finite number.
    pub fn read(path: &Path) -> Result<Self> {
        let records = Records::read(path)?;
        let (file, header) = (records.file().to_string(), records.header().to_vec());
        let numbers = |row: Row<'_>| {
            let cells = header.iter().enumerate();
            cells.map(|(k, column)| number(row.cell(k), &file, row.line, column)).collect::<Result<Vec<_>>>()
        };
        let rows = records.rows().map(numbers).collect::<Result<Vec<_>>>()?;
        Ok(Table { file, header, rows })
    }

    /// The names of all columns but the target.
    pub fn inputs(&self, target: &str) -> Vec<String> {
        self.header.iter().filter(|name| *name != target).cloned().collect()
    }

    /// The named columns as a matrix, one row a point.
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

    /// Writes this table with further columns appended.
    pub fn write_with(&self, path: &Path, names: &[&str], columns: &[Vec<f64>]) -> Result<()> {
        let context = || format!("cannot write {}", path.display());
        let mut writer = csv::Writer::from_path(path).into_diagnostic().wrap_err_with(context)?;
        let header = self.header.iter().map(String::as_str).chain(names.iter().copied());
        writer.write_record(header).into_diagnostic().wrap_err_with(context)?;
        for (i, row) in self.rows.iter().enumerate() {
            let cells = row.iter().copied().chain(columns.iter().map(|column| column[i]));
            writer.write_record(cells.map(|v| v.to_string())).into_diagnostic().wrap_err_with(context)?;
        }
        writer.flush().into_diagnostic().wrap_err_with(context)
    }
}

fn number(cell: &str, file: &str, line: u64, column: &str) -> Result<f64> {
    let parsed = cell.parse::<f64>().ok().filter(|value| value.is_finite());
    parsed.ok_or_else(|| {
        miette!("{file}, line {line}, column '{column}': '{cell}' is not a finite number; remove the row or the column")
    })
}
