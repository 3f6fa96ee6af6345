//! Paths: against Trieste's numbers, against their moments in closed form, and by differences.

#[path = "../common/mod.rs"]
mod common;

mod moments;

use common::*;
use rand_chacha::ChaCha8Rng;
use spargo::Error;
use spargo::data::Dataset;
use spargo::kernel::{Factors, Family, Kernel, Stationary};
use spargo::linalg::{Mat, MatRef, cholesky, invert_lower, mat_vec, select_rows};
use spargo::model::sgpr::{Jitter, Sgpr};
use spargo::model::svgp::{Svgp, Variational};
use spargo::model::{Hyperparameters, InducingCovariance, Likelihood, Posterior, exact};
use spargo::rng::{Purpose, StepRng, stream, uniform};
use spargo::sample::{Draws, Features, Paths, SamplingOptions};
use std::f64::consts::TAU;

/// Standard errors allowed: over the few thousand comparisons of this file, one in a hundred runs would be beyond.
const SIGMAS: f64 = 5.0;

#[test]
fn given_draws_make_the_paths_of_trieste() {
    let file = golden("decoupled_trajectory");
    let (kernel, z) = (kernel(&file), matrix(&file["Z"]));
    let jitter = number(&file["jitter_on_Kuu_in_sampler"]);
    let inverse = invert_lower(cholesky(kernel.matrix(z.as_ref(), z.as_ref()), jitter).unwrap().l.as_ref());
    let hyper = Hyperparameters { kernel, mean: number(&file["constant_mean"]), noise: 1.0 };
    let data = Dataset::new(z.clone(), vec![0.0; z.nrows()]).unwrap();
    let model = Svgp::with_jitter(&hyper, &data, z.as_ref(), Likelihood::Gaussian, Jitter::Fixed(jitter)).unwrap();
    let (mu, sqrt) = (vector(&file["q_mu"]), matrix(&file["q_sqrt_lower"]));
    let whitened = Variational::new(mu.clone(), sqrt.clone()).unwrap();
    let plain = Variational::new(mat_vec(inverse.as_ref(), &mu), lower(&(&inverse * &sqrt))).unwrap();

    for (section, q) in [("whiten_true", whitened), ("whiten_false", plain)] {
        let expected = &file[section];
        let scales = vector(&file["lengthscales"]);
        let omega = matrix(&expected["rff_W"]);
        let omega = Mat::from_fn(omega.ncols(), omega.nrows(), |k, f| omega[(f, k)] / scales[k]);
        let features =
            Features::new(omega.as_ref(), &vector(&expected["rff_b"][0]), number(&file["variance"])).unwrap();
        let theta = matrix(&expected["prior_weights_FxB"]);
        let epsilon = matrix(&expected["u_noise_MxB"]);
        let draws = Draws { features, theta, epsilon };
        let paths = Paths::from_draws(&model.posterior(&q).unwrap(), vec![draws]).unwrap();

        let (x, values) = (matrix(&expected["X_test"]), matrix(&expected["values_NxB"]));
        let found = paths.values(x.as_ref()).unwrap();
        assert_close(section, &flat(found.as_ref()), &flat(values.as_ref()), 1e-8);
        for path in 0..paths.len() {
            let (found, _) = paths.value_gradient(&vec![path; x.nrows()], x.as_ref()).unwrap();
            let column: Vec<f64> = (0..x.nrows()).map(|i| values[(i, path)]).collect();
            assert_close(section, &found, &column, 1e-8);
        }
    }
}

