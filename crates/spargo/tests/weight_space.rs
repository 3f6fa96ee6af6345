//! Kernels of finite rank: the posterior in weight space is the dense one, its paths are exact, and features are where they can be.

mod common;

use common::*;
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel, KernelChoice, LinearSphere};
use spargo::linalg::Mat;
use spargo::model::{FitOptions, HyperparameterObjective, Hyperparameters, Inference, exact, fit};
use spargo::rng::{Purpose, StepRng, normal, stream, uniform};
use spargo::sample::{Features, Paths, SamplingOptions};

/// Points of the unit cube whose last input is one of three categories.
fn mixed_data(n: usize, is_noise_known: bool) -> Dataset {
    let x = points(n, 4);
    let x = Mat::from_fn(n, 4, |i, k| if k == 3 { (i % 3) as f64 } else { x[(i, k)] });
    let y = outcomes(x.as_ref());
    let noise = (0..n).map(|i| (is_noise_known && i % 2 == 0).then_some(0.05 + 0.01 * (i % 7) as f64)).collect();
    Dataset::new(x, y).unwrap().with_known_noise(noise).unwrap()
}

fn hypers() -> Vec<Hyperparameters> {
    let mut kernels = finite_kernels(4);
    kernels.push(linear_sphere(4).within(&[0.1, 0.2, 0.3, 0.0], &[0.4, 0.9, 0.8, 2.0]));
    kernels.into_iter().map(|kernel| Hyperparameters { kernel, mean: 0.3, noise: 0.07 }).collect()
}

#[test]
fn the_posterior_in_weight_space_is_the_dense_one() {
    let elsewhere = Mat::from_fn(25, 4, |i, k| if k == 3 { (i % 3) as f64 } else { 1.4 * points(25, 4)[(i, k)] - 0.2 });
    for (hyper, is_noise_known) in hypers().into_iter().flat_map(|hyper| [(hyper.clone(), false), (hyper, true)]) {
        let data = mixed_data(60, is_noise_known);
        let (found, dense) = (exact::infer(&hyper, &data).unwrap(), exact::infer_dense(&hyper, &data).unwrap());
        assert!(found.posterior.is_spanned() && !dense.posterior.is_spanned(), "{:?}", hyper.kernel);
        assert!(found.posterior.z().nrows() < 20 && found.posterior.jitter() == 0.0);
        assert_close("likelihood", &[found.objective], &[dense.objective], 1e-9);
        assert_close("likelihood", &[exact::log_likelihood(&hyper, &data).unwrap()], &[dense.objective], 1e-9);
        let x = elsewhere.as_ref();
        let [found, expected] = [&found, &dense].map(|one| one.posterior.predict(x).unwrap());
        assert_close("mean", &found.mean, &expected.mean, 1e-8);
        assert_close("variance", &found.variance, &expected.variance, 1e-8);
        let gradient = exact::log_likelihood_gradient(&hyper, &data).unwrap();
        let expected = exact::dense_gradient(&hyper, &data).unwrap();
        assert_close("gradient", &gradient.gradient, &expected.gradient, 1e-7);
    }
}

#[test]
fn with_fewer_data_than_its_rank_a_kernel_has_the_dense_posterior() {
    let hyper = Hyperparameters::cold(linear_sphere(4));
    for (n, is_spanned) in [(1, false), (6, false), (7, true)] {
        let inferred = exact::infer(&hyper, &data(n, 4)).unwrap();
        assert_eq!(inferred.posterior.is_spanned(), is_spanned, "{n} rows");
    }
    // Too many categories: inducing points among the data cost less.
    let many = Kernel::product(vec![Kernel::of(vec![0, 1, 2], linear_sphere(3)), categories(3, 500, 0.8)]);
    assert!(many.spanning(4).is_none() && many.check(4).is_ok());
    let shared = Kernel::product(vec![Kernel::of(vec![0, 1, 2], linear_sphere(3)), categories(2, 3, 0.8)]);
    assert!(shared.spanning(4).is_none());
    assert!(Kernel::sum(vec![linear_sphere(4), stationary(Family::Rbf, 1.0, 0.4, 4)]).spanning(4).is_none());
}

