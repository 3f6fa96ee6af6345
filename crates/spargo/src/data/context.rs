//! The last posterior at the data: all that an allocation may know of a model.
//!
//! ```text
//!     per output: y,  μ(x_i) = E f(x_i),  σ²(x_i) = Var f(x_i),  σ²_n(x_i)        (f is maximised)
//! ```

use crate::error::{Error, Result, check_finite, check_length};

/// One output at the data: outcomes and the previous posterior, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct PosteriorAtData {
    y: Vec<f64>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    noise: Vec<f64>,
    level: f64,
}

impl PosteriorAtData {
    /// Outcomes, and mean, variance and noise variance of the latent f; all of one length, all finite.
    pub fn new(y: Vec<f64>, mean: Vec<f64>, variance: Vec<f64>, noise: Vec<f64>) -> Result<Self> {
        let lists = [("outcomes", &y), ("means", &mean), ("variances", &variance), ("noise variances", &noise)];
        for (name, list) in lists {
            check_length(format!("the list of {name}"), list.len(), y.len())?;
            check_finite(format!("one of the {name}"), list)?;
        }
        for (name, list) in [("variance", &variance), ("noise variance", &noise)] {
            if let Some(row) = list.iter().position(|&v| v < 0.0) {
                let name = format!("{name} of row {row}");
                return Err(Error::Parameter { name, value: list[row], must: "at least 0".into() });
            }
        }
        Ok(PosteriorAtData { y, mean, variance, noise, level: 0.0 })
    }

    /// Noise-free outcomes without any model: mean y, no variance.
    pub fn exact(y: Vec<f64>) -> Result<Self> {
        let zeros = vec![0.0; y.len()];
        PosteriorAtData::new(y.clone(), y, zeros.clone(), zeros)
    }

    /// Sets the level whose crossing matters (0, the boundary of a classifier, unless set).
    pub fn with_level(mut self, level: f64) -> Result<Self> {
        if !level.is_finite() {
            return Err(Error::Parameter { name: "level".into(), value: level, must: "finite".into() });
        }
        self.level = level;
        Ok(self)
    }

    /// The posterior at some of the rows, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let of = |list: &[f64]| rows.iter().map(|&row| list[row]).collect();
        let [y, mean, variance, noise] = [&self.y, &self.mean, &self.variance, &self.noise].map(|list| of(list));
        PosteriorAtData { y, mean, variance, noise, level: self.level }
    }

    /// The outcomes.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// μ.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// σ², of the latent f.
    pub fn variance(&self) -> &[f64] {
        &self.variance
    }

    /// σ²_n.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }

    /// The level of interest.
    pub fn level(&self) -> f64 {
        self.level
    }
}

/// Everything that an allocation may look at: the rows' posteriors, which of them are feasible, and the box.
#[derive(Debug, Clone, PartialEq)]
pub struct AllocationContext {
    rows: usize,
    outputs: Vec<PosteriorAtData>,
    bounds: Option<Vec<(f64, f64)>>,
    feasible: Option<Vec<bool>>,
}

impl AllocationContext {
    /// N rows of which no posterior is known.
    pub fn of_rows(rows: usize) -> Self {
        AllocationContext { rows, outputs: Vec::new(), bounds: None, feasible: None }
    }

    /// Adds the posterior of every output that the quality needs.
    pub fn with_outputs(mut self, outputs: Vec<PosteriorAtData>) -> Result<Self> {
        for (k, output) in outputs.iter().enumerate() {
            check_length(format!("the posterior of output {k}"), output.y.len(), self.rows)?;
        }
        self.outputs = outputs;
        Ok(self)
    }

    /// Adds which rows satisfy all constraints, as far as is known; without it, all do.
    pub fn with_feasible(mut self, feasible: Vec<bool>) -> Result<Self> {
        check_length("the list of feasible rows", feasible.len(), self.rows)?;
        self.feasible = Some(feasible);
        Ok(self)
    }

    /// Adds the box, (lower, upper) per input, in the units of the data's inputs.
    pub fn with_bounds(mut self, bounds: Vec<(f64, f64)>) -> Result<Self> {
        for (k, &(lower, upper)) in bounds.iter().enumerate() {
            if !(lower.is_finite() && (upper - lower).is_finite() && lower < upper) {
                let must = format!("finite and above the lower bound, {lower}");
                return Err(Error::Parameter { name: format!("upper bound of input {k}"), value: upper, must });
            }
        }
        self.bounds = Some(bounds);
        Ok(self)
    }

    /// N.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The posterior of each output that was given.
    pub fn outputs(&self) -> &[PosteriorAtData] {
        &self.outputs
    }

    /// Which rows satisfy all constraints, if that was said.
    pub fn feasible(&self) -> Option<&[bool]> {
        self.feasible.as_deref()
    }

    /// The box.
    pub fn bounds(&self) -> Option<&[(f64, f64)]> {
        self.bounds.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_that_no_posterior_has_are_refused() {
        let new = |mean: f64, variance: f64| {
            PosteriorAtData::new(vec![0.0; 2], vec![0.0, mean], vec![1.0, variance], vec![0.1; 2])
        };
        assert!(matches!(new(f64::NAN, 1.0), Err(Error::NonFinite { row: 1, .. })));
        assert!(matches!(new(0.0, -1.0), Err(Error::Parameter { .. })));
        assert!(matches!(new(0.0, f64::INFINITY), Err(Error::NonFinite { row: 1, .. })));
        assert!(matches!(
            PosteriorAtData::new(vec![0.0], vec![0.0; 2], vec![0.0], vec![0.0]),
            Err(Error::Shape { found: 2, expected: 1, .. })
        ));
        let good = new(0.0, 0.0).unwrap();
        assert!(good.clone().with_level(f64::NAN).is_err());
        let other = PosteriorAtData::exact(vec![0.0; 3]).unwrap();
        let context = || AllocationContext::of_rows(2);
        assert!(matches!(context().with_feasible(vec![true]), Err(Error::Shape { found: 1, expected: 2, .. })));
        let refused = context().with_outputs(vec![good, other]);
        assert!(matches!(refused, Err(Error::Shape { found: 3, expected: 2, .. })));
    }

    #[test]
    fn a_box_without_volume_is_refused() {
        for (lower, upper) in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e308, 1e308)] {
            assert!(AllocationContext::of_rows(1).with_bounds(vec![(0.0, 1.0), (lower, upper)]).is_err());
        }
    }
}
