//! A batch as a table: points to be evaluated and, if asked for, what is predicted of them.

use crate::io::csv::csv_out::to_csv;
use crate::io::csv::points::{Named, text};
use miette::{IntoDiagnostic, Result};
use serde_json::json;
use spargo::space::Point;
use spargo::study::{Config, CrediblePrediction};

/// Points to be evaluated.
pub struct BatchTable<'a> {
    pub config: &'a Config,
    /// The names of the inputs' columns.
    pub header: &'a [String],
    pub points: &'a [Point],
    /// Predictions per output and point; empty if not asked for.
    pub predictions: Vec<Vec<CrediblePrediction>>,
}

impl BatchTable<'_> {
    /// The table as CSV, one row per point.
    pub fn csv(&self) -> Result<String> {
        let predicted = (0..self.predictions.len()).flat_map(|k| self.columns(k));
        let header = self.header.iter().cloned().chain(predicted).collect();
        let row = |(i, point): (usize, &Point)| {
            // Display would write 1e300 with 300 zeros.
            let predicted = self.predictions.iter().flat_map(|of| numbers(&of[i])).map(|number| format!("{number:?}"));
            point.iter().map(text).chain(predicted).collect()
        };
        to_csv(std::iter::once(header).chain(self.points.iter().enumerate().map(row)))
    }

    /// One JSON object per point, with the columns of the table as keys.
    pub fn json(&self) -> Result<String> {
        let mut lines = String::new();
        for (i, point) in self.points.iter().enumerate() {
            let mut object = json!(Named { space: &self.config.space, point, trial: None });
            for (k, predictions) in self.predictions.iter().enumerate() {
                self.columns(k).into_iter().zip(numbers(&predictions[i])).for_each(|(key, number)| {
                    object[key] = number.into();
                });
            }
            lines += &(serde_json::to_string(&object).into_diagnostic()? + "\n");
        }
        Ok(lines)
    }

    fn columns(&self, output: usize) -> [String; 3] {
        ["mean", "low", "high"].map(|part| format!("{} {part}", self.config.outputs[output].name))
    }
}

fn numbers(prediction: &CrediblePrediction) -> [f64; 3] {
    let CrediblePrediction { mean, interval: (low, high) } = *prediction;
    [mean, low, high]
}
