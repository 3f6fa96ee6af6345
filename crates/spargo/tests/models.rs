//! Gradients by central differences, approximations by equivalence, and data that usually break things.

mod common;

use common::*;
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, MatRef, select_rows};
use spargo::model::sgpr::{Jitter, Sgpr};
use spargo::model::{Hyperparameters, exact};

fn hypers(d: usize) -> Vec<Hyperparameters> {
    kernels(d).into_iter().map(|kernel| Hyperparameters { kernel, mean: 0.3, noise: 0.07 }).collect()
}

#[test]
fn likelihood_gradients_hold_for_every_kernel() {
    for data in [data(30, 3), data_with_known_noise(30, 3)] {
        for hyper in hypers(3) {
            let value = |theta: &[f64]| {
                let mut hyper = hyper.clone();
                hyper.set_vector(theta);
                exact::log_likelihood(&hyper, &data).unwrap()
            };
            let found = exact::log_likelihood_gradient(&hyper, &data).unwrap().gradient;
            assert_close("exact", &found, &central_differences(&hyper.to_vector(), value), 1e-7);
        }
    }
}

#[test]
fn bound_gradients_hold_for_every_kernel() {
    for data in [data(40, 3), data_with_known_noise(40, 3)] {
        let z = select_rows(data.x(), &[1, 5, 9, 14, 20, 33]);
        for hyper in hypers(3) {
            let with = |theta: &[f64]| {
                let mut hyper = hyper.clone();
                hyper.set_vector(theta);
                Sgpr { hyper: &hyper, data: &data, z: z.as_ref(), jitter: Jitter::Fixed(0.0) }.bound().unwrap()
            };
            let theta = hyper.to_vector();
            let sgpr = Sgpr { hyper: &hyper, data: &data, z: z.as_ref(), jitter: Jitter::Fixed(0.0) };
            let found = sgpr.bound_gradient().unwrap().gradient;
            assert_close("bound", &found, &central_differences(&theta, with), 1e-7);
        }
    }
}

#[test]
fn all_data_as_inducing_points_give_the_exact_gp() {
    for data in [data(40, 3), data_with_known_noise(40, 3)] {
        for hyper in hypers(3) {
            let sgpr = Sgpr { hyper: &hyper, data: &data, z: data.x(), jitter: Jitter::Fixed(0.0) };
            let likelihood = exact::log_likelihood(&hyper, &data).unwrap();
            assert_close("bound", &[sgpr.bound().unwrap()], &[likelihood], 1e-9);
            let at = points(60, 3);
            let (sparse, full) = (sgpr.infer().unwrap().posterior, exact::infer(&hyper, &data).unwrap().posterior);
            let (found, expected) = (sparse.predict(at.as_ref()).unwrap(), full.predict(at.as_ref()).unwrap());
            assert_close("mean", &found.mean, &expected.mean, 1e-8);
            assert_close("variance", &found.variance, &expected.variance, 1e-8);
            let (found, expected) = (sparse.covariance(at.as_ref()).unwrap(), full.covariance(at.as_ref()).unwrap());
            assert_close("covariance", &flat(found.as_ref()), &flat(expected.as_ref()), 1e-8);
        }
    }
}

#[test]
fn the_bound_is_below_the_likelihood() {
    for data in [data(60, 2), data_with_known_noise(60, 2)] {
        let z = select_rows(data.x(), &[2, 11, 23, 42, 58]);
        for hyper in hypers(2) {
            let likelihood = exact::log_likelihood(&hyper, &data).unwrap();
            let sgpr = Sgpr::new(&hyper, &data, z.as_ref()).unwrap();
            assert!(sgpr.bound().unwrap() < likelihood);
        }
    }
}

/// Formula by formula, with dense matrices and no blocks.
#[test]
fn the_bound_is_its_formula() {
    let data = data_with_known_noise(1300, 2);
    let z = select_rows(data.x(), &[2, 211, 523, 642, 958]);
    for hyper in hypers(2) {
        let kzz = hyper.kernel.matrix(z.as_ref(), z.as_ref());
        let kzx = hyper.kernel.matrix(z.as_ref(), data.x());
        let inverse = spargo::linalg::inverse_from_cholesky(spargo::linalg::cholesky(kzz, 0.0).unwrap().l.as_ref());
        let q = kzx.transpose() * &inverse * &kzx;
        let noise = data.noise(hyper.noise);
        let diagonal = hyper.kernel.diagonal(data.x());
        let trace: f64 = (0..data.len()).map(|i| (diagonal[i] - q[(i, i)]) / noise[i]).sum();
        let covariance = Mat::from_fn(data.len(), data.len(), |i, j| q[(i, j)] + if i == j { noise[i] } else { 0.0 });
        let factor = spargo::linalg::cholesky(covariance, 0.0).unwrap();
        let r: Vec<f64> = data.y().iter().map(|y| y - hyper.mean).collect();
        let w = spargo::linalg::solve_lower_vec(factor.l.as_ref(), &r);
        let constant = data.len() as f64 * (2.0 * std::f64::consts::PI).ln();
        let naive = -0.5 * (spargo::linalg::norm2(&w) + factor.log_determinant() + constant + trace);
        let found = Sgpr { hyper: &hyper, data: &data, z: z.as_ref(), jitter: Jitter::Fixed(0.0) }.bound().unwrap();
        assert_close("bound", &[found], &[naive], 1e-10);
    }
}

