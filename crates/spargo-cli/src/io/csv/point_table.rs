//! Points as a table, with trial numbers, outcomes or predictions: `ask`, `suggest` and `export` write it as CSV or JSON.

use crate::io::csv::csv_out::to_csv;
use crate::io::csv::points::text;
use crate::io::output::files::print_or_write;
use clap::Args;
use miette::Result;
use serde_json::json;
use spargo::space::Value;
use std::path::PathBuf;

/// `--output` and `--json`: where a table is written, and in which form.
#[derive(Args)]
pub struct TableArgs {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write one JSON object per row, with the columns as keys
    #[arg(long)]
    pub json: bool,
}

/// A table with one row per point.
pub struct PointTable {
    pub columns: Vec<String>,
    /// One cell per column; `None` is an empty cell, or null.
    pub rows: Vec<Vec<Option<Value>>>,
}

impl TableArgs {
    /// Writes a table, never over one of the `inputs`.
    pub fn write(&self, table: &PointTable, inputs: &[PathBuf]) -> Result<()> {
        let text = if self.json { table.json() } else { table.csv()? };
        print_or_write(&text, self.output.as_deref(), inputs)
    }
}

impl PointTable {
    fn csv(&self) -> Result<String> {
        let cells = |row: &Vec<Option<Value>>| row.iter().map(|cell| cell.as_ref().map_or("".into(), text)).collect();
        to_csv(std::iter::once(self.columns.clone()).chain(self.rows.iter().map(cells)))
    }

    fn json(&self) -> String {
        let object = |row: &Vec<Option<Value>>| -> serde_json::Value {
            self.columns.iter().cloned().zip(row.iter().map(|cell| json!(cell))).collect()
        };
        self.rows.iter().map(|row| format!("{}\n", object(row))).collect()
    }
}
