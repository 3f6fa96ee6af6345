//! Hyperparameters by the variational bound, with the optimal q(u) at every step: where the collapsed model is.

mod common;

use common::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel, Role};
use spargo::linalg::{Mat, select_rows};
use spargo::model::params::search_interval;
use spargo::model::{
    Fit, FitOptions, HyperparameterObjective, Hyperparameters, Inference, Likelihood, Priors, Start, fit,
};
use spargo::optim::Lbfgsb;
use spargo::rng::{Purpose, stream};

/// A smooth function with noise of variance 0.09.
fn noisy(n: usize) -> (Mat, Vec<f64>) {
    let x = points(n, 2);
    let noise = stream(1, Purpose::Data, 0, 0).sample_iter(StandardNormal);
    let f = |i: usize| (3.0 * x[(i, 0)]).sin() + (3.0 * x[(i, 1)] + 1.0).sin();
    let y = noise.take(n).enumerate().map(|(i, e): (usize, f64)| f(i) + 0.3 * e).collect();
    (x, y)
}

fn data(n: usize) -> Dataset {
    let (x, y) = noisy(n);
    Dataset::new(x, y).unwrap()
}

/// Labels of which those near the boundary are uncertain.
fn labels(n: usize) -> Dataset {
    let (x, y) = noisy(n);
    Dataset::new(x, y.into_iter().map(|y| f64::from(u8::from(y > 0.3))).collect()).unwrap()
}

fn inducing(data: &Dataset, m: usize) -> Mat {
    select_rows(data.x(), &(0..m).map(|i| i * data.len() / m).collect::<Vec<_>>())
}

fn start() -> Hyperparameters {
    Hyperparameters::cold(Kernel::stationary(Family::Matern52, 1.0, 0.3, 2))
}

/// Tolerances of a search to convergence.
fn converged() -> Lbfgsb {
    Lbfgsb { gradient_tolerance: 1e-7, value_tolerance: 1e-12, ..Lbfgsb::default() }
}

fn elbo(likelihood: Likelihood) -> FitOptions {
    FitOptions {
        hyperparameters: HyperparameterObjective::Elbo,
        inference: Inference::Variational,
        likelihood,
        start: Start::Warm,
        priors: Priors::Off,
        optimizer: converged(),
        ..FitOptions::default()
    }
}

fn run(data: &Dataset, z: &Mat, settings: &FitOptions) -> Fit {
    let fitted = fit(&start(), data, z.as_ref(), settings).unwrap();
    assert_eq!(fitted.report.kept, None);
    fitted
}

#[test]
fn with_and_without_priors_the_bound_is_the_collapsed_one() {
    let data = data(200);
    let z = inducing(&data, 15);
    let [off, on] = [Priors::Off, Priors::On].map(|priors| {
        let variational = FitOptions { priors, ..elbo(Likelihood::Gaussian) };
        let collapsed = FitOptions {
            hyperparameters: HyperparameterObjective::Bound,
            inference: Inference::Sparse,
            ..variational.clone()
        };
        let [found, best] = [variational, collapsed].map(|settings| run(&data, &z, &settings).report.objective);
        assert!((best - found).abs() < 1e-5, "{priors:?}: {best} {found}");
        best
    });
    // The priors do change the result.
    assert!(off - on > 1e-3);
}

#[test]
fn fixed_parameters_stay() {
    for (data, likelihood) in [(data(60), Likelihood::Gaussian), (labels(60), Likelihood::Bernoulli)] {
        let settings = FitOptions { fixed: vec![Role::Lengthscale, Role::Mean], ..elbo(likelihood) };
        let hyper = run(&data, &inducing(&data, 6), &settings).hyper;
        let (theta, before, roles) = (hyper.to_vector(), start().to_vector(), hyper.roles());
        for i in 0..theta.len() {
            // A likelihood without noise does not move it, and neither do priors.
            let free = roles[i] == Role::Variance || (roles[i] == Role::Noise && likelihood.has_noise());
            assert_eq!((theta[i] - before[i]).abs() > 1e-10, free, "{likelihood:?} {:?}", roles[i]);
        }
    }
}

/// Outcomes without noise drive its logarithm to −∞, were it not for the box.
#[test]
fn the_search_stays_in_the_box() {
    let x = points(20, 2);
    let data = Dataset::new(x.clone(), vec![0.0; 20]).unwrap();
    let hyper = run(&data, &x, &elbo(Likelihood::Gaussian)).hyper;
    let intervals: Vec<(f64, f64)> = hyper.roles().into_iter().map(search_interval).collect();
    let theta = hyper.to_vector();
    let slack = 1e-9;
    let inside = |(t, (low, high)): (&f64, &(f64, f64))| low - slack <= *t && *t <= high + slack;
    assert!(theta.iter().zip(&intervals).all(inside), "{theta:?}");
    assert!(theta.iter().zip(&intervals).any(|(t, (low, _))| t - low < slack), "{theta:?}");
}

#[test]
fn the_noise_stays_below_its_bound() {
    let data = data(100);
    let z = inducing(&data, 10);
    let free = run(&data, &z, &elbo(Likelihood::Gaussian)).hyper.noise;
    let bounded = FitOptions { noise_bound: Some(0.5 * free), ..elbo(Likelihood::Gaussian) };
    assert!(run(&data, &z, &bounded).hyper.noise <= 0.5 * free * (1.0 + 1e-12));
}

#[test]
fn extreme_data_end_in_a_finite_bound() {
    let x = points(12, 2);
    let z = select_rows(x.as_ref(), &[0, 0, 3, 5]);
    for y in [0.0, 1.0] {
        let data = Dataset::new(x.clone(), vec![y; 12]).unwrap();
        for likelihood in [Likelihood::Gaussian, Likelihood::Bernoulli] {
            let fitted = run(&data, &z, &FitOptions { priors: Priors::On, ..elbo(likelihood) });
            assert!(fitted.report.objective.is_finite());
            let f = fitted.posterior.predict(x.as_ref()).unwrap();
            assert!(likelihood.predict(&f, 0.0).mean.iter().all(|p| (p - y).abs() < 0.5), "{likelihood:?} {y}");
        }
    }
    // One row.
    let data = Dataset::new(points(1, 2), vec![1.0]).unwrap();
    for likelihood in [Likelihood::Gaussian, Likelihood::Bernoulli] {
        assert!(run(&data, &z, &elbo(likelihood)).report.objective.is_finite());
    }
}

#[test]
fn a_warm_start_is_where_it_ended() {
    let data = data(150);
    let z = inducing(&data, 12);
    let settings = elbo(Likelihood::Gaussian);
    let cold = run(&data, &z, &settings);
    let warm = fit(&cold.hyper, &data, z.as_ref(), &settings).unwrap();
    assert!(warm.report.evaluations * 3 < cold.report.evaluations, "{:?} {:?}", warm.report, cold.report);
    assert!((warm.report.objective - cold.report.objective).abs() < 1e-6);
}
