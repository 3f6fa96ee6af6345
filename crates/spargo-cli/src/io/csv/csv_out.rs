//! Rows as CSV text, quoted where necessary.

use miette::{IntoDiagnostic, Result};

/// The text of a table, its header first.
pub fn to_csv(rows: impl IntoIterator<Item = Vec<String>>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.into_iter().try_for_each(|row| writer.write_record(&row)).into_diagnostic()?;
    let bytes = writer.into_inner().into_diagnostic()?;
    String::from_utf8(bytes).into_diagnostic()
}
