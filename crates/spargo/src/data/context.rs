//! What the last model believed at the data: all that the choice of inducing points may know of it.
//!
//! ```text
//!     per output: y,  μ(x_i) = E f(x_i),  σ²(x_i) = Var f(x_i),  σ²_n(x_i)        (f is maximised)
//! ```

use crate::error::{Error, Result};

/// One output at the data: outcomes and the previous posterior, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct PosteriorAtData {
    y: Vec<f64>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    noise: Vec<f64>,
    maxima: Option<Vec<f64>>,
    level: f64,
}

impl PosteriorAtData {
    /// Outcomes, and mean, variance and noise variance of the latent f; all of one length, all finite.
    pub fn new(y: Vec<f64>, mean: Vec<f64>, variance: Vec<f64>, noise: Vec<f64>) -> Result<Self> {
        let lists = [("outcomes", &y), ("means", &mean), ("variances", &variance), ("noise variances", &noise)];
        for (name, list) in lists {
            if list.len() != y.len() {
                let what = format!("the list of {name}");
                return Err(Error::Shape { what, found: list.len(), expected: y.len() });
            }
            check_all_finite(name, list)?;
        }
        for (name, list) in [("variance", &variance), ("noise variance", &noise)] {
            if let Some(row) = list.iter().position(|&v| v < 0.0) {
                let name = format!("{name} of row {row}");
                return Err(Error::Parameter { name, value: list[row], must: "at least 0".into() });
            }
        }
        Ok(PosteriorAtData { y, mean, variance, noise, maxima: None, level: 0.0 })
    }

    /// Noise-free outcomes without any model: mean y, no variance.
    pub fn exact(y: Vec<f64>) -> Result<Self> {
        let zeros = vec![0.0; y.len()];
        PosteriorAtData::new(y.clone(), y, zeros.clone(), zeros)
    }

    /// Adds samples of f* = max f, as from paths; without them a Gumbel distribution is fitted.
    pub fn with_maxima(mut self, maxima: Vec<f64>) -> Result<Self> {
        if maxima.is_empty() {
            return Err(Error::Empty { what: "the list of samples of the maximum".into() });
        }
        check_all_finite("samples of the maximum", &maxima)?;
        self.maxima = Some(maxima);
        Ok(self)
    }

    /// Sets the level whose crossing matters (0, the boundary of a classifier, unless set).
    pub fn with_level(mut self, level: f64) -> Result<Self> {
        if !level.is_finite() {
            return Err(Error::Parameter { name: "level".into(), value: level, must: "finite".into() });
        }
        self.level = level;
        Ok(self)
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

    /// Samples of f*, if there are any.
    pub fn maxima(&self) -> Option<&[f64]> {
        self.maxima.as_deref()
    }

    /// The level of interest.
    pub fn level(&self) -> f64 {
        self.level
    }
}

/// The beliefs about every output, and the box that is searched; the default is no evidence at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AllocationContext {
    outputs: Vec<PosteriorAtData>,
    bounds: Option<Vec<(f64, f64)>>,
    feasible: Option<Vec<bool>>,
}

impl AllocationContext {
    /// Outputs over the same rows.
    pub fn new(outputs: Vec<PosteriorAtData>) -> Result<Self> {
        for (k, output) in outputs.iter().enumerate() {
            if output.y.len() != outputs[0].y.len() {
                let what = format!("the evidence of output {k}");
                return Err(Error::Shape { what, found: output.y.len(), expected: outputs[0].y.len() });
            }
        }
        Ok(AllocationContext { outputs, bounds: None, feasible: None })
    }

    /// Adds which rows keep to all limits, as far as is known: all, unless said.
    pub fn with_feasible(mut self, feasible: Vec<bool>) -> Result<Self> {
        if let Some(expected) = self.outputs.first().map(|output| output.y.len()).filter(|&n| n != feasible.len()) {
            let what = "the list of feasible rows".into();
            return Err(Error::Shape { what, found: feasible.len(), expected });
        }
        self.feasible = Some(feasible);
        Ok(self)
    }

    /// Adds the box, (lower, upper) an input, in the units of the data's inputs.
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

    /// One belief an output.
    pub fn outputs(&self) -> &[PosteriorAtData] {
        &self.outputs
    }

    /// Which rows keep to all limits, if that was said.
    pub fn feasible(&self) -> Option<&[bool]> {
        self.feasible.as_deref()
    }

    /// The box.
    pub fn bounds(&self) -> Option<&[(f64, f64)]> {
        self.bounds.as_deref()
    }
}

fn check_all_finite(name: &str, list: &[f64]) -> Result<()> {
    match list.iter().position(|v| !v.is_finite()) {
        Some(row) => Err(Error::NonFinite { what: format!("one of the {name}"), row, value: list[row] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_no_posterior_says() {
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
        assert!(good.clone().with_level(f64::NAN).is_err() && good.clone().with_maxima(vec![]).is_err());
        assert!(good.clone().with_maxima(vec![f64::NAN]).is_err());
        let other = PosteriorAtData::exact(vec![0.0; 3]).unwrap();
        let evidence = AllocationContext::new(vec![good.clone()]).unwrap();
        assert!(matches!(evidence.with_feasible(vec![true]), Err(Error::Shape { found: 1, expected: 2, .. })));
        assert!(matches!(AllocationContext::new(vec![good, other]), Err(Error::Shape { found: 3, expected: 2, .. })));
    }

    #[test]
    fn refuses_a_box_without_volume() {
        for (lower, upper) in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e308, 1e308)] {
            assert!(AllocationContext::default().with_bounds(vec![(0.0, 1.0), (lower, upper)]).is_err());
        }
    }
}
