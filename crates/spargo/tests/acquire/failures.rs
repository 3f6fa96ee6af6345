//! The failure model, and acquisition functions weighted by the probability of success.

use super::*;
use spargo::Result;
use spargo::acquire::optimizer::Excluded;
use spargo::acquire::{Fantasised, Fantasy, SuccessWeighted, SuccessWeighting, thompson};
use spargo::data::Dataset;
use spargo::rng::{Purpose, stream, uniform};
use spargo::sample::Paths;

/// The printed formula.
fn naive(kernel: &Kernel, ok: &Mat, failed: &Mat, x: &Mat) -> Vec<f64> {
    let sums = |points: &Mat| -> Vec<f64> {
        let k = kernel.matrix(x.as_ref(), points.as_ref());
        let prior = kernel.diagonal(x.as_ref());
        (0..x.nrows()).map(|i| (0..points.nrows()).map(|j| k[(i, j)]).sum::<f64>() / prior[i]).collect()
    };
    let probability = |(s, f): (f64, f64)| {
        let rate = (1.0 + s) / (1.0 + s + f);
        if rate < 0.5 { rate * (-f.min(30.0) * (1.0 - 2.0 * rate).powi(2)).exp() } else { rate }
    };
    sums(ok).into_iter().zip(sums(failed)).map(probability).collect()
}

fn scattered(n: usize, d: usize, slot: u64) -> Mat {
    let mut rng = stream(5, Purpose::Data, 0, slot);
    Mat::from_fn(n, d, |_, _| uniform(&mut rng))
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn few_points_give_the_formula() {
    let x = scattered(530, 2, 2);
    // Few failures, most, and more than make a difference.
    let cases = kernels(2).into_iter().flat_map(|kernel| [9, 40, 400].map(|failures| (kernel.clone(), failures)));
    for (kernel, failures) in cases {
        let (ok, failed) = (scattered(if failures == 9 { 60 } else { 5 }, 2, 0), scattered(failures, 2, 1));
        let model = FailureModel::new(&kernel, ok.as_ref(), failed.as_ref()).unwrap();
        let expected = naive(&kernel, &ok, &failed, &x);
        assert_close("probability", &model.at(x.as_ref()).unwrap(), &expected, 1e-12);
        let few = x.as_ref().subrows(0, 5);
        let (values, gradient) = model.with_gradient(few).unwrap();
        assert_close("with gradient", &values, &expected[..5], 1e-12);
        let total = |flat: &[f64]| {
            let x = Mat::from_fn(5, 2, |i, k| flat[i * 2 + k]);
            model.at(x.as_ref()).unwrap().iter().sum::<f64>()
        };
        assert_close("gradient", &flat(gradient.as_ref()), &central_differences(&flat(few), total), 1e-6);
    }
}

/// Far more successes than are summed over, near failures of which some are alone: within 0.01 of the formula.
#[test]
fn many_points_nearly_give_the_formula() {
    let ok = scattered(20_000, 6, 0);
    // Twenty failures in a corner, ten anywhere.
    let mut failed = scattered(30, 6, 1);
    (0..20).for_each(|i| (0..6).for_each(|k| failed[(i, k)] *= 0.2));
    // Near the failures, and anywhere.
    let mut x = scattered(400, 6, 2);
    (0..300).for_each(|i| (0..6).for_each(|k| x[(i, k)] = 0.9 * failed[(i % 30, k)] + 0.1 * x[(i, k)]));
    for lengthscale in [0.05, 0.3, 1.5] {
        for family in Family::ALL {
            let kernel = Kernel::stationary(family, 2.0, lengthscale, 6);
            let model = FailureModel::new(&kernel, ok.as_ref(), failed.as_ref()).unwrap();
            let error = largest_difference(&model.at(x.as_ref()).unwrap(), &naive(&kernel, &ok, &failed, &x));
            assert!(error < 0.01, "{family:?} {lengthscale}: {error}");
        }
    }
    // Failures of which one in five is summed over.
    let kernel = Kernel::stationary(Family::Matern52, 2.0, 0.3, 6);
    let model = FailureModel::new(&kernel, ok.as_ref(), scattered(5000, 6, 3).as_ref()).unwrap();
    let error = largest_difference(&model.at(x.as_ref()).unwrap(), &naive(&kernel, &ok, &scattered(5000, 6, 3), &x));
    assert!(error < 0.05, "{error}");
}

#[test]
fn one_failure_is_forgiven_and_ten_are_not() {
    let kernel = Kernel::stationary(Family::Matern52, 2.0, 0.2, 2);
    let at = |x: [f64; 2]| Mat::from_fn(1, 2, |_, k| x[k]);
    let same = |n: usize| Mat::from_fn(n, 2, |_, _| 0.5);
    let v = |ok: &Mat, failed: &Mat, x: [f64; 2]| {
        FailureModel::new(&kernel, ok.as_ref(), failed.as_ref()).unwrap().at(at(x).as_ref()).unwrap()[0]
    };
    // Without any success one failure halves the value, where it happened.
    assert!((v(&none(), &same(1), [0.5, 0.5]) - 0.5).abs() < 1e-15);
    assert!(v(&scattered(500, 2, 0), &same(1), [0.5, 0.5]) > 0.97);
    assert!(v(&none(), &same(10), [0.5, 0.5]) < 1e-3);
    // Half of them failed.
    assert!(v(&same(10), &same(10), [0.5, 0.5]) > 0.5);
    assert!(v(&none(), &same(5000), [0.5, 0.5]) > 1e-18);
    assert!(v(&none(), &same(10), [5.0, 5.0]) > 1.0 - 1e-6);
    let certain = FailureModel::new(&kernel, scattered(500, 2, 0).as_ref(), none().as_ref()).unwrap();
    assert!(certain.is_certain());
    assert_eq!(certain.at(scattered(7, 2, 1).as_ref()).unwrap(), [1.0; 7]);
}

/// Failures beyond x₀ = 0.6, whatever x₁, and a kernel by which one point is like another everywhere.
#[test]
fn a_fitted_model_sees_where_the_failures_are() {
    let kernel = Kernel::stationary(Family::Matern52, 2.0, 20.0, 2);
    let all = scattered(60, 2, 0);
    let (failed, ok): (Vec<usize>, Vec<usize>) = (0..60).partition(|&i| all[(i, 0)] > 0.6);
    let rows = |rows: &[usize]| Mat::from_fn(rows.len(), 2, |i, k| all[(rows[i], k)]);
    let at = |x: f64| Mat::from_fn(1, 2, |_, k| [x, 0.5][k]);
    let success = |model: &FailureModel| [0.3, 0.9].map(|x| model.at(at(x).as_ref()).unwrap()[0]);
    let [inside, outside] = success(&FailureModel::new(&kernel, rows(&ok).as_ref(), rows(&failed).as_ref()).unwrap());
    assert!(inside - outside < 0.1, "{inside} {outside}");
    let [inside, outside] =
        success(&FailureModel::fitted(&kernel, rows(&ok).as_ref(), rows(&failed).as_ref()).unwrap());
    assert!(inside > 0.9 && outside < 0.2, "{inside} {outside}");

    // Failures anywhere are predicted best by their number alone, also far away.
    let anywhere = FailureModel::fitted(&kernel, scattered(200, 2, 1).as_ref(), scattered(20, 2, 2).as_ref()).unwrap();
    let [here, there] = success(&anywhere);
    assert!((here - there).abs() < 0.02 && (0.85..0.95).contains(&here), "{here} {there}");
    assert_eq!(success(&FailureModel::fitted(&kernel, rows(&ok).as_ref(), none().as_ref()).unwrap()), [1.0, 1.0]);
}

/// 3x₀ − x₁, whatever the element.
struct Plane;

impl BatchedObjective for Plane {
    fn elements(&self) -> usize {
        2
    }
    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        Ok(Mat::from_fn(pool.nrows(), 2, |i, _| 3.0 * pool[(i, 0)] - pool[(i, 1)]))
    }
    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        let values = elements.iter().enumerate().map(|(i, &element)| self.score(points).unwrap()[(i, element)]);
        Ok((values.collect(), Mat::from_fn(points.nrows(), 2, |_, k| [3.0, -1.0][k])))
    }
}

