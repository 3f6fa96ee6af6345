//! `spargo-lab bench` runs and keeps its promises of form; what it measures is not a test's business.

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

/// A pass over the rows must not hold N×M: 400,000 × 200 doubles alone would be 640 MB.
#[test]
fn the_bound_needs_no_memory_that_grows_with_rows_times_inducing_points() {
    let json = json(&["bench", "fit", "--n", "400000", "--m", "200", "--dim", "4", "--json"]);
    if let Some(peak) = json["peak_rss_mb"].as_f64() {
        assert!(peak < 250.0, "{json}");
    }
}

#[test]
fn bench_step_prints_every_promised_key() {
    let json = json(&["bench", "step", "--n", "400", "--m", "50", "--batch", "20", "--json"]);
    let number = |key: &str| json[key].as_f64().unwrap_or_else(|| panic!("{key}: {json}"));
    let parts = ["allocate_s", "fit_s", "acquire_s"].map(number);
    assert!(parts.iter().all(|s| *s > 0.0) && parts.iter().sum::<f64>() <= number("total_s"), "{json}");
    assert!(number("fit_cold_s") > 0.0 && number("gemm_gflops") > 0.0, "{json}");
    assert!(json["peak_rss_mb"].is_number() || !cfg!(target_os = "linux"));
    assert!((number("bound") - number("bound_converged")).abs() < 0.01, "{json}");
    assert_eq!((number("n"), number("m"), number("batch")), (400.0, 50.0, 20.0));
    for batch in ["0", "20"] {
        let complaint = complaint(&["bench", "step", "--n", "20", "--batch", batch]);
        assert!(complaint.contains("must be at least 1 and below --n 20"), "{complaint}");
    }
}

#[test]
fn bench_allocate_prints_every_promised_key() {
    for (method, place) in [("imp-dpp", "focused"), ("cvr", "uniform")] {
        let words = ["bench", "allocate", "--n", "800", "--m", "60", "--allocation", method, "--data", place, "--json"];
        let found = json(&words);
        assert_eq!(found["same"], true, "{found}");
        let number = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("{key}: {found}"));
        assert!((number("speedup") - number("plain_s") / number("lazy_s")).abs() < 1e-9);
        assert_eq!(number("chosen"), 60.0);
    }
    assert!(complaint(&["bench", "allocate", "--allocation", "kmeans"]).contains("greedy"));
}
