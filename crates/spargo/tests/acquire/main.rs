//! Acquisition functions and batches: fantasies against refits, gradients against differences, sums against determinants.

#[path = "../common/mod.rs"]
mod common;

mod batches;
mod diverse;
mod failures;
mod fantasies;
mod functions;
mod greedy;
mod outputs;
mod rules;

use common::*;
use spargo::acquire::optimizer::{AcquisitionOptimizer, AcquisitionOptions};
use spargo::acquire::{
    AcquisitionFunction, Bald, Constraint, ConstraintBounds, Context, FailureModel, Gibbon, LogEi, OutputModel,
    ParetoState, Straddle,
};
use spargo::kernel::{Family, Kernel, Stationary};
use spargo::linalg::{Mat, MatRef};
use spargo::model::{Hyperparameters, Posterior};
use spargo::optim::BatchedObjective;
use spargo::rng::StepRng;
use spargo::sample::SamplingOptions;
use spargo::space::{Dimension, Space};

const NOISE: f64 = 0.07;

fn hyper(kernel: Kernel) -> Hyperparameters {
    Hyperparameters { kernel, mean: 0.3, noise: NOISE }
}

/// Every kind of model with one kernel.
fn posteriors() -> Vec<(&'static str, Posterior)> {
    let lengthscales = vec![0.4, 0.6];
    let kernel = Kernel::Stationary(Stationary { family: Family::Matern52, variance: 1.3, lengthscales });
    kinds_of_posterior(&hyper(kernel), &data(24, 2))
}

/// Every acquisition function of a single output.
fn functions() -> [Box<dyn AcquisitionFunction>; 4] {
    let gibbon = Gibbon::new(vec![1.1, 1.6, 2.5], NOISE).unwrap();
    [Box::new(LogEi::new(1.2).unwrap()), Box::new(gibbon), Box::new(Bald), Box::new(Straddle::new(0.45).unwrap())]
}

/// Points of which two are the same.
fn pending() -> Mat {
    Mat::from_fn(4, 2, |i, k| [[0.31, 0.42], [0.77, 0.15], [0.31, 0.42], [0.5, 0.93]][i][k])
}

fn none() -> Mat {
    Mat::zeros(0, 2)
}

fn nothing_failed(posterior: &Posterior) -> FailureModel {
    FailureModel::new(posterior.kernel(), posterior.z(), none().as_ref()).unwrap()
}

fn rows(a: MatRef<'_>) -> Vec<Vec<f64>> {
    (0..a.nrows()).map(|i| flat(a.subrows(i, 1))).collect()
}

fn square() -> Space {
    Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::real("b", 0.0, 1.0)]).unwrap()
}

/// Rows of candidates in the square.
fn table(rows: usize) -> Space {
    let at = points(rows, 2);
    square().with_candidates((0..rows).map(|i| (0..2).map(|k| at[(i, k)].into()).collect()).collect()).unwrap()
}

/// What a context is made of.
struct Problem<'a> {
    /// Objectives first, then constrained outputs.
    models: &'a [Posterior],
    bounds: &'a [ConstraintBounds],
    noise: f64,
    space: &'a Space,
    options: AcquisitionOptions,
    observed: Mat,
    failed: Mat,
    pending: Mat,
}

impl<'a> Problem<'a> {
    /// The square with 24 observed points, of which nothing failed and nothing is pending.
    fn new(models: &'a [Posterior], bounds: &'a [ConstraintBounds], space: &'a Space) -> Self {
        let options = AcquisitionOptions { pool: 1000, near: 200, ..AcquisitionOptions::default() };
        let (observed, failed, pending) = (points(24, 2), none(), none());
        Problem { models, bounds, noise: NOISE, space, options, observed, failed, pending }
    }

    fn with<T>(&self, run: impl FnOnce(&Context<'_>) -> T) -> T {
        let outputs: Vec<OutputModel<'_>> =
            self.models.iter().map(|posterior| OutputModel { posterior, noise: self.noise }).collect();
        let (objectives, others) = outputs.split_at(outputs.len() - self.bounds.len());
        let constraints: Vec<Constraint<'_>> =
            others.iter().zip(self.bounds).map(|(&output, &bounds)| Constraint { output, bounds }).collect();
        let pareto = ParetoState::new(objectives, &constraints, self.observed.as_ref()).unwrap();
        let (rng, sampling) = (StepRng { seed: 1, step: 0 }, SamplingOptions { features: 200, block: 100 });
        let optimizer = AcquisitionOptimizer::new(self.space, self.observed.as_ref(), &self.options, rng).unwrap();
        run(&Context {
            objectives,
            constraints: &constraints,
            level: None,
            pareto: &pareto,
            observed: self.observed.as_ref(),
            failed: self.failed.as_ref(),
            pending: self.pending.as_ref(),
            optimizer: &optimizer,
            sampling: &sampling,
            rng,
        })
    }
}

/// Values as scored, and gradients as differences of the scores; the points belong to the elements in turns.
fn assert_gradient(what: &str, acquisition: &dyn BatchedObjective, at: MatRef<'_>, tolerance: f64) {
    let elements: Vec<usize> = (0..at.nrows()).map(|i| i % acquisition.elements()).collect();
    let scores = |x: &Mat| {
        let scores = acquisition.score(x.as_ref()).unwrap();
        assert_eq!(scores.ncols(), acquisition.elements());
        elements.iter().enumerate().map(|(i, &element)| scores[(i, element)]).collect::<Vec<f64>>()
    };
    let (values, gradient) = acquisition.value_gradient(&elements, at).unwrap();
    assert_close(what, &values, &scores(&at.to_owned()), 1e-12);
    // Each point moves only its own score, so the sum has every gradient.
    let total = |flat: &[f64]| {
        let x = Mat::from_fn(at.nrows(), at.ncols(), |i, k| flat[i * at.ncols() + k]);
        scores(&x).iter().sum::<f64>()
    };
    assert_close(what, &flat(gradient.as_ref()), &central_differences(&flat(at), total), tolerance);
}
