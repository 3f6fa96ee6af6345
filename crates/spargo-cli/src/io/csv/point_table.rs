//! Points as a table, with trial numbers, outcomes or predictions: `ask`, `suggest` and `export` write it as CSV or JSON.

use crate::io::csv::csv_out::{CsvFormat, to_csv};
use crate::io::output::files::{Destination, Force};
use crate::io::output::print::deliver;
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::json;
use spargo::space::Value;
use std::path::PathBuf;

/// `--output`, `--force` and `--json`: where a table is written, and in which form.
#[derive(Args)]
pub struct TableArgs {
    /// Write to this file instead of standard output (-)
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    #[command(flatten)]
    force: Force,
    /// Separator of cells; semicolon and tab-comma have decimal commas [default: as the last table that was read]
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    dialect: Option<CsvFormat>,
    /// Write one JSON object per row, with the columns as keys
    #[arg(long)]
    pub json: bool,
}

/// A table with one row per point.
#[derive(Default)]
pub struct PointTable {
    pub columns: Vec<String>,
    /// One cell per column; `None` is an empty cell, or null.
    pub rows: Vec<Vec<Option<Value>>>,
    /// How it is written as CSV.
    pub format: CsvFormat,
}

impl TableArgs {
    /// Where the table goes, in words.
    pub fn target(&self) -> String {
        if self.destination(&[]).is_stdout() { "standard output".into() } else { self.output.display().to_string() }
    }

    /// How the table is written unless it is JSON: as the flag says, else as the last table of results was.
    pub fn format(&self, last: Option<CsvFormat>) -> CsvFormat {
        self.dialect.or(last).unwrap_or_default()
    }

    /// Refuses to replace one of the `inputs`, or an existing file without `--force`, before any work is done.
    pub fn check(&self, inputs: &[PathBuf]) -> Result<()> {
        self.destination(inputs).check()
    }

    /// Writes a table; a reader of standard output may have gone.
    pub fn write(&self, table: &PointTable, inputs: &[PathBuf]) -> Result<()> {
        self.destination(inputs).write(&self.text(table)?)
    }

    /// Writes a table that nothing else keeps: standard output must have a reader.
    pub fn deliver(&self, table: &PointTable, inputs: &[PathBuf]) -> Result<()> {
        let destination = self.destination(inputs);
        if destination.is_stdout() {
            return deliver(&self.text(table)?).into_diagnostic().wrap_err("cannot write to standard output");
        }
        destination.write(&self.text(table)?)
    }

    fn destination<'a>(&'a self, inputs: &'a [PathBuf]) -> Destination<'a> {
        Destination { path: &self.output, inputs, force: self.force }
    }

    fn text(&self, table: &PointTable) -> Result<String> {
        if self.json { Ok(table.json()) } else { table.csv() }
    }
}

impl PointTable {
    fn csv(&self) -> Result<String> {
        let cell = |cell: &Option<Value>| cell.as_ref().map_or("".into(), |value| self.format.cell(value));
        let cells = |row: &Vec<Option<Value>>| row.iter().map(cell).collect();
        to_csv(self.format, std::iter::once(self.columns.clone()).chain(self.rows.iter().map(cells)))
    }

    fn json(&self) -> String {
        let object = |row: &Vec<Option<Value>>| -> serde_json::Value {
            self.columns.iter().cloned().zip(row.iter().map(|cell| json!(cell))).collect()
        };
        self.rows.iter().map(|row| format!("{}\n", object(row))).collect()
    }
}
