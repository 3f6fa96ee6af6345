//! The variational model: against GPflow's numbers, against the exact and the collapsed model, and by differences.

mod common;

use common::*;
use serde_json::Value;
use spargo::data::Dataset;
use spargo::linalg::{
    Mat, MatRef, cholesky, invert_lower, mat_vec, select_rows, solve_lower_transposed, solve_lower_transposed_vec,
};
use spargo::model::sgpr::{Jitter, Sgpr};
use spargo::model::svgp::{Svgp, Variational};
use spargo::model::{Hyperparameters, InducingCovariance, Likelihood, exact};
use spargo::rng::{Purpose, distinct_indices, stream};

const LIKELIHOODS: [Likelihood; 3] =
    [Likelihood::Gaussian, Likelihood::Bernoulli, Likelihood::Mislabelled { rate: 0.02 }];

/// One golden file with q already whitened.
struct Golden {
    file: Value,
    hyper: Hyperparameters,
    data: Dataset,
    z: Mat,
    likelihood: Likelihood,
    jitter: f64,
}

impl Golden {
    fn read(name: &str) -> Self {
        let file = golden(name);
        let noise = file["noise_variance"].as_f64().unwrap_or(1.0);
        Golden {
            hyper: Hyperparameters { kernel: kernel(&file), mean: number(&file["constant_mean"]), noise },
            data: Dataset::new(matrix(&file["X"]), vector(&file["y"])).unwrap(),
            z: matrix(&file["Z"]),
            // GPflow's link is 1e-3 + (1 − 2e-3)Φ.
            likelihood: match file["likelihood"].as_str() {
                Some("gaussian") => Likelihood::Gaussian,
                _ => Likelihood::Mislabelled { rate: 1e-3 },
            },
            jitter: number(&file["jitter_on_Kuu"]),
            file,
        }
    }

    fn model<'a>(&'a self, hyper: &'a Hyperparameters) -> Svgp<'a> {
        Svgp::with_jitter(hyper, &self.data, self.z.as_ref(), self.likelihood, Jitter::Fixed(self.jitter)).unwrap()
    }

    /// chol(Kzz + jitter), [m, m].
    fn lzz(&self, hyper: &Hyperparameters) -> Mat {
        let kzz = hyper.kernel.matrix(self.z.as_ref(), self.z.as_ref());
        cholesky(kzz, self.jitter).unwrap().l
    }

    /// The file's q, read as whitened or as that of u itself: then w = L⁻¹m and S = L⁻¹S_u.
    fn q(&self, hyper: &Hyperparameters, section: &str) -> Variational {
        let (mu, sqrt) = (vector(&self.file["q_mu"]), matrix(&self.file["q_sqrt_lower"]));
        if section == "whiten_true" {
            return Variational::new(mu, sqrt).unwrap();
        }
        let inverse = invert_lower(self.lzz(hyper).as_ref());
        Variational::new(mat_vec(inverse.as_ref(), &mu), lower(&(&inverse * &sqrt))).unwrap()
    }
}

fn lower(a: &Mat) -> Mat {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| if i < j { 0.0 } else { a[(i, j)] })
}

const GOLDEN: [&str; 2] = ["svgp_gaussian", "svgp_bernoulli"];
const SECTIONS: [&str; 2] = ["whiten_true", "whiten_false"];

