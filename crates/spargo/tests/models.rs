//! Gradients by central differences, approximations by equivalence, and data that usually break things.

mod common;

use common::*;
use spargo::kernel::Covariance;
use spargo::linalg::{Mat, select_rows};
use spargo::model::sgpr::Sgpr;
use spargo::model::{Hyperparameters, Posterior, exact};

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
            let with = |theta: &[f64], z: &Mat<f64>| {
                let mut hyper = hyper.clone();
                hyper.set_vector(theta);
                Sgpr { hyper: &hyper, data: &data, z: z.as_ref(), jitter: 0.0 }.bound().unwrap()
            };
            let theta = hyper.to_vector();
            let sgpr = Sgpr { hyper: &hyper, data: &data, z: z.as_ref(), jitter: 0.0 };
            let found = sgpr.bound_gradient().unwrap().gradient;
            assert_close("bound", &found, &central_differences(&theta, |theta| with(theta, &z)), 1e-7);
            // Inducing points that coincide with data sit on the kink of Matérn-1/2, so they are moved off.
            let z = Mat::from_fn(z.nrows(), z.ncols(), |i, k| z[(i, k)] + 0.03);
            let sgpr = Sgpr { z: z.as_ref(), ..sgpr };
            let moved = |flat: &[f64]| with(&theta, &Mat::from_fn(z.nrows(), 3, |i, k| flat[i * 3 + k]));
            let expected = central_differences(&flat(z.as_ref()), moved);
            assert_close("inducing points", &flat(sgpr.inducing_gradient().unwrap().as_ref()), &expected, 1e-6);
        }
    }
}

#[test]
fn posterior_gradients_hold_for_every_kernel() {
    let data = data(25, 2);
    let z = select_rows(data.x(), &[0, 3, 8, 13, 21]);
    let at = Mat::from_fn(4, 2, |i, k| 0.11 + 0.2 * i as f64 + 0.07 * k as f64);
    for hyper in hypers(2) {
        let sparse = Sgpr::new(&hyper, &data, z.as_ref()).unwrap().infer().unwrap().posterior;
        for posterior in [exact::infer(&hyper, &data).unwrap().posterior, sparse] {
            let along = |value: &dyn Fn(&Posterior, &Mat<f64>) -> Vec<f64>| {
                let total = |flat: &[f64]| {
                    let x = Mat::from_fn(4, 2, |i, k| flat[i * 2 + k]);
                    // Each point moves only its own value, so the sum has every gradient.
                    value(&posterior, &x).iter().sum::<f64>()
                };
                central_differences(&flat(at.as_ref()), total)
            };
            let mean = along(&|p, x| p.mean(x.as_ref()).unwrap());
            assert_close("mean", &flat(posterior.mean_gradient(at.as_ref()).unwrap().as_ref()), &mean, 1e-6);
            let variance = along(&|p, x| p.predict(x.as_ref()).unwrap().variance);
            let found = posterior.variance_gradient(at.as_ref()).unwrap();
            assert_close("variance", &flat(found.as_ref()), &variance, 1e-6);
        }
    }
}

#[test]
fn all_data_as_inducing_points_give_the_exact_gp() {
    for data in [data(40, 3), data_with_known_noise(40, 3)] {
        for hyper in hypers(3) {
            let sgpr = Sgpr { hyper: &hyper, data: &data, z: data.x(), jitter: 0.0 };
            let likelihood = exact::log_likelihood(&hyper, &data).unwrap();
            assert_close("bound", &[sgpr.bound().unwrap()], &[likelihood], 1e-9);
            assert_close("upper bound", &[sgpr.upper_bound().unwrap()], &[likelihood], 1e-8);
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
fn the_bounds_bracket_the_likelihood() {
    for data in [data(60, 2), data_with_known_noise(60, 2)] {
        let z = select_rows(data.x(), &[2, 11, 23, 42, 58]);
        for hyper in hypers(2) {
            let likelihood = exact::log_likelihood(&hyper, &data).unwrap();
            let sgpr = Sgpr::new(&hyper, &data, z.as_ref()).unwrap();
            assert!(sgpr.bound().unwrap() < likelihood && likelihood < sgpr.upper_bound().unwrap());
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
        let found = Sgpr { hyper: &hyper, data: &data, z: z.as_ref(), jitter: 0.0 }.bound().unwrap();
        assert_close("bound", &[found], &[naive], 1e-10);
    }
}

#[test]
fn a_posterior_survives_serialisation() {
    let data = data(20, 2);
    let z = select_rows(data.x(), &[0, 7, 15]);
    for hyper in hypers(2) {
        let sparse = Sgpr::new(&hyper, &data, z.as_ref()).unwrap().infer().unwrap().posterior;
        for posterior in [exact::infer(&hyper, &data).unwrap().posterior, sparse] {
            let text = serde_json::to_string(&posterior).unwrap();
            let again: Posterior = serde_json::from_str(&text).unwrap();
            let at = points(9, 2);
            assert_eq!(again.predict(at.as_ref()).unwrap(), posterior.predict(at.as_ref()).unwrap());
        }
    }
}
