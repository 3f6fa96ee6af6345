//! The last step's posterior at the data, in the units of this step: what inducing points depend on.
//!
//! ```text
//!     μ' = u'(u⁻¹(μ)),   σ'² = r²σ²,   r = slope of u' ∘ u⁻¹ at μ        (u, u': the transforms of the last step and of this one)
//! ```

use super::model::ModelState;
use crate::data::{Dataset, OutcomeTransform, PosteriorAtData};
use crate::error::Result;
use crate::linalg::{MatRef, select_rows};
use crate::model::{Posterior, Prediction};
use std::sync::Arc;

/// Rows whose variances stand for those of all, where one of each would take too long.
const TYPICAL_ROWS: usize = 256;

/// Which variances are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variances {
    /// That of each row, M² flops each.
    OfEach,
    /// One for all rows, which a few of them have on average.
    Typical,
}

/// The last step's posterior of an output.
pub(super) struct LastPosterior {
    posterior: Arc<Posterior>,
    /// The units of the posterior.
    from: OutcomeTransform,
    /// The units of this step.
    to: OutcomeTransform,
    /// The noise variance, in the posterior's units.
    noise: f64,
    /// The level whose crossing matters, in the units of this step.
    level: f64,
    /// At all rows that were observed, unless these are many.
    at_all: Option<PosteriorAtData>,
}

impl LastPosterior {
    /// That of a state, in these units.
    pub fn new(posterior: Arc<Posterior>, state: &ModelState, units: &OutcomeTransform, level: f64) -> Self {
        LastPosterior { posterior, from: state.units, to: *units, noise: state.hyper.noise, level, at_all: None }
    }

    /// Computed at all rows that were observed, x, once for all outputs; `own` are the rows that have the output.
    pub fn at_all(mut self, x: MatRef<'_>, own: (&[usize], &Dataset)) -> Result<Self> {
        let places: Vec<usize> = (0..x.nrows()).collect();
        self.at_all = Some(self.at(x, &places, own, Variances::OfEach)?);
        Ok(self)
    }

    /// At some of the rows that were observed, by their places and points; `own` are the places that have the output with their
    /// outcomes, elsewhere the mean stands for the outcome.
    pub fn at(
        &self,
        x: MatRef<'_>,
        places: &[usize],
        (own, data): (&[usize], &Dataset),
        variances: Variances,
    ) -> Result<PosteriorAtData> {
        if let Some(all) = &self.at_all {
            return Ok(all.select(places));
        }
        let Prediction { mean, variance } = self.predict(x, variances)?;
        let ratios: Vec<f64> = mean.iter().map(|&mean| ratio(&self.from, &self.to, mean)).collect();
        let variance = variance.iter().zip(&ratios).map(|(v, ratio)| v * ratio * ratio).collect();
        let mean: Vec<f64> = mean.iter().map(|&mean| self.to.to_model(self.from.from_model(mean))).collect();
        let mut noise: Vec<f64> = ratios.iter().map(|ratio| self.noise * ratio * ratio).collect();
        let mut y = mean.clone();
        for (i, place) in places.iter().enumerate() {
            if let Ok(row) = own.binary_search(place) {
                (y[i], noise[i]) = (data.y()[row], data.noise_of(row, noise[i]));
            }
        }
        PosteriorAtData::new(y, mean, variance, noise)?.with_level(self.level)
    }

    /// Moments in the posterior's units.
    fn predict(&self, x: MatRef<'_>, variances: Variances) -> Result<Prediction> {
        if variances == Variances::OfEach {
            return self.posterior.predict(x);
        }
        let few: Vec<usize> = (0..x.nrows()).step_by(x.nrows().div_ceil(TYPICAL_ROWS).max(1)).collect();
        let variance = self.posterior.predict(select_rows(x, &few).as_ref())?.variance;
        let typical = variance.iter().sum::<f64>() / variance.len().max(1) as f64;
        Ok(Prediction { mean: self.posterior.mean(x)?, variance: vec![typical; x.nrows()] })
    }
}

