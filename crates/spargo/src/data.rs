//! Observations, and the transforms between the user's units and a model's.
//!
//! ```text
//!     x ↦ (x − lower) / range ∈ [0, 1]ᵈ,        y ↦ (y − centre) / scale
//! ```

mod context;
mod transform;

pub use context::{AllocationContext, PosteriorAtData};
pub use transform::{OutcomeTransform, Warp};

use crate::error::{self, Error, Result, check_length};
use crate::linalg::{Mat, MatRef, select_rows};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Points that grow get room for this part of their number more.
const SPARE: usize = 8;

/// N points with one noisy outcome each; copies share the points.
#[derive(Debug, Clone)]
pub struct Dataset {
    x: Arc<Mat>,
    y: Vec<f64>,
    known_noise: Option<Vec<Option<f64>>>,
}

impl Dataset {
    /// Checks that there is at least one row and that everything is finite.
    pub fn new(x: Mat, y: Vec<f64>) -> Result<Self> {
        if x.nrows() == 0 || x.ncols() == 0 {
            return Err(Error::Empty { what: "the data".into() });
        }
        check_length("the list of outcomes", y.len(), x.nrows())?;
        check_finite("an input", x.as_ref())?;
        error::check_finite("the outcome", &y)?;
        Ok(Dataset { x: Arc::new(x), y, known_noise: None })
    }

    /// Adds noise variances that are known; `None` where the learned one applies.
    pub fn with_known_noise(mut self, noise: Vec<Option<f64>>) -> Result<Self> {
        check_length("the list of noise variances", noise.len(), self.y.len())?;
        for (row, value) in noise.iter().enumerate().filter_map(|(row, v)| v.map(|v| (row, v))) {
            if !(value.is_finite() && value > 0.0) {
                let must = "positive and finite; leave it out to learn it".into();
                return Err(Error::Parameter { name: format!("noise variance of row {row}"), value, must });
            }
        }
        self.known_noise = Some(noise);
        Ok(self)
    }

    /// N.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Never true: a data set has at least one row.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.x.ncols()
    }

    /// The points, one per row, [n, d].
    pub fn x(&self) -> MatRef<'_> {
        (*self.x).as_ref()
    }

    /// The outcomes.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The noise variance of row i: the known one, else `learned`.
    pub fn noise_of(&self, i: usize, learned: f64) -> f64 {
        self.known_noise.as_ref().and_then(|known| known[i]).unwrap_or(learned)
    }

    /// The noise variance of every row.
    pub fn noise(&self, learned: f64) -> Vec<f64> {
        (0..self.len()).map(|i| self.noise_of(i, learned)).collect()
    }

    /// Whether row i has the learned noise variance.
    pub fn noise_is_learned(&self, i: usize) -> bool {
        self.known_noise.as_ref().is_none_or(|known| known[i].is_none())
    }

    /// The same points with other outcomes, of which there must be as many.
    pub(crate) fn with_outcomes(&self, y: Vec<f64>) -> Self {
        debug_assert_eq!(y.len(), self.y.len());
        Dataset { y, ..self.clone() }
    }

    /// Keeps the first rows, so many, and adds others to them.
    pub(crate) fn extend(&mut self, kept: usize, x: MatRef<'_>, y: &[f64], noise: &[Option<f64>]) -> Result<()> {
        check_length("the list of outcomes", y.len(), x.nrows())?;
        check_finite("an input", x)?;
        error::check_finite("the outcome", y)?;
        let (rows, inputs) = (kept + x.nrows(), self.x.ncols());
        let own = Arc::make_mut(&mut self.x);
        own.truncate(kept, inputs);
        if rows > own.col_stride().unsigned_abs() {
            own.reserve(rows + rows / SPARE, inputs);
        }
        own.resize_with(rows, inputs, |i, k| x[(i - kept, k)]);
        self.y.truncate(kept);
        self.y.extend(y);
        if self.known_noise.is_some() || noise.iter().any(Option::is_some) {
            let known = self.known_noise.get_or_insert_with(|| vec![None; kept]);
            known.truncate(kept);
            known.extend(noise);
        }
        Ok(())
    }

    /// The given rows, in that order.
    pub fn subset(&self, rows: &[usize]) -> Self {
        Dataset {
            x: Arc::new(select_rows(self.x(), rows)),
            y: rows.iter().map(|&i| self.y[i]).collect(),
            known_noise: self.known_noise.as_ref().map(|known| rows.iter().map(|&i| known[i]).collect()),
        }
    }
}

/// Refuses points with a NaN or an infinity.
pub fn check_finite(what: &str, x: MatRef<'_>) -> Result<()> {
    for k in 0..x.ncols() {
        if let Some(row) = (0..x.nrows()).find(|&i| !x[(i, k)].is_finite()) {
            return Err(Error::NonFinite { what: format!("{what} (column {k})"), row, value: x[(row, k)] });
        }
    }
    Ok(())
}

/// A good outcome is a large one, or a small one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Direction {
    /// The larger the better.
    #[default]
    #[serde(rename = "max")]
    Maximize,
    /// The smaller the better.
    #[serde(rename = "min")]
    Minimize,
}

impl Direction {
    /// The factor that makes larger values better: 1 or −1.
    pub fn sign(self) -> f64 {
        if self == Direction::Minimize { -1.0 } else { 1.0 }
    }
}

/// The affine map of inputs from the user's units to the unit cube, and back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputTransform {
    /// Least value of each input.
    pub lower: Vec<f64>,
    /// Range of each input; 1 where the data do not vary.
    pub range: Vec<f64>,
}