#[test]
fn gradients_hold_for_every_kernel_and_model() {
    for kernel in kernels(3) {
        for (name, posterior) in posteriors(&kernel) {
            // Three blocks of two paths; rows of one call lie on paths of all of them.
            let paths = Paths::draw(
                &posterior,
                0..6,
                &SamplingOptions { features: 20, block: 2 },
                StepRng { seed: 3, step: 0 },
            )
            .unwrap();
            let (elements, x) = ([4, 0, 3, 5, 0, 2, 1], elsewhere(7));
            let (values, gradient) = paths.value_gradient(&elements, x.as_ref()).unwrap();
            assert_eq!(paths.value(&elements, x.as_ref()).unwrap(), values, "{name}");
            let all = paths.values(x.as_ref()).unwrap();
            let own: Vec<f64> = elements.iter().enumerate().map(|(i, &element)| all[(i, element)]).collect();
            assert_close(name, &values, &own, 1e-12);

            // Matérn-1/2 has frequencies in the hundreds: the steps are a hundredth of the usual ones.
            let at = |i: usize, step: &[f64]| Mat::from_fn(1, 3, |_, k| x[(i, k)] + 0.01 * step[k]);
            for (i, &element) in elements.iter().enumerate() {
                let value = |step: &[f64]| paths.values(at(i, step).as_ref()).unwrap()[(0, element)];
                let expected: Vec<f64> =
                    central_differences(&[0.0; 3], value).iter().map(|slope| 100.0 * slope).collect();
                let found: Vec<f64> = (0..3).map(|k| gradient[(i, k)]).collect();
                assert_close(name, &found, &expected, 1e-7);
            }
        }
    }
}

#[test]
fn the_error_of_the_features_falls_as_their_root() {
    let x = elsewhere(8);
    for kernel in kernels(3) {
        for (name, posterior) in posteriors(&kernel) {
            let own = posterior.covariance(x.as_ref()).unwrap();
            let error = |count: usize, slot: u64| {
                let features =
                    Features::draw(&kernel, 3, count, &mut stream(0, Purpose::Frequencies, 0, slot)).unwrap();
                (covariance(&posterior, x.as_ref(), |x| features.matrix(x)) - &own).squared_norm_l2()
            };
            let rms =
                |count: usize| ((0..20).map(|slot| error(count, slot)).sum::<f64>() / 20.0).sqrt() / own.norm_l2();
            let (few, many) = (rms(100), rms(10_000));
            let ratio = few / many;
            assert!((6.0..16.0).contains(&ratio), "{name}: {few} at 100 features, {many} at 10,000");
            assert!(many < 0.1, "{name}: {many}");
        }
    }
}

#[test]
fn features_average_to_the_kernel() {
    const COUNT: usize = 200_000;
    // Close, off the axes and far; distances are of the order of the length scales.
    let steps = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.3, 0.35, 0.4], [-0.5, 0.6, 0.7]];
    let x = Mat::from_fn(1, 3, |_, k| 0.2 + 0.1 * k as f64);
    for kernel in kernels(3) {
        let features = Features::draw(&kernel, 3, COUNT, &mut stream(1, Purpose::Frequencies, 0, 0)).unwrap();
        let phi = features.matrix(x.as_ref());
        for step in steps {
            let moved = Mat::from_fn(1, 3, |_, k| x[(0, k)] + step[k]);
            let other = features.matrix(moved.as_ref());
            let products: Vec<f64> = (0..COUNT).map(|f| COUNT as f64 * phi[(0, f)] * other[(0, f)]).collect();
            // Exact features follow the random ones.
            let exact: f64 = (COUNT..features.count()).map(|f| phi[(0, f)] * other[(0, f)]).sum();
            let expected = kernel.matrix(x.as_ref(), moved.as_ref())[(0, 0)] - exact;
            assert_mean(&format!("{kernel:?} {step:?}"), &products, expected);
        }
    }
}

#[test]
fn a_matern_is_not_a_product_over_its_inputs() {
    const COUNT: usize = 200_000;
    let at = |a: f64, b: f64| Mat::from_fn(1, 2, |_, k| [a, b][k]);
    for family in [Family::Matern12, Family::Matern32, Family::Matern52] {
        let kernel = Kernel::stationary(family, 1.0, 1.0, 2);
        let omega = kernel.spectrum(2, COUNT, &mut stream(2, Purpose::Frequencies, 0, 0)).unwrap().frequencies;
        let cosines: Vec<f64> = (0..COUNT).map(|f| (1.5 * (omega[(0, f)] + omega[(1, f)])).cos()).collect();
        let k = |a, b| kernel.matrix(at(0.0, 0.0).as_ref(), at(a, b).as_ref())[(0, 0)];
        let error = assert_mean("off the axes", &cosines, k(1.5, 1.5));
        assert!((k(1.5, 0.0) * k(0.0, 1.5) - k(1.5, 1.5)).abs() > 3.0 * SIGMAS * error, "{family:?}: no power");
    }
}

