//! Sequences and qualities computed by Trieste and GPflow.

use crate::rng;
use serde_json::Value;
use spargo::allocate::quality::Improvement;
use spargo::allocate::{Allocation, Quality, Search, allocate, allocate_by, conditional_variance, trace};
use spargo::data::{AllocationContext, PosteriorAtData};
use spargo::kernel::{Family, Kernel, Stationary};
use spargo::linalg::Mat;

struct Golden {
    file: Value,
    x: Mat,
    kernel: Kernel,
}

fn load(text: &str) -> Golden {
    let file: Value = serde_json::from_str(text).unwrap();
    let x: Vec<Vec<f64>> = serde_json::from_value(file["X"].clone()).unwrap();
    let kernel = Kernel::Stationary(Stationary {
        family: Family::Matern52,
        variance: file["variance"].as_f64().unwrap(),
        lengthscales: list(&file["lengthscales"]),
    });
    assert_eq!(file["kernel"], "matern52");
    Golden { x: Mat::from_fn(x.len(), x[0].len(), |i, k| x[i][k]), kernel, file }
}

fn list(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

fn check(golden: &Golden, quality: &[f64]) {
    let indices: Vec<usize> = serde_json::from_value(golden.file["indices"].clone()).unwrap();
    let scores = list(&golden.file["scores_at_selection"]);
    let (x, count) = (golden.x.as_ref(), indices.len());
    let chosen = allocate_by(|i| quality[i], Search::Lazy, x, &golden.kernel, count, &mut rng(0)).unwrap();
    assert_eq!(chosen.rows, Some(indices));
    for (j, expected) in scores.iter().enumerate() {
        let score = chosen.quality[j].powi(2) * chosen.variance[j];
        assert!((score / expected - 1.0).abs() < 1e-10, "step {j}: {score} {expected}");
    }
    let z = chosen.points.as_ref();
    let left = list(&golden.file["final_conditional_variance"]);
    for (found, expected) in conditional_variance(z, x, &golden.kernel).unwrap().iter().zip(left) {
        assert!((found - expected).abs() < 1e-12);
    }
    let residual = golden.file["trace_residual"].as_f64().unwrap();
    assert!((trace(z, x, &golden.kernel, quality).unwrap().plain / residual - 1.0).abs() < 1e-11);
}

#[test]
fn conditional_variance_reduction() {
    let golden = load(include_str!("../golden/cvr_selection.json"));
    check(&golden, &vec![1.0; golden.x.nrows()]);
}

#[test]
fn improvement_quality_and_its_sequence() {
    let golden = load(include_str!("../golden/imp_selection.json"));
    // The file minimises; we maximise.
    let negated = |key: &str| list(&golden.file[key]).iter().map(|v| -v).collect::<Vec<_>>();
    let noise = vec![golden.file["noise_variance"].as_f64().unwrap(); golden.x.nrows()];
    let posterior =
        PosteriorAtData::new(negated("y"), negated("posterior_mean"), list(&golden.file["posterior_var"]), noise);
    let context = AllocationContext::of_rows(golden.x.nrows()).with_outputs(vec![posterior.unwrap()]).unwrap();
    let quality = Quality::Imp(Improvement::default()).evaluate(&context, 40).unwrap();
    for (found, expected) in quality.iter().zip(list(&golden.file["quality"])) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
    }
    check(&golden, &quality);
    let chosen =
        allocate(&Allocation::default(), golden.x.as_ref(), &golden.kernel, &context, 40, &mut rng(0)).unwrap();
    assert_eq!(serde_json::to_value(chosen.rows.unwrap()).unwrap(), golden.file["indices"]);
}
