//! Benchmark functions against another implementation's values and their known optima.

mod common;

use common::*;
use spargo::problems::hartmann6;

#[test]
fn hartmann6_agrees() {
    let file = golden("functions");
    let points = matrix(&file["functions"]["Hartmann6"]["X"]);
    let row = |i: usize| std::array::from_fn(|k| points[(i, k)]);
    let found: Vec<f64> = (0..points.nrows()).map(|i| hartmann6(&row(i))).collect();
    assert_close("values", &found, &vector(&file["functions"]["Hartmann6"]["f"]), 1e-12);
    let best = [0.2016895110, 0.1500106918, 0.4768739742, 0.2753324305, 0.3116516166, 0.6573005341];
    assert!((hartmann6(&best) + 3.322368011416).abs() < 1e-11);
}
