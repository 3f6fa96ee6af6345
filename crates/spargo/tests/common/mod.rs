//! Helpers shared by the integration tests.
#![allow(dead_code)]

use serde_json::Value;
use spargo::data::Dataset;
use spargo::kernel::{Categorical, Family, Kernel, LabelSimilarity, LinearSphere, Stationary};
use spargo::linalg::{Mat, MatRef};
use spargo::model::sgpr::Sgpr;
use spargo::model::svgp::{Svgp, Variational};
use spargo::model::{Hyperparameters, Likelihood, Posterior, exact};
use spargo::space::Descriptors;
use std::path::PathBuf;

/// A golden file by its name.
pub fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap()
}

/// A list of numbers.
pub fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// A list of rows.
pub fn matrix(value: &Value) -> Mat {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(vector).collect();
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// A single number.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The kernel that a golden file describes.
pub fn kernel(file: &Value) -> Kernel {
    let family: Family = serde_json::from_value(file["kernel"].clone()).unwrap();
    Kernel::Stationary(Stationary {
        family,
        variance: number(&file["variance"]),
        lengthscales: vector(&file["lengthscales"]),
    })
}

/// ∂mean(xᵢ)/∂xᵢ, [n, d].
pub fn mean_gradient(posterior: &Posterior, x: MatRef<'_>) -> Mat {
    let weights = posterior.mean_weights();
    let g = Mat::from_fn(x.nrows(), weights.len(), |_, j| weights[j]);
    let mut out = Mat::zeros(x.nrows(), x.ncols());
    posterior.kernel().add_input_gradient(x, posterior.z(), g.as_ref(), out.as_mut());
    out
}

/// Asserts |found − expected| ≤ tolerance · max(|expected|, 1e-4 of the largest) element by element: what is nearly zero
/// beside the others is compared on their scale.
pub fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}: lengths differ");
    let scale = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance * e.abs().max(1e-4 * scale), "{what}[{i}]: found {f}, expected {e}");
    }
}

/// Every element of a matrix, row by row.
pub fn flat(a: MatRef<'_>) -> Vec<f64> {
    (0..a.nrows()).flat_map(|i| (0..a.ncols()).map(move |j| a[(i, j)])).collect()
}

/// Points that fill the unit cube without a pattern (Kronecker sequence of square roots of primes).
pub fn points(n: usize, d: usize) -> Mat {
    let primes = [2.0f64, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0];
    Mat::from_fn(n, d, |i, k| ((i + 1) as f64 * primes[k % 8].sqrt() * (1.0 + (k / 8) as f64 * 0.37)).fract())
}

/// A smooth function of the points, with a deterministic wobble in place of noise.
pub fn outcomes(x: MatRef<'_>) -> Vec<f64> {
    let f = |i: usize| (0..x.ncols()).map(|k| (3.0 * x[(i, k)] + k as f64).sin()).sum::<f64>();
    (0..x.nrows()).map(|i| f(i) + 0.2 * (137.0 * i as f64).sin()).collect()
}

/// That function at those points.
pub fn data(n: usize, d: usize) -> Dataset {
    let x = points(n, d);
    let y = outcomes(x.as_ref());
    Dataset::new(x, y).unwrap()
}

/// Half of the rows with a known noise variance.
pub fn data_with_known_noise(n: usize, d: usize) -> Dataset {
    let noise = (0..n).map(|i| (i % 2 == 0).then_some(0.05 + 0.01 * (i % 7) as f64)).collect();
    data(n, d).with_known_noise(noise).unwrap()
}

/// Kernels of every kind in d dimensions: what is added to the list is tested everywhere. In the unit cube, categories
/// change at one half.
pub fn kernels(d: usize) -> Vec<Kernel> {
    let mut list = vanishing_kernels(d);
    list.push(Kernel::sum(vec![stationary(Family::Matern32, 0.9, 0.5, d), categories(d - 1, 2, 0.8)]));
    list.push(Kernel::sum(vec![stationary(Family::Matern52, 0.9, 0.5, d), linear_sphere(d)]));
    list
}

/// Kernels of finite rank: too singular for tests that factor them, and with features that have no error.
pub fn finite_kernels(d: usize) -> Vec<Kernel> {
    let mut list = vec![linear_sphere(d)];
    if d > 1 {
        let numbers: Vec<usize> = (0..d - 1).rev().collect();
        list.push(Kernel::of(numbers.clone(), linear_sphere(d - 1)));
        list.push(Kernel::product(vec![Kernel::of(numbers, linear_sphere(d - 1)), categories(d - 1, 3, 0.8)]));
    }
    list
}

/// A linear kernel on a sphere with a length scale of its own for each input.
pub fn linear_sphere(d: usize) -> Kernel {
    let lengthscales = (0..d).map(|k| 0.4 * (1.0 + 0.3 * k as f64)).collect();
    Kernel::LinearSphere(LinearSphere { variance: 1.4, lengthscales, equator: 0.4, constant: 0.3 })
}