const WEIGHTINGS: [SuccessWeighting; 2] = [SuccessWeighting::Logarithm, SuccessWeighting::Above { baseline: 1.0 }];

#[test]
fn weighted_functions_have_their_gradients() {
    let kernel = Kernel::stationary(Family::Matern52, 2.0, 0.4, 2);
    let model = FailureModel::new(&kernel, scattered(20, 2, 0).as_ref(), scattered(10, 2, 1).as_ref()).unwrap();
    let x = scattered(12, 2, 2);
    for weighting in WEIGHTINGS {
        let weighted = SuccessWeighted { acquisition: &Plane, failure_model: &model, weighting };
        // One element is enough for the differences; both must be weighted.
        let scores = weighted.score(x.as_ref()).unwrap();
        assert!((0..12).all(|i| scores[(i, 0)] == scores[(i, 1)]));
        let (values, gradient) = weighted.value_gradient(&[1; 12], x.as_ref()).unwrap();
        let value = |flat: &[f64]| {
            let x = Mat::from_fn(12, 2, |i, k| flat[i * 2 + k]);
            let scores = weighted.score(x.as_ref()).unwrap();
            (0..12).map(|i| scores[(i, 0)]).sum::<f64>()
        };
        assert_close("values", &values, &(0..12).map(|i| scores[(i, 0)]).collect::<Vec<_>>(), 1e-14);
        assert_close("gradient", &flat(gradient.as_ref()), &central_differences(&flat(x.as_ref()), value), 1e-6);
    }
    let x = scattered(12, 2, 2);
    for (kind, posterior) in posteriors() {
        let fantasy = [Fantasy::new(&posterior, NOISE, pending().as_ref()).unwrap()];
        for function in functions() {
            let acquisition = &Fantasised::new(&fantasy, &*function);
            let weighting = function.weighting();
            let weighted = SuccessWeighted { acquisition, failure_model: &model, weighting };
            assert_gradient(kind, &weighted, x.as_ref(), 1e-6);
        }
    }
}

