//! Exact and collapsed sparse models against GPflow's numbers.

mod common;

use common::*;
use serde_json::Value;
use spargo::data::Dataset;
use spargo::linalg::Mat;
use spargo::model::sgpr::{Jitter, Sgpr};
use spargo::model::{Hyperparameters, InducingCovariance, Posterior, exact};

const FAMILIES: [&str; 3] = ["rbf", "matern32", "matern52"];

fn model(file: &Value) -> (Hyperparameters, Dataset) {
    let hyper = Hyperparameters {
        kernel: kernel(file),
        mean: number(&file["constant_mean"]),
        noise: number(&file["noise_variance"]),
    };
    (hyper, Dataset::new(matrix(&file["X"]), vector(&file["y"])).unwrap())
}

/// The gradient in our order: kernel's parameters, log noise, mean.
fn kernel_and_noise_gradient(file: &Value) -> Vec<f64> {
    let mut gradient = vec![number(&file["grad_log_variance"])];
    gradient.extend(vector(&file["grad_log_lengthscales"]));
    gradient.push(number(&file["grad_log_noise"]));
    gradient
}

fn assert_predictions(posterior: &Posterior, x: &Mat, file: &Value) {
    let prediction = posterior.predict(x.as_ref()).unwrap();
    assert_close("mean", &prediction.mean, &vector(&file["predict_f_mean"]), 1e-8);
    assert_close("variance", &prediction.variance, &vector(&file["predict_f_var"]), 1e-8);
    assert_close("mean alone", &posterior.mean(x.as_ref()).unwrap(), &prediction.mean, 1e-12);
}

#[test]
fn exact_gp_agrees() {
    for family in FAMILIES {
        let file = golden(&format!("gpr_{family}"));
        let (hyper, data) = model(&file);
        let test = matrix(&file["X_test"]);
        let cross = hyper.kernel.matrix(data.x().subrows(0, 5), test.as_ref().subrows(0, 4));
        assert_close("kernel", &flat(cross.as_ref()), &flat(matrix(&file["kernel_matrix_X5_Xtest4"]).as_ref()), 1e-12);
        let evaluation = exact::log_likelihood_gradient(&hyper, &data).unwrap();
        let expected = number(&file["log_marginal_likelihood"]);
        assert_close("likelihood", &[evaluation.value], &[expected], 1e-8);
        assert_close("likelihood alone", &[exact::log_likelihood(&hyper, &data).unwrap()], &[expected], 1e-8);
        let mut gradient = kernel_and_noise_gradient(&file);
        gradient.push(number(&file["grad_mean"]));
        assert_close("gradient", &evaluation.gradient, &gradient, 1e-6);
        let posterior = exact::infer(&hyper, &data).unwrap().posterior;
        assert_predictions(&posterior, &test, &file);
        let covariance = posterior.covariance(test.as_ref()).unwrap();
        assert_close("covariance", &flat(covariance.as_ref()), &flat(matrix(&file["predict_f_cov"]).as_ref()), 1e-8);
    }
}

#[test]
fn collapsed_sparse_gp_agrees() {
    for (family, jitter) in FAMILIES.iter().flat_map(|family| ["with_jitter", "no_jitter"].map(|j| (family, j))) {
        let file = golden(&format!("sgpr_{family}"));
        let (hyper, data) = model(&file);
        let (z, test) = (matrix(&file["Z"]), matrix(&file["X_test"]));
        let expected = &file[jitter];
        let sgpr = Sgpr {
            hyper: &hyper,
            data: &data,
            z: z.as_ref(),
            jitter: Jitter::Fixed(number(&expected["jitter_on_Kuu"])),
        };
        let evaluation = sgpr.bound_gradient().unwrap();
        assert_close("bound", &[evaluation.value], &[number(&expected["elbo"])], 1e-8);
        assert_close("bound alone", &[sgpr.bound().unwrap()], &[number(&expected["elbo"])], 1e-8);
        let gradient = &evaluation.gradient[..evaluation.gradient.len() - 1];
        assert_close("gradient", gradient, &kernel_and_noise_gradient(expected), 1e-6);
        let posterior = sgpr.infer().unwrap().posterior;
        assert_eq!(Jitter::Fixed(posterior.jitter()), sgpr.jitter);
        assert_predictions(&posterior, &test, expected);
        assert_inducing_variables(&posterior, expected);
    }
}

/// q(u) = N(Lw, LW(LW)ᵀ), without the constant mean.
fn assert_inducing_variables(posterior: &Posterior, expected: &Value) {
    let InducingCovariance::Root(root) = posterior.inducing_covariance() else {
        panic!("a sparse posterior has a root")
    };
    let mean = spargo::linalg::mat_vec(posterior.l(), posterior.w());
    assert_close("mean of u", &mean, &vector(&expected["q_u_mean"]), 1e-8);
    let root = posterior.l() * root;
    let covariance = &root * root.transpose();
    assert_close("covariance of u", &flat(covariance.as_ref()), &flat(matrix(&expected["q_u_cov"]).as_ref()), 1e-8);
}