#[test]
fn values_and_predictions_agree_with_gpflow() {
    for golden in GOLDEN.map(Golden::read) {
        for section in SECTIONS {
            let expected = &golden.file[section];
            let (model, q) = (golden.model(&golden.hyper), golden.q(&golden.hyper, section));
            let one = |key: &str| [number(&expected[key])];
            assert_close("KL", &[q.kl()], &one("kl"), 1e-8);
            assert_close("ELBO", &[model.elbo(&q).unwrap()], &one("elbo"), 1e-8);
            assert_close("ELBO with gradient", &[model.elbo_gradient(&q).unwrap().value], &one("elbo"), 1e-8);
            let sum = model.elbo(&q).unwrap() + q.kl();
            assert_close("sum", &[sum], &one("sum_variational_expectations"), 1e-8);

            let posterior = model.posterior(&q).unwrap();
            let train = posterior.predict(golden.data.x()).unwrap();
            assert_close("train mean", &train.mean, &vector(&expected["train_f_mean"]), 1e-8);
            assert_close("train variance", &train.variance, &vector(&expected["train_f_var"]), 1e-8);
            let expectations: Vec<f64> = (0..golden.data.len())
                .map(|i| (golden.data.y()[i], train.mean[i], train.variance[i]))
                .map(|(y, m, v)| golden.likelihood.expectation(y, golden.hyper.noise, m, v).value)
                .collect();
            assert_close("expectations", &expectations, &vector(&expected["variational_expectations"]), 1e-8);

            let test = posterior.predict(matrix(&golden.file["X_test"]).as_ref()).unwrap();
            assert_close("mean", &test.mean, &vector(&expected["predict_f_mean"]), 1e-8);
            assert_close("variance", &test.variance, &vector(&expected["predict_f_var"]), 1e-8);
            let y = golden.likelihood.predict(&test, golden.hyper.noise);
            assert_close("mean of y", &y.mean, &vector(&expected["predict_y_mean"]), 1e-8);
            assert_close("variance of y", &y.variance, &vector(&expected["predict_y_var"]), 1e-8);

            let rows: Vec<usize> = (0..20).collect();
            let batch = golden.data.subset(&rows);
            let z = golden.z.as_ref();
            let model =
                Svgp::with_jitter(&golden.hyper, &batch, z, golden.likelihood, Jitter::Fixed(golden.jitter)).unwrap();
            let found = model.out_of(60).elbo(&q).unwrap();
            assert_close("batch", &[found], &one("elbo_minibatch_first20_numdata60"), 1e-8);
        }
    }
}

#[test]
fn quadrature_is_near_the_exact_expectation() {
    let golden = Golden::read("svgp_bernoulli");
    for section in SECTIONS {
        let q = golden.q(&golden.hyper, section);
        for (likelihood, key) in [
            (golden.likelihood, "exact_sum_variational_expectations_with_1e-3_link"),
            (Likelihood::Bernoulli, "exact_sum_variational_expectations_pure_probit"),
        ] {
            let z = golden.z.as_ref();
            let model =
                Svgp::with_jitter(&golden.hyper, &golden.data, z, likelihood, Jitter::Fixed(golden.jitter)).unwrap();
            let found = model.elbo(&q).unwrap() + q.kl();
            assert_close(key, &[found], &[number(&golden.file[section][key])], 3e-5);
        }
    }
}

#[test]
fn gradients_agree_with_gpflow() {
    for golden in GOLDEN.map(Golden::read) {
        for section in SECTIONS {
            let expected = &golden.file[section];
            let q = golden.q(&golden.hyper, section);
            let gradient = golden.model(&golden.hyper).elbo_gradient(&q).unwrap();

            // Unwhitened, w = L⁻¹m and S = L⁻¹S_u pull gradients back by L⁻ᵀ, and θ moves q through L.
            let (mut mu, mut sqrt, mut theta) = (gradient.mu, gradient.sqrt, gradient.theta);
            if section == "whiten_false" {
                let l = golden.lzz(&golden.hyper);
                mu = solve_lower_transposed_vec(l.as_ref(), &mu);
                solve_lower_transposed(l.as_ref(), sqrt.as_mut());
                sqrt = lower(&sqrt);
                theta = central_differences(&golden.hyper.to_vector(), |theta| {
                    let mut hyper = golden.hyper.clone();
                    hyper.set_vector(theta);
                    golden.model(&hyper).elbo(&golden.q(&hyper, section)).unwrap()
                });
            }
            assert_close("q_mu", &mu, &vector(&expected["grad_q_mu"]), 1e-6);
            let expected_sqrt = matrix(&expected["grad_q_sqrt_lower"]);
            assert_close("q_sqrt", &flat(sqrt.as_ref()), &flat(expected_sqrt.as_ref()), 1e-6);
            assert_close("variance", &theta[..1], &[number(&expected["grad_log_variance"])], 1e-6);
            assert_close("length scales", &theta[1..4], &vector(&expected["grad_log_lengthscales"]), 1e-6);
            match expected["grad_log_noise"].as_f64() {
                Some(noise) => assert_close("noise", &theta[4..5], &[noise], 1e-6),
                None => assert_eq!(theta[4], 0.0),
            }
        }
    }
}