/// Any N: far beyond what a dense posterior can have.
#[test]
fn many_rows_are_fitted_exactly() {
    const N: usize = 30_000;
    // Linear on the sphere of equal length scales with a = ½.
    let truth = |x: &[f64]| {
        let t: Vec<f64> = x.iter().map(|v| (v - 0.5) / (0.5 * 1.5f64.sqrt())).collect();
        let square: f64 = t.iter().map(|v| v * v).sum();
        1.0 + (4.0 * t[0] - 2.0 * t[1] + 0.5 * (square - 1.0)) / (1.0 + square)
    };
    let mut rng = stream(1, Purpose::Data, 0, 0);
    let x = Mat::from_fn(N, 3, |_, _| uniform(&mut rng));
    let y = (0..N).map(|i| truth(&[x[(i, 0)], x[(i, 1)], x[(i, 2)]]) + 0.1 * normal(&mut rng)).collect();
    let data = Dataset::new(x, y).unwrap();
    let start = Hyperparameters::cold(KernelChoice::LinearSphere.cold(3).unwrap());
    let options = FitOptions {
        hyperparameters: HyperparameterObjective::Subset(1000),
        inference: Inference::Exact,
        ..FitOptions::default()
    };
    let fitted = fit(&start, &data, data.x(), &options).unwrap();
    assert!(fitted.posterior.is_spanned() && fitted.report.kept.is_none(), "{:?}", fitted.report);
    let at = points(50, 3);
    let mean = fitted.posterior.mean(at.as_ref()).unwrap();
    for (i, mean) in mean.iter().enumerate() {
        let expected = truth(&[at[(i, 0)], at[(i, 1)], at[(i, 2)]]);
        assert!((mean - expected).abs() < 0.02, "{mean} {expected}");
    }
    assert!((fitted.hyper.noise.sqrt() - 0.1).abs() < 0.03, "{}", fitted.hyper.noise);
    // A kernel of another kind is refused so many rows.
    let start = Hyperparameters::cold(Kernel::cold(Family::Rbf, 3));
    assert!(fit(&start, &data, data.x(), &options).is_err());
}

#[test]
fn paths_in_weight_space_have_the_moments_of_the_posterior() {
    const COUNT: usize = 20_000;
    let x = Mat::from_fn(5, 4, |i, k| if k == 3 { (i % 3) as f64 } else { points(9, 4)[(i + 4, k)] });
    for hyper in hypers() {
        let posterior = exact::infer(&hyper, &mixed_data(40, false)).unwrap().posterior;
        let settings = SamplingOptions { features: 1, block: COUNT };
        let paths = Paths::draw(&posterior, 0..COUNT, &settings, StepRng { seed: 2, step: 1 }).unwrap();
        let values = paths.values(x.as_ref()).unwrap();
        let (mean, covariance) = (posterior.mean(x.as_ref()).unwrap(), posterior.covariance(x.as_ref()).unwrap());
        for (i, j) in (0..25).map(|at| (at / 5, at % 5)) {
            let products: Vec<f64> =
                (0..COUNT).map(|p| (values[(i, p)] - mean[i]) * (values[(j, p)] - mean[j])).collect();
            let found = products.iter().sum::<f64>() / COUNT as f64;
            let spread = products.iter().map(|v| (v - found).powi(2)).sum::<f64>() / COUNT as f64;
            assert!((found - covariance[(i, j)]).abs() <= 5.0 * (spread / COUNT as f64).sqrt(), "{i} {j}: {found}");
        }
        let (elements, path) = ([3, 0, 7, 1, 1], |i: usize, element: usize| {
            central_differences(&[0.0; 4], |step| {
                let at = Mat::from_fn(1, 4, |_, k| x[(i, k)] + step[k]);
                paths.values(at.as_ref()).unwrap()[(0, element)]
            })
        });
        let (_, gradient) = paths.value_gradient(&elements, x.as_ref()).unwrap();
        for (i, &element) in elements.iter().enumerate() {
            let found: Vec<f64> = (0..4).map(|k| gradient[(i, k)]).collect();
            assert_close("gradient", &found, &path(i, element), 1e-7);
        }
    }
}

#[test]
fn features_of_a_linear_kernel_are_exact() {
    let x = points(20, 3);
    let of = Kernel::of(vec![2, 0], linear_sphere(2));
    let sum = Kernel::sum(vec![linear_sphere(3), of.clone()]);
    let within = linear_sphere(3).within(&[0.2; 3], &[0.3, 0.5, 1.2]);
    for (kernel, count) in [(linear_sphere(3), 5), (of, 4), (sum, 9), (within, 5)] {
        let features = Features::draw(&kernel, 3, 1, &mut stream(0, Purpose::Frequencies, 0, 0)).unwrap();
        assert_eq!(features.count(), count);
        let phi = features.matrix(x.as_ref());
        let error = &phi * phi.transpose() - kernel.matrix(x.as_ref(), x.as_ref());
        assert!(error.norm_max() < 1e-13, "{kernel:?}: {}", error.norm_max());
    }
    // The union: random features of the one part, exact ones of the other.
    let kernel = Kernel::sum(vec![stationary(Family::Matern52, 0.9, 0.5, 3), linear_sphere(3)]);
    let features = Features::draw(&kernel, 3, 40, &mut stream(0, Purpose::Frequencies, 0, 0)).unwrap();
    assert_eq!(features.count(), 45);
    let phi = features.matrix(x.as_ref());
    let exact = phi.as_ref().subcols(40, 5);
    let error = exact * exact.transpose() - linear_sphere(3).matrix(x.as_ref(), x.as_ref());
    assert!(error.norm_max() < 1e-13);
}

