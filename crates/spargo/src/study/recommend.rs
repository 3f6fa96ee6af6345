//! Which trial to recommend: what a model misses at a trial is signal, as far as its replicates show, and trials that cannot be told
//! apart are judged together.
//!
//! ```text
//!     y = g(x) + δ(x) + ε      g: the model's,   Var δ = σ² − s², independent from point to point,   Var ε = s², the pure error
//!     E f = r m + (1 − r) ȳ,   Var f = r² v + (1 − r) s²/n,   r = (s²/n) / (σ² − s² + s²/n)        of f = g + δ at a trial
//!     no misfit (r = 1):       the trial closest to the mean point of the best that are tied
//! ```
//!
//! m and v are the moments of g by a model with noise variance σ², n the number of outcomes at the point, ȳ their mean: where the
//! model takes ripple for noise, an outcome is believed as far as its own noise allows. Where it does not, many trials around an
//! optimum are equally good by all that is known, the one with the largest mean by luck; the middle of them is not lucky.

use super::model::Surrogate;
use super::pure_error::{PureError, Replicated};
use crate::data::Dataset;
use crate::error::Result;
use crate::linalg::{select_rows, sorted_by_value};
use crate::model::Prediction;
use crate::rng::normal;
use rand_chacha::ChaCha8Rng;

/// Trials whose mean point is looked for, at most.
const TIED: usize = 30;

/// Trials are tied with the first if their means are less than this many of its standard deviations below its own.
const TIE: f64 = 3.0;

/// Tied trials are ordered by their means less this many standard deviations.
const CAUTION: f64 = 2.0;

/// What is known of the trials among which one is recommended.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    /// Points, and outcomes to be maximised.
    pub data: &'a Dataset,
    pub replicated: Replicated,
    pub error: Option<PureError>,
    /// Length scales of the inputs; empty if some of them have no order, so that points have no mean.
    pub scales: Vec<f64>,
}

/// The trial that is recommended among some.
pub(super) struct Recommended {
    /// Its row.
    pub row: usize,
    /// The row of the largest lower confidence bound, around which to search.
    pub leader: usize,
    /// Mean and variance of f there, in the model's units.
    pub moments: (f64, f64),
    /// That bound, in the user's units.
    pub lcb: f64,
}

/// Moments of f at trials, in a model's units.
struct Beliefs {
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// Whether outcomes are believed beyond what the model says.
    has_misfit: bool,
}

impl Judge<'_> {
    /// The best of some rows, all at different points, by a model of them.
    pub fn best(&self, model: &Surrogate, rows: &[usize]) -> Result<Recommended> {
        let beliefs = self.beliefs(model, rows)?;
        let lcb = beliefs.bounds(1.0);
        let first = sorted_by_value(&lcb).first().copied().unwrap_or(0);
        let best = if beliefs.has_misfit || self.scales.is_empty() { first } else { self.middle(&beliefs, rows) };
        let moments = (beliefs.mean[best], beliefs.variance[best]);
        let lcb = model.units.from_model(lcb[first]);
        Ok(Recommended { row: rows[best], leader: rows[first], moments, lcb })
    }

    /// Rows that may be the best by their own outcomes, one per draw from what is believed of each; none where the model misses
    /// nothing, or outcomes have no noise.
    pub fn draw_misfits(
        &self,
        model: &Surrogate,
        rows: &[usize],
        count: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<usize>> {
        let beliefs = self.beliefs(model, rows)?;
        if !beliefs.has_misfit || self.error.is_none_or(|error| error.is_exact()) {
            return Ok(Vec::new());
        }
        let mut draw = || {
            let moments = beliefs.mean.iter().zip(&beliefs.variance);
            let values: Vec<f64> = moments.map(|(mean, variance)| mean + variance.sqrt() * normal(rng)).collect();
            sorted_by_value(&values).first().map(|&best| rows[best])
        };
        Ok((0..count).filter_map(|_| draw()).collect())
    }

    fn beliefs(&self, model: &Surrogate, rows: &[usize]) -> Result<Beliefs> {
        let Prediction { mean, variance } = model.posterior.predict(select_rows(self.data.x(), rows).as_ref())?;
        let plain = Beliefs { mean, variance, has_misfit: false };
        let Some(error) = self.error else { return Ok(plain) };
        // The pure error in the model's units, whose length differs from outcome to outcome under a warp.
        let slope = |mean: f64| model.units.log_slope(model.units.from_model(mean)).exp();
        let pure: Vec<f64> = plain.mean.iter().map(|&mean| error.variance * slope(mean).powi(2)).collect();
        let times: Vec<f64> = pure.iter().map(|pure| model.noise / pure).collect();
        let median = sorted_by_value(&times).get(rows.len() / 2).map_or(1.0, |&middle| times[middle]);
        if !error.shows_misfit(median) {
            return Ok(plain);
        }
        let (mut mean, mut variance) = (plain.mean, plain.variance);
        for (i, &row) in rows.iter().enumerate() {
            // A row whose noise is known has taught the model nothing of σ².
            if pure[i] < model.noise && self.data.noise_of(row, -1.0) < 0.0 {
                let (outcome, count) = self.replicated.average(self.data, row);
                let own = pure[i] / count as f64;
                let share = own / (model.noise - pure[i] + own);
                mean[i] = share * mean[i] + (1.0 - share) * model.units.to_model(outcome);
                variance[i] = share * share * variance[i] + (1.0 - share) * own;
            }
        }
        Ok(Beliefs { mean, variance, has_misfit: true })
    }

    /// Among the rows that are tied with the best, the one closest to their mean point.
    fn middle(&self, beliefs: &Beliefs, rows: &[usize]) -> usize {
        let order = sorted_by_value(&beliefs.bounds(CAUTION));
        let Some(&first) = order.first() else { return 0 };
        let least = beliefs.mean[first] - TIE * beliefs.variance[first].sqrt();
        let tied: Vec<usize> = order.into_iter().filter(|&i| beliefs.mean[i] >= least).collect();
        let some = &tied[..tied.len().min(TIED)];
        let x = self.data.x();
        let centre = |k: usize| some.iter().map(|&i| x[(rows[i], k)] / some.len() as f64).sum::<f64>();
        let centre: Vec<f64> = (0..x.ncols()).map(centre).collect();
        let distance = |i: usize| -> f64 {
            let along = |(k, scale): (usize, &f64)| ((x[(rows[i], k)] - centre[k]) / scale).powi(2);
            self.scales.iter().enumerate().map(along).sum()
        };
        tied.into_iter().min_by(|&i, &j| distance(i).total_cmp(&distance(j))).unwrap_or(first)
    }
}

impl Beliefs {
    /// Means less this many standard deviations.
    fn bounds(&self, deviations: f64) -> Vec<f64> {
        self.mean.iter().zip(&self.variance).map(|(mean, variance)| mean - deviations * variance.sqrt()).collect()
    }
}