/// The signs of the outcomes.
fn labels(n: usize, d: usize) -> Dataset {
    let x = points(n, d);
    let y = outcomes(x.as_ref()).into_iter().map(|y| f64::from(u8::from(y > 0.3))).collect();
    Dataset::new(x, y).unwrap()
}

fn data_for(likelihood: Likelihood, n: usize, d: usize) -> Vec<Dataset> {
    match likelihood {
        Likelihood::Gaussian => vec![data(n, d), data_with_known_noise(n, d)],
        _ => vec![labels(n, d)],
    }
}

fn hypers(d: usize) -> Vec<Hyperparameters> {
    kernels(d).into_iter().map(|kernel| Hyperparameters { kernel, mean: 0.3, noise: 0.07 }).collect()
}

/// A q without any symmetry.
fn some_q(m: usize) -> Variational {
    let mu = (0..m).map(|i| (1.7 * i as f64 + 0.3).sin()).collect();
    let sqrt = Mat::from_fn(m, m, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.4 + 0.1 * i as f64,
        std::cmp::Ordering::Greater => 0.3 * (2.1 * i as f64 - 3.3 * j as f64).sin(),
    });
    Variational::new(mu, sqrt).unwrap()
}

#[test]
fn elbo_gradients_hold_for_every_likelihood_and_kernel() {
    let m = 6;
    let q = some_q(m);
    for likelihood in LIKELIHOODS {
        for data in data_for(likelihood, 40, 3) {
            let z = select_rows(data.x(), &[1, 5, 9, 14, 20, 33]);
            for hyper in hypers(3) {
                // A batch out of 100: the weight must reach every gradient.
                let model = |hyper: &Hyperparameters, q: &Variational| {
                    let model = Svgp::with_jitter(hyper, &data, z.as_ref(), likelihood, Jitter::Fixed(0.0)).unwrap();
                    model.out_of(100).elbo(q).unwrap()
                };
                let svgp =
                    Svgp::with_jitter(&hyper, &data, z.as_ref(), likelihood, Jitter::Fixed(0.0)).unwrap().out_of(100);
                let found = svgp.elbo_gradient(&q).unwrap();
                let theta = central_differences(&hyper.to_vector(), |theta| {
                    let mut hyper = hyper.clone();
                    hyper.set_vector(theta);
                    model(&hyper, &q)
                });
                assert_close("θ", &found.theta, &theta, 1e-7);
                let mu = central_differences(q.mu(), |mu| {
                    model(&hyper, &Variational::new(mu.to_vec(), q.sqrt().to_owned()).unwrap())
                });
                assert_close("w", &found.mu, &mu, 1e-7);
                let elements: Vec<(usize, usize)> = (0..m).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
                let entries: Vec<f64> = elements.iter().map(|&at| q.sqrt()[at]).collect();
                let sqrt = central_differences(&entries, |entries| {
                    let mut sqrt = Mat::zeros(m, m);
                    elements.iter().zip(entries).for_each(|(&at, &value)| sqrt[at] = value);
                    model(&hyper, &Variational::new(q.mu().to_vec(), sqrt).unwrap())
                });
                let found: Vec<f64> = elements.iter().map(|&at| found.sqrt[at]).collect();
                assert_close("S", &found, &sqrt, 1e-7);
            }
        }
    }
}

