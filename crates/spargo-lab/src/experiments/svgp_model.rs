//! The model of one step: inducing points, and an SVGP trained by Adam from what the last one said.

use super::adam::Adam;
use super::svgp::SvgpSettings;
use super::svgp_training::SvgpTraining;
use crate::error::Result;
use spargo::allocate::{Allocation, Needs, allocate};
use spargo::data::{AllocationContext, Dataset, PosteriorAtData};
use spargo::kernel::{Kernel, Role};
use spargo::linalg::{Mat, MatRef, cholesky, solve_lower, solve_lower_vec};
use spargo::model::svgp::{Svgp, Variational};
use spargo::model::{Hyperparameters, Likelihood, Posterior, Prediction};
use spargo::rng::{Purpose, stream};
use std::time::Instant;

/// The paper's optimizer; it does not say how many steps there may be.
const ADAM: Adam = Adam {
    learning_rate: 0.1,
    patience: 50,
    halve_patience: 10,
    max_iterations: 1000,
    max_failures: 10,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
};

/// Relative to the largest element, as the engine has it.
const JITTER: f64 = 1e-8;

#[derive(Debug)]
pub(super) struct Model {
    pub hyper: Hyperparameters,
    pub posterior: Posterior,
    /// Outcomes it has seen.
    pub seen: usize,
    pub seconds: (f64, f64),
}

impl SvgpSettings {
    /// Chooses inducing points and trains; `step` numbers the choice.
    pub(super) fn fit(&self, last: Option<&Model>, data: &Dataset, step: u64) -> Result<Model> {
        let cold = || -> Result<Hyperparameters> {
            let mut hyper = Hyperparameters::cold(Kernel::for_space(&self.space, &self.kernel.into())?);
            hyper.noise = self.known_noise.unwrap_or(hyper.noise);
            Ok(hyper)
        };
        let start = last.map_or_else(cold, |last| Ok(last.hyper.clone()))?;
        let started = Instant::now();
        let z = self.inducing_points(&start, last, data, step)?;
        let allocate_s = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let q = match last {
            Some(last) => carried_over(&start, &last.posterior, z.as_ref())?,
            None => Variational::prior(z.nrows()),
        };
        let fixed = self.known_noise.iter().map(|_| Role::Noise).collect();
        let training = SvgpTraining { data, z: z.as_ref(), priors: self.priors, fixed, adam: ADAM };
        let (hyper, q) = training.train(&start, &q)?;
        let posterior = Svgp::new(&hyper, data, z.as_ref(), Likelihood::Gaussian)?.posterior(&q)?;
        let seconds = (allocate_s, started.elapsed().as_secs_f64());
        Ok(Model { hyper, posterior, seen: data.len(), seconds })
    }

    /// Z from the last step's kernel and belief; all data while there are no more than M.
    fn inducing_points(&self, start: &Hyperparameters, last: Option<&Model>, data: &Dataset, step: u64) -> Result<Mat> {
        if data.len() <= self.inducing {
            return Ok(data.x().to_owned());
        }
        let (allocation, beliefs) = match (self.allocation.quality().needs(), last) {
            (Needs::Nothing, _) => (self.allocation.clone(), vec![]),
            (_, Some(last)) => {
                let Prediction { mean, variance } = last.posterior.predict(data.x())?;
                let noise = data.noise(last.hyper.noise);
                (self.allocation.clone(), vec![PosteriorAtData::new(data.y().to_vec(), mean, variance, noise)?])
            }
            (_, None) => (Allocation::Cvr, vec![]),
        };
        let context =
            AllocationContext::of_rows(data.len())
                .with_outputs(beliefs)?
                .with_bounds(vec![(0.0, 1.0); data.dimension()])?;
        let mut rng = stream(self.seed, Purpose::Allocation, step, 0);
        Ok(allocate(&allocation, data.x(), &start.kernel, &context, self.inducing, &mut rng)?.points)
    }
}

/// q(v) = N(L⁻¹(m − μ), L⁻¹ C L⁻ᵀ) with mean m and covariance C of f(Z) under another posterior, and L Lᵀ = Kzz.
fn carried_over(hyper: &Hyperparameters, posterior: &Posterior, z: MatRef<'_>) -> Result<Variational> {
    let kzz = hyper.kernel.matrix(z, z);
    let floor = JITTER * kzz[(0, 0)];
    let l = cholesky(kzz, floor)?.l;
    let shifted: Vec<f64> = posterior.mean(z)?.iter().map(|m| m - hyper.mean).collect();
    let mut half = posterior.covariance(z)?; // C, then L⁻¹C
    solve_lower(l.as_ref(), half.as_mut());
    let mut whitened = half.transpose().to_owned(); // (L⁻¹C)ᵀ = CL⁻ᵀ
    solve_lower(l.as_ref(), whitened.as_mut());
    let symmetric = Mat::from_fn(z.nrows(), z.nrows(), |i, j| 0.5 * (whitened[(i, j)] + whitened[(j, i)]));
    let root = cholesky(symmetric, JITTER)?.l;
    Ok(Variational::new(solve_lower_vec(l.as_ref(), &shifted), root)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargo::kernel::Family;
    use spargo::model::exact;
    use spargo::rng::uniform;

    /// At its own kernel, a posterior that is carried over to Z is the same at Z, in mean and covariance.
    #[test]
    fn a_posterior_is_carried_over_to_other_points() {
        let mut rng = stream(3, Purpose::Data, 0, 0);
        let x = Mat::from_fn(30, 2, |_, _| uniform(&mut rng));
        let y = (0..30).map(|i| (6.0 * x[(i, 0)]).sin() + x[(i, 1)]).collect();
        let data = Dataset::new(x.clone(), y).unwrap();
        let hyper =
            Hyperparameters { mean: 0.3, ..Hyperparameters::cold(Kernel::stationary(Family::Matern52, 1.3, 0.4, 2)) };
        let posterior = exact::infer(&hyper, &data).unwrap().posterior;
        let z = Mat::from_fn(8, 2, |_, _| uniform(&mut rng));
        let q = carried_over(&hyper, &posterior, z.as_ref()).unwrap();
        let svgp = Svgp::new(&hyper, &data, z.as_ref(), Likelihood::Gaussian).unwrap();
        let moved = svgp.posterior(&q).unwrap();
        let (was, is) = (posterior.predict(z.as_ref()).unwrap(), moved.predict(z.as_ref()).unwrap());
        for i in 0..8 {
            assert!((was.mean[i] - is.mean[i]).abs() < 1e-6, "{} {}", was.mean[i], is.mean[i]);
            assert!((was.variance[i] - is.variance[i]).abs() < 1e-5, "{} {}", was.variance[i], is.variance[i]);
        }
        let gap = posterior.covariance(z.as_ref()).unwrap() - moved.covariance(z.as_ref()).unwrap();
        assert!(gap.norm_max() < 1e-5);
    }
}
