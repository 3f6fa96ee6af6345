//! Numbers in and out of CSV files; every complaint names the file, the line and the column.

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
        let file = path.display().to_string();
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_path(path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot open {file}"))?;
        let header: Vec<String> = reader.headers().into_diagnostic()?.iter().map(String::from).collect();
        if let Some((i, name)) = header.iter().enumerate().find(|(i, name)| header[..*i].contains(name)) {
            return Err(miette!(
                "{file} has the column '{name}' twice (again as column {}): rename one of them",
                i + 1
            ));
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.into_diagnostic().wrap_err_with(|| format!("{file} is not a proper CSV file"))?;
            let line = record.position().map_or(0, |position| position.line());
            let cells = record.iter().zip(&header);
            rows.push(cells.map(|(cell, column)| number(cell, &file, line, column)).collect::<Result<Vec<_>>>()?);
        }
        if rows.is_empty() {
            return Err(miette!("{file} has no rows below its header"));
        }
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