/// Formula by formula, with dense matrices and no blocks.
#[test]
fn the_elbo_is_its_formula() {
    let q = some_q(5);
    for likelihood in LIKELIHOODS {
        for data in data_for(likelihood, 1300, 2) {
            let z = select_rows(data.x(), &[2, 211, 523, 642, 958]);
            for hyper in hypers(2) {
                let l = cholesky(hyper.kernel.matrix(z.as_ref(), z.as_ref()), 0.0).unwrap().l;
                let a = invert_lower(l.as_ref()) * hyper.kernel.matrix(z.as_ref(), data.x());
                let sqrt = q.sqrt();
                let covariance = Mat::<f64>::identity(5, 5) - sqrt * sqrt.transpose();
                let explained = a.transpose() * &covariance * &a;
                let fitted = mat_vec(a.transpose(), q.mu());
                let noise = data.noise(hyper.noise);
                let prior = hyper.kernel.matrix(data.x(), data.x());
                let one = |i: usize| {
                    let (mean, variance) = (hyper.mean + fitted[i], prior[(i, i)] - explained[(i, i)]);
                    likelihood.expectation(data.y()[i], noise[i], mean, variance).value
                };
                let sum: f64 = (0..data.len()).map(one).sum();
                let found = Svgp::with_jitter(&hyper, &data, z.as_ref(), likelihood, Jitter::Fixed(0.0)).unwrap();
                assert_close("ELBO", &[found.elbo(&q).unwrap()], &[sum - q.kl()], 1e-11);
            }
        }
    }
}

#[test]
fn one_natural_step_is_the_collapsed_model() {
    for data in [data(80, 3), data_with_known_noise(80, 3)] {
        let z = select_rows(data.x(), &[1, 5, 9, 14, 20, 33, 61]);
        for hyper in hypers(3) {
            let collapsed =
                Sgpr { hyper: &hyper, data: &data, z: z.as_ref(), jitter: Jitter::Fixed(0.0) }.infer().unwrap();
            let model = Svgp::with_jitter(&hyper, &data, z.as_ref(), Likelihood::Gaussian, Jitter::Fixed(0.0)).unwrap();
            for start in [some_q(7), Variational::prior(7)] {
                let q = model.natural_step(&start, 1.0).unwrap();
                assert_close("bound", &[model.elbo(&q).unwrap()], &[collapsed.objective], 1e-10);
                assert_close("w", q.mu(), collapsed.posterior.w(), 1e-10);
                // Roots are unique up to a rotation, covariances are unique.
                let InducingCovariance::Root(root) = collapsed.posterior.inducing_covariance() else {
                    panic!("a sparse model has a root")
                };
                let expected = root * root.transpose();
                let found = q.sqrt() * q.sqrt().transpose();
                assert_close("covariance", &flat(found.as_ref()), &flat(expected.as_ref()), 1e-10);
                // At the optimum nothing is left to gain.
                let gradient = model.elbo_gradient(&q).unwrap();
                let largest = gradient.mu.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
                assert!(largest < 1e-8 && gradient.sqrt.norm_max() < 1e-8, "{largest} {}", gradient.sqrt.norm_max());
                // A shorter step stays between.
                let half = model.elbo(&model.natural_step(&start, 0.5).unwrap()).unwrap();
                assert!(model.elbo(&start).unwrap() < half && half < collapsed.objective);
            }
        }
    }
}

