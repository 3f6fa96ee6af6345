//! FitOptions: every sensible pair of hyperparameters and inference, on data that usually break things.

mod common;

use common::*;
use spargo::Error;
use spargo::data::{Dataset, Standardizer};
use spargo::kernel::{Family, Kernel, Role};
use spargo::linalg::{Mat, MatRef, select_rows};
use spargo::model::{
    Fit, FitOptions, HyperparameterObjective, Hyperparameters, Inference, Likelihood, Priors, Start, fit,
};
use spargo::optim::Stop;
use spargo::rng::{Purpose, normal, stream};

const PAIRS: [(HyperparameterObjective, Inference); 8] = [
    (HyperparameterObjective::Bound, Inference::Sparse),
    (HyperparameterObjective::Bound, Inference::Exact),
    (HyperparameterObjective::Subset(40), Inference::Sparse),
    (HyperparameterObjective::Subset(40), Inference::Exact),
    (HyperparameterObjective::Fixed, Inference::Sparse),
    (HyperparameterObjective::Elbo, Inference::Variational),
    (HyperparameterObjective::Elbo, Inference::Exact),
    (HyperparameterObjective::Subset(40), Inference::Variational),
];

fn cold(data: &Dataset) -> Hyperparameters {
    Hyperparameters::cold(Kernel::cold(Family::Matern52, data.dimension()))
}

fn first_rows(data: &Dataset, m: usize) -> Mat {
    select_rows(data.x(), &(0..m.min(data.len())).collect::<Vec<_>>())
}

fn noisy(n: usize, d: usize, noise: f64) -> Dataset {
    let x = points(n, d);
    let mut rng = stream(1, Purpose::Data, 0, 0);
    let y = outcomes(x.as_ref()).iter().map(|y| y + noise.sqrt() * normal(&mut rng)).collect();
    Dataset::new(x, y).unwrap()
}

/// Data sets that usually break things, each with inducing points to go with it.
fn difficult() -> Vec<(&'static str, Dataset, Mat)> {
    let new = |x: Mat, y: Vec<f64>| Dataset::new(x, y).unwrap();
    let scaled = |factor: f64| {
        let data = noisy(60, 2, 0.01);
        new(data.x().to_owned(), data.y().iter().map(|y| y * factor).collect())
    };
    let mut cases = vec![
        ("one row", new(points(1, 3), vec![0.4])),
        ("two rows", new(points(2, 3), vec![0.4, -1.0])),
        ("constant outcomes", new(points(30, 2), vec![7.0; 30])),
        ("constant zero", new(points(30, 2), vec![0.0; 30])),
        ("one input", noisy(50, 1, 0.01)),
        ("fifty inputs", noisy(60, 50, 0.01)),
        ("tiny outcomes", scaled(1e-12)),
        ("huge outcomes", scaled(1e12)),
        ("an outlier", new(points(40, 2), (0..40).map(|i| if i == 7 { 1e6 } else { i as f64 }).collect())),
        ("constant input", new(Mat::from_fn(40, 2, |i, k| if k == 0 { 3.0 } else { i as f64 }), vec![1.0; 40])),
        ("no noise at all", new(points(50, 1), (0..50).map(|i| points(50, 1)[(i, 0)]).collect())),
    ];
    let x = points(20, 2);
    let replicated = Mat::from_fn(60, 2, |i, k| x[(i % 20, k)]);
    let y = outcomes(replicated.as_ref());
    cases.push(("replicated inputs", new(replicated, y)));
    let same = Mat::from_fn(25, 2, |_, k| 0.3 + k as f64);
    cases.push(("all inputs alike", new(same, (0..25).map(|i| (i % 3) as f64).collect())));
    let mut cases: Vec<_> = cases.into_iter().map(|(name, data)| (name, data.clone(), first_rows(&data, 15))).collect();
    let data = noisy(40, 2, 0.01);
    let duplicated = Mat::from_fn(12, 2, |i, k| data.x()[(i % 4, k)]);
    cases.push(("duplicated inducing points", data.clone(), duplicated));
    cases.push(("more inducing points than rows", data, points(90, 2)));
    cases
}

#[test]
fn difficult_data_give_a_usable_posterior() {
    for (name, data, z) in difficult() {
        let units = Standardizer::from_data(&data);
        let (standard, z) = (units.apply(&data), units.inputs.to_model(z.as_ref()));
        for ((hyperparameters, inference), priors) in
            PAIRS.iter().flat_map(|pair| [Priors::On, Priors::Off].map(|p| (pair, p)))
        {
            let settings = FitOptions {
                hyperparameters: *hyperparameters,
                inference: *inference,
                priors,
                ..FitOptions::default()
            };
            let fit = fit(&cold(&standard), &standard, z.as_ref(), &settings)
                .unwrap_or_else(|e| panic!("{name}, {hyperparameters:?}, {inference:?}, {priors:?}: {e}"));
            assert!(fit.report.objective.is_finite(), "{name}");
            assert_usable(name, &fit, standard.x());
        }
    }
}

