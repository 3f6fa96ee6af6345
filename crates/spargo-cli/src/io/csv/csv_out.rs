//! Rows as CSV text, quoted where necessary, with no cell that a spreadsheet would run as a formula.

use crate::io::csv::formula::guarded;
use miette::{IntoDiagnostic, Result};
use spargo::space::Value;

/// How numbers and cells are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvFormat {
    pub delimiter: u8,
    /// 4,5 instead of 4.5.
    pub decimal_comma: bool,
}

impl Default for CsvFormat {
    fn default() -> Self {
        CsvFormat { delimiter: b',', decimal_comma: false }
    }
}

impl CsvFormat {
    /// A value as the text of a cell.
    pub fn cell(self, value: &Value) -> String {
        match value {
            Value::Choice(word) => word.clone(),
            number if self.decimal_comma => number.to_string().replacen('.', ",", 1),
            number => number.to_string(),
        }
    }
}

/// The text of a table, its header first.
pub fn to_csv(format: CsvFormat, rows: impl IntoIterator<Item = Vec<String>>) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().delimiter(format.delimiter).from_writer(Vec::new());
    for row in rows {
        writer.write_record(row.iter().map(|cell| guarded(cell).into_owned())).into_diagnostic()?;
    }
    let bytes = writer.into_inner().into_diagnostic()?;
    String::from_utf8(bytes).into_diagnostic()
}
