//! Rules that choose points one by one: beliefs against refits, gradients against differences, sums against determinants.

#[path = "../common/mod.rs"]
mod common;

mod diverse;
mod failures;
mod fantasies;
mod functions;
mod outputs;
mod several_batches;

use common::*;
use spargo::acquire::{FailureModel, Merit};
use spargo::kernel::{Family, Kernel, Stationary};
use spargo::linalg::{Mat, MatRef};
use spargo::model::{Hyperparameters, Posterior};
use spargo::optim::BatchedObjective;

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

fn merits() -> [Merit; 4] {
    let (log_ei, gibbon) = (Merit::LogEi { baseline: 1.2 }, Merit::Gibbon { maxima: vec![1.1, 1.6, 2.5] });
    [log_ei, gibbon, Merit::Bald, Merit::LevelSet { level: 0.45 }]
}

/// Points of which two are the same.
fn pending() -> Mat<f64> {
    Mat::from_fn(4, 2, |i, k| [[0.31, 0.42], [0.77, 0.15], [0.31, 0.42], [0.5, 0.93]][i][k])
}

fn none() -> Mat<f64> {
    Mat::zeros(0, 2)
}

fn nobody_failed(posterior: &Posterior) -> FailureModel {
    FailureModel::new(posterior.kernel(), posterior.z(), none().as_ref()).unwrap()
}

fn rows(a: MatRef<'_, f64>) -> Vec<Vec<f64>> {
    (0..a.nrows()).map(|i| flat(a.subrows(i, 1))).collect()
}

/// Values as scored, and gradients as differences of the scores; every point is on a element, in turns.
fn assert_gradient(what: &str, acquisition: &dyn BatchedObjective, at: MatRef<'_, f64>, tolerance: f64) {
    let elements: Vec<usize> = (0..at.nrows()).map(|i| i % acquisition.elements()).collect();
    let scores = |x: &Mat<f64>| {
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
