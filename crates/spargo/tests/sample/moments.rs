//! Moments over paths: given their frequencies, over frequencies, and over the paths of one call.

use super::*;

#[test]
fn moments_given_the_frequencies_are_those_in_closed_form() {
    const COUNT: usize = 20_000;
    let plain = Stationary { family: Family::Matern52, variance: 1.3, lengthscales: vec![0.4, 0.5, 0.7] };
    let sum = Kernel::sum(vec![categories(0, 3, 0.8), mixed_kernel(3)]);
    for kernel in [Kernel::Stationary(plain), mixed_kernel(3), sum] {
        for (name, posterior) in posteriors(&kernel) {
            let settings = SamplingOptions { features: 25, block: COUNT };
            let paths = Paths::draw(&posterior, 0..COUNT, &settings, StepRng { seed: 11, step: 2 }).unwrap();
            let x = elsewhere(6);
            let phi = |x: MatRef<'_>| naive_features(&kernel, 25, &mut stream(11, Purpose::Frequencies, 2, 0), x);
            let expected = covariance(&posterior, x.as_ref(), phi);
            // The features must matter, or the test would not see them.
            let own = posterior.covariance(x.as_ref()).unwrap();
            assert!((&expected - &own).norm_max() > 0.1, "{name}: {}", (&expected - &own).norm_max());
            assert_moments(name, &paths, x.as_ref(), &posterior.mean(x.as_ref()).unwrap(), &expected);
        }
    }
}

#[test]
fn moments_over_frequencies_are_those_of_the_posterior() {
    const COUNT: usize = 20_000;
    for kernel in kernels(3) {
        for (name, posterior) in posteriors(&kernel) {
            // Every path has frequencies of its own, so their average is the kernel itself, however few they are.
            let paths = Paths::draw(
                &posterior,
                0..COUNT,
                &SamplingOptions { features: 3, block: 1 },
                StepRng { seed: 5, step: 0 },
            )
            .unwrap();
            let x = elsewhere(4);
            let (mean, covariance) = (posterior.mean(x.as_ref()).unwrap(), posterior.covariance(x.as_ref()).unwrap());
            assert_moments(name, &paths, x.as_ref(), &mean, &covariance);
        }
    }
}

/// The variance over N paths, in groups of B that share frequencies, has the sampling error [2(V² + τ²) + Bτ²]/N: V is the exact
/// variance, τ² the variance over frequencies of a group's own. Squared errors in units of that for B = 25 are 1 on average, for
/// larger groups more.
#[test]
fn moments_over_the_paths_of_one_call_are_those_of_the_posterior() {
    const COUNT: usize = 4000;
    // Few, so that groups differ.
    const FEATURES: usize = 5;
    const CALLS: u64 = 8;
    let x = elsewhere(8);
    let x = x.as_ref();
    let plain = Stationary { family: Family::Matern52, variance: 1.3, lengthscales: vec![0.4, 0.5, 0.7] };
    let mut cases = Vec::new();
    for kernel in [Kernel::Stationary(plain), mixed_kernel(3)] {
        for (name, posterior) in posteriors(&kernel) {
            let exact = posterior.predict(x).unwrap();
            let mut spread = [0.0; 8];
            for slot in 0..300 {
                let features =
                    Features::draw(&kernel, 3, FEATURES, &mut stream(8, Purpose::Frequencies, 0, slot)).unwrap();
                let own = covariance(&posterior, x, |x| features.matrix(x));
                (0..8).for_each(|i| spread[i] += (own[(i, i)] - exact.variance[i]).powi(2) / 300.0);
            }
            cases.push((name, posterior, exact, spread));
        }
    }
    let squared_error = |block: usize| {
        let mut errors = Vec::new();
        for ((name, posterior, exact, spread), step) in cases.iter().flat_map(|case| (0..CALLS).map(move |s| (case, s)))
        {
            let settings = SamplingOptions { features: FEATURES, block };
            let paths = Paths::draw(posterior, 0..COUNT, &settings, StepRng { seed: 4, step }).unwrap();
            let values = paths.values(x).unwrap();
            for i in 0..8 {
                let centred: Vec<f64> = (0..COUNT).map(|j| values[(i, j)] - exact.mean[i]).collect();
                assert_mean(&format!("{name}: mean {i}"), &centred, 0.0);
                let variance = centred.iter().map(|v| v * v).sum::<f64>() / COUNT as f64;
                let sampling = 2.0 * (exact.variance[i].powi(2) + spread[i]) + 25.0 * spread[i];
                errors.push((variance - exact.variance[i]).powi(2) * COUNT as f64 / sampling);
            }
        }
        errors.iter().sum::<f64>() / errors.len() as f64
    };
    let (found, in_hundreds) = (squared_error(SamplingOptions::default().block), squared_error(100));
    assert!(found < 1.5, "{found}, in groups of 100 {in_hundreds}");
    assert!(in_hundreds > 1.5, "no power: {in_hundreds}, {found}");
}

/// Asserts that the paths have this mean and covariance at x, to the standard errors found in the sample itself.
fn assert_moments(name: &str, paths: &Paths, x: MatRef<'_>, mean: &[f64], covariance: &Mat) {
    let values = paths.values(x).unwrap();
    let centred = |i: usize| (0..paths.len()).map(|j| values[(i, j)] - mean[i]).collect::<Vec<_>>();
    let centred: Vec<Vec<f64>> = (0..x.nrows()).map(centred).collect();
    for i in 0..x.nrows() {
        assert_mean(&format!("{name}: mean {i}"), &centred[i], 0.0);
        for j in 0..=i {
            let products: Vec<f64> = centred[i].iter().zip(&centred[j]).map(|(a, b)| a * b).collect();
            assert_mean(&format!("{name}: covariance {i}, {j}"), &products, covariance[(i, j)]);
        }
    }
}