/// How much longer a unit is in `new` than in `old`, around a value in the old ones.
pub(super) fn ratio(old: &OutcomeTransform, new: &OutcomeTransform, value: f64) -> f64 {
    let outcome = old.from_model(value);
    (new.log_slope(outcome) - old.log_slope(outcome)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Warp;
    use crate::kernel::{Family, Kernel};
    use crate::linalg::Mat;
    use crate::model::{Hyperparameters, Inference, Likelihood};

    /// Where the tests' outcomes are, [60, 1]: in pairs close to each other.
    fn line() -> Mat {
        Mat::from_fn(60, 1, |i, _| (i / 2) as f64 / 30.0 + 1e-3 * (i % 2) as f64)
    }

    fn outcomes(scale: f64) -> Vec<f64> {
        (0..60).map(|i| scale * (3.0 + (0.2 * i as f64).sin() + 0.1 * (7.7 * i as f64).sin())).collect()
    }

    /// Units that are 1 and 5 times as long.
    fn units() -> [OutcomeTransform; 2] {
        [1.0, 5.0].map(|scale| OutcomeTransform::of(&outcomes(scale), Warp::Identity))
    }

    fn state() -> ModelState {
        ModelState {
            output: "y".into(),
            units: units()[0],
            hyper: Hyperparameters { noise: 0.04, ..Hyperparameters::cold(Kernel::cold(Family::Matern52, 1)) },
            inducing: None,
            inference: Inference::Exact,
            likelihood: Likelihood::Gaussian,
            searched: 60,
            seen: 60,
            fitted: None,
        }
    }

    /// Whatever the units, variances and means are the same in those of the user.
    #[test]
    fn the_last_posterior_keeps_its_meaning_in_other_units() {
        let ([old, new], data, last) = (units(), Dataset::new(line(), outcomes(1.0)).unwrap(), state());
        let own: Vec<usize> = (0..60).step_by(3).collect();
        let some = new.apply(&data.subset(&own));
        let (all, x) = ((0..60).collect::<Vec<_>>(), line());
        let posterior = Arc::new(last.posterior(&data).unwrap());
        let found = LastPosterior::new(posterior, &last, &new, 0.0).at_all(x.as_ref(), (&own, &some)).unwrap();
        let found = found.at(x.as_ref(), &all, (&own, &some), Variances::OfEach).unwrap();
        let Prediction { mean, variance } = last.posterior(&data).unwrap().predict(line().as_ref()).unwrap();
        let in_users = |units: &OutcomeTransform, variance: f64| variance * units.scale() * units.scale();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
        for i in 0..60 {
            assert!(close(new.from_model(found.mean()[i]), old.from_model(mean[i])), "mean {i}");
            assert!(close(in_users(&new, found.variance()[i]), in_users(&old, variance[i])), "variance {i}");
            assert!(close(in_users(&new, found.noise()[i]), in_users(&old, 0.04)), "noise {i}");
            let value = if i % 3 == 0 { outcomes(1.0)[i] } else { old.from_model(mean[i]) };
            assert!(close(new.from_model(found.y()[i]), value), "outcome {i}");
        }
    }

    /// At some of the rows it is what it is there among all of them, and with typical variances the means are.
    #[test]
    fn some_of_the_rows_are_as_among_all() {
        let ([_, new], data, last) = (units(), Dataset::new(line(), outcomes(1.0)).unwrap(), state());
        let own: Vec<usize> = (0..60).step_by(3).collect();
        let own = (&own[..], &new.apply(&data.subset(&own)));
        let posterior = || LastPosterior::new(Arc::new(last.posterior(&data).unwrap()), &last, &new, 0.7);
        let places = [3, 10, 12, 40, 59];
        let x = select_rows(line().as_ref(), &places);
        let among = posterior().at_all(line().as_ref(), own).unwrap();
        let among = among.at(x.as_ref(), &places, own, Variances::OfEach).unwrap();
        let alone = posterior().at(x.as_ref(), &places, own, Variances::OfEach).unwrap();
        let typical = posterior().at(x.as_ref(), &places, own, Variances::Typical).unwrap();
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-10);
        for other in [&alone, &typical] {
            assert!(close(other.mean(), among.mean()) && close(other.y(), among.y()), "{other:?} {among:?}");
            assert!(close(other.noise(), among.noise()) && other.level() == 0.7);
        }
        assert!(close(alone.variance(), among.variance()));
        let average = alone.variance().iter().sum::<f64>() / 5.0;
        assert!(close(typical.variance(), &[average; 5]));
    }
}
