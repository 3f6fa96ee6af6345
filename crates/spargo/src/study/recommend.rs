//! Which trial to recommend: what a model misses at a trial is signal, as far as its replicates show, and trials that cannot be told
//! apart are judged together.
//!
//! ```text
//!     y = g(x) + δ(x) + ε      g: the model's,   Var δ = σ² − s², independent from point to point,   Var ε = s², the pure error
//!     E f = r m + (1 − r) ȳ,   Var f = r² v + (1 − r) s²/n,   r = (s²/n) / (σ² − s² + s²/n)        of f = g + δ at a trial
//!     no misfit (r = 1):       the trial closest to the mean point c of the best that are tied, if c is tied with them
//! ```
//!
//! All of it is in the units of a model with noise variance σ²; m and v are the moments of g, n the number of outcomes at the point, ȳ
//! their mean: where the model takes ripple for noise, an outcome is believed as far as its own noise allows. Where it does not, many
//! trials around an optimum are equally good by all that is known, the one with the largest mean by luck; the middle of them is not lucky.

use super::model::Surrogate;
use super::observed::ObservedOutput;
use super::pure_error::{Comparison, PAIRS, PureError};
use crate::error::{Error, Result};
use crate::linalg::{Mat, select_rows, sorted_by_value};
use crate::model::Prediction;
use crate::rng::normal;
use rand_chacha::ChaCha8Rng;

/// Trials whose mean point is looked for; fewer that are tied say nothing of luck.
const TIED: usize = 30;

/// Trials are tied with the first if their means are less than this many of its standard deviations below its own.
const TIE: f64 = 3.0;

/// Tied trials are ordered by their means less this many standard deviations.
const CAUTION: f64 = 2.0;

/// Replicates of one point among the likely winners of a batch, at most.
const PER_WINNER: usize = 2;

/// What is known of the trials among which one is recommended.
#[derive(Debug)]
pub(super) struct Recommender<'a> {
    /// Points, and outcomes to be maximised.
    pub own: &'a ObservedOutput,
    pub error: Option<PureError>,
    /// Length scales of the inputs; empty if some of them have no order, so that points have no mean.
    pub scales: Vec<f64>,
}

/// The trial that is recommended among some.
#[derive(Debug)]
pub(super) struct Recommended {
    /// The row of the recommended trial.
    pub row: usize,
    /// The row of the largest lower confidence bound, around which to search.
    pub leader: usize,
    /// Mean and variance of f at the recommended trial, in the model's units.
    pub moments: (f64, f64),
    /// The largest lower confidence bound, in the user's units.
    pub lcb: f64,
}

/// What the outcomes at a point say of f there, apart from the model: f = r g + (1 − r) ȳ, with a variance of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nugget {
    /// r: how far the model is believed.
    pub share: f64,
    /// ȳ, in the model's units.
    outcome: f64,
    /// The pure error of ȳ.
    noise: f64,
}

impl Nugget {
    /// The mean of f, given that of g.
    pub fn mean(&self, mean: f64) -> f64 {
        self.share * mean + (1.0 - self.share) * self.outcome
    }

    /// The variance of f, given that of g.
    pub fn variance(&self, variance: f64) -> f64 {
        self.share * self.share * variance + self.own_variance()
    }

    /// The variance of f that it does not share with other points.
    pub fn own_variance(&self) -> f64 {
        (1.0 - self.share) * self.noise
    }
}

/// Moments of f at trials, in a model's units.
struct Beliefs {
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// Whether outcomes are believed beyond what the model says.
    has_misfit: bool,
}