fn assert_usable(name: &str, fit: &Fit, x: MatRef<'_>) {
    let prediction = fit.posterior.predict(x).unwrap();
    assert!(prediction.mean.iter().all(|m| m.is_finite()), "{name}: {:?}", prediction.mean);
    assert!(prediction.variance.iter().all(|v| v.is_finite() && *v >= 0.0), "{name}");
    let gradient = mean_gradient(&fit.posterior, x);
    assert!(flat(gradient.as_ref()).iter().all(|v| v.is_finite()), "{name}");
}

#[test]
fn predictions_follow_the_units_of_the_outcomes() {
    let base = noisy(80, 2, 0.01);
    let predict = |data: &Dataset| {
        let units = Standardizer::from_data(data);
        let standard = units.apply(data);
        let z = first_rows(&standard, 30);
        let fit = fit(&cold(&standard), &standard, z.as_ref(), &FitOptions::default()).unwrap();
        let mean = fit.posterior.mean(standard.x()).unwrap();
        mean.iter().map(|m| units.outcomes.from_model(*m)).collect::<Vec<_>>()
    };
    let expected = predict(&base);
    for (factor, shift) in [(1e-12, 0.0), (1e12, 0.0), (1.0, 1e3), (-3.0, 5.0)] {
        let y = base.y().iter().map(|y| factor * y + shift).collect();
        let found = predict(&Dataset::new(base.x().to_owned(), y).unwrap());
        let back: Vec<f64> = found.iter().map(|m| (m - shift) / factor).collect();
        // A shift of 1e3 costs three of sixteen digits, and the search amplifies rounding.
        assert_close("mean", &back, &expected, 1e-4);
    }
}

#[test]
fn noise_and_length_scales_are_recovered() {
    // Only the first of two inputs matters.
    let x = points(400, 2);
    let mut rng = stream(3, Purpose::Data, 0, 0);
    let y = (0..400).map(|i| (6.0 * x[(i, 0)]).sin() + 0.1 * normal(&mut rng)).collect();
    let data = Dataset::new(x, y).unwrap();
    let z = first_rows(&data, 40);
    for hyperparameters in [HyperparameterObjective::Bound, HyperparameterObjective::Subset(400)] {
        let settings = FitOptions { hyperparameters, ..FitOptions::default() };
        let fit = fit(&cold(&data), &data, z.as_ref(), &settings).unwrap();
        assert!((0.008..0.0125).contains(&fit.hyper.noise), "{hyperparameters:?}: noise {}", fit.hyper.noise);
        let Kernel::Stationary(kernel) = &fit.hyper.kernel else { unreachable!() };
        assert!(kernel.lengthscales[1] > 5.0 * kernel.lengthscales[0], "{:?}", kernel.lengthscales);
        assert!(matches!(fit.report.stop, Some(Stop::Gradient | Stop::Value)));
    }
}

/// Nearly noise-free data make the bound a difference of huge numbers; it must still be climbed.
#[test]
fn noise_free_data_are_fitted_closely() {
    let x = points(800, 2);
    let y: Vec<f64> = (0..800).map(|i| (3.0 * x[(i, 0)]).sin() + x[(i, 1)].powi(2)).collect();
    let data = Dataset::new(x, y).unwrap();
    let units = Standardizer::from_data(&data);
    let standard = units.apply(&data);
    let z = first_rows(&standard, 150);
    for (family, hyperparameters) in [Family::Matern52, Family::Rbf]
        .into_iter()
        .flat_map(|f| [(f, HyperparameterObjective::Bound), (f, HyperparameterObjective::Subset(400))])
    {
        let start = Hyperparameters::cold(Kernel::cold(family, 2));
        let fit = fit(&start, &standard, z.as_ref(), &FitOptions { hyperparameters, ..FitOptions::default() }).unwrap();
        let per_point = fit.report.objective / 800.0;
        assert!(per_point > 2.0, "{family:?} {hyperparameters:?}: {per_point}");
        let mean = fit.posterior.mean(standard.x()).unwrap();
        let worst = mean.iter().zip(standard.y()).map(|(m, y)| (m - y).abs()).fold(0.0, f64::max);
        assert!(worst < 0.02, "{family:?} {hyperparameters:?}: {worst}");
    }
}

