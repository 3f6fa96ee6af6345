//! Rows as CSV text, quoted where necessary, with no cell that a spreadsheet would run as a formula.

use crate::io::csv::formula::guarded;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use miette::{IntoDiagnostic, Result};
use spargo::space::Value;

/// The dialects by their names.
const DIALECTS: [(&str, CsvFormat); 5] = [
    ("comma", CsvFormat { delimiter: b',', decimal_comma: false }),
    ("semicolon", CsvFormat { delimiter: b';', decimal_comma: true }),
    ("semicolon-point", CsvFormat { delimiter: b';', decimal_comma: false }),
    ("tab", CsvFormat { delimiter: b'\t', decimal_comma: false }),
    ("tab-comma", CsvFormat { delimiter: b'\t', decimal_comma: true }),
];

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

impl ValueEnum for CsvFormat {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [CsvFormat; 5] = [DIALECTS[0].1, DIALECTS[1].1, DIALECTS[2].1, DIALECTS[3].1, DIALECTS[4].1];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl CsvFormat {
    /// Its name among the dialects.
    pub fn name(self) -> &'static str {
        DIALECTS.into_iter().find(|(_, format)| *format == self).unwrap_or(DIALECTS[0]).0
    }

    /// The dialect with this name.
    pub fn named(name: &str) -> Option<Self> {
        DIALECTS.into_iter().find(|dialect| dialect.0 == name).map(|(_, format)| format)
    }

    /// The text of a cell that may be a number, with the decimal mark of this format.
    pub fn localized(self, word: String) -> String {
        let is_number = self.decimal_comma && word.parse::<f64>().is_ok();
        if is_number { word.replacen('.', ",", 1) } else { word }
    }

    /// A value as the text of a cell.
    pub fn cell(self, value: &Value) -> String {
        match value {
            Value::Choice(word) => word.clone(),
            number => self.localized(number.to_string()),
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
