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

/// Trials whose mean point is looked for; fewer that are tied say nothing of luck.
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
        let middle = if beliefs.has_misfit { None } else { self.middle(&beliefs, rows) };
        let best = middle.unwrap_or(first);
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

    /// Among the rows that are tied with the best, the one closest to the mean point of the best of them; `None` if few are tied, or
    /// points have no mean.
    fn middle(&self, beliefs: &Beliefs, rows: &[usize]) -> Option<usize> {
        let order = sorted_by_value(&beliefs.bounds(CAUTION));
        let &first = order.first()?;
        let least = beliefs.mean[first] - TIE * beliefs.variance[first].sqrt();
        let tied: Vec<usize> = order.into_iter().filter(|&i| beliefs.mean[i] >= least).collect();
        if tied.len() < TIED || self.scales.is_empty() {
            return None;
        }
        let x = self.data.x();
        let centre = |k: usize| tied[..TIED].iter().map(|&i| x[(rows[i], k)] / TIED as f64).sum::<f64>();
        let centre: Vec<f64> = (0..x.ncols()).map(centre).collect();
        let distance = |i: usize| -> f64 {
            let along = |(k, scale): (usize, &f64)| ((x[(rows[i], k)] - centre[k]) / scale).powi(2);
            self.scales.iter().enumerate().map(along).sum()
        };
        tied.into_iter().min_by(|&i, &j| distance(i).total_cmp(&distance(j)))
    }
}

impl Beliefs {
    /// Means less this many standard deviations.
    fn bounds(&self, deviations: f64) -> Vec<f64> {
        self.mean.iter().zip(&self.variance).map(|(mean, variance)| mean - deviations * variance.sqrt()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::noise::Noise;
    use super::super::observations::ObservedOutput;
    use super::*;
    use crate::data::{OutcomeTransform, Warp};
    use crate::kernel::{Family, Kernel};
    use crate::linalg::{Mat, cholesky, solve_lower_vec};
    use crate::model::{FitOptions, HyperparameterObjective, Hyperparameters, Inference, fit};
    use crate::rng::{Purpose, stream};
    use std::sync::Arc;

    const RIPPLE: f64 = 0.5;

    /// A slow wave with a ripple that no kernel with this length scale follows, 200 points of which ten have a second outcome.
    fn rippled(noise: f64, seed: u64) -> (ObservedOutput, Vec<f64>) {
        let mut rng = stream(seed, Purpose::Data, 0, 0);
        let at: Vec<usize> = (0..200).chain((0..10).map(|i| 20 * i)).collect();
        let truth: Vec<f64> = at.iter().map(|&i| (i as f64 / 40.0).sin() + RIPPLE * (2.4 * i as f64).sin()).collect();
        let y = truth.iter().map(|f| f + noise * normal(&mut rng)).collect();
        let x = Mat::from_fn(at.len(), 1, |row, _| at[row] as f64 / 200.0);
        (ObservedOutput { rows: (0..at.len()).collect(), data: Dataset::new(x, y).unwrap() }, truth)
    }

    /// A smooth exact model of all rows, whose noise has the ripple in it.
    fn smooth(data: &Dataset, noise: f64) -> Surrogate {
        let units = OutcomeTransform::of(data.y(), Warp::Identity);
        let noise = noise * units.log_slope(0.0).exp().powi(2);
        let hyper = Hyperparameters { kernel: Kernel::stationary(Family::Matern52, 1.0, 0.3, 1), mean: 0.0, noise };
        let (hyperparameters, inference) = (HyperparameterObjective::Fixed, Inference::Exact);
        let options = FitOptions { hyperparameters, inference, ..FitOptions::default() };
        let standard = units.apply(data);
        let posterior = fit(&hyper, &standard, standard.x(), &options).unwrap().posterior;
        Surrogate { posterior: Arc::new(posterior), units, noise }
    }

    fn judge(own: &ObservedOutput, noise: Noise) -> Judge<'_> {
        let error = own.pure_error(noise);
        Judge { data: &own.data, replicated: Replicated::of(&own.data), error, scales: vec![0.3] }
    }

    #[test]
    fn ripple_is_signal_where_replicates_show_that_it_is_no_noise() {
        let rows: Vec<usize> = (0..200).collect();
        let mut regrets = [0.0; 2];
        for seed in 0..10 {
            let (own, truth) = rippled(0.05, seed);
            let model = smooth(&own.data, RIPPLE * RIPPLE / 2.0 + 0.0025);
            let best = truth.iter().copied().fold(f64::MIN, f64::max);
            let with = judge(&own, Noise::Auto);
            let without = Judge { error: None, ..judge(&own, Noise::Auto) };
            for (regret, judge) in regrets.iter_mut().zip([with, without]) {
                *regret += (best - truth[judge.best(&model, &rows).unwrap().row]) / 10.0;
            }
        }
        assert!(regrets[0] < 0.05 && regrets[1] > 0.2, "{regrets:?}");
    }

    /// The moments are those of an exact posterior of g + δ: all covariances written out.
    #[test]
    fn beliefs_are_those_of_a_nugget_that_is_signal() {
        let (own, _) = rippled(0.05, 0);
        let rows: Vec<usize> = (0..200).collect();
        let data = own.data.subset(&rows);
        let model = smooth(&data, 0.13);
        let scale = model.units.log_slope(0.0).exp();
        let own = ObservedOutput { rows: rows.clone(), data };
        let found = judge(&own, Noise::Variance(0.0025)).beliefs(&model, &rows).unwrap();
        let (pure, noise) = (0.0025 * scale * scale, model.noise);
        let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.3, 1);
        let mut covariance = kernel.matrix(own.data.x(), own.data.x());
        (0..200).for_each(|i| covariance[(i, i)] += noise);
        let factor = cholesky(covariance.clone(), 0.0).unwrap();
        let whitened = solve_lower_vec(factor.l.as_ref(), model.units.apply(&own.data).y());
        for row in [0, 57, 199] {
            // Cov(f, y) = K + (σ² − s²) I.
            let cross: Vec<f64> = (0..200).map(|i| covariance[(i, row)] - if i == row { pure } else { 0.0 }).collect();
            let half = solve_lower_vec(factor.l.as_ref(), &cross);
            let mean: f64 = half.iter().zip(&whitened).map(|(a, b)| a * b).sum();
            let explained: f64 = half.iter().map(|a| a * a).sum();
            let variance = covariance[(row, row)] - pure - explained;
            assert!((found.mean[row] - mean).abs() < 1e-6, "{row}: {} {mean}", found.mean[row]);
            assert!((found.variance[row] / variance - 1.0).abs() < 1e-5, "{row}: {} {variance}", found.variance[row]);
        }
    }