#[test]
fn gradients_in_theta_at_the_optimal_q_are_those_of_the_collapsed_bound() {
    let data = data_with_known_noise(80, 3);
    let z = select_rows(data.x(), &[1, 5, 9, 14, 20, 33, 61]);
    for hyper in hypers(3) {
        let expected =
            Sgpr { hyper: &hyper, data: &data, z: z.as_ref(), jitter: Jitter::Fixed(0.0) }.bound_gradient().unwrap();
        let model = Svgp::with_jitter(&hyper, &data, z.as_ref(), Likelihood::Gaussian, Jitter::Fixed(0.0)).unwrap();
        let q = model.optimal(&Variational::prior(7)).unwrap();
        assert_close("θ", &model.elbo_gradient(&q).unwrap().theta, &expected.gradient, 1e-9);
    }
}

#[test]
fn all_data_as_inducing_points_give_the_exact_gp() {
    for data in [data(40, 3), data_with_known_noise(40, 3)] {
        for hyper in hypers(3) {
            let model = Svgp::with_jitter(&hyper, &data, data.x(), Likelihood::Gaussian, Jitter::Fixed(0.0)).unwrap();
            let q = model.optimal(&Variational::prior(40)).unwrap();
            let exact = exact::infer(&hyper, &data).unwrap();
            assert_close("ELBO", &[model.elbo(&q).unwrap()], &[exact.objective], 1e-9);
            let at = points(60, 3);
            let found = model.posterior(&q).unwrap().predict(at.as_ref()).unwrap();
            let expected = exact.posterior.predict(at.as_ref()).unwrap();
            assert_close("mean", &found.mean, &expected.mean, 1e-8);
            assert_close("variance", &found.variance, &expected.variance, 1e-8);
        }
    }
}

#[test]
fn the_batches_of_an_epoch_average_to_the_full_bound() {
    let q = some_q(5);
    for likelihood in LIKELIHOODS {
        for data in data_for(likelihood, 90, 2) {
            let z = select_rows(data.x(), &[2, 11, 23, 42, 58]);
            let hyper = &hypers(2)[3];
            let full = Svgp::new(hyper, &data, z.as_ref(), likelihood).unwrap().elbo_gradient(&q).unwrap();
            // Batches of 20 leave one of 10, which counts half as much.
            for size in [30, 20] {
                let (mut value, mut theta) = (0.0, vec![0.0; full.theta.len()]);
                let order = distinct_indices(data.len(), data.len(), &mut stream(5, Purpose::Data, 0, 0));
                for rows in order.chunks(size) {
                    let batch = data.subset(rows);
                    let model = Svgp::new(hyper, &batch, z.as_ref(), likelihood).unwrap().out_of(data.len());
                    let gradient = model.elbo_gradient(&q).unwrap();
                    let share = rows.len() as f64 / data.len() as f64;
                    value += share * gradient.value;
                    theta.iter_mut().zip(gradient.theta).for_each(|(total, g)| *total += share * g);
                }
                assert_close("ELBO", &[value], &[full.value], 1e-12);
                assert_close("θ", &theta, &full.theta, 1e-11);
            }
        }
    }
}

/// The largest element of ∂ELBO/∂(w, S).
fn slope_in_q(model: &Svgp<'_>, q: &Variational) -> f64 {
    let gradient = model.elbo_gradient(q).unwrap();
    gradient.mu.iter().fold(gradient.sqrt.norm_max(), |m, g| m.max(g.abs()))
}