#[test]
fn fixed_parameters_stay_and_a_warm_start_is_short() {
    let data = noisy(200, 3, 0.02);
    let z = first_rows(&data, 40);
    let settings =
        FitOptions { hyperparameters: HyperparameterObjective::Bound, priors: Priors::Off, ..FitOptions::default() };
    let first = fit(&cold(&data), &data, z.as_ref(), &settings).unwrap();
    let warm = FitOptions { start: Start::Warm, ..settings.clone() };
    let again = fit(&first.hyper, &data, z.as_ref(), &warm).unwrap();
    assert!(
        again.report.evaluations * 3 < first.report.evaluations,
        "{} {}",
        again.report.evaluations,
        first.report.evaluations
    );
    assert!(again.report.objective > first.report.objective - 0.01);
    let fixed = vec![Role::Noise, Role::Mean, Role::Variance];
    let held = fit(&cold(&data), &data, z.as_ref(), &FitOptions { fixed, ..settings.clone() }).unwrap();
    let Kernel::Stationary(kernel) = &held.hyper.kernel else { unreachable!() };
    assert_eq!((held.hyper.noise, held.hyper.mean, kernel.variance), (0.1f64.ln().exp(), 0.0, 1.0));
    assert_ne!(held.hyper.kernel, cold(&data).kernel);
    let all = vec![Role::Noise, Role::Mean, Role::Variance, Role::Lengthscale];
    let nothing = fit(&cold(&data), &data, z.as_ref(), &FitOptions { fixed: all, ..settings }).unwrap();
    assert_close("θ", &nothing.hyper.to_vector(), &cold(&data).to_vector(), 1e-15);
}

#[test]
fn priors_pull_towards_themselves() {
    let data = noisy(30, 2, 0.01);
    let hyper = cold(&data);
    let theta = hyper.to_vector();
    let mut slope = vec![0.0; theta.len()];
    Priors::On.add_log_density(&hyper, &theta, &mut slope);
    let value = |theta: &[f64]| Priors::On.add_log_density(&hyper, theta, &mut vec![0.0; theta.len()]);
    assert_close("prior", &slope, &central_differences(&theta, value), 1e-8);
    // The density of ℓ itself: its mode is e^(location − scale²), location √2 + ½ log d, scale √3.
    let slope_at = |log: f64| {
        let hyper = Hyperparameters::cold(Kernel::stationary(Family::Matern52, 1.0, log.exp(), 4));
        let mut slope = vec![0.0; hyper.roles().len()];
        Priors::On.add_log_density(&hyper, &hyper.to_vector(), &mut slope);
        slope[1]
    };
    let location = 2f64.sqrt() + 2f64.ln();
    assert!(slope_at(location - 3.0).abs() < 1e-12);
    assert!((slope_at(location + 3f64.sqrt()) + 1.0 + 1.0 / 3f64.sqrt()).abs() < 1e-12);
    assert_eq!(Priors::Off.add_log_density(&hyper, &theta, &mut slope), 0.0);
}

#[test]
fn a_fit_that_fails_keeps_the_last_good_hyperparameters_and_says_so() {
    // Not standardized, so that the quadratic form overflows at every θ.
    let data = Dataset::new(points(20, 2), (0..20).map(|i| 1e200 * (1 + i) as f64).collect()).unwrap();
    let start = cold(&data);
    for hyperparameters in [HyperparameterObjective::Bound, HyperparameterObjective::Subset(20)] {
        let settings = FitOptions { hyperparameters, ..FitOptions::default() };
        let fit = fit(&start, &data, first_rows(&data, 5).as_ref(), &settings).unwrap();
        assert_eq!(fit.hyper, start);
        assert_eq!(fit.report.stop, Some(Stop::NonFinite));
        assert!(fit.report.kept.is_some());
    }
}

#[test]
fn the_variational_posterior_of_gaussian_data_is_the_sparse_one() {
    let data = noisy(120, 2, 0.02);
    let z = first_rows(&data, 25);
    let run = |hyperparameters, inference| {
        let settings = FitOptions { hyperparameters, inference, ..FitOptions::default() };
        fit(&cold(&data), &data, z.as_ref(), &settings).unwrap()
    };
    let sparse = run(HyperparameterObjective::Bound, Inference::Sparse);
    let variational = run(HyperparameterObjective::Elbo, Inference::Variational);
    // The same objective, searched by two codes to the same tolerance.
    let gap = (sparse.report.objective - variational.report.objective).abs() / 120.0;
    assert!(gap < 1e-4, "{gap}");
    let at = points(40, 2);
    let predict = |fit: &Fit| fit.posterior.predict(at.as_ref()).unwrap();
    assert_close("mean", &predict(&variational).mean, &predict(&sparse).mean, 1e-2);
}