#[test]
fn more_success_and_a_larger_value_are_always_better() {
    for weighting in WEIGHTINGS {
        for (u, v) in [-3.0, 0.9, 1.0, 4.0].iter().flat_map(|&u| [0.01, 0.5, 0.9].map(|v| (u, v))) {
            assert!(weighting.value(u + 0.05, v) > weighting.value(u, v));
            assert!(weighting.value(u, v + 0.05) >= weighting.value(u, v));
            assert!(u == 1.0 || weighting.value(u, v + 0.05) > weighting.value(u, v));
        }
        assert!((weighting.value(1.0 - 1e-9, 0.01) - weighting.value(1.0, 0.01)).abs() < 1e-6);
        assert_eq!(weighting.value(2.7, 1.0), 2.7);
    }
}

/// Failures take away from how far a path lies above the worst mean, wherever 0 is.
#[test]
fn paths_count_from_the_worst_that_is_known() {
    let (space, at) = (table(400), points(24, 2));
    let outcomes = outcomes(at.as_ref()).into_iter().map(|y| y + 3.0).collect();
    let shifted = Hyperparameters { mean: 3.3, ..hyper(Kernel::stationary(Family::Matern52, 1.3, 0.4, 2)) };
    let failed = scattered(25, 2, 1);
    let failed = Mat::from_fn(25, 2, |i, k| if k == 0 { 0.5 + 0.5 * failed[(i, k)] } else { failed[(i, k)] });
    for (kind, posterior) in kinds_of_posterior(&shifted, &Dataset::new(at, outcomes).unwrap()) {
        let models = [posterior];
        let problem = Problem { failed: failed.clone(), ..Problem::new(&models, &[], &space) };
        problem.with(|context| {
            let acquisition = &Paths::draw(&models[0], 0..16, context.sampling, context.rng).unwrap();
            let failure_model = &FailureModel::fitted(models[0].kernel(), context.observed, context.failed).unwrap();
            let by = |baseline: f64| {
                let weighting = SuccessWeighting::Above { baseline };
                let weighted = SuccessWeighted { acquisition, failure_model, weighting };
                context.optimizer.maximize_within(&weighted, Vec::new(), &mut Excluded::default()).unwrap()
            };
            let means = models[0].mean(context.observed).unwrap();
            let (worst, best) = means.iter().fold((9.0, -9.0), |(low, high), &f| (f64::min(low, f), f64::max(high, f)));
            let found = thompson(context, 0..16, &mut Excluded::default()).unwrap();
            assert_eq!(found, by(worst), "{kind}");
            assert!([0.0, best].iter().all(|&other| by(other) != found), "{kind}: no power");
        });
    }
}

#[test]
fn without_failures_nothing_changes() {
    let (_, posterior) = posteriors().remove(0);
    let model = nothing_failed(&posterior);
    let x = scattered(4, 2, 0);
    let weighted = SuccessWeighted { acquisition: &Plane, failure_model: &model, weighting: WEIGHTINGS[1] };
    assert_eq!(weighted.elements(), 2);
    assert_eq!(weighted.score(x.as_ref()).unwrap(), Plane.score(x.as_ref()).unwrap());
    let (found, plain) = (weighted.value_gradient(&[0; 4], x.as_ref()), Plane.value_gradient(&[0; 4], x.as_ref()));
    assert_eq!(found.unwrap(), plain.unwrap());
}

#[test]
fn invalid_points_are_refused() {
    let kernel = Kernel::stationary(Family::Rbf, 1.0, 0.2, 2);
    let (good, wide, nan) = (scattered(3, 2, 0), scattered(3, 3, 0), Mat::from_fn(1, 2, |_, _| f64::NAN));
    for bad in [&wide, &nan] {
        assert!(FailureModel::new(&kernel, good.as_ref(), bad.as_ref()).is_err());
        assert!(FailureModel::new(&kernel, bad.as_ref(), good.as_ref()).is_err());
        let model = FailureModel::new(&kernel, good.as_ref(), good.as_ref()).unwrap();
        assert!(model.at(bad.as_ref()).is_err() && model.with_gradient(bad.as_ref()).is_err());
    }
}