#[test]
fn a_path_depends_on_its_key_and_number_alone() {
    let kernel = Kernel::cold(Family::Matern52, 3);
    let x = elsewhere(40);
    let settings = SamplingOptions { features: 30, block: 4 };
    for (name, posterior) in posteriors(&kernel) {
        let values = |numbers, seed, step| {
            let paths = Paths::draw(&posterior, numbers, &settings, StepRng { seed, step }).unwrap();
            paths.values(x.as_ref()).unwrap()
        };
        let base = values(0..10, 1, 1);
        assert_eq!(base, values(0..10, 1, 1), "{name}");
        // The middle of the same list, cut elsewhere.
        let middle = values(3..9, 1, 1);
        assert_close(name, &flat(middle.as_ref()), &flat(base.as_ref().subcols(3, 6)), 1e-11);
        let paths = Paths::draw(&posterior, 0..10, &settings, StepRng { seed: 1, step: 1 }).unwrap();
        for path in [0, 3, 4, 9] {
            let alone = paths.only(path).unwrap();
            let values = alone.values(x.as_ref()).unwrap();
            assert_close(name, &flat(values.as_ref()), &flat(base.as_ref().subcols(path, 1)), 1e-11);
            let (_, slopes) = alone.value_gradient(&[0; 40], x.as_ref()).unwrap();
            let (_, expected) = paths.value_gradient(&[path; 40], x.as_ref()).unwrap();
            assert_close(name, &flat(slopes.as_ref()), &flat(expected.as_ref()), 1e-10);
        }
        assert!(matches!(paths.only(10), Err(Error::Parameter { .. })));
        let distance = |other: &Mat| (0..10).map(|j| (base.col(j) - other.col(j)).norm_max()).fold(9.0, f64::min);
        for other in [values(0..10, 2, 1), values(0..10, 1, 2), values(10..20, 1, 1)] {
            assert!(distance(&other) > 1e-3, "{name}: {}", distance(&other));
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let kernel = Kernel::cold(Family::Matern32, 3);
    let (x, elements) = (points(1500, 3), (0..1500).map(|i| i % 90).collect::<Vec<_>>());
    for (name, posterior) in posteriors(&kernel) {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let paths = Paths::draw(
                    &posterior,
                    0..90,
                    &SamplingOptions { features: 50, block: 40 },
                    StepRng { seed: 1, step: 1 },
                )
                .unwrap();
                (paths.values(x.as_ref()).unwrap(), paths.value_gradient(&elements, x.as_ref()).unwrap())
            })
        };
        assert!(run(1) == run(3), "{name}");
    }
}