#[test]
fn labels_are_learned_by_the_elbo_and_nothing_else() {
    let x = points(150, 2);
    let y = (0..150).map(|i| f64::from(u8::from(x[(i, 0)] > 0.5))).collect();
    let data = Dataset::new(x, y).unwrap();
    let z = first_rows(&data, 20);
    let labels = FitOptions { likelihood: Likelihood::Bernoulli, ..FitOptions::default() };
    let good = FitOptions {
        hyperparameters: HyperparameterObjective::Elbo,
        inference: Inference::Variational,
        ..labels.clone()
    };
    let fitted = fit(&cold(&data), &data, z.as_ref(), &good).unwrap();
    let mean = fitted.posterior.mean(data.x()).unwrap();
    let right = mean.iter().zip(data.y()).filter(|(m, y)| (**m > 0.0) == (**y > 0.5)).count();
    assert!(right >= 145, "{right} of 150");
    for (hyperparameters, inference) in
        [(HyperparameterObjective::Bound, Inference::Variational), (HyperparameterObjective::Elbo, Inference::Sparse)]
    {
        let settings = FitOptions { hyperparameters, inference, ..labels.clone() };
        assert!(matches!(fit(&cold(&data), &data, z.as_ref(), &settings), Err(Error::Unsupported { .. })));
    }
    let outcomes = noisy(20, 2, 0.01);
    assert!(fit(&cold(&outcomes), &outcomes, z.as_ref(), &good).is_err(), "outcomes are not labels");
}

#[test]
fn the_same_seed_gives_the_same_fit() {
    let data = noisy(150, 2, 0.02);
    let z = first_rows(&data, 30);
    for (hyperparameters, inference) in PAIRS {
        let settings = FitOptions { hyperparameters, inference, seed: 5, ..FitOptions::default() };
        let run = || fit(&cold(&data), &data, z.as_ref(), &settings).unwrap();
        let (first, second) = (run(), run());
        assert_eq!(first.hyper, second.hyper);
        assert_eq!(first.posterior.predict(data.x()).unwrap(), second.posterior.predict(data.x()).unwrap());
    }
}

#[test]
fn arguments_of_different_sizes_are_refused() {
    let data = noisy(30, 2, 0.01);
    let good = cold(&data);
    let settings = FitOptions { hyperparameters: HyperparameterObjective::Bound, ..FitOptions::default() };
    let wrong_dimension = Hyperparameters::cold(Kernel::cold(Family::Rbf, 3));
    assert!(matches!(
        fit(&wrong_dimension, &data, data.x(), &settings),
        Err(Error::Shape { found: 3, expected: 2, .. })
    ));
    assert!(matches!(fit(&good, &data, points(4, 3).as_ref(), &settings), Err(Error::Shape { found: 3, .. })));
    assert!(matches!(fit(&good, &data, Mat::zeros(0, 2).as_ref(), &settings), Err(Error::Empty { .. })));
    for (noise, mean) in [(0.0, 0.0), (-1.0, 0.0), (f64::NAN, 0.0), (f64::INFINITY, 0.0), (0.1, f64::NAN)] {
        let start = Hyperparameters { noise, mean, ..good.clone() };
        for (hyperparameters, inference) in PAIRS {
            let settings = FitOptions { hyperparameters, inference, ..settings.clone() };
            assert!(matches!(fit(&start, &data, data.x(), &settings), Err(Error::Parameter { .. })));
        }
    }
    let nowhere = Mat::from_fn(3, 2, |_, _| f64::NAN);
    assert!(matches!(fit(&good, &data, nowhere.as_ref(), &settings), Err(Error::NonFinite { .. })));
    let negative = Hyperparameters::cold(Kernel::stationary(Family::Rbf, -1.0, 0.3, 2));
    assert!(matches!(fit(&negative, &data, data.x(), &settings), Err(Error::Parameter { .. })));
    let empty = Hyperparameters::cold(Kernel::sum(vec![]));
    assert!(matches!(fit(&empty, &data, data.x(), &settings), Err(Error::Empty { .. })));
    let posterior = fit(&good, &data, data.x(), &settings).unwrap().posterior;
    assert!(matches!(posterior.predict(points(4, 3).as_ref()), Err(Error::Shape { .. })));
    let bad = Mat::from_fn(1, 2, |_, _| f64::NAN);
    assert!(matches!(posterior.predict(bad.as_ref()), Err(Error::NonFinite { .. })));
}
