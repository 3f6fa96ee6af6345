//! The neighbourhood of the best trials, by exact models of its own.
//!
//! ```text
//!     D_c = the n observations closest to c,     p(f | D_c, θ_c) exact,     best = argmax_{c, x ∈ D_c}  E f(x) − √Var f(x)
//! ```
//!
//! One stationary model of everything smooths over what is narrow beside the rest of the space: the trial that it
//! believes in may be one of the good ones, not the best. Around each trial that the model or its own outcome
//! recommends, a model of that neighbourhood alone has the say, if it foretells outcomes there better, each left out in turn; if
//! not, the model of everything has, which knows more trials. A deviation is taken off the mean, so that one lucky outcome is not
//! enough.

use super::best_rows;
use super::model::Model;
use crate::data::{Dataset, Units, Warp};
use crate::error::{Error, Result};
use crate::kernel::Covariance;
use crate::linalg::select_rows;
use crate::model::{
    Fit, Fitting, Hyperparameters, Inference, Learning, Posterior, Prediction, Start, fit, left_out, noise_limit,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Models of the neighbourhood of the best trials, for one objective without limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Locality {
    /// Observations of a neighbourhood; 0 for no such models: the study's model alone says which trial is best.
    pub neighbours: usize,
    /// Share of a batch of Thompson's that is drawn from the model of the best trial's neighbourhood.
    pub polish: f64,
}

impl Default for Locality {
    fn default() -> Self {
        Locality { neighbours: 0, polish: 0.2 }
    }
}

impl Locality {
    /// Refuses shares that are none.
    pub(super) fn check(&self) -> Result<()> {
        match (0.0..=1.0).contains(&self.polish) {
            true => Ok(()),
            false => {
                Err(Error::Parameter { name: "polish".into(), value: self.polish, must: "between 0 and 1".into() })
            }
        }
    }
}

/// The best trial, and the model that says so.
#[derive(Debug)]
pub(super) struct Local {
    /// Its row among the observations.
    pub row: usize,
    /// Mean and variance there, in the model's units.
    pub belief: (f64, f64),
    /// Who believes that.
    pub teller: Teller,
    /// The lower end of the belief, in the user's units.
    surely: f64,
}

/// A model that has the say in a neighbourhood.
#[derive(Debug, Clone)]
pub(super) struct Teller {
    pub posterior: Arc<Posterior>,
    /// Of the outcomes.
    pub units: Units,
    /// The noise variance, in those.
    pub noise: f64,
}

impl Local {
    /// `data` are the observations that the model has seen; `None` if no neighbourhood can be told of.
    pub fn best(model: &Model, data: &Dataset, settings: &Locality) -> Result<Option<Self>> {
        if settings.neighbours == 0 {
            return Ok(None);
        }
        let means = model.posterior.mean(data.x())?;
        let recommended = best_rows(&means, CANDIDATES).into_iter().zip(best_rows(data.y(), CANDIDATES));
        let scales = model.state.hyper.kernel.scales(data.dimension());
        let (mut settled, mut best, mut count) = (vec![false; data.len()], None::<Local>, 0);
        for row in recommended.flat_map(|(believed, observed)| [believed, observed]) {
            if settled[row] || count == NEIGHBOURHOODS {
                continue;
            }
            count += 1;
            let rows = closest(data, row, &scales, settings.neighbours);
            // Beside the edge of a neighbourhood others know more.
            let inner = &rows[..rows.len().div_ceil(2)];
            inner.iter().for_each(|&row| settled[row] = true);
            match Local::among(model, data, &rows, inner) {
                Ok(local) if best.as_ref().is_none_or(|best| local.surely > best.surely) => best = Some(local),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                // Other neighbourhoods, or the study's own model, will do.
                Ok(_) | Err(_) => {}
            }
        }
        Ok(best)
    }

    /// The best of the `inner` rows, which lie closest to the first.
    fn among(model: &Model, data: &Dataset, rows: &[usize], inner: &[usize]) -> Result<Self> {
        let some = data.subset(rows);
        let near = Teller::near(model, &some)?;
        let far = Teller { posterior: model.posterior.clone(), units: model.units, noise: model.state.hyper.noise };
        let closest: Vec<usize> = (0..rows.len().min(LEFT_OUT)).collect();
        let gain = near.foretells(&some, &closest)? - far.foretells(data, &rows[..closest.len()])?;
        let teller = if gain > 0.0 { near } else { far };
        let Prediction { mean, variance } = teller.posterior.predict(select_rows(data.x(), inner).as_ref())?;
        let surely = |i: usize| mean[i] - variance[i].sqrt();
        let best = (0..inner.len()).max_by(|&i, &j| surely(i).total_cmp(&surely(j))).unwrap_or(0);
        let surely = teller.units.from_model(surely(best));
        Ok(Local { row: inner[best], belief: (mean[best], variance[best]), teller, surely })
    }
}

impl Teller {
    /// The exact model of some observations; its search begins at the kernel of the model of all.
    fn near(model: &Model, some: &Dataset) -> Result<Self> {
        let units = Units::of(some.y(), Warp::Identity);
        let standard = units.apply(some);
        let kernel = model.state.hyper.kernel.clone();
        let settings = Fitting {
            learning: Learning::Subset(SUBSET),
            inference: Inference::Exact,
            start: Start::Warm,
            noise_limit: noise_limit(&standard, &kernel.scales(some.dimension()), 0),
            ..Fitting::default()
        };
        let start = Hyperparameters { kernel, mean: 0.0, noise: NOISE };
        let Fit { posterior, hyper, .. } = fit(&start, &standard, standard.x(), &settings)?;
        Ok(Teller { posterior: Arc::new(posterior), units, noise: hyper.noise })
    }

    /// How likely these outcomes are in the user's units, each left out in turn: the sum of logarithms.
    fn foretells(&self, data: &Dataset, rows: &[usize]) -> Result<f64> {
        let Prediction { mean, variance } = left_out(&self.posterior, &self.units.apply(data), self.noise, rows)?;
        let one = |(i, &row): (usize, &usize)| {
            let y = data.y()[row];
            let deviation = self.units.to_model(y) - mean[i];
            self.units.log_slope(y) - 0.5 * (variance[i].ln() + deviation * deviation / variance[i])
        };
        Ok(rows.iter().enumerate().map(one).sum())
    }
}

/// Trials that the model, and as many that their outcomes recommend.
const CANDIDATES: usize = 10;

/// Neighbourhoods that are modelled, at most; seldom are there more than two.
const NEIGHBOURHOODS: usize = 4;

/// Outcomes that are left out in turn.
const LEFT_OUT: usize = 100;

/// Rows that a neighbourhood's hyperparameters are learned from.
const SUBSET: usize = 200;

/// Where the search for the noise variance begins, in units of the neighbourhood's variance.
const NOISE: f64 = 0.1;

/// The rows closest to one of them, which comes first, in units of the length scales.
fn closest(data: &Dataset, row: usize, scales: &[f64], count: usize) -> Vec<usize> {
    let x = data.x();
    let distance = |i: usize| -> f64 {
        scales.iter().enumerate().map(|(k, scale)| ((x[(i, k)] - x[(row, k)]) / scale).powi(2)).sum()
    };
    let mut rows: Vec<(f64, usize)> = (0..data.len()).map(|i| (distance(i), i)).collect();
    let count = count.min(rows.len());
    if count < rows.len() {
        rows.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0));
        rows.truncate(count);
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1 != row).cmp(&(b.1 != row))).then(a.1.cmp(&b.1)));
    rows.into_iter().map(|(_, i)| i).collect()
}
