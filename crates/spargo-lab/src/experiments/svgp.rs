//! Algorithm 1 as the paper ran it, with its SVGP trained by Adam, from the engine's parts: what a [`Study`] does not offer
//! because the collapsed bound is better and faster.
//!
//! ```text
//!     Z ← allocate(D, last posterior) ─▶ q(u) carried over to Z ─▶ Adam over (θ, q) on the ELBO ─▶ a path per point, maximised
//! ```
//!
//! Adam has learning rate 0.1, halved after 10 steps without a new best, stopped after 50 (Section 5.1). Batches of rows are
//! not mentioned there: every step sees all of them. As in Trieste, which the paper used, q starts at what the last posterior
//! says at the new Z. Outcomes are those of functions with unit variance, and are not standardized again.
//!
//! [`Study`]: spargo::study::Study

use super::svgp_model::Model;
use super::{Optimizer, Recommendation};
use crate::error::Result;
use spargo::acquire::optimizer::{AcquisitionOptimizer, AcquisitionOptions, Excluded, space_filling};
use spargo::acquire::{Context, OutputModel, ParetoState, thompson};
use spargo::allocate::Allocation;
use spargo::data::{Dataset, Warp};
use spargo::kernel::Family;
use spargo::linalg::{Mat, select_rows};
use spargo::model::Priors;
use spargo::rng::{Purpose, StepRng, stream};
use spargo::sample::SamplingOptions;
use spargo::space::Space;
use spargo_problems::numbers;
use std::time::Instant;

/// Points around which a pool is dense, if it is.
const INCUMBENTS: usize = 20;

/// What such a run is determined by.
#[derive(Debug, Clone)]
pub struct SvgpSettings {
    /// The box.
    pub space: Space,
    /// Random seed.
    pub seed: u64,
    /// Number of inducing points, M.
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
    pub sampling: SamplingOptions,
    /// How they are maximised.
    pub acquisition: AcquisitionOptions,
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

impl SvgpOptimizer {
    /// A run that has seen nothing.
    pub fn new(settings: SvgpSettings) -> Self {
        SvgpOptimizer { settings, asked: Vec::new(), y: Vec::new(), batches: 0, model: None, acquire_s: 0.0 }
    }

    fn x(&self, count: usize) -> Mat {
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

    fn choose(&mut self, count: usize) -> Result<Mat> {
        let SvgpSettings { space, seed, sampling, acquisition, .. } = &self.settings;
        let Some(model) = &self.model else {
            let mut rng = stream(*seed, Purpose::Design, 0, 0);
            return Ok(space_filling(space, self.asked.len(), count, &mut rng));
        };
        let observed = self.x(self.y.len());
        let none = Mat::zeros(0, observed.ncols());
        let best = select_rows(observed.as_ref(), &best_rows(&model.posterior.mean(observed.as_ref())?, INCUMBENTS));
        let rng = StepRng { seed: *seed, step: self.batches };
        let objectives = [OutputModel { posterior: &model.posterior, noise: model.hyper.noise }];
        let context = Context {
            objectives: &objectives,
            constraints: &[],
            level: None,
            pareto: &ParetoState::new(&objectives, &[], observed.as_ref())?,
            observed: observed.as_ref(),
            failed: none.as_ref(),
            pending: none.as_ref(),
            optimizer: &AcquisitionOptimizer::new(space, best.as_ref(), acquisition, rng)?,
            sampling,
            rng,
        };
        let mut excluded = Excluded::default();
        excluded.insert_rows(self.x(self.asked.len()).as_ref());
        Ok(thompson(&context, 0..count, &mut excluded)?)
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

    fn recommendation(&mut self) -> Result<Recommendation> {
        self.update()?;
        let Some(model) = &self.model else { return Err(spargo::Error::Empty { what: "the data".into() }.into()) };
        let means = model.posterior.mean(self.x(self.y.len()).as_ref())?;
        let best = best_rows(&means, 1)[0];
        Ok(Recommendation {
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

/// The rows with the largest values, best first.
fn best_rows(values: &[f64], count: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..values.len()).collect();
    rows.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    rows.truncate(count);
    rows
}
