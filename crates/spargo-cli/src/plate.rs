//! A batch as a CSV file.

use miette::{Context, IntoDiagnostic, Result};
use spargo::space::{Point, Value};
use spargo::study::{Config, Forecast};
use std::fs::File;
use std::io::{Write, stdout};
use std::path::Path;

/// Points to be evaluated, and what is expected of them.
pub struct Plate<'a> {
    pub config: &'a Config,
    /// What the inputs' columns are called.
    pub header: &'a [String],
    pub points: &'a [Point],
    /// One for each output and point, if asked for.
    pub forecasts: Vec<Vec<Forecast>>,
}

impl Plate<'_> {
    /// Writes to a file, or to standard output.
    pub fn write(&self, path: Option<&Path>) -> Result<()> {
        let context =
            || format!("cannot write {}", path.map_or("to standard output".into(), |p| p.display().to_string()));
        match path {
            Some(path) => {
                let file = File::create(path).into_diagnostic().wrap_err_with(context)?;
                self.write_to(file).into_diagnostic().wrap_err_with(context)
            }
            None => self.write_to(stdout().lock()).into_diagnostic().wrap_err_with(context),
        }
    }

    fn write_to(&self, writer: impl Write) -> csv::Result<()> {
        let mut writer = csv::Writer::from_writer(writer);
        let mut header = self.header.to_vec();
        for (output, _) in self.config.outputs.iter().zip(&self.forecasts) {
            header.extend(["mean", "low", "high"].map(|what| format!("{} {what}", output.name)));
        }
        writer.write_record(&header)?;
        for (i, point) in self.points.iter().enumerate() {
            let mut cells: Vec<String> = point.iter().map(cell).collect();
            for forecasts in &self.forecasts {
                let Forecast { mean, interval: (low, high) } = forecasts[i];
                cells.extend([mean, low, high].map(|number| number.to_string()));
            }
            writer.write_record(&cells)?;
        }
        writer.flush()?;
        Ok(())
    }
}

/// A value as programs read it: without quotes, with every digit.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Int(i) => i.to_string(),
        Value::Real(x) => format!("{x:?}"),
        Value::Choice(word) => word.clone(),
    }
}