impl Recommender<'_> {
    /// The best of some rows, all at different points, by a model of them; refuses if there are none.
    pub fn best(&self, model: &Surrogate, rows: &[usize]) -> Result<Recommended> {
        self.best_given(model, rows, self.predict(model, rows)?)
    }

    /// The best of some rows, given the model's moments there.
    pub fn best_given(&self, model: &Surrogate, rows: &[usize], moments: Prediction) -> Result<Recommended> {
        let beliefs = self.beliefs(model, rows, moments);
        let lcb = beliefs.bounds(1.0);
        let Some(&first) = sorted_by_value(&lcb).first() else {
            return Err(Error::Empty { what: "the list of trials that may be recommended".into() });
        };
        let middle = if beliefs.has_misfit { None } else { self.middle(model, &beliefs, rows)? };
        let best = middle.unwrap_or(first);
        let moments = (beliefs.mean[best], beliefs.variance[best]);
        let lcb = model.units.from_model(lcb[first]);
        Ok(Recommended { row: rows[best], leader: rows[first], moments, lcb })
    }

    /// Rows that may be the best by their own outcomes, one per draw from what is believed of each.
    pub fn draw_winners(
        &self,
        model: &Surrogate,
        rows: &[usize],
        count: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<usize>> {
        let Beliefs { mean, variance, .. } = self.beliefs(model, rows, self.predict(model, rows)?);
        let mut drawn = vec![0; rows.len()];
        let mut draw = || {
            let values: Vec<f64> = mean.iter().zip(&variance).map(|(m, v)| m + v.sqrt() * normal(rng)).collect();
            let winner = sorted_by_value(&values).into_iter().find(|&i| drawn[i] < PER_WINNER)?;
            drawn[winner] += 1;
            Some(rows[winner])
        };
        Ok((0..count).filter_map(|_| draw()).collect())
    }

    /// Rows at the points that are there for the sake of the pure error, those with the fewest replicates first.
    pub fn pairs(&self) -> Vec<usize> {
        let Some(PureError::Replicates(groups)) = &self.error else { return Vec::new() };
        let mut pairs: Vec<&Vec<usize>> = groups.iter().take(PAIRS).collect();
        pairs.sort_by_key(|group| group.len());
        pairs.into_iter().map(|group| group[0]).collect()
    }

    /// The noise variance of a model compared with the pure error; `None` if nothing is known of that.
    pub fn compare(&self, model: &Surrogate) -> Option<Comparison> {
        Some(self.error.as_ref()?.compare(&self.own.data, &model.units, model.noise))
    }

    /// The pure error in a model's units, if the model takes signal for noise.
    fn misfit(&self, model: &Surrogate) -> Option<f64> {
        self.compare(model).filter(Comparison::shows_misfit).map(|compared| compared.variance)
    }

    /// What the outcomes of some rows say beyond what a model does: nothing, unless it takes signal for noise.
    pub fn nuggets(&self, model: &Surrogate, rows: &[Option<usize>]) -> Vec<Option<Nugget>> {
        let Some(pure) = self.misfit(model) else { return vec![None; rows.len()] };
        let nugget = |row: usize| {
            let (outcome, count) = self.own.replicated().average(&self.own.data, &model.units, row);
            let noise = pure / count as f64;
            Nugget { share: noise / (model.noise - pure + noise), outcome, noise }
        };
        // A row whose noise is known has taught the model nothing of σ².
        rows.iter().map(|row| row.filter(|&row| self.own.is_plain(row)).map(nugget)).collect()
    }

    fn predict(&self, model: &Surrogate, rows: &[usize]) -> Result<Prediction> {
        model.posterior.predict(select_rows(self.own.data.x(), rows).as_ref())
    }

    /// What is believed of f at some rows, given the moments of a model there.
    fn beliefs(&self, model: &Surrogate, rows: &[usize], moments: Prediction) -> Beliefs {
        let Prediction { mut mean, mut variance } = moments;
        let nuggets = self.nuggets(model, &rows.iter().copied().map(Some).collect::<Vec<_>>());
        for (i, nugget) in nuggets.into_iter().enumerate() {
            let Some(nugget) = nugget else { continue };
            mean[i] = nugget.mean(mean[i]);
            variance[i] = nugget.variance(variance[i]);
        }
        Beliefs { mean, variance, has_misfit: self.misfit(model).is_some() }
    }

    /// Among the rows that are tied with the best, the one closest to the mean point of the best of them; `None` if few are tied, if
    /// points have no mean, or if that of two optima, or of one at the edge, is worse than they are.
    fn middle(&self, model: &Surrogate, beliefs: &Beliefs, rows: &[usize]) -> Result<Option<usize>> {
        let order = sorted_by_value(&beliefs.bounds(CAUTION));
        let Some(&first) = order.first() else { return Ok(None) };
        let least = beliefs.mean[first] - TIE * beliefs.variance[first].sqrt();
        let tied: Vec<usize> = order.into_iter().filter(|&i| beliefs.mean[i] >= least).collect();
        if tied.len() < TIED || self.scales.is_empty() {
            return Ok(None);
        }
        let x = self.own.data.x();
        let centre = |k: usize| tied[..TIED].iter().map(|&i| x[(rows[i], k)] / TIED as f64).sum::<f64>();
        let centre = Mat::from_fn(1, x.ncols(), |_, k| centre(k));
        if model.posterior.mean(centre.as_ref())?[0] < least {
            return Ok(None);
        }
        let distance = |i: usize| -> f64 {
            let along = |(k, scale): (usize, &f64)| ((x[(rows[i], k)] - centre[(0, k)]) / scale).powi(2);
            self.scales.iter().enumerate().map(along).sum()
        };
        Ok(tied.into_iter().min_by(|&i, &j| distance(i).total_cmp(&distance(j))))
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
    use super::*;
    use crate::data::{Dataset, OutcomeTransform, Warp};
    use crate::kernel::{Family, Kernel};
    use crate::linalg::{cholesky, solve_lower_vec};
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
        (ObservedOutput::of(Dataset::new(x, y).unwrap()), truth)
    }

    /// A smooth exact model of all rows, whose noise has the ripple in it.
    fn smooth(data: &Dataset, noise: f64) -> Surrogate {
        let units = OutcomeTransform::of(data.y(), Warp::Identity);
        model_in(units, data, noise * units.log_slope(0.0).exp().powi(2))
    }

    /// A smooth exact model of all rows in some units, with a noise variance in these.
    fn model_in(units: OutcomeTransform, data: &Dataset, noise: f64) -> Surrogate {
        let hyper = Hyperparameters { kernel: Kernel::stationary(Family::Matern52, 1.0, 0.3, 1), mean: 0.0, noise };
        let (hyperparameters, inference) = (HyperparameterObjective::Fixed, Inference::Exact);
        let options = FitOptions { hyperparameters, inference, ..FitOptions::default() };
        let standard = units.apply(data);
        let posterior = fit(&hyper, &standard, standard.x(), &options).unwrap().posterior;
        Surrogate { posterior: Arc::new(posterior), units, noise }
    }

    fn recommender(own: &ObservedOutput, noise: Noise) -> Recommender<'_> {
        Recommender { own, error: own.pure_error(noise), scales: vec![0.3] }
    }

    #[test]
    fn ripple_is_signal_where_replicates_show_that_it_is_no_noise() {
        let rows: Vec<usize> = (0..200).collect();
        let mut regrets = [0.0; 2];
        for seed in 0..10 {
            let (own, truth) = rippled(0.05, seed);
            let model = smooth(&own.data, RIPPLE * RIPPLE / 2.0 + 0.0025);
            let best = truth.iter().copied().fold(f64::MIN, f64::max);
            let with = recommender(&own, Noise::Auto);
            let without = Recommender { error: None, ..recommender(&own, Noise::Auto) };
            for (regret, recommender) in regrets.iter_mut().zip([with, without]) {
                *regret += (best - truth[recommender.best(&model, &rows).unwrap().row]) / 10.0;
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
        let own = ObservedOutput::of(data);
        let recommender = recommender(&own, Noise::Variance(0.0025));
        let found = recommender.beliefs(&model, &rows, recommender.predict(&model, &rows).unwrap());
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
        let own = ObservedOutput::of(Dataset::new(x, y).unwrap());
        let (rows, model) = ((0..200).collect::<Vec<_>>(), smooth(&own.data, 0.25));
        let recommender = recommender(&own, Noise::Auto);
        let beliefs = recommender.beliefs(&model, &rows, recommender.predict(&model, &rows).unwrap());
        let Recommended { row, leader, .. } = recommender.best(&model, &rows).unwrap();
        let bounds = beliefs.bounds(1.0);
        assert!(bounds.iter().all(|&bound| bound <= bounds[leader]));
        let order = sorted_by_value(&beliefs.bounds(CAUTION));
        let centre = order[..TIED].iter().map(|&i| i as f64 / TIED as f64).sum::<f64>();
        assert!((row as f64 - centre).abs() <= 0.5 + 1e-9, "{row} {centre}");
        // Of few, or of inputs without an order, the leader.
        let few = recommender.best(&model, &rows[..20]).unwrap();
        assert_eq!(few.row, few.leader);
        assert!(recommender.best(&model, &[]).is_err());
        let unordered = Recommender { scales: Vec::new(), ..recommender };
        assert_eq!(unordered.best(&model, &rows).unwrap().row, leader);
    }

    /// Two equal optima have nothing good between them, and one at the edge has nothing good on one side.
    #[test]
    fn the_middle_is_no_place_between_optima() {
        let optima: [fn(f64) -> f64; 2] = [|x| -8.0 * ((x - 0.5).abs() - 0.35).powi(2), |x| 2.0 * x];
        for (number, f) in optima.into_iter().enumerate() {
            let mut regret = 0.0;
            for seed in 0..10 {
                let mut rng = stream(seed, Purpose::Data, 0, 0);
                let x = Mat::from_fn(200, 1, |i, _| i as f64 / 199.0);
                let truth: Vec<f64> = (0..200).map(|i| f(i as f64 / 199.0)).collect();
                let y = truth.iter().map(|f| f + 0.1 * normal(&mut rng)).collect();
                let own = ObservedOutput::of(Dataset::new(x, y).unwrap());
                let (rows, model) = ((0..200).collect::<Vec<_>>(), smooth(&own.data, 0.01));
                let row = recommender(&own, Noise::Auto).best(&model, &rows).unwrap().row;
                regret += (truth.iter().copied().fold(f64::MIN, f64::max) - truth[row]) / 10.0;
            }
            assert!(regret < 0.05, "{number}: {regret}");
        }
    }

    /// A transform that is flat at the best outcomes makes their noise small; that is no misfit.
    #[test]
    fn a_warp_does_not_pass_for_misfit() {
        for seed in 0..10 {
            let mut rng = stream(seed, Purpose::Data, 0, 0);
            let at: Vec<usize> = (0..300).chain((0..10).map(|i| 30 * i)).collect();
            let x = Mat::from_fn(at.len(), 1, |row, _| at[row] as f64 / 300.0);
            let y = at.iter().map(|&i| (i as f64 / 60.0).exp() / 20.0 + 0.1 * normal(&mut rng)).collect();
            let own = ObservedOutput::of(Dataset::new(x, y).unwrap());
            let units = OutcomeTransform::of(own.data.y(), Warp::YeoJohnson { power: 0.1 });
            // What a likelihood would learn: the mean squared slope times the variance.
            let slopes = own.data.y().iter().map(|&y| (2.0 * units.log_slope(y)).exp() / own.data.len() as f64);
            let model = model_in(units, &own.data, 0.01 * slopes.sum::<f64>());
            let best: Vec<usize> = (250..300).collect();
            for noise in [Noise::Auto, Noise::Sd(0.1)] {
                let recommender = recommender(&own, noise);
                let beliefs = recommender.beliefs(&model, &best, recommender.predict(&model, &best).unwrap());
                assert!(!beliefs.has_misfit, "{seed}, {noise}");
            }
        }
    }
}