#[test]
fn natural_steps_find_the_optimal_q_of_labels() {
    let data = labels(200, 2);
    let z = select_rows(data.x(), &(0..200).step_by(10).collect::<Vec<_>>());
    for likelihood in &LIKELIHOODS[1..] {
        for hyper in hypers(2) {
            let model = Svgp::new(&hyper, &data, z.as_ref(), *likelihood).unwrap();
            let from_prior = model.optimal(&Variational::prior(20)).unwrap();
            let from_elsewhere = model.optimal(&some_q(20)).unwrap();
            assert!(slope_in_q(&model, &from_prior) < 1e-2, "{}", slope_in_q(&model, &from_prior));
            // Less than 1e-10 nats per row is left to gain.
            let (a, b) = (model.elbo(&from_prior).unwrap(), model.elbo(&from_elsewhere).unwrap());
            assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    }
}

#[test]
fn separable_and_constant_labels_stay_finite() {
    let x = points(100, 1);
    let separable: Vec<f64> = (0..100).map(|i| f64::from(u8::from(x[(i, 0)] > 0.5))).collect();
    let z = select_rows(x.as_ref(), &(0..100).step_by(9).collect::<Vec<_>>());
    for y in [separable, vec![0.0; 100], vec![1.0; 100]] {
        let data = Dataset::new(x.clone(), y).unwrap();
        for mut hyper in hypers(1) {
            // A strong prior variance lets f run far into the tails of Φ.
            if let spargo::kernel::Kernel::Stationary(leaf) = &mut hyper.kernel {
                leaf.variance = 1e4;
            }
            let model = Svgp::new(&hyper, &data, z.as_ref(), Likelihood::Bernoulli).unwrap();
            let q = model.optimal(&Variational::prior(z.nrows())).unwrap();
            let gradient = model.elbo_gradient(&q).unwrap();
            assert!(gradient.value.is_finite() && gradient.theta.iter().all(|g| g.is_finite()));
            let f = model.posterior(&q).unwrap().predict(x.as_ref()).unwrap();
            let p = Likelihood::Bernoulli.predict(&f, 0.0).mean;
            let right = (0..100).filter(|&i| (p[i] > 0.5) == (data.y()[i] > 0.5)).count();
            assert!(right >= 97, "{right}");
            assert!(p.iter().all(|p| (0.0..=1.0).contains(p)));
        }
    }
}

#[test]
fn one_row_few_rows_and_duplicate_inducing_points_are_usable() {
    let duplicates = |x: MatRef<'_>| select_rows(x, &[0, 0, 0]);
    for likelihood in LIKELIHOODS {
        for (n, z) in [(1, points(8, 2)), (4, points(20, 2)), (5, duplicates(points(5, 2).as_ref()))] {
            for data in data_for(likelihood, n, 2) {
                for hyper in hypers(2) {
                    let model = Svgp::new(&hyper, &data, z.as_ref(), likelihood).unwrap();
                    let q = model.optimal(&Variational::prior(z.nrows())).unwrap();
                    let gradient = model.elbo_gradient(&q).unwrap();
                    assert!(gradient.value.is_finite() && gradient.theta.iter().all(|g| g.is_finite()));
                    assert!(gradient.value > model.elbo(&Variational::prior(z.nrows())).unwrap());
                    let f = model.posterior(&q).unwrap().predict(points(30, 2).as_ref()).unwrap();
                    assert!(f.mean.iter().chain(&f.variance).all(|v| v.is_finite()));
                }
            }
        }
    }
}

#[test]
fn arguments_of_different_sizes_are_refused() {
    let (data, hyper) = (data(10, 2), &hypers(2)[0]);
    let z = points(3, 2);
    let model = Svgp::new(hyper, &data, z.as_ref(), Likelihood::Gaussian).unwrap();
    assert!(matches!(model.elbo(&Variational::prior(4)), Err(spargo::Error::Shape { found: 4, expected: 3, .. })));
    let refused = Svgp::new(hyper, &data, z.as_ref(), Likelihood::Bernoulli);
    assert!(matches!(refused, Err(spargo::Error::Parameter { name, .. }) if name.contains("row 0")));
    let silent = Hyperparameters { noise: 0.0, ..hyper.clone() };
    assert!(matches!(
        Svgp::new(&silent, &data, z.as_ref(), Likelihood::Gaussian),
        Err(spargo::Error::Parameter { value: 0.0, .. })
    ));
    let mut broken = z.clone();
    broken[(1, 1)] = f64::NAN;
    let refused = Svgp::new(hyper, &data, broken.as_ref(), Likelihood::Gaussian);
    assert!(matches!(refused, Err(spargo::Error::NonFinite { row: 1, .. })));
}
