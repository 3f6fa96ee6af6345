//! Algorithm 1 as the paper ran it, with its SVGP trained by Adam, from the engine's parts: what a [`Study`] does not offer
//! because the collapsed bound is better and faster.
//!
//! ```text
//!     Z ← allocate(D, last posterior) ─▶ q(u) carried over to Z ─▶ Adam over (θ, q) on the ELBO ─▶ a path a point, maximised
//! ```
//!
//! Adam has learning rate 0.1, halved after 10 steps without a new best, stopped after 50 (Section 5.1). Batches of rows are
//! not mentioned there: every step sees all of them. As in Trieste, which the paper used, q starts at what the last posterior
//! says at the new Z. Outcomes are those of functions with unit variance, and are not standardized again.
//!
//! [`Study`]: spargo::study::Study

use super::{Belief, Optimizer, numbers};
use crate::error::Result;
use spargo::acquire::{Situation, thompson};
use spargo::allocate::{Allocation, Quality, allocate};
use spargo::data::{Belief as Evidenced, Dataset, Evidence, Warp};
use spargo::kernel::{Family, Kernel, Role};
use spargo::linalg::{Mat, MatRef, cholesky, select_rows, solve_lower, solve_lower_vec};
use spargo::maximize::{Maximizing, Search, Taken, spread};
use spargo::model::svgp::{Method, Svgp, Training, Variational, train};
use spargo::model::{Hyperparameters, Likelihood, Posterior, Prediction, Priors};
use spargo::optimize::Adam;
use spargo::rng::{Purpose, stream};
use spargo::sample::Sampling;
use spargo::space::Space;
use std::time::Instant;

/// What such a run is determined by.
#[derive(Debug, Clone)]
pub struct SvgpSettings {
    /// The box.
    pub space: Space,
    /// Of every random choice.
    pub seed: u64,
    /// M.
    pub inducing: usize,
    /// How inducing points are chosen.
    pub allocation: Allocation,
    /// The covariance function.
    pub kernel: Family,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// The noise variance, if it is known.
    pub known_noise: Option<f64>,
    /// How paths are drawn.
    pub sampling: Sampling,
    /// How they are maximised.
    pub maximizing: Maximizing,
}

/// The loop and its memory.
#[derive(Debug)]
pub struct SvgpOptimizer {
    settings: SvgpSettings,
    /// Everything asked for, in the unit cube.
    asked: Vec<Vec<f64>>,
    /// Outcomes of the first of them.
    y: Vec<f64>,
    batches: u64,
    model: Option<Model>,
    acquire_s: f64,
}

#[derive(Debug)]
struct Model {
    hyper: Hyperparameters,
    posterior: Posterior,
    /// Outcomes it has seen.
    seen: usize,
    seconds: (f64, f64),
}

impl SvgpOptimizer {
    /// A run that has seen nothing.
    pub fn new(settings: SvgpSettings) -> Self {
        SvgpOptimizer { settings, asked: Vec::new(), y: Vec::new(), batches: 0, model: None, acquire_s: 0.0 }
    }

    fn x(&self, count: usize) -> Mat<f64> {
        Mat::from_fn(count, self.settings.space.dimensions().len(), |i, k| self.asked[i][k])
    }

    /// The model of everything told, trained if need be.
    fn update(&mut self) -> Result<()> {
        if self.model.as_ref().is_none_or(|model| model.seen < self.y.len()) {
            let data = Dataset::new(self.x(self.y.len()), self.y.clone())?;
            self.model = Some(self.settings.fit(self.model.as_ref(), &data, self.batches)?);
        }
        Ok(())
    }

    fn choose(&mut self, count: usize) -> Result<Mat<f64>> {
        let SvgpSettings { space, seed, sampling, maximizing, .. } = &self.settings;
        let Some(model) = &self.model else {
            let mut rng = stream(*seed, Purpose::Design, 0, 0);
            return Ok(spread(space, self.asked.len(), count, &mut rng));
        };
        let observed = self.x(self.y.len());
        let none = Mat::zeros(0, observed.ncols());
        let best = select_rows(observed.as_ref(), &best_rows(&model.posterior.mean(observed.as_ref())?, INCUMBENTS));
        let search = Search::new(space, best.as_ref(), maximizing, *seed, self.batches)?;
        let situation = Situation {
            posterior: &model.posterior,
            noise: model.hyper.noise,
            search: &search,
            sampling,
            observed: observed.as_ref(),
            failed: none.as_ref(),
            pending: none.as_ref(),
            seed: *seed,
            step: self.batches,
        };
        let mut taken = Taken::default();
        taken.insert_rows(self.x(self.asked.len()).as_ref());
        Ok(thompson(&situation, 0..count, &mut taken)?)
    }
}

