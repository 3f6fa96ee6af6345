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
fn the_demo_prints_its_table_and_draws_the_regret() {
    let svg = file("demo.svg", "");
    let text = stdout(&["demo", "--seed", "1", "--output", &svg]);
    let rows = text.lines().filter_map(|line| line.split_whitespace().map(|cell| cell.parse().ok()).collect());
    let rows: Vec<Vec<f64>> = rows.filter(|row: &Vec<f64>| row.len() == 4).collect();
    let evaluations: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(evaluations, (1..=11).map(|i| 100.0 * f64::from(i)).collect::<Vec<_>>(), "{text}");
    assert!(text.contains("noise variance 0.1") && text.contains(&svg), "{text}");
    let regret: Vec<f64> = rows.iter().map(|row| row[2]).collect();
    assert!(regret[10] < 0.5 && regret[10] < regret[0], "{text}");
    let drawing = std::fs::read_to_string(svg).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.matches("<circle").count() == 11, "{drawing}");
    assert!(drawing.contains("evaluations") && drawing.contains("regret"));
}
