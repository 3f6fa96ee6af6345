//! `spargo bench` and `spargo demo` run and keep their promises of form; what they measure is not a test's business.

mod common;

use common::*;

#[test]
fn bench_fit_prints_every_promised_key() {
    let json = json(&["bench", "fit", "--n", "600", "--m", "50", "--dim", "3", "--threads", "1", "--json"]);
    let number = |key: &str| json[key].as_f64().unwrap_or_else(|| panic!("{key}: {json}"));
    let limit = 4.0 * 600.0 * 50.0 * 50.0 / (number("gemm_gflops") * 1e9);
    assert!((number("limit_s") / limit - 1.0).abs() < 1e-9);
    assert!((number("ratio") - number("elbo_gradient_s") / limit).abs() < 1e-9);
    assert_eq!(number("threads"), 1.0);
}

/// A walk over the rows must not hold N×M: 400,000 × 200 doubles alone would be 640 MB.
#[test]
fn the_bound_needs_no_memory_that_grows_with_rows_times_inducing_points() {
    let json = json(&["bench", "fit", "--n", "400000", "--m", "200", "--dim", "4", "--json"]);
    if let Some(peak) = json["peak_rss_mb"].as_f64() {
        assert!(peak < 250.0, "{json}");
    }
}

#[test]
fn the_demo_prints_its_table() {
    let text = stdout(&["demo"]);
    assert!(text.contains("noise variance") && text.contains("test RMSE"), "{text}");
}