/// The jitter moves with the signal variance, and the objective that is searched has it in.
#[test]
fn gradients_count_the_default_jitter() {
    let data = data(60, 2);
    let z = select_rows(data.x(), &(0..30).collect::<Vec<_>>());
    // Long length scales and little noise: there the jitter matters most. With still longer ones, or less noise, rounding is
    // magnified to 1e-6 of the gradient, and depends on how many threads add up the rows.
    let kernel = Kernel::stationary(Family::Matern52, 1.3, 2.0, 2);
    let hyper = Hyperparameters { kernel, mean: 0.1, noise: 1e-3 };
    let bound = |theta: &[f64]| {
        let mut hyper = hyper.clone();
        hyper.set_vector(theta);
        Sgpr::new(&hyper, &data, z.as_ref()).unwrap().bound().unwrap()
    };
    let expected = central_differences(&hyper.to_vector(), bound);
    let found = Sgpr::new(&hyper, &data, z.as_ref()).unwrap().bound_gradient().unwrap().gradient;
    assert_close("relative jitter", &found, &expected, 1e-6);
    let fixed = Sgpr { jitter: Jitter::Fixed(1.3e-8), ..Sgpr::new(&hyper, &data, z.as_ref()).unwrap() };
    assert!((fixed.bound_gradient().unwrap().gradient[0] - expected[0]).abs() > 5e-5 * expected[0].abs());
}

/// I + AAᵀ has eigenvalues from 1 to 1e14 here, and none of them may be jittered away.
#[test]
fn nearly_noise_free_data_leave_the_prior_variance_far_away() {
    let x = Mat::from_fn(400, 1, |i, _| i as f64 / 800.0);
    let y = (0..400).map(|i| (i as f64 / 80.0).sin()).collect();
    let data = Dataset::new(x, y).unwrap();
    let z = select_rows(data.x(), &(0..400).step_by(8).collect::<Vec<_>>());
    let hyper = Hyperparameters { kernel: Kernel::stationary(Family::Matern52, 1.0, 0.1, 1), mean: 0.0, noise: 1e-12 };
    let posterior = Sgpr::new(&hyper, &data, z.as_ref()).unwrap().infer().unwrap().posterior;
    let far = Mat::from_fn(1, 1, |_, _| 0.75);
    let variance = posterior.predict(far.as_ref()).unwrap().variance[0];
    assert!((0.95..1.0).contains(&variance), "{variance}");
}

#[test]
fn points_far_from_all_data_get_the_prior() {
    let data = data(20, 2);
    let far = Mat::from_fn(2, 2, |i, _| [1e200, -1e300][i]);
    for kernel in vanishing_kernels(2) {
        let hyper = Hyperparameters { kernel, mean: 0.3, noise: 0.07 };
        let posterior = exact::infer(&hyper, &data).unwrap().posterior;
        let prediction = posterior.predict(far.as_ref()).unwrap();
        assert_eq!(prediction.mean, [hyper.mean; 2]);
        assert_close("variance", &prediction.variance, &hyper.kernel.diagonal(far.as_ref()), 1e-15);
        assert!(flat(mean_gradient(&posterior, far.as_ref()).as_ref()).iter().all(|g| *g == 0.0));
    }
}

#[test]
fn views_of_any_layout_give_the_same() {
    let data = data(30, 2);
    let at = points(7, 2);
    let rows: Vec<f64> = flat(at.as_ref());
    let row_major = MatRef::from_row_major_slice(&rows, 7, 2);
    for hyper in hypers(2) {
        let posterior = Sgpr::new(&hyper, &data, row_major).unwrap().infer().unwrap().posterior;
        let same = Sgpr::new(&hyper, &data, at.as_ref()).unwrap().infer().unwrap().posterior;
        assert_eq!(posterior.predict(row_major).unwrap(), same.predict(at.as_ref()).unwrap());
        assert_eq!(posterior.mean(row_major).unwrap(), same.mean(at.as_ref()).unwrap());
        assert_eq!(mean_gradient(&posterior, row_major), mean_gradient(&same, at.as_ref()));
        assert_eq!(posterior.covariance(row_major).unwrap(), same.covariance(at.as_ref()).unwrap());
    }
}