impl Optimizer for SvgpOptimizer {
    fn ask(&mut self, count: usize) -> Result<Vec<(u64, Vec<f64>)>> {
        if !self.y.is_empty() {
            self.update()?;
        }
        let started = Instant::now();
        self.batches += 1;
        let points = self.choose(count)?;
        self.acquire_s = started.elapsed().as_secs_f64();
        let mut trials = Vec::with_capacity(count);
        for i in 0..points.nrows() {
            self.asked.push(points.row(i).iter().copied().collect());
            let point = self.settings.space.decode(&self.asked[self.asked.len() - 1])?;
            trials.push((self.asked.len() as u64, numbers(&point)));
        }
        Ok(trials)
    }

    fn tell(&mut self, outcomes: &[(u64, f64)]) -> Result<()> {
        self.y.extend(outcomes.iter().map(|(_, y)| y));
        Ok(())
    }

    fn belief(&mut self) -> Result<Belief> {
        self.update()?;
        let Some(model) = &self.model else { return Err(spargo::Error::Empty { what: "the data".into() }.into()) };
        let means = model.posterior.mean(self.x(self.y.len()).as_ref())?;
        let best = best_rows(&means, 1)[0];
        Ok(Belief {
            best: numbers(&self.settings.space.decode(&self.asked[best])?),
            warp: Warp::Identity,
            noise: model.hyper.noise,
            inducing: model.posterior.z().nrows(),
            seconds: model.seconds,
        })
    }

    fn acquire_s(&self) -> Result<f64> {
        Ok(self.acquire_s)
    }
}

impl SvgpSettings {
    fn fit(&self, last: Option<&Model>, data: &Dataset, step: u64) -> Result<Model> {
        let cold = || {
            let mut hyper = Hyperparameters::cold(Kernel::for_space(&self.space, self.kernel));
            hyper.noise = self.known_noise.unwrap_or(hyper.noise);
            hyper
        };
        let start = last.map_or_else(cold, |last| last.hyper.clone());
        let started = Instant::now();
        let z = self.inducing_points(&start, last, data, step)?;
        let allocate_s = started.elapsed().as_secs_f64();

        let started = Instant::now();
        let q = match last {
            Some(last) => carried_over(&start, &last.posterior, z.as_ref())?,
            None => Variational::prior(z.nrows()),
        };
        let training = Training {
            method: Method::Joint,
            priors: self.priors,
            fixed: self.known_noise.iter().map(|_| Role::Noise).collect(),
            adam: ADAM,
            seed: self.seed,
            ..Training::default()
        };
        let trained = train(&start, &q, data, z.as_ref(), Likelihood::Gaussian, &training)?;
        let hyper = trained.hyper;
        let posterior = Svgp::new(&hyper, data, z.as_ref(), Likelihood::Gaussian)?.posterior(&trained.q)?;
        let seconds = (allocate_s, started.elapsed().as_secs_f64());
        Ok(Model { hyper, posterior, seen: data.len(), seconds })
    }

    /// Z from the last step's kernel and belief; all data while there are no more than M.
    fn inducing_points(
        &self,
        start: &Hyperparameters,
        last: Option<&Model>,
        data: &Dataset,
        step: u64,
    ) -> Result<Mat<f64>> {
        if data.len() <= self.inducing {
            return Ok(data.x().to_owned());
        }
        let (allocation, beliefs) = match (self.allocation.quality(), last) {
            (Quality::Unit, _) => (self.allocation, vec![]),
            (_, Some(last)) => {
                let Prediction { mean, variance } = last.posterior.predict(data.x())?;
                let noise = data.noise(last.hyper.noise);
                (self.allocation, vec![Evidenced::new(data.y().to_vec(), mean, variance, noise)?])
            }
            (_, None) => (Allocation::Cvr, vec![]),
        };
        let evidence = Evidence::new(beliefs)?.with_bounds(vec![(0.0, 1.0); data.dimension()])?;
        let mut rng = stream(self.seed, Purpose::Allocation, step, 0);
        Ok(allocate(&allocation, data.x(), &start.kernel, &evidence, self.inducing, &mut rng)?.points)
    }
}

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

/// Points around which a pool is dense, if it is.
const INCUMBENTS: usize = 20;

/// q(v) = N(L⁻¹(m − μ), L⁻¹ C L⁻ᵀ) with mean m and covariance C of f(Z) under another posterior, and L Lᵀ = Kzz.
fn carried_over(hyper: &Hyperparameters, posterior: &Posterior, z: MatRef<'_, f64>) -> Result<Variational> {
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

/// Relative to the largest element, as the engine has it.
const JITTER: f64 = 1e-8;

/// The rows with the largest values, best first.
fn best_rows(values: &[f64], count: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..values.len()).collect();
    rows.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    rows.truncate(count);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
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