#[test]
fn the_smallest_cases_work() {
    let kernel = Kernel::cold(Family::Rbf, 1);
    let hyper = Hyperparameters { kernel, mean: 2.0, noise: 0.01 };
    let data = Dataset::new(Mat::from_fn(1, 1, |_, _| 0.5), vec![3.0]).unwrap();
    let sparse = Sgpr::new(&hyper, &data, data.x()).unwrap().infer().unwrap().posterior;
    for posterior in [exact::infer(&hyper, &data).unwrap().posterior, sparse] {
        let paths =
            Paths::draw(&posterior, 0..1, &SamplingOptions { features: 1, block: 1 }, StepRng { seed: 0, step: 0 })
                .unwrap();
        assert_eq!((paths.len(), paths.dimension(), paths.is_empty()), (1, 1, false));
        // At the datum the path is what was observed, give or take the noise.
        let value = paths.values(data.x()).unwrap()[(0, 0)];
        assert!((value - 3.0).abs() < 0.5, "{value}");
        let none = Mat::zeros(0, 1);
        assert_eq!(paths.values(none.as_ref()).unwrap().nrows(), 0);
        assert!(paths.value_gradient(&[], none.as_ref()).unwrap().0.is_empty());
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let (_, posterior) = posteriors(&Kernel::cold(Family::Rbf, 3)).swap_remove(0);
    let draw = |numbers, features, block| {
        Paths::draw(&posterior, numbers, &SamplingOptions { features, block }, StepRng { seed: 0, step: 0 })
    };
    assert!(matches!(draw(0..2, 0, 1), Err(Error::Parameter { name, .. }) if name.contains("features")));
    assert!(matches!(draw(0..2, 1, 0), Err(Error::Parameter { name, .. }) if name.contains("block")));
    assert!(matches!(draw(2..2, 1, 1), Err(Error::Empty { .. })));

    let paths = draw(0..2, 5, 2).unwrap();
    let x = points(4, 3);
    assert!(matches!(paths.values(points(4, 2).as_ref()), Err(Error::Shape { found: 2, expected: 3, .. })));
    assert!(matches!(paths.value_gradient(&[0], x.as_ref()), Err(Error::Shape { found: 1, expected: 4, .. })));
    assert!(matches!(paths.value_gradient(&[0, 1, 2, 0], x.as_ref()), Err(Error::Parameter { value: 2.0, .. })));
    let holes = Mat::from_fn(4, 3, |i, k| if i == 2 { f64::NAN } else { x[(i, k)] });
    assert!(matches!(paths.values(holes.as_ref()), Err(Error::NonFinite { row: 2, .. })));

    let features = || Features::draw(posterior.kernel(), 3, 5, &mut stream(0, Purpose::Frequencies, 0, 0)).unwrap();
    let (m, from) = (posterior.w().len(), |draws| Paths::from_draws(&posterior, vec![draws]).map(|_| ()));
    let wrong = [((6, 2), (m, 2)), ((5, 2), (m + 1, 2)), ((5, 2), (m, 3))];
    for (theta, epsilon) in wrong {
        let (theta, epsilon) = (Mat::zeros(theta.0, theta.1), Mat::zeros(epsilon.0, epsilon.1));
        assert!(matches!(from(Draws { features: features(), theta, epsilon }), Err(Error::Shape { .. })));
    }
    let factors = |input, rows, count| vec![Factors { input, values: Mat::zeros(rows, count) }];
    assert!(features().with_factors(factors(2, 4, 5)).is_ok());
    assert!(matches!(features().with_factors(factors(2, 4, 6)), Err(Error::Shape { found: 6, expected: 5, .. })));
    assert!(features().with_factors(factors(2, 0, 5)).is_err());
    assert!(matches!(features().with_factors(factors(3, 4, 5)), Err(Error::Parameter { value: 3.0, .. })));
    assert!(matches!(Features::new(Mat::zeros(3, 2).as_ref(), &[0.0], 1.0), Err(Error::Shape { .. })));
    assert!(matches!(Features::new(Mat::zeros(3, 0).as_ref(), &[], 1.0), Err(Error::Empty { .. })));
}

#[test]
fn settings_are_words() {
    let settings: SamplingOptions = serde_json::from_str(r#"{"features": 100}"#).unwrap();
    assert_eq!(settings, SamplingOptions { features: 100, ..SamplingOptions::default() });
    assert!(serde_json::from_str::<SamplingOptions>(r#"{"feature": 100}"#).is_err());
}

/// One posterior of each model on the same 18 points; the exact one has two levels of noise.
fn posteriors(kernel: &Kernel) -> Vec<(&'static str, Posterior)> {
    let x = points(18, 3);
    let y = outcomes(x.as_ref());
    let noise = (0..18).map(|i| (i % 3 == 0).then_some(0.3)).collect();
    let data = Dataset::new(x.clone(), y).unwrap().with_known_noise(noise).unwrap();
    let hyper = Hyperparameters { kernel: kernel.clone(), mean: 0.3, noise: 0.07 };
    let z = select_rows(x.as_ref(), &[1, 4, 6, 9, 12, 15, 17]);
    let z = Mat::from_fn(z.nrows(), 3, |i, k| z[(i, k)] + 0.02);
    let sgpr = Sgpr::new(&hyper, &data, z.as_ref()).unwrap().infer().unwrap().posterior;
    // A q that no data suggested: its root is not that of SGPR, nor near diagonal.
    let m = z.nrows();
    let sqrt = Mat::from_fn(m, m, |i, j| if i < j { 0.0 } else { 0.6 / (1 + i - j) as f64 });
    let q = Variational::new((0..m).map(|j| (j as f64).sin()).collect(), sqrt).unwrap();
    let svgp = Svgp::new(&hyper, &data, z.as_ref(), Likelihood::Gaussian).unwrap().posterior(&q).unwrap();
    vec![("exact", exact::infer(&hyper, &data).unwrap().posterior), ("SGPR", sgpr), ("SVGP", svgp)]
}

/// Points that are none of the data, some of them outside the cube.
fn elsewhere(n: usize) -> Mat {
    let x = points(n + 100, 3);
    Mat::from_fn(n, 3, |i, k| 1.2 * x[(i + 100, k)] - 0.1)
}

fn lower(a: &Mat) -> Mat {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| if i < j { 0.0 } else { a[(i, j)] })
}

/// √(2s²/F) cos(ωᵀx + b) Πⱼ gⱼ(xⱼ) by its definition, [n, F].
fn naive_features(kernel: &Kernel, count: usize, rng: &mut ChaCha8Rng, x: MatRef<'_>) -> Mat {
    let spectrum = kernel.spectrum(x.ncols(), count, rng).unwrap();
    let b: Vec<f64> = (0..count).map(|_| TAU * uniform(rng)).collect();
    let s2 = kernel.diagonal(x.subrows(0, 1))[0];
    let omega = &spectrum.frequencies;
    let factor = |Factors { input, values }: &Factors, i: usize, f: usize| {
        values[(x[(i, *input)].round().clamp(0.0, values.nrows() as f64 - 1.0) as usize, f)]
    };
    let angle = |i: usize, f: usize| {
        let shifts = spectrum.shifts.iter().map(|own| factor(own, i, f)).sum::<f64>();
        (0..x.ncols()).map(|k| omega[(k, f)] * x[(i, k)]).sum::<f64>() + b[f] + shifts
    };
    let factors = |i: usize, f: usize| spectrum.factors.iter().map(|own| factor(own, i, f)).product::<f64>();
    Mat::from_fn(x.nrows(), count, |i, f| (2.0 * s2 / count as f64).sqrt() * angle(i, f).cos() * factors(i, f))
}

/// C Cᵀ + A V Vᵀ Aᵀ with dense inverses, C = Φ(x) − A L⁻¹Φ(Z) and A = k(x, Z)L⁻ᵀ.
fn covariance(posterior: &Posterior, x: MatRef<'_>, phi: impl Fn(MatRef<'_>) -> Mat) -> Mat {
    let inverse = invert_lower(posterior.l());
    let a = posterior.kernel().matrix(x, posterior.z()) * inverse.transpose();
    let c = phi(x) - &a * &inverse * phi(posterior.z());
    let v = match posterior.inducing_covariance() {
        InducingCovariance::Noise(sigma) => Mat::from_fn(sigma.len(), sigma.len(), |i, j| inverse[(i, j)] * sigma[j]),
        InducingCovariance::Root(root) => root.clone(),
    };
    let av = &a * &v;
    &c * c.transpose() + &av * av.transpose()
}

/// Asserts that the average agrees with what is expected of it; returns its standard error.
fn assert_mean(what: &str, values: &[f64], expected: f64) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let error = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count / count).sqrt();
    assert!((mean - expected).abs() <= SIGMAS * error, "{what}: {mean} ± {error}, expected {expected}");
    error
}