/// Those of them that are zero between points far apart.
pub fn vanishing_kernels(d: usize) -> Vec<Kernel> {
    let leaf = |family, variance, lengthscale| stationary(family, variance, lengthscale, d);
    let mut list: Vec<Kernel> = Family::ALL.into_iter().map(|family| leaf(family, 1.3, 0.4)).collect();
    let pair = || vec![leaf(Family::Rbf, 0.7, 0.9), leaf(Family::Matern32, 1.2, 0.5)];
    list.push(Kernel::sum(pair()));
    list.push(Kernel::product(pair()));
    list.push(Kernel::sum(vec![Kernel::product(pair()), leaf(Family::Matern52, 0.5, 0.3)]));
    if d == 1 {
        return list;
    }
    list.push(mixed_kernel(d));
    list.push(Kernel::of(vec![d - 1, 0], stationary(Family::Matern52, 1.1, 0.4, 2)));
    let some = Kernel::product(vec![
        Kernel::of(vec![0], stationary(Family::Rbf, 0.8, 0.6, 1)),
        categories(1, 3, 0.6),
        categories(d - 1, 2, 1.5),
    ]);
    list.push(Kernel::sum(vec![some, leaf(Family::Matern32, 0.6, 0.7)]));
    let numbers = Kernel::of((0..d - 1).collect(), stationary(Family::Matern52, 1.2, 0.4, d - 1));
    list.push(Kernel::product(vec![numbers, described(d - 1, 3, 1.1, 0.3)]));
    list
}

/// Stationary in all inputs but the last, which is a category.
pub fn mixed_kernel(d: usize) -> Kernel {
    let numbers = Kernel::of((0..d - 1).collect(), stationary(Family::Matern52, 1.2, 0.4, d - 1));
    Kernel::product(vec![numbers, categories(d - 1, 2, 0.7)])
}

/// A stationary kernel whose length scales grow from input to input.
pub fn stationary(family: Family, variance: f64, lengthscale: f64, d: usize) -> Kernel {
    let lengthscales = (0..d).map(|k| lengthscale * (1.0 + 0.3 * k as f64)).collect();
    Kernel::Stationary(Stationary { family, variance, lengthscales })
}

/// A categorical kernel of one input.
pub fn categories(input: usize, categories: usize, lengthscale: f64) -> Kernel {
    Kernel::of(vec![input], Kernel::Categorical(Categorical { categories, lengthscale }))
}

/// A kernel of one input with labels that have two descriptors each.
pub fn described(input: usize, labels: usize, lengthscale: f64, identity: f64) -> Kernel {
    let rows = (0..labels).map(|a| vec![(a as f64 * 1.7).sin(), (a * a % 7) as f64]).collect();
    let descriptors = Descriptors::new(["size", "charge"].map(String::from).to_vec(), rows).unwrap();
    let leaf = LabelSimilarity::new(descriptors.geometry().clone(), lengthscale, identity);
    Kernel::of(vec![input], Kernel::LabelSimilarity(leaf))
}

/// The exact, the collapsed and the variational posterior of the same data; inducing points are near every third row.
pub fn kinds_of_posterior(hyper: &Hyperparameters, data: &Dataset) -> Vec<(&'static str, Posterior)> {
    // Inducing points that coincide with data sit on the kink of Matérn-1/2, so they are moved off.
    let m = data.len() / 3;
    let z = Mat::from_fn(m, data.dimension(), |i, k| data.x()[(3 * i, k)] + 0.02);
    let sgpr = Sgpr::new(hyper, data, z.as_ref()).unwrap().infer().unwrap().posterior;
    // A q that no data suggested: its root is not that of SGPR, nor near diagonal.
    let sqrt = Mat::from_fn(m, m, |i, j| if i < j { 0.0 } else { 0.6 / (1 + i - j) as f64 });
    let q = Variational::new((0..m).map(|j| (j as f64).sin()).collect(), sqrt).unwrap();
    let svgp = Svgp::new(hyper, data, z.as_ref(), Likelihood::Gaussian).unwrap().posterior(&q).unwrap();
    vec![("exact", exact::infer(hyper, data).unwrap().posterior), ("SGPR", sgpr), ("SVGP", svgp)]
}

/// (f(x + h) − f(x − h)) / 2h for every element of x, with one step of Richardson extrapolation.
pub fn central_differences(x: &[f64], mut f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let mut at = x.to_vec();
    let mut slope = |k: usize, h: f64| {
        at[k] = x[k] + h;
        let above = f(&at);
        at[k] = x[k] - h;
        let below = f(&at);
        at[k] = x[k];
        (above - below) / (2.0 * h)
    };
    (0..x.len()).map(|k| (4.0 * slope(k, 5e-4) - slope(k, 1e-3)) / 3.0).collect()
}

/// A data file in the folder that SPARGO_DATA names, or a word that the test is skipped.
pub fn data_file(name: &str) -> Option<PathBuf> {
    let set = std::env::var_os("SPARGO_DATA").filter(|folder| !folder.is_empty());
    let Some(folder) = set.map(PathBuf::from) else {
        println!("skipped: SPARGO_DATA is not set, {name} is needed");
        return None;
    };
    let path = folder.join(name);
    assert!(path.exists(), "SPARGO_DATA is set, but {} is not there", path.display());
    Some(path)
}
