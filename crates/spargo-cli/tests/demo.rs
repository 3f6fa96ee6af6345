//! `spargo demo` as a user runs it.

mod common;

use common::*;

#[test]
fn the_demo_prints_its_table_and_draws_the_regret() {
    let svg = file("demo.svg", "");
    let text = stdout(&["demo", "--seed", "1", "--output", &svg, "--force"]);
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
