//! A batch as a table: points to be evaluated, and what is expected of them.

use crate::io::csv::points::text;
use crate::io::csv::sheet::csv;
use miette::Result;
use spargo::space::Point;
use spargo::study::{Config, CrediblePrediction};

/// Points to be evaluated.
pub struct Plate<'a> {
    pub config: &'a Config,
    /// What the inputs' columns are called.
    pub header: &'a [String],
    pub points: &'a [Point],
    /// One for each output and point, if asked for.
    pub forecasts: Vec<Vec<CrediblePrediction>>,
}

impl Plate<'_> {
    pub fn csv(&self) -> Result<String> {
        let mut header = self.header.to_vec();
        for (output, _) in self.config.outputs.iter().zip(&self.forecasts) {
            header.extend(["mean", "low", "high"].map(|what| format!("{} {what}", output.name)));
        }
        let row = |(i, point): (usize, &Point)| {
            let mut cells: Vec<String> = point.iter().map(text).collect();
            for forecasts in &self.forecasts {
                let CrediblePrediction { mean, interval: (low, high) } = forecasts[i];
                // Display would write 1e300 with 300 zeros.
                cells.extend([mean, low, high].map(|number| format!("{number:?}")));
            }
            cells
        };
        csv(std::iter::once(header).chain(self.points.iter().enumerate().map(row)))
    }
}