impl InputTransform {
    /// Inputs that stay as they are.
    pub fn identity(dimension: usize) -> Self {
        InputTransform { lower: vec![0.0; dimension], range: vec![1.0; dimension] }
    }

    /// The map of the points' bounding box to the unit cube.
    pub fn of(x: MatRef<'_>) -> Self {
        let (lower, range) = (0..x.ncols()).map(|k| lower_and_range(x.col(k).iter().copied())).unzip();
        InputTransform { lower, range }
    }

    /// Points in the model's units, [n, d].
    pub fn to_model(&self, x: MatRef<'_>) -> Mat {
        Mat::from_fn(x.nrows(), x.ncols(), |i, k| (x[(i, k)] - self.lower[k]) / self.range[k])
    }

    /// Points in the user's units, [n, d].
    pub fn from_model(&self, z: MatRef<'_>) -> Mat {
        Mat::from_fn(z.nrows(), z.ncols(), |i, k| self.lower[k] + self.range[k] * z[(i, k)])
    }
}

/// The maps of inputs and of outcomes between the user's units and a model's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standardizer {
    /// The map of inputs.
    pub inputs: InputTransform,
    /// The map of outcomes.
    pub outcomes: OutcomeTransform,
}

impl Standardizer {
    /// Inputs to the unit cube, outcomes to mean 0 and variance 1.
    pub fn from_data(data: &Dataset) -> Self {
        Standardizer { inputs: InputTransform::of(data.x()), outcomes: OutcomeTransform::of(data.y(), Warp::Identity) }
    }

    /// Data in the model's units.
    pub fn apply(&self, data: &Dataset) -> Dataset {
        Dataset { x: Arc::new(self.inputs.to_model(data.x())), ..self.outcomes.apply(data) }
    }
}

fn lower_and_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let range = high - low;
    (low, if range > 0.0 && range.is_finite() { range } else { 1.0 })
}

/// Mean and standard deviation, computed on y / max|y| so that nothing overflows; constant data get scale |mean| or 1.
fn centre_and_scale(y: &[f64]) -> (f64, f64) {
    let largest = y.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest == 0.0 {
        return (0.0, 1.0);
    }
    let n = y.len() as f64;
    let mean = y.iter().map(|v| v / largest).sum::<f64>() / n;
    let variance = y.iter().map(|v| (v / largest - mean).powi(2)).sum::<f64>() / n;
    // Below this the spread is the rounding of the mean, not data.
    let spread = if variance.sqrt() > 1e-14 { variance.sqrt() } else { 1.0 };
    (mean * largest, (spread * largest).max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[f64]) -> Mat {
        Mat::from_fn(values.len(), 1, |i, _| values[i])
    }

    #[test]
    fn standardizes_at_every_scale() {
        for size in [1e-300, 1e-12, 1.0, 1e12, 1e300] {
            let y: Vec<f64> = [1.0, 2.0, 4.0].iter().map(|v| v * size).collect();
            let data = Dataset::new(column(&[3.0, 5.0, 4.0]), y.clone()).unwrap();
            let units = Standardizer::from_data(&data);
            let standard = units.apply(&data);
            let mean = standard.y().iter().sum::<f64>() / 3.0;
            let variance = standard.y().iter().map(|v| v * v).sum::<f64>() / 3.0;
            assert!(mean.abs() < 1e-14 && (variance - 1.0).abs() < 1e-13, "{size}: {mean} {variance}");
            assert_eq!(standard.x().col(0).iter().copied().collect::<Vec<_>>(), [0.0, 1.0, 0.5]);
            assert!((units.outcomes.from_model(standard.y()[2]) / y[2] - 1.0).abs() < 1e-14);
            let back = units.inputs.from_model(standard.x());
            assert_eq!(back.col(0).iter().copied().collect::<Vec<_>>(), [3.0, 5.0, 4.0]);
        }
    }

    #[test]
    fn constant_data_get_a_usable_scale() {
        for value in [0.0, 5.0, -1e12, 0.1] {
            let data = Dataset::new(column(&[2.0, 2.0, 2.0]), vec![value; 3]).unwrap();
            let units = Standardizer::from_data(&data);
            assert!(units.outcomes.scale() > 0.0 && units.inputs.range == [1.0]);
            assert!(units.apply(&data).y().iter().all(|v| v.abs() < 1e-13));
        }
    }

    #[test]
    fn refuses_what_it_cannot_use() {
        assert!(matches!(Dataset::new(Mat::zeros(0, 2), vec![]), Err(Error::Empty { .. })));
        assert!(matches!(Dataset::new(column(&[1.0]), vec![]), Err(Error::Shape { found: 0, expected: 1, .. })));
        assert!(matches!(Dataset::new(column(&[1.0, f64::NAN]), vec![0.0; 2]), Err(Error::NonFinite { row: 1, .. })));
        assert!(matches!(Dataset::new(column(&[1.0]), vec![f64::INFINITY]), Err(Error::NonFinite { row: 0, .. })));
        let data = Dataset::new(column(&[1.0, 2.0]), vec![0.0, 1.0]).unwrap();
        assert!(data.clone().with_known_noise(vec![Some(0.0), None]).is_err());
        let known = data.with_known_noise(vec![Some(0.5), None]).unwrap();
        assert_eq!(known.noise(0.1), [0.5, 0.1]);
        assert!(!known.noise_is_learned(0) && known.noise_is_learned(1));
        assert_eq!(known.subset(&[1]).noise(0.1), [0.1]);
    }
}