    #[test]
    fn among_tied_trials_the_middle_is_recommended() {
        let mut rng = stream(3, Purpose::Data, 0, 0);
        let x = Mat::from_fn(200, 1, |i, _| i as f64 / 199.0);
        let y = (0..200).map(|i| -4.0 * (i as f64 / 199.0 - 0.6).powi(2) + 0.5 * normal(&mut rng)).collect();
        let own = ObservedOutput { rows: (0..200).collect(), data: Dataset::new(x, y).unwrap() };
        let (rows, model) = ((0..200).collect::<Vec<_>>(), smooth(&own.data, 0.25));
        let judge = judge(&own, Noise::Auto);
        let beliefs = judge.beliefs(&model, &rows).unwrap();
        let Recommended { row, leader, .. } = judge.best(&model, &rows).unwrap();
        let bounds = beliefs.bounds(1.0);
        assert!(bounds.iter().all(|&bound| bound <= bounds[leader]));
        let order = sorted_by_value(&beliefs.bounds(CAUTION));
        let centre = order[..TIED].iter().map(|&i| i as f64 / TIED as f64).sum::<f64>();
        assert!((row as f64 - centre).abs() <= 0.5 + 1e-9, "{row} {centre}");
        // Of few, or of inputs without an order, the leader.
        assert_eq!(judge.best(&model, &rows[..20]).unwrap().row, judge.best(&model, &rows[..20]).unwrap().leader);
        let unordered = Judge { scales: Vec::new(), ..judge };
        assert_eq!(unordered.best(&model, &rows).unwrap().row, leader);
    }
}