/// Products with a linear kernel have random coordinates of it.
#[test]
fn random_features_of_products_average_to_the_kernel() {
    const COUNT: usize = 60_000;
    let mixed = Kernel::product(vec![Kernel::of(vec![0, 1], linear_sphere(2)), categories(2, 3, 0.8)]);
    let kernels = [
        mixed.clone(),
        Kernel::product(vec![linear_sphere(3), linear_sphere(3)]),
        Kernel::product(vec![linear_sphere(3), stationary(Family::Rbf, 0.9, 0.7, 3)]),
        Kernel::product(vec![mixed.clone(), stationary(Family::Rbf, 0.9, 0.7, 3)]).within(&[0.1; 3], &[0.8, 1.3, 1.1]),
        Kernel::product(vec![Kernel::sum(vec![linear_sphere(3), mixed]), categories(0, 2, 0.6)]),
    ];
    let x = Mat::from_fn(4, 3, |i, k| if k == 2 { (i % 3) as f64 } else { points(9, 3)[(i + 2, k)] });
    for kernel in kernels {
        let draw = |count| Features::draw(&kernel, 3, count, &mut stream(4, Purpose::Frequencies, 0, 0)).unwrap();
        let phi = draw(COUNT).matrix(x.as_ref());
        let k = kernel.matrix(x.as_ref(), x.as_ref());
        for (i, j) in (0..16).map(|at| (at / 4, at % 4)) {
            let products: Vec<f64> = (0..COUNT).map(|f| COUNT as f64 * phi[(i, f)] * phi[(j, f)]).collect();
            let mean = products.iter().sum::<f64>() / COUNT as f64;
            let spread = products.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / COUNT as f64;
            assert!((mean - k[(i, j)]).abs() <= 5.0 * (spread / COUNT as f64).sqrt() + 1e-12, "{kernel:?}: {mean}");
        }
        let features = draw(30);
        let g = Mat::from_fn(features.count(), 2, |f, c| ((3 * f + c) as f64).sin());
        let (columns, mut values) = ([1, 0, 0, 1], vec![0.0; 4]);
        let mut gradient = Mat::zeros(4, 3);
        features.add_value_gradient(x.as_ref(), g.as_ref(), &columns, &mut values, gradient.as_mut());
        for (i, &column) in columns.iter().enumerate() {
            let value = |step: &[f64]| {
                let at = Mat::from_fn(1, 3, |_, k| x[(i, k)] + step[k]);
                let phi = features.matrix(at.as_ref());
                (0..features.count()).map(|f| phi[(0, f)] * g[(f, column)]).sum()
            };
            assert_close("value", &[values[i]], &[value(&[0.0; 3])], 1e-12);
            let found: Vec<f64> = (0..3).map(|k| gradient[(i, k)]).collect();
            assert_close(&format!("{kernel:?}"), &found, &central_differences(&[0.0; 3], value), 1e-6);
        }
    }
}

#[test]
fn sums_and_names_are_read_and_written() {
    let read = |text: &str| serde_json::from_str::<KernelChoice>(text).unwrap();
    for text in [r#""linear-sphere""#, r#"["matern52","linear-sphere"]"#, r#""rbf""#, r#"["own","rbf"]"#] {
        assert_eq!(serde_json::to_string(&read(text)).unwrap(), text);
    }
    assert_eq!(read(r#"["matern32"]"#), Family::Matern32.into());
    let sum = read(r#"["matern52", "linear-sphere"]"#);
    sum.check().unwrap();
    assert!(sum.is_built_in() && sum.family() == Family::Matern52);
    let cold = sum.cold(3).unwrap();
    cold.check(3).unwrap();
    assert_eq!(cold.diagonal(points(2, 3).as_ref()), [1.0; 2]);
    assert_eq!(read(r#""linear-sphere""#).cold(0).unwrap(), Kernel::cold(Family::Rbf, 0));
    for (text, reason) in [("[]", "empty"), (r#"["rbf", "rbf"]"#, "twice"), (r#"["rbf", "own"]"#, "'own'")] {
        let refused = read(text).check().unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
        assert!(read(text).cold(2).is_err());
    }
    let wrong = |equator, constant| LinearSphere { variance: 1.0, lengthscales: vec![1.0], equator, constant };
    for kernel in [wrong(0.0, 0.5), wrong(0.5, 1.0), wrong(f64::NAN, 0.5)] {
        assert!(Kernel::LinearSphere(kernel).check(1).is_err());
    }
    assert!(Kernel::LinearSphere(wrong(0.5, 0.5)).check(2).is_err());
    assert!(linear_sphere(2).within(&[0.0, 0.5], &[1.0, 0.5]).check(2).is_ok(), "an input without width is as it is");
}
